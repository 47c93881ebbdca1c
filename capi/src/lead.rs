//! What stands before the first token of a session: the prompt of a turn, or the beginning of a text.

use super::failure::Failure;
use super::pointer::slice;
use super::text::MwText;
use maskwright::base::{Limits, Part, TokenId};
use maskwright::front::chat::{Format, Prompt};
use maskwright::reader::Reader;
use maskwright::session::{Constraint, Session, SessionError};
use maskwright::vocab::Vocabulary;

/// What stands before a session, by whoever says it.
#[derive(Clone)]
pub(super) enum Lead<'a> {
    /// Nothing.
    None,
    /// A text.
    Text(&'a str),
    /// Tokens of the vocabulary.
    Tokens(&'a [TokenId]),
    /// What a prompt has of the turn already.
    Prompt(Prompt),
}

/// The same, kept by a constraint: sessions begin behind it.
#[derive(Clone)]
pub(super) enum OwnedLead {
    Text(Box<str>),
    Tokens(Box<[TokenId]>),
    Prompt(Prompt),
}

impl<'a> Lead<'a> {
    /// Reads a text or tokens, of which a host gives one at most; `name` is that of the option.
    ///
    /// # Safety
    /// The host's: both can be read during `'a`.
    pub(super) unsafe fn read(
        text: MwText,
        (tokens, count): (*const u32, usize),
        name: &str,
    ) -> Result<Option<Self>, Failure> {
        // SAFETY: as above; a `TokenId` is a `u32`.
        let (text, tokens) = unsafe {
            let text = text.read(&format!("options.{name}"))?;
            let tokens = slice(
                tokens.cast::<TokenId>(),
                count,
                &format!("options.{name}_tokens"),
            )?;
            (text, tokens)
        };
        match (text, tokens) {
            (Some(_), [_, ..]) => Err(Failure::invalid(format!(
                "give `options.{name}` or `options.{name}_tokens`, and not both"
            ))),
            (Some(text), []) => Ok(Some(Self::Text(text))),
            (None, []) => Ok(None),
            (None, tokens) => Ok(Some(Self::Tokens(tokens))),
        }
    }

    /// What it says as a prompt of `format`, before the rule `start`.
    pub(super) fn prompt(
        &self,
        (format, start): (&Format, &str),
        vocabulary: Option<&Vocabulary>,
    ) -> Result<Prompt, Failure> {
        let limits = Limits::default();
        let prompt = match (self, vocabulary) {
            (Self::None, _) => Ok(Prompt::default()),
            (Self::Prompt(prompt), _) => Ok(prompt.clone()),
            (Self::Text(text), _) => Prompt::of_text_before(format, start, text, &limits),
            (Self::Tokens(_), None) => {
                let message = "`options.prompt_tokens` cannot be read without a vocabulary";
                return Err(Failure::invalid(message));
            }
            (Self::Tokens(tokens), Some(vocabulary)) => {
                let parts = parts(tokens, vocabulary, "prompt_tokens")?;
                let specials: Vec<_> = vocabulary.specials().map(|(name, _)| name).collect();
                Prompt::of_parts_before(format, start, parts, &specials, &limits)
            }
        };
        prompt.map_err(|error| Failure::invalid(format!("`options.prompt`: {error}")))
    }

    /// The same, to be kept.
    pub(super) fn owned(&self) -> Option<OwnedLead> {
        match self {
            Self::None => None,
            Self::Text(text) => Some(OwnedLead::Text((*text).into())),
            Self::Tokens(tokens) => Some(OwnedLead::Tokens((*tokens).into())),
            Self::Prompt(prompt) => {
                let is_within = prompt.lead().next().is_some();
                is_within.then(|| OwnedLead::Prompt(prompt.clone()))
            }
        }
    }
}

impl OwnedLead {
    /// A session behind it.
    pub(super) fn session(&self, constraint: &Constraint) -> Result<Session, Failure> {
        let session = match self {
            Self::Text(text) => constraint.session_after([Part::Text(text.as_bytes())]),
            Self::Tokens(tokens) => {
                constraint.session_after(parts(tokens, constraint.vocabulary(), "lead_tokens")?)
            }
            Self::Prompt(prompt) => constraint.session_after(prompt.lead()),
        };
        session.map_err(|error| match error {
            SessionError::Lead { .. } => {
                Failure::invalid("`options.lead` or the prompt: no text of the language begins so")
            }
            error => error.into(),
        })
    }
}

impl Lead<'_> {
    /// Has a reader begin behind it.
    pub(super) fn skip(
        lead: Option<&OwnedLead>,
        reader: &mut Reader,
        over: Option<&Vocabulary>,
    ) -> Result<(), Failure> {
        let skipped = match (lead, over) {
            (None, _) => Ok(()),
            (Some(OwnedLead::Text(text)), _) => reader.skip_parts([Part::Text(text.as_bytes())]),
            (Some(OwnedLead::Prompt(prompt)), _) => reader.skip_parts(prompt.lead()),
            (Some(OwnedLead::Tokens(tokens)), Some(vocabulary)) => {
                reader.skip_parts(parts(tokens, vocabulary, "lead_tokens")?)
            }
            (Some(OwnedLead::Tokens(_)), None) => {
                let message = "`options.lead_tokens` cannot be read without a vocabulary";
                return Err(Failure::invalid(message));
            }
        };
        skipped.map_err(|_| {
            Failure::invalid("`options.lead` or the prompt: no turn of the format begins so")
        })
    }
}

/// What the tokens spell.
fn parts<'v>(
    tokens: &[TokenId],
    vocabulary: &'v Vocabulary,
    name: &str,
) -> Result<Vec<Part<'v>>, Failure> {
    let part = |&token: &TokenId| {
        vocabulary.part(token).ok_or_else(|| {
            let token = token.get();
            Failure::invalid(format!(
                "`options.{name}`: the vocabulary has no token {token}"
            ))
        })
    };
    tokens.iter().map(part).collect()
}
