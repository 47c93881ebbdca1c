//! Puts a vocabulary together, token by token, and checks it.

use rustc_hash::FxHashMap;

use crate::base::TokenId;

use super::error::{VocabError, VocabErrorKind};
use super::tokens::{TokenKind, Tokens};
use super::vocabulary::{Specials, Vocabulary, check_end_tokens, check_logits};

/// A vocabulary in the making.
///
/// # Examples
///
/// ```
/// use maskwright::base::TokenId;
/// use maskwright::vocab::VocabularyBuilder;
///
/// let mut builder = VocabularyBuilder::new();
/// builder.ordinary(TokenId::new(0), b"hello")?.special(TokenId::new(7), "<|end|>")?;
/// builder.end_token(TokenId::new(7)).logits(64);
/// let vocabulary = builder.build()?;
/// assert_eq!(vocabulary.mask_words(), 2);
/// # Ok::<(), maskwright::vocab::VocabError>(())
/// ```
#[derive(Default)]
pub struct VocabularyBuilder {
    tokens: Tokens,
    /// Looked up only.
    names: FxHashMap<Box<str>, TokenId>,
    specials: Vec<(TokenId, Box<str>)>,
    end_tokens: Vec<TokenId>,
    logits: Option<usize>,
}

impl VocabularyBuilder {
    /// A vocabulary without tokens.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an ordinary token. Several tokens may have the same bytes; one without bytes is a hole.
    ///
    /// # Errors
    ///
    /// If the id is taken, or the id, the token or the whole is too large. The builder is then as it was.
    pub fn ordinary(&mut self, id: TokenId, bytes: &[u8]) -> Result<&mut Self, VocabError> {
        self.check_free(id)?;
        self.tokens.set_ordinary(id, bytes)?;
        Ok(self)
    }

    /// Adds a special token, by its customary name such as `<|start|>`.
    ///
    /// # Errors
    ///
    /// If the id or the name is taken, the name is empty or the id is too large. The builder is then as it
    /// was.
    pub fn special(&mut self, id: TokenId, name: &str) -> Result<&mut Self, VocabError> {
        self.check_free(id)?;
        if name.is_empty() {
            return Err(VocabErrorKind::EmptyName(id).into());
        }
        if let Some(first) = self.special_id(name) {
            let name = name.to_owned();
            return Err(VocabErrorKind::DuplicateName {
                name,
                first,
                second: id,
            }
            .into());
        }
        self.tokens.set_special(id)?;
        self.names.insert(name.into(), id);
        self.specials.push((id, name.into()));
        Ok(self)
    }

    /// Makes a special token, added before or after, one that ends a generation.
    pub fn end_token(&mut self, id: TokenId) -> &mut Self {
        self.end_tokens.push(id);
        self
    }

    /// Sets the number of logits of the model, where it has more than the ids need.
    pub fn logits(&mut self, logits: usize) -> &mut Self {
        self.logits = Some(logits);
        self
    }

    /// The vocabulary, with its trie and its slices.
    ///
    /// # Errors
    ///
    /// If there is no ordinary token, an end token is not special, or the logits do not hold the
    /// ids.
    pub fn build(self) -> Result<Vocabulary, VocabError> {
        if self.tokens.ordinary().next().is_none() {
            return Err(VocabErrorKind::NoTokens.into());
        }
        let logits = self.logits.unwrap_or(self.tokens.len());
        check_logits(logits, self.tokens.len())?;
        let end_tokens = check_end_tokens(&self.tokens, self.end_tokens)?;
        let specials = Specials::new(self.specials);
        Ok(Vocabulary::assemble(
            self.tokens,
            specials,
            end_tokens,
            logits,
        ))
    }

    /// Adds a special token as files have them: where its name is taken, or it has none, it is special all
    /// the same, and the first of the name is the one that the name means.
    pub(super) fn special_or_alias(&mut self, id: TokenId, name: &str) -> Result<(), VocabError> {
        if !name.is_empty() && self.special_id(name).is_none() {
            return self.special(id, name).map(drop);
        }
        self.check_free(id)?;
        self.tokens.set_special(id)?;
        Ok(())
    }

    /// The special token of this name, if it was added.
    pub(super) fn special_id(&self, name: &str) -> Option<TokenId> {
        self.names.get(name).copied()
    }

    fn check_free(&self, id: TokenId) -> Result<(), VocabError> {
        match self.tokens.kind(id) {
            TokenKind::Hole => Ok(()),
            TokenKind::Ordinary | TokenKind::Special => Err(VocabErrorKind::DuplicateId(id).into()),
        }
    }
}
