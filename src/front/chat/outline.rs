//! The rules of a format's file as requests of one shape have them, with slots for what each of them says by itself.

use std::sync::Arc;

use super::bound::BoundRule;
use super::call_id::Memory;
use super::slot::Slot;
use crate::base::RuleId;
use crate::grammar::Grammar;

/// The rules of a file, lowered, checked and trimmed, in whose slots there are stand-ins.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) grammar: Grammar,
    pub(super) slots: Vec<Slot>,
    pub(super) remembering: Remembering,
    /// The rule of the bytes of ids.
    pub(super) plain_id: RuleId,
    /// The spellings of the control tokens.
    pub(super) controls: Vec<String>,
    /// What making it took of [`Limits::work`](crate::base::Limits::work).
    pub(super) work: usize,
}

/// The rules of a grammar that must remember something.
#[derive(Debug)]
pub(super) struct Remembering {
    pub(super) rules: Box<[(RuleId, Arc<BoundRule>)]>,
    /// Whether ids that were read are remembered.
    pub(super) memory: Memory,
}
