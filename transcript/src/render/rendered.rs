//! A rendered conversation: text, pieces for a tokenizer, or a message list.

use super::options::RenderOptions;
use crate::control::ControlToken;
use crate::json::Json;
use crate::source::Piece;

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

/// What has been written.
pub(super) struct Writer<'o> {
    pub(super) options: &'o RenderOptions,
    parts: Vec<RenderedPart>,
}

impl<'o> Writer<'o> {
    pub(super) fn new(options: &'o RenderOptions) -> Self {
        Self {
            options,
            parts: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Rendered {
        Rendered { parts: self.parts }
    }

    pub(super) fn control(&mut self, token: ControlToken) {
        let spelling = match token {
            ControlToken::SequenceStart => self.options.sequence_start.clone(),
            ControlToken::SequenceEnd => self.options.sequence_end.clone(),
            _ => token.spelling().to_owned(),
        };
        self.parts.push(RenderedPart::Control(token, spelling));
    }

    pub(super) fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.parts.last_mut() {
            Some(RenderedPart::Text(before)) => before.push_str(text),
            _ => self.parts.push(RenderedPart::Text(text.to_owned())),
        }
    }
}
