//! Languages whose texts nest in parentheses: an automaton for one level, a stack, and an automaton that
//! reads all of the text beside them.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::dfa::{Dfa, StateId};
use super::utf8::is_continuation;
use crate::base::{LimitError, Limits};

/// A language whose texts nest.
///
/// Where the automaton of one level reads U+0000, which is then no character of the language, a text has any
/// text of the level and a `)`. The automaton goes on after it in one of at most two states, so a
/// bit for each level tells what is open. The automaton beside it reads all of the text without regard to
/// levels. States are pairs of a state of the one and a state of the other.
#[derive(Clone, Debug)]
pub(crate) struct Nesting {
    level: Arc<Dfa>,
    beside: Arc<Dfa>,
    pairs: Vec<Pair>,
    start: u32,
    /// Where a level may end, the states of the automaton beside it: its exits.
    exits: Vec<Exit>,
    /// How many characters lead from each pair to each exit of its level, at least, with no level left to
    /// open, with one and so on; the last holds for more as well.
    ways: Vec<Ways>,
    is_upward_closed: bool,
}

#[derive(Clone, Debug)]
struct Pair {
    /// To pairs, ascending.
    edges: Vec<(u8, u8, u32)>,
    /// Where the body of a group begins, and which of the returns it has.
    group: Option<(u32, u32)>,
    exit: Option<u32>,
    /// Whether it lies within a character of several bytes.
    is_inside: bool,
}

#[derive(Clone, Debug)]
struct Exit {
    /// Whether the text may end here.
    is_end: bool,
    /// The pairs after a `)`, by return.
    after: [Option<u32>; 2],
}

/// By pair and exit, the least number of characters between them.
type Ways = Box<[u32]>;

/// Where one is in a text that nests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) state: StateId,
    /// A one, then for each open group, the innermost last, which of the returns it has.
    pub(crate) open: u32,
}

impl Place {
    /// The place after `bytes`, by the ranges that `visit` gives of a place; `None` where they lead nowhere.
    pub(super) fn after(
        self,
        bytes: &[u8],
        visit: impl Fn(Self, &mut dyn FnMut(u8, u8, Self)),
    ) -> Option<Self> {
        bytes.iter().try_fold(self, |place, &byte| {
            let mut next = None;
            visit(place, &mut |lo, hi, to| {
                if (lo..=hi).contains(&byte) {
                    next = Some(to);
                }
            });
            next
        })
    }
}

/// The byte that stands for the body of a group and its `)`.
const BODY: u8 = 0;
/// Nothing is open.
pub(crate) const OUTERMOST: u32 = 1;
/// So many groups are open that there may be no more.
const FULL: u32 = 1 << 31;
/// No way.
const NEVER: u32 = u32::MAX;

impl Nesting {
    /// The texts of which `level` is one level, among those of `beside`.
    pub(crate) fn new(
        level: Arc<Dfa>,
        beside: Arc<Dfa>,
        limits: &Limits,
    ) -> Result<Self, LimitError> {
        let mut found = Pairs::of(&level, &beside, limits)?;
        let exits = found.exits(&beside);
        let size = found.pairs.len().saturating_mul(exits.len());
        LimitError::check(
            "states of nested strings beside other conditions",
            size,
            limits.schema_states,
        )?;
        let start = 0;
        let mut nesting = Self {
            level,
            beside,
            pairs: found.pairs,
            start,
            exits,
            ways: Vec::new(),
            is_upward_closed: false,
        };
        nesting.find_ways();
        nesting.is_upward_closed = nesting.pairs.iter().all(|pair| {
            let ends = |pair: &Pair| {
                pair.exit
                    .is_some_and(|exit| nesting.exits[exit as usize].is_end)
            };
            let mut longer = pair.edges.iter().filter(|(lo, ..)| lo.is_ascii());
            !ends(pair) || longer.any(|&(.., to)| ends(&nesting.pairs[to as usize]))
        });
        Ok(nesting)
    }

    /// The automaton of one level.
    pub(crate) fn level(&self) -> &Arc<Dfa> {
        &self.level
    }

    /// The automaton that reads all of a text.
    pub(crate) fn beside(&self) -> &Arc<Dfa> {
        &self.beside
    }

