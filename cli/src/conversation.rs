//! Conversations in files: of the chat formats, or as JSON.

use clap::Args;
use maskwright_transcript::{
    ControlToken, DocumentHeader, FilePart, Format, InterchangeError, Message, ParserConfig, Span,
    SpeltControls, TokenListItem, Transcript, TranscriptError, from_interchange, from_openai,
    parse, parse_pieces, read_token_list,
};

use serde_json::json;

use super::failure::Failure;
use super::input::Named;
use super::json::Json;
use super::output::warn;
use super::reading::{TurnReader, openai};

/// The notations that are no formats.
const CHATML_TOKENS: &str = "chatml-tokens";
const JSON: &str = "json";
const OPENAI: &str = "openai";

/// How a conversation is written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    /// The text of a chat format.
    Text(Format),
    /// ChatML's list of texts and token objects.
    ChatMlTokens,
    /// The JSON of OpenChatML 2.2 §10.
    Json,
    /// OpenAI's chat messages.
    OpenAi,
    /// A turn of a format that has a file and no parser: read, and not written.
    Turn(&'static str),
}

impl Notation {
    /// The notation of this name.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        match name {
            CHATML_TOKENS => Ok(Self::ChatMlTokens),
            JSON => Ok(Self::Json),
            OPENAI => Ok(Self::OpenAi),
            _ => Format::from_name(name)
                .map(Self::Text)
                .or_else(|| file_only(name).map(Self::Turn))
                .ok_or_else(|| unknown("notation", name, &[CHATML_TOKENS, JSON, OPENAI])),
        }
    }

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text(format) => format.name(),
            Self::ChatMlTokens => CHATML_TOKENS,
            Self::Json => JSON,
            Self::OpenAi => OPENAI,
            Self::Turn(name) => name,
        }
    }

    /// Reads a conversation.
    pub(crate) fn read(
        self,
        file: &Named,
        sequence: &SequenceOptions,
        turns: &Turns<'_>,
    ) -> Result<Conversation, Failure> {
        let json = |error: InterchangeError| file.failure_at(error.to_string(), &error.pointer);
        let is_json = match self {
            Self::Text(_) | Self::Turn(_) => false,
            // It may have comments.
            Self::Json => from_interchange(&file.text).is_err(),
            _ => true,
        };
        if is_json {
            Json::parse(&file.text)
                .map_err(|error| Failure::json(error, &file.name, &file.text))?;
        }
        let messages = match self {
            Self::Text(format) => {
                let transcript = read_text(format, file, sequence)?;
                return Ok(Conversation {
                    messages: transcript.messages().to_vec(),
                    files: transcript.files().to_vec(),
                    header: transcript.document_header().cloned(),
                });
            }
            Self::ChatMlTokens => read_tokens(file)?,
            Self::Json => from_interchange(&file.text).map_err(json)?,
            Self::OpenAi => {
                let read = from_openai(&file.text).map_err(json)?;
                for warning in &read.warnings {
                    warn(format_args!("{}{warning}", file.place_of(&warning.pointer)));
                }
                read.messages
            }
            Self::Turn(name) => read_turn(name, file, turns)?,
        };
        Ok(Conversation {
            messages,
            files: Vec::new(),
            header: None,
        })
    }
}

/// What turns are read by, where a format's file reads them.
pub(crate) struct Turns<'a> {
    pub(crate) tools: Option<&'a Named>,
    /// What of the turn is there before the text.
    pub(crate) lead: &'a str,
}

/// A format that comes along and has no parser.
fn file_only(name: &str) -> Option<&'static str> {
    let known = maskwright::front::chat::Format::BUILT_IN;
    known.into_iter().find(|&known| known == name)
}

/// Reads one turn of the assistant by the file of its format. One line feed at the end of the file is the file's.
fn read_turn(name: &str, file: &Named, turns: &Turns<'_>) -> Result<Vec<Message>, Failure> {
    let reader = TurnReader::of_any_turn(name, turns.tools)?.after(turns.lead)?;
    let text = file.text.strip_suffix('\n').unwrap_or(&file.text);
    let message = reader.read(text).map_err(|fault| {
        let failure = file.failure(fault.message, fault.at..fault.at);
        let hint = format!(
            "a turn of `{name}` begins behind its opening; --lead says what of it the prompt has"
        );
        failure.hint(hint)
    })?;
    let read = from_openai(&json!([openai(&message)]).to_string());
    let read = read.map_err(|error| Failure::new(format!("{}: {error}", file.name)))?;
    Ok(read.messages)
}

