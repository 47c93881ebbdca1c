//! Conversations in files: of the chat formats, or as JSON.

use maskwright::transcript::{
    ControlToken, Format, Message, ParserConfig, TokenListItem, Transcript, TranscriptError,
    from_interchange, from_openai, parse, parse_pieces, read_token_list,
};

use super::failure::Failure;
use super::input::Named;

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
}

impl Notation {
    /// The notation of this name.
    pub(crate) fn named(name: &str) -> Result<Self, Failure> {
        match name {
            "chatml-tokens" => Ok(Self::ChatMlTokens),
            "json" => Ok(Self::Json),
            "openai" => Ok(Self::OpenAi),
            _ => format(name).map(Self::Text),
        }
    }

    /// Reads a conversation.
    pub(crate) fn read(self, file: &Named) -> Result<Vec<Message>, Failure> {
        let json = |error: maskwright::transcript::InterchangeError| {
            Failure::new(format!("{}: {error}", file.name))
        };
        match self {
            Self::Text(format) => Ok(read_text(format, file)?.messages().to_vec()),
            Self::ChatMlTokens => read_tokens(file),
            Self::Json => from_interchange(&file.text).map_err(json),
            Self::OpenAi => from_openai(&file.text).map_err(json),
        }
    }
}

/// The chat format of this name.
pub(crate) fn format(name: &str) -> Result<Format, Failure> {
    Format::from_name(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        Failure::new(format!("there is no format `{name}`")).hint(format!("formats: {names}"))
    })
}

/// Reads a transcript as history. One line feed at the end of the file is the file's.
pub(crate) fn read_text(format: Format, file: &Named) -> Result<Transcript, Failure> {
    let text = file.text.strip_suffix('\n').unwrap_or(&file.text);
    parse(text, &ParserConfig::transcript(format)).map_err(|error| {
        let span = error.span().start..error.span().end;
        let failure = file.failure(message(&error), span);
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })
}

fn read_tokens(file: &Named) -> Result<Vec<Message>, Failure> {
    let bad = |message: String| Failure::new(format!("{}: {message}", file.name));
    let items = read_token_list(&file.text).map_err(bad)?;
    let pieces = items.iter().map(TokenListItem::piece);
    let config = ParserConfig::transcript(Format::ChatMl);
    let all = ControlToken::ALL.into_iter().collect();
    let transcript = parse_pieces(pieces, all, &config);
    let transcript = transcript.map_err(|error| bad(message(&error)))?;
    Ok(transcript.messages().to_vec())
}

fn message(error: &TranscriptError) -> String {
    format!("{}: {}", error.code(), error.message())
}
