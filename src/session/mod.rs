//! What a host holds: an [`Engine`] per vocabulary, a [`Constraint`] per request or per grammar,
//! and a [`Session`] per sequence.

mod binding;
mod constraint;
mod engine;
mod error;
mod explain;
mod forced;
mod history;
mod lead;
mod live;
mod recogniser;
#[allow(clippy::module_inception)]
mod session;
mod way_out;

pub use constraint::{Constraint, ConstraintConfig};
pub use engine::Engine;
pub use error::{ConstraintError, SessionError};
pub use explain::{Explainer, Reason};
pub use forced::Tokenise;
pub use recogniser::{Expected, Recogniser};
pub use session::Session;
