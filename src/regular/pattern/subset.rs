//! Nondeterministic automata to deterministic ones, both over the classes of an alphabet.
//!
//! The subset construction, with two additions. A state remembers what kind of code point came
//! last, and its assertions are decided when the next one is known. And a thread carries
//! *obligations*: states of the automata of the look-aheads that it has passed, which run
//! along and end the thread when they are refuted.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::base::{LimitError, Limits};

use super::alphabet::Alphabet;
use super::ast::{Assertion, Look, Polarity};
use super::nfa::{Nfa, State};
use super::table::{DEAD, Table};

/// What all automata of one pattern share.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) alphabet: &'a Alphabet,
    pub(super) nfa: &'a Nfa,
    /// The classes that word characters are in; none where no assertion asks.
    pub(super) word: Option<&'a [bool]>,
    pub(super) limits: &'a Limits,
}

/// What came before a place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Before {
    Nothing,
    Other,
    Word,
}

impl Before {
    pub(super) const ALL: [Self; 3] = [Self::Nothing, Self::Other, Self::Word];
}

/// What comes after a place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    End,
    Other,
    Word,
}

/// A state of the nondeterministic automaton, and the number of a set of obligations.
type Thread = (u32, u32);

/// What is left of a text from a place on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Kernel {
    before: Before,
    threads: Rc<[Thread]>,
}

/// The deterministic automaton that begins in `entry`, with a start for each of `starts`.
///
/// `looks` are the automata of the look-aheads met on the way: the body, then anything, with a start
/// for each [`Before`].
pub(super) fn determinise(
    context: Context<'_>,
    looks: &[Table],
    entry: u32,
    starts: &[Before],
) -> Result<Table, LimitError> {
    let mut builder = Builder {
        context,
        obligations: Obligations::new(looks),
        numbers: FxHashMap::default(),
        kernels: Vec::new(),
        seen: vec![0; context.nfa.states.len()],
        round: 0,
        work: 0,
    };
    let mut table = Table::new(context.alphabet.len);
    for &before in starts {
        let start = builder.number(before, vec![(entry, NO_OBLIGATION)]);
        table.starts.push(start);
    }
    while let Some(kernel) = builder.kernels.get(table.len()).cloned() {
        let (accepting, row) = builder.row(&kernel);
        table.push(accepting, &row);
        builder.charge()?;
    }
    table.minimise();
    Ok(table)
}

struct Builder<'a> {
    context: Context<'a>,
    obligations: Obligations<'a>,
    numbers: FxHashMap<Kernel, u32>,
    kernels: Vec<Kernel>,
    /// Per state of the nondeterministic automaton, the last closure that met it without obligations.
    seen: Vec<u32>,
    round: u32,
    work: usize,
}

/// What a place offers once it is known what comes after.
#[derive(Default)]
struct Closure {
    /// Threads that take a code point: the set, and what is behind it.
    taking: Vec<(u32, Thread)>,
    /// Threads that accept any rest of the text that fulfils their obligations.
    matching: Vec<Thread>,
    /// Whether the text is accepted if it ends here.
    accepting: bool,
}

impl Builder<'_> {
    /// Whether the text may end at `kernel`, and the number of what is left after each class.
    fn row(&mut self, kernel: &Kernel) -> (bool, Vec<u32>) {
        let accepting = self.closure(kernel, After::End).accepting;
        let mut next = vec![Vec::new(); self.context.alphabet.len as usize];
        if self.context.word.is_some() {
            self.step(kernel, After::Word, &mut next);
        }
        self.step(kernel, After::Other, &mut next);
        let number = |(class, threads)| self.number(self.context.before(class), threads);
        (accepting, (0..).zip(next).map(number).collect())
    }

    /// Adds, for the classes that `after` speaks of, what is left after each.
    fn step(&mut self, kernel: &Kernel, after: After, next: &mut [Vec<Thread>]) {
        let closure = self.closure(kernel, after);
        let classes_of = &self.context.alphabet.classes_of;
        let all: Vec<u32> = (0..self.context.alphabet.len).collect();
        let taking = closure
            .taking
            .iter()
            .map(|&(set, thread)| (&classes_of[set as usize], thread));
        let matching = closure.matching.iter().map(|&thread| (&all, thread));
        for (classes, (state, obligations)) in taking.chain(matching) {
            self.work += classes.len();
            for &class in classes
                .iter()
                .filter(|&&class| self.context.after(class) == after)
            {
                if let Some(obligations) = self.obligations.step(obligations, class) {
                    next[class as usize].push((state, obligations));
                }
            }
        }
    }

    /// Follows the threads of `kernel` as far as they go without taking a code point.
    fn closure(&mut self, kernel: &Kernel, after: After) -> Closure {
        self.round += 1;
        let mut closure = Closure::default();
        let mut with_obligations = FxHashSet::default();
        let mut pending = kernel.threads.to_vec();
        while let Some(thread @ (state, obligations)) = pending.pop() {
            let met = &mut self.seen[state as usize];
            if *met == self.round
                || obligations != NO_OBLIGATION && !with_obligations.insert(thread)
            {
                continue;
            }
            if obligations == NO_OBLIGATION {
                *met = self.round;
            }
            self.work += 1;
            match self.context.nfa.states[state as usize] {
                State::Set { set, next } => closure.taking.push((set, (next, obligations))),
                State::Split(left, right) => {
                    pending.extend([(right, obligations), (left, obligations)])
                }
                State::Assert { assertion, next } if holds(assertion, kernel.before, after) => {
                    pending.push((next, obligations));
                }
                State::Assert { .. } => {}
                State::Look { look, next } => {
                    let both = self.obligations.add(obligations, look, kernel.before);
                    pending.extend(both.map(|both| (next, both)));
                }
                State::MatchAny | State::MatchEnd if after == After::End => {
                    closure.accepting |= self.obligations.at_end(obligations);
                }
                State::MatchAny if obligations == NO_OBLIGATION => {
                    // Whatever the other threads do, the text is accepted.
                    return Closure {
                        matching: vec![thread],
                        ..Closure::default()
                    };
                }
                State::MatchAny => closure.matching.push(thread),
                State::MatchEnd => {}
            }
        }
        closure
    }

    /// The number of what is left where `threads` run after `before`.
    fn number(&mut self, before: Before, mut threads: Vec<Thread>) -> u32 {
        threads.sort_unstable();
        // Obligations only take away: beside a thread without any, those in the same state add nothing.
        threads.dedup_by(|next, kept| {
            next.0 == kept.0 && (kept.1 == NO_OBLIGATION || next.1 == kept.1)
        });
        if threads.is_empty() {
            return DEAD;
        }
        let kernel = Kernel {
            before,
            threads: threads.into(),
        };
        if let Some(&number) = self.numbers.get(&kernel) {
            return number;
        }
        let number = self.kernels.len() as u32;
        self.work += kernel.threads.len();
        self.kernels.push(kernel.clone());
        self.numbers.insert(kernel, number);
        number
    }

    fn charge(&self) -> Result<(), LimitError> {
        let allowed = self.context.limits.automaton_states;
        LimitError::check(
            "states of a regular expression",
            self.kernels.len(),
            allowed,
        )?;
        LimitError::check(
            "work to determinise a regular expression",
            self.work,
            allowed.saturating_mul(WORK_PER_STATE),
        )
    }
}

