//! What is remembered of rules over one vocabulary, by content.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::mentions::Mentions;
use super::places::Room;
use super::representation::Row;
use super::room::Rooms;
use super::rule::RuleMask;
use crate::base::TokenId;
use crate::grammar::Words;
use crate::vocab::{Vocabulary, row};

/// A rule's description and a position in it: equal keys, equal contributions.
pub(super) type Key = (Arc<[u32]>, Words);

/// What rules contribute to masks over one vocabulary, shared by all grammars.
#[derive(Debug, Default)]
pub(crate) struct RuleMasks {
    kept: Mutex<Kept>,
    mentions: OnceLock<Mentions>,
    rooms: Rooms<Room>,
    lists: Rooms<Vec<TokenId>>,
    white: OnceLock<Row>,
    /// Over this many bytes the cache starts afresh.
    most_bytes: usize,
}

#[derive(Debug, Default)]
struct Kept {
    masks: FxHashMap<Key, Option<Arc<RuleMask>>>,
    bytes: usize,
}

impl RuleMasks {
    /// A cache that keeps at most about `most_bytes`.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self {
            most_bytes,
            ..Self::default()
        }
    }

    /// Which tokens of the vocabulary mention a text.
    pub(super) fn mentions(&self, vocabulary: &Vocabulary) -> &Mentions {
        self.mentions.get_or_init(|| Mentions::new(vocabulary))
    }

    /// Room for walks.
    pub(super) fn rooms(&self) -> &Rooms<Room> {
        &self.rooms
    }

    /// Room for lists of tokens.
    pub(super) fn lists(&self) -> &Rooms<Vec<TokenId>> {
        &self.lists
    }

    /// The row of the tokens that are white space from end to end.
    pub(super) fn white(&self, vocabulary: &Vocabulary) -> &Row {
        self.white.get_or_init(|| {
            let mut row = row::empty(vocabulary.len());
            let tokens = vocabulary.spaces().tokens().iter();
            tokens.for_each(|&token| row::insert(&mut row, token));
            row.into()
        })
    }

    pub(super) fn get(&self, key: &Key) -> Option<Option<Arc<RuleMask>>> {
        self.kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .masks
            .get(key)
            .cloned()
    }

    pub(super) fn put(&self, key: Key, mask: Option<Arc<RuleMask>>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = key.0.len() * 4 + mask.as_ref().map_or(0, |mask| mask.bytes());
        if kept.bytes + bytes > self.most_bytes {
            *kept = Kept::default();
        }
        kept.bytes += bytes;
        kept.masks.insert(key, mask);
    }
}
