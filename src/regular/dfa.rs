//! The automaton and the questions about its language.

use rustc_hash::FxHashMap;

use crate::base::{ByteSet, define_id};

define_id! {
    /// A state of a [`Dfa`].
    pub StateId
}

/// A deterministic automaton over bytes.
///
/// It is total: where no edge leads on, [`Dfa::next`] goes to [`Dfa::DEAD`], from which nothing is
/// accepted. It is trimmed: from every other state something is. It is minimal and its states are
/// numbered breadth-first by ascending bytes, so equal languages give equal automata.
///
/// ```
/// use maskwright::{base::Limits, regular::Dfa};
/// let hex = Dfa::pattern("^[0-9a-f]+$", &Limits::default())?;
/// assert!(hex.contains(b"c0ffee") && !hex.contains(b"tea"));
/// assert_eq!(hex.witness().as_deref(), Some(&b"0"[..]));
/// # Ok::<(), maskwright::regular::PatternError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Dfa {
    pub(super) start: u32,
    /// Per state, where its edges end in `edges`; they begin where those of the state before end.
    pub(super) ends: Box<[u32]>,
    /// Ascending, disjoint and merged per state; never to the dead state.
    pub(super) edges: Box<[Edge]>,
    pub(super) accepting: Box<[bool]>,
}

/// On the bytes from `lo` to `hi`, both included, go to `target`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Edge {
    pub(super) lo: u8,
    pub(super) hi: u8,
    pub(super) target: u32,
}

impl Dfa {
    /// The state from which nothing is accepted.
    pub const DEAD: StateId = StateId::new(0);

    /// The state before the first byte.
    #[inline]
    pub fn start(&self) -> StateId {
        StateId::new(self.start)
    }

    /// The state after `byte`.
    #[inline]
    pub fn next(&self, state: StateId, byte: u8) -> StateId {
        let edges = self.edges_of(state.get());
        let at = if edges.len() <= 8 {
            edges
                .iter()
                .position(|e| byte <= e.hi)
                .unwrap_or(edges.len())
        } else {
            edges.partition_point(|e| e.hi < byte)
        };
        match edges.get(at) {
            Some(edge) if edge.lo <= byte => StateId::new(edge.target),
            _ => Self::DEAD,
        }
    }

    /// The state after `bytes`.
    pub fn run(&self, state: StateId, bytes: &[u8]) -> StateId {
        bytes
            .iter()
            .fold(state, |state, &byte| self.next(state, byte))
    }

    /// Whether the string read so far is accepted.
    #[inline]
    pub fn is_accepting(&self, state: StateId) -> bool {
        self.accepting[state.index()]
    }

    /// Whether something is accepted from `state`.
    #[inline]
    pub(crate) fn is_live(&self, state: StateId) -> bool {
        state != Self::DEAD
    }

    /// The number of states, the dead one included.
    #[allow(clippy::len_without_is_empty)] // `is_empty` is about the language.
    pub fn len(&self) -> usize {
        self.accepting.len()
    }

    /// The bytes that its texts have.
    pub(crate) fn bytes_read(&self) -> ByteSet {
        let mut bytes = ByteSet::new();
        let edges = self.states().flat_map(|state| self.ranges(state));
        edges.for_each(|(lo, hi, _)| bytes.insert_range(lo, hi));
        bytes
    }

