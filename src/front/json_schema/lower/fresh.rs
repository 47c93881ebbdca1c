//! Texts that are not in use yet: keys of an object, items of an array.

use std::sync::Arc;

use super::tag;
use crate::base::RuleId;
use crate::grammar::{ImplicitBody, KeyWriter, Memory, Node, Reading, Shadow, Words};

/// A text of another rule that is none of the texts given as arguments; the text is the exit.
///
/// Positions are those of the other rule, then the arguments, then the bytes read, one to a word.
/// The other rule must spell each of its values in one way only.
#[derive(Debug)]
pub(super) struct FreshText {
    pub(super) inner: Arc<dyn ImplicitBody>,
    /// The rule of `inner`.
    pub(super) plain: RuleId,
    pub(super) edge: Edge,
}

/// How one tells where a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// It stands in quotes.
    Quoted,
    /// Only what follows tells.
    Open,
}

/// What a quoted text begins and ends with.
const QUOTE: u8 = b'"';

/// Texts as words: for each its length, then its bytes, four to a word.
fn pack<'k>(keys: impl IntoIterator<Item = &'k [u8]>) -> Words {
    let mut words = Words::new();
    for key in keys {
        words.push(key.len() as u32);
        for chunk in key.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            words.push(u32::from_le_bytes(word));
        }
    }
    words
}

/// The texts of some words.
fn unpack(mut words: &[u32]) -> Vec<Box<[u8]>> {
    let mut keys = Vec::new();
    while let Some((&length, rest)) = words.split_first() {
        let (key, rest) = rest.split_at((length as usize).div_ceil(4));
        words = rest;
        let bytes = key.iter().flat_map(|word| word.to_le_bytes());
        keys.push(bytes.take(length as usize).collect());
    }
    keys
}

/// The texts of some words with one more, ascending.
pub(super) fn with(words: &[u32], text: &[u32]) -> Words {
    let mut texts = unpack(words);
    texts.append(&mut unpack(text));
    texts.sort_unstable();
    pack(texts.iter().map(|text| &**text))
}

/// Says that a position that remembers quoted texts, packed, is like `state` of a rule that does
/// not.
pub(super) fn forgetting(rule: RuleId, state: Words, texts: &[u32]) -> Shadow {
    Shadow {
        rule,
        state,
        least: 0,
        most: u32::MAX,
        without: Vec::new(),
        except: Vec::new(),
        memory: Some(Memory {
            delimiter: QUOTE,
            texts: unpack(texts),
            begun: Box::default(),
        }),
    }
}

/// A position, its words taken apart.
struct At<'w> {
    inner: &'w [u32],
    /// The arguments, packed.
    used: &'w [u32],
    read: Vec<u8>,
}

impl FreshText {
    /// Whether there is a text besides those of `used`, packed.
    pub(super) fn has_left(&self, used: &[u32]) -> bool {
        let start = self.inner.start(&[]);
        let used = unpack(used);
        let own = used.iter().filter(|text| self.reads(&start, text));
        self.has_more_than(own.count(), &start)
    }

    fn words(inner: &[u32], used: &[u32], read: &[u8]) -> Words {
        let mut words = Words::new();
        words.extend([inner.len() as u32, used.len() as u32]);
        words.extend_from_slice(inner);
        words.extend_from_slice(used);
        words.extend(read.iter().map(|&byte| u32::from(byte)));
        words
    }

