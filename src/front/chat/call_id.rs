//! Call ids: 1 to 64 of ALPHA / DIGIT / "_" / "-", none that was used before.

use std::collections::BTreeSet;

use crate::base::RuleId;
use crate::grammar::{Ends, ImplicitBody, KeyWriter, Node, Shadow, Words};

const LONGEST: usize = 64;

/// The bytes of ids, in ranges.
const RANGES: [(u8, u8); 5] = [
    (b'-', b'-'),
    (b'0', b'9'),
    (b'A', b'Z'),
    (b'_', b'_'),
    (b'a', b'z'),
];

fn bytes() -> impl Iterator<Item = u8> {
    RANGES.into_iter().flat_map(|(lo, hi)| lo..=hi)
}

/// Whether ids read earlier in the same text count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Memory {
    /// No: at most one id is read.
    None,
    /// Yes: each id is the exit of the rule, and those before it are its arguments.
    Ids,
}

/// Whether `text` has the shape of an id.
pub(super) fn is_id(text: &str) -> bool {
    let in_ranges = |byte| RANGES.iter().any(|(lo, hi)| (lo..=hi).contains(&&byte));
    (1..=LONGEST).contains(&text.len()) && text.bytes().all(in_ranges)
}

/// A list of ids as words: for each its length, then its bytes, four to a word.
pub(super) fn pack(id: &[u8], words: &mut Words) {
    words.push(id.len() as u32);
    for chunk in id.chunks(4) {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        words.push(u32::from_le_bytes(word));
    }
}

/// The ids of a list of words.
fn unpack(mut words: &[u32]) -> impl Iterator<Item = Vec<u8>> {
    std::iter::from_fn(move || {
        let (&length, rest) = words.split_first()?;
        let length = length as usize;
        let (id, rest) = rest.split_at(length.div_ceil(4));
        words = rest;
        Some(
            id.iter()
                .flat_map(|word| word.to_le_bytes())
                .take(length)
                .collect(),
        )
    })
}

/// An id that was not used before.
///
/// A position is what has been read of the id, and then those ids of the arguments that begin with
/// it. Where nothing needs to be remembered any more it is only how much has been read.
#[derive(Debug)]
pub(super) struct CallId {
    memory: Memory,
    /// The ids that the conversation used before this text.
    used: BTreeSet<Vec<u8>>,
    /// The rule of [`IdBytes`].
    plain: RuleId,
}

/// A position of [`CallId`], unpacked.
enum Reading {
    /// This many bytes of an id that can no longer be a used one, nor is to be remembered.
    Free(usize),
    /// These bytes, and the ids of the arguments that begin with them.
    Kept(Vec<u8>, Vec<Vec<u8>>),
}

impl CallId {
    pub(super) fn new(memory: Memory, used: &[&str], plain: RuleId) -> Self {
        let used = used.iter().map(|id| id.as_bytes().to_vec()).collect();
        Self {
            memory,
            used,
            plain,
        }
    }

    fn reading(&self, state: &[u32]) -> Reading {
        match state {
            &[length] if length > 0 => Reading::Free(length as usize),
            _ => {
                let mut ids = unpack(state);
                Reading::Kept(ids.next().unwrap_or_default(), ids.collect())
            }
        }
    }

    fn position(&self, read: &[u8], rivals: &[Vec<u8>]) -> Words {
        let mut words = Words::new();
        if self.memory == Memory::None && !read.is_empty() && !self.begins_used(read, rivals) {
            words.push(read.len() as u32);
            return words;
        }
        pack(read, &mut words);
        for rival in rivals.iter().filter(|rival| rival.starts_with(read)) {
            pack(rival, &mut words);
        }
        words
    }

    fn is_used(&self, id: &[u8], rivals: &[Vec<u8>]) -> bool {
        self.used.contains(id) || rivals.iter().any(|rival| rival == id)
    }

    /// Whether some used id begins with `read`.
    fn begins_used(&self, read: &[u8], rivals: &[Vec<u8>]) -> bool {
        let next = self.used.range(read.to_vec()..).next();
        next.is_some_and(|id| id.starts_with(read)) || rivals.iter().any(|id| id.starts_with(read))
    }

    /// Whether `read` is the beginning of some id that is not used. It looks as deep as used ids
    /// share their beginnings.
    fn live(&self, read: &[u8], rivals: &[Vec<u8>]) -> bool {
        if read.len() > LONGEST {
            return false;
        }
        if !read.is_empty() && !self.is_used(read, rivals) {
            return true;
        }
        bytes().any(|byte| self.live(&[read, &[byte]].concat(), rivals))
    }
}

impl ImplicitBody for CallId {
    fn start(&self, args: &[u32]) -> Words {
        self.position(&[], &unpack(args).collect::<Vec<_>>())
    }

