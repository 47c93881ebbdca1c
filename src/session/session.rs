//! One sequence under a constraint.

use super::anchors::Anchors;
use super::history::History;
use super::lead::Lead;
use super::live::Live;
use super::reserve::Deadline;
use super::{Constraint, SessionError};
use crate::base::{LimitError, Part, TokenId};
use crate::machine::{Adoption, Cost, StateId};
use crate::vocab::TokenKind;

/// One sequence under a [`Constraint`]: a state and the tokens accepted so far. A clone is a fork:
/// it costs nothing, shares the history, and goes its own way.
///
/// A call that fails leaves the session as it was.
#[derive(Clone, Debug)]
pub struct Session {
    pub(super) constraint: Constraint,
    pub(super) live: Live,
    pub(super) state: StateId,
    /// The state before the first token.
    first: StateId,
    /// So many tokens were accepted when the session moved to this generation: the states before
    /// them are another's.
    moved: usize,
    /// Some of the states from before that.
    anchors: Anchors,
    /// Whether an end token was accepted, as the newest token.
    ended: bool,
    history: History,
    pub(super) deadline: Option<Deadline>,
}

impl Constraint {
    /// A session at the beginning of a text.
    pub fn session(&self) -> Session {
        let live = self.live();
        let state = live.start;
        Session::new(self.clone(), live, state)
    }

    /// A session that goes on where `parts`, the beginning of a text, end: what a prompt has of a
    /// turn already. It is no part of the session's tokens.
    ///
    /// # Errors
    /// [`SessionError::Lead`] where no text begins so, [`SessionError::Limit`].
    pub fn session_after<'a>(
        &self,
        parts: impl IntoIterator<Item = Part<'a>>,
    ) -> Result<Session, SessionError> {
        let lead: Lead = parts.into_iter().collect();
        let (live, state) = lead.read(self.recogniser())?.into_parts();
        Ok(Session::new(self.clone(), live, state))
    }
}

impl Session {
    fn new(constraint: Constraint, live: Live, state: StateId) -> Self {
        Self {
            constraint,
            live,
            state,
            first: state,
            moved: 0,
            anchors: Anchors::default(),
            ended: false,
            history: History::default(),
            deadline: None,
        }
    }

    /// The constraint it runs under.
    pub fn constraint(&self) -> &Constraint {
        &self.constraint
    }

    /// Writes the tokens that may come next into `row`: bit `id & 31` of word `id >> 5`.
    ///
    /// # Errors
    /// [`SessionError::RowLength`], with `row` untouched; [`SessionError::Ended`] after an end
    /// token and [`SessionError::Limit`], with `row` all zero.
    pub fn mask(&self, row: &mut [u32]) -> Result<(), SessionError> {
        self.write_mask(row, Constraint::fill)
    }

    /// Writes what [`Session::mask`] writes, by the definition: a walk over the whole vocabulary
    /// with nothing remembered. Milliseconds; for tests.
    ///
    /// # Errors
    /// As [`Session::mask`].
    pub fn reference_mask(&self, row: &mut [u32]) -> Result<(), SessionError> {
        self.write_mask(row, Constraint::fill_by_reference)
    }

    fn write_mask(
        &self,
        row: &mut [u32],
        fill: impl Fn(&Constraint, &Live, StateId, &mut [u32]) -> Result<(), LimitError>,
    ) -> Result<(), SessionError> {
        let needed = self.constraint.vocabulary().mask_words();
        if row.len() != needed {
            return Err(SessionError::RowLength {
                given: row.len(),
                needed,
            });
        }
        if self.ended || self.is_spent() {
            row.fill(0);
            return Err(SessionError::Ended);
        }
        let fill = |session: &Self, row: &mut [u32]| match session.fill_affordable(row)? {
            true => Ok(()),
            false => fill(&session.constraint, &session.live, session.state, row),
        };
        // What is kept needs no room.
        let is_kept = || self.deadline.is_none() && self.live.knows_mask(self.state);
        let filled = match self.live.generation.mark().is_full() && is_kept() {
            true => fill(self, row),
            false => self.with_room(|session| fill(session, row)),
        };
        filled.map_err(|error| {
            row.fill(0);
            SessionError::Limit(error)
        })
    }