    /// Whether there is no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest(self.start()).is_none()
    }

    /// Whether there are texts of all lengths, from the shortest on, wherever one is.
    pub(crate) fn is_upward_closed(&self) -> bool {
        self.is_upward_closed
    }

    /// Where texts begin.
    pub(crate) fn start(&self) -> Place {
        Place {
            state: StateId::new(self.start),
            open: OUTERMOST,
        }
    }

    /// Whether a text may end at `place`.
    pub(crate) fn ends(&self, place: Place) -> bool {
        let exit = self.pairs[place.state.index()].exit;
        place.open == OUTERMOST && exit.is_some_and(|exit| self.exits[exit as usize].is_end)
    }

    /// Whether `place` lies within a character of several bytes.
    pub(crate) fn is_inside(&self, place: Place) -> bool {
        self.pairs[place.state.index()].is_inside
    }

    /// The language as an automaton alone, where no text has a group; `None` where the automaton beside it lets
    /// some have one.
    pub(crate) fn flat(&self, limits: &Limits) -> Result<Option<Dfa>, LimitError> {
        // Each group ends so.
        let flat = Dfa::text_without(&[b")"], limits)?;
        if !self.beside.is_subset(&flat, limits)? {
            return Ok(None);
        }
        let bodiless = Dfa::text_without(&[&[BODY]], limits)?;
        let both = self.level.intersect(&self.beside, limits)?;
        both.intersect(&bodiless, limits).map(Some)
    }

    /// The bytes that lead on from `place`, as ranges with both ends included, in no order. From where they
    /// lead there need be no [way](Nesting::rest) to an end.
    pub(crate) fn visit(&self, place: Place, visit: &mut dyn FnMut(u8, u8, Place)) {
        let to = |state: u32, open| Place {
            state: StateId::new(state),
            open,
        };
        let pair = &self.pairs[place.state.index()];
        for &(lo, hi, next) in &pair.edges {
            visit(lo, hi, to(next, place.open));
        }
        if let Some((body, back)) = pair.group
            && place.open < FULL
        {
            self.visit(to(body, place.open << 1 | back), visit);
        }
        if let Some(exit) = pair.exit
            && place.open > OUTERMOST
            && let Some(after) = self.exits[exit as usize].after[place.open as usize & 1]
        {
            visit(b')', b')', to(after, place.open >> 1));
        }
    }

    /// How many characters must follow; within a character, that one is not counted. `None` where no text can
    /// be completed.
    pub(crate) fn rest(&self, place: Place) -> Option<u32> {
        let Place { state, mut open } = place;
        let mut left = open.leading_zeros() as usize;
        let mut here: SmallVec<[u32; 4]> = self.ways(left, state.get()).into();
        while open > OUTERMOST {
            left += 1;
            let mut next: SmallVec<[u32; 4]> = SmallVec::from_elem(NEVER, here.len());
            for (exit, &way) in self.exits.iter().zip(&here) {
                let Some(after) = exit.after[open as usize & 1].filter(|_| way != NEVER) else {
                    continue;
                };
                for (next, &onward) in next.iter_mut().zip(self.ways(left, after)) {
                    *next = (*next).min(onward.saturating_add(way + 1));
                }
            }
            here = next;
            open >>= 1;
        }
        let ends = self.exits.iter().zip(here).filter(|(exit, _)| exit.is_end);
        ends.map(|(_, way)| way).min().filter(|&way| way != NEVER)
    }

    /// No place has more characters that must follow.
    pub(crate) fn greatest_rest(&self) -> u32 {
        let known = self.ways.iter().flatten().filter(|&&way| way != NEVER);
        let greatest = known.max().map_or(0, |&way| way + 1);
        greatest.saturating_mul(u32::BITS)
    }

    /// The place after `bytes`; `None` where they lead nowhere.
    pub(crate) fn run(&self, place: Place, bytes: &[u8]) -> Option<Place> {
        place.after(bytes, |place, visit| self.visit(place, visit))
    }

    /// Whether `text` is in the language.
    pub(crate) fn contains(&self, text: &str) -> bool {
        let end = self.run(self.start(), text.as_bytes());
        end.is_some_and(|end| self.ends(end))
    }

    /// The ways from a pair to the exits with so many levels left to open.
    fn ways(&self, left: usize, pair: u32) -> &[u32] {
        let ways = &self.ways[left.min(self.ways.len() - 1)];
        &ways[pair as usize * self.exits.len()..][..self.exits.len()]
    }

    /// Finds the ways, until one more level makes none shorter.
    fn find_ways(&mut self) {
        let exits = self.exits.len();
        let mut before: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.pairs.len()];
        for (from, pair) in (0u32..).zip(&self.pairs) {
            for &(lo, _, to) in &pair.edges {
                let step = (from, u32::from(!is_continuation(lo)));
                let before = &mut before[to as usize];
                if !before.contains(&step) {
                    before.push(step);
                }
            }
        }
        let mut ways = vec![NEVER; self.pairs.len() * exits];
        for (pair, ways) in self.pairs.iter().zip(ways.chunks_mut(exits.max(1))) {
            if let Some(exit) = pair.exit {
                ways[exit as usize] = 0;
            }
        }
        shorten(&before, &mut ways, exits);
        self.ways.push(ways.into());
        for left in 1..u32::BITS as usize {
            // With one more level, groups lead on as bytes do.
            let mut all = before.clone();
            for (from, pair) in (0u32..).zip(&self.pairs) {
                let Some((body, back)) = pair.group else {
                    continue;
                };
                for (exit, &way) in self.exits.iter().zip(self.ways(left - 1, body)) {
                    let after = exit.after[back as usize].filter(|_| way != NEVER);
                    if let Some(after) = after {
                        all[after as usize].push((from, way + 1));
                    }
                }
            }
            let mut ways = self.ways[left - 1].to_vec();
            shorten(&all, &mut ways, exits);
            if ways[..] == self.ways[left - 1][..] {
                break;
            }
            self.ways.push(ways.into());
        }
    }
}