    fn expand(&self, state: &[u32], node: &mut Node<Words>) {
        let (length, free) = match self.reading(state) {
            Reading::Free(length) => {
                if length < LONGEST {
                    let next = Words::from_slice(&[length as u32 + 1]);
                    RANGES
                        .iter()
                        .for_each(|&(lo, hi)| node.range(lo, hi, next.clone()));
                }
                node.end();
                (length, true)
            }
            Reading::Kept(read, rivals) => {
                for byte in bytes() {
                    let longer = [&read[..], &[byte]].concat();
                    if self.live(&longer, &rivals) {
                        node.byte(byte, self.position(&longer, &rivals));
                    }
                }
                if !read.is_empty() && !self.is_used(&read, &rivals) {
                    let mut exit = Words::new();
                    if self.memory == Memory::Ids {
                        pack(&read, &mut exit);
                    }
                    node.exit = Some(exit);
                }
                (read.len(), !self.begins_used(&read, &rivals))
            }
        };
        node.shadow = free.then(|| Shadow {
            rule: self.plain,
            state: Words::from_slice(&[u32::from(length > 0)]),
            least: u32::from(length == 0),
            most: (LONGEST - length) as u32,
            without: Vec::new(),
            memory: None,
            ends: Ends::Same,
        });
    }

    fn callees(&self, visit: &mut dyn FnMut(RuleId)) {
        visit(self.plain);
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.bytes(b"call id");
        key.word(u32::from(self.memory == Memory::Ids));
        key.word(self.used.len() as u32);
        self.used.iter().for_each(|id| key.bytes(id));
        key.rule(self.plain);
        true
    }
}

/// One or more bytes of ids, however many.
#[derive(Debug)]
pub(super) struct IdBytes;

impl ImplicitBody for IdBytes {
    fn start(&self, _: &[u32]) -> Words {
        Words::from_slice(&[0])
    }

    fn expand(&self, state: &[u32], node: &mut Node<Words>) {
        let next = Words::from_slice(&[1]);
        RANGES
            .iter()
            .for_each(|&(lo, hi)| node.range(lo, hi, next.clone()));
        if state == [1] {
            node.end();
        }
    }

    fn callees(&self, _: &mut dyn FnMut(RuleId)) {}

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.bytes(b"id bytes");
        true
    }

    fn measure(&self, _: &[u32], text: &[u8]) -> u32 {
        text.len() as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit_of(rule: &CallId, args: &[u32], text: &[u8]) -> Option<Words> {
        let mut state = rule.start(args);
        for &byte in text {
            let mut node = Node::default();
            rule.expand(&state, &mut node);
            state = node
                .edges
                .iter()
                .find(|e| (e.lo..=e.hi).contains(&byte))?
                .to
                .clone();
        }
        let mut node = Node::default();
        rule.expand(&state, &mut node);
        node.exit
    }

    fn rule(memory: Memory, used: &[&str]) -> CallId {
        CallId::new(memory, used, RuleId::new(0))
    }

    #[test]
    fn used_ids_are_refused_and_longer_ones_are_not() {
        let rule = rule(Memory::None, &["wx1", "wx"]);
        for (id, good) in [
            ("", false),
            ("w", true),
            ("wx", false),
            ("wx1", false),
            ("wx10", true),
            ("a b", false),
        ] {
            assert_eq!(exit_of(&rule, &[], id.as_bytes()).is_some(), good, "{id}");
        }
    }

    #[test]
    fn ids_of_the_arguments_are_refused_and_the_exit_is_the_id() {
        let rule = rule(Memory::Ids, &["a"]);
        let mut args = Words::new();
        pack(b"wx1", &mut args);
        pack(b"call-22", &mut args);
        assert_eq!(exit_of(&rule, &args, b"wx1"), None);
        assert_eq!(exit_of(&rule, &args, b"call-22"), None);
        assert_eq!(exit_of(&rule, &args, b"a"), None);
        let mut exit = Words::new();
        pack(b"call-23", &mut exit);
        assert_eq!(exit_of(&rule, &args, b"call-23"), Some(exit));
    }

    #[test]
    fn ids_end_after_64_bytes() {
        let id = "x".repeat(65);
        for memory in [Memory::None, Memory::Ids] {
            let rule = rule(memory, &["x"]);
            assert!(exit_of(&rule, &[], &id.as_bytes()[..64]).is_some());
            assert!(exit_of(&rule, &[], id.as_bytes()).is_none());
        }
    }

    #[test]
    fn a_beginning_that_only_used_ids_have_is_refused() {
        let stem = "x".repeat(63);
        let mut used: Vec<String> = bytes()
            .map(|b| format!("{stem}{}", char::from(b)))
            .collect();
        used.push(stem.clone());
        let used: Vec<&str> = used.iter().map(String::as_str).collect();
        let rule = CallId::new(Memory::Ids, &used, RuleId::new(0));
        let mut node = Node::default();
        let mut state = Words::new();
        pack(&stem.as_bytes()[..62], &mut state);
        rule.expand(&state, &mut node);
        assert_eq!(node.edges.len(), 63);
        assert!(node.edges.iter().all(|e| e.lo != b'x'));
    }
}