    fn read(words: &[u32]) -> At<'_> {
        let (inner, rest) = words[2..].split_at(words[0] as usize);
        let (used, read) = rest.split_at(words[1] as usize);
        At {
            inner,
            used,
            read: read.iter().map(|&byte| byte as u8).collect(),
        }
    }

    /// Whether the other rule reads `text` from one of its positions to its end.
    fn reads(&self, from: &[u32], text: &[u8]) -> bool {
        let mut at: Words = from.into();
        for &byte in text {
            let mut node = Node::default();
            self.inner.expand(&at, &mut node);
            let mut edges = node.edges.into_iter();
            match edges.find(|edge| (edge.lo..=edge.hi).contains(&byte)) {
                Some(edge) => at = edge.to,
                None => return false,
            }
        }
        let mut node = Node::default();
        self.inner.expand(&at, &mut node);
        node.exit.is_some()
    }

    /// Whether more than so many texts can be completed from a position of the other rule.
    fn has_more_than(&self, count: usize, from: &[u32]) -> bool {
        let mut found = 0;
        let mut level: Vec<(Words, usize)> = vec![(from.into(), 1)];
        // Breadth first: the shortest texts count first, and every way leads to one.
        while !level.is_empty() && found <= count {
            let mut next: Vec<(Words, usize)> = Vec::new();
            for (words, ways) in level {
                let mut node = Node::default();
                self.inner.expand(&words, &mut node);
                if node.exit.is_some() {
                    found += ways;
                }
                for edge in node.edges {
                    let ways = ways.saturating_mul(usize::from(edge.hi - edge.lo) + 1);
                    next.push((edge.to, ways.min(count + 1)));
                }
            }
            level = next;
            if level.iter().map(|(_, ways)| ways).sum::<usize>() + found > count {
                return true;
            }
        }
        found > count
    }
}

impl ImplicitBody for FreshText {
    fn start(&self, args: &[u32]) -> Words {
        Self::words(&self.inner.start(&[]), args, &[])
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        let At { inner, used, read } = Self::read(words);
        let keys = unpack(used);
        let rivals: Vec<&[u8]> = keys
            .iter()
            .filter(|key| key.len() > read.len() && key.starts_with(&read))
            .map(|key| &key[read.len()..])
            .filter(|rest| self.reads(inner, rest))
            .collect();
        let mut plain = Node::default();
        self.inner.expand(inner, &mut plain);
        for edge in plain.edges {
            let to = Self::words(&edge.to, used, &read);
            let mut from = u16::from(edge.lo);
            // Where used texts go on, fewer of them than all texts must do so.
            let mut next: Vec<u8> = rivals.iter().map(|rival| rival[0]).collect();
            next.sort_unstable();
            next.dedup();
            for byte in next
                .into_iter()
                .filter(|byte| (edge.lo..=edge.hi).contains(byte))
            {
                let ahead = rivals.iter().filter(|rival| rival[0] == byte).count();
                if !self.has_more_than(ahead, &edge.to) {
                    if from < u16::from(byte) {
                        node.range(from as u8, byte - 1, to.clone());
                    }
                    from = u16::from(byte) + 1;
                }
            }
            if from <= u16::from(edge.hi) {
                node.range(from as u8, edge.hi, to);
            }
        }
        node.reading = Reading::Recording;
        if plain.exit.is_some() && keys.iter().all(|key| **key != *read) {
            node.exit = Some(pack([read.as_slice()]));
        }
        if self.edge == Edge::Open {
            return;
        }
        let mut shadow = plain.shadow.unwrap_or_else(|| Shadow {
            rule: self.plain,
            state: inner.into(),
            least: 0,
            most: u32::MAX,
            without: Vec::new(),
            except: Vec::new(),
            memory: None,
        });
        shadow
            .without
            .extend(rivals.iter().map(|&rival| rival.into()));
        shadow.memory = Some(Memory {
            delimiter: QUOTE,
            begun: read.into(),
            texts: keys,
        });
        node.shadow = Some(shadow);
    }

    fn callees(&self, visit: &mut dyn FnMut(RuleId)) {
        visit(self.plain);
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::FRESH_TEXT);
        key.word(self.edge as u32);
        key.rule(self.plain);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_packed_and_unpacked() {
        let keys: [&[u8]; 4] = [b"\"\"", b"\"abc\"", b"\"a\"", b"\"abcdefg\""];
        assert_eq!(unpack(&pack(keys)), keys.map(Box::from));
        assert!(unpack(&[]).is_empty());
    }
}
