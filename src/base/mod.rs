//! What every layer shares: id newtypes, places in a text, limits.

mod ids;
mod limits;
mod span;

pub(crate) use ids::define_id;
pub use ids::{ControlId, RuleId, TokenId};
pub use limits::{LimitError, Limits};
pub use span::{LineColumn, Span};