    /// What `ask` answers, of this session or of a fork that has moved to a fresh generation: so that no answer depends
    /// on how much room there is left here.
    pub(super) fn with_room<T, E: From<LimitError>>(
        &self,
        mut ask: impl FnMut(&Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let generation = &self.live.generation;
        let is_full = || generation.mark().is_full();
        if !is_full() {
            let began = generation.cost();
            let answer = ask(self);
            self.tidy_after(began);
            // What is too much for one answer is so anywhere.
            let is_too_much = || generation.check_answer(began).is_err();
            if answer.is_ok() || !is_full() || is_too_much() {
                return answer;
            }
        }
        let mut fork = self.fork();
        fork.renew()?;
        let began = fork.live.generation.cost();
        let answer = ask(&fork);
        fork.tidy_after(began);
        answer
    }

    /// Drops as much of the generations that were left as was made since so much was spent.
    fn tidy_after(&self, began: Cost) {
        let worked = self.live.generation.worked();
        self.constraint.tidy(worked.wrapping_sub(began.steps));
    }

    /// Whether [`Session::accept`] would take `token`.
    ///
    /// # Errors
    /// [`SessionError::Limit`]: that there was no room for an answer is no answer.
    pub fn allows(&self, token: TokenId) -> Result<bool, SessionError> {
        Ok(self.validate(&[token])? == 1)
    }

    /// Appends `token`.
    ///
    /// # Errors
    /// [`SessionError::NotAllowed`] where the mask does not have it, [`SessionError::Ended`] after
    /// an end token, [`SessionError::Limit`].
    pub fn accept(&mut self, token: TokenId) -> Result<(), SessionError> {
        if self.live.generation.mark().is_set() {
            self.heed()?;
        }
        if let Some(to) = self.known(token) {
            self.history.push(token, self.state);
            self.state = to;
            return Ok(());
        }
        let generation = &self.live.generation;
        let began = generation.cost();
        let after = self.after(token);
        let is_for_room = matches!(after, Err(SessionError::Limit(_)))
            && generation.mark().is_full()
            && generation.check_answer(began).is_ok();
        let after = match is_for_room {
            true => {
                self.renew()?;
                self.after(token)
            }
            false => after,
        };
        let ((state, ended), deadline) = after?;
        // A fresh generation has worked for this answer alone.
        let worked = self.live.generation.worked();
        self.constraint
            .tidy(worked.checked_sub(began.steps).unwrap_or(worked));
        self.history.push(token, self.state);
        (self.state, self.ended, self.deadline) = (state, ended, deadline);
        Ok(())
    }

    /// Where `token` leads as text, if each of its bytes was asked for before; then nothing is spent.
    ///
    /// PERF: with it, warm accepts take 0.11 µs for 0.16 in the mean over MaskBench in any order (`maskbench`, 2 quiet cores, a
    /// build of before both beside each).
    #[inline]
    fn known(&self, token: TokenId) -> Option<StateId> {
        let generation = &self.live.generation;
        let is_text = !self.ended && !self.constraint.is_ordinary_end(token);
        let bytes = self.constraint.vocabulary().bytes(token);
        let bytes = bytes.filter(|_| is_text && self.deadline.is_none())?;
        let from = generation.state(self.state);
        if !from.controls.is_empty() {
            return None;
        }
        let step = |at, &byte| generation.known(at, byte);
        let to = bytes.iter().try_fold(self.state, step)?;
        (to != StateId::DEAD).then_some(to)
    }

    /// Where `token` leads, whether it ends the text, and the deadline after it.
    fn after(&self, token: TokenId) -> Result<((StateId, bool), Option<Deadline>), SessionError> {
        let next = self.next((self.state, self.ended), token)?;
        let (_, ends) = next;
        Ok((next, self.deadline_after(token, ends)?))
    }

    /// How many of `tokens`, from the first, would be accepted. The session stays as it is.
    ///
    /// # Errors
    /// [`SessionError::Limit`] where a limit is met before a token is refused.
    pub fn validate(&self, tokens: &[TokenId]) -> Result<usize, SessionError> {
        if self.deadline.is_some() {
            return self.fork().accept_from(tokens);
        }
        if self.live.generation.mark().is_full() {
            let mut fork = self.fork();
            fork.renew()?;
            return fork.count_accepted(tokens);
        }
        self.count_accepted(tokens)
    }

    fn count_accepted(&self, tokens: &[TokenId]) -> Result<usize, SessionError> {
        let mut at = (self.state, self.ended);
        for (count, &token) in tokens.iter().enumerate() {
            match self.next(at, token) {
                Ok(next) => at = next,
                // The tokens before have taken the room that was left: a fork finds more for the others.
                Err(SessionError::Limit(_)) if self.live.generation.mark().is_full() => {
                    let mut fork = self.fork();
                    (fork.state, fork.ended) = at;
                    return Ok(count + fork.accept_from(&tokens[count..])?);
                }
                Err(error @ SessionError::Limit(_)) => return Err(error),
                Err(_) => return Ok(count),
            }
        }
        Ok(tokens.len())
    }

    /// Accepts `tokens` up to one that is refused, and says how many.
    fn accept_from(&mut self, tokens: &[TokenId]) -> Result<usize, SessionError> {
        for (count, &token) in tokens.iter().enumerate() {
            match self.accept(token) {
                Ok(()) => {}
                Err(error @ SessionError::Limit(_)) => return Err(error),
                Err(_) => return Ok(count),
            }
        }
        Ok(tokens.len())
    }

    /// Takes back the newest `count` tokens, end tokens included.
    ///
    /// The cost is that of `count` links of a list. Where more than 64 are taken back, from before the constraint's states
    /// were made room for ([`Limits::machine_bytes`]), tokens before them may have to be accepted anew: about `count`, or all
    /// where that is more than 4,096.
    ///
    /// [`Limits::machine_bytes`]: crate::base::Limits::machine_bytes
    ///
    /// # Errors
    /// [`SessionError::Rollback`] where fewer were accepted, [`SessionError::Limit`].
    pub fn rollback(&mut self, count: usize) -> Result<(), SessionError> {
        let accepted = self.history.len();
        if count > accepted {
            return Err(SessionError::Rollback {
                asked: count,
                accepted,
            });
        }
        let left = accepted - count;
        let deadline = self.deadline.as_ref();
        let deadline = deadline.map(|deadline| deadline.back_at(left, || self.tokens()));
        if left < self.moved {
            self.replay(left)?;
        } else {
            for _ in 0..count {
                if let Some(before) = self.history.pop() {
                    self.state = before;
                    self.ended = false;
                }
            }
        }
        self.deadline = deadline;
        Ok(())
    }

    /// Goes back to where the first `left` tokens were accepted, which was in another generation.
    fn replay(&mut self, left: usize) -> Result<(), SessionError> {
        let mut again = self.clone();
        let (length, state) = self.anchors.before(left).unwrap_or((0, self.first));
        while again.history.len() > left {
            again.history.pop();
        }
        let tokens = again.history.last(left - length);
        while again.history.len() > length {
            again.history.pop();
        }
        (again.state, again.moved) = (state, length);
        (again.ended, again.deadline) = (false, None);
        for token in tokens {
            again.accept(token)?;
        }
        *self = again;
        Ok(())
    }

    /// Goes back to the beginning, where there is no deadline.
    pub fn reset(&mut self) {
        self.history = History::default();
        self.deadline = None;
        (self.state, self.ended, self.moved) = (self.first, false, 0);
        self.anchors = Anchors::default();
    }

    /// A copy that goes its own way.
    #[must_use]
    pub fn fork(&self) -> Self {
        self.clone()
    }

    /// Whether the text may end here, or has ended.
    pub fn may_end(&self) -> bool {
        self.ended || self.live.generation.state(self.state).accepting
    }

    /// Whether only end tokens may follow, or one has.
    pub fn is_finished(&self) -> bool {
        let state = self.live.generation.state(self.state);
        let is_last = self.tokens_left().is_some_and(|left| left <= 1);
        self.ended || (state.accepting && (state.items.is_empty() || is_last))
    }

    /// Whether an end token was accepted: nothing may follow.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// The tokens accepted so far, oldest first.
    pub fn tokens(&self) -> Vec<TokenId> {
        self.history.tokens()
    }

    /// The newest token accepted.
    pub(super) fn newest(&self) -> Option<TokenId> {
        self.history.newest()
    }

    /// The number of tokens accepted so far.
    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// Whether no token was accepted yet.
    pub fn is_empty(&self) -> bool {
        self.history.len() == 0
    }

    /// Where `token` leads, and whether it ends the text.
    fn next(
        &self,
        (state, ended): (StateId, bool),
        token: TokenId,
    ) -> Result<(StateId, bool), SessionError> {
        if ended {
            return Err(SessionError::Ended);
        }
        let generation = &self.live.generation;
        let vocabulary = self.constraint.vocabulary();
        let mut to = StateId::DEAD;
        let is_text = !self.constraint.is_ordinary_end(token);
        if is_text && vocabulary.kind(token) == TokenKind::Ordinary {
            to = state;
            let began = generation.cost();
            let mut worked = began.steps;
            for &byte in vocabulary.bytes(token).unwrap_or_default() {
                to = generation.advance(to, byte)?;
                // What is known has cost nothing.
                if generation.worked() != worked {
                    generation.check_answer(began)?;
                    worked = generation.worked();
                }
                if to == StateId::DEAD {
                    break;
                }
            }
        }
        if !generation.state(state).controls.is_empty() {
            to = generation.either(to, generation.advance_token(state, token)?)?;
        }
        if to != StateId::DEAD {
            return Ok((to, false));
        }
        if generation.state(state).accepting && self.constraint.stop_tokens().contains(&token) {
            return Ok((state, true));
        }
        Err(SessionError::NotAllowed { token })
    }

    /// Does what those in its generation are to do: says that it is in use, or leaves it.
    #[cold]
    fn heed(&mut self) -> Result<(), LimitError> {
        if !self.live.is_asked_to_be_left() {
            return Ok(());
        }
        let generation = self.live.generation.clone();
        let mark = generation.mark();
        match self.renew() {
            // Others want the room, but what is open is too much to be taken along.
            Err(_) if !mark.is_full() => {
                mark.stay();
                Ok(())
            }
            moved => moved,
        }
    }

    /// Moves to a fresh generation.
    fn renew(&mut self) -> Result<(), LimitError> {
        let live = self.constraint.renewed(&self.live)?;
        let mut adoption = Adoption::default();
        let mut adopt = |state| {
            let old = &self.live.generation;
            live.generation.adopt((old, state), &mut adoption)
        };
        let (first, state) = (adopt(self.first)?, adopt(self.state)?);
        let anchors = self.anchors.moved(&self.history, self.moved, adopt);
        let worked = live.generation.worked();
        (self.first, self.state) = (first, state);
        (self.live, self.moved, self.anchors) = (live, self.history.len(), anchors);
        self.constraint.tidy(worked);
        Ok(())
    }
}
