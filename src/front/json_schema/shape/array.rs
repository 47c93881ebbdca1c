//! Arrays item by item.

use smallvec::SmallVec;

use super::{Choice, Hits, Unique};
use crate::front::json_schema::values::{ArraySet, Count, SetId};

/// How the items of an array may follow one another.
#[derive(Clone, Debug)]
pub(crate) struct ArrayShape {
    /// By place what an item may be; the last one stands for all further places. Empty where
    /// nothing is counted: then the array set says it.
    pub(crate) choices: Vec<SmallVec<[Choice; 1]>>,
    pub(crate) counts: Vec<Count>,
    /// Where no two items are equal, or some must be.
    pub(crate) unique: Option<Unique>,
}

/// The items so far, counted as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArrayProgress {
    pub(crate) items: u32,
    /// By counted set, how many items belong to it.
    pub(crate) counted: SmallVec<[u32; 2]>,
}

impl ArrayShape {
    /// How many items there can be, as far as they must differ.
    fn total(&self) -> u32 {
        match &self.unique {
            Some(Unique::Scalars(items)) => items.total.unwrap_or(u32::MAX),
            _ => u32::MAX,
        }
    }

    pub(crate) fn sets(&self) -> impl Iterator<Item = SetId> {
        self.choices.iter().flatten().map(|choice| choice.set)
    }

    /// The sets of all items, by place and choice.
    pub(crate) fn all(&self, set: &ArraySet) -> Vec<SetId> {
        match self.choices.is_empty() {
            true => set.prefix.iter().copied().chain([set.rest]).collect(),
            false => self.sets().collect(),
        }
    }

    /// Of all choices, which counted sets they are in, place by place.
    pub(crate) fn hits(&self) -> impl Iterator<Item = u32> + '_ {
        let places = self.choices.iter();
        let words = |choice: &Choice| choice.hits.words();
        places.flat_map(move |choices| choices.iter().flat_map(words).chain([u32::MAX]))
    }

    /// The number of items from which on all numbers are alike, or which is the greatest.
    pub(crate) fn last(&self, set: &ArraySet) -> u32 {
        match set.most {
            u32::MAX => {
                let places = self.counts.iter().map(|count| count.from);
                places.fold(set.least.max(set.prefix.len() as u32), u32::max)
            }
            most => most,
        }
    }

    /// Nothing so far.
    pub(crate) fn start(&self) -> ArrayProgress {
        ArrayProgress {
            items: 0,
            counted: smallvec::smallvec![0; self.counts.len()],
        }
    }

    /// What the next item may be.
    pub(crate) fn choices(
        &self,
        set: &ArraySet,
        progress: &ArrayProgress,
    ) -> SmallVec<[Choice; 1]> {
        match self.choices.len() {
            0 => smallvec::smallvec![Choice {
                set: set.item(progress.items as usize),
                hits: Hits::default()
            }],
            places => self.choices[(progress.items as usize).min(places - 1)].clone(),
        }
    }

    /// The progress after an item that was chosen so; `None` where there may be none.
    pub(crate) fn after(
        &self,
        set: &ArraySet,
        progress: &ArrayProgress,
        choice: Choice,
    ) -> Option<ArrayProgress> {
        if progress.items >= set.most {
            return None;
        }
        let mut next = progress.clone();
        next.items = (progress.items + 1).min(self.last(set));
        for (index, count) in self.counts.iter().enumerate() {
            if choice.hits.has(index) {
                let counted = &mut next.counted[index];
                if *counted == cap(count) && count.most < u32::MAX {
                    return None;
                }
                *counted = (*counted + 1).min(cap(count));
            }
        }
        Some(next)
    }

    /// Whether the array may end here.
    pub(crate) fn may_end(&self, set: &ArraySet, progress: &ArrayProgress) -> bool {
        let mut counts = self.counts.iter().zip(&progress.counted);
        progress.items >= set.least && counts.all(|(count, &counted)| counted >= count.least)
    }

    /// From where an array can be completed, given which sets have members.
    pub(crate) fn live(&self, set: &ArraySet, known: impl Fn(SetId) -> bool) -> LiveArray {
        if self.counts.is_empty() {
            let places = set.prefix.len();
            let possible = (0..=places).find(|&place| !known(set.item(place)));
            return LiveArray::Places {
                possible: self
                    .total()
                    .min(possible.map_or(u32::MAX, |place| place as u32)),
                least: set.least,
            };
        }
        let mut live: Vec<bool> = vec![false; self.states(set)];
        // Items only add up, so a state depends on later ones, but for the last number of items.
        let last = self.last(set) as usize;
        let per_number = live.len() / (last + 1);
        for items in (0..=last).rev() {
            loop {
                let mut changed = false;
                for state in items * per_number..(items + 1) * per_number {
                    if live[state] {
                        continue;
                    }
                    let progress = self.progress(state, per_number);
                    let goes_on = || {
                        self.choices(set, &progress).iter().any(|&choice| {
                            let after = known(choice.set)
                                .then(|| self.after(set, &progress, choice))
                                .flatten();
                            after.is_some_and(|after| live[self.state(&after, per_number)])
                        })
                    };
                    if self.may_end(set, &progress) || goes_on() {
                        live[state] = true;
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
        }
        LiveArray::States { live, per_number }
    }

    fn states(&self, set: &ArraySet) -> usize {
        let counts = self.counts.iter().map(|count| cap(count) as usize + 1);
        (self.last(set) as usize + 1) * counts.product::<usize>()
    }

    fn state(&self, progress: &ArrayProgress, per_number: usize) -> usize {
        let mut state = 0;
        for (count, &counted) in self.counts.iter().zip(&progress.counted) {
            state = state * (cap(count) as usize + 1) + counted as usize;
        }
        progress.items as usize * per_number + state
    }

    fn progress(&self, state: usize, per_number: usize) -> ArrayProgress {
        let mut left = state % per_number;
        let mut progress = self.start();
        progress.items = (state / per_number) as u32;
        for (count, counted) in self.counts.iter().zip(&mut progress.counted).rev() {
            *counted = (left % (cap(count) as usize + 1)) as u32;
            left /= cap(count) as usize + 1;
        }
        progress
    }

    /// Whether an array that is `progress` so far can be completed.
    pub(crate) fn is_live(&self, live: &LiveArray, progress: &ArrayProgress) -> bool {
        match live {
            LiveArray::Places { possible, least } => {
                progress.items <= *possible && least <= possible
            }
            LiveArray::States { live, per_number } => live[self.state(progress, *per_number)],
        }
    }
}

/// From where arrays of a shape can be completed.
#[derive(Debug)]
pub(crate) enum LiveArray {
    /// From everywhere, but no item stands at place `possible`, and `least` are needed.
    Places { possible: u32, least: u32 },
    /// By state of counting.
    States { live: Vec<bool>, per_number: usize },
}

/// Beyond this number all are alike.
pub(crate) fn cap(count: &Count) -> u32 {
    match count.most {
        u32::MAX => count.least,
        most => most,
    }
}
