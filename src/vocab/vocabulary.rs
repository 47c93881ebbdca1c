//! The vocabulary as the other layers see it.

use std::fmt;

use crate::base::{ByteSet, LimitError, Part, TokenId};

use super::error::{VocabError, VocabErrorKind};
use super::row;
use super::slices::Slices;
use super::spaces::Spaces;
use super::tokens::{MAX_LOGITS, TokenKind, Tokens};
use super::trie::Trie;

/// The tokens of a model: what each id stands for.
///
/// Immutable once built; an `Arc` shares it between constraints. Ids that no token has are holes, up
/// to any number, so no id makes a method panic.
///
/// # Examples
///
/// ```
/// use maskwright::base::TokenId;
/// use maskwright::vocab::{TokenKind, Vocabulary};
///
/// let end = TokenId::new(2);
/// let vocabulary = Vocabulary::from_tiktoken(b"aGk= 0\nIQ== 1\n", &[("<|end|>", end)], &[end])?;
/// assert_eq!(vocabulary.bytes(TokenId::new(0)), Some(&b"hi"[..]));
/// assert_eq!(vocabulary.special("<|end|>"), Some(end));
/// assert_eq!(vocabulary.kind(end), TokenKind::Special);
/// assert_eq!(vocabulary.len(), 3);
/// # Ok::<(), maskwright::vocab::VocabError>(())
/// ```
#[derive(Clone)]
pub struct Vocabulary {
    tokens: Tokens,
    specials: Specials,
    /// Ascending, each once.
    end_tokens: Vec<TokenId>,
    logits: usize,
    single_bytes: ByteSet,
    longest: usize,
    trie: Trie,
    slices: Slices,
    spaces: Spaces,
}

impl Vocabulary {
    /// Puts checked parts together: every id is below `logits`, every end token is special.
    pub(super) fn assemble(
        tokens: Tokens,
        specials: Specials,
        end_tokens: Vec<TokenId>,
        logits: usize,
    ) -> Self {
        let trie = Trie::new(&tokens);
        Self {
            slices: Slices::new(&tokens, &trie, logits),
            spaces: Spaces::new(&trie),
            trie,
            single_bytes: single_bytes(&tokens),
            longest: tokens
                .ordinary()
                .map(|(_, bytes)| bytes.len())
                .max()
                .unwrap_or(0),
            tokens,
            specials,
            end_tokens,
            logits,
        }
    }

    /// The same tokens for a model with `logits` logits, the length of mask rows in bits.
    ///
    /// # Errors
    ///
    /// If `logits` cannot hold every id, or is beyond four million.
    pub fn with_logits(mut self, logits: usize) -> Result<Self, VocabError> {
        check_logits(logits, self.tokens.len())?;
        if row::words(logits) != row::words(self.logits) {
            self.slices = Slices::new(&self.tokens, &self.trie, logits);
        }
        self.logits = logits;
        Ok(self)
    }

    /// The same tokens with these end tokens besides those it has.
    ///
    /// # Errors
    ///
    /// If one of them is not a special token.
    pub fn with_end_tokens(mut self, end_tokens: &[TokenId]) -> Result<Self, VocabError> {
        self.end_tokens.extend_from_slice(end_tokens);
        self.end_tokens = check_end_tokens(&self.tokens, self.end_tokens)?;
        Ok(self)
    }

    /// The number of logits: one more than the highest id, or more where the model has more.
    #[allow(clippy::len_without_is_empty, reason = "a vocabulary has a token")]
    pub fn len(&self) -> usize {
        self.logits
    }

    /// The 32-bit words of a mask row.
    pub fn mask_words(&self) -> usize {
        row::words(self.logits)
    }

    /// What `token` is.
    pub fn kind(&self, token: TokenId) -> TokenKind {
        self.tokens.kind(token)
    }

    /// The bytes of an ordinary token, at least one; `None` for any other id.
    pub fn bytes(&self, token: TokenId) -> Option<&[u8]> {
        self.tokens.bytes(token)
    }

