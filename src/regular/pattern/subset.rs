//! Nondeterministic automata to deterministic ones, both over the classes of an alphabet.
//!
//! The subset construction, with three additions. A state remembers what kind of code point came
//! last, and its assertions are decided when the next one is known. A thread carries
//! *obligations*: states of the automata of the look-aheads that it has passed, which run
//! along and end the thread when they are refuted. And beside the threads of the pattern run those of
//! its look-behinds, which are followed first, so that they are decided where the others meet them.

use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

use crate::base::{Interner, LimitError, Limits};

use super::alphabet::Alphabet;
use super::ast::Polarity;
use super::behind::LookBehinds;
use super::gap::{After, Before, Gap};
use super::nfa::{Nfa, State};
use super::obligations::{LookAhead, NO_OBLIGATION, Obligations};
use super::table::{DEAD, Table};

/// What all automata of one pattern share.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub(super) alphabet: &'a Alphabet,
    pub(super) nfa: &'a Nfa,
    pub(super) behinds: &'a LookBehinds,
    /// The classes that word characters are in; none where no assertion asks.
    pub(super) word: Option<&'a [bool]>,
    pub(super) limits: &'a Limits,
}

/// A state of the nondeterministic automaton, and the number of a set of obligations.
type Thread = (u32, u32);
/// Mostly there are few.
type Threads = SmallVec<[Thread; 4]>;

/// What is left of a text from a place on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Kernel {
    before: Before,
    /// Ascending, so that those of look-behinds come first.
    threads: Threads,
}

/// The deterministic automaton that begins in `entry`, with a start for each of `starts`.
///
/// `looks` are the automata of the look-aheads met on the way: the body, then anything, with a start
/// for each [`Before`].
pub(super) fn determinise<'a>(
    context: Context<'a>,
    looks: &mut [Box<dyn LookAhead + 'a>],
    entry: u32,
    starts: &[Before],
) -> Result<Table, LimitError> {
    let mut builder = Builder::new(context, looks);
    let mut table = Table::new(context.alphabet.len);
    for &before in starts {
        table.starts.push(builder.start(entry, before));
    }
    while table.len() < builder.kernels.len() {
        let (accepting, row) = builder.row(table.len() as u32)?;
        table.push(accepting, &row);
    }
    table.minimise();
    Ok(table)
}

/// What makes the rows of a deterministic automaton, one by one.
pub(super) struct Builder<'l, 'a> {
    context: Context<'a>,
    obligations: Obligations<'l, 'a>,
    kernels: Interner<Kernel>,
    /// Per state of the nondeterministic automaton, the last closure that met it without obligations.
    seen: Vec<u32>,
    round: u32,
    work: usize,
}

/// What a place offers once it is known what comes after.
#[derive(Default)]
struct Closure {
    /// Threads that take a code point: the set, and what is behind it.
    taking: SmallVec<[(u32, Thread); 4]>,
    /// Threads that accept any rest of the text that fulfils their obligations.
    matching: Threads,
    /// Whether the text is accepted if it ends here.
    accepting: bool,
}

