//! How many code points the texts may have that are accepted from a state.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

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

    /// Whether a state that accepts a string of some length accepts longer ones of every length,
    /// for all live states.
    pub(crate) fn are_upward_closed(&self) -> bool {
        let known = self.preperiod + self.period;
        self.bits.chunks_exact(self.stride).all(|words| {
            let has = |length: u64| words[(length / 64) as usize] >> (length % 64) & 1 == 1;
            (0..known)
                .find(|&length| has(length))
                .is_none_or(|least| (least..known).all(has))
        })
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
    /// The least length, in code points, of a string that is accepted.
    pub(crate) fn shortest_length(&self) -> Option<u32> {
        let mut known = vec![false; self.len()];
        let mut pending = VecDeque::from([(self.start(), 0)]);
        while let Some((state, length)) = pending.pop_front() {
            if std::mem::replace(&mut known[state.index()], true) {
                continue;
            }
            if self.is_accepting(state) {
                return Some(length);
            }
            for (lo, hi, target) in self.ranges(state) {
                if may_start(lo, hi) {
                    pending.push_back((target, length + 1));
                }
                if may_continue(lo, hi) {
                    pending.push_front((target, length));
                }
            }
        }
        None
    }

    /// The lengths in code points of what each state accepts.
    ///
    /// # Errors
    ///
    /// Where the sets of lengths take too long to become periodic for [`Limits::automaton_states`].
    pub fn lengths(&self, limits: &Limits) -> Result<Lengths, LimitError> {
        let mut work = Work {
            limits,
            done: 0,
            allowed: limits.automaton_states.saturating_mul(WORK_PER_STATE),
        };
        let mut graph = Graph::new(self);
        let mut met_from = vec![None; graph.place_of.len()];
        for state in self.states() {
            let (ends, met) = graph.after_continuation(self, state, &mut met_from);
            work.charge(met)?;
            graph.ends.push(ends);
        }
        let sources = graph.sources(self);
        // The places that accept some string of exactly k code points, for k = 0, 1, …
        let accepting = |&place: &u32| self.is_accepting(graph.places[place as usize]);
        let mut sets: Vec<Vec<u32>> =
            vec![(0..graph.places.len() as u32).filter(accepting).collect()];
        let mut seen: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        loop {
            let last = sets.len() - 1;
            let same_hash = seen.entry(hash(&sets[last])).or_default();
            if let Some(&before) = same_hash.iter().find(|&&k| sets[k] == sets[last]) {
                sets.pop();
                return Ok(Lengths::transpose(&sets, before, &graph));
            }
            same_hash.push(last);
            let mut member = vec![false; graph.places.len()];
            work.charge(graph.places.len() + 1)?;
            for &place in &sets[last] {
                work.charge(sources[place as usize].len())?;
                for &source in &sources[place as usize] {
                    member[source as usize] = true;
                }
            }
            sets.push(
                (0..)
                    .zip(member)
                    .filter(|&(_, member)| member)
                    .map(|(p, _)| p)
                    .collect(),
            );
        }
    }
}

/// How many edges followed a state may be, so that huge periods meet the limit.
const WORK_PER_STATE: usize = 1024;

/// What a place in a set of lengths costs.
const STEPS_PER_PLACE: usize = 4;

struct Work<'l> {
    limits: &'l Limits,
    done: usize,
    allowed: usize,
}

impl Work<'_> {
    fn charge(&mut self, amount: usize) -> Result<(), LimitError> {
        self.done += amount;
        self.limits.charge(STEPS_PER_PLACE * amount)?;
        LimitError::check("work to find the lengths of texts", self.done, self.allowed)
    }
}

