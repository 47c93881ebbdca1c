//! Strings written as they are, without quotes or escapes: what follows tells where they end.

use std::sync::Arc;

use super::automaton;
use super::tag;
use crate::base::{ByteSet, RuleId};
use crate::grammar::{Ends, Hints, ImplicitBody, KeyWriter, Needed, Node, Shadow, Words};
use crate::regular::utf8::is_continuation;
use crate::regular::{Dfa, Lengths, StateId, Texts};

/// A text of a language.
///
/// Positions are the language's state and, where the length is bounded, how many code points must and may
/// still begin.
#[derive(Debug)]
pub(super) struct RawBody {
    pub(super) texts: Arc<Dfa>,
    pub(super) bounds: Option<Bounds>,
    /// The lengths of the texts, where a bound on them is asked for, here or by a rule that is like this one.
    pub(super) lengths: Option<Arc<Lengths>>,
}

/// How many code points a text has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) least: u32,
    /// `u32::MAX` for no bound.
    pub(super) most: u32,
    /// The rule of the same texts of any length, where a bound only cuts them: their lengths leave no gaps.
    pub(super) unbounded: Option<RuleId>,
}

impl RawBody {
    /// Whether some text of this language is within the bounds.
    pub(super) fn has_text(&self) -> bool {
        let start = self.start(&Words::new());
        !self.texts.is_empty() && self.is_live(self.texts.start(), bounds(&start))
    }

    fn is_live(&self, state: StateId, (least, most): (u32, u32)) -> bool {
        let Some(lengths) = self.lengths.as_ref().filter(|_| self.bounds.is_some()) else {
            return true;
        };
        let most = (most < u32::MAX).then_some(u64::from(most));
        lengths.can_finish(state, u64::from(least), most)
    }

    fn words(&self, state: StateId, (least, most): (u32, u32)) -> Words {
        match self.bounds {
            None => Words::from([state.get()]),
            Some(_) => Words::from([state.get(), least, most]),
        }
    }
}

impl ImplicitBody for RawBody {
    fn start(&self, _args: &Words) -> Words {
        let bounds = self.bounds.map(|bounds| (bounds.least, bounds.most));
        self.words(self.texts.start(), bounds.unwrap_or((0, u32::MAX)))
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (state, (least, most)) = (StateId::new(words[0]), bounds(words));
        if least == 0 && self.texts.is_accepting(state) {
            node.end();
        }
        for (lo, hi, to) in self.texts.ranges(state) {
            let left = match is_continuation(lo) {
                true => (least, most),
                false if most == 0 => continue,
                false => (least.saturating_sub(1), fewer(most)),
            };
            if self.is_live(to, left) {
                node.range(lo, hi, self.words(to, left));
            }
        }
    }

    fn nullable(&self) -> bool {
        let least = self.bounds.map_or(0, |bounds| bounds.least);
        least == 0 && self.texts.is_accepting(self.texts.start())
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for RawBody {
    fn reads(&self) -> ByteSet {
        self.texts.bytes_read()
    }

    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        let texts = Texts::Flat(Arc::clone(&self.texts));
        texts.needs(missing).map(Needed::by_pattern)
    }

    // PERF: masks within a string of 300 to 2,000 characters of a qwen3-coder call take 0.13 ms in the mean and 14 ms without
    // (o200k_harmony, 377 random tokens, dev profile, both builds in turn three times, the masks the same).
    fn shadow(&self, words: &Words) -> Option<Shadow<'_>> {
        let rule = self.bounds?.unbounded?;
        let (least, most) = bounds(words);
        Some(Shadow {
            least,
            most,
            ends: Ends::Open,
            ..Shadow::of(rule, words[..1].into())
        })
    }

    fn measure(&self, _words: &[u32], text: &[u8]) -> u32 {
        text.iter().filter(|byte| !is_continuation(**byte)).count() as u32
    }

    fn rest(&self, words: &[u32]) -> u32 {
        let lengths = self.lengths.as_ref();
        let rest = lengths.and_then(|lengths| lengths.shortest(StateId::new(words[0]), 0));
        rest.map_or(0, |rest| u32::try_from(rest).unwrap_or(u32::MAX))
    }

    fn greatest_rest(&self) -> u32 {
        let live = |state: &StateId| self.texts.is_live(*state);
        let rests = self.texts.states().filter(live);
        rests
            .map(|state| self.rest(&[state.get()]))
            .max()
            .unwrap_or(0)
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::RAW);
        key.word(u32::from(self.lengths.is_some()));
        if let Some(bounds) = self.bounds {
            key.word(bounds.least);
            key.word(bounds.most);
        }
        automaton::describe(&self.texts, key)
    }
}

/// How many code points must and may still begin.
fn bounds(words: &[u32]) -> (u32, u32) {
    match *words {
        [_, least, most] => (least, most),
        _ => (0, u32::MAX),
    }
}

/// One less, where there is a bound.
fn fewer(most: u32) -> u32 {
    match most {
        u32::MAX => most,
        most => most - 1,
    }
}
