//! `--vocab`: which vocabulary, and how text becomes its tokens.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use maskwright::base::TokenId;
use maskwright::vocab::{Vocabulary, VocabularyBuilder};
use tiktoken_rs::CoreBPE;

use super::failure::Failure;
use super::input;

/// The vocabulary that is built in.
pub(crate) const DEFAULT: &str = "o200k_harmony";

/// Ids of `o200k_harmony`: 199,998 ordinary tokens, then specials.
const O200K_LEN: u32 = 201_088;
const O200K_ORDINARY: usize = 199_998;
/// `<|return|>`, `<|endoftext|>` and `<|call|>`, the end tokens of the models that use it.
const O200K_ENDS: [u32; 3] = [200_002, 199_999, 200_012];

/// Splits text into tokens as a model's own tokeniser does; control tokens spelt out are text.
pub(crate) trait Tokenise: Send + Sync {
    fn tokenise(&self, text: &str) -> Vec<TokenId>;
}

/// A vocabulary as read: bytes for each id, empty where the id names no token.
pub(crate) struct Tokens {
    bytes: Vec<Vec<u8>>,
    special: Vec<bool>,
    ends: Vec<TokenId>,
    tokeniser: Arc<dyn Tokenise>,
}

impl Tokens {
    /// Loads the vocabulary that `--vocab` names.
    pub(crate) fn load(choice: &str) -> Result<Self, Failure> {
        if choice == DEFAULT {
            return Self::o200k_harmony();
        }
        let path = file_of(Path::new(choice))?;
        Self::from_ranks(&path)
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of `id`; a special token's are its name.
    pub(crate) fn bytes(&self, id: usize) -> &[u8] {
        &self.bytes[id]
    }

    pub(crate) fn is_special(&self, id: usize) -> bool {
        self.special[id]
    }

    /// The end tokens; the first is the one that ends a JSON text.
    pub(crate) fn ends(&self) -> &[TokenId] {
        &self.ends
    }

    /// The vocabulary as the engine takes it.
    pub(crate) fn vocabulary(&self) -> Result<Vocabulary, Failure> {
        let mut builder = VocabularyBuilder::new();
        for (id, bytes) in self
            .bytes
            .iter()
            .enumerate()
            .filter(|(_, bytes)| !bytes.is_empty())
        {
            let token = TokenId::from_usize(id);
            match self.special[id] {
                true => builder.special(token, &String::from_utf8_lossy(bytes)),
                false => builder.ordinary(token, bytes),
            }
            .map_err(|error| Failure::new(error.to_string()))?;
        }
        for &token in &self.ends {
            builder.end_token(token);
        }
        builder.logits(self.bytes.len());
        builder
            .build()
            .map_err(|error| Failure::new(error.to_string()))
    }

    pub(crate) fn tokeniser(&self) -> &Arc<dyn Tokenise> {
        &self.tokeniser
    }

    fn o200k_harmony() -> Result<Self, Failure> {
        let bpe =
            tiktoken_rs::o200k_harmony().map_err(|e| Failure::new(format!("{DEFAULT}: {e}")))?;
        let bytes: Vec<_> = (0..O200K_LEN)
            .map(|id| bpe.decode_bytes(&[id]).unwrap_or_default())
            .collect();
        let special = (0..bytes.len()).map(|id| id >= O200K_ORDINARY).collect();
        let ends = O200K_ENDS.map(TokenId::new).to_vec();
        Ok(Self {
            bytes,
            special,
            ends,
            tokeniser: Arc::new(Tiktoken(bpe)),
        })
    }

    /// A rank file. It names no specials: those of the vocabulary it holds where that is known,
    /// else `<|endoftext|>` after the last rank.
    fn from_ranks(path: &Path) -> Result<Self, Failure> {
        let mut bytes = parse_ranks(&input::name(path), &input::read_text(path)?)?;
        if bytes.len() == O200K_ORDINARY {
            return Self::o200k_harmony();
        }
        let ordinary = bytes.len();
        bytes.push(b"<|endoftext|>".to_vec());
        let ranks = bytes[..ordinary]
            .iter()
            .enumerate()
            .filter(|(_, b)| !b.is_empty());
        let bpe = CoreBPE::new(
            ranks.map(|(id, b)| (b.clone(), id as u32)).collect(),
            [("<|endoftext|>".to_owned(), ordinary as u32)]
                .into_iter()
                .collect(),
            tiktoken_rs::O200K_BASE_PAT_STR,
        )
        .map_err(|e| Failure::new(format!("{}: {e}", input::name(path))))?;
        let special = (0..bytes.len()).map(|id| id == ordinary).collect();
        let ends = vec![TokenId::from_usize(ordinary)];
        Ok(Self {
            bytes,
            special,
            ends,
            tokeniser: Arc::new(Tiktoken(bpe)),
        })
    }
}

/// The file to read for `--vocab PATH`.
fn file_of(path: &Path) -> Result<PathBuf, Failure> {
    let metadata = std::fs::metadata(path).map_err(|e| {
        Failure::io(path, &e).hint(format!(
            "--vocab takes {DEFAULT}, a tiktoken rank file, or a directory with a *.tiktoken file"
        ))
    })?;
    if !metadata.is_dir() {
        return Ok(path.to_owned());
    }
    let mut files = input::files_in(path)?;
    files.retain(|file| file.extension().is_some_and(|e| e == "tiktoken"));
    files
        .into_iter()
        .next()
        .ok_or_else(|| Failure::new(format!("{}: holds no *.tiktoken file", path.display())))
}

/// Reads lines of base64 and rank; the table has holes where a rank is missing.
fn parse_ranks(name: &str, text: &str) -> Result<Vec<Vec<u8>>, Failure> {
    let mut table: Vec<Vec<u8>> = Vec::new();
    let mut seen = std::collections::HashMap::new();
    for (number, line) in text.lines().enumerate() {
        let fail =
            |message: String| Failure::at(message, name, line, 0..line.len()).after_lines(number);
        if line.is_empty() {
            continue;
        }
        let (encoded, rank) = line
            .split_once(' ')
            .ok_or_else(|| fail("expected base64, a space and a rank".into()))?;
        let token = base64::engine::general_purpose::STANDARD
            .decode(encoded)
            .map_err(|e| fail(format!("not base64: {e}")))?;
        let rank: usize = rank
            .trim()
            .parse()
            .map_err(|e| fail(format!("not a rank: {e}")))?;
        if token.is_empty() {
            return Err(fail("an empty token".into()));
        }
        if rank > MAX_RANK {
            return Err(fail(format!("rank {rank} is over {MAX_RANK}")));
        }
        if let Some(other) = seen.insert(token.clone(), rank) {
            return Err(fail(format!("rank {other} has the same bytes")));
        }
        if rank >= table.len() {
            table.resize_with(rank + 1, Vec::new);
        }
        if !table[rank].is_empty() {
            return Err(fail(format!("rank {rank} is given twice")));
        }
        table[rank] = token;
    }
    if table.is_empty() {
        return Err(Failure::new(format!("{name}: holds no token")));
    }
    Ok(table)
}

/// The highest rank that is believed.
const MAX_RANK: usize = 1 << 22;

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ranks_with_holes() {
        let table = parse_ranks("r", "YQ== 0\nYg== 2\n").map_err(|_| "refused");
        assert_eq!(table, Ok(vec![b"a".to_vec(), Vec::new(), b"b".to_vec()]));
    }

    #[test]
    fn refuses_malformed_ranks() {
        for text in [
            "",
            "YQ==\n",
            "Y 0\n",
            "YQ== x\n",
            "YQ== 0\nYQ== 1\n",
            "YQ== 0\nYg== 0\n",
            " 0\n",
            "YQ== 99999999999\n",
        ] {
            assert!(parse_ranks("r", text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn o200k_spells_what_it_tokenises() {
        let Ok(tokens) = Tokens::load(DEFAULT) else {
            panic!("built in")
        };
        let text = "{\"name\": \"Żółw <|end|>\", \"n\": 10}";
        let ids = tokens.tokeniser().tokenise(text);
        assert!(ids.iter().all(|id| !tokens.is_special(id.index())));
        let spelt: Vec<u8> = ids
            .iter()
            .flat_map(|id| tokens.bytes(id.index()).to_vec())
            .collect();
        assert_eq!(String::from_utf8_lossy(&spelt), text);
        assert_eq!(tokens.bytes(tokens.ends()[0].index()), b"<|return|>");
    }
}