impl<'l, 'a> Builder<'l, 'a> {
    pub(super) fn new(context: Context<'a>, looks: &'l mut [Box<dyn LookAhead + 'a>]) -> Self {
        Self {
            context,
            obligations: Obligations::new(looks),
            kernels: Interner::default(),
            seen: vec![0; context.nfa.states.len()],
            round: 0,
            work: 0,
        }
    }

    /// The number of a state where the automaton begins in `entry`.
    pub(super) fn start(&mut self, entry: u32, before: Before) -> u32 {
        self.number(before, smallvec![(entry, NO_OBLIGATION)])
    }

    /// Whether a state accepts whatever follows, as far as its threads say at once.
    pub(super) fn is_universal(&self, number: u32) -> bool {
        let mut threads = self.kernels.items()[number as usize].threads.iter();
        threads.any(|&(state, obligations)| {
            obligations == NO_OBLIGATION
                && matches!(self.context.nfa.states[state as usize], State::MatchAny)
        })
    }

    /// Whether the text may end at the state of that `number`, and the number of what is left after each class.
    pub(super) fn row(&mut self, number: u32) -> Result<(bool, Vec<u32>), LimitError> {
        let (kernel, work) = (self.kernels.items()[number as usize].clone(), self.work);
        let accepting = self.closure(&kernel, After::End)?.accepting;
        let mut next = vec![Threads::new(); self.context.alphabet.len as usize];
        if self.context.word.is_some() {
            self.step(&kernel, After::Word, &mut next)?;
        }
        self.step(&kernel, After::Other, &mut next)?;
        let number = |(class, threads)| self.number(self.context.before(class), threads);
        let row: Vec<u32> = (0..).zip(next).map(number).collect();
        self.charge(work, row.len())?;
        Ok((accepting, row))
    }

    /// Adds, for the classes that `after` speaks of, what is left after each.
    fn step(
        &mut self,
        kernel: &Kernel,
        after: After,
        next: &mut [Threads],
    ) -> Result<(), LimitError> {
        let closure = self.closure(kernel, after)?;
        let classes_of = &self.context.alphabet.classes_of;
        let all: Vec<u32> = match closure.matching.is_empty() {
            true => Vec::new(),
            false => (0..self.context.alphabet.len).collect(),
        };
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
                if let Some(obligations) = self.obligations.step(obligations, class)? {
                    next[class as usize].push((state, obligations));
                }
            }
        }
        Ok(())
    }

    /// Follows the threads of `kernel` as far as they go without taking a code point.
    fn closure(&mut self, kernel: &Kernel, after: After) -> Result<Closure, LimitError> {
        self.round += 1;
        let gap = Gap {
            before: kernel.before,
            after,
        };
        let behinds = self.context.behinds;
        let mut closure = Closure::default();
        let mut threads = &kernel.threads[..];
        if behinds.are_asked(states(threads)) {
            for body in &behinds.bodies {
                let (own, others) =
                    threads.split_at(threads.partition_point(|&(state, _)| state < body.end));
                let mut pending = Threads::from(own);
                pending.push((body.entry, NO_OBLIGATION));
                self.follow(pending, gap, &mut closure)?;
                threads = others;
            }
        }
        self.follow(threads.into(), gap, &mut closure)?;
        Ok(closure)
    }

    /// Follows `pending`, and all that it leads to, into `closure`.
    fn follow(
        &mut self,
        mut pending: Threads,
        gap: Gap,
        closure: &mut Closure,
    ) -> Result<(), LimitError> {
        let mut with_obligations = FxHashSet::default();
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
                State::Assert { assertion, next } if gap.holds(assertion) => {
                    pending.push((next, obligations));
                }
                State::Assert { .. } => {}
                State::Look { look, next } => {
                    let both = self.obligations.add(obligations, look, gap.before);
                    pending.extend(both.map(|both| (next, both)));
                }
                State::Behind { look, next } => {
                    let held = self.context.behinds.bodies[look.body as usize].held;
                    let matched = self.seen[held as usize] == self.round;
                    if matched == (look.polarity == Polarity::Positive) {
                        pending.push((next, obligations));
                    }
                }
                State::MatchAny | State::MatchEnd if gap.after == After::End => {
                    closure.accepting |= self.obligations.at_end(obligations)?;
                }
                State::MatchAny if obligations == NO_OBLIGATION => {
                    // Whatever the other threads do, the text is accepted.
                    *closure = Closure {
                        matching: smallvec![thread],
                        ..Closure::default()
                    };
                    return Ok(());
                }
                State::MatchAny => closure.matching.push(thread),
                // That a body's last state is met is all that its look-behind asks for.
                State::MatchEnd | State::Held => {}
            }
        }
        Ok(())
    }

    /// The number of what is left where `threads` run after `before`.
    fn number(&mut self, before: Before, mut threads: Threads) -> u32 {
        // Once no look-behind may be met, they need not run.
        let behinds = self.context.behinds;
        if !behinds.is_empty() && !behinds.are_asked(states(&threads)) {
            threads.retain(|thread| !behinds.owns(thread.0));
        }
        threads.sort_unstable();
        // Obligations only take away: beside a thread without any, those in the same state add nothing.
        threads.dedup_by(|next, kept| {
            next.0 == kept.0 && (kept.1 == NO_OBLIGATION || next.1 == kept.1)
        });
        if threads.is_empty() {
            return DEAD;
        }
        let count = threads.len();
        let (number, is_new) = self.kernels.intern(Kernel { before, threads });
        if is_new {
            self.work += count;
        }
        number
    }

    /// Charges for a row of so many classes, before which so much `work` was done.
    fn charge(&self, work: usize, classes: usize) -> Result<(), LimitError> {
        let limits = self.context.limits;
        limits.charge(STEPS_PER_THREAD * (self.work - work) + STEPS_PER_CLASS * (classes + 1))?;
        let allowed = limits.automaton_states;
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

fn states(threads: &[Thread]) -> impl Iterator<Item = u32> {
    threads.iter().map(|&(state, _)| state)
}

/// What a thread costs: following it, sorting and hashing it.
const STEPS_PER_THREAD: usize = 8;
/// What a class costs in the row of a state: making it, telling states apart by it, spelling it.
const STEPS_PER_CLASS: usize = 8;
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
