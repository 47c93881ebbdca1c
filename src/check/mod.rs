//! The promise, as code.
//!
//! [`drive`] takes a session of any constraint through a stream of choices and verifies at each step
//! what the engine promises. Property tests, fuzz targets and hosts are thin callers of it.

pub mod fuzz;

use crate::base::TokenId;
use crate::session::{Constraint, Session, SessionError};
use crate::vocab::{TokenKind, row};

/// What the bytes of a text are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// Characters in UTF-8, as schemas and grammars of characters promise.
    #[default]
    Utf8,
    /// Any bytes, which is what a grammar of bytes may ask for.
    Bytes,
}

/// How thoroughly and how far [`drive`] goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckConfig {
    /// Steps after which the session is left unfinished.
    pub steps: usize,
    /// From this step on, choices lean towards the end of the text.
    pub hurry_from: usize,
    /// The mask is compared with the reference walk at every step that this divides; 0 for never.
    pub reference_every: usize,
    /// How many tokens are tried against the mask at each step.
    pub probes: usize,
    /// What texts consist of: each is held to it after every token.
    pub encoding: Encoding,
}

impl Default for CheckConfig {
    fn default() -> Self {
        Self {
            steps: 200,
            hurry_from: 60,
            reference_every: 1,
            probes: 8,
            encoding: Encoding::Utf8,
        }
    }
}

impl CheckConfig {
    /// Goes at most `steps` steps, leaning towards the end after `hurry_from`.
    #[must_use]
    pub fn steps(mut self, steps: usize, hurry_from: usize) -> Self {
        (self.steps, self.hurry_from) = (steps, hurry_from);
        self
    }

    /// Compares with the reference walk at every `every`th step; 0 for never.
    #[must_use]
    pub fn reference_every(mut self, every: usize) -> Self {
        self.reference_every = every;
        self
    }

    /// Holds texts to this encoding.
    #[must_use]
    pub fn encoding(mut self, encoding: Encoding) -> Self {
        self.encoding = encoding;
        self
    }
}

/// What a run came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The tokens accepted, without the end token.
    pub tokens: Vec<TokenId>,
    /// The bytes of the tokens, control tokens by their names.
    pub text: Vec<u8>,
    /// Whether the text was complete.
    pub complete: bool,
}

/// A promise that was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("after {} tokens: {broken}", tokens.len())]
pub struct Violation {
    /// What was promised and did not hold.
    pub broken: Broken,
    /// The tokens accepted until then.
    pub tokens: Vec<TokenId>,
}

/// The promises.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Broken {
    /// The mask is not what the definition gives.
    #[error("the mask and the reference walk disagree on token {}", .0.get())]
    Reference(TokenId),
    /// No token is allowed, and the text has not ended.
    #[error("the mask is empty")]
    Empty,
    /// `accept` and the mask disagree.
    #[error("the mask says {allowed} of token {}, accepting it says otherwise", token.get())]
    Accept {
        /// The token.
        token: TokenId,
        /// What the mask says.
        allowed: bool,
    },
    /// Taking a token back, or forking, did not bring the session back.
    #[error("rollback or fork did not restore the session")]
    Restore,
    /// What is forced is not what the mask allows.
    #[error("what is forced and the mask disagree")]
    Forced,
    /// The way out is not allowed, or does not lead to where the text may end.
    #[error("the way out does not lead to an end")]
    WayOut,
    /// The text, or the beginning of one, is not UTF-8.
    #[error("the text is not UTF-8")]
    Utf8,
    /// A judge refused a complete text.
    #[error("a judge refuses the text: {0}")]
    Judged(String),
    /// The session met an error of its own.
    #[error("{0}")]
    Session(SessionError),
}

/// Drives a new session of `constraint`: `choose(n)` gives a number below `n`, and `judge` is asked
/// about the text when it is complete.
///
/// # Errors
/// The first promise that does not hold.
pub fn drive(
    constraint: &Constraint,
    config: &CheckConfig,
    choose: &mut dyn FnMut(u32) -> u32,
    judge: &mut dyn FnMut(&Run) -> Result<(), String>,
) -> Result<Run, Violation> {
    let words = constraint.vocabulary().mask_words();
    let mut driver = Driver {
        session: constraint.session(),
        config,
        mask: vec![0; words],
        other: vec![0; words],
        step: 0,
        begun: Vec::new(),
    };
    driver.run(choose, judge).map_err(|broken| Violation {
        broken,
        tokens: driver.session.tokens(),
    })
}

