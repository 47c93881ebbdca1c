//! Rank files of tiktoken: a token a line, its bytes in Base64, a space, its id.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::base::TokenId;
use crate::vocab::builder::VocabularyBuilder;
use crate::vocab::error::{Position, VocabError, VocabErrorKind};
use crate::vocab::vocabulary::Vocabulary;

const FILE: &str = "rank file";

impl Vocabulary {
    /// The vocabulary of a tiktoken rank file, and the special tokens, which such a file leaves out.
    ///
    /// # Errors
    ///
    /// With the line, if one is malformed or repeats an id; without, if a special token's id or
    /// name is taken or an end token is not among the special ones.
    pub fn from_tiktoken(
        ranks: &[u8],
        specials: &[(&str, TokenId)],
        end_tokens: &[TokenId],
    ) -> Result<Self, VocabError> {
        let mut builder = VocabularyBuilder::new();
        builder.tiktoken(ranks)?;
        for &(name, id) in specials {
            builder.special(id, name)?;
        }
        for &id in end_tokens {
            builder.end_token(id);
        }
        builder.build()
    }
}

impl VocabularyBuilder {
    /// Adds the ordinary tokens of a tiktoken rank file. Blank lines are skipped.
    ///
    /// # Errors
    ///
    /// With the line, if one is malformed, repeats an id or is too large. The lines before it have
    /// then been added.
    pub fn tiktoken(&mut self, ranks: &[u8]) -> Result<&mut Self, VocabError> {
        let mut bytes = Vec::new();
        for (line, number) in ranks.split(|&byte| byte == b'\n').zip(1..) {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            bytes.clear();
            let added = read(line, &mut bytes).and_then(|id| self.ordinary(id, &bytes).map(drop));
            added.map_err(|error| error.at(FILE, Position::Line(number)))?;
        }
        Ok(self)
    }
}

/// Reads a line: the token's bytes go to `bytes`, its id is returned.
fn read(line: &[u8], bytes: &mut Vec<u8>) -> Result<TokenId, VocabError> {
    let malformed = |message: &str| VocabErrorKind::Malformed(message.to_owned());
    let Some(space) = line.iter().position(|&byte| byte == b' ') else {
        return Err(malformed("expected a token in Base64, a space and its id").into());
    };
    let (token, id) = (&line[..space], &line[space + 1..]);
    STANDARD
        .decode_vec(token, bytes)
        .map_err(|error| malformed(&format!("expected a token in Base64: {error}")))?;
    let id = std::str::from_utf8(id)
        .ok()
        .filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
    match id.and_then(|id| id.parse().ok()) {
        Some(id) => Ok(TokenId::new(id)),
        None => Err(malformed("expected the token's id, a decimal number, after the space").into()),
    }
}
