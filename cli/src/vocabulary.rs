//! `--vocab`: which vocabulary, and how text becomes its tokens.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use maskwright::base::TokenId;
use maskwright::session::Engine;
use maskwright::vocab::{FileKind, Place, Position, VocabError, Vocabulary, VocabularyBuilder};
use tiktoken_rs::CoreBPE;
use tokenizers::Tokenizer;

use super::failure::Failure;
use super::input;

/// The vocabulary that is built in.
pub(crate) const DEFAULT: &str = "o200k_harmony";

/// The ordinary tokens of `o200k_harmony`, ids from 0.
const O200K_ORDINARY: u32 = 199_998;
/// The only special token that a rank file of no known vocabulary is given, after the last rank.
const END_OF_TEXT: &str = "<|endoftext|>";
const CONFIG: &str = "tokenizer_config.json";
const TOKENIZER: &str = "tokenizer.json";
const TEKKEN: &str = "tekken.json";
/// What SentencePiece writes.
const MODEL: &str = "tokenizer.model";

/// Splits text into tokens as a model's own tokeniser does; control tokens spelt out are text.
pub(crate) trait Tokenise: Send + Sync {
    fn tokenise(&self, text: &str) -> Vec<TokenId>;
}

/// A vocabulary, ready for masks, and its tokeniser.
pub(crate) struct Tokens {
    engine: Engine,
    end: TokenId,
    text: Text,
    ready: Duration,
}

/// What the tokeniser is made of.
enum Text {
    Tiktoken(Arc<Tiktoken>),
    /// The bytes of a `tokenizer.json`, and what it is called.
    HuggingFace(Vec<u8>, String),
    /// None but the vocabulary.
    Longest(Arc<Longest>),
}

/// Splits texts into the longest tokens, one after the other: what can be done without a tokeniser.
struct Longest(Vocabulary);

impl Tokenise for Longest {
    fn tokenise(&self, text: &str) -> Vec<TokenId> {
        self.0.longest_tokens(text.as_bytes())
    }
}

impl Tokens {
    /// The vocabulary, to be kept.
    pub(crate) fn shared_vocabulary(&self) -> Arc<Vocabulary> {
        self.engine.shared_vocabulary()
    }

    /// Loads the vocabulary that `--vocab` names.
    pub(crate) fn load(choice: &str) -> Result<Self, Failure> {
        if choice == DEFAULT {
            return Self::o200k_harmony();
        }
        let path = file_of(Path::new(choice))?;
        let bytes = input::read_bytes(&path)?;
        match FileKind::of(&bytes) {
            FileKind::Gguf => Self::without_tokeniser(&path, Vocabulary::from_gguf, bytes),
            FileKind::SentencePiece => {
                Self::without_tokeniser(&path, Vocabulary::from_sentence_piece, bytes)
            }
            FileKind::Tekken => Self::without_tokeniser(&path, Vocabulary::from_tekken, bytes),
            FileKind::Ranks if path.extension().is_none_or(|found| found != "json") => {
                Self::from_ranks(&path, bytes)
            }
            FileKind::TokenizerJson | FileKind::Ranks => Self::from_tokenizer_json(&path, bytes),
        }
    }

