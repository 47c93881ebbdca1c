//! What is remembered of rules over one vocabulary, by content.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustc_hash::FxHashMap;

use super::content::{Content, CrossingKey, RuleKey};
use super::crossing::Crossing;
use super::mentions::Mentions;
use super::places::Room;
use super::representation::Row;
use super::room::Rooms;
use super::rule::RuleMask;
use crate::base::TokenId;
use crate::vocab::{Vocabulary, row};

/// What is known of a passage that was met.
#[derive(Clone, Debug)]
pub(super) enum Met {
    /// Nothing yet: hardly half of them are met again.
    Once,
    /// What becomes of tokens there; `None` where it parts.
    Often(Option<Arc<Crossing>>),
}

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
    contents: FxHashMap<Box<[u32]>, Content>,
    /// How many contents there were so far, those that were forgotten included.
    count: u64,
    masks: FxHashMap<RuleKey, Option<Arc<RuleMask>>>,
    crossings: FxHashMap<CrossingKey, Met>,
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

    /// What `description` says.
    ///
    /// PERF: descriptions can be long, and are looked up once a rule and not once a position.
    pub(super) fn content(&self, description: Box<[u32]>) -> Content {
        let mut kept = self.kept();
        if let Some(&content) = kept.contents.get(&description) {
            return content;
        }
        kept.make_room(description.len() * 4, self.most_bytes);
        let content = Content::new(kept.count);
        kept.count += 1;
        kept.contents.insert(description, content);
        content
    }

    pub(super) fn get(&self, key: &RuleKey) -> Option<Option<Arc<RuleMask>>> {
        self.kept().masks.get(key).cloned()
    }

    pub(super) fn put(&self, key: RuleKey, mask: Option<Arc<RuleMask>>) {
        let mut kept = self.kept();
        let bytes = size_of::<RuleKey>() + mask.as_ref().map_or(0, |mask| mask.bytes());
        kept.make_room(bytes, self.most_bytes);
        kept.masks.insert(key, mask);
    }

    /// What becomes of tokens in a passage; `None` where that was not asked for before.
    pub(super) fn crossing(&self, key: &CrossingKey) -> Option<Met> {
        let mut kept = self.kept();
        if let Some(met) = kept.crossings.get(key) {
            return Some(met.clone());
        }
        kept.make_room(size_of::<(CrossingKey, Met)>(), self.most_bytes);
        kept.crossings.insert(key.clone(), Met::Once);
        None
    }

    pub(super) fn put_crossing(&self, key: CrossingKey, crossing: Option<Arc<Crossing>>) {
        let mut kept = self.kept();
        let bytes = crossing.as_ref().map_or(0, |crossing| crossing.bytes());
        kept.make_room(bytes, self.most_bytes);
        kept.crossings.insert(key, Met::Often(crossing));
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    /// Counts so many bytes; forgets all there is where that makes too many.
    fn make_room(&mut self, bytes: usize, most: usize) {
        if self.bytes + bytes > most {
            *self = Self {
                count: self.count,
                ..Self::default()
            };
        }
        self.bytes += bytes;
    }
}