    /// The states, the dead one included, in ascending order.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        (0..self.accepting.len()).map(StateId::from_usize)
    }

    /// The bytes that lead on from `state` as `(lo, hi, target)`, both ends included: live targets
    /// only, maximal, ascending.
    pub fn ranges(&self, state: StateId) -> impl ExactSizeIterator<Item = (u8, u8, StateId)> + '_ {
        self.edges_of(state.get())
            .iter()
            .map(|e| (e.lo, e.hi, StateId::new(e.target)))
    }

    /// Whether infinitely many strings are accepted from every live state: one always goes on.
    pub(crate) fn is_endless(&self) -> bool {
        self.states()
            .all(|state| !self.is_live(state) || self.ranges(state).len() > 0)
    }

    /// Whether the language is empty.
    pub fn is_empty(&self) -> bool {
        self.start == 0
    }

    /// Whether `bytes` is accepted.
    pub fn contains(&self, bytes: &[u8]) -> bool {
        self.is_accepting(self.run(self.start(), bytes))
    }

    /// The first of the shortest accepted strings (shortest in bytes), or `None` where there is none.
    pub fn witness(&self) -> Option<Vec<u8>> {
        self.witness_from(self.start())
    }

    /// The first of the shortest strings accepted from `state`.
    pub fn witness_from(&self, state: StateId) -> Option<Vec<u8>> {
        let mut came: FxHashMap<u32, (u32, u8)> = FxHashMap::default();
        let mut queue = std::collections::VecDeque::from([state.get()]);
        while let Some(at) = queue.pop_front() {
            if self.accepting[at as usize] {
                let mut bytes = Vec::new();
                let mut at = at;
                while at != state.get() {
                    let (before, byte) = came[&at];
                    bytes.push(byte);
                    at = before;
                }
                bytes.reverse();
                return Some(bytes);
            }
            for edge in self.edges_of(at) {
                if edge.target != state.get() && !came.contains_key(&edge.target) {
                    came.insert(edge.target, (at, edge.lo));
                    queue.push_back(edge.target);
                }
            }
        }
        None
    }

    /// All accepted strings in ascending order, or `None` where there are more than `most`.
    pub fn members(&self, most: usize) -> Option<Vec<Vec<u8>>> {
        let mut members = Vec::new();
        let mut path = Vec::new();
        // What is still to visit: a state and the path's length and last byte there.
        let mut stack = vec![(self.start, 0, 0)];
        while let Some((state, length, last)) = stack.pop() {
            // A path longer than the other live states are many has met a state twice.
            if length + 1 >= self.len().max(2) || members.len() > most {
                return None;
            }
            path.truncate(length.saturating_sub(1));
            path.resize(length, last);
            if self.accepting[state as usize] {
                members.push(path.clone());
            }
            for edge in self.edges_of(state).iter().rev() {
                stack.extend(
                    (edge.lo..=edge.hi)
                        .rev()
                        .map(|b| (edge.target, length + 1, b)),
                );
            }
        }
        (members.len() <= most).then_some(members)
    }

    /// How many strings are accepted, if no more than `most`.
    pub fn count(&self, most: usize) -> Option<usize> {
        let mut counts: Vec<Option<usize>> = vec![None; self.len()];
        let mut open = vec![false; self.len()];
        // States to enter, and those to leave once all they lead to are counted.
        let mut stack = vec![(self.start, false)];
        while let Some((state, leaves)) = stack.pop() {
            let index = state as usize;
            if leaves {
                let mut count = usize::from(self.accepting[index]);
                for edge in self.edges_of(state) {
                    let ahead = counts[edge.target as usize].unwrap_or_default();
                    let width = usize::from(edge.hi - edge.lo) + 1;
                    count = count.saturating_add(ahead.saturating_mul(width));
                }
                if count > most {
                    return None;
                }
                counts[index] = Some(count);
            } else if counts[index].is_none() {
                // A state that leads to itself leads to an end as often as one likes.
                if std::mem::replace(&mut open[index], true) {
                    return None;
                }
                stack.push((state, true));
                stack.extend(self.edges_of(state).iter().map(|edge| (edge.target, false)));
            }
        }
        counts[self.start as usize]
    }

    #[inline]
    pub(super) fn edges_of(&self, state: u32) -> &[Edge] {
        let state = state as usize;
        let begin = if state == 0 { 0 } else { self.ends[state - 1] };
        &self.edges[begin as usize..self.ends[state] as usize]
    }
}