    /// An engine over the vocabulary. All share its masks.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        self.engine.vocabulary()
    }

    /// The token that ends a text without control tokens.
    pub(crate) fn end(&self) -> TokenId {
        self.end
    }

    /// How long the vocabulary took from the tokens' bytes (or from the bytes of its file) on.
    pub(crate) fn ready(&self) -> Duration {
        self.ready
    }

    /// The tokeniser. Making it may take longer than all the rest, so it is made when asked for.
    pub(crate) fn tokeniser(&self) -> Result<Arc<dyn Tokenise>, Failure> {
        match &self.text {
            Text::Tiktoken(tiktoken) => Ok(tiktoken.clone()),
            Text::Longest(longest) => Ok(longest.clone()),
            Text::HuggingFace(json, name) => {
                let mut tokenizer = Tokenizer::from_bytes(json).map_err(|e| {
                    Failure::new(format!("{name}: no tokeniser can be made of it: {e}"))
                })?;
                tokenizer.set_encode_special_tokens(true);
                let vocabulary = self.vocabulary().clone();
                Ok(Arc::new(HuggingFace {
                    tokenizer,
                    vocabulary,
                }))
            }
        }
    }

    fn new(
        vocabulary: Result<Vocabulary, Failure>,
        start: Instant,
        text: Text,
    ) -> Result<Self, Failure> {
        let engine = Engine::new(vocabulary?);
        let ready = start.elapsed();
        let Some(&end) = engine.vocabulary().end_tokens().first() else {
            return Err(
                Failure::new("the vocabulary names no end token").hint(format!(
                    "put a {CONFIG} that says `eos_token` beside {TOKENIZER}"
                )),
            );
        };
        Ok(Self {
            engine,
            end,
            text,
            ready,
        })
    }

    fn o200k_harmony() -> Result<Self, Failure> {
        let fail = |error: &dyn std::fmt::Display| Failure::new(format!("{DEFAULT}: {error}"));
        let bpe = tiktoken_rs::o200k_harmony().map_err(|e| fail(&e))?;
        let words: Vec<_> = (0..O200K_ORDINARY)
            .map(|id| bpe.decode_bytes(&[id]).unwrap_or_default())
            .collect();
        let start = Instant::now();
        let mut builder = VocabularyBuilder::o200k_harmony();
        for (id, bytes) in words.iter().enumerate() {
            builder
                .ordinary(TokenId::from_usize(id), bytes)
                .map_err(|e| fail(&e))?;
        }
        let vocabulary = builder.build().map_err(|e| fail(&e));
        Self::new(vocabulary, start, Text::Tiktoken(Arc::new(Tiktoken(bpe))))
    }

    /// A rank file. It names no specials: those of the vocabulary it holds where that is known,
    /// else `<|endoftext|>` after the last rank.
    fn from_ranks(path: &Path, bytes: Vec<u8>) -> Result<Self, Failure> {
        let start = Instant::now();
        let fail = |error: &VocabError| refusal(error, path, &bytes);
        let mut builder = VocabularyBuilder::new();
        builder.tiktoken(&bytes).map_err(|e| fail(&e))?;
        let ranks = builder.build().map_err(|e| fail(&e))?;
        if ranks.len() == O200K_ORDINARY as usize {
            let known = Self::o200k_harmony()?;
            if spells_the_same(&ranks, known.vocabulary()) {
                return Ok(known);
            }
        }
        let end = TokenId::from_usize(ranks.len());
        let vocabulary =
            Vocabulary::from_tiktoken(&bytes, &[(END_OF_TEXT, end)], &[end]).map_err(|e| fail(&e));
        let words = (0..ranks.len()).map(TokenId::from_usize);
        let words = words.filter_map(|id| Some((ranks.bytes(id)?.to_vec(), id.get())));
        let specials = [(END_OF_TEXT.to_owned(), end.get())].into_iter().collect();
        let bpe = CoreBPE::new(words.collect(), specials, tiktoken_rs::O200K_BASE_PAT_STR)
            .map_err(|e| Failure::new(format!("{}: {e}", input::name(path))))?;
        Self::new(vocabulary, start, Text::Tiktoken(Arc::new(Tiktoken(bpe))))
    }

    /// A file with a vocabulary and no tokeniser that is known here.
    fn without_tokeniser(
        path: &Path,
        read: impl Fn(&[u8]) -> Result<Vocabulary, VocabError>,
        bytes: Vec<u8>,
    ) -> Result<Self, Failure> {
        let start = Instant::now();
        let vocabulary = read(&bytes)
            .map_err(|error| Failure::new(format!("{}: {error}", input::name(path))))?;
        let text = Text::Longest(Arc::new(Longest(vocabulary.clone())));
        Self::new(Ok(vocabulary), start, text)
    }

    fn from_tokenizer_json(path: &Path, json: Vec<u8>) -> Result<Self, Failure> {
        let config_path = config_of(path);
        let config = match config_path.is_file() {
            true => Some(input::read_bytes(&config_path)?),
            false => None,
        };
        let start = Instant::now();
        let vocabulary =
            Vocabulary::from_tokenizer_json(&json, config.as_deref()).map_err(|error| {
                match (error.place(), &config) {
                    (Some(Place { file: CONFIG, .. }), Some(config)) => {
                        refusal(&error, &config_path, config)
                    }
                    _ => refusal(&error, path, &json),
                }
            });
        Self::new(
            vocabulary,
            start,
            Text::HuggingFace(json, input::name(path)),
        )
    }
}

/// Whether each id of `ranks` spells in `known` what it spells there.
fn spells_the_same(ranks: &Vocabulary, known: &Vocabulary) -> bool {
    (0..ranks.len())
        .map(TokenId::from_usize)
        .all(|id| ranks.bytes(id) == known.bytes(id))
}

/// The configuration beside a `tokenizer.json`, or beside an `X.tokenizer.json`.
fn config_of(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(TOKENIZER).unwrap_or_default();
    path.with_file_name(format!("{stem}{CONFIG}"))
}

