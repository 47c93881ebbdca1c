//! From normal forms to rules: one small body for each distinct set of values, made when visited.
//!
//! `lowering` walks the sets that the root reaches and writes a rule for each: a `union` of the rules of its
//! alternatives, which are a `literal`, a `string` or a `pattern`, a `number`, an `array` or an `object`. The
//! rules that no schema is needed for, such as that of any value, are written once for each grammar
//! (`json_rules`). A body is an [`ImplicitBody`](crate::grammar::ImplicitBody): its positions are words that
//! say how far into its text one is, and it works out what may follow when a position is visited.
//!
//! Bodies share the spelling of JSON: white space (`lead`), escapes and forbidden texts (`spelling`,
//! `escape`), and what stands for a body in the keys of masks (`tag`, `automaton`). Keys and items that must
//! not come twice are read by `fresh` rules, which are told the texts in use; items that are no plain
//! strings are compared by value (`unique`, `distinct`). The outermost object may be written as parameters, one by
//! one, its strings as they are (`parameters`, `raw`).

mod a_label;
mod array;
mod automaton;
mod content;
mod distinct;
mod escape;
mod escaped;
mod fresh;
mod host_name;
mod json_rules;
mod key;
mod lead;
mod literal;
mod lowered;
mod lowering;
mod memo;
mod number;
mod object;
mod parameters;
mod pattern;
mod provenance;
mod raw;
mod spelling;
mod string;
mod tag;
mod text_language;
mod union;
mod unique;

use crate::grammar::packed;
pub(super) use content::lower_in_string;
pub use json_rules::JsonRules;
pub(super) use lowering::lower;
pub(super) use parameters::lower_parameters;
pub(crate) use parameters::{FormNode, FormParts, JsonType, ParameterForm, ValueForm};
