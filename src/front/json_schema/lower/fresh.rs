//! Texts that are not in use yet: keys of an object, items of an array.

use std::sync::{Arc, OnceLock};

use super::packed::{pack, unpack};
use super::tag;
use super::text_language::TextLanguage;
use crate::base::RuleId;
use crate::front::json_schema::shape::ENOUGH;
use crate::grammar::{
    Delimiters, Ends, Hints, ImplicitBody, KeyWriter, Memory, Node, Reading, Refusal, Remembering,
    Shadow, Words,
};

/// A text of another rule that is none of the texts given as arguments; the text is the exit.
///
/// Positions are those of the other rule, then the arguments, then the bytes read, one to a word; or those
/// of the other rule alone, where what was read is forgotten: they end as it does.
/// The other rule must spell each of its values in one way only.
#[derive(Debug)]
pub(super) struct FreshText {
    texts: TextLanguage,
    /// The rule of these texts.
    pub(super) plain: RuleId,
    edge: Edge,
    refusal: Refusal,
    callers: Callers,
    abundant: OnceLock<bool>,
}

/// What the callers make of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callers {
    /// They can go on as if no text were in use ([`Remembering`]).
    Forgetful,
    /// They need not know which text was read: it is taken for one that comes once.
    Exact,
    /// They may demand that it comes again.
    Repeating,
}

/// How one tells where a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// It stands in quotes.
    Quoted,
    /// Only what follows tells.
    Open,
}

/// A body whose positions end with the texts that are in use, packed, and whose languages of texts can do
/// without some of them.
pub(super) trait TextsInUse {
    /// The languages of texts that may not be in use.
    fn fresh(&self) -> impl Iterator<Item = &FreshText>;

    /// The texts in use at `state`: its last words.
    fn in_use(&self, state: &[u32]) -> Words;
}

/// Strings stand in quotes, and a value, which stands behind a colon, is never a key or a distinct string.
const QUOTES: Delimiters = Delimiters {
    delimiter: b'"',
    never_behind: b':',
};

impl<B: TextsInUse> Remembering for B {
    fn delimiters(&self) -> Delimiters {
        QUOTES
    }

    fn forget_args(&self, args: &[u32]) -> Words {
        Words::from_slice(args)
    }

    fn forget(&self, state: &[u32]) -> Words {
        let used = self.in_use(state);
        let mut words = Words::from_slice(&state[..state.len() - used.len()]);
        words.extend(kept(self.fresh(), &used));
        words
    }

    fn memory(&self, state: &[u32]) -> Memory {
        memory(self.fresh(), &self.in_use(state))
    }
}

/// Of the texts of `used`, packed, those that masks are not computed without.
fn kept<'f>(all: impl Iterator<Item = &'f FreshText>, used: &[u32]) -> Words {
    if used.is_empty() {
        return Words::new();
    }
    let mut kept: Vec<Box<[u8]>> = Vec::new();
    for fresh in all.filter(|fresh| !fresh.is_forgettable()) {
        kept.extend_from_slice(&fresh.texts.used(used).own);
    }
    kept.sort_unstable();
    kept.dedup();
    pack(kept.iter().map(|text| &**text))
}

/// What is remembered where the texts of `used`, packed, are in use.
fn memory<'f>(all: impl Iterator<Item = &'f FreshText>, used: &[u32]) -> Memory {
    let mut memory = Memory::default();
    for fresh in all.filter(|fresh| fresh.is_forgettable()) {
        memory.refusal = memory.refusal.max(fresh.refusal);
        memory.texts.append(&mut fresh.refused(used));
    }
    memory.texts.sort_unstable();
    memory.texts.dedup();
    memory
}

/// A position, its words taken apart.
struct At<'w> {
    inner: &'w [u32],
    /// The arguments, packed.
    used: &'w [u32],
    /// The bytes read; `None` where they are forgotten.
    read: Option<&'w [u32]>,
}

/// What was read, from one word for each byte.
fn bytes(read: &[u32]) -> Box<[u8]> {
    read.iter().map(|&byte| byte as u8).collect()
}

/// What stands for the number of arguments where they are forgotten with what was read.
const FORGOTTEN: u32 = u32::MAX;

impl FreshText {
    /// The texts of `inner`, whose rule is `plain`. The `refusal` is [`Refusal::Whole`] if there are
    /// infinitely many texts from each of its positions.
    pub(super) fn new(
        inner: Arc<dyn ImplicitBody>,
        plain: RuleId,
        edge: Edge,
        refusal: Refusal,
        callers: Callers,
    ) -> Self {
        Self {
            texts: TextLanguage::new(inner),
            plain,
            edge,
            refusal,
            callers,
            abundant: OnceLock::new(),
        }
    }

    /// Whether masks may be computed as if no text were in use.
    fn is_forgettable(&self) -> bool {
        self.callers == Callers::Forgetful && self.edge == Edge::Quoted && self.is_abundant()
    }

    /// Whether there always is a text that is not in use.
    fn is_abundant(&self) -> bool {
        let all = || self.texts.has_more_than(ENOUGH, &self.texts.start());
        self.refusal == Refusal::Whole || *self.abundant.get_or_init(all)
    }

