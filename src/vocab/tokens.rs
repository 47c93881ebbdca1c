//! The table of tokens by id: what each is, and the bytes of the ordinary ones.

use std::fmt;

use crate::base::{LimitError, TokenId};

/// The most logits; ids are below it. It lets a trie node count tokens in 22 bits.
pub(super) const MAX_LOGITS: usize = (1 << 22) - 1;
/// The longest token in bytes: 64 KiB, so that 16 bits tell each of its bytes.
pub(super) const MAX_TOKEN_BYTES: usize = 1 << 16;
/// The most bytes of all ordinary tokens together. It bounds the trie's nodes, the root and
/// the end mark included, so that a node's number has 24 bits.
pub(super) const MAX_TEXT_BYTES: usize = (1 << 24) - 2;

/// What a token id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// A token of text: it stands for bytes.
    Ordinary,
    /// A control token such as `<|start|>`: it has a name and stands for itself, not for the bytes
    /// of its name.
    Special,
    /// Nothing: an id that the vocabulary leaves out, or a token of no bytes. Never allowed.
    Hole,
}

impl fmt::Display for TokenKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ordinary => "an ordinary token",
            Self::Special => "a special token",
            Self::Hole => "not a token",
        })
    }
}

/// The tokens by id. Ids beyond the table are holes.
#[derive(Clone, Default)]
pub(super) struct Tokens {
    text: Vec<u8>,
    entries: Vec<Entry>,
}

#[derive(Clone, Copy)]
struct Entry {
    start: u32,
    /// Of a text, the place of its last byte: so 64 KiB have room.
    last: u16,
    kind: TokenKind,
}

const HOLE: Entry = Entry {
    start: 0,
    last: 0,
    kind: TokenKind::Hole,
};

impl Tokens {
    /// One more than the highest id in the table.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn kind(&self, id: TokenId) -> TokenKind {
        self.entries
            .get(id.index())
            .map_or(TokenKind::Hole, |entry| entry.kind)
    }

    /// The bytes of an ordinary token.
    pub(super) fn bytes(&self, id: TokenId) -> Option<&[u8]> {
        let entry = self.entries.get(id.index())?;
        (entry.kind == TokenKind::Ordinary).then(|| self.text(entry))
    }

    fn text(&self, entry: &Entry) -> &[u8] {
        &self.text[entry.start as usize..][..=usize::from(entry.last)]
    }

    /// The ordinary tokens, ids ascending.
    pub(super) fn ordinary(&self) -> impl Iterator<Item = (TokenId, &[u8])> {
        self.entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.kind == TokenKind::Ordinary)
            .map(|(id, entry)| (TokenId::from_usize(id), self.text(entry)))
    }

    /// Gives a hole its bytes; none leave it a hole, which the table then counts.
    pub(super) fn set_ordinary(&mut self, id: TokenId, bytes: &[u8]) -> Result<(), LimitError> {
        LimitError::check("bytes of a token", bytes.len(), MAX_TOKEN_BYTES)?;
        let text = self.text.len() + bytes.len();
        LimitError::check("bytes of all tokens", text, MAX_TEXT_BYTES)?;
        let start = self.text.len() as u32;
        *self.entry(id)? = match bytes.len().checked_sub(1) {
            None => HOLE,
            Some(last) => Entry {
                start,
                last: last as u16,
                kind: TokenKind::Ordinary,
            },
        };
        self.text.extend_from_slice(bytes);
        Ok(())
    }

    /// Makes a hole a special token.
    pub(super) fn set_special(&mut self, id: TokenId) -> Result<(), LimitError> {
        self.entry(id)?.kind = TokenKind::Special;
        Ok(())
    }

    fn entry(&mut self, id: TokenId) -> Result<&mut Entry, LimitError> {
        LimitError::check("logits of a vocabulary", id.index() + 1, MAX_LOGITS)?;
        if id.index() >= self.entries.len() {
            self.entries.resize(id.index() + 1, HOLE);
        }
        Ok(&mut self.entries[id.index()])
    }
}
