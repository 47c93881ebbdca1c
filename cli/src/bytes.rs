//! A vocabulary of the single bytes: what a schema admits does not depend on a vocabulary.

use maskwright::base::TokenId;
use maskwright::session::Engine;
use maskwright::vocab::{VocabError, Vocabulary, VocabularyBuilder};

use super::failure::Failure;

/// An engine whose tokens are the 256 bytes, and one that ends a text.
pub(crate) fn engine() -> Result<Engine, Failure> {
    let vocabulary = vocabulary().map_err(|error| Failure::new(error.to_string()))?;
    Ok(Engine::new(vocabulary))
}

fn vocabulary() -> Result<Vocabulary, VocabError> {
    let mut builder = VocabularyBuilder::new();
    for byte in 0..=u8::MAX {
        builder.ordinary(TokenId::new(u32::from(byte)), &[byte])?;
    }
    let end = TokenId::new(256);
    builder.special(end, "<end>")?.end_token(end);
    builder.build()
}