struct Driver<'a> {
    session: Session,
    config: &'a CheckConfig,
    mask: Vec<u32>,
    other: Vec<u32>,
    step: usize,
    /// The bytes of the character that the text has begun.
    begun: Vec<u8>,
}

impl Driver<'_> {
    fn run(
        &mut self,
        choose: &mut dyn FnMut(u32) -> u32,
        judge: &mut dyn FnMut(&Run) -> Result<(), String>,
    ) -> Result<Run, Broken> {
        while self.step < self.config.steps {
            self.session.mask(&mut self.mask).map_err(Broken::Session)?;
            self.check_reference()?;
            self.check_forced()?;
            self.check_probes(choose)?;
            let token = self.choose(choose)?;
            self.check_restore(token)?;
            self.session.accept(token).map_err(Broken::Session)?;
            if self.session.has_ended() {
                return self.ended(judge);
            }
            self.check_encoding(token)?;
            self.step += 1;
        }
        self.check_way_out()?;
        Ok(self.outcome(self.session.may_end()))
    }

    /// Whether the text is UTF-8 so far, `token` being its last. What comes before and after the name of a control
    /// token are whole characters, and so is a text that may end.
    fn check_encoding(&mut self, token: TokenId) -> Result<(), Broken> {
        if self.config.encoding == Encoding::Bytes {
            return Ok(());
        }
        let bytes = self.session.constraint().vocabulary().bytes(token);
        self.begun.extend_from_slice(bytes.unwrap_or_default());
        let cut = match std::str::from_utf8(&self.begun) {
            Err(error) if error.error_len().is_some() => return Err(Broken::Utf8),
            Err(error) => error.valid_up_to(),
            Ok(_) => self.begun.len(),
        };
        self.begun.drain(..cut);
        let whole = bytes.is_none() || self.session.may_end();
        match whole && !self.begun.is_empty() {
            true => Err(Broken::Utf8),
            false => Ok(()),
        }
    }

    fn ended(&mut self, judge: &mut dyn FnMut(&Run) -> Result<(), String>) -> Result<Run, Broken> {
        let after = self.session.mask(&mut self.other);
        if after != Err(SessionError::Ended) || row::count(&self.other) != 0 {
            return Err(Broken::Restore);
        }
        self.session.rollback(1).map_err(Broken::Session)?;
        let run = self.outcome(true);
        judge(&run).map_err(Broken::Judged)?;
        Ok(run)
    }

    fn outcome(&self, complete: bool) -> Run {
        Run {
            tokens: self.session.tokens(),
            text: text(&self.session),
            complete,
        }
    }

    fn check_reference(&mut self) -> Result<(), Broken> {
        let every = self.config.reference_every;
        if every == 0 || !self.step.is_multiple_of(every) {
            return Ok(());
        }
        self.session
            .reference_mask(&mut self.other)
            .map_err(Broken::Session)?;
        let differs = self.mask.iter().zip(&self.other).position(|(a, b)| a != b);
        differs.map_or(Ok(()), |word| {
            let bit = (self.mask[word] ^ self.other[word]).trailing_zeros();
            Err(Broken::Reference(TokenId::new(word as u32 * 32 + bit)))
        })
    }

    fn check_forced(&mut self) -> Result<(), Broken> {
        let forced = self.session.forced_tokens(None).map_err(Broken::Session)?;
        if self.session.validate(&forced).map_err(Broken::Session)? != forced.len() {
            return Err(Broken::Forced);
        }
        let alone = row::count(&self.mask) == 1 && !self.session.may_end();
        if alone && forced.first() != row::tokens(&self.mask).next().as_ref() {
            return Err(Broken::Forced);
        }
        let bytes = self.session.forced_bytes().map_err(Broken::Session)?;
        let vocabulary = self.session.constraint().vocabulary();
        let agrees = |token| {
            let spelling = vocabulary.bytes(token).unwrap_or_default();
            let common = spelling.len().min(bytes.len());
            vocabulary.kind(token) == TokenKind::Ordinary && spelling[..common] == bytes[..common]
        };
        match bytes.is_empty() || row::tokens(&self.mask).take(64).all(agrees) {
            true => Ok(()),
            false => Err(Broken::Forced),
        }
    }

    fn check_way_out(&self) -> Result<(), Broken> {
        let mut session = self.session.fork();
        for token in session.way_out().map_err(Broken::Session)? {
            session.accept(token).map_err(|_| Broken::WayOut)?;
        }
        if !session.may_end() {
            return Err(Broken::WayOut);
        }
        let text = text(&session);
        match self.config.encoding == Encoding::Bytes || std::str::from_utf8(&text).is_ok() {
            true => Ok(()),
            false => Err(Broken::Utf8),
        }
    }

    fn check_probes(&mut self, choose: &mut dyn FnMut(u32) -> u32) -> Result<(), Broken> {
        let tokens = self.session.constraint().vocabulary().len() as u32;
        for probe in 0..self.config.probes {
            let token = match probe % 2 {
                0 => TokenId::new(choose(tokens)),
                _ => self.nth_allowed(choose)?,
            };
            let allowed = row::contains(&self.mask, token);
            let accepted = match self.session.fork().accept(token) {
                Ok(()) => true,
                // That there was no room for an answer is no answer.
                Err(error @ SessionError::Limit(_)) => return Err(Broken::Session(error)),
                Err(_) => false,
            };
            let allows = self.session.allows(token).map_err(Broken::Session)?;
            if allowed != accepted || allowed != allows {
                return Err(Broken::Accept { token, allowed });
            }
        }
        Ok(())
    }

    fn nth_allowed(&self, choose: &mut dyn FnMut(u32) -> u32) -> Result<TokenId, Broken> {
        let count = row::count(&self.mask);
        if count == 0 {
            return Err(Broken::Empty);
        }
        let index = choose(count as u32) as usize;
        row::tokens(&self.mask).nth(index).ok_or(Broken::Empty)
    }

    /// The next token: any, or, in a hurry, one that is likely to close something.
    fn choose(&mut self, choose: &mut dyn FnMut(u32) -> u32) -> Result<TokenId, Broken> {
        if self.step < self.config.hurry_from {
            return self.nth_allowed(choose);
        }
        let vocabulary = self.session.constraint().vocabulary();
        let closing = |token: &TokenId| match vocabulary.bytes(*token) {
            None => true,
            Some(bytes) => bytes.len() == 1 && b"\"]}),0".contains(&bytes[0]),
        };
        let closers: Vec<TokenId> = row::tokens(&self.mask).filter(closing).collect();
        // One time in eight anything goes, or the same two closers might alternate for ever.
        match closers.is_empty() || choose(8) == 0 {
            true => self.nth_allowed(choose),
            false => Ok(closers[choose(closers.len() as u32) as usize]),
        }
    }

    fn check_restore(&mut self, token: TokenId) -> Result<(), Broken> {
        let fork = self.session.fork();
        let before = (
            self.session.len(),
            self.session.may_end(),
            self.session.is_finished(),
        );
        self.session.accept(token).map_err(|error| match error {
            SessionError::Limit(_) => Broken::Session(error),
            _ => Broken::Accept {
                token,
                allowed: true,
            },
        })?;
        self.session.rollback(1).map_err(Broken::Session)?;
        let after = (
            self.session.len(),
            self.session.may_end(),
            self.session.is_finished(),
        );
        for session in [&self.session, &fork] {
            session.mask(&mut self.other).map_err(Broken::Session)?;
            if before != after || self.mask != self.other {
                return Err(Broken::Restore);
            }
        }
        Ok(())
    }
}

/// The bytes of the tokens accepted, control tokens by their names.
fn text(session: &Session) -> Vec<u8> {
    let vocabulary = session.constraint().vocabulary();
    let mut text = Vec::new();
    for token in session.tokens() {
        match vocabulary.special_name(token) {
            Some(name) => text.extend_from_slice(name.as_bytes()),
            None => text.extend_from_slice(vocabulary.bytes(token).unwrap_or_default()),
        }
    }
    text
}
