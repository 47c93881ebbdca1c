//! Texts that are not in use yet: keys of an object, items of an array.

use std::sync::{Arc, OnceLock};

use smallvec::{SmallVec, smallvec};

use super::packed::pack;
use super::tag;
use super::text_language::TextLanguage;
use crate::base::{ByteSet, RuleId};
use crate::front::json_schema::shape::ENOUGH;
use crate::grammar::{
    Delimiters, Edge as ByteEdge, Ends, Hints, ImplicitBody, KeyWriter, Memory, Needed, Node,
    Progress, Reading, Refusal, Remembered, Remembering, Shadow, Texts, Words,
};

/// A text of another rule that is none of the texts given with the arguments; the text is the exit.
///
/// Positions are those of the other rule, then the bytes read, one to a word, and the texts; or those
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// What stands around it tells.
    Between(Delimiters),
}

/// A body whose positions have the texts that are in use, and whose languages of texts can do without some of them.
pub(super) trait TextsInUse {
    /// The languages of texts that may not be in use.
    fn fresh(&self) -> impl Iterator<Item = &FreshText>;
}

const QUOTE: u8 = b'"';

/// Strings stand in quotes, and a value, which stands behind a colon, is never a key or a distinct string.
const QUOTES: Delimiters = Delimiters::Own {
    delimiter: QUOTE,
    never_behind: b':',
};

impl<B: TextsInUse> Remembering for B {
    fn delimiters(&self) -> Delimiters {
        let first = self.fresh().next();
        first.map_or(QUOTES, FreshText::delimiters)
    }

    fn forget_args(&self, args: &Words) -> Words {
        args.clone()
    }

    fn forget(&self, state: &Words) -> Words {
        let mut words = Words::from_slice(state);
        words.texts = kept(self.fresh(), &state.texts);
        words
    }

    fn memory(&self, state: &Words) -> Memory {
        Memory {
            delimiters: self.delimiters(),
            remembered: remembered(self.fresh(), &state.texts),
            begun: Box::default(),
        }
    }
}

/// Of the texts of `used` those that masks are not computed without.
fn kept<'f>(all: impl Iterator<Item = &'f FreshText>, used: &Texts) -> Texts {
    if used.is_empty() {
        return Texts::default();
    }
    let mut kept = Texts::default();
    for fresh in all.filter(|fresh| !fresh.is_forgettable(used)) {
        let own = &fresh.texts.used(used).own;
        kept = match kept.is_empty() {
            true => own.clone(),
            false => own.iter().fold(kept, |kept, text| kept.with(text)),
        };
    }
    kept
}

/// What is remembered where the texts of `used` are in use.
fn remembered<'f>(
    all: impl Iterator<Item = &'f FreshText>,
    used: &Texts,
) -> SmallVec<[Remembered; 1]> {
    let mut remembered: SmallVec<[Remembered; 1]> = SmallVec::new();
    for fresh in all.filter(|fresh| fresh.is_forgettable(used)) {
        let part = fresh.remembered(used);
        if !remembered.contains(&part) {
            remembered.push(part);
        }
    }
    remembered
}

/// A position, its words taken apart.
struct At<'w> {
    inner: &'w [u32],
    /// The bytes read; `None` where they are forgotten.
    read: Option<&'w [u32]>,
}

/// What was read, from one word for each byte.
fn bytes(read: &[u32]) -> Box<[u8]> {
    read.iter().map(|&byte| byte as u8).collect()
}

