//! Patterns that count: a position of the pattern, and beside it how often each repetition around it has begun.
//!
//! That takes no more room for a thousand repetitions than for three. It works where the next character
//! always tells which position is next and which repetitions go on, begin anew or end: so there is one position at
//! a time, and from each the text can be completed.

use smallvec::SmallVec;

use super::alphabet::Alphabet;
use super::ast::{Node, Sets};
use super::positions::{Chain, Counter, Counting, Positions, Round, Step};
use super::spans::{Span, Spans};
use super::spell::{Arc, To, Tree};
use crate::base::ByteSet;
use crate::regular::dfa::StateId;
use crate::regular::nesting::Place;

/// A language of texts that are told by positions and counters.
#[derive(Debug)]
pub(crate) struct Counted {
    /// The bytes of UTF-8 that lead to a class of characters; the first stands between characters.
    nodes: Vec<Node8>,
    /// The first stands before all of the text.
    positions: Vec<Position>,
    counters: Vec<Counter>,
    /// Per counter, how many characters one round may have.
    rounds: Vec<Span>,
    /// The most lengths in a row that no text has, between two that some have.
    gap: u64,
}

/// A node of the tree of UTF-8.
#[derive(Debug)]
struct Node8 {
    arcs: Vec<Arc>,
    /// The classes that it leads to.
    below: Vec<u32>,
}

#[derive(Debug)]
struct Position {
    chain: Chain,
    steps: Vec<Step>,
    /// Per class, the steps that it may take.
    by_class: Vec<SmallVec<[u16; 2]>>,
    is_last: bool,
    /// How many characters may follow, further rounds of the counters around it apart.
    rest: Span,
}

/// How often the repetitions around a position have begun.
type Counts = SmallVec<[u32; 2]>;

impl Counted {
    /// The texts that `node` matches as a whole; `None` where they are not told in this way.
    pub(super) fn new(node: &Node, sets: &Sets) -> Option<Self> {
        let found = Positions::of(node, Counting::Counters)?;
        let spans = Spans::of(node, found.sets.len(), found.counters.len());
        let alphabet = Alphabet::new(&sets.list);
        let tree = Tree::new(&alphabet);
        let classes = |set: u32| &alphabet.classes_of[set as usize];
        if found.sets.iter().any(|&set| classes(set).is_empty()) {
            return None;
        }
        let by_class = |steps: &[Step]| {
            let mut by_class = vec![SmallVec::new(); alphabet.len as usize];
            for (index, step) in (0u16..).zip(steps) {
                for &class in classes(found.sets[step.to as usize - 1]) {
                    by_class[class as usize].push(index);
                }
            }
            by_class
        };
        // The start stands before the others.
        let shifted = |step: &Step| Step {
            to: step.to + 1,
            ..*step
        };
        let first = found.first.iter().map(|&to| Step {
            to: to + 1,
            kept: 0,
            round: Round::Same,
        });
        let first: Vec<Step> = first.collect();
        let mut positions = vec![Position {
            chain: Chain::new(),
            by_class: by_class(&first),
            steps: first,
            is_last: found.is_nullable,
            rest: spans.whole,
        }];
        for (index, steps) in found.steps.iter().enumerate() {
            let steps: Vec<Step> = steps.iter().map(shifted).collect();
            positions.push(Position {
                chain: found.chains[index].clone(),
                by_class: by_class(&steps),
                steps,
                is_last: found.last.contains(&(index as u32)),
                rest: spans.after[index],
            });
        }
        let counted = Self {
            nodes: nodes(&tree),
            positions,
            counters: found.counters,
            rounds: spans.rounds,
            gap: spans.gap,
        };
        (counted.fits() && counted.is_told()).then_some(counted)
    }

    /// Whether counters and positions can be numbers of 32 bits.
    fn fits(&self) -> bool {
        let states = self.positions.len() as u64 * self.nodes.len() as u64;
        let fits = |position: &Position| {
            let bases = position.chain.iter().map(|&counter| self.base(counter));
            let product = bases.fold(1u64, u64::saturating_mul);
            product <= u64::from(u32::MAX)
        };
        states <= u64::from(u32::MAX) && self.positions.iter().all(fits)
    }

