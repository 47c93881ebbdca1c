//! Texts that lead to an end, step by step.

use std::ops::Deref;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::node::{Exit, Pos};
use crate::base::{ControlId, ENTRY};

/// A step of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Byte(u8),
    /// A control token that is a single token.
    Control(ControlId),
}

/// What is to come of a rule, or the last part of that.
#[derive(Clone, Debug)]
pub(super) struct Path {
    steps: Arc<[Step]>,
    from: usize,
}

impl Path {
    /// What is left of it behind so many steps.
    fn behind(&self, steps: usize) -> Self {
        Self {
            steps: self.steps.clone(),
            from: self.from + steps,
        }
    }
}

impl Deref for Path {
    type Target = [Step];

    fn deref(&self) -> &[Step] {
        &self.steps[self.from..]
    }
}

impl FromIterator<Step> for Path {
    fn from_iter<I: IntoIterator<Item = Step>>(steps: I) -> Self {
        Self {
            steps: steps.into_iter().collect(),
            from: 0,
        }
    }
}

/// A text from a state to the end: what is to come of each rule, one behind the other.
///
/// PERF: as one list, those from each state of a way through 10,000 distinct strings take 400 MiB (`hostile --all 10000`).
#[derive(Clone, Debug)]
pub(super) struct Text(Arc<[Path]>);

impl Text {
    /// How many steps it has.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(|path| path.len()).sum()
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.0.iter().flat_map(|path| path.iter().copied())
    }
}

impl FromIterator<Path> for Text {
    fn from_iter<I: IntoIterator<Item = Path>>(paths: I) -> Self {
        Self(paths.into_iter().collect())
    }
}

/// Where so many steps are looked, what was put off is left.
pub(super) const IMPATIENT: u64 = 1 << 16;

/// What is to come of the rule that a position is in, with nothing remembered.
#[derive(Clone, Debug)]
pub(super) enum Rest {
    /// A short text.
    Known(Known),
    /// It was not found within so many steps.
    Beyond(u64),
    /// It is so many steps away at least, and too many positions are as near: it was not looked for further.
    Wide(u64),
}

/// A short text to the end of a rule.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) path: Path,
    /// How the rule ends with it.
    pub(super) exit: Exit,
    /// The positions of the rule behind what it calls on the way, each with the steps to it.
    stops: Arc<[(Pos, u32)]>,
}

impl Known {
    pub(super) fn new(path: Path, exit: Exit, stops: Vec<(Pos, u32)>) -> Self {
        Self {
            path,
            exit,
            stops: stops.into(),
        }
    }

    /// What is to come at each of its stops.
    pub(super) fn behind_stops(&self) -> impl ExactSizeIterator<Item = (Pos, Self)> + '_ {
        self.stops.iter().map(|&(pos, steps)| {
            let behind = Self {
                path: self.path.behind(steps as usize),
                exit: self.exit,
                stops: Arc::default(),
            };
            (pos, behind)
        })
    }
}

/// What is to come at the positions that one search for a way out has asked for, and those behind them on the way.
///
/// It belongs to the search, so that the way does not depend on what others have asked for.
///
/// PERF: else what is to come is searched for anew behind each of the items or keys that must differ, with all that follow
/// (`hostile --all due-`; benches/LOG.md).
pub(super) type Rests = FxHashMap<Pos, Known>;

impl Rest {
    /// How many bytes it takes, kept by position.
    pub(super) fn bytes(&self) -> usize {
        let known = match self {
            Self::Known(known) => size_of_val(&*known.path) + size_of_val(&*known.stops),
            Self::Beyond(_) | Self::Wide(_) => 0,
        };
        ENTRY * size_of::<(Pos, Self)>() + known
    }
}
