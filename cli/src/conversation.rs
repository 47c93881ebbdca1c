//! Conversations in files: of the chat formats, or as JSON.

use clap::Args;
use maskwright_transcript::{
    ControlToken, DocumentHeader, FilePart, Format, InterchangeError, Message, ParserConfig, Span,
    from_interchange, from_openai,
};

use serde_json::json;

use super::chat_text::ChatText;
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
    /// The text of a chat format, or its list of texts and token objects.
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
            Self::Text(format) => return Conversation::of_text(format, file, sequence),
            Self::ChatMlTokens => return Conversation::of_text(Format::ChatMl, file, sequence),
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

    /// Those that are given.
    pub(crate) fn given(&self) -> impl Iterator<Item = &'static str> {
        let options = [("--bos", &self.bos), ("--eos", &self.eos)];
        let given = options.into_iter().filter(|(_, value)| value.is_some());
        given.map(|(name, _)| name)
    }

    /// Warns of those that are given where no format is OpenChatML 0.1.
    pub(crate) fn warn_unless_used(&self, notations: &[Notation]) {
        if !notations.contains(&Notation::Text(Format::OpenChatMl01)) {
            for name in self.given() {
                warn(format_args!(
                    "{name} means nothing here: it is for openchatml-0.1"
                ));
            }
        }
    }

    /// How transcripts of a format are read that others wrote.
    pub(crate) fn history(&self, format: Format) -> ParserConfig<'static> {
        ParserConfig {
            sequence_start: self.begin(),
            sequence_end: self.end(),
            ..ParserConfig::transcript(format)
        }
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

impl Conversation {
    fn of_text(format: Format, file: &Named, sequence: &SequenceOptions) -> Result<Self, Failure> {
        let text = ChatText::of(file)?;
        let transcript = text.parse_history(&sequence.history(format))?;
        let mut conversation = Self {
            messages: transcript.messages().to_vec(),
            files: transcript.files().to_vec(),
            header: transcript.document_header().cloned(),
        };
        if !text.is_text() {
            // Places in the text are none in the list.
            let messages = conversation.messages.iter_mut();
            messages.for_each(|message| message.span = Span::default());
            let files = conversation.files.iter_mut();
            files.for_each(|part| part.span = Span::default());
        }
        Ok(conversation)
    }
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