/// How much work a state may be, so that few states with many threads each meet the limit too.
const WORK_PER_STATE: usize = 64;

impl Context<'_> {
    fn is_word(&self, class: u32) -> bool {
        self.word.is_some_and(|word| word[class as usize])
    }

    fn before(&self, class: u32) -> Before {
        if self.is_word(class) {
            Before::Word
        } else {
            Before::Other
        }
    }

    fn after(&self, class: u32) -> After {
        if self.is_word(class) {
            After::Word
        } else {
            After::Other
        }
    }
}

fn holds(assertion: Assertion, before: Before, after: After) -> bool {
    let boundary = (before == Before::Word) != (after == After::Word);
    match assertion {
        Assertion::Start => before == Before::Nothing,
        Assertion::End => after == After::End,
        Assertion::WordBoundary => boundary,
        Assertion::NoWordBoundary => !boundary,
    }
}

/// The number of the empty set of obligations.
const NO_OBLIGATION: u32 = 0;

/// Sets of states of look-aheads' automata, numbered.
struct Obligations<'a> {
    looks: &'a [Table],
    sets: Vec<Vec<(Look, u32)>>,
    numbers: FxHashMap<Vec<(Look, u32)>, u32>,
}

/// What is known of an obligation.
enum Fate {
    Open,
    Fulfilled,
    Refuted,
}

impl<'a> Obligations<'a> {
    fn new(looks: &'a [Table]) -> Self {
        let mut new = Self {
            looks,
            sets: Vec::new(),
            numbers: FxHashMap::default(),
        };
        new.intern(Vec::new());
        new
    }

    fn intern(&mut self, mut set: Vec<(Look, u32)>) -> u32 {
        set.sort_unstable();
        set.dedup();
        let sets = &mut self.sets;
        *self.numbers.entry(set).or_insert_with_key(|set| {
            sets.push(set.clone());
            sets.len() as u32 - 1
        })
    }

    fn fate(&self, look: Look, state: u32) -> Fate {
        let matched = self.looks[look.body as usize].universal() == Some(state);
        match look.polarity {
            Polarity::Positive if matched => Fate::Fulfilled,
            Polarity::Positive if state == DEAD => Fate::Refuted,
            Polarity::Negative if matched => Fate::Refuted,
            Polarity::Negative if state == DEAD => Fate::Fulfilled,
            _ => Fate::Open,
        }
    }

    /// The set `number` and `look` beginning here, unless it is refuted at once.
    fn add(&mut self, number: u32, look: Look, before: Before) -> Option<u32> {
        let state = self.looks[look.body as usize].starts[before as usize];
        match self.fate(look, state) {
            Fate::Refuted => None,
            Fate::Fulfilled => Some(number),
            Fate::Open => {
                let mut set = self.sets[number as usize].clone();
                set.push((look, state));
                Some(self.intern(set))
            }
        }
    }

    /// The set `number` after a code point of `class`, unless one of it is refuted.
    fn step(&mut self, number: u32, class: u32) -> Option<u32> {
        if number == NO_OBLIGATION {
            return Some(number);
        }
        let mut set = Vec::new();
        for &(look, state) in &self.sets[number as usize] {
            let state = self.looks[look.body as usize].next(state, class);
            match self.fate(look, state) {
                Fate::Refuted => return None,
                Fate::Fulfilled => {}
                Fate::Open => set.push((look, state)),
            }
        }
        Some(self.intern(set))
    }

    /// Whether all of the set `number` hold if the text ends here.
    fn at_end(&self, number: u32) -> bool {
        self.sets[number as usize].iter().all(|&(look, state)| {
            let matched = self.looks[look.body as usize].accepts(state);
            matched == (look.polarity == Polarity::Positive)
        })
    }
}
