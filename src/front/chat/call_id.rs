//! Call ids: 1 to 64 of ALPHA / DIGIT / "_" / "-", none that was used before.

use std::collections::BTreeSet;

use crate::base::RuleId;
use crate::grammar::{
    Ends, Hints, ImplicitBody, KeyWriter, Node, Reading, Shadow, Tails, Words, packed,
};

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

/// An id that was not used before.
///
/// A position is `[words of the arguments, arguments…, bytes read…]`; where nothing needs to be
/// remembered any more, it is only how many bytes have been read.
#[derive(Debug)]
pub(super) struct CallId {
    memory: Memory,
    /// The ids that the conversation used before this text.
    used: BTreeSet<Box<[u8]>>,
    /// The rule of [`IdBytes`].
    plain: RuleId,
}

/// A position of [`CallId`], unpacked.
enum Position {
    /// This many bytes of an id that can no longer be a used one, nor is to be remembered.
    Free(usize),
    Kept(Kept),
}

/// What has been read of an id, and the ids of the arguments.
struct Kept {
    read: Vec<u8>,
    rivals: Vec<Box<[u8]>>,
}

impl CallId {
    pub(super) fn new(memory: Memory, used: &[&str], plain: RuleId) -> Self {
        let used = used.iter().map(|id| id.as_bytes().into()).collect();
        Self {
            memory,
            used,
            plain,
        }
    }

    fn position(&self, state: &[u32]) -> Position {
        match *state {
            [length] if length > 0 => Position::Free(length as usize),
            _ => {
                let (rivals, read) = state[1..].split_at(state[0] as usize);
                Position::Kept(Kept {
                    read: read.iter().map(|&byte| byte as u8).collect(),
                    rivals: packed::unpack(rivals),
                })
            }
        }
    }

    /// The position after `byte`, where no id is remembered: free as soon as it can be.
    fn after(&self, kept: &Kept, byte: u8) -> Words {
        let read = [&kept.read[..], &[byte]].concat();
        match self.used_from(&read, &[]).next() {
            None => Words::from_slice(&[read.len() as u32]),
            Some(_) => {
                let read = read.iter().map(|&byte| u32::from(byte));
                std::iter::once(0).chain(read).collect()
            }
        }
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

    fn is_used(&self, id: &[u8], rivals: &[Box<[u8]>]) -> bool {
        self.used.contains(id) || rivals.iter().any(|rival| **rival == *id)
    }

    /// Whether `read` is the beginning of some id that is not used. It looks as deep as used ids
    /// share their beginnings.
    fn live(&self, read: &[u8], rivals: &[Box<[u8]>]) -> bool {
        if read.len() > LONGEST {
            return false;
        }
        if !read.is_empty() && !self.is_used(read, rivals) {
            return true;
        }
        bytes().any(|byte| self.live(&[read, &[byte]].concat(), rivals))
    }

    fn expand_free(&self, length: usize, node: &mut Node<Words>) {
        if length < LONGEST {
            let next = Words::from_slice(&[length as u32 + 1]);
            RANGES
                .iter()
                .for_each(|&(lo, hi)| node.range(lo, hi, next.clone()));
        }
        node.end();
    }

    fn expand_kept(&self, state: &[u32], kept: &Kept, node: &mut Node<Words>) {
        let Kept { read, rivals } = kept;
        let is_alone = self.used_from(read, rivals).next().is_none();
        let live = |byte: u8| match is_alone {
            // No used id begins so, so that any byte makes one that is not used.
            true => read.len() < LONGEST,
            false => self.live(&[&read[..], &[byte]].concat(), rivals),
        };
        match self.memory {
            Memory::None => bytes()
                .filter(|&byte| live(byte))
                .for_each(|byte| node.byte(byte, self.after(kept, byte))),
            Memory::Ids => {
                for (lo, hi) in RANGES {
                    match (lo..=hi).all(live) {
                        true => node.range(lo, hi, state.into()),
                        false => (lo..=hi)
                            .filter(|&byte| live(byte))
                            .for_each(|byte| node.byte(byte, state.into())),
                    }
                }
                node.reading = Reading::Recording { carried: 0 };
            }
        }
        if !read.is_empty() && !self.is_used(read, rivals) {
            node.exit = Some(match self.memory {
                Memory::None => Words::new(),
                Memory::Ids => packed::pack([read.as_slice()]),
            });
        }
    }

    fn shadow_kept(&self, Kept { read, rivals }: &Kept) -> Shadow<'static> {
        let used = || self.used_from(read, rivals);
        let tail = |text: &[u8]| Box::from(&text[read.len()..]);
        let mut except: Vec<Box<[u8]>> = used().map(|id| tail(id)).collect();
        except.sort_unstable();
        // An id that is used may be the beginning of one that is not, unless it is as long as can be.
        let longest = used().filter(|id| id.len() == LONGEST);
        let dead = longest.map(|id| {
            let beginnings = (read.len() + 1..LONGEST).rev().map(|length| &id[..length]);
            let dead = beginnings.take_while(|beginning| !self.live(beginning, rivals));
            tail(dead.last().unwrap_or(id))
        });
        Shadow {
            without: Tails::owned(dead.collect()),
            ends: match self.memory {
                Memory::None => Ends::Same,
                Memory::Ids => Ends::Tried,
            },
            ..self.shadow_of_plain(read.len(), except)
        }
    }