/// Makes ways as short as the steps that lead to each pair let them be.
fn shorten(before: &[Vec<(u32, u32)>], ways: &mut [u32], exits: usize) {
    let mut queue: VecDeque<usize> = (0..before.len()).rev().collect();
    let mut is_queued = vec![true; before.len()];
    while let Some(to) = queue.pop_front() {
        is_queued[to] = false;
        for &(from, step) in &before[to] {
            let from = from as usize;
            let mut is_shorter = false;
            for exit in 0..exits {
                let way = ways[to * exits + exit].saturating_add(step);
                let known = &mut ways[from * exits + exit];
                if way < *known {
                    *known = way;
                    is_shorter = true;
                }
            }
            if is_shorter && !std::mem::replace(&mut is_queued[from], true) {
                queue.push_back(from);
            }
        }
    }
}

/// The pairs of states that texts may lead to, in the making.
struct Pairs {
    numbers: FxHashMap<(StateId, StateId), u32>,
    keys: Vec<(StateId, StateId)>,
    pairs: Vec<Pair>,
    /// Where a level goes on after a group.
    returns: SmallVec<[StateId; 2]>,
    /// The states beside a level that may end.
    exits: Vec<StateId>,
}

impl Pairs {
    fn of(level: &Dfa, beside: &Dfa, limits: &Limits) -> Result<Self, LimitError> {
        let mut found = Self {
            numbers: FxHashMap::default(),
            keys: Vec::new(),
            pairs: Vec::new(),
            returns: returns(level),
            exits: Vec::new(),
        };
        found.number((level.start(), beside.start()));
        while let Some(&key) = found.keys.get(found.pairs.len()) {
            let pair = found.pair(level, beside, key);
            found.pairs.push(pair);
            LimitError::check(
                "states of nested strings beside other conditions",
                found.keys.len(),
                limits.schema_states,
            )?;
        }
        Ok(found)
    }

    fn number(&mut self, key: (StateId, StateId)) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() as u32 - 1
        })
    }

    fn pair(&mut self, level: &Dfa, beside: &Dfa, (state, other): (StateId, StateId)) -> Pair {
        let mut pair = Pair {
            edges: Vec::new(),
            group: None,
            exit: None,
            is_inside: false,
        };
        for (lo, hi, to) in level.ranges(state) {
            if lo == BODY {
                let back = self.returns.iter().position(|&state| state == to);
                let back = back.expect("all returns are known") as u32;
                pair.group = Some((self.number((level.start(), other)), back));
                continue;
            }
            for (least, most, next) in beside.ranges(other) {
                let (lo, hi) = (lo.max(least), hi.min(most));
                if lo <= hi {
                    pair.edges.push((lo, hi, self.number((to, next))));
                }
            }
        }
        if level.is_accepting(state) {
            let known = self.exits.iter().position(|&exit| exit == other);
            let exit = known.unwrap_or_else(|| {
                self.exits.push(other);
                self.exits.len() - 1
            });
            pair.exit = Some(exit as u32);
            // Any group may be the one that ends.
            let after = beside.next(other, b')');
            if known.is_none() && beside.is_live(after) {
                for back in self.returns.clone() {
                    self.number((back, after));
                }
            }
        } else {
            let first = level.ranges(state).next();
            pair.is_inside = first.is_some_and(|(lo, ..)| is_continuation(lo));
        }
        pair
    }

    fn exits(&mut self, beside: &Dfa) -> Vec<Exit> {
        let exits = self.exits.iter().map(|&state| {
            let after = beside.next(state, b')');
            let pair = |index: usize| {
                let back = *self.returns.get(index)?;
                self.numbers.get(&(back, after)).copied()
            };
            Exit {
                is_end: beside.is_accepting(state),
                after: [pair(0), pair(1)],
            }
        });
        exits.collect()
    }
}

