//! Texts that lead to an end, step by step.

use std::sync::Arc;

use super::node::{Exit, Pos};
use crate::base::{ControlId, ENTRY};

/// A step of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Byte(u8),
    /// A control token that is a single token.
    Control(ControlId),
}

/// A text from a state to the end.
pub(super) type Path = Arc<[Step]>;

/// Where so many steps are looked, what was put off is left.
pub(super) const IMPATIENT: u64 = 1 << 16;

/// What is to come of the rule that a position is in, with nothing remembered.
#[derive(Clone, Debug)]
pub(super) enum Rest {
    /// A short text, and how the rule ends with it.
    Known(Path, Exit),
    /// It was not found within so many steps.
    Beyond(u64),
}

impl Rest {
    /// How many bytes it takes, kept by position.
    pub(super) fn bytes(&self) -> usize {
        let path = match self {
            Self::Known(path, _) => size_of_val(&**path),
            Self::Beyond(_) => 0,
        };
        ENTRY * size_of::<(Pos, Self)>() + path
    }
}
