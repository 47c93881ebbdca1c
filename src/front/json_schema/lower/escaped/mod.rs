//! A rule whose text stands in a string: each of its characters is spelt as strings have it.

mod hints;
mod spelt;

use std::sync::Arc;

use regex_syntax::utf8::{Utf8Range, Utf8Sequences};

use self::spelt::{NEEDED, SpeltTexts, read};
use super::escape::{After, Escape, Span};
use super::spelling::Escapes;
use crate::base::RuleId;
use crate::grammar::{Edge, Hints, ImplicitBody, Node, Reading, ReturnTo, Texts, Words};

/// What another body reads, within a string.
///
/// Positions are those of the other body, behind two words: what has been read of an escape, 0 between two bytes of the
/// text, and how many words the position of the other body has. Where that body records what it reads, and escapes are
/// minimal, what it has recorded stands apart, behind its other words and as it is spelt here, so that this body records
/// it in turn. Calls and ends are the other body's: the rules that it calls stand in the string as well.
#[derive(Debug)]
pub(super) struct EscapedBody {
    inner: Arc<dyn ImplicitBody>,
    /// Minimal where the other body remembers texts, since each must have one spelling.
    escapes: Escapes,
    /// The escapes of bodies that remember nothing.
    around: Escapes,
    spelt: SpeltTexts,
}

/// No escape is under way.
const PLAIN: u32 = 0;

impl EscapedBody {
    pub(super) fn new(inner: Arc<dyn ImplicitBody>, escapes: Escapes) -> Self {
        let remembers = inner.hints().remembering().is_some();
        Self {
            inner,
            escapes: match remembers {
                true => Escapes::Minimal,
                false => escapes,
            },
            around: escapes,
            spelt: SpeltTexts::default(),
        }
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

    /// What the other body offers `at` a position: edges lead to positions less what they record where this position is
    /// one that records, and else to whole ones.
    fn offer_recording(&self, at: &At<'_>) -> Node<Words> {
        let inner = at.inner();
        let mut node = Node::default();
        self.inner.expand(&inner, &mut node);
        let recorded = inner.len() - at.kept.len();
        match node.reading {
            Reading::Recording { carried } if self.records() && carried as usize == recorded => {
                node.reading = Reading::Recording {
                    carried: at.spelt.len() as u32,
                };
                node
            }
            _ => self.offer(&inner),
        }
    }

    /// Whether what the other body records is recorded here.
    fn records(&self) -> bool {
        self.escapes == Escapes::Minimal
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
    fn plain(&self, at: &At<'_>, node: &mut Node<Words>) {
        let offered = self.offer_recording(at);
        let begins_escape = match self.escapes {
            Escapes::Minimal => {
                let needed = |edge: &Edge<Words>| {
                    let mut bytes = NEEDED.iter();
                    bytes.any(|(_, byte)| (edge.lo..=edge.hi).contains(byte))
                };
                offered.edges.iter().any(needed)
            }
            Escapes::All => self.reads_any(&at.inner(), &Escape::OPEN.spans()),
        };
        if begins_escape {
            let to = match offered.reading {
                Reading::Passing => words(Some(Escape::OPEN), &at.inner()),
                Reading::Recording { .. } => words(Some(Escape::OPEN), &at.kept()),
            };
            node.byte(b'\\', to);
        }
        for Edge { lo, hi, to } in offered.edges {
            for (least, most) in [(b' ', b'!'), (b'#', b'['), (b']', 0xFF)] {
                let (lo, hi) = (lo.max(least), hi.min(most));
                if lo <= hi {
                    node.range(lo, hi, words(None, &to));
                }
            }
        }
        for mut call in offered.calls {
            call.to = match call.to {
                ReturnTo::Position(to) => ReturnTo::Position(words(None, &to)),
                ReturnTo::Ask(site) => ReturnTo::Ask(words(None, &site)),
            };
            node.calls.push(call);
        }
        node.exit = offered.exit;
        node.reading = offered.reading;
    }

    /// What follows inside an escape, of those that are needed.
    fn needed_escape(&self, at: &At<'_>, node: &mut Node<Words>) {
        let offered = self.offer_recording(at);
        node.reading = offered.reading;
        for Edge { lo, hi, to } in offered.edges {
            for (letter, _) in NEEDED.iter().filter(|(_, byte)| (lo..=hi).contains(byte)) {
                node.byte(*letter, words(None, &to));
            }
        }
    }

    /// What follows inside an escape, of all that JSON has.
    fn any_escape(&self, escape: Escape, inner: &Words, node: &mut Node<Words>) {
        escape.visit(&mut |byte, after| match after {
            After::Character(c) => {
                for to in self.after_character(inner, c) {
                    node.byte(byte, words(None, &to));
                }
            }
            After::Escape(escape) if self.reads_any(inner, &escape.spans()) => {
                node.byte(byte, words(Some(escape), inner));
            }
            After::Escape(_) => {}
        });
    }
}

/// A position, its words taken apart.
struct At<'w> {
    /// The escape under way.
    escape: Option<Escape>,
    /// The position of the other body, less what stands apart.
    kept: &'w [u32],
    /// What is recorded, one word for each byte as it is spelt here.
    spelt: &'w [u32],
    texts: &'w Texts,
}

impl<'w> At<'w> {
    fn of(words: &'w Words) -> Self {
        Self::of_slice(words, &words.texts)
    }

    fn of_slice(words: &'w [u32], texts: &'w Texts) -> Self {
        let (kept, spelt) = words[2..].split_at(words[1] as usize);
        Self {
            escape: words[0].checked_sub(1).map(Escape::of),
            kept,
            spelt,
            texts,
        }
    }

    fn kept(&self) -> Words {
        let mut kept = Words::of_texts(self.texts.clone());
        kept.extend_from_slice(self.kept);
        kept
    }

    /// The position of the other body.
    fn inner(&self) -> Words {
        let mut inner = self.kept();
        inner.extend(read(self.spelt.iter().copied()));
        inner
    }
}

/// A position between two bytes, or inside an `escape`, where nothing stands apart.
fn words(escape: Option<Escape>, inner: &Words) -> Words {
    let mut words = Words::of_texts(inner.texts.clone());
    words.push(escape.map_or(PLAIN, |escape| escape.word() + 1));
    words.push(inner.len() as u32);
    words.extend_from_slice(inner);
    words
}

impl ImplicitBody for EscapedBody {
    fn start(&self, args: &Words) -> Words {
        words(None, &self.inner.start(args))
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let at = At::of(words);
        match at.escape {
            None => self.plain(&at, node),
            Some(_) if self.escapes == Escapes::Minimal => self.needed_escape(&at, node),
            Some(escape) => self.any_escape(escape, &at.inner(), node),
        }
    }

    fn on_return(&self, site: &Words, callee: RuleId, exit: &[u32]) -> Option<Words> {
        let inner = At::of(site).inner();
        let to = self.inner.on_return(&inner, callee, exit)?;
        Some(words(None, &to))
    }

    fn nullable(&self) -> bool {
        self.inner.nullable()
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}
