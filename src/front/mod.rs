//! The languages a constraint is written in, each lowered to [`crate::grammar`].

pub mod abnf;
pub mod chat;
pub mod json_schema;
pub mod schema_lint;
