//! What a host holds: an [`Engine`] per vocabulary, a [`Constraint`] per request or per grammar,
//! and a [`Session`] per sequence.

mod anchors;
mod arrivals;
mod binding;
mod bounds;
mod constraint;
mod current;
mod deadline;
mod engine;
mod error;
mod explain;
mod forced;
mod history;
mod lead;
mod least;
mod likeness;
mod live;
mod mentions;
mod recogniser;
mod reserve;
mod retired;
#[allow(clippy::module_inception)]
mod session;
mod survey;
mod surveyed;
mod tenants;
mod token_set;
mod way;
mod way_out;

pub use crate::mask::Mechanism;
pub use constraint::{Constraint, ConstraintConfig};
pub use engine::Engine;
pub use error::{ConstraintError, SessionError};
pub use explain::{Explainer, Reason};
pub use forced::Tokenise;
pub use recogniser::{Expected, Recogniser};
pub use session::Session;
