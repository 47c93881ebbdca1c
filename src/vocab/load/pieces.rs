//! The bytes of a piece: how a Hugging Face tokenizer spells bytes as text, undone.
//!
//! A piece of a vocabulary is text. Its decoder says for which bytes it stands: a
//! byte-level decoder takes each character for a byte; a SentencePiece one replaces `▁` by a space and takes `<0xNN>`
//! for a byte. What a decoder does to a whole text (stripping its first space) concerns no piece.

use std::borrow::Cow;
use std::cell::Cell;

use crate::base::LimitError;
use crate::vocab::error::{Position, VocabError, VocabErrorKind};

use super::json::{Component, FILE, Model, Tokenizer};

/// How many replacements a decoder may make; those that there are make a few.
const STEPS: usize = 256;
/// How long a piece may become while it is decoded: replacements may also make it shorter again.
const WIDEST: usize = 1 << 18;
/// How many bytes replacements may read in all pieces together: a vocabulary of 300,000 pieces has them read some seven million.
const READ: usize = 1 << 25;

/// How pieces spell bytes.
pub(super) enum Pieces<'a> {
    /// A character a byte.
    ByteLevel(Box<ByteAlphabet>),
    /// Text, after replacements.
    Text {
        /// What is replaced by what, in order.
        replacements: Vec<(Cow<'a, str>, Cow<'a, str>)>,
        /// Whether `<0xNN>` is a byte.
        byte_fallback: bool,
        /// Bytes that replacements have read so far.
        read: Cell<usize>,
    },
}

impl<'a> Pieces<'a> {
    /// SentencePiece's: `▁` is a space, `<0xNN>` a byte.
    pub(super) fn sentence_piece() -> Self {
        Self::Text {
            replacements: vec![("▁".into(), " ".into())],
            byte_fallback: true,
            read: Cell::new(0),
        }
    }

    /// Byte-level BPE's.
    pub(super) fn byte_level() -> Self {
        Self::ByteLevel(Box::new(ByteAlphabet::new()))
    }

    /// What the tokenizer's decoder says; where it has none, its pre-tokenizer and normalizer.
    pub(super) fn of(tokenizer: &Tokenizer<'a>) -> Result<Self, VocabError> {
        check_model(&tokenizer.model)?;
        let Some(decoder) = &tokenizer.decoder else {
            return Self::without_decoder(tokenizer);
        };
        let mut steps = Steps::read(decoder);
        LimitError::check("steps of a decoder", steps.replacements.len(), STEPS)
            .map_err(|error| VocabError::from(VocabErrorKind::from(error)))
            .map_err(|error| error.at(FILE, Position::pointer(["decoder"])))?;
        steps.byte_fallback |= tokenizer.model.byte_fallback;
        let kind = steps.unknown.take();
        let pieces = steps.pieces().filter(|_| kind.is_none());
        pieces.ok_or_else(|| {
            let kind = kind.as_deref().unwrap_or(&decoder.kind);
            unsupported(format!("a decoder of type {kind:?}"), &["decoder"])
        })
    }

    fn without_decoder(tokenizer: &Tokenizer<'a>) -> Result<Self, VocabError> {
        let mut byte_level = false;
        let mut replacements = Vec::new();
        for component in [&tokenizer.pre_tokenizer, &tokenizer.normalizer]
            .into_iter()
            .flatten()
        {
            component.each(&mut |part| match part.kind.as_ref() {
                "ByteLevel" => byte_level = true,
                "Metaspace" => replacements.push((part.metaspace(), " ".into())),
                // What the normalizer does to a space, backwards.
                "Replace" if part.pattern.string.as_deref() == Some(" ") => {
                    replacements.push((part.content.clone(), " ".into()));
                }
                _ => {}
            });
        }
        let byte_fallback = tokenizer.model.byte_fallback;
        if byte_level {
            Ok(Self::byte_level())
        } else if byte_fallback || !replacements.is_empty() {
            Ok(Self::Text {
                replacements,
                byte_fallback,
                read: Cell::new(0),
            })
        } else {
            Err(unsupported(
                "a tokenizer without a decoder".to_owned(),
                &["decoder"],
            ))
        }
    }

    /// Writes the bytes of `piece` to `bytes`.
    ///
    /// # Errors
    /// A piece that replacements make far longer than any token, and pieces that take too much replacing together.
    pub(super) fn decode(&self, piece: &str, bytes: &mut Vec<u8>) -> Result<(), LimitError> {
        bytes.clear();
        match self {
            Self::ByteLevel(alphabet) => alphabet.decode(piece, bytes),
            Self::Text {
                replacements,
                byte_fallback,
                read,
            } => {
                let text = replaced(piece, replacements, read)?;
                match fallback_byte(&text).filter(|_| *byte_fallback) {
                    Some(byte) => bytes.push(byte),
                    None => bytes.extend_from_slice(text.as_bytes()),
                }
            }
        }
        Ok(())
    }

