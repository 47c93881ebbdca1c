//! Ids of other forms than `<call-id>`: numbers that count the calls of a turn, and ids of a pattern.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::call_id::Memory;
use crate::base::RuleId;
use crate::grammar::{
    Ends, Hints, ImplicitBody, KeyWriter, Node, Reading, Shadow, Tails, Words, packed,
};
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
    /// The rule of [`PatternText`].
    plain: RuleId,
}

impl PatternId {
    pub(super) fn new(memory: Memory, used: &[&str], texts: Arc<Dfa>, plain: RuleId) -> Self {
        let used = used.iter().map(|id| id.as_bytes().into()).collect();
        Self {
            memory,
            texts,
            used,
            plain,
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
        self.used_from(read, rivals).next().is_none()
    }

    /// The used ids that begin with `read`.
    fn used_from<'a>(
        &'a self,
        read: &'a [u8],
        rivals: &'a [Box<[u8]>],
    ) -> impl Iterator<Item = &'a Box<[u8]>> {
        let used = self.used.range(Box::from(read)..);
        let used = used.take_while(move |id| id.starts_with(read));
        used.chain(rivals.iter().filter(move |id| id.starts_with(read)))
    }

    /// The shortest beginning of a used id, longer than so many bytes, that no unused one has.
    fn dead<'a>(&self, id: &'a [u8], read: usize, rivals: &[Box<[u8]>]) -> Option<&'a [u8]> {
        let beginnings = (read + 1..=id.len()).rev().map(|length| &id[..length]);
        let dead = beginnings.take_while(|beginning| {
            let at = self.texts.run(self.texts.start(), beginning);
            !self.live(at, &mut beginning.to_vec(), rivals)
        });
        dead.last()
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
    /// That of the text of the pattern, less the ids that are used.
    fn shadow(&self, state: &Words) -> Option<Shadow<'_>> {
        let (read, rivals) = Self::unpacked(state);
        let at = self.texts.run(self.texts.start(), &read);
        let tail = |text: &[u8]| Box::from(&text[read.len()..]);
        let used = || self.used_from(&read, &rivals);
        let dead = used().filter_map(|id| self.dead(id, read.len(), &rivals));
        let mut except: Vec<Box<[u8]>> = used().map(|id| tail(id)).collect();
        except.sort_unstable();
        Some(Shadow {
            without: Tails::owned(dead.map(tail).collect()),
            except,
            ends: match self.memory {
                Memory::None => Ends::Same,
                Memory::Ids => Ends::Tried,
            },
            ..Shadow::of(self.plain, Words::from_slice(&[at.get()]))
        })
    }

    /// Where no used id begins with what was read, the pattern alone says how far the end is.
    fn gist(&self, state: &Words) -> Option<Words> {
        let (read, rivals) = Self::unpacked(state);
        let at = self.texts.run(self.texts.start(), &read);
        let is_alone = self.is_alone(&read, &rivals);
        is_alone.then(|| Words::from_slice(&[at.get()]))
    }
}

/// The texts of the pattern of ids, used or not. A position is a state of the automaton.
#[derive(Debug)]
pub(super) struct PatternText(pub(super) Arc<Dfa>);

impl ImplicitBody for PatternText {
    fn start(&self, _: &Words) -> Words {
        Words::from_slice(&[self.0.start().get()])
    }

    fn expand(&self, state: &Words, node: &mut Node<Words>) {
        let at = StateId::new(state[0]);
        for (lo, hi, to) in self.0.ranges(at).filter(|&(.., to)| self.0.is_live(to)) {
            node.range(lo, hi, Words::from_slice(&[to.get()]));
        }
        if self.0.is_accepting(at) {
            node.end();
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for PatternText {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.bytes(b"text of ids");
        for state in self.0.states() {
            key.word(u32::from(self.0.is_accepting(state)));
            for (lo, hi, to) in self.0.ranges(state) {
                key.word(u32::from_be_bytes([0, 1, lo, hi]));
                key.word(to.get());
            }
        }
        key.word(self.0.start().get());
        true
    }
}
