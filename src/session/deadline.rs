//! A text that ends within a number of tokens.

use std::sync::Arc;

use super::reserve::Deadline;
use super::way::cost;
use super::{Session, SessionError};
use crate::base::{LimitError, TokenId};
use crate::vocab::row;

impl Session {
    /// Gives the text `tokens` tokens to end in, its end token included, from here on.
    ///
    /// From now on the mask leaves out the tokens after which that could not be kept, and [`accept`](Self::accept) and
    /// [`validate`](Self::validate) refuse them. There is a token in each mask until the text has ended: at the
    /// latest with the last of the tokens. What ends a text is a stop token, or a control token of the grammar that is one
    /// of the vocabulary's end tokens. A later call sets another deadline in place of this one.
    ///
    /// How many tokens the end takes is told by a way to it as [`way_out`](Self::way_out) finds one. Where a shorter one exists, some
    /// tokens are left out that might have stayed, and the text has its end a little early.
    ///
    /// # Errors
    /// [`SessionError::Deadline`] where so few tokens do not suffice, with a number that does; [`SessionError::Limit`]. The
    /// session is as it was.
    ///
    /// # Examples
    ///
    /// ```
    /// # use maskwright::base::{Limits, TokenId};
    /// # use maskwright::grammar::{GrammarBuilder, Nfa};
    /// # use maskwright::session::{ConstraintConfig, Engine};
    /// # use maskwright::vocab::VocabularyBuilder;
    /// # let mut vocabulary = VocabularyBuilder::new();
    /// # vocabulary.ordinary(TokenId::new(0), b"a")?.ordinary(TokenId::new(1), b"b")?;
    /// # vocabulary.special(TokenId::new(2), "<end>")?.end_token(TokenId::new(2));
    /// # let engine = Engine::new(vocabulary.build()?);
    /// # let mut builder = GrammarBuilder::new(Limits::default());
    /// # let rule = builder.declare("text");
    /// # let mut nfa = Nfa::new();
    /// # nfa.bytes(nfa.start(), b'a', b'a', nfa.start());
    /// # let end = nfa.literal(nfa.start(), b"b");
    /// # nfa.accept(end);
    /// # builder.define(rule, &nfa)?;
    /// # let constraint = engine.constraint(builder.finish(rule)?, &ConstraintConfig::default())?;
    /// let mut session = constraint.session(); // the grammar is *"a" "b"
    /// assert!(session.deadline(1).is_err());
    /// session.deadline(3)?;
    /// session.accept(TokenId::new(0))?;
    /// assert!(!session.allows(TokenId::new(0))?, "b and the end token are to come");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn deadline(&mut self, tokens: usize) -> Result<(), SessionError> {
        let (way, needed) = self.affordable()?;
        if tokens < needed {
            return Err(SessionError::Deadline {
                given: tokens,
                needed,
            });
        }
        let deadline = Deadline::at(self.len().saturating_add(tokens));
        self.deadline = Some(deadline.with(self.len(), way));
        Ok(())
    }

    /// The least number of tokens that [`deadline`](Self::deadline) takes here.
    ///
    /// # Errors
    /// [`SessionError::Limit`].
    pub fn tokens_needed(&self) -> Result<usize, SessionError> {
        Ok(self.affordable()?.1)
    }

    /// The shorter of the ways to the end that are known, and how many tokens it takes.
    fn affordable(&self) -> Result<(Arc<[TokenId]>, usize), LimitError> {
        if self.has_ended() {
            return Ok((Arc::new([]), 0));
        }
        let way = self.way()?.tokens.clone();
        let reserved = self
            .reserved()
            .filter(|reserved| reserved.len() < way.len());
        let way = reserved.map_or(way, Arc::from);
        let needed = cost(self.constraint.vocabulary(), self.newest(), &way);
        Ok((way, needed))
    }

    /// Takes the deadline away, if there is one.
    pub fn clear_deadline(&mut self) {
        self.deadline = None;
    }

    /// How many tokens are left until the deadline, if there is one.
    pub fn tokens_left(&self) -> Option<usize> {
        let deadline = self.deadline.as_ref()?;
        Some(deadline.left(self.len()))
    }

    /// What is reserved of the tokens left.
    pub(super) fn reserved(&self) -> Option<&[TokenId]> {
        Some(self.deadline.as_ref()?.way(self.len()))
    }

    /// Whether no token is left.
    pub(super) fn is_spent(&self) -> bool {
        self.tokens_left() == Some(0)
    }

    /// The deadline after `token`, which the grammar allows here, and which `ends` the text or does not.
    pub(super) fn deadline_after(
        &self,
        token: TokenId,
        ends: bool,
    ) -> Result<Option<Deadline>, SessionError> {
        let Some(deadline) = &self.deadline else {
            return Ok(None);
        };
        let left = deadline.left(self.len());
        let Some(left) = left.checked_sub(1) else {
            return Err(SessionError::Ended);
        };
        if ends || deadline.way(self.len()).first() == Some(&token) {
            return Ok(Some(deadline.clone()));
        }
        let bounds = self.constraint.bounds(&self.live, self.state)?;
        let at = (self.state, &*bounds);
        match self.constraint.way_after(&self.live, at, token)? {
            Some((cost, way)) if cost <= left => {
                Ok(Some(deadline.with(self.len() + 1, way.tokens.clone())))
            }
            _ => Err(SessionError::NotAllowed { token }),
        }
    }

    /// Writes the mask of the tokens after which the deadline can be kept into `row`, if there are others.
    pub(super) fn fill_affordable(&self, row: &mut [u32]) -> Result<bool, LimitError> {
        let Some(left) = self.tokens_left() else {
            return Ok(false);
        };
        let bounds = self.constraint.bounds(&self.live, self.state)?;
        let left = left.saturating_sub(1);
        if left >= bounds.greatest() {
            return Ok(false);
        }
        row::copy(row, bounds.row(left));
        let next = self.reserved().and_then(<[TokenId]>::first);
        if let Some(&next) = next.filter(|&&next| bounds.has(next)) {
            row::insert(row, next);
        }
        Ok(true)
    }
}
