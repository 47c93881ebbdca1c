//! What a prompt says about the turn that follows it: where the turn begins, and what depends on the
//! conversation so far.
//!
//! The prompt is not judged here, only searched: for the last place where the assistant is to speak
//! (the format's rule `opening`), for calls and the ids they used, for flags of thoughts, and for
//! what a document header has negotiated.

mod document;
mod error;
mod frames;
mod sequence;
mod source;

pub use error::PromptError;

use super::Format;
use super::options::{ChatOptions, OpenCall};
use super::profile::{Thought, Thoughts};
use super::strings::strings;
use crate::base::{Limits, Part};
use document::Negotiated;
use source::{Piece, Source, first_control};

/// The rule of turns.
const TURN: &str = "assistant-turn";
/// The rule that says what stands right before a turn.
const OPENING: &str = "opening";
/// What follows the name of another start rule in the name of the rule that says what stands before that.
const OWN_OPENING: &str = "-opening";
/// The rule that says what of a turn a prompt may have already; without it, any beginning of one.
const LEAD: &str = "lead";

/// What a prompt says about the turn that follows it.
///
/// ```
/// use maskwright::{base::Limits, front::chat::{ChatOptions, Format, Prompt}};
/// let limits = Limits::default();
/// let format = Format::built_in("openchatml-2.2", &limits)?.expect("it comes along");
/// let text = "<|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>{}<|call|>\
///     <|start|>tool to=assistant call_id=a name=functions.f<|message|>1<|end|><|start|>assistant";
/// let prompt = Prompt::of_text(&format, text, &limits)?;
/// let mut options = ChatOptions::default();
/// prompt.fill(&mut options);
/// assert_eq!(options.used_call_ids, ["a"]);
/// assert!(options.open_calls.is_empty() && prompt.lead().next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    used_call_ids: Vec<String>,
    open_calls: Vec<OpenCall>,
    thoughts: Thoughts,
    negotiated: Negotiated,
    lead: Vec<Piece>,
}

impl Prompt {
    /// Reads a prompt in which the spellings of control tokens are control tokens.
    ///
    /// # Errors
    /// A prompt that does not end where the assistant is to speak, a document header that cannot be
    /// read, a limit.
    pub fn of_text(format: &Format, text: &str, limits: &Limits) -> Result<Self, PromptError> {
        Self::of_text_before(format, TURN, text, limits)
    }

    /// The same before the start rule `start`. Where the format has a rule `START-opening`, that says what stands
    /// right before such a text: OpenChatML 0.1's `fim-middle` begins behind `<|fim_middle|>`.
    ///
    /// # Errors
    /// As [`Prompt::of_text`].
    pub fn of_text_before(
        format: &Format,
        start: &str,
        text: &str,
        limits: &Limits,
    ) -> Result<Self, PromptError> {
        let parts = [Part::Text(text.as_bytes())];
        Self::of_parts_before(format, start, parts, &[], limits)
    }

