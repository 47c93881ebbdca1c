//! The vocabulary in a GGUF file: its metadata name the tokens, which come before all weights.
//!
//! Of the format (ggml's `docs/gguf.md`, versions 2 and 3) only the header and the metadata are read.

use crate::base::TokenId;
use crate::vocab::builder::VocabularyBuilder;
use crate::vocab::error::{VocabError, VocabErrorKind};
use crate::vocab::vocabulary::Vocabulary;

use super::pieces::Pieces;
use super::typed::{PieceKind, add};

/// The first bytes of such a file.
const MAGIC: &[u8] = b"GGUF";
/// How deep arrays may be within each other; none of those of a vocabulary is in another.
const DEEPEST: usize = 16;
/// The keys of tokens that have a role, and so are special.
const ROLES: [&str; 9] = [
    "bos",
    "eos",
    "eot",
    "eom",
    "unknown",
    "padding",
    "separator",
    "cls",
    "mask",
];
/// Those of them that end a generation.
const ENDS: [&str; 3] = ["eos", "eot", "eom"];

impl Vocabulary {
    /// The vocabulary of a GGUF file: of the family of llama or gemma4 (SentencePiece's pieces) or of gpt2 (byte-level BPE).
    ///
    /// `file` may end after the metadata. Special are the tokens of the types control and unknown, and those
    /// with a role; the end tokens are those of `eos_token_id`, `eot_token_id` and `eom_token_id`.
    ///
    /// # Errors
    ///
    /// A file of another format or version, metadata that end too early or have no tokens, a vocabulary of
    /// another kind, by its name.
    pub fn from_gguf(file: &[u8]) -> Result<Self, VocabError> {
        let metadata = Metadata::read(file).map_err(malformed)?;
        let pieces = match metadata.model.as_str() {
            // Gemma 4's merges are BPE's, and its pieces are spelt as SentencePiece spells them.
            "llama" | "gemma4" => Pieces::sentence_piece(),
            "gpt2" => Pieces::byte_level(),
            "" => {
                return Err(malformed(
                    "the metadata have no tokenizer.ggml.model".to_owned(),
                ));
            }
            other => {
                let what = format!("a GGUF vocabulary of the kind {other:?}");
                return Err(VocabErrorKind::Unsupported { what }.into());
            }
        };
        let mut builder = VocabularyBuilder::new();
        for (index, piece) in metadata.tokens.iter().enumerate() {
            let number = metadata.kinds.get(index).copied().unwrap_or(1);
            let kind = PieceKind::of(number)
                .ok_or_else(|| malformed(format!("token {index} has the type {number}")))?;
            let has_role = metadata.roles.iter().any(|&(_, id)| id == index as u64);
            add(
                &mut builder,
                TokenId::from_usize(index),
                piece,
                kind,
                has_role,
                &pieces,
            )?;
        }
        for &(role, id) in &metadata.roles {
            if ENDS.contains(&role) && (id as usize) < metadata.tokens.len() {
                builder.end_token(TokenId::from_usize(id as usize));
            }
        }
        builder.build()
    }
}

/// The chat template in the metadata of a GGUF file, as Jinja text; `None` where it has none or is no such file.
///
/// `file` may end after the metadata.
pub fn chat_template_of_gguf(file: &[u8]) -> Option<String> {
    Metadata::read(file).ok()?.template
}

fn malformed(message: String) -> VocabError {
    VocabErrorKind::Malformed(message).into()
}

/// What a file says of its vocabulary.
#[derive(Default)]
struct Metadata {
    model: String,
    tokens: Vec<String>,
    kinds: Vec<i64>,
    template: Option<String>,
    /// Roles by the names of [`ROLES`], and who has them.
    roles: Vec<(&'static str, u64)>,
}

impl Metadata {
    fn read(file: &[u8]) -> Result<Self, String> {
        let mut reader = Reader { rest: file };
        if reader.take(4)? != MAGIC {
            return Err("expected a GGUF file".to_owned());
        }
        let version = reader.u32()?;
        if !(2..=3).contains(&version) {
            return Err(format!(
                "expected a GGUF file of version 2 or 3, not {version}"
            ));
        }
        let _tensors = reader.u64()?;
        let count = reader.u64()?;
        // Each has at least an empty key, a type and a byte.
        if count > file.len() as u64 / 13 {
            return Err(format!("a file of this size has no {count} metadata"));
        }
        let mut metadata = Self::default();
        for _ in 0..count {
            let key = reader.string()?;
            let value = reader.value()?;
            metadata.set(&key, value);
            let is_whole = !metadata.tokens.is_empty() && key == "tokenizer.chat_template";
            if is_whole {
                break;
            }
        }
        match metadata.tokens.is_empty() {
            true => Err("the metadata have no tokenizer.ggml.tokens".to_owned()),
            false => Ok(metadata),
        }
    }

