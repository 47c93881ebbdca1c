//! The rules of a format's file that each request fills by itself.

use std::sync::Arc;

use super::prose::Names;
use crate::base::RuleId;
use crate::front::json_schema::ParameterForm;
use crate::regular::Dfa;

/// A rule that each request fills by itself.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) rule: RuleId,
    /// The prose-val, for errors.
    pub(super) prose: String,
    pub(super) kind: SlotKind,
}

/// What a request says there.
#[derive(Debug)]
pub(super) enum SlotKind {
    /// These names of its tools, none of which is `taken`.
    Names { names: Names, taken: Vec<String> },
    /// The arguments of the tool that is called, so written.
    Arguments(Written),
    /// An id, which is none that was used before.
    Id(Id),
    /// Any JSON value.
    Json,
    /// What its response schema admits.
    Response,
}

/// How arguments are written.
#[derive(Clone, Debug)]
pub(super) enum Written {
    Json,
    /// As JSON within a string of JSON.
    InString,
    /// Parameter by parameter.
    Parameters(Arc<ParameterForm>),
}

/// What the ids of a format are.
#[derive(Clone, Debug)]
pub(super) enum Id {
    Free,
    Pattern(Arc<Dfa>),
    Counter(u32),
}
