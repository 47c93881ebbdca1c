//! The harness of all that samples: turns under the mask, one after the other, each one judged.

use std::time::Instant;

use anstyle::AnsiColor;
use maskwright::base::TokenId;
use maskwright::session::{Constraint, Session, SessionError};
use maskwright::vocab::Vocabulary;

use super::failure::Failure;
use super::judge::{Judge, TextEnd};
use super::sampler::{Classes, Kind, Sampler, SamplerConfig, Scripts};
use super::statistics::Histogram;
use super::words::words;

/// The control tokens that the vocabulary lacks, in ordinary tokens.
fn spelt_controls(constraint: &Constraint) -> Vec<Vec<TokenId>> {
    let spell = |name: &str| constraint.vocabulary().longest_tokens(name.as_bytes());
    constraint.spelt_controls().map(spell).collect()
}

/// The vocabulary as the sampler sees it.
pub(crate) fn classes(vocabulary: &Vocabulary) -> Classes {
    Classes::new(vocabulary.len(), |id| match vocabulary.bytes(id) {
        Some(bytes) => Kind::Text(bytes),
        None if vocabulary.end_tokens().contains(&id) => Kind::End,
        None => Kind::Control,
    })
}

/// Turns one after the other.
pub(crate) struct Generator<'a> {
    /// Where each turn begins.
    start: Session,
    judge: &'a Judge,
    sampler: Sampler<'a>,
    scripts: Scripts,
    max_tokens: usize,
    spent: Spent,
    /// How long the masks took, in nanoseconds.
    pub(crate) masks: Histogram,
}

/// What becomes of a turn that has spent its tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spent {
    /// It has ended: that is its deadline.
    Ended,
    /// It is left unfinished.
    Cut,
    /// It is led to its end; it goes on for as long as that takes.
    Led,
}

/// A turn that was generated.
pub(crate) struct Turn {
    pub(crate) text: String,
    pub(crate) tokens: usize,
    /// Its tokens, without the end token.
    pub(crate) ids: Vec<TokenId>,
    pub(crate) outcome: Outcome,
}

/// What became of a turn.
pub(crate) enum Outcome {
    Valid,
    /// It came to its end, and there is no judge.
    NotJudged,
    Unfinished,
    Invalid(String),
}

impl Outcome {
    /// What people are told, and in which colour.
    pub(crate) fn shown(&self) -> (AnsiColor, &str) {
        match self {
            Self::Valid => (AnsiColor::Green, "valid"),
            Self::NotJudged => (AnsiColor::Yellow, "not judged"),
            Self::Unfinished => (AnsiColor::Yellow, "unfinished"),
            Self::Invalid(error) => (AnsiColor::Red, error),
        }
    }

    /// Whether it is valid, if that is known, and what is wrong.
    pub(crate) fn verdict(&self) -> (Option<bool>, Option<&str>) {
        match self {
            Self::Valid => (Some(true), None),
            Self::NotJudged | Self::Unfinished => (None, None),
            Self::Invalid(error) => (Some(false), Some(error)),
        }
    }
}

impl<'a> Generator<'a> {
    /// Turns that begin at `start` and are judged by `judge`.
    pub(crate) fn new(
        start: Session,
        judge: &'a Judge,
        classes: &'a Classes,
        config: SamplerConfig,
        spent: Spent,
    ) -> Self {
        let controls = spelt_controls(start.constraint());
        Self {
            start,
            judge,
            max_tokens: config.max_tokens,
            sampler: Sampler::new(classes, config),
            scripts: Scripts {
                controls,
                ..Scripts::default()
            },
            spent,
            masks: Histogram::default(),
        }
    }