/// Whether what was read is known.
const KNOWN: u32 = 0;
const FORGOTTEN: u32 = 1;

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

    /// Whether masks may be computed as if none of the texts of `used` were in use.
    ///
    /// Where texts are few, two must be left: so the callers can go on behind one that ends. What several delimiters in one
    /// token can do besides is tried for each such token ([`Refusal::Beginning`]).
    fn is_forgettable(&self, used: &Texts) -> bool {
        let has_two_left = || {
            let own = self.texts.used(used).own.len();
            self.texts.has_more_than(own + 1, &self.texts.start())
        };
        self.callers == Callers::Forgetful
            && match self.edge {
                Edge::Quoted => self.is_abundant() || has_two_left(),
                Edge::Between(_) => self.refusal == Refusal::Whole,
                Edge::Open => false,
            }
    }

    /// Whether there always is a text that is not in use.
    fn is_abundant(&self) -> bool {
        let all = || self.texts.has_more_than(ENOUGH, &self.texts.start());
        self.refusal == Refusal::Whole || *self.abundant.get_or_init(all)
    }

    /// What is refused where the texts of `used` are in use.
    fn remembered(&self, used: &Texts) -> Remembered {
        Remembered {
            texts: match self.refusal {
                Refusal::Whole => used.clone(),
                Refusal::Beginning => self.texts.refused(&self.texts.used(used)).clone(),
            },
            refusal: self.refusal,
        }
    }

    /// Whether there is a text besides those of `used`.
    pub(super) fn has_left(&self, used: &Texts) -> bool {
        let more = || {
            let own = self.texts.used(used).own.len();
            self.texts.has_more_than(own, &self.texts.start())
        };
        self.refusal == Refusal::Whole || more()
    }

    fn words(inner: &[u32], used: &Texts, read: &[u8]) -> Words {
        let mut words = Words::of_texts(used.clone());
        words.extend([inner.len() as u32, KNOWN]);
        words.extend_from_slice(inner);
        words.extend(read.iter().map(|&byte| u32::from(byte)));
        words
    }

    fn read(words: &[u32]) -> At<'_> {
        let (inner, read) = words[2..].split_at(words[0] as usize);
        At {
            inner,
            read: (words[1] == KNOWN).then_some(read),
        }
    }

    /// The position of the other rule at `inner`, where what was read is forgotten.
    fn forgotten(inner: &[u32]) -> Words {
        let mut words = Words::from_slice(&[inner.len() as u32, FORGOTTEN]);
        words.extend_from_slice(inner);
        words
    }

    /// The bytes of an edge from where `read` leads that lead to nothing but texts of `used`. Where there are infinitely
    /// many texts from each place but the end, that is asked of the end alone.
    fn blocked(&self, used: &Texts, read: &[u8], edge: &ByteEdge<Words>) -> SmallVec<[u8; 4]> {
        let mut blocked = SmallVec::new();
        if self.refusal == Refusal::Whole {
            let ends = (edge.lo..=edge.hi).contains(&QUOTE) && self.edge == Edge::Quoted;
            let is_rival = || used.contains(&[read, &[QUOTE]].concat());
            if ends && is_rival() && !self.texts.has_more_than(1, &edge.to) {
                blocked.push(QUOTE);
            }
            return blocked;
        }
        if used.is_empty() || self.texts.has_more_than(used.len(), &edge.to) {
            return blocked;
        }
        let own = &self.texts.used(used).own;
        let mut text = [read, &[edge.lo]].concat();
        let bytes = own.next_bytes(read, edge.lo);
        for byte in bytes.take_while(|&byte| byte <= edge.hi) {
            text[read.len()] = byte;
            if !self.texts.has_more_than_in_use(own, &text, &edge.to) {
                blocked.push(byte);
            }
        }
        blocked
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
    fn start(&self, args: &Words) -> Words {
        Self::words(&self.texts.start(), &args.texts, &[])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let used = &words.texts;
        let At { inner, read } = Self::read(words);
        let mut plain = Node::default();
        self.texts.body().expand(&inner.into(), &mut plain);
        let Some(read) = read else {
            return Self::expand_forgotten(plain, node);
        };
        let read = bytes(read);
        for edge in plain.edges {
            let to = Self::words(&edge.to, used, &[]);
            let mut from = u16::from(edge.lo);
            for byte in self.blocked(used, &read, &edge) {
                if from < u16::from(byte) {
                    node.range(from as u8, byte - 1, to.clone());
                }
                from = u16::from(byte) + 1;
            }
            if from <= u16::from(edge.hi) {
                node.range(from as u8, edge.hi, to);
            }
        }
        node.reading = Reading::Recording {
            carried: read.len() as u32,
        };
        if plain.exit.is_some() && !used.contains(&read) {
            node.exit = Some(pack([&*read]));
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for FreshText {
    fn reads(&self) -> ByteSet {
        self.texts.body().hints().reads()
    }

    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        let own = self.texts.body().hints().needs(missing);
        // Where texts may run out, they are counted as if all could be spelt.
        own.or_else(|| match self.refusal {
            Refusal::Whole => None,
            Refusal::Beginning => self.texts.reads(missing).map(Needed::by_pattern),
        })
    }

    fn shadow(&self, words: &Words) -> Option<Shadow<'_>> {
        let At { inner, read } = Self::read(words);
        if self.edge == Edge::Open {
            return None;
        }
        // Where texts are few, it matters to the callers which one was read.
        if !self.is_abundant() && !self.is_forgettable(&words.texts) {
            return None;
        }
        if self.callers == Callers::Repeating {
            // Every end is an exit of its own.
            return (self.refusal == Refusal::Whole).then(|| Shadow {
                ends: Ends::Fewer,
                ..Shadow::of(self.plain, inner.into())
            });
        }
        let shadow = self.texts.body().hints().shadow(&inner.into());
        let shadow = shadow.filter(|shadow| shadow.ends == Ends::Same);
        let mut shadow = shadow.unwrap_or_else(|| Shadow::of(self.plain, inner.into()));
        if let Some(read) = read
            && !(words.texts.is_empty() && read.is_empty())
        {
            shadow.memory = Some(Memory {
                delimiters: self.delimiters(),
                remembered: smallvec![self.remembered(&words.texts)],
                begun: bytes(read),
            });
        }
        Some(shadow)
    }

    fn remembering(&self) -> Option<&dyn Remembering> {
        Some(self)
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::FRESH_TEXT);
        key.word(match self.edge {
            Edge::Quoted => 0,
            Edge::Open => 1,
            Edge::Between(_) => 2,
        });
        key.rule(self.plain);
        true
    }
}

impl Remembering for FreshText {
    fn delimiters(&self) -> Delimiters {
        match self.edge {
            Edge::Between(delimiters) => delimiters,
            Edge::Quoted | Edge::Open => QUOTES,
        }
    }

    fn forget_args(&self, args: &Words) -> Words {
        Words::of_texts(kept([self].into_iter(), &args.texts))
    }

    fn forget(&self, state: &Words) -> Words {
        if !self.is_forgettable(&state.texts) {
            return state.clone();
        }
        let At { inner, read } = Self::read(state);
        match read.is_some_and(|read| read.is_empty()) {
            true => Self::words(inner, &Texts::default(), &[]),
            false => Self::forgotten(inner),
        }
    }

    fn memory(&self, state: &Words) -> Memory {
        let At { read, .. } = Self::read(state);
        let begun = read
            .filter(|_| self.is_forgettable(&state.texts))
            .unwrap_or_default();
        Memory {
            delimiters: self.delimiters(),
            begun: bytes(begun),
            remembered: match read {
                Some(_) => remembered([self].into_iter(), &state.texts),
                None => SmallVec::new(),
            },
        }
    }

    fn progress(&self, state: &Words) -> Option<Progress> {
        let At { read, .. } = Self::read(state);
        Some(match read {
            Some([]) => Progress::Beginning,
            _ => Progress::Within,
        })
    }
}
