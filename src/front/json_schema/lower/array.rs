//! Arrays: items by place, their number between two bounds.

use std::sync::{Arc, OnceLock};

use super::lead::{Lead, Spaces};
use super::lowered::Lowered;
use super::provenance;
use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::shape::{ArrayProgress, ArrayShape, LiveArray};
use crate::front::json_schema::values::{ArrayId, ArraySet, SetId};
use crate::grammar::{Hints, ImplicitBody, KeyWriter, Node, Provenance, Words};

/// An array.
///
/// Positions are a [`Phase`] and the [`ArrayProgress`].
#[derive(Debug)]
pub(super) struct ArrayBody {
    lead: Lead,
    lowered: Arc<Lowered>,
    array: ArrayId,
    shape: Arc<ArrayShape>,
    live: OnceLock<LiveArray>,
}

/// Where in an array one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Phase {
    Start,
    /// After `[`.
    Open,
    /// After `[` and white space, with nothing to come.
    Empty,
    /// After `,`.
    Comma,
    /// After an item.
    After,
    End,
}

impl Phase {
    const ALL: [Self; 6] = [
        Self::Start,
        Self::Open,
        Self::Empty,
        Self::Comma,
        Self::After,
        Self::End,
    ];
}

/// What is read at a position, as far as those need to know who remember more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    /// Before or after items.
    Between,
    /// With no item to come.
    Empty,
    /// After `,`.
    Item,
    End,
}

impl ArrayBody {
    pub(super) fn new(lead: Lead, lowered: Arc<Lowered>, array: ArrayId) -> Self {
        Self {
            lead,
            shape: lowered.model.array_shape(array).clone(),
            lowered,
            array,
            live: OnceLock::new(),
        }
    }

    fn set(&self) -> &ArraySet {
        self.lowered.model.array(self.array)
    }

    fn live(&self) -> &LiveArray {
        let model = &self.lowered.model;
        self.live
            .get_or_init(|| self.shape.live(self.set(), |set| model.inhabited(set)))
    }

    /// What is read at a position.
    pub(super) fn stage(&self, words: &[u32]) -> Stage {
        match Phase::ALL[Spaces::plain(words[0]) as usize] {
            Phase::Start | Phase::Open | Phase::After => Stage::Between,
            Phase::Empty => Stage::Empty,
            Phase::Comma => Stage::Item,
            Phase::End => Stage::End,
        }
    }

    /// The progress at a position.
    pub(super) fn progress(&self, words: &[u32]) -> ArrayProgress {
        ArrayProgress {
            items: words[1],
            counted: words[2..].into(),
        }
    }

    pub(super) fn whitespace(&self) -> Spaces {
        self.lowered.whitespace
    }

    /// The progress of an array without items.
    pub(super) fn nothing(&self) -> ArrayProgress {
        self.shape.start()
    }

    /// The position after an item.
    pub(super) fn after(&self, progress: &ArrayProgress) -> Words {
        self.at(Phase::After, progress)
    }

    /// The rule of a set of items.
    pub(super) fn rule(&self, set: SetId) -> RuleId {
        self.lowered.rule(set)
    }

    fn at(&self, phase: Phase, progress: &ArrayProgress) -> Words {
        let mut words = Words::from_slice(&[phase as u32, progress.items]);
        words.extend_from_slice(&progress.counted);
        words
    }

    /// What the next item may be, and the progress after it.
    pub(super) fn items<'b>(
        &'b self,
        progress: &'b ArrayProgress,
    ) -> impl Iterator<Item = (SetId, ArrayProgress)> + 'b {
        let (set, model) = (self.set(), &self.lowered.model);
        let choices = self.shape.choices(set, progress).into_iter();
        let choices = choices.filter(|choice| model.inhabited(choice.set));
        choices.filter_map(move |choice| {
            let after = self.shape.after(set, progress, choice)?;
            let live = self.shape.is_live(self.live(), &after);
            live.then_some((choice.set, after))
        })
    }

    pub(super) fn may_end(&self, progress: &ArrayProgress) -> bool {
        self.shape.may_end(self.set(), progress)
    }

    fn item(&self, progress: &ArrayProgress, node: &mut Node<Words>) {
        for (set, after) in self.items(progress) {
            node.call(self.lowered.rule(set), self.at(Phase::After, &after));
        }
    }
}

impl ImplicitBody for ArrayBody {
    fn start(&self, _args: &Words) -> Words {
        self.at(Phase::Start, &self.shape.start())
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let phase = Phase::ALL[Spaces::plain(words[0]) as usize];
        let progress = self.progress(words);
        let end = || self.at(Phase::End, &self.shape.start());
        let spaces = self.lowered.whitespace;
        let passed = match phase {
            // Any white space is part of what an item's rule writes.
            Phase::Open | Phase::Comma => spaces.pass_before_value(node, words),
            Phase::Empty | Phase::After => spaces.pass(node, words),
            Phase::Start | Phase::End => true,
        };
        match phase {
            _ if !passed => {}
            Phase::Start => {
                self.lead.edges(node, words);
                node.byte(b'[', self.at(Phase::Open, &progress));
            }
            Phase::Open => {
                if self.may_end(&progress) {
                    let empty = self.at(Phase::Empty, &progress);
                    spaces.edges(node, &empty);
                    node.byte(b']', end());
                }
                self.item(&progress, node);
            }
            Phase::Empty => node.byte(b']', end()),
            Phase::Comma => self.item(&progress, node),
            Phase::After => {
                if self.items(&progress).next().is_some() {
                    node.byte(b',', self.at(Phase::Comma, &progress));
                }
                if self.may_end(&progress) {
                    node.byte(b']', end());
                }
            }
            Phase::End => node.end(),
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for ArrayBody {
    fn provenance(&self) -> Option<&dyn Provenance> {
        Some(self)
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        let (set, shape) = (self.set(), &self.shape);
        key.word(tag::ARRAY);
        key.word(self.lead as u32);
        self.lowered.whitespace.describe(key);
        key.word(set.least);
        key.word(set.most);
        key.word(set.prefix.len() as u32);
        key.word(set.counts.len() as u32);
        for count in &set.counts {
            key.word(count.from);
            key.word(count.least);
            key.word(count.most);
        }
        let all = shape.all(set);
        key.word(all.len() as u32);
        for item in all {
            let inhabited = self.lowered.model.inhabited(item);
            key.word(u32::from(inhabited));
            if inhabited {
                key.rule(self.lowered.rule(item));
            }
        }
        shape.hits().for_each(|hits| key.word(hits));
        true
    }
}

impl Provenance for ArrayBody {
    fn own(&self) -> Vec<String> {
        provenance::of_alternatives(&self.lowered.model, |all| all.arrays.contains(&self.array))
    }

    fn called(&self, state: &Words, callee: RuleId) -> Vec<String> {
        let progress = self.progress(state);
        let sets = self.items(&progress).map(|(set, _)| set);
        provenance::of_call(&self.lowered, sets, callee, None)
    }
}
