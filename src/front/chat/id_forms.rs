//! Ids of other forms than `<call-id>`: numbers that count the calls of a turn, and ids of a pattern.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call_id::Memory;
use crate::grammar::{Hints, ImplicitBody, KeyWriter, Node, Reading, Words, packed};
use crate::regular::{Dfa, StateId};

/// The number of ids that were read before, and so many more: 0, 1, 2 and so on from the first.
///
/// A position is the number and how many of its digits are read.
#[derive(Debug)]
pub(super) struct Counter {
    pub(super) memory: Memory,
    pub(super) first: u32,
}

impl Counter {
    fn digits(number: u32) -> String {
        number.to_string()
    }
}

impl ImplicitBody for Counter {
    fn start(&self, args: &Words) -> Words {
        let read = packed::unpack(args).len() as u32;
        Words::from_slice(&[self.first.saturating_add(read), 0])
    }

    fn expand(&self, state: &Words, node: &mut Node<Words>) {
        let digits = Self::digits(state[0]);
        match digits.as_bytes().get(state[1] as usize) {
            Some(&digit) => node.byte(digit, Words::from_slice(&[state[0], state[1] + 1])),
            None => node.exit = Some(exit(self.memory, digits.as_bytes())),
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for Counter {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.bytes(b"counter");
        key.word(u32::from(self.memory == Memory::Ids));
        key.word(self.first);
        true
    }
}

fn exit(memory: Memory, id: &[u8]) -> Words {
    match memory {
        Memory::None => Words::new(),
        Memory::Ids => packed::pack([id]),
    }
}

/// An id of a pattern that was not used before.
///
/// A position is `[words of the arguments, arguments…, bytes read…]`.
#[derive(Debug)]
pub(super) struct PatternId {
    memory: Memory,
    texts: Arc<Dfa>,
    /// The ids that the conversation used before this text.
    used: BTreeSet<Box<[u8]>>,
}

impl PatternId {
    pub(super) fn new(memory: Memory, used: &[&str], texts: Arc<Dfa>) -> Self {
        let used = used.iter().map(|id| id.as_bytes().into()).collect();
        Self {
            memory,
            texts,
            used,
        }
    }

    /// Whether some id that begins with `read`, which leads to `state`, is not used. It looks as deep as used ids
    /// share their beginnings.
    fn live(&self, state: StateId, read: &mut Vec<u8>, rivals: &[Box<[u8]>]) -> bool {
        if self.is_alone(read, rivals) {
            return true;
        }
        if self.texts.is_accepting(state) && !self.is_used(read, rivals) {
            return true;
        }
        self.texts.ranges(state).any(|(lo, hi, to)| {
            (lo..=hi).any(|byte| {
                read.push(byte);
                let live = self.live(to, read, rivals);
                read.pop();
                live
            })
        })
    }

    fn is_used(&self, id: &[u8], rivals: &[Box<[u8]>]) -> bool {
        self.used.contains(id) || rivals.iter().any(|rival| **rival == *id)
    }

    /// Whether no used id begins with `read`.
    fn is_alone(&self, read: &[u8], rivals: &[Box<[u8]>]) -> bool {
        let used = self.used.range(Box::from(read)..).next();
        let mut ids = used.into_iter().chain(rivals);
        !ids.any(|id| id.starts_with(read))
    }

    /// What a position has read, and the ids of the arguments.
    fn unpacked(state: &Words) -> (Vec<u8>, Vec<Box<[u8]>>) {
        let (rivals, read) = state[1..].split_at(state[0] as usize);
        let read = read.iter().map(|&byte| byte as u8);
        (read.collect(), packed::unpack(rivals))
    }
}

impl ImplicitBody for PatternId {
    fn start(&self, args: &Words) -> Words {
        let mut words = Words::from_slice(&[args.len() as u32]);
        words.extend_from_slice(args);
        words
    }

    fn expand(&self, state: &Words, node: &mut Node<Words>) {
        let (mut read, rivals) = Self::unpacked(state);
        let carried = read.len() as u32;
        let at = self.texts.run(self.texts.start(), &read);
        if self.texts.is_accepting(at) && !self.is_used(&read, &rivals) {
            node.exit = Some(exit(self.memory, &read));
        }
        let without = Words::from_slice(&state[..state.len() - read.len()]);
        for (lo, hi, to) in self.texts.ranges(at) {
            for byte in lo..=hi {
                read.push(byte);
                if self.live(to, &mut read, &rivals) {
                    node.byte(byte, without.clone());
                }
                read.pop();
            }
        }
        node.reading = Reading::Recording { carried };
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for PatternId {
    /// Where no used id begins with what was read, the pattern alone says how far the end is.
    fn gist(&self, state: &Words) -> Option<Words> {
        let (read, rivals) = Self::unpacked(state);
        let at = self.texts.run(self.texts.start(), &read);
        let is_alone = self.is_alone(&read, &rivals);
        is_alone.then(|| Words::from_slice(&[at.get()]))
    }
}
