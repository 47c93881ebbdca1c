//! How many code points the texts may have that are accepted from a state.

use rustc_hash::FxHashMap;

use crate::base::{LimitError, Limits};

use super::dfa::{Dfa, StateId};
use super::utf8::is_continuation;

/// For each state of a [`Dfa`] the exact set of lengths, in code points, of what it still accepts.
///
/// A code point counts where its first byte is read: for a state in the middle of a UTF-8 sequence
/// the code point under way is not counted, only those that start later.
///
/// ```
/// use maskwright::{base::Limits, regular::Dfa};
/// let limits = Limits::default();
/// let pairs = Dfa::pattern("^(aa)*$", &limits)?;
/// let lengths = pairs.lengths(&limits)?;
/// assert!(!lengths.can_finish(pairs.start(), 3, Some(3)));
/// assert!(lengths.can_finish(pairs.start(), 999_999_999, Some(1_000_000_000)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Lengths {
    /// Words of `u64` per state.
    stride: usize,
    /// Bit `k` of a state's words: length `k` is possible, for `k` below `preperiod + period`.
    bits: Box<[u64]>,
    /// From `preperiod` on, the sets of all states repeat every `period` lengths.
    preperiod: u64,
    period: u64,
}

impl Lengths {
    /// Whether some string of `n` code points, `min <= n <= max`, is accepted from `state`.
    ///
    /// The cost depends on the automaton alone, not on `min` and `max`.
    pub fn can_finish(&self, state: StateId, min: u64, max: Option<u64>) -> bool {
        self.shortest(state, min)
            .is_some_and(|length| max.is_none_or(|max| length <= max))
    }

    /// The least number of code points, not below `min`, of a string accepted from `state`.
    pub fn shortest(&self, state: StateId, min: u64) -> Option<u64> {
        let known = self.preperiod + self.period;
        // Whole periods are skipped: `min` becomes the same place among the lengths on record.
        let skipped = min.saturating_sub(self.preperiod) / self.period * self.period;
        let from = min - skipped;
        let found = self.find(state, from, known).or_else(|| {
            let again = self.find(state, self.preperiod, from)?;
            Some(again + self.period)
        })?;
        found.checked_add(skipped)
    }

    /// The least length on record in `from..to`.
    fn find(&self, state: StateId, from: u64, to: u64) -> Option<u64> {
        let words = &self.bits[state.index() * self.stride..][..self.stride];
        let mut at = from;
        while at < to {
            let rest = words[(at / 64) as usize] >> (at % 64);
            if rest != 0 {
                return Some(at + u64::from(rest.trailing_zeros())).filter(|&length| length < to);
            }
            at = (at / 64 + 1) * 64;
        }
        None
    }
}

impl Dfa {
    /// The lengths in code points of what each state accepts.
    ///
    /// # Errors
    ///
    /// Where the sets of lengths take too long to become periodic for [`Limits::automaton_states`].
    pub fn lengths(&self, limits: &Limits) -> Result<Lengths, LimitError> {
        let steps = Steps::new(self);
        // The states that accept some string of exactly k code points, for k = 0, 1, …
        let mut sets = vec![
            steps.close(
                self.states()
                    .filter(|&s| self.is_accepting(s))
                    .map(StateId::get),
            ),
        ];
        let mut seen: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        let mut work = 0;
        loop {
            let last = sets.len() - 1;
            let same_hash = seen.entry(hash(&sets[last])).or_default();
            if let Some(&before) = same_hash.iter().find(|&&k| sets[k] == sets[last]) {
                sets.pop();
                return Ok(Lengths::transpose(&sets, before, self.len()));
            }
            same_hash.push(last);
            work += sets[last].len() + 1;
            LimitError::check(
                "work to find the lengths of texts",
                work,
                limits.automaton_states << 8,
            )?;
            let longer = steps.before(&sets[last]);
            sets.push(longer);
        }
    }
}

impl Lengths {
    fn transpose(sets: &[Vec<u32>], preperiod: usize, states: usize) -> Self {
        let stride = sets.len().div_ceil(64);
        let mut bits = vec![0u64; stride * states];
        for (length, set) in sets.iter().enumerate() {
            for &state in set {
                bits[state as usize * stride + length / 64] |= 1 << (length % 64);
            }
        }
        let period = (sets.len() - preperiod) as u64;
        Self {
            stride,
            bits: bits.into(),
            preperiod: preperiod as u64,
            period,
        }
    }
}

/// The automaton backwards and with its bytes forgotten, save whether they start a code point.
struct Steps {
    /// Per state, the states that reach it by the first byte of a code point.
    starts: Vec<Vec<u32>>,
    /// Per state, the states that reach it by a continuation byte.
    continues: Vec<Vec<u32>>,
}

impl Steps {
    fn new(dfa: &Dfa) -> Self {
        let mut steps = Self {
            starts: vec![Vec::new(); dfa.len()],
            continues: vec![Vec::new(); dfa.len()],
        };
        for state in dfa.states() {
            for (lo, hi, target) in dfa.ranges(state) {
                if (lo..=hi).any(|byte| !is_continuation(byte)) {
                    steps.starts[target.index()].push(state.get());
                }
                if lo <= 0xBF && hi >= 0x80 {
                    steps.continues[target.index()].push(state.get());
                }
            }
        }
        for sources in steps.starts.iter_mut().chain(&mut steps.continues) {
            sources.dedup();
        }
        steps
    }

    /// The given states and those that reach them by continuation bytes, ascending.
    fn close(&self, states: impl Iterator<Item = u32>) -> Vec<u32> {
        let mut set: Vec<u32> = states.collect();
        let mut member = vec![false; self.starts.len()];
        set.retain(|&state| !std::mem::replace(&mut member[state as usize], true));
        let mut at = 0;
        while at < set.len() {
            for &source in &self.continues[set[at] as usize] {
                if !std::mem::replace(&mut member[source as usize], true) {
                    set.push(source);
                }
            }
            at += 1;
        }
        set.sort_unstable();
        set
    }

    /// The states that accept a string of one code point more than those of `set` do.
    fn before(&self, set: &[u32]) -> Vec<u32> {
        self.close(
            set.iter()
                .flat_map(|&state| self.starts[state as usize].iter().copied()),
        )
    }
}

fn hash(set: &[u32]) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    set.hash(&mut hasher);
    hasher.finish()
}
