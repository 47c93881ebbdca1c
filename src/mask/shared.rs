//! What is remembered of rules over one vocabulary, by content.
//!
//! PERF: without what is shared, cold masks take 1.5 times as long, p99 1.6 times (benches/LOG.md).

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::bounded::Bounded;
use super::crossing::{Crossing, CrossingKey, Met};
use super::mentions::Mentions;
use super::places::Room;
use super::representation::Row;
use super::room::Rooms;
use super::rule::{Content, Contribution, RuleKey};
use crate::base::TokenId;
use crate::grammar::Delimiters;
use crate::vocab::{Vocabulary, row};

/// What rules contribute to masks over one vocabulary, shared by all grammars.
#[derive(Debug)]
pub(crate) struct RuleMasks {
    known: Mutex<Known>,
    mentions: Mutex<Vec<(Delimiters, Arc<Mentions>)>>,
    rooms: Rooms<Room>,
    lists: Rooms<Vec<TokenId>>,
    white: OnceLock<Row>,
}

#[derive(Debug)]
struct Known {
    contents: Bounded<Box<[u32]>, Content>,
    /// How many contents there were so far, those that were forgotten included.
    count: u64,
    masks: Bounded<RuleKey, Option<Arc<Contribution>>>,
    crossings: Bounded<CrossingKey, Met>,
}

impl RuleMasks {
    /// A cache that keeps at most about `most_bytes`.
    pub(crate) fn new(most_bytes: usize) -> Self {
        let known = Known {
            contents: Bounded::new(most_bytes / 8),
            count: 0,
            masks: Bounded::new(most_bytes / 4 * 3),
            crossings: Bounded::new(most_bytes / 8),
        };
        Self {
            known: Mutex::new(known),
            mentions: Mutex::default(),
            rooms: Rooms::default(),
            lists: Rooms::default(),
            white: OnceLock::new(),
        }
    }

    /// Which tokens of the vocabulary mention a text that is delimited so.
    pub(super) fn mentions(
        &self,
        vocabulary: &Vocabulary,
        delimiters: Delimiters,
    ) -> Arc<Mentions> {
        let mut known = self.mentions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, mentions)) = known.iter().find(|(known, _)| *known == delimiters) {
            return mentions.clone();
        }
        let mentions = Arc::new(Mentions::new(vocabulary, delimiters));
        known.push((delimiters, mentions.clone()));
        mentions
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
        let mut known = self.known();
        if let Some(&content) = known.contents.get(&description) {
            return content;
        }
        let content = Content::new(known.count);
        known.count += 1;
        let bytes = size_of::<(Box<[u32]>, Content)>() + description.len() * 4;
        known.contents.insert(description, content, bytes);
        content
    }

    pub(super) fn get(&self, key: &RuleKey) -> Option<Option<Arc<Contribution>>> {
        self.known().masks.get(key).cloned()
    }

    pub(super) fn put(&self, key: RuleKey, mask: Option<Arc<Contribution>>) {
        let bytes = size_of::<RuleKey>() + mask.as_ref().map_or(0, |mask| mask.bytes());
        self.known().masks.insert(key, mask, bytes);
    }

    /// What becomes of tokens in a passage; `None` where that was not asked for before.
    pub(super) fn crossing(&self, key: &CrossingKey) -> Option<Met> {
        let mut known = self.known();
        if let Some(met) = known.crossings.get(key) {
            return Some(met.clone());
        }
        let bytes = size_of::<(CrossingKey, Met)>();
        known.crossings.insert(key.clone(), Met::Once, bytes);
        None
    }

    pub(super) fn put_crossing(&self, key: CrossingKey, crossing: Option<Arc<Crossing>>) {
        let own = crossing.as_ref().map_or(0, |crossing| crossing.bytes());
        let bytes = size_of::<(CrossingKey, Met)>() + own;
        let met = Met::Often(crossing);
        self.known().crossings.insert(key, met, bytes);
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