    /// Whether each character takes one step at most, wherever one is.
    fn is_told(&self) -> bool {
        self.positions.iter().all(|position| {
            position.by_class.iter().all(|steps| {
                let pairs =
                    (0..steps.len()).flat_map(|a| (a + 1..steps.len()).map(move |b| (a, b)));
                let steps = |(a, b)| [a, b].map(|at: usize| position.steps[steps[at] as usize]);
                pairs
                    .map(steps)
                    .all(|[a, b]| self.excludes(position, a, b) || self.excludes(position, b, a))
            })
        })
    }

    /// Whether `again` begins another round of a repetition that `out` may only leave when there is none.
    fn excludes(&self, position: &Position, again: Step, out: Step) -> bool {
        let depth = again.kept as usize;
        let leaves = (out.kept as usize) < depth + usize::from(out.round == Round::Same)
            && out.kept as usize <= depth;
        let Some(&counter) = position.chain.get(depth) else {
            return false;
        };
        let counter = self.counters[counter as usize];
        again.round == Round::Next && leaves && counter.max == Some(counter.min)
    }

    /// One more than the largest number that a counter has; see [`Counted::free`].
    fn base(&self, counter: u32) -> u64 {
        let Counter { min, max } = self.counters[counter as usize];
        u64::from(max.unwrap_or(min)) + 2
    }

    /// What a counter has that is beyond its minimum and has no maximum.
    fn free(&self, counter: u32) -> u32 {
        (self.base(counter) - 1) as u32
    }

    fn counts(&self, position: &Position, mut packed: u32) -> Counts {
        let mut counts: Counts = SmallVec::from_elem(0, position.chain.len());
        for (count, &counter) in counts.iter_mut().zip(&position.chain).rev() {
            let base = self.base(counter) as u32;
            *count = packed % base;
            packed /= base;
        }
        counts
    }

    fn packed(&self, position: &Position, counts: &[u32]) -> u32 {
        let all = counts.iter().zip(&position.chain);
        all.fold(0, |packed, (&count, &counter)| {
            packed * self.base(counter) as u32 + count
        })
    }

    /// Whether a counter may be left.
    fn is_enough(&self, counter: u32, count: u32) -> bool {
        count >= self.counters[counter as usize].min
    }

    /// The counters after `step`, if they let it be taken.
    fn after(&self, position: &Position, counts: &[u32], step: Step) -> Option<Counts> {
        let kept = step.kept as usize;
        let mut after: Counts = SmallVec::from_slice(&counts[..kept]);
        let mut left = kept;
        if step.round == Round::Next {
            let counter = position.chain[kept];
            let free = self.free(counter);
            let Counter { min, max } = self.counters[counter as usize];
            let count = counts[kept];
            after.push(match max {
                Some(max) if count == max => return None,
                _ if count == free => free,
                // Beyond the minimum nothing is counted where there is no maximum.
                None => (count + 1).min(min),
                Some(_) => count + 1,
            });
            left += 1;
        }
        let leaving = position.chain[left..].iter().zip(&counts[left..]);
        for (&counter, &count) in leaving {
            if !self.is_enough(counter, count) {
                return None;
            }
        }
        let entered = self.positions[step.to as usize].chain.len();
        after.resize(entered, 1);
        Some(after)
    }

    fn parts(&self, place: Place) -> (&Position, usize, u32) {
        let nodes = self.nodes.len() as u32;
        let (position, node) = (place.state.get() / nodes, place.state.get() % nodes);
        (&self.positions[position as usize], node as usize, position)
    }

    fn place(&self, position: u32, node: usize, open: u32) -> Place {
        let state = position as usize * self.nodes.len() + node;
        Place {
            state: StateId::from_usize(state),
            open,
        }
    }

    /// Where texts begin.
    pub(crate) fn start(&self) -> Place {
        self.place(0, 0, 0)
    }

    /// Where each class leads from `place`, which is between characters or within one.
    fn targets(&self, place: Place, classes: &[u32]) -> SmallVec<[Option<Place>; 8]> {
        let (position, ..) = self.parts(place);
        let counts = self.counts(position, place.open);
        let taken = position.steps.iter().map(|&step| {
            let counts = self.after(position, &counts, step)?;
            let open = self.packed(&self.positions[step.to as usize], &counts);
            Some(self.place(step.to, 0, open))
        });
        let taken: SmallVec<[Option<Place>; 4]> = taken.collect();
        let target = |&class: &u32| {
            let mut steps = position.by_class[class as usize].iter();
            steps.find_map(|&step| taken[step as usize])
        };
        classes.iter().map(target).collect()
    }