    /// Reads a prompt as its tokens spell it (`Vocabulary::part` says what each token is).
    /// `specials` are the vocabulary's special tokens: their spellings in ordinary text are text.
    ///
    /// # Errors
    /// As [`Prompt::of_text`], and bytes that are not UTF-8.
    pub fn of_parts<'a>(
        format: &Format,
        parts: impl IntoIterator<Item = Part<'a>>,
        specials: &[&str],
        limits: &Limits,
    ) -> Result<Self, PromptError> {
        Self::of_parts_before(format, TURN, parts, specials, limits)
    }

    /// The same before the start rule `start`, as [`Prompt::of_text_before`] has it.
    ///
    /// # Errors
    /// As [`Prompt::of_parts`].
    pub fn of_parts_before<'a>(
        format: &Format,
        start: &str,
        parts: impl IntoIterator<Item = Part<'a>>,
        specials: &[&str],
        limits: &Limits,
    ) -> Result<Self, PromptError> {
        let rule = opening(format, start);
        let openings = strings(&format.abnf, rule, format.controls(), limits).ok_or_else(|| {
            let (format, rule) = (format.name().to_owned(), rule.to_owned());
            PromptError::NoOpening { format, rule }
        })?;
        let source = Source::new(format, parts, specials)?;
        let mut prompt = Self::default();
        let body = match document::header(format, &source) {
            Some(header) => {
                prompt.negotiated = Negotiated::read(&source.text[..header.end], limits)?;
                header.end
            }
            None => 0,
        };
        let end = source
            .last_of(format, &openings, body)
            .ok_or_else(|| PromptError::NotAtTurn(rule.to_owned()))?;
        prompt.lead = source.pieces(end).collect();
        check_lead(format, &prompt.lead, (rule, &openings), limits)?;
        if frames::uses_frames(format) {
            let calls = frames::calls(&source, body);
            (prompt.used_call_ids, prompt.open_calls) = (calls.used, calls.open);
        }
        if sequence::has_functions(format) {
            prompt.open_calls = sequence::open_calls(&source, limits);
        }
        if sequence::has_thoughts(format) {
            prompt.thoughts = sequence::thoughts(&source);
        }
        Ok(prompt)
    }

    /// Puts into `options` what the conversation says: ids used, calls open, thoughts demanded, and
    /// where it has a document header, its version, capabilities, profile and built-in tools. What
    /// the conversation leaves open stays as it is.
    pub fn fill(&self, options: &mut ChatOptions) {
        options.used_call_ids.clone_from(&self.used_call_ids);
        options.open_calls.clone_from(&self.open_calls);
        let asked = &mut options.thoughts;
        for (asked, said) in [
            (&mut asked.reflect, self.thoughts.reflect),
            (&mut asked.introspect, self.thoughts.introspect),
            (&mut asked.reason, self.thoughts.reason),
        ] {
            if said == Thought::Demanded {
                *asked = said;
            }
        }
        self.negotiated.fill(options);
    }

    /// What of the turn the prompt has already, to be read by `Constraint::session_after`: nothing
    /// where it ends right after the opening.
    pub fn lead(&self) -> impl Iterator<Item = Part<'_>> {
        self.lead.iter().map(|piece| match piece {
            Piece::Text(text) => Part::Text(text.as_bytes()),
            Piece::Control(name) => Part::Special(name),
        })
    }
}

/// The rule that says what stands right before `start`.
fn opening<'f>(format: &'f Format, start: &str) -> &'f str {
    let is_own = |rule: &&str| {
        let named = rule.len().checked_sub(OWN_OPENING.len());
        named
            .and_then(|at| rule.split_at_checked(at))
            .is_some_and(|(name, end)| {
                name.eq_ignore_ascii_case(start) && end.eq_ignore_ascii_case(OWN_OPENING)
            })
    };
    format.rules().find(is_own).unwrap_or(OPENING)
}

/// Whether the turn is still open: no message of another begins in it, and where the format has a
/// rule `lead`, there is nothing or what the rule says.
fn check_lead(
    format: &Format,
    lead: &[Piece],
    (opening, openings): (&str, &[String]),
    limits: &Limits,
) -> Result<(), PromptError> {
    let is_turn = opening == OPENING;
    let has_rule = is_turn && format.rules().any(|rule| rule.eq_ignore_ascii_case(LEAD));
    if has_rule && is_lead(format, lead, limits) {
        return Ok(());
    }
    let first = |opening: &String| first_control(format, opening).map(|(_, name)| name);
    let begins = |name: &String| openings.iter().any(|opening| first(opening) == Some(name));
    let is_left = lead
        .iter()
        .any(|piece| matches!(piece, Piece::Control(name) if begins(name)));
    if is_left {
        return Err(PromptError::NotAtTurn(opening.to_owned()));
    }
    match has_rule {
        true => Err(PromptError::Partial),
        false => Ok(()),
    }
}

/// Whether the turn has nothing yet, or what the rule `lead` says.
fn is_lead(format: &Format, lead: &[Piece], limits: &Limits) -> bool {
    let spelt = lead.iter().map(|piece| match piece {
        Piece::Text(text) | Piece::Control(text) => text.as_str(),
    });
    let spelt: String = spelt.collect();
    let allowed = strings(&format.abnf, LEAD, format.controls(), limits).unwrap_or_default();
    spelt.is_empty() || allowed.contains(&spelt)
}