impl Lengths {
    fn transpose(sets: &[Vec<u32>], preperiod: usize, graph: &Graph) -> Self {
        let stride = sets.len().div_ceil(64);
        let mut of_places = vec![0u64; stride * graph.places.len()];
        for (length, set) in sets.iter().enumerate() {
            for &place in set {
                of_places[place as usize * stride + length / 64] |= 1 << (length % 64);
            }
        }
        let mut bits = vec![0u64; stride * graph.ends.len()];
        for (bits, places) in bits.chunks_exact_mut(stride).zip(&graph.ends) {
            for &place in places {
                let of_place = &of_places[place as usize * stride..][..stride];
                bits.iter_mut()
                    .zip(of_place)
                    .for_each(|(all, one)| *all |= one);
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

/// Some places of a graph, ascending: mostly few.
type Places = SmallVec<[u32; 4]>;

/// The automaton with its bytes forgotten, save whether they start a code point.
///
/// Its *places* are the states where a string may end or a code point may start: the length of a
/// string is the number of its steps from place to place.
struct Graph {
    places: Vec<StateId>,
    /// Per state, its number among the places.
    place_of: Vec<Option<u32>>,
    /// Per state, the places that continuation bytes (none included) lead to, ascending.
    ends: Vec<Places>,
}

impl Graph {
    fn new(dfa: &Dfa) -> Self {
        let mut graph = Self {
            places: Vec::new(),
            place_of: Vec::new(),
            ends: Vec::new(),
        };
        for state in dfa.states() {
            let starts = dfa.ranges(state).any(|(lo, hi, _)| may_start(lo, hi));
            let is_place = starts || dfa.is_accepting(state);
            graph
                .place_of
                .push(is_place.then_some(graph.places.len() as u32));
            graph.places.extend(is_place.then_some(state));
        }
        graph
    }

    /// The places that continuation bytes lead to from `state`, and how many states were met. `met_from` says of each
    /// state from which it was met last.
    fn after_continuation(
        &self,
        dfa: &Dfa,
        state: StateId,
        met_from: &mut [Option<StateId>],
    ) -> (Places, usize) {
        let mut met: SmallVec<[StateId; 8]> = smallvec![state];
        met_from[state.index()] = Some(state);
        let mut at = 0;
        while at < met.len() {
            for (lo, hi, target) in dfa.ranges(met[at]) {
                if may_continue(lo, hi) && met_from[target.index()].replace(state) != Some(state) {
                    met.push(target);
                }
            }
            at += 1;
        }
        let mut places: Places = met
            .iter()
            .filter_map(|s| self.place_of[s.index()])
            .collect();
        places.sort_unstable();
        (places, met.len())
    }

    /// Per place, the places from which one code point leads to it.
    fn sources(&self, dfa: &Dfa) -> Vec<Places> {
        let mut sources = vec![Places::new(); self.places.len()];
        for (place, &state) in (0..).zip(&self.places) {
            for (_, _, target) in dfa.ranges(state).filter(|&(lo, hi, _)| may_start(lo, hi)) {
                for &end in &self.ends[target.index()] {
                    let sources = &mut sources[end as usize];
                    if sources.last() != Some(&place) {
                        sources.push(place);
                    }
                }
            }
        }
        sources
    }
}

/// Whether some byte from `lo` to `hi` starts a code point.
fn may_start(lo: u8, hi: u8) -> bool {
    !(is_continuation(lo) && is_continuation(hi))
}

/// Whether some byte from `lo` to `hi` goes on with a code point.
fn may_continue(lo: u8, hi: u8) -> bool {
    lo <= 0xBF && hi >= 0x80
}

fn hash(set: &[u32]) -> u64 {
    use std::hash::{Hash, Hasher};
    let mut hasher = rustc_hash::FxHasher::default();
    set.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oracle knows all lengths of all states.
    #[test]
    fn the_shortest_length_is_the_least_of_all() {
        let limits = Limits::default();
        let patterns = [
            "^a?$",
            r"^\S+$",
            "^(aa|bbb){2,}$",
            "^(é{2}|a{3})$",
            "^[^a]{3}😀$",
            "x(yz)*",
            "^(?=..).*$",
            r"^[\u{7f}-\u{800}]{4}|\d{6}$",
            "^[]$",
        ];
        for pattern in patterns {
            let dfa = Dfa::pattern(pattern, &limits).unwrap();
            let lengths = dfa.lengths(&limits).unwrap();
            let least = lengths.shortest(dfa.start(), 0);
            assert_eq!(dfa.shortest_length().map(u64::from), least, "{pattern}");
        }
    }
}
