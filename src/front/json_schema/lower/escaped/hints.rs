//! What a text in a string tells masks: what the other body tells, in the spelling of strings.
//!
//! Where escapes are minimal each byte of the other body has one spelling, so that what it tells of texts can be spelt.
//!
//! PERF: without, the first mask of an open object in a string takes seconds, since each key is a position of its own
//! (benches/LOG.md).

use super::spelt::{NEEDED, read, spell, spell_quoted};
use super::{At, EscapedBody, words};
use crate::base::ByteSet;
use crate::front::json_schema::lower::spelling::Escapes;
use crate::front::json_schema::lower::tag;
use crate::grammar::{
    Delimiters, Ends, Hints, KeyWriter, Memory, Needed, Node, Progress, Reading, Refusal, Refusing,
    Remembered, Remembering, Shadow, Tails, Texts, Words,
};

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

    fn shadow(&self, state: &Words) -> Option<Shadow<'_>> {
        if self.around != Escapes::Minimal {
            return None;
        }
        let at = At::of(state);
        let shadow = self.inner.hints().shadow(&at.inner())?;
        // Where a quote comes too early, the backslash before it does only where nothing else is escaped.
        if shadow.ends != Ends::Fewer && (shadow.least > 0 || !shadow.except.is_empty()) {
            return None;
        }
        let memory = shadow.memory;
        let memory = memory.map(|memory| self.spelt_memory(memory, &at));
        let without = shadow.without.iter();
        let without = without.filter_map(|tail| at.rest_of(spell(tail)));
        Some(Shadow {
            state: words(at.escape, &shadow.state),
            without: Tails::owned(without.collect()),
            memory,
            ..shadow
        })
    }

    /// Numbers ask for it, of which nothing is escaped.
    fn refusing(&self, state: &Words) -> Option<Box<dyn Refusing + '_>> {
        self.inner.hints().refusing(&At::of(state).inner())
    }

    fn measure(&self, state: &[u32], text: &[u8]) -> u32 {
        let texts = Texts::default();
        let at = At::of_slice(state, &texts);
        let under_way = at.escape.map(|_| u32::from(b'\\'));
        let spelt = under_way.into_iter();
        let read = read(spelt.chain(text.iter().map(|&byte| u32::from(byte))));
        let read: Vec<u8> = read.map(|byte| byte as u8).collect();
        self.inner.hints().measure(&at.inner(), &read)
    }

    fn rest(&self, state: &[u32]) -> u32 {
        let texts = Texts::default();
        let at = At::of_slice(state, &texts);
        let (inner, hints) = (at.inner(), self.inner.hints());
        if at.escape.is_none() {
            return hints.rest(&inner);
        }
        let after = NEEDED.iter().flat_map(|&(_, byte)| {
            let measure = hints.measure(&inner, &[byte]);
            self.after(&inner, byte)
                .map(move |to| measure.saturating_add(hints.rest(&to)))
        });
        after.min().unwrap_or(0)
    }

    fn greatest_rest(&self) -> u32 {
        // Inside an escape a character may have begun.
        self.inner.hints().greatest_rest().saturating_add(1)
    }

    fn gist(&self, state: &Words) -> Option<Words> {
        let at = At::of(state);
        let inner = at.inner();
        if let Some(gist) = self.inner.hints().gist(&inner) {
            return Some(words(at.escape, &gist));
        }
        let mut offered = Node::default();
        self.inner.expand(&inner, &mut offered);
        let Reading::Recording { carried } = offered.reading else {
            return None;
        };
        // Not what is recorded, as where the text stands in no string.
        let mut gist = words(at.escape, &inner[..inner.len() - carried as usize].into());
        gist.push(u32::from(offered.exit.is_some()));
        Some(gist)
    }

    fn weight(&self, state: &Words) -> usize {
        self.inner.hints().weight(&At::of(state).inner())
    }

    fn remembering(&self) -> Option<&dyn Remembering> {
        let inner = self.inner.hints().remembering();
        inner.filter(|_| self.records()).map(|_| self as _)
    }
}

/// The other body remembers texts that stand in quotes, and here each quote stands behind a backslash.
///
/// A text that must not come again is refused at the quote that ends it, or at the backslash before it where nothing else
/// that is escaped may come there. So what is remembered is told with that quote and without, as beginnings that are
/// refused.
impl Remembering for EscapedBody {
    fn delimiters(&self) -> Delimiters {
        self.remembers().expect(REMEMBERS).delimiters()
    }

    fn forget_args(&self, args: &Words) -> Words {
        let forgotten = self.remembers().map(|inner| inner.forget_args(args));
        forgotten.unwrap_or_else(|| args.clone())
    }

    fn forget(&self, state: &Words) -> Words {
        let at = At::of(state);
        let inner = at.inner();
        let forgotten = self.remembers().map(|body| body.forget(&inner));
        match forgotten.filter(|forgotten| *forgotten != inner) {
            None => state.clone(),
            Some(forgotten) => {
                let mut forgotten = words(at.escape, &forgotten);
                if inner.len() == at.kept.len() {
                    // Nothing but the backslash of what is recorded next.
                    forgotten.extend_from_slice(at.spelt);
                }
                forgotten
            }
        }
    }

    fn progress(&self, state: &Words) -> Option<Progress> {
        let inner = At::of(state).inner();
        self.remembers().and_then(|body| body.progress(&inner))
    }

    fn memory(&self, state: &Words) -> Memory {
        let at = At::of(state);
        let memory = self.remembers().expect(REMEMBERS).memory(&at.inner());
        self.spelt_memory(memory, &at)
    }
}

const REMEMBERS: &str = "only a body that remembers is asked";

impl EscapedBody {
    fn remembers(&self) -> Option<&dyn Remembering> {
        self.inner.hints().remembering()
    }

    /// What the other body remembers `at` a position, as it is spelt here.
    fn spelt_memory(&self, memory: Memory, at: &At<'_>) -> Memory {
        let remembered = memory.remembered.into_iter();
        let remembered = remembered.map(|Remembered { texts, .. }| Remembered {
            texts: self.spelt.of(&texts),
            refusal: Refusal::Beginning,
        });
        let mut begun = spell_quoted(&memory.begun);
        if at.escape.is_some() && !begun.is_empty() {
            begun.push(b'\\');
        }
        Memory {
            delimiters: memory.delimiters,
            remembered: remembered.collect(),
            begun: begun.into(),
        }
    }
}

impl At<'_> {
    /// What is left of a text behind what has been read of its first escape.
    fn rest_of(&self, mut text: Vec<u8>) -> Option<Box<[u8]>> {
        if self.escape.is_some() {
            if text.first() != Some(&b'\\') {
                return None;
            }
            text.remove(0);
        }
        Some(text.into())
    }
}
