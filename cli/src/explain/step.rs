//! The way through a text, token by token: at each, what may come next.

use std::sync::Arc;
use std::time::Instant;

use maskwright::base::TokenId;
use maskwright::session::{Constraint, Explainer, Reason, Session};

use super::schemas::{Place, Schemas};
use crate::failure::Failure;
use crate::source::Source;
use crate::split::{Part, Splitter};
use crate::vocabulary::{Tokenise, Tokens};

/// How many of a reason's tokens are shown.
const SAMPLES: usize = 12;

/// One token of the text.
pub(super) struct Piece {
    pub(super) token: TokenId,
    pub(super) text: String,
}

/// What may come next at one place of the text.
pub(super) struct Step {
    /// The token that does come; none at the end of the text.
    pub(super) token: Option<String>,
    /// How many tokens may come, of how many.
    pub(super) allowed: usize,
    pub(super) all: usize,
    pub(super) may_end: bool,
    /// How long the mask took, in microseconds: when it was first asked for, and again.
    pub(super) first_us: f64,
    pub(super) again_us: f64,
    pub(super) groups: Vec<Group>,
}

/// Tokens that may come for one reason.
pub(super) struct Group {
    pub(super) reason: Reason,
    pub(super) places: Vec<Place>,
    /// Whether the token that does come is among them.
    pub(super) comes: bool,
    /// Some of the tokens.
    pub(super) samples: Vec<String>,
}

/// A session and its explainer on their way.
pub(super) struct Walk<'a> {
    constraint: Constraint,
    session: Session,
    explainer: Explainer,
    tokeniser: Arc<dyn Tokenise>,
    splitter: Splitter<'a>,
    row: Vec<u32>,
    so_far: Vec<u8>,
}

impl<'a> Walk<'a> {
    /// At the beginning of a text of `source`, or where its prompt ends.
    pub(super) fn new(source: &'a Source, tokens: &'a Tokens) -> Result<Self, Failure> {
        let constraint = source.compile(tokens)?;
        Ok(Self {
            session: source.session(&constraint)?,
            explainer: source.explainer(&constraint)?,
            tokeniser: tokens.tokeniser()?,
            splitter: Splitter::new(source.controls(), tokens.vocabulary()),
            row: vec![0; constraint.vocabulary().mask_words()],
            so_far: Vec::new(),
            constraint,
        })
    }

    /// The text as tokens.
    pub(super) fn parts(&self, text: &str) -> Result<Vec<Piece>, Failure> {
        let vocabulary = self.constraint.vocabulary();
        let mut pieces = Vec::new();
        let (mut from, mut at) = (0, 0);
        for part in self.splitter.parts(text) {
            let special = match part {
                Part::Control(name) => vocabulary.special(name).map(|token| (token, name)),
                Part::Byte(_) => None,
            };
            if let Some((token, name)) = special {
                self.ordinary(&text[from..at], &mut pieces);
                let text = name.to_owned();
                pieces.push(Piece { token, text });
                from = at + name.len();
            }
            at += part.len();
        }
        self.ordinary(&text[from..], &mut pieces);
        Ok(pieces)
    }

    fn ordinary(&self, text: &str, pieces: &mut Vec<Piece>) {
        if text.is_empty() {
            return;
        }
        for token in self.tokeniser.tokenise(text) {
            let text = self.spelt(token);
            pieces.push(Piece { token, text });
        }
    }

    /// Goes on by a token; `false` where it may not come.
    pub(super) fn read(&mut self, piece: &Piece) -> bool {
        let read =
            self.session.accept(piece.token).is_ok() && self.explainer.accept(piece.token).is_ok();
        if read {
            let bytes = self.bytes(piece.token).to_vec();
            self.so_far.extend(bytes);
        }
        read
    }

    /// The text that was read.
    pub(super) fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.so_far).into_owned()
    }

    /// What may come next, of which `piece` does.
    pub(super) fn step(
        &mut self,
        schemas: &Schemas,
        piece: Option<&Piece>,
    ) -> Result<Step, Failure> {
        let fail = |error: &dyn std::fmt::Display| Failure::new(error.to_string());
        let (first_us, again_us) = (self.timed()?, self.timed()?);
        let reasons = self.explainer.reasons().map_err(|e| fail(&e))?;
        let token = piece.map(|piece| piece.token);
        let groups = reasons
            .into_iter()
            .map(|reason| self.group(reason, schemas, token));
        Ok(Step {
            token: piece.map(|piece| piece.text.clone()),
            allowed: self.row.iter().map(|word| word.count_ones() as usize).sum(),
            all: self.constraint.vocabulary().len(),
            may_end: self.explainer.may_end(),
            first_us,
            again_us,
            groups: groups.collect(),
        })
    }

    /// Fills the row with the mask.
    fn timed(&mut self) -> Result<f64, Failure> {
        if self.session.has_ended() {
            self.row.fill(0);
            return Ok(0.0);
        }
        let start = Instant::now();
        let masked = self.session.mask(&mut self.row);
        let took = start.elapsed().as_secs_f64() * 1e6;
        masked.map_err(|error| Failure::new(error.to_string()))?;
        Ok(took)
    }

    fn group(&self, reason: Reason, schemas: &Schemas, token: Option<TokenId>) -> Group {
        let subject = reason.subject.as_deref();
        let pointers = reason.pointers.iter();
        let places = pointers.map(|pointer| schemas.place(subject, pointer, &reason.rule));
        Group {
            places: places.collect(),
            comes: token.is_some_and(|token| reason.tokens.binary_search(&token).is_ok()),
            samples: self.samples(&reason, token),
            reason,
        }
    }

    /// Some of the tokens: the one that comes, then the shortest, those of white space alone after all others.
    fn samples(&self, reason: &Reason, coming: Option<TokenId>) -> Vec<String> {
        let mut tokens = reason.tokens.clone();
        tokens.sort_by_cached_key(|&token| {
            let text = self.spelt(token);
            (Some(token) != coming, text.trim().is_empty(), text.len())
        });
        tokens.truncate(SAMPLES);
        tokens.into_iter().map(|token| self.spelt(token)).collect()
    }

    /// The bytes of a token, or the name of a special one.
    fn bytes(&self, token: TokenId) -> &[u8] {
        let vocabulary = self.constraint.vocabulary();
        let name = || vocabulary.special_name(token).unwrap_or_default();
        vocabulary.bytes(token).unwrap_or_else(|| name().as_bytes())
    }

    /// The same as text; pieces of characters in hexadecimal.
    fn spelt(&self, token: TokenId) -> String {
        let mut text = String::new();
        for chunk in self.bytes(token).utf8_chunks() {
            text.push_str(chunk.valid());
            let pieces = chunk.invalid().iter();
            text.extend(pieces.map(|byte| format!("‹{byte:02x}›")));
        }
        text
    }
}
