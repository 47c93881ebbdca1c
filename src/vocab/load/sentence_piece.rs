//! SentencePiece models (`tokenizer.model`): pieces in a `ModelProto` of Protocol Buffers.
//!
//! Of its messages only the pieces and the roles of the trainer are read; the wire format is that of
//! Protocol Buffers' encoding guide.

use crate::base::TokenId;
use crate::vocab::builder::VocabularyBuilder;
use crate::vocab::error::{VocabError, VocabErrorKind};
use crate::vocab::vocabulary::Vocabulary;

use super::pieces::Pieces;
use super::typed::{PieceKind, add};

impl Vocabulary {
    /// The vocabulary of a SentencePiece model, `tokenizer.model`: BPE or unigram, with or without byte
    /// fallback. Control and unknown pieces are special, and the piece that ends a sentence is the end token.
    ///
    /// # Errors
    ///
    /// A file that is no such model.
    pub fn from_sentence_piece(model: &[u8]) -> Result<Self, VocabError> {
        let malformed =
            |message: &str| VocabError::from(VocabErrorKind::Malformed(message.to_owned()));
        let no_model = || malformed("expected a SentencePiece model");
        let (mut pieces, mut end) = (Vec::new(), 2u64);
        for field in Fields(model) {
            match field.ok_or_else(no_model)? {
                (1, Value::Bytes(piece)) => pieces.push(read_piece(piece).ok_or_else(no_model)?),
                (2, Value::Bytes(trainer)) => {
                    for field in Fields(trainer) {
                        if let (42, Value::Number(id)) = field.ok_or_else(no_model)? {
                            end = id;
                        }
                    }
                }
                _ => {}
            }
        }
        let how = Pieces::sentence_piece();
        let mut builder = VocabularyBuilder::new();
        for (index, (piece, kind)) in pieces.iter().enumerate() {
            let is_end = index as u64 == end && *kind != PieceKind::Normal;
            add(
                &mut builder,
                TokenId::from_usize(index),
                piece,
                *kind,
                is_end,
                &how,
            )?;
            if is_end {
                builder.end_token(TokenId::from_usize(index));
            }
        }
        builder.build()
    }
}

/// A piece and what it is.
fn read_piece(message: &[u8]) -> Option<(String, PieceKind)> {
    let (mut piece, mut kind) = (None, PieceKind::Normal);
    for field in Fields(message) {
        match field? {
            (1, Value::Bytes(text)) => piece = Some(String::from_utf8(text.to_vec()).ok()?),
            (3, Value::Number(number)) => kind = PieceKind::of(number as i64)?,
            _ => {}
        }
    }
    Some((piece?, kind))
}

/// The value of a field.
enum Value<'m> {
    Number(u64),
    Bytes(&'m [u8]),
    Fixed,
}

/// The fields of a message, each with its number; `None` for what is none, and nothing after it.
struct Fields<'m>(&'m [u8]);

impl<'m> Iterator for Fields<'m> {
    type Item = Option<(u64, Value<'m>)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field)
    }
}

impl<'m> Fields<'m> {
    fn field(&mut self) -> Option<(u64, Value<'m>)> {
        let tag = self.varint()?;
        let value = match tag & 7 {
            0 => Value::Number(self.varint()?),
            1 => self.take(8).map(|_| Value::Fixed)?,
            2 => {
                let length = self.varint()?;
                Value::Bytes(self.take(length)?)
            }
            5 => self.take(4).map(|_| Value::Fixed)?,
            _ => return None,
        };
        (tag >> 3 > 0).then_some((tag >> 3, value))
    }

    fn take(&mut self, count: u64) -> Option<&'m [u8]> {
        let count = usize::try_from(count)
            .ok()
            .filter(|count| *count <= self.0.len())?;
        let (taken, rest) = self.0.split_at(count);
        self.0 = rest;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}