    /// Beginnings of texts that are refused where those of `used`, packed, are in use.
    fn refused(&self, used: &[u32]) -> Vec<Box<[u8]>> {
        match self.refusal {
            Refusal::Whole => unpack(used),
            Refusal::Beginning => self.texts.refused(&self.texts.used(used)).to_vec(),
        }
    }

    /// Whether there is a text besides those of `used`, packed.
    pub(super) fn has_left(&self, used: &[u32]) -> bool {
        let more = || {
            let own = self.texts.used(used).own.len();
            self.texts.has_more_than(own, &self.texts.start())
        };
        self.refusal == Refusal::Whole || more()
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
        if words[1] == FORGOTTEN {
            return At {
                inner,
                used: &[],
                read: None,
            };
        }
        let (used, read) = rest.split_at(words[1] as usize);
        At {
            inner,
            used,
            read: Some(read),
        }
    }

    /// The position of the other rule at `inner`, where what was read is forgotten.
    fn forgotten(inner: &[u32]) -> Words {
        let mut words = Words::from_slice(&[inner.len() as u32, FORGOTTEN]);
        words.extend_from_slice(inner);
        words
    }

    /// Goes on like the other rule, from `plain`.
    fn expand_forgotten(plain: Node<Words>, node: &mut Node<Words>) {
        for edge in plain.edges {
            node.range(edge.lo, edge.hi, Self::forgotten(&edge.to));
        }
        if plain.exit.is_some() {
            node.end();
        }
    }

    /// Whether the other rule reads `text` from its start to its end.
    pub(super) fn reads_whole(&self, text: &[u8]) -> bool {
        self.texts.contains(text)
    }
}

impl ImplicitBody for FreshText {
    fn start(&self, args: &[u32]) -> Words {
        Self::words(&self.texts.start(), args, &[])
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        let At { inner, used, read } = Self::read(words);
        let mut plain = Node::default();
        self.texts.body().expand(inner, &mut plain);
        let Some(read) = read else {
            return Self::expand_forgotten(plain, node);
        };
        let read = bytes(read);
        let known = self.texts.used(used);
        let alike = known.beginning_with(&read);
        let is_used = alike.first().is_some_and(|text| *text == read);
        // Where used texts go on, fewer of them than all texts must do so.
        let rivals = &alike[usize::from(is_used)..];
        let next = rivals.chunk_by(|a, b| a[read.len()] == b[read.len()]);
        let next: Vec<(u8, usize)> = next.map(|all| (all[0][read.len()], all.len())).collect();
        for edge in plain.edges {
            let to = Self::words(&edge.to, used, &[]);
            let mut from = u16::from(edge.lo);
            let within = |(byte, _): &&(u8, usize)| (edge.lo..=edge.hi).contains(byte);
            for &(byte, ahead) in next.iter().filter(within) {
                if !self.texts.has_more_than(ahead, &edge.to) {
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
        node.reading = Reading::Recording {
            carried: read.len() as u32,
        };
        if plain.exit.is_some() && !is_used {
            node.exit = Some(pack([&*read]));
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for FreshText {
    fn shadow(&self, words: &[u32]) -> Option<Shadow<'_>> {
        // Where texts are few, it matters to the callers which one was read.
        if self.edge == Edge::Open || !self.is_abundant() {
            return None;
        }
        let At { inner, used, read } = Self::read(words);
        if self.callers == Callers::Repeating {
            // Every end is an exit of its own.
            return (self.refusal == Refusal::Whole).then(|| Shadow {
                ends: Ends::Fewer,
                ..Shadow::of(self.plain, inner.into())
            });
        }
        let shadow = self.texts.body().hints().shadow(inner);
        let shadow = shadow.filter(|shadow| shadow.ends == Ends::Same);
        let mut shadow = shadow.unwrap_or_else(|| Shadow::of(self.plain, inner.into()));
        if let Some(read) = read
            && !(used.is_empty() && read.is_empty())
        {
            shadow.memory = Some(Memory {
                texts: self.refused(used),
                begun: bytes(read),
                refusal: self.refusal,
            });
        }
        Some(shadow)
    }

    fn remembering(&self) -> Option<&dyn Remembering> {
        Some(self)
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::FRESH_TEXT);
        key.word(self.edge as u32);
        key.rule(self.plain);
        true
    }
}

impl Remembering for FreshText {
    fn delimiters(&self) -> Delimiters {
        QUOTES
    }

    fn forget_args(&self, args: &[u32]) -> Words {
        kept([self].into_iter(), args)
    }

    fn forget(&self, state: &[u32]) -> Words {
        if !self.is_forgettable() {
            return Words::from_slice(state);
        }
        let At { inner, read, .. } = Self::read(state);
        match read.is_some_and(|read| read.is_empty()) {
            true => Self::words(inner, &[], &[]),
            false => Self::forgotten(inner),
        }
    }

    fn memory(&self, state: &[u32]) -> Memory {
        let At { used, read, .. } = Self::read(state);
        let begun = read.filter(|_| self.is_forgettable()).unwrap_or_default();
        Memory {
            begun: bytes(begun),
            ..memory([self].into_iter(), used)
        }
    }
}
