//! Which kind of file a vocabulary is in, told by its contents.

use super::json::FILE;

/// The kinds of files that a vocabulary may be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKind {
    /// A GGUF file: [`Vocabulary::from_gguf`](crate::vocab::Vocabulary::from_gguf).
    Gguf,
    /// A model of SentencePiece: [`Vocabulary::from_sentence_piece`](crate::vocab::Vocabulary::from_sentence_piece).
    SentencePiece,
    /// Mistral's `tekken.json`: [`Vocabulary::from_tekken`](crate::vocab::Vocabulary::from_tekken).
    Tekken,
    /// Hugging Face's `tokenizer.json`: [`Vocabulary::from_tokenizer_json`](crate::vocab::Vocabulary::from_tokenizer_json).
    TokenizerJson,
    /// A rank file of tiktoken: [`Vocabulary::from_tiktoken`](crate::vocab::Vocabulary::from_tiktoken).
    Ranks,
}

/// How far into a file its kind shows.
const BEGINNING: usize = 4096;

impl FileKind {
    /// The kind of the file with these bytes, of which the beginning is enough. A name tells less: a `tokenizer.model` is a
    /// model of SentencePiece or a rank file.
    ///
    /// ```
    /// use maskwright::vocab::FileKind;
    /// assert_eq!(FileKind::of(b"IQ== 0\nIg== 1\n"), FileKind::Ranks);
    /// assert_eq!(FileKind::of(b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02"), FileKind::SentencePiece);
    /// ```
    pub fn of(bytes: &[u8]) -> Self {
        let beginning = &bytes[..bytes.len().min(BEGINNING)];
        let says = |word: &[u8]| beginning.windows(word.len()).any(|found| found == word);
        let is_text = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
        if bytes.starts_with(b"GGUF") {
            Self::Gguf
        } else if beginning.trim_ascii_start().starts_with(b"{") {
            match says(b"\"default_num_special_tokens\"") {
                true => Self::Tekken,
                false => Self::TokenizerJson,
            }
        } else if beginning.starts_with(b"\n") && !beginning.iter().all(is_text) {
            // The tag of a message's first field, and a number with bytes that no text has.
            Self::SentencePiece
        } else {
            Self::Ranks
        }
    }

    /// What such a file is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gguf => "GGUF file",
            Self::SentencePiece => "SentencePiece model",
            Self::Tekken => "tekken.json",
            Self::TokenizerJson => FILE,
            Self::Ranks => "rank file",
        }
    }
}
