//! What every layer shares: id newtypes, sets of bytes, places in a text and messages about them, limits.

mod budget;
mod byte_set;
mod chunked;
mod gates;
pub(crate) mod graph;
mod id_map;
mod ids;
mod intern;
mod likeness;
mod limits;
mod members;
mod meter;
mod part;
mod parted;
mod report;
mod span;
mod store;

pub(crate) use budget::{Budget, Part as BudgetPart, Share};
pub use byte_set::ByteSet;
pub(crate) use chunked::Chunked;
pub(crate) use gates::Gates;
pub(crate) use id_map::{IdMap, Numbered};
pub(crate) use ids::define_id;
pub use ids::{ControlId, RuleId, TokenId};
pub(crate) use intern::{Ids, Interner, SmallMap, Texts};
pub(crate) use likeness::nearest;
pub(crate) use limits::{ANSWER, OPEN, TEXT};
pub use limits::{LimitError, Limits};
pub(crate) use members::{Members, union};
pub use part::Part;
pub(crate) use parted::PartedMap;
pub(crate) use report::{Fault, Faults, quoted};
pub use report::{Report, Reports};
pub use span::{LineColumn, Span};
pub(crate) use store::{ENTRY, Store};