    /// The bytes that lead on from `place`, as ranges with both ends included, ascending.
    pub(crate) fn visit(&self, place: Place, visit: &mut dyn FnMut(u8, u8, Place)) {
        let (_, node, number) = self.parts(place);
        let node = &self.nodes[node];
        let targets = self.targets(place, &node.below);
        let of_class = |class: u32| {
            let at = node.below.binary_search(&class).ok()?;
            targets[at]
        };
        let mut last: Option<(u8, u8, Place)> = None;
        for arc in &node.arcs {
            let to = match arc.to {
                To::Class(class) => of_class(class),
                To::Node(inner) => {
                    let mut below = self.nodes[inner as usize].below.iter();
                    let leads_on = below.any(|&class| of_class(class).is_some());
                    leads_on.then(|| self.place(number, inner as usize, place.open))
                }
            };
            let Some(to) = to else { continue };
            match &mut last {
                Some((_, hi, known)) if *known == to && *hi + 1 == arc.lo => *hi = arc.hi,
                _ => {
                    if let Some((lo, hi, to)) = last.replace((arc.lo, arc.hi, to)) {
                        visit(lo, hi, to);
                    }
                }
            }
        }
        if let Some((lo, hi, to)) = last {
            visit(lo, hi, to);
        }
    }

    /// A byte of `allowed` that is a character and leads where all others do that lead on from `place`, which is between
    /// characters.
    pub(crate) fn sole_way(&self, place: Place, allowed: &ByteSet) -> Option<u8> {
        let root = &self.nodes[0];
        let targets = self.targets(place, &root.below);
        let mut found = targets.iter().flatten();
        let first = found.next()?;
        if found.any(|other| other != first) {
            return None;
        }
        let leads_on = |arc: &&Arc| match arc.to {
            To::Class(class) => {
                let at = root.below.binary_search(&class);
                at.is_ok_and(|at| targets[at].is_some())
            }
            To::Node(_) => false,
        };
        let mut arcs = root.arcs.iter().filter(leads_on);
        arcs.find_map(|arc| (arc.lo..=arc.hi).find(|&byte| allowed.contains(byte)))
    }

    /// Whether one is within a character of several bytes.
    pub(crate) fn is_inside(&self, place: Place) -> bool {
        self.parts(place).1 != 0
    }

    /// Whether the text may end.
    pub(crate) fn ends(&self, place: Place) -> bool {
        let (position, node, _) = self.parts(place);
        let counts = self.counts(position, place.open);
        let mut all = position.chain.iter().zip(&counts);
        node == 0
            && position.is_last
            && all.all(|(&counter, &count)| self.is_enough(counter, count))
    }

    /// How many characters may follow. Not all numbers between the two need be possible: see
    /// [`Counted::gap`]. Within a character, that one is not counted.
    fn rest(&self, place: Place) -> Span {
        let (position, node, _) = self.parts(place);
        if node > 0 {
            let targets = self.targets(place, &self.nodes[node].below);
            let rests = targets
                .into_iter()
                .flatten()
                .map(|target| self.rest(target));
            return rests.reduce(Span::or).unwrap_or(Span::NONE);
        }
        let counts = self.counts(position, place.open);
        let all = position.chain.iter().zip(&counts);
        all.fold(position.rest, |rest, (&counter, &count)| {
            let Counter { min, max } = self.counters[counter as usize];
            let max = max.filter(|_| count != self.free(counter));
            let least = min.saturating_sub(count);
            let most = max.map(|max| max.saturating_sub(count));
            rest.and(self.rounds[counter as usize].times(least, most))
        })
    }

    /// How many characters must follow; within a character, that one is not counted.
    pub(crate) fn shortest(&self, place: Place) -> u64 {
        self.rest(place).least
    }

    /// No place has more characters that must follow.
    pub(crate) fn greatest_shortest(&self) -> u64 {
        let of = |position: &Position| {
            let rounds = position.chain.iter().map(|&counter| {
                let least = self.counters[counter as usize].min;
                self.rounds[counter as usize]
                    .times(least, Some(least))
                    .least
            });
            rounds.fold(position.rest.least, u64::saturating_add)
        };
        self.positions.iter().map(of).max().unwrap_or(0)
    }