/// The file to read for `--vocab PATH`.
fn file_of(path: &Path) -> Result<PathBuf, Failure> {
    let kinds = format!(
        "{DEFAULT}, a tiktoken rank file, a {TOKENIZER}, a {TEKKEN}, a GGUF file, a SentencePiece \
             model, or a directory with one of the first three or a {MODEL}"
    );
    let metadata = std::fs::metadata(path)
        .map_err(|e| Failure::io(path, &e).hint(format!("--vocab takes {kinds}")))?;
    if !metadata.is_dir() {
        return Ok(path.to_owned());
    }
    let files = input::files_in(path)?;
    let called = |is_meant: fn(&str) -> bool| {
        let is_called = |file: &&PathBuf| {
            let name = file.file_name().unwrap_or_default();
            is_meant(&name.to_string_lossy())
        };
        let meant = files.iter().filter(is_called);
        meant.cloned().collect::<Vec<PathBuf>>()
    };
    let mut found =
        called(|name| name.ends_with(TOKENIZER) || name.ends_with(".tiktoken") || name == TEKKEN);
    if found.is_empty() {
        // The others say more of the same tokens.
        found = called(|name| name == MODEL);
    }
    match found.as_slice() {
        [file] => Ok(file.clone()),
        [] => Err(Failure::new(format!(
            "{}: holds no {TOKENIZER}, no *.tiktoken file, no {TEKKEN} and no {MODEL}",
            path.display()
        ))),
        [first, second, ..] => Err(Failure::new(format!(
            "{}: holds several vocabularies, {} and {} among them",
            path.display(),
            first.display(),
            second.display()
        ))
        .hint("name the file")),
    }
}

/// The error in the file `path` with the contents `bytes`, shown in its text.
fn refusal(error: &VocabError, path: &Path, bytes: &[u8]) -> Failure {
    let name = input::name(path);
    let message = error.kind().to_string();
    let failure = match error.place().map(|place| &place.position) {
        Some(Position::Line(line)) => in_line(message, name, bytes, *line, 0..usize::MAX),
        Some(Position::LineColumn(line, column)) => {
            let at = column.saturating_sub(1);
            in_line(message, name, bytes, *line, at..at + 1)
        }
        Some(Position::Pointer(pointer)) => Failure::new(format!("{name}: {pointer}: {message}")),
        _ => Failure::new(format!("{name}: {message}")),
    };
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// An error at the columns `span` of the line with number `line`, from 1; of a file that may hold
/// anything.
fn in_line(
    message: String,
    name: String,
    bytes: &[u8],
    line: usize,
    span: Range<usize>,
) -> Failure {
    let before = line.saturating_sub(1);
    let line = bytes.split(|&byte| byte == b'\n').nth(before);
    let line = line.unwrap_or_default().trim_ascii_end();
    // What is no UTF-8 has other lengths as text.
    let text = |columns: usize| String::from_utf8_lossy(&line[..columns.min(line.len())]);
    let span = text(span.start).len()..text(span.end).len();
    Failure::at(message, name, text(line.len()), span).after_lines(before)
}

struct Tiktoken(CoreBPE);

impl Tokenise for Tiktoken {
    fn tokenise(&self, text: &str) -> Vec<TokenId> {
        self.0
            .encode_ordinary(text)
            .into_iter()
            .map(TokenId::new)
            .collect()
    }
}

struct HuggingFace {
    tokenizer: Tokenizer,
    vocabulary: Vocabulary,
}

impl Tokenise for HuggingFace {
    /// A tokeniser that changes its text, as those do that put a space before it, does not spell
    /// what a mask is to be held against. Then the longest tokens count, one after the other.
    fn tokenise(&self, text: &str) -> Vec<TokenId> {
        let ids: Vec<TokenId> = match self.tokenizer.encode_fast(text, false) {
            Ok(encoding) => encoding
                .get_ids()
                .iter()
                .copied()
                .map(TokenId::new)
                .collect(),
            Err(_) => Vec::new(),
        };
        let spelt: Vec<u8> = ids
            .iter()
            .flat_map(|&id| self.vocabulary.bytes(id).unwrap_or_default())
            .copied()
            .collect();
        match spelt == text.as_bytes() {
            true => ids,
            false => self.vocabulary.longest_tokens(text.as_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_configuration_beside() {
        for (path, config) in [
            ("a/tokenizer.json", "a/tokenizer_config.json"),
            ("a/qwen.tokenizer.json", "a/qwen.tokenizer_config.json"),
        ] {
            assert_eq!(config_of(Path::new(path)), Path::new(config));
        }
    }

    #[test]
    fn o200k_spells_what_it_tokenises() {
        let Ok(tokens) = Tokens::load(DEFAULT) else {
            panic!("built in")
        };
        let text = "{\"name\": \"Żółw <|end|>\", \"n\": 10}";
        let Ok(tokeniser) = tokens.tokeniser() else {
            panic!("built in")
        };
        let spelt: Vec<u8> = tokeniser
            .tokenise(text)
            .into_iter()
            .flat_map(|id| {
                tokens
                    .vocabulary()
                    .bytes(id)
                    .expect("an ordinary token")
                    .to_vec()
            })
            .collect();
        assert_eq!(String::from_utf8_lossy(&spelt), text);
        assert_eq!(
            tokens.vocabulary().special_name(tokens.end()),
            Some("<|endoftext|>")
        );
    }
}
