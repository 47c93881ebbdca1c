//! The texts of a rule that spells each of its values in one way only: which they are, and how many.

use std::sync::{Arc, OnceLock};

use super::memo::Memo;
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
    used: Memo<Texts, Arc<Used>, 64>,
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
#[derive(Debug)]
pub(super) struct Used {
    /// Those of the language, ascending.
    pub(super) own: Vec<Box<[u8]>>,
    refused: OnceLock<Texts>,
}

impl Used {
    /// Those of the language that begin with `prefix`.
    pub(super) fn beginning_with(&self, prefix: &[u8]) -> &[Box<[u8]>] {
        let from = self.own.partition_point(|text| **text < *prefix);
        let rest = &self.own[from..];
        &rest[..rest.partition_point(|text| text.starts_with(prefix))]
    }
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
        let own = used.iter().filter(|text| self.contains(text));
        let own = own.map(Box::from).collect();
        let known = Arc::new(Used {
            own,
            refused: OnceLock::new(),
        });
        self.used.insert(used.clone(), known.clone());
        known
    }

    /// Beginnings of texts that only lead to texts in use: of each of these the shortest, or all of it.
    pub(super) fn refused<'u>(&self, used: &'u Used) -> &'u Texts {
        used.refused.get_or_init(|| {
            used.own
                .iter()
                .map(|text| self.shortest(text, used))
                .collect()
        })
    }

    /// The shortest beginning of `text`, which is in use, that only leads to texts in use.
    fn shortest(&self, text: &[u8], used: &Used) -> Box<[u8]> {
        let mut at = self.start();
        for (read, &byte) in (1..).zip(text) {
            let Some(to) = self.inner.advance(&at, byte) else {
                break;
            };
            let alike = used.beginning_with(&text[..read]);
            if !self.has_more_than(alike.len(), &to) {
                return text[..read].into();
            }
            at = to;
        }
        text.into()
    }

    /// Whether more than so many texts can be completed from a position.
    pub(super) fn has_more_than(&self, count: usize, from: &Words) -> bool {
        let found = match self.counts.get(from) {
            Some(Count::AtLeast(least)) if least <= count => None,
            known => known,
        };
        let found = found.unwrap_or_else(|| {
            let found = self.count(count.max(LEAST_COUNTED), from);
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