    /// Lets the sampler know the words of a JSON text with schemas, and of instances.
    pub(crate) fn with_words<'t>(
        mut self,
        schemas: &str,
        instances: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let vocabulary = self.start.constraint().vocabulary();
        self.scripts = Scripts {
            controls: self.scripts.controls,
            ..words(schemas, instances, vocabulary)
        };
        self
    }

    /// Generates a turn, giving each token to `show`.
    pub(crate) fn turn(
        &mut self,
        show: &mut dyn FnMut(&Vocabulary, TokenId) -> std::io::Result<()>,
    ) -> Result<Turn, Failure> {
        let mut session = self.start.fork();
        if self.spent == Spent::Ended {
            session.deadline(self.max_tokens).map_err(too_few)?;
        }
        let fault = self.write(&mut session, show)?;
        let constraint = session.constraint().clone();
        let vocabulary = constraint.vocabulary();
        let (mut tokens, length) = (session.tokens(), session.len());
        if session.has_ended() {
            tokens.pop();
        }
        let end = match session.is_finished() {
            true => TextEnd::Reached,
            false => TextEnd::Cut,
        };
        let outcome = match (fault, self.judge.judge(vocabulary, &tokens, end), end) {
            (Some(error), ..) | (None, Err(error), _) => Outcome::Invalid(error),
            (None, Ok(()), TextEnd::Cut) => Outcome::Unfinished,
            (None, Ok(()), TextEnd::Reached) if self.judge.is_nobody() => Outcome::NotJudged,
            (None, Ok(()), TextEnd::Reached) => Outcome::Valid,
        };
        Ok(Turn {
            text: spelt(vocabulary, &tokens),
            tokens: length,
            ids: tokens,
            outcome,
        })
    }

    /// Writes a turn, and says what went wrong.
    fn write(
        &mut self,
        session: &mut Session,
        show: &mut dyn FnMut(&Vocabulary, TokenId) -> std::io::Result<()>,
    ) -> Result<Option<String>, Failure> {
        let constraint = session.constraint().clone();
        let vocabulary = constraint.vocabulary();
        self.sampler.begin_turn();
        let mut row = vec![0; vocabulary.mask_words()];
        let mut way = Vec::new();
        while !session.is_finished() && (self.spent == Spent::Led || !self.has_spent(session)) {
            match self.step(session, &mut row, &mut way) {
                // The end token is no part of the text.
                Ok(_) if session.has_ended() => {}
                Ok(tokens) => tokens
                    .into_iter()
                    .try_for_each(|token| show(vocabulary, token))?,
                Err(error) => return Ok(Some(error)),
            }
        }
        Ok(None)
    }

    fn has_spent(&self, session: &Session) -> bool {
        session.len() >= self.max_tokens
    }

    /// Goes on by one token or a few, along `way` where the turn is led.
    fn step(
        &mut self,
        session: &mut Session,
        row: &mut [u32],
        way: &mut Vec<TokenId>,
    ) -> Result<Vec<TokenId>, String> {
        let has_spent = self.has_spent(session);
        let tokens = if self.spent != Spent::Led || !has_spent && self.sampler.strays() {
            way.clear();
            self.choose(session, row)?
        } else {
            if way.is_empty() {
                *way = way_out(session)?;
            }
            let stride = match has_spent {
                true => way.len(),
                false => self.sampler.stride(way.len()).min(way.len()),
            };
            way.drain(..stride).collect()
        };
        for &token in &tokens {
            session.accept(token).map_err(|error| error.to_string())?;
        }
        Ok(tokens)
    }

    fn choose(&mut self, session: &Session, row: &mut [u32]) -> Result<Vec<TokenId>, String> {
        let start = Instant::now();
        let masked = session.mask(row);
        self.masks
            .record(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        masked.map_err(|error| error.to_string())?;
        let fits = |script: &[TokenId]| {
            session
                .validate(script)
                .is_ok_and(|count| count == script.len())
        };
        Ok(match self.sampler.recite(row, &self.scripts, fits) {
            Some(script) => script.to_vec(),
            None => vec![self.sampler.choose(row).ok_or("the mask allows no token")?],
        })
    }
}

/// What to tell of a deadline that cannot be kept.
fn too_few(error: SessionError) -> Failure {
    let needed = match error {
        SessionError::Deadline { needed, .. } => Some(needed),
        _ => None,
    };
    let failure = Failure::new(error.to_string());
    match needed {
        Some(needed) => failure.hint(format!("give --max-tokens {needed} or more")),
        None => failure,
    }
}

/// The tokens of a way out; an end token where the text may end.
fn way_out(session: &Session) -> Result<Vec<TokenId>, String> {
    let mut way = session.way_out().map_err(|error| error.to_string())?;
    if way.is_empty() {
        way.extend(session.constraint().stop_tokens().first());
    }
    Ok(way)
}

fn spelt(vocabulary: &Vocabulary, tokens: &[TokenId]) -> String {
    let bytes = |&id: &TokenId| match vocabulary.bytes(id) {
        Some(bytes) => bytes,
        None => vocabulary.special_name(id).unwrap_or_default().as_bytes(),
    };
    let bytes: Vec<u8> = tokens.iter().flat_map(bytes).copied().collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
