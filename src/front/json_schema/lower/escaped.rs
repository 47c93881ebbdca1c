//! A rule whose text stands in a string: each of its characters is spelt as strings have it.

use std::sync::Arc;

use regex_syntax::utf8::{Utf8Range, Utf8Sequences};

use super::escape::{After, Escape, Span};
use super::spelling::Escapes;
use super::tag;
use crate::base::{ByteSet, RuleId};
use crate::grammar::{
    Edge, Hints, ImplicitBody, KeyWriter, Needed, Node, Reading, ReturnTo, Words,
};

/// What another body reads, within a string.
///
/// Positions are those of the other body, behind a word that says what has been read of an escape: 0 between two
/// bytes of the text. Calls and ends are the other body's: the rules that it calls stand in the string as well.
#[derive(Debug)]
pub(super) struct EscapedBody {
    inner: Arc<dyn ImplicitBody>,
    escapes: Escapes,
}

/// No escape is under way.
const PLAIN: u32 = 0;

/// The escapes that JSON text needs: other characters do not stand in it, or need none.
const NEEDED: [(u8, u8); 5] = [
    (b'"', b'"'),
    (b'\\', b'\\'),
    (b'n', b'\n'),
    (b'r', b'\r'),
    (b't', b'\t'),
];

impl EscapedBody {
    pub(super) fn new(inner: Arc<dyn ImplicitBody>, escapes: Escapes) -> Self {
        Self { inner, escapes }
    }

    /// What the other body offers at a position, its edges leading to whole positions.
    fn offer(&self, inner: &Words) -> Node<Words> {
        let mut node = Node::default();
        self.inner.expand(inner, &mut node);
        debug_assert!(node.controls.is_empty(), "strings have no control tokens");
        let Reading::Recording { carried } = node.reading else {
            return node;
        };
        node.reading = Reading::Passing;
        let carried = &inner[inner.len() - carried as usize..];
        let edges = std::mem::take(&mut node.edges);
        for Edge { lo, hi, to } in edges {
            for byte in lo..=hi {
                let mut to = to.clone();
                to.extend_from_slice(carried);
                to.push(u32::from(byte));
                node.byte(byte, to);
            }
        }
        node
    }

    /// The positions of the other body behind `byte`.
    fn after(&self, inner: &Words, byte: u8) -> impl Iterator<Item = Words> {
        let edges = self.offer(inner).edges.into_iter();
        let edges = edges.filter(move |edge| (edge.lo..=edge.hi).contains(&byte));
        edges.map(|edge| edge.to)
    }

    /// The positions of the other body behind a character.
    fn after_character(&self, inner: &Words, c: char) -> Vec<Words> {
        let mut all = vec![inner.clone()];
        for &byte in c.encode_utf8(&mut [0; 4]).as_bytes() {
            all = all.iter().flat_map(|at| self.after(at, byte)).collect();
        }
        all
    }

    /// Whether the other body reads a character of `spans`.
    fn reads_any(&self, inner: &Words, spans: &[Span]) -> bool {
        spans.iter().any(|&(lo, hi)| {
            let chars = char::from_u32(lo).zip(char::from_u32(hi));
            let (lo, hi) = chars.expect("no span has a surrogate at its ends");
            Utf8Sequences::new(lo, hi).any(|sequence| self.reads(inner, sequence.as_slice()))
        })
    }

    fn reads(&self, inner: &Words, bytes: &[Utf8Range]) -> bool {
        let Some((first, rest)) = bytes.split_first() else {
            return true;
        };
        let edges = self.offer(inner).edges.into_iter();
        let mut edges = edges.filter(|edge| edge.lo <= first.end && first.start <= edge.hi);
        edges.any(|edge| self.reads(&edge.to, rest))
    }