    fn set(&mut self, key: &str, value: Value) {
        if let ("tokenizer.chat_template", Value::Text(template)) = (key, &value) {
            self.template = Some(template.clone());
        }
        let Some(key) = key.strip_prefix("tokenizer.ggml.") else {
            return;
        };
        match (key, value) {
            ("model", Value::Text(name)) => self.model = name,
            ("tokens", Value::Texts(tokens)) => self.tokens = tokens,
            ("token_type", Value::Numbers(kinds)) => self.kinds = kinds,
            (key, Value::Number(id)) => {
                let role = key.strip_suffix("_token_id");
                let known = ROLES.into_iter().find(|known| Some(*known) == role);
                if let (Some(role), Ok(id)) = (known, u64::try_from(id)) {
                    // A role is one token's: the last word counts.
                    self.roles.retain(|&(other, _)| other != role);
                    self.roles.push((role, id));
                }
            }
            _ => {}
        }
    }
}

/// A value of the metadata, as far as vocabularies have any.
enum Value {
    Text(String),
    Texts(Vec<String>),
    Number(i64),
    Numbers(Vec<i64>),
    Other,
}

struct Reader<'f> {
    rest: &'f [u8],
}

impl<'f> Reader<'f> {
    fn take(&mut self, count: u64) -> Result<&'f [u8], String> {
        let count = usize::try_from(count)
            .ok()
            .filter(|count| *count <= self.rest.len());
        let count = count.ok_or("the metadata end too early")?;
        let (taken, rest) = self.rest.split_at(count);
        self.rest = rest;
        Ok(taken)
    }

    /// A number in `count` bytes, little-endian, without a sign.
    fn number(&mut self, count: u64) -> Result<u64, String> {
        let bytes = self.take(count)?;
        Ok(bytes
            .iter()
            .rev()
            .fold(0, |value, &byte| value << 8 | u64::from(byte)))
    }

    fn u32(&mut self) -> Result<u32, String> {
        Ok(self.number(4)? as u32)
    }

    fn u64(&mut self) -> Result<u64, String> {
        self.number(8)
    }

    fn string(&mut self) -> Result<String, String> {
        let length = self.u64()?;
        let bytes = self.take(length)?;
        // Some files have tokens that are no UTF-8; such a token cannot be spelt.
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn value(&mut self) -> Result<Value, String> {
        let kind = self.u32()?;
        match kind {
            8 => Ok(Value::Text(self.string()?)),
            9 => self.array(0),
            kind => Ok(self.scalar(kind)?.map_or(Value::Other, Value::Number)),
        }
    }

    /// A whole number; none for what is none.
    fn scalar(&mut self, kind: u32) -> Result<Option<i64>, String> {
        Ok(match kind {
            0 | 7 => Some(self.number(1)? as i64),
            1 => Some(i64::from(self.number(1)? as i8)),
            2 => Some(self.number(2)? as i64),
            3 => Some(i64::from(self.number(2)? as i16)),
            4 => Some(self.number(4)? as i64),
            5 => Some(i64::from(self.number(4)? as i32)),
            10 | 11 => Some(self.number(8)? as i64),
            6 => {
                self.take(4)?;
                None
            }
            12 => {
                self.take(8)?;
                None
            }
            other => return Err(format!("a value of the unknown type {other}")),
        })
    }

    fn array(&mut self, depth: usize) -> Result<Value, String> {
        if depth > DEEPEST {
            return Err(format!("arrays are nested more than {DEEPEST} deep"));
        }
        let kind = self.u32()?;
        let count = self.u64()?;
        if kind == 8 {
            let mut texts = Vec::new();
            for _ in 0..count {
                texts.push(self.string()?);
            }
            return Ok(Value::Texts(texts));
        }
        if kind == 9 {
            for _ in 0..count {
                self.array(depth + 1)?;
            }
            return Ok(Value::Other);
        }
        let mut numbers = Vec::new();
        for _ in 0..count {
            numbers.extend(self.scalar(kind)?);
        }
        Ok(Value::Numbers(numbers))
    }
}
