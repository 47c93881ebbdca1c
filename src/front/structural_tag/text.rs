//! Free text that runs until a string comes.
//!
//! The automaton is that of Aho and Corasick ("Efficient string matching", 1975), over bytes and control tokens, beside
//! that of UTF-8.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use crate::base::{ByteSet, ControlId, LimitError, Limits};
use crate::grammar::{Nfa, NfaState};
use crate::regular::{Dfa, StateId};

/// What a string is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Symbol {
    Byte(u8),
    Control(ControlId),
}

/// What it means that a string has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// It must not come.
    Never,
    /// The free text stops behind it, at the state of this number.
    Stop(usize),
}

/// The strings that are looked for in a free text.
#[derive(Debug)]
pub(super) struct Search {
    /// The beginnings of strings; the first is the empty one.
    nodes: Vec<Node>,
    /// How many there may be; where there are more, the search is not written.
    most: usize,
}

#[derive(Debug, Default)]
struct Node {
    children: BTreeMap<Symbol, u32>,
    /// The longest proper suffix that is a beginning, too.
    suffix: u32,
    /// The longest of them that may go on with a symbol with which this one does not: "Fast pattern matching in strings"
    /// (Knuth, Morris, Pratt, 1977) has it for one string.
    other: u32,
    found: Option<Found>,
    /// Whether a control token has been read: the string must be completed.
    committed: bool,
    /// How many characters it has begun.
    characters: u32,
}

/// Where a free text is: in a string that is looked for, in a character, and after how many characters.
type Place = (u32, StateId, u32);

const STATES: &str = "states of a free text";
/// What each state costs, its place in a string found and its edges written.
const STEPS_PER_STATE: usize = 64;