/// Where a level goes on after a group.
fn returns(level: &Dfa) -> SmallVec<[StateId; 2]> {
    let mut returns: SmallVec<[StateId; 2]> = SmallVec::new();
    for state in level.states() {
        for (lo, _, to) in level.ranges(state) {
            if lo == BODY && !returns.contains(&to) {
                returns.push(to);
            }
        }
    }
    debug_assert!(returns.len() <= 2, "a bit tells returns apart");
    returns
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nesting(level: &str, beside: &str) -> Nesting {
        let limits = Limits::default();
        let [level, beside] =
            [level, beside].map(|pattern| Arc::new(Dfa::regex_full(pattern, &limits).unwrap()));
        Nesting::new(level, beside, &limits).unwrap()
    }

    fn deep(depth: usize) -> String {
        "(".repeat(depth) + &")".repeat(depth)
    }

    #[test]
    fn groups_nest_and_tell_how_they_began() {
        // After `<…)` there must be a `!`.
        let nesting = nesting(r"(?:a|\(\0|<\0!)*", "[^]*");
        for text in ["", "a", "()", "a(a(<a)!)a)", "<(<)!))!", &deep(31)] {
            assert!(nesting.contains(text), "{text}");
        }
        for text in [
            "(",
            ")",
            "(()",
            "())",
            "<)",
            "(<)!",
            "<()!)",
            "\0",
            "(a\0",
            &deep(32),
        ] {
            assert!(!nesting.contains(text), "{text}");
        }
    }

    /// Each text over a few characters, by the definition of both conditions, and the way to the end from each
    /// of its beginnings.
    #[test]
    fn beside_another_condition_there_are_the_texts_of_both() {
        let limits = Limits::default();
        let level = r"(?:[aé]|\(\0|<\0!)*";
        for beside in [
            "[^]*a[^]*",
            r"\(.*\)",
            "[^]{0,4}",
            "(..)*",
            "[^(]*",
            "[^]{3,}",
            r"(\(\()*[^(]*",
        ] {
            let both = nesting(level, beside);
            let alone = nesting(level, "[^]*");
            let other = Dfa::regex_full(beside, &limits).unwrap();
            let mut texts = vec![String::new()];
            let mut all = Vec::new();
            for _ in 0..6 {
                all.extend(
                    texts
                        .iter()
                        .filter(|text| {
                            let expect = alone.contains(text) && other.contains(text.as_bytes());
                            assert_eq!(both.contains(text), expect, "{beside}: {text}");
                            expect
                        })
                        .cloned(),
                );
                texts = texts
                    .iter()
                    .flat_map(|text| "aé(<)!".chars().map(move |c| format!("{text}{c}")))
                    .filter(|text| both.run(both.start(), text.as_bytes()).is_some())
                    .collect();
            }
            let prefixes = texts.iter().filter(|text| text.chars().count() <= 3);
            for prefix in prefixes.chain(&all) {
                let place = both.run(both.start(), prefix.as_bytes()).unwrap();
                let longer = all
                    .iter()
                    .filter_map(|text| text.strip_prefix(prefix.as_str()));
                let least = longer.map(|rest| rest.chars().count() as u32).min();
                if let Some(least) = least {
                    assert_eq!(both.rest(place), Some(least), "{beside}: {prefix}");
                }
            }
        }
    }

    #[test]
    fn there_is_no_way_into_more_groups_than_may_be_open() {
        // As many `(` as one likes, and a `)` for each; and no fewer than so many.
        let least = |count: usize| nesting(r"(?:a|\(\0)*", &format!(r"\({{{count}}}[^]*"));
        assert!(!least(31).is_empty());
        assert!(least(32).is_empty());
        let full = nesting(r"(?:a|\(\0)*", "[^]*a");
        let place = full.run(full.start(), "(".repeat(31).as_bytes()).unwrap();
        assert_eq!(full.rest(place), Some(32));
        let deeper = full.run(place, b"(").unwrap();
        assert_eq!(full.rest(deeper), None);
        assert!(nesting(r"(?:a|\(\0)*", "b").is_empty());
    }

    #[test]
    fn what_has_no_group_is_flat() {
        let limits = Limits::default();
        let of = |pattern| Dfa::regex_full(pattern, &limits).unwrap();
        let flat = |other| nesting(r"(?:[ab]|\(\0)*", other).flat(&limits).unwrap();
        assert_eq!(flat("a[^)]*|c"), Some(of("a[ab]*")));
        assert_eq!(flat(r"a\0?b|\(\0?"), Some(of("ab")));
        assert_eq!(flat("[^]*"), None);
        assert_eq!(flat("[^b]{0,3}"), None);
    }
}
