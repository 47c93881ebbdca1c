//! Reading bytes and control tokens with a constraint, whatever tokens spell the bytes.

use std::sync::Arc;

use super::Constraint;
use super::live::Live;
use crate::base::LimitError;
use crate::machine::StateId;

/// Reads a text byte by byte, control tokens apart. It answers what the automaton thinks of a
/// text, whatever tokens spell it.
#[derive(Clone, Debug)]
pub struct Recogniser {
    constraint: Constraint,
    live: Arc<Live>,
    state: StateId,
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
        let live = match live.generation.is_full() {
            // Where even that fails, reading says so.
            true => constraint.renewed(&live).unwrap_or(live),
            false => live,
        };
        Self::over(constraint, live)
    }

    /// A reader over this generation.
    pub(super) fn over(constraint: Constraint, live: Arc<Live>) -> Self {
        let state = live.start;
        Self {
            constraint,
            live,
            state,
        }
    }

    /// Reads `byte`; `false`, and nothing read, where it may not come.
    ///
    /// # Errors
    /// When a limit is met.
    pub fn byte(&mut self, byte: u8) -> Result<bool, LimitError> {
        let to = self.live.generation.advance(self.state, byte)?;
        Ok(self.go(to))
    }

    /// Reads a control token, given by its spelling; `false`, and nothing read, where it may not
    /// come. One that the vocabulary lacks is read as its bytes; one that only the vocabulary knows
    /// may come nowhere.
    ///
    /// # Errors
    /// When a limit is met.
    pub fn control(&mut self, spelling: &str) -> Result<bool, LimitError> {
        let generation = &self.live.generation;
        let named = generation
            .grammar()
            .controls()
            .find(|&(_, name)| name == spelling);
        if let Some((control, _)) = named {
            let to = generation.advance_control(self.state, control)?;
            if to != StateId::DEAD {
                return Ok(self.go(to));
            }
            if generation.binding().is_token(control) {
                return Ok(false);
            }
        } else if self.constraint.vocabulary().special(spelling).is_some() {
            return Ok(false);
        }
        let mut to = self.state;
        for &byte in spelling.as_bytes() {
            to = generation.advance(to, byte)?;
        }
        Ok(self.go(to))
    }

    pub(super) fn state(&self) -> StateId {
        self.state
    }

    fn go(&mut self, to: StateId) -> bool {
        if to != StateId::DEAD {
            self.state = to;
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
        let name = |&control| Expected::Control(generation.grammar().control_name(control).into());
        expected.extend(state.controls.iter().map(name));
        if state.accepting {
            expected.push(Expected::End);
        }
        expected
    }
}