    /// Whether `least` to `most` characters may follow, where these leave room for the gap.
    pub(crate) fn can_finish(&self, place: Place, least: u64, most: Option<u64>) -> bool {
        let rest = self.rest(place);
        let is_long_enough = rest.most.is_none_or(|longest| longest >= least);
        is_long_enough && most.is_none_or(|most| rest.least <= most)
    }

    /// How much more the greatest length must be than the least for [`Counted::can_finish`] to be right.
    pub(crate) fn gap(&self) -> u64 {
        self.gap
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

    /// Where a repetition of one class may be left and has a maximum: the same place without that, and
    /// how many rounds are left.
    pub(crate) fn freed(&self, place: Place) -> Option<(Place, u32)> {
        let (position, node, number) = self.parts(place);
        let &counter = position.chain.last().filter(|_| node == 0)?;
        let mut counts = self.counts(position, place.open);
        let (depth, count) = (counts.len() - 1, *counts.last()?);
        let loops = |step: &Step| {
            step.to == number && step.round == Round::Next && step.kept as usize == depth
        };
        let Counter { min, max } = self.counters[counter as usize];
        // Where it is left for want of another round, both would be possible without a maximum.
        let max = max.filter(|&max| max > min)?;
        if count > max || !self.is_enough(counter, count) || !position.steps.iter().any(loops) {
            return None;
        }
        counts[depth] = self.free(counter);
        let open = self.packed(position, &counts);
        Some((self.place(number, 0, open), max - count))
    }

    /// Whether one more character of the repetition around `place` is under way there, or may be: it is
    /// within a character with which the repetition cannot end.
    pub(crate) fn only_goes_on(&self, place: Place) -> bool {
        let (_, node, number) = self.parts(place);
        let targets = self.targets(place, &self.nodes[node].below);
        let mut targets = targets.into_iter().flatten();
        node > 0 && targets.all(|target| self.is_same_run(place, target, number))
    }

    /// Whether `after` is still in the repetition that `before` is in.
    fn is_same_run(&self, before: Place, after: Place, number: u32) -> bool {
        self.parts(after).2 == number && after.open == before.open
    }

    /// Whether two places without a maximum are in the same repetition.
    pub(crate) fn stays(&self, before: Place, after: Place) -> bool {
        self.is_same_run(before, after, self.parts(before).2)
    }

    /// Writes numbers that tell this language from others.
    pub(crate) fn describe(&self, word: &mut dyn FnMut(u32)) {
        word(self.nodes.len() as u32);
        for node in &self.nodes {
            word(node.arcs.len() as u32);
            for arc in &node.arcs {
                word(u32::from(arc.lo) << 8 | u32::from(arc.hi));
                word(match arc.to {
                    To::Class(class) => class << 1,
                    To::Node(node) => node << 1 | 1,
                });
            }
        }
        word(self.counters.len() as u32);
        for counter in &self.counters {
            word(counter.min);
            word(counter.max.map_or(0, |max| max.saturating_add(1)));
        }
        word(self.positions.len() as u32);
        for position in &self.positions {
            word(position.steps.len() as u32 | u32::from(position.is_last) << 31);
            word(position.chain.len() as u32);
            position.chain.iter().for_each(|&counter| word(counter));
            for step in &position.steps {
                word(step.to);
                word(step.kept << 1 | u32::from(step.round == Round::Next));
            }
            for steps in &position.by_class {
                word(steps.len() as u32);
                steps.iter().for_each(|&step| word(step.into()));
            }
        }
    }
}

/// The nodes of a tree, the root first.
fn nodes(tree: &Tree) -> Vec<Node8> {
    let mut nodes = vec![Node8 {
        arcs: Vec::new(),
        below: Vec::new(),
    }];
    let node = |arcs: &[Arc], nodes: &[Node8]| {
        let shifted = |arc: &Arc| match arc.to {
            To::Class(_) => *arc,
            To::Node(node) => Arc {
                to: To::Node(node + 1),
                ..*arc
            },
        };
        let arcs: Vec<Arc> = arcs.iter().map(shifted).collect();
        let mut below: Vec<u32> = Vec::new();
        for arc in &arcs {
            match arc.to {
                To::Class(class) => below.push(class),
                To::Node(node) => below.extend(&nodes[node as usize].below),
            }
        }
        below.sort_unstable();
        below.dedup();
        Node8 { arcs, below }
    };
    for arcs in tree.nodes.items() {
        let inner = node(arcs, &nodes);
        nodes.push(inner);
    }
    nodes[0] = node(&tree.root, &nodes);
    nodes
}
