//! Reading bytes and control tokens with a constraint, whatever tokens spell the bytes.

use super::Constraint;
use super::live::Live;
use crate::base::{ControlId, LimitError, TokenId};
use crate::machine::{Adoption, ControlBinding, StateId};
use crate::vocab::{NodeId, TokenKind};

/// Reads a text byte by byte, control tokens apart. It answers what the automaton thinks of a
/// text, whatever tokens spell it.
#[derive(Clone, Debug)]
pub struct Recogniser {
    constraint: Constraint,
    live: Live,
    state: StateId,
    /// Steps of work that the text has taken so far.
    spent: usize,
    /// Where tokens began that the grammar takes whatever they spell, and what of each was read.
    begun: Vec<(StateId, NodeId)>,
}

/// What may come next.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Expected {
    /// A byte within these bounds.
    Bytes(u8, u8),
    /// A control token.
    Control(String),
    /// The end.
    End,
}

impl Constraint {
    /// A reader of bytes and control tokens, whatever tokens spell the bytes.
    pub fn recogniser(&self) -> Recogniser {
        Recogniser::new(self.clone())
    }
}

impl Recogniser {
    fn new(constraint: Constraint) -> Self {
        let live = constraint.live();
        let state = live.start;
        Self {
            constraint,
            live,
            state,
            spent: 0,
            begun: Vec::new(),
        }
    }

    /// Does what those in its generation are to do: says that it is in use, or leaves it.
    #[cold]
    fn heed(&mut self) -> Result<(), LimitError> {
        if !self.live.is_asked_to_be_left() {
            return Ok(());
        }
        let generation = self.live.generation.clone();
        let mark = generation.mark();
        let spent = self.spent;
        match self.renew() {
            // Others want the room, but what is open is too much to be taken along.
            Err(_) if !mark.is_full() => mark.stay(),
            moved => moved?,
        }
        if !mark.is_full() {
            // It is not the text that this is for.
            self.spent = spent;
        }
        Ok(())
    }

    /// Moves to a fresh generation.
    fn renew(&mut self) -> Result<(), LimitError> {
        let live = self.constraint.renewed(&self.live)?;
        let mut adoption = Adoption::default();
        let mut adopt = |state| {
            let old = &self.live.generation;
            live.generation.adopt((old, state), &mut adoption)
        };
        let begun = self.begun.iter();
        let begun = begun.map(|&(from, node)| Ok((adopt(from)?, node)));
        let begun = begun.collect::<Result<_, LimitError>>()?;
        let state = adopt(self.state)?;
        self.spent = self.spent.saturating_add(live.generation.worked());
        (self.live, self.state, self.begun) = (live, state, begun);
        Ok(())
    }

    /// Reads `byte`; `false`, and nothing read, where it may not come.
    ///
    /// # Errors
    /// When a limit is met. All of a text is held to [`Limits::work`](crate::base::Limits::work); what was read before, by
    /// whomever, costs nothing.
    pub fn byte(&mut self, byte: u8) -> Result<bool, LimitError> {
        if self.live.generation.mark().is_set() {
            self.heed()?;
        }
        self.live.generation.check_text(self.spent)?;
        let began = self.live.generation.worked();
        let read = self.read(byte);
        let worked = self.live.generation.worked().wrapping_sub(began);
        self.constraint.tidy(worked);
        self.spent = self.spent.saturating_add(worked);
        read
    }

    fn read(&mut self, byte: u8) -> Result<bool, LimitError> {
        let generation = &self.live.generation;
        let mut to = generation.advance(self.state, byte)?;
        let begins = self.begins_tokens();
        if !begins && self.begun.is_empty() {
            return Ok(self.go(to));
        }
        // What the grammar takes as tokens may be spelt by any that it allows.
        let trie = self.constraint.vocabulary().trie();
        let here = begins.then_some((self.state, NodeId::ROOT));
        let mut begun = Vec::new();
        for (from, node) in self.begun.iter().copied().chain(here) {
            let Some(node) = trie.child(node, byte) else {
                continue;
            };
            for &token in trie.tokens(node) {
                to = generation.either(to, generation.advance_token(from, token)?)?;
            }
            if self.goes_on(from, node) {
                begun.push((from, node));
            }
        }
        let read = to != StateId::DEAD || !begun.is_empty();
        if read {
            (self.state, self.begun) = (to, begun);
        }
        Ok(read)
    }

    /// Whether an ordinary token may come whole here.
    fn begins_tokens(&self) -> bool {
        let (generation, vocabulary) = (&self.live.generation, self.constraint.vocabulary());
        let ordinary = |&token: &TokenId| vocabulary.kind(token) == TokenKind::Ordinary;
        let mut controls = generation.state(self.state).controls.iter();
        controls.any(|&control| match generation.binding().control(control) {
            ControlBinding::Tokens(tokens) => tokens.iter().any(ordinary),
            ControlBinding::Except { .. } => true,
            ControlBinding::Bytes(_) => false,
        })
    }

    /// Whether a token that is longer than the text of `node` may come whole where `from` is.
    fn goes_on(&self, from: StateId, node: NodeId) -> bool {
        let generation = &self.live.generation;
        let trie = self.constraint.vocabulary().trie();
        let longer = &trie.subtree_tokens(node)[trie.tokens(node).len()..];
        let controls = &generation.state(from).controls;
        longer.iter().any(|&token| {
            let takes = |&control: &ControlId| generation.binding().control(control).takes(token);
            controls.iter().any(takes)
        })
    }

    /// Reads a control token, given by its spelling; `false`, and nothing read, where it may not
    /// come. One that the vocabulary lacks is read as its bytes; one that only the vocabulary knows
    /// may come nowhere.
    ///
    /// # Errors
    /// When a limit is met.
    pub fn control(&mut self, spelling: &str) -> Result<bool, LimitError> {
        if self.live.generation.mark().is_set() {
            self.heed()?;
        }
        if let Some(token) = self.constraint.vocabulary().special(spelling) {
            let to = self.live.generation.advance_token(self.state, token)?;
            return Ok(self.go(to));
        }
        let mut reader = self.clone();
        for &byte in spelling.as_bytes() {
            if !reader.byte(byte)? {
                return Ok(false);
            }
        }
        *self = reader;
        Ok(true)
    }

    /// The generation that it has come to, and the state there.
    pub(super) fn into_parts(self) -> (Live, StateId) {
        (self.live, self.state)
    }

    fn go(&mut self, to: StateId) -> bool {
        if to != StateId::DEAD {
            self.state = to;
            self.begun.clear();
        }
        to != StateId::DEAD
    }

    /// Whether the text may end here.
    pub fn may_end(&self) -> bool {
        self.live.generation.state(self.state).accepting
    }

    /// What may come next, in a fixed order.
    pub fn expected(&self) -> Vec<Expected> {
        let generation = &self.live.generation;
        let state = generation.state(self.state);
        let mut bytes = [false; 256];
        for item in &state.items {
            for edge in &generation.node(item.pos).edges {
                bytes[usize::from(edge.lo)..=usize::from(edge.hi)].fill(true);
            }
        }
        let mut expected = Vec::new();
        for byte in (0..=255u8).filter(|&byte| bytes[usize::from(byte)]) {
            match expected.last_mut() {
                Some(Expected::Bytes(_, hi)) if *hi + 1 == byte => *hi = byte,
                _ => expected.push(Expected::Bytes(byte, byte)),
            }
        }
        let name = |&control| Expected::Control(generation.grammar().control(control).to_string());
        expected.extend(state.controls.iter().map(name));
        if state.accepting {
            expected.push(Expected::End);
        }
        expected
    }
}