impl Search {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            nodes: vec![Node::default()],
            most: limits.automaton_states,
        }
    }

    /// Looks for `string`, too. If it is known already, it means what it meant, but that a stop is more than a
    /// prohibition: the end of a text may be among what the text excludes.
    pub(super) fn insert(&mut self, string: &[Symbol], found: Found) {
        let mut at = 0;
        for &symbol in string {
            if self.nodes.len() > self.most {
                return;
            }
            let new = self.nodes.len() as u32;
            let node = &mut self.nodes[at as usize];
            let committed = node.committed || matches!(symbol, Symbol::Control(_));
            let characters = node.characters + u32::from(begins_character(symbol));
            at = *node.children.entry(symbol).or_insert(new);
            if at == new {
                self.nodes.push(Node {
                    committed,
                    characters,
                    ..Node::default()
                });
            }
        }
        let known = &mut self.nodes[at as usize].found;
        if !matches!(known, Some(Found::Stop(_))) {
            *known = Some(found);
        }
    }

    /// Finds the suffixes, breadth-first, so that those of shorter beginnings are known.
    ///
    /// # Errors
    /// Where it needs more states than are allowed.
    fn link(&mut self, limits: &Limits) -> Result<(), LimitError> {
        LimitError::check(STATES, self.nodes.len(), self.most)?;
        limits.charge(STEPS_PER_STATE * self.nodes.len())?;
        let mut queue = VecDeque::from([0u32]);
        while let Some(parent) = queue.pop_front() {
            let children: Vec<(Symbol, u32)> = self.nodes[parent as usize]
                .children
                .iter()
                .map(|(&symbol, &child)| (symbol, child))
                .collect();
            for (symbol, child) in children {
                let suffix = match parent {
                    0 => 0,
                    _ => self.after(self.nodes[parent as usize].suffix, symbol),
                };
                let shorter = &self.nodes[suffix as usize];
                let (found, same) = (shorter.found, shorter.other);
                let own = &self.nodes[child as usize].children;
                let goes_on_alike = shorter
                    .children
                    .keys()
                    .all(|symbol| own.contains_key(symbol));
                let node = &mut self.nodes[child as usize];
                node.suffix = suffix;
                node.other = if goes_on_alike { same } else { suffix };
                node.found = node.found.or(found);
                queue.push_back(child);
            }
        }
        Ok(())
    }

    /// The longest beginning that ends what was read, after one more symbol.
    fn after(&self, mut node: u32, symbol: Symbol) -> u32 {
        loop {
            let at = &self.nodes[node as usize];
            match at.children.get(&symbol) {
                Some(&child) => return child,
                None if node == 0 => return 0,
                None => node = at.other,
            }
        }
    }

    /// The same where free text may go on: a string that has begun with a control token must be completed, and
    /// no other control token is text.
    fn next(&self, node: u32, symbol: Symbol) -> Option<u32> {
        let to = match self.nodes[node as usize].committed {
            true => *self.nodes[node as usize].children.get(&symbol)?,
            false => self.after(node, symbol),
        };
        let is_text = matches!(symbol, Symbol::Byte(_)) || to != 0;
        (is_text && self.nodes[to as usize].found != Some(Found::Never)).then_some(to)
    }

    /// Writes the free text into `nfa`: it begins at `from` and has at most so many characters. It stops at one
    /// of `stops`, or ends anywhere else at the state that is given back.
    ///
    /// # Errors
    /// Where it needs more states than are allowed.
    pub(super) fn write(
        &mut self,
        nfa: &mut Nfa,
        from: NfaState,
        stops: &[NfaState],
        most: Option<u32>,
        limits: &Limits,
    ) -> Result<NfaState, LimitError> {
        self.link(limits)?;
        let utf8 = Dfa::utf8_text();
        let symbols: BTreeSet<Symbol> = self
            .nodes
            .iter()
            .flat_map(|node| node.children.keys().copied())
            .collect();
        let byte = |symbol: &Symbol| match *symbol {
            Symbol::Byte(byte) => Some(byte),
            Symbol::Control(_) => None,
        };
        let bytes: ByteSet = symbols.iter().filter_map(byte).collect();
        let end = nfa.state();
        let mut states: FxHashMap<Place, NfaState> = FxHashMap::default();
        let mut open = vec![(0, utf8.start(), 0)];
        states.insert(open[0], from);
        while let Some(place) = open.pop() {
            LimitError::check(STATES, states.len(), limits.automaton_states)?;
            limits.charge(STEPS_PER_STATE + symbols.len())?;
            let (node, character, count) = place;
            let at = states[&place];
            let complete = utf8.is_accepting(character);
            let fits = most.is_none_or(|most| count <= most);
            if complete && fits && !self.nodes[node as usize].committed {
                nfa.empty(at, end);
            }
            let mut to = |to: u32, character: StateId, count: u32, nfa: &mut Nfa| {
                if let Some(Found::Stop(stop)) = self.nodes[to as usize].found {
                    return stops[stop];
                }
                let place = (to, character, count);
                *states.entry(place).or_insert_with(|| {
                    open.push(place);
                    nfa.state()
                })
            };
            // What stops the text is no part of it, so the characters of a stop that has begun may not count.
            let begun = u32::from(complete && most.is_some());
            let within = |next: u32| {
                let text = (count + begun).saturating_sub(self.nodes[next as usize].characters);
                most.is_none_or(|most| text <= most)
            };
            for (lo, hi, inside) in utf8.ranges(character) {
                for (lo, hi) in bytes.cut(lo, hi) {
                    let next = self.next(node, Symbol::Byte(lo));
                    if let Some(next) = next.filter(|&next| within(next)) {
                        let to = to(next, inside, count + begun, nfa);
                        nfa.bytes(at, lo, hi, to);
                    }
                }
            }
            for &symbol in symbols.iter().filter(|_| complete) {
                if let (Symbol::Control(control), Some(next)) = (symbol, self.next(node, symbol)) {
                    let to = to(next, character, count, nfa);
                    nfa.control(at, control, to);
                }
            }
        }
        Ok(end)
    }
}

/// Continuation bytes of UTF-8 do not, and control tokens are no characters.
fn begins_character(symbol: Symbol) -> bool {
    matches!(symbol, Symbol::Byte(byte) if byte & 0xC0 != 0x80)
}
