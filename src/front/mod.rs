//! The languages a constraint is written in, each lowered to [`crate::grammar`].

pub mod abnf;
pub mod chat;
pub mod choice;
pub mod ebnf;
pub(crate) mod expression;
pub mod json_schema;
pub mod lark;
pub mod regex;
mod repetition;
pub mod schema_lint;
pub mod structural_tag;
