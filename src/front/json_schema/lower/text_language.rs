//! The texts of a rule that spells each of its values in one way only: which they are, and how many.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use super::memo::Memo;
use crate::base::ByteSet;
use crate::grammar::{ImplicitBody, Node, Texts, Words};

/// The texts of a rule.
///
/// The same is asked again and again while a text is read: how many texts a position leads to, which texts are
/// of the language, and which of those in use. It is remembered.
#[derive(Debug)]
pub(super) struct TextLanguage {
    inner: Arc<dyn ImplicitBody>,
    counts: Memo<Words, Count, 4096>,
    /// Whether texts are of the language.
    texts: Memo<Box<[u8]>, bool, 4096>,
    /// By the texts in use.
    used: Memo<Texts, Arc<Used>, 1024>,
}

/// So many texts are looked for at least, so that the next who asks for a few more is answered.
const LEAST_COUNTED: usize = 31;

/// How many texts a position leads to.
#[derive(Clone, Copy, Debug)]
enum Count {
    Exactly(usize),
    AtLeast(usize),
}

/// Texts in use.
#[derive(Clone, Debug)]
pub(super) struct Used {
    /// Those of the language.
    pub(super) own: Texts,
    refused: OnceLock<Texts>,
}

impl TextLanguage {
    pub(super) fn new(inner: Arc<dyn ImplicitBody>) -> Self {
        Self {
            inner,
            counts: Memo::default(),
            texts: Memo::default(),
            used: Memo::default(),
        }
    }

    /// The body of the rule.
    pub(super) fn body(&self) -> &dyn ImplicitBody {
        &*self.inner
    }

    /// The position where texts begin.
    pub(super) fn start(&self) -> Words {
        self.inner.start(&Words::new())
    }

    /// A byte of those `missing` that some text has; the first of them where there are too many positions to look at.
    pub(super) fn reads(&self, missing: &ByteSet) -> Option<u8> {
        const MOST: usize = 1 << 14;
        let mut known: FxHashSet<Words> = FxHashSet::default();
        let mut pending = vec![self.start()];
        while let Some(words) = pending.pop() {
            let mut node = Node::default();
            self.inner.expand(&words, &mut node);
            for edge in node.edges {
                let read = missing.intersect(&ByteSet::range(edge.lo, edge.hi));
                if let Some(byte) = read.iter().next() {
                    return Some(byte);
                }
                if known.insert(edge.to.clone()) {
                    pending.push(edge.to);
                }
            }
            if known.len() > MOST {
                return missing.iter().next();
            }
        }
        None
    }

    /// Whether the rule reads `text` from its start to its end.
    pub(super) fn contains(&self, text: &[u8]) -> bool {
        if let Some(known) = self.texts.get(text) {
            return known;
        }
        let mut at = Some(self.start());
        for &byte in text {
            at = at.and_then(|at| self.inner.advance(&at, byte));
        }
        let contained = at.is_some_and(|at| {
            let mut node = Node::default();
            self.inner.expand(&at, &mut node);
            node.exit.is_some()
        });
        self.texts.insert(text.into(), contained);
        contained
    }

    /// Which of the texts of `used` are of the language.
    pub(super) fn used(&self, used: &Texts) -> Arc<Used> {
        if let Some(known) = self.used.get(used) {
            return known;
        }
        // Mostly there is one text more than a moment ago.
        let before = used.before();
        let before = before.and_then(|(before, text)| Some((self.used.get(&before)?, text)));
        let known = Arc::new(match before {
            Some((before, text)) => self.one_more(&before, text),
            None => Used {
                own: used.iter().filter(|text| self.contains(text)).collect(),
                refused: OnceLock::new(),
            },
        });
        self.used.insert(used.clone(), known.clone());
        known
    }

    /// The texts in use and `text`.
    fn one_more(&self, used: &Used, text: &[u8]) -> Used {
        if !self.contains(text) {
            return used.clone();
        }
        let own = used.own.with(text);
        let refused = OnceLock::new();
        if let Some(before) = used.refused.get() {
            // Whatever else only leads to texts in use from now on begins as this text does.
            let _ = refused.set(before.with(self.shortest(text, &own)));
        }
        Used { own, refused }
    }

    /// Beginnings of texts that only lead to texts in use: of each of these one, or all of it; and what begins so, too.
    pub(super) fn refused<'u>(&self, used: &'u Used) -> &'u Texts {
        used.refused.get_or_init(|| {
            let own = used.own.iter();
            own.map(|text| self.shortest(text, &used.own)).collect()
        })
    }

    /// The shortest beginning of `text`, which is in use, that only leads to texts in use.
    fn shortest<'t>(&self, text: &'t [u8], used: &Texts) -> &'t [u8] {
        let mut at = self.start();
        for (read, &byte) in (1..).zip(text) {
            let Some(to) = self.inner.advance(&at, byte) else {
                break;
            };
            if !self.has_more_than_in_use(used, &text[..read], &to) {
                return &text[..read];
            }
            at = to;
        }
        text
    }

    /// Whether there are more texts that begin with `read`, which leads to a position, than are in use.
    pub(super) fn has_more_than_in_use(&self, used: &Texts, read: &[u8], to: &Words) -> bool {
        // Those in use are only counted where there are few texts.
        self.has_more_than(used.len(), to)
            || self.has_more_than(used.beginning_with(read).count(), to)
    }

    /// Whether more than so many texts can be completed from a position.
    pub(super) fn has_more_than(&self, count: usize, from: &Words) -> bool {
        let found = match self.counts.get(from) {
            Some(Count::AtLeast(least)) if least <= count => None,
            known => known,
        };
        let found = found.unwrap_or_else(|| {
            let enough = count.saturating_mul(2).max(LEAST_COUNTED);
            let found = self.count(enough, from);
            self.counts.insert(from.clone(), found);
            found
        });
        match found {
            Count::Exactly(texts) | Count::AtLeast(texts) => texts > count,
        }
    }

    /// How many texts can be completed from a position; more than `enough` are not counted.
    fn count(&self, enough: usize, from: &Words) -> Count {
        let mut found = 0;
        let mut level: Vec<(Words, usize)> = vec![(from.clone(), 1)];
        // Breadth first: the shortest texts count first, and every way leads to one.
        while !level.is_empty() {
            let mut next: Vec<(Words, usize)> = Vec::new();
            for (words, ways) in level {
                let mut node = Node::default();
                self.inner.expand(&words, &mut node);
                if node.exit.is_some() {
                    found += ways;
                }
                for edge in node.edges {
                    let ways = ways.saturating_mul(usize::from(edge.hi - edge.lo) + 1);
                    next.push((edge.to, ways.min(enough + 1)));
                }
            }
            // Ways that meet go on together.
            next.sort_unstable();
            next.dedup_by(|(words, more), (same, ways)| {
                let meet = words == same;
                *ways += if meet { *more } else { 0 };
                meet
            });
            level = next;
            let sum = level.iter().map(|(_, ways)| ways).sum::<usize>() + found;
            if sum > enough {
                return Count::AtLeast(sum);
            }
        }
        Count::Exactly(found)
    }
}
