//! JSON Schema: what a schema means, as a set of values, lowered to rules.
//!
//! A text becomes rules in five steps, each in files of its own:
//!
//! 1. `reader`: JSON text to a document that keeps order and spelling.
//! 2. `refs`, `keywords`: the document to typed schemas (`schema`, `values`, and for
//!    numbers `number_set` over `grain`, `grid` and `step`).
//! 3. `normal`, `evaluate`: typed schemas to sets of values in normal form (`model`), closed under
//!    intersection, union and complement.
//! 4. `shape`, `emptiness`: how the parts of arrays and objects may follow one another so that the
//!    whole can be completed, and what has no member at all.
//! 5. `lower`: normal forms to rule bodies, which are made when visited.
//!
//! [`super::schema_lint`] reads a schema beside this, with the parts that are handed out below.
//!
//! INVARIANT: what is compiled is exact. A keyword that asserts something and cannot be compiled is
//! refused with its name and place; it is never ignored or approximated.

mod abundance;
mod compiled;
mod config;
mod cycles;
mod draft;
mod emptiness;
mod equality;
mod error;
mod evaluate;
pub(crate) mod foreign;
mod formats;
mod grain;
mod grid;
mod host_names;
mod keyword;
mod keywords;
mod lower;
mod model;
mod normal;
mod number;
mod number_set;
pub(crate) mod pointer;
mod quoted;
mod reader;
mod refs;
mod report;
mod response_format;
mod schema;
mod shape;
mod space;
mod step;
mod values;

pub use compiled::{CompiledSchema, compile, compile_or_faults, faults};
pub use config::{
    Content, Escapes, Formats, Numbers, Outermost, PropertyOrder, SchemaConfig, SchemaDocument,
    Whitespace,
};
pub use draft::Draft;
pub use error::SchemaError;
pub(crate) use evaluate::Evaluator;
pub(crate) use formats::Format;
pub(crate) use keyword::{Keyword, is_reference, schemas_within};
pub use lower::JsonRules;
pub(crate) use lower::{FormNode, FormParts, JsonType, ParameterForm, ValueForm};
pub(crate) use model::Model;
pub(crate) use pointer::of as pointer_of;
pub(crate) use reader::{Document, Kind, ValueId};
pub use report::Report;
pub use response_format::{ResponseFormat, response_format};
pub(crate) use response_format::{looks_like_schema, read as read_wrapped};
pub(crate) use schema::Definition;
pub use space::SpacePattern;
pub(crate) use values::{SetId, Types};