    /// Writes the bytes of a token that was added with this text to `bytes`.
    ///
    /// Added tokens are not spelt in the byte alphabet.
    ///
    /// # Errors
    /// As [`Self::decode`].
    pub(super) fn decode_added(&self, text: &str, bytes: &mut Vec<u8>) -> Result<(), LimitError> {
        match self {
            Self::ByteLevel(_) => {
                bytes.clear();
                bytes.extend_from_slice(text.as_bytes());
                Ok(())
            }
            Self::Text { .. } => self.decode(text, bytes),
        }
    }
}

/// `piece` after `replacements`; what they read of it is added to `read`.
fn replaced<'p>(
    piece: &'p str,
    replacements: &[(Cow<'_, str>, Cow<'_, str>)],
    read: &Cell<usize>,
) -> Result<Cow<'p, str>, LimitError> {
    let mut text = Cow::Borrowed(piece);
    for (from, to) in replacements {
        let all = read.get().saturating_add(text.len() + 1);
        read.set(all);
        LimitError::check("bytes that replacements of a decoder read", all, READ)?;
        let found = text.matches(&**from).count();
        if found == 0 {
            continue;
        }
        let more = found.saturating_mul(to.len().saturating_sub(from.len()));
        if more > 0 {
            let grown = text.len().saturating_add(more);
            LimitError::check("bytes of a token being decoded", grown, WIDEST)?;
        }
        text = text.replace(&**from, to).into();
    }
    Ok(text)
}

/// Refuses models whose pieces are no byte strings by themselves.
fn check_model(model: &Model<'_>) -> Result<(), VocabError> {
    match model.kind.as_ref() {
        "" | "BPE" | "Unigram" => {}
        kind => {
            return Err(unsupported(
                format!("a model of type {kind:?}"),
                &["model", "type"],
            ));
        }
    }
    let affixes = [
        (
            "continuing_subword_prefix",
            &model.continuing_subword_prefix,
        ),
        ("end_of_word_suffix", &model.end_of_word_suffix),
    ];
    for (key, affix) in affixes {
        if affix.as_deref().is_some_and(|affix| !affix.is_empty()) {
            return Err(unsupported(
                format!("a model that has {key:?}"),
                &["model", key],
            ));
        }
    }
    Ok(())
}

fn unsupported(what: String, pointer: &[&str]) -> VocabError {
    VocabError::from(VocabErrorKind::Unsupported { what })
        .at(FILE, Position::pointer(pointer.iter().copied()))
}

/// What the parts of a decoder do to a piece.
#[derive(Default)]
struct Steps<'a> {
    byte_level: bool,
    byte_fallback: bool,
    replacements: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    unknown: Option<String>,
}

impl<'a> Steps<'a> {
    fn read(decoder: &Component<'a>) -> Self {
        let mut steps = Self::default();
        decoder.each(&mut |part| match part.kind.as_ref() {
            "ByteLevel" => steps.byte_level = true,
            "ByteFallback" => steps.byte_fallback = true,
            "Metaspace" => steps.replacements.push((part.metaspace(), " ".into())),
            "Replace" => match &part.pattern.string {
                Some(from) if !from.is_empty() => {
                    steps
                        .replacements
                        .push((from.clone(), part.content.clone()));
                }
                _ => steps.unknown = Some("Replace by a regular expression".to_owned()),
            },
            "Sequence" | "Fuse" | "Strip" => {}
            kind => steps.unknown = Some(kind.to_owned()),
        });
        steps
    }

    fn pieces(self) -> Option<Pieces<'a>> {
        if self.byte_level {
            return Some(Pieces::byte_level());
        }
        let (replacements, byte_fallback) = (self.replacements, self.byte_fallback);
        (byte_fallback || !replacements.is_empty()).then_some(Pieces::Text {
            replacements,
            byte_fallback,
            read: Cell::new(0),
        })
    }
}

/// The byte of `<0xNN>`.
fn fallback_byte(piece: &str) -> Option<u8> {
    let digits = piece.strip_prefix("<0x")?.strip_suffix('>')?;
    let two = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    two.then(|| u8::from_str_radix(digits, 16).ok()).flatten()
}

/// The alphabet of byte-level BPE, as GPT-2 has it: printable bytes of Latin-1 are themselves, the
/// others are the characters from U+0100 on, in order.
pub(super) struct ByteAlphabet([Option<u8>; Self::SIZE]);

impl ByteAlphabet {
    /// 256 characters and 68 that stand for bytes that are not printable.
    const SIZE: usize = 256 + 68;

    pub(super) fn new() -> Self {
        let mut bytes = [None; Self::SIZE];
        let mut next = 256;
        for byte in 0..=u8::MAX {
            let character = match byte {
                b'!'..=b'~' | 0xa1..=0xac | 0xae..=0xff => usize::from(byte),
                _ => {
                    next += 1;
                    next - 1
                }
            };
            bytes[character] = Some(byte);
        }
        Self(bytes)
    }

    /// Appends the bytes of `piece`; a piece with a character outside the alphabet is its own
    /// text, as the tokenizers library has it.
    fn decode(&self, piece: &str, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        for character in piece.chars() {
            match self.0.get(character as usize).copied().flatten() {
                Some(byte) => bytes.push(byte),
                None => {
                    bytes.truncate(start);
                    bytes.extend_from_slice(piece.as_bytes());
                    return;
                }
            }
        }
    }
}
