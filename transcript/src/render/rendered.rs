//! A rendered conversation: text, pieces for a tokenizer, or a message list.

use super::options::RenderOptions;
use super::text::{Refusal, next_spelling, plain};
use crate::config::SpeltControls;
use crate::control::ControlToken;
use crate::format::Format;
use crate::json::Json;
use crate::source::Piece;

/// A rendered conversation: control tokens, and text between them that spells none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    parts: Vec<RenderedPart>,
    spelt: Option<String>,
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

    /// The first control token that some text spells, if one does: then the [`text`](Self::text) as a
    /// whole reads otherwise than the pieces, which say what is text.
    pub fn spelt(&self) -> Option<&str> {
        self.spelt.as_deref()
    }

    /// The pieces: for a tokenizer, to encode text and control tokens apart.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        self.parts.iter().map(|part| match part {
            RenderedPart::Control(token, _) => Piece::Control(*token),
            RenderedPart::Text(text) => Piece::Text(text.as_bytes()),
        })
    }

    /// The pieces as JSON, as ChatML's message list has them: texts, and control tokens as objects,
    /// `{"token": "<|im_start|>"}`.
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
    /// Whether control tokens within texts are escaped, so that what spells one reads as it is meant.
    escapes: bool,
}

impl<'o> Writer<'o> {
    pub(super) fn new(options: &'o RenderOptions) -> Self {
        Self {
            options,
            parts: Vec::new(),
            escapes: options.format == Format::OpenChatMl22,
        }
    }

    pub(super) fn finish(self) -> Rendered {
        let (format, sequence) = (self.options.format, self.sequence());
        let spelt = self.parts.iter().find_map(|part| match part {
            RenderedPart::Text(text) if !self.escapes => next_spelling(text, format, sequence),
            _ => None,
        });
        let spelt = spelt.map(|(_, spelling)| spelling);
        Rendered {
            parts: self.parts,
            spelt,
        }
    }

    pub(super) fn control(&mut self, token: ControlToken) {
        let spelling = match token {
            ControlToken::SequenceStart => self.options.sequence_start.clone(),
            ControlToken::SequenceEnd => self.options.sequence_end.clone(),
            _ => token.spelling().to_owned(),
        };
        self.parts.push(RenderedPart::Control(token, spelling));
    }

    fn sequence(&self) -> [&'o str; 2] {
        [&self.options.sequence_start, &self.options.sequence_end]
    }

    /// What somebody says. What spells a control token in it is text; where the options want that
    /// refused, it is.
    pub(super) fn said(&mut self, text: &str) -> Result<(), Refusal> {
        if self.options.spelt == SpeltControls::Refused {
            plain(text, self.options.format, self.sequence())?;
        }
        self.text(text);
        Ok(())
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