/// How the base model spells what is around a sequence.
#[derive(Args, Clone, Default)]
pub(crate) struct SequenceOptions {
    /// How the base model spells the beginning of a sequence (OpenChatML 0.1) [default: <s>]
    #[arg(long, value_name = "TOKEN")]
    bos: Option<String>,
    /// How the base model spells the end of a sequence (OpenChatML 0.1) [default: </s>]
    #[arg(long, value_name = "TOKEN")]
    eos: Option<String>,
}

impl SequenceOptions {
    pub(crate) fn begin(&self) -> String {
        let default = || ControlToken::SequenceStart.spelling().to_owned();
        self.bos.clone().unwrap_or_else(default)
    }

    pub(crate) fn end(&self) -> String {
        let default = || ControlToken::SequenceEnd.spelling().to_owned();
        self.eos.clone().unwrap_or_else(default)
    }
}

/// What a file says.
pub(crate) struct Conversation {
    pub(crate) messages: Vec<Message>,
    /// Files and texts with a gap, of which OpenChatML 0.1 is told instead of messages.
    pub(crate) files: Vec<FilePart>,
    /// The document header of OpenChatML 2.2, if there is one.
    pub(crate) header: Option<DocumentHeader>,
}

/// The chat format of this name.
pub(crate) fn format(name: &str) -> Result<Format, Failure> {
    Format::from_name(name).ok_or_else(|| unknown("format", name, &[]))
}

fn unknown(what: &str, name: &str, others: &[&str]) -> Failure {
    let names = [&Format::ALL.map(Format::name)[..], others]
        .concat()
        .join(", ");
    Failure::new(format!("there is no {what} `{name}`")).hint(format!("{what}s: {names}"))
}

/// Reads a transcript as history. One line feed at the end of the file is the file's.
pub(crate) fn read_text(
    format: Format,
    file: &Named,
    sequence: &SequenceOptions,
) -> Result<Transcript, Failure> {
    let text = file.text.strip_suffix('\n').unwrap_or(&file.text);
    let mut config = ParserConfig::transcript(format);
    config.sequence_start = sequence.begin();
    config.sequence_end = sequence.end();
    parse(text, &config).map_err(|error| {
        let span = error.span().start..error.span().end;
        let failure = file.failure(message(&error), span);
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

fn read_tokens(file: &Named) -> Result<Vec<Message>, Failure> {
    let items = read_token_list(&file.text)
        .map_err(|error| file.failure_at(error.to_string(), &error.pointer))?;
    let pieces = items.iter().map(TokenListItem::piece);
    let config = ParserConfig {
        spelt: SpeltControls::Text,
        ..ParserConfig::transcript(Format::ChatMl)
    };
    let all = ControlToken::ALL.into_iter().collect();
    let transcript = parse_pieces(pieces, all, &config).map_err(|error| {
        let at = item_at(&items, error.span().start);
        file.failure_at(message(&error), &format!("#/{at}"))
    })?;
    let mut messages = transcript.messages().to_vec();
    // Places in the text are none in the list.
    messages
        .iter_mut()
        .for_each(|message| message.span = Span::default());
    Ok(messages)
}

/// The item in which byte `at` of all items together stands; the last one for what comes after.
pub(crate) fn item_at(items: &[TokenListItem], at: usize) -> usize {
    let mut end = 0;
    let ends = items.iter().map(|item| {
        end += match item {
            TokenListItem::Text(text) | TokenListItem::Token(text) => text.len(),
        };
        end
    });
    let before = ends.take_while(|&end| end <= at).count();
    before.min(items.len().saturating_sub(1))
}

fn message(error: &TranscriptError) -> String {
    format!("{}: {}", error.code(), error.message())
}