    /// What `token` spells; `None` for an id that is not in use.
    pub fn part(&self, token: TokenId) -> Option<Part<'_>> {
        match self.bytes(token) {
            Some(bytes) => Some(Part::Text(bytes)),
            None => self.special_name(token).map(Part::Special),
        }
    }

    /// The special token of this name.
    pub fn special(&self, name: &str) -> Option<TokenId> {
        self.specials.token(name)
    }

    /// Whether one token is spelt `text`, special or not.
    pub fn has_token(&self, text: &str) -> bool {
        let spells = |(_, length): (_, usize)| length == text.len();
        self.special(text).is_some() || self.trie.prefixes(text.as_bytes()).any(spells)
    }

    /// The name of a special token; `None` for any other id, and for a special token of a file that has no name of its own.
    pub fn special_name(&self, token: TokenId) -> Option<&str> {
        self.specials.name(token)
    }

    /// The special tokens with their names, ids ascending.
    pub fn specials(&self) -> impl Iterator<Item = (&str, TokenId)> {
        self.specials
            .by_id
            .iter()
            .map(|(token, name)| (&**name, *token))
    }

    /// The special tokens that end a generation, ids ascending.
    pub fn end_tokens(&self) -> &[TokenId] {
        &self.end_tokens
    }

    /// The bytes that are an ordinary token by themselves. A text with another byte in
    /// it may have no tokens that spell it.
    pub fn single_byte_tokens(&self) -> &ByteSet {
        &self.single_bytes
    }

    /// The length of the longest ordinary token in bytes.
    pub fn longest_token(&self) -> usize {
        self.longest
    }

    /// The longest ordinary tokens that spell `bytes`, one after the other; a byte that none spells is
    /// left out. A tokeniser may cut the same text otherwise.
    ///
    /// # Examples
    ///
    /// ```
    /// use maskwright::base::TokenId;
    /// use maskwright::vocab::Vocabulary;
    ///
    /// let end = TokenId::new(3);
    /// let vocabulary = Vocabulary::from_tiktoken(b"YQ== 0\nYWI= 1\nYg== 2\n", &[("<end>", end)], &[end])?;
    /// assert_eq!(vocabulary.longest_tokens(b"aabxb"), [0, 1, 2].map(TokenId::new));
    /// # Ok::<(), maskwright::vocab::VocabError>(())
    /// ```
    pub fn longest_tokens(&self, mut bytes: &[u8]) -> Vec<TokenId> {
        let mut ids = Vec::new();
        while !bytes.is_empty() {
            let longest = self.trie.prefixes(bytes).last();
            ids.extend(longest.and_then(|(tokens, _)| tokens.first()));
            bytes = &bytes[longest.map_or(1, |(_, length)| length)..];
        }
        ids
    }

    /// `bytes` in as few of the tokens that are `wanted` as spell it, the longest first; bytes that none of them
    /// spells are left out.
    pub(crate) fn fewest_tokens_of(
        &self,
        bytes: &[u8],
        wanted: impl Fn(TokenId) -> bool,
    ) -> Vec<TokenId> {
        // From each place to the end: how many tokens, the first of them, and its length.
        let mut best: Vec<(usize, Option<TokenId>, usize)> = vec![(0, None, 1); bytes.len() + 1];
        for at in (0..bytes.len()).rev() {
            let fewest = self
                .trie
                .prefixes(&bytes[at..])
                .filter_map(|(tokens, length)| {
                    let token = tokens.iter().copied().find(|&token| wanted(token))?;
                    Some((best[at + length].0 + 1, Some(token), length))
                })
                .min_by_key(|&(count, _, length)| (count, std::cmp::Reverse(length)));
            best[at] = fewest.unwrap_or((best[at + 1].0, None, 1));
        }
        let mut ids = Vec::with_capacity(best[0].0);
        let mut at = 0;
        while at < bytes.len() {
            let (_, token, length) = best[at];
            ids.extend(token);
            at += length;
        }
        ids
    }

    /// The byte trie of the ordinary tokens.
    pub fn trie(&self) -> &Trie {
        &self.trie
    }

    /// Where runs of white space lead in the trie.
    pub(crate) fn spaces(&self) -> &Spaces {
        &self.spaces
    }

    /// The slices of the ordinary tokens.
    pub(crate) fn slices(&self) -> &Slices {
        &self.slices
    }
}

impl fmt::Debug for Vocabulary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vocabulary")
            .field("logits", &self.logits)
            .field("specials", &self.specials.by_id.len())
            .field("end_tokens", &self.end_tokens)
            .finish_non_exhaustive()
    }
}

fn single_bytes(tokens: &Tokens) -> ByteSet {
    let single = |(_, bytes): (_, &[u8])| match bytes {
        [byte] => Some(*byte),
        _ => None,
    };
    tokens.ordinary().filter_map(single).collect()
}

/// Whether `logits` hold the `needed` ids.
pub(super) fn check_logits(logits: usize, needed: usize) -> Result<(), VocabError> {
    LimitError::check("logits of a vocabulary", logits, MAX_LOGITS)?;
    if logits < needed {
        return Err(VocabErrorKind::TooFewLogits { logits, needed }.into());
    }
    Ok(())
}

/// The end tokens ascending and each once, if all are special.
pub(super) fn check_end_tokens(
    tokens: &Tokens,
    mut end_tokens: Vec<TokenId>,
) -> Result<Vec<TokenId>, VocabError> {
    end_tokens.sort_unstable();
    end_tokens.dedup();
    match end_tokens
        .iter()
        .find(|&&id| tokens.kind(id) != TokenKind::Special)
    {
        Some(&id) => Err(VocabErrorKind::EndToken {
            id,
            kind: tokens.kind(id),
        }
        .into()),
        None => Ok(end_tokens),
    }
}

/// The special tokens, to be found by id and by name.
#[derive(Clone)]
pub(super) struct Specials {
    by_id: Vec<(TokenId, Box<str>)>,
    /// Indices into `by_id`, names ascending.
    by_name: Vec<usize>,
}

impl Specials {
    /// Ids and names are distinct.
    pub(super) fn new(mut specials: Vec<(TokenId, Box<str>)>) -> Self {
        specials.sort_unstable();
        let mut by_name: Vec<_> = (0..specials.len()).collect();
        by_name.sort_unstable_by(|&a, &b| specials[a].1.cmp(&specials[b].1));
        Self {
            by_id: specials,
            by_name,
        }
    }

    fn token(&self, name: &str) -> Option<TokenId> {
        let found = self
            .by_name
            .binary_search_by(|&index| (*self.by_id[index].1).cmp(name));
        found.ok().map(|at| self.by_id[self.by_name[at]].0)
    }

    fn name(&self, token: TokenId) -> Option<&str> {
        let found = self.by_id.binary_search_by_key(&token, |(id, _)| *id);
        found.ok().map(|at| &*self.by_id[at].1)
    }
}
