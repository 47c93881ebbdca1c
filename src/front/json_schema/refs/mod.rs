//! References between schemas: what a `$ref` leads to, within a text and across documents.
//!
//! Most schemas refer to themselves by JSON pointers alone, and for them nothing is built. For others
//! `linker` walks the schema before its keywords are read, notes its resources and anchors in the
//! `registry`, reads the documents that it refers to (`library`), and resolves every reference
//! (`uri`). What a dynamic reference means depends on the way that led to it: the keywords of a schema
//! are read once per `scope` in which it is reached.

mod dialect;
mod library;
mod linker;
mod metaschemas;
mod references;
mod registry;
mod scope;
mod uri;

pub(super) use references::References;
pub(super) use scope::{Context, ScopeId, Target};