    /// What follows between two bytes of the text.
    fn plain(&self, inner: &Words, node: &mut Node<Words>) {
        let offered = self.offer(inner);
        let begins_escape = match self.escapes {
            Escapes::Minimal => {
                let needed = |edge: &Edge<Words>| {
                    let mut bytes = NEEDED.iter();
                    bytes.any(|(_, byte)| (edge.lo..=edge.hi).contains(byte))
                };
                offered.edges.iter().any(needed)
            }
            Escapes::All => self.reads_any(inner, &Escape::OPEN.spans()),
        };
        if begins_escape {
            node.byte(b'\\', self.words(Some(Escape::OPEN), inner));
        }
        for Edge { lo, hi, to } in offered.edges {
            for (least, most) in [(b' ', b'!'), (b'#', b'['), (b']', 0xFF)] {
                let (lo, hi) = (lo.max(least), hi.min(most));
                if lo <= hi {
                    node.range(lo, hi, self.words(None, &to));
                }
            }
        }
        for mut call in offered.calls {
            call.to = match call.to {
                ReturnTo::Position(to) => ReturnTo::Position(self.words(None, &to)),
                ReturnTo::Ask(site) => ReturnTo::Ask(self.words(None, &site)),
            };
            node.calls.push(call);
        }
        node.exit = offered.exit;
    }

    /// What follows inside an escape.
    fn escape(&self, escape: Escape, inner: &Words, node: &mut Node<Words>) {
        if self.escapes == Escapes::Minimal {
            for (letter, byte) in NEEDED {
                for to in self.after(inner, byte) {
                    node.byte(letter, self.words(None, &to));
                }
            }
            return;
        }
        escape.visit(&mut |byte, after| match after {
            After::Character(c) => {
                for to in self.after_character(inner, c) {
                    node.byte(byte, self.words(None, &to));
                }
            }
            After::Escape(escape) if self.reads_any(inner, &escape.spans()) => {
                node.byte(byte, self.words(Some(escape), inner));
            }
            After::Escape(_) => {}
        });
    }

    fn words(&self, escape: Option<Escape>, inner: &Words) -> Words {
        let mut words = Words::of_texts(inner.texts.clone());
        words.push(escape.map_or(PLAIN, |escape| escape.word() + 1));
        words.extend_from_slice(inner);
        words
    }

    /// The escape under way and the position of the other body.
    fn read(words: &Words) -> (Option<Escape>, Words) {
        let mut inner = Words::from_slice(&words[1..]);
        inner.texts = words.texts.clone();
        (words[0].checked_sub(1).map(Escape::of), inner)
    }
}

impl ImplicitBody for EscapedBody {
    fn start(&self, args: &Words) -> Words {
        self.words(None, &self.inner.start(args))
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        match Self::read(words) {
            (None, inner) => self.plain(&inner, node),
            (Some(escape), inner) => self.escape(escape, &inner, node),
        }
    }

    fn on_return(&self, site: &Words, callee: RuleId, exit: &[u32]) -> Option<Words> {
        let (_, inner) = Self::read(site);
        let to = self.inner.on_return(&inner, callee, exit)?;
        Some(self.words(None, &to))
    }

    fn nullable(&self) -> bool {
        self.inner.nullable()
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for EscapedBody {
    fn reads(&self) -> ByteSet {
        self.inner.hints().reads()
    }

    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        self.inner.hints().needs(missing)
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::ESCAPED);
        key.word(u32::from(self.escapes == Escapes::All));
        self.inner.hints().describe(key)
    }

    fn gist(&self, words: &Words) -> Option<Words> {
        let (escape, inner) = Self::read(words);
        if let Some(gist) = self.inner.hints().gist(&inner) {
            return Some(self.words(escape, &gist));
        }
        // Not what is recorded, as where the text stands in no string.
        let mut node = Node::default();
        self.inner.expand(&inner, &mut node);
        let Reading::Recording { carried } = node.reading else {
            return None;
        };
        let mut gist = self.words(escape, &inner[..inner.len() - carried as usize].into());
        gist.push(u32::from(node.exit.is_some()));
        Some(gist)
    }

    fn weight(&self) -> usize {
        self.inner.hints().weight()
    }
}