    fn shadow_of_plain(&self, length: usize, except: Vec<Box<[u8]>>) -> Shadow<'static> {
        Shadow {
            least: u32::from(length == 0),
            most: (LONGEST - length) as u32,
            except,
            ..Shadow::of(self.plain, Words::from_slice(&[u32::from(length > 0)]))
        }
    }
}

impl ImplicitBody for CallId {
    fn start(&self, args: &Words) -> Words {
        let mut words = Words::from_slice(&[args.len() as u32]);
        words.extend_from_slice(args);
        words
    }

    fn expand(&self, state: &Words, node: &mut Node<Words>) {
        match self.position(state) {
            Position::Free(length) => self.expand_free(length, node),
            Position::Kept(kept) => self.expand_kept(state, &kept, node),
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for CallId {
    fn shadow(&self, state: &Words) -> Option<Shadow<'_>> {
        match self.position(state) {
            Position::Free(length) => Some(self.shadow_of_plain(length, Vec::new())),
            Position::Kept(kept) => Some(self.shadow_kept(&kept)),
        }
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
    fn start(&self, _: &Words) -> Words {
        Words::from_slice(&[0])
    }

    fn expand(&self, state: &Words, node: &mut Node<Words>) {
        let next = Words::from_slice(&[1]);
        RANGES
            .iter()
            .for_each(|&(lo, hi)| node.range(lo, hi, next.clone()));
        if state[..] == [1] {
            node.end();
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for IdBytes {
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
        let mut state = rule.start(&args.into());
        for &byte in text {
            let mut node = Node::default();
            rule.expand(&state, &mut node);
            let edge = node.edges.iter().find(|e| (e.lo..=e.hi).contains(&byte))?;
            state = edge.to.clone();
            if node.reading != Reading::Passing {
                state.push(u32::from(byte));
            }
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
        let args = packed::pack([b"wx1".as_slice(), b"call-22"]);
        assert_eq!(exit_of(&rule, &args, b"wx1"), None);
        assert_eq!(exit_of(&rule, &args, b"call-22"), None);
        assert_eq!(exit_of(&rule, &args, b"a"), None);
        let exit = packed::pack([b"call-23".as_slice()]);
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
        let mut state = rule.start(&Words::new());
        state.extend(stem.bytes().take(62).map(u32::from));
        rule.expand(&state, &mut node);
        let dead = |byte: &u8| !node.edges.iter().any(|e| (e.lo..=e.hi).contains(byte));
        assert_eq!(bytes().filter(dead).collect::<Vec<u8>>(), b"x");
    }
}
