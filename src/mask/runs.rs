//! Tokens tried one by one, in the trie's order.

use super::places::{Place, Places};
use crate::base::LimitError;
use crate::machine::{Generation, StateId};

/// Tokens that are read one by one from a place on: what one has in common with the last is not read again.
pub(super) struct Runs<'t> {
    /// How many bytes of each token lead to the first place.
    before: usize,
    /// The places on the way through the last token, as far as they are known.
    path: Vec<u32>,
    /// The states on that way where the rule may end, and the bytes read by then.
    ends: Vec<(StateId, usize)>,
    last: &'t [u8],
    /// After how many bytes the last token did not survive.
    dead: Option<usize>,
}

impl<'t> Runs<'t> {
    /// Runs from the place `from`, where `before` bytes of each token lead.
    pub(super) fn new(from: u32, before: usize) -> Self {
        Self {
            before,
            path: vec![from],
            ends: Vec::new(),
            last: &[],
            dead: None,
        }
    }

    /// Reads a token that has the same bytes as the others before the first place, and some behind it; whether it
    /// stays inside the rule.
    pub(super) fn read(
        &mut self,
        generation: &Generation,
        places: &mut Places<'_>,
        token: &'t [u8],
    ) -> Result<bool, LimitError> {
        let alike = self.last.iter().zip(token).take_while(|(a, b)| a == b);
        let common = alike.count();
        self.last = token;
        if self.dead.is_some_and(|dead| common >= dead) {
            return Ok(false);
        }
        self.dead = None;
        let known = common.clamp(self.before, self.before + self.path.len() - 1);
        self.path.truncate(known - self.before + 1);
        while self.ends.pop_if(|&mut (_, read)| read > known).is_some() {}
        let mut at = self.path[known - self.before];
        for (taken, &byte) in token.iter().enumerate().skip(known) {
            let is_last = taken + 1 == token.len();
            at = match is_last {
                true => places.last(at, byte)?,
                false => places.next(at, byte)?,
            };
            if let Place::State(state) = places.place(at) {
                let here = generation.state(state);
                if here.accepting {
                    self.ends.push((state, taken + 1));
                }
                if here.is_over() {
                    self.dead = Some(taken + 1);
                    return Ok(false);
                }
            }
            if !is_last {
                self.path.push(at);
            }
        }
        Ok(true)
    }

    /// The states where the rule may end on the way through the token read last, and the bytes read by then.
    pub(super) fn ends(&self) -> &[(StateId, usize)] {
        &self.ends
    }
}
