//! What is remembered of rules over one vocabulary, by content.
//!
//! PERF: without what is shared, cold masks take 1.5 times as long, p99 1.6 times (benches/LOG.md).

use std::sync::{Arc, Mutex, OnceLock};

use super::bounded::Bounded;
use super::crossing::{Crossing, CrossingKey, Met};
use super::mentions::Mentions;
use super::places::Room;
use super::representation::Row;
use super::room::Rooms;
use super::rule::{Content, Contribution, RuleKey};
use crate::base::{TokenId, lock};
use crate::grammar::Delimiters;
use crate::vocab::{Vocabulary, row};

/// What rules contribute to masks over one vocabulary, shared by all grammars.
#[derive(Debug)]
pub(crate) struct RuleMasks {
    contents: Mutex<Contents>,
    masks: Kept<RuleKey, Option<Arc<Contribution>>>,
    crossings: Kept<CrossingKey, Met>,
    mentions: Mutex<Vec<(Delimiters, Arc<Mentions>)>>,
    rooms: Rooms<Room>,
    lists: Rooms<Vec<TokenId>>,
    white: OnceLock<Row>,
}

type Kept<K, V> = Mutex<Bounded<K, V>>;

/// What rules say, numbered.
#[derive(Debug)]
struct Contents {
    known: Bounded<Box<[u32]>, Content>,
    /// How many there were so far, those that were forgotten included.
    count: u64,
}

impl RuleMasks {
    /// A cache that keeps at most about `most_bytes`.
    pub(crate) fn new(most_bytes: usize) -> Self {
        let contents = Contents {
            known: Bounded::new(most_bytes / 8),
            count: 0,
        };
        Self {
            contents: Mutex::new(contents),
            masks: Mutex::new(Bounded::new(most_bytes / 4 * 3)),
            crossings: Mutex::new(Bounded::new(most_bytes / 8)),
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
        let mut known = lock(&self.mentions);
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
        let mut contents = lock(&self.contents);
        if let Some(&content) = contents.known.get(&description) {
            return content;
        }
        let content = Content::new(contents.count);
        contents.count += 1;
        let bytes = size_of::<(Box<[u32]>, Content)>() + description.len() * 4;
        let dropped = contents.known.insert(description, content, bytes);
        drop(contents);
        drop(dropped);
        content
    }

    pub(super) fn get(&self, key: &RuleKey) -> Option<Option<Arc<Contribution>>> {
        lock(&self.masks).get(key).cloned()
    }

    pub(super) fn put(&self, key: RuleKey, mask: Option<Arc<Contribution>>) {
        let bytes = size_of::<RuleKey>() + mask.as_ref().map_or(0, |mask| mask.bytes());
        // What goes for it is dropped once the lock is free.
        let _dropped = lock(&self.masks).insert(key, mask, bytes);
    }

    /// Notes that a kept contribution has grown by so many bytes.
    pub(super) fn grew(&self, bytes: usize) {
        lock(&self.masks).grow(bytes);
    }

    /// What becomes of tokens in a passage; `None` where that was not asked for before.
    pub(super) fn crossing(&self, key: &CrossingKey) -> Option<Met> {
        let mut crossings = lock(&self.crossings);
        if let Some(met) = crossings.get(key) {
            return Some(met.clone());
        }
        let bytes = size_of::<(CrossingKey, Met)>();
        let dropped = crossings.insert(key.clone(), Met::Once, bytes);
        drop(crossings);
        drop(dropped);
        None
    }

    pub(super) fn put_crossing(&self, key: CrossingKey, crossing: Option<Arc<Crossing>>) {
        let own = crossing.as_ref().map_or(0, |crossing| crossing.bytes());
        let bytes = size_of::<(CrossingKey, Met)>() + own;
        let met = Met::Often(crossing);
        let _dropped = lock(&self.crossings).insert(key, met, bytes);
    }
}
