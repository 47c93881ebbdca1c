//! From normal forms to rules: one small body per distinct set of values, made when visited.

mod a_label;
mod array;
mod automaton;
mod distinct;
mod escape;
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
mod pattern;
mod provenance;
mod spelling;
mod string;
mod tag;
mod text_language;
mod union;
mod unique;

use crate::grammar::packed;
pub use json_rules::JsonRules;
pub(super) use lowering::lower;
