//! Messages as canonical text, or tokens, of a format.

mod channelled;
mod im;
mod text;

use super::control::ControlToken;
use super::document::DocumentHeader;
use super::error::ErrorCode;
use super::format::Format;
use super::json::Json;
use super::message::Message;
use super::source::Piece;

/// How a rendered text ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ending {
    /// After its last message.
    #[default]
    Conversation,
    /// In the header where the assistant goes on: `<|start|>assistant`, `<|im_start|>assistant`.
    Prompt,
}

/// What is asked of a rendered text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderOptions {
    /// The format.
    pub format: Format,
    /// How the text ends.
    pub ending: Ending,
    /// The document header of OpenChatML 2.2; without one, `version: 2.2` is written.
    pub header: DocumentHeader,
    /// Of OpenChatML 0.1: how the base model spells the beginning of a sequence.
    pub sequence_start: String,
    /// Of OpenChatML 0.1: how the base model spells its end.
    pub sequence_end: String,
}

impl RenderOptions {
    /// A whole conversation in this format.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            ending: Ending::default(),
            header: DocumentHeader::version(2, 2),
            sequence_start: ControlToken::SequenceStart.spelling().to_owned(),
            sequence_end: ControlToken::SequenceEnd.spelling().to_owned(),
        }
    }
}

/// Why messages cannot be written in a format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: message {index}: {reason}")]
pub struct RenderError {
    /// Which message, from 0.
    pub index: usize,
    /// What kind of error.
    pub code: ErrorCode,
    /// Why, in words.
    pub reason: String,
}

/// A rendered conversation: control tokens, and text between them that spells none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    parts: Vec<RenderedPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum RenderedPart {
    Control(ControlToken, String),
    Text(String),
}

impl Rendered {
    /// The text, control tokens spelt out.
    pub fn text(&self) -> String {
        let spelling = |part: &RenderedPart| match part {
            RenderedPart::Control(_, spelling) => spelling.clone(),
            RenderedPart::Text(text) => text.clone(),
        };
        self.parts.iter().map(spelling).collect()
    }

    /// The pieces: for a tokenizer, to encode text and control tokens apart.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.parts.iter().map(|part| match part {
            RenderedPart::Control(token, _) => Piece::Control(*token),
            RenderedPart::Text(text) => Piece::Text(text.as_bytes()),
        })
    }

    /// ChatML's message list: texts, and control tokens as objects, `{"token": "<|im_start|>"}`.
    pub fn token_list(&self) -> String {
        let item = |part: &RenderedPart| match part {
            RenderedPart::Control(_, spelling) => {
                Json::object([("token", spelling.as_str().into())])
            }
            RenderedPart::Text(text) => text.as_str().into(),
        };
        Json::Array(self.parts.iter().map(item).collect()).spaced()
    }
}

/// Writes messages in the canonical spelling of a format.
///
/// Nothing that a message says can become a control token: in OpenChatML 2.2 it is escaped, in
/// JSON its `<` is written `\u003c`, elsewhere it is refused.
///
/// # Errors
///
/// A message that the format has no way to write, and why.
pub fn render(messages: &[Message], options: &RenderOptions) -> Result<Rendered, RenderError> {
    let mut out = Writer {
        options,
        parts: Vec::new(),
    };
    match options.format {
        Format::Harmony | Format::OpenChatMl22 => channelled::write(messages, &mut out)?,
        Format::ChatMl | Format::OpenChatMl01 | Format::InternLm2 => {
            im::write(messages, &mut out)?;
        }
    }
    Ok(Rendered { parts: out.parts })
}

/// What has been written.
struct Writer<'o> {
    options: &'o RenderOptions,
    parts: Vec<RenderedPart>,
}

impl Writer<'_> {
    fn control(&mut self, token: ControlToken) {
        let spelling = match token {
            ControlToken::SequenceStart => self.options.sequence_start.clone(),
            ControlToken::SequenceEnd => self.options.sequence_end.clone(),
            _ => token.spelling().to_owned(),
        };
        self.parts.push(RenderedPart::Control(token, spelling));
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.parts.last_mut() {
            Some(RenderedPart::Text(before)) => before.push_str(text),
            _ => self.parts.push(RenderedPart::Text(text.to_owned())),
        }
    }
}

/// Reads ChatML's message list: an array of texts and of objects `{"token": name}`.
///
/// # Errors
///
/// Why it is none, and which item.
pub fn read_token_list(json: &str) -> Result<Vec<TokenListItem>, String> {
    let list = Json::parse(json).map_err(|error| format!("not JSON: {error}"))?;
    let items = list.items().ok_or("not an array")?;
    let item = |(index, item): (usize, &Json)| match item {
        Json::String(text) => Ok(TokenListItem::Text(text.clone())),
        Json::Object(members) if members.len() == 1 => match item.get("token") {
            Some(Json::String(name)) => Ok(TokenListItem::Token(name.clone())),
            _ => Err(format!("item {index} is no {{\"token\": …}}")),
        },
        _ => Err(format!("item {index} is neither a text nor a token")),
    };
    items.iter().enumerate().map(item).collect()
}

/// An item of ChatML's message list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenListItem {
    /// Text, in which nothing is a control token.
    Text(String),
    /// A control token, by its name.
    Token(String),
}

impl TokenListItem {
    /// As a parser takes it.
    pub fn piece(&self) -> Piece<'_> {
        match self {
            Self::Text(text) => Piece::Text(text.as_bytes()),
            Self::Token(name) => Piece::special(name),
        }
    }
}
