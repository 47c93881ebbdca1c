//! Strings of any text, with or without a bound on their length, and plain keys.

use std::sync::Arc;

use super::lead::Lead;
use super::spelling::{Escapes, Forbidden, PLAIN, state};
use super::tag;
use crate::base::{ByteSet, RuleId};
use crate::grammar::{ANY_TEXT, Hints, ImplicitBody, KeyWriter, Node, Shadow, Words};

/// A string with `least` to `most` code points.
///
/// Positions are a state of the spelling and how far into a forbidden text one is; where the
/// length is bounded, also how many code points must and may still begin.
#[derive(Debug)]
pub(super) struct StringBody {
    pub(super) lead: Lead,
    pub(super) escapes: Escapes,
    pub(super) forbidden: Arc<Forbidden>,
    pub(super) least: u32,
    /// `u32::MAX` for no bound.
    pub(super) most: u32,
    /// The same without a bound, where there is one.
    pub(super) plain: Option<RuleId>,
}

impl StringBody {
    fn words(&self, at: u32, forbidden: u32, least: u32, most: u32) -> Words {
        match self.plain {
            None => Words::from([at, forbidden]),
            Some(_) if at == state::END => Words::from([at, 0, 0, 0]),
            Some(_) => Words::from([at, forbidden, least, most]),
        }
    }
}

impl ImplicitBody for StringBody {
    fn start(&self, _args: &Words) -> Words {
        self.words(self.lead.start(), 0, self.least, self.most)
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (at, forbidden) = (words[0], words[1]);
        let (least, most) = bounds(words);
        if at == state::END {
            node.end();
        }
        for &(lo, hi, to) in self.escapes.row(at) {
            let (to, mut least_left, mut most_left) = (u32::from(to), least, most);
            if at == state::BODY && to == state::END {
                if least > 0 {
                    continue;
                }
            } else if at == state::BODY {
                if most == 0 {
                    continue;
                }
                least_left = least.saturating_sub(1);
                most_left = if most == u32::MAX { most } else { most - 1 };
            }
            // Forbidden texts are looked for between the quotes.
            if at == state::LEAD || at == state::BARE {
                node.range(lo, hi, self.words(to, 0, least_left, most_left));
            } else {
                self.forbidden.split(forbidden, lo, hi, |lo, hi, next| {
                    let next = if to == state::END { 0 } else { next };
                    node.range(lo, hi, self.words(to, next, least_left, most_left));
                });
            }
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for StringBody {
    fn reads(&self) -> ByteSet {
        ANY_TEXT
    }

    fn shadow(&self, words: &Words) -> Option<Shadow<'_>> {
        let (least, most) = bounds(words);
        self.plain.map(|rule| Shadow {
            least,
            most,
            ..Shadow::of(rule, words[..2].into())
        })
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::STRING);
        key.word(self.lead as u32);
        key.word(self.escapes as u32);
        key.word(self.least);
        key.word(self.most);
        self.forbidden.describe(key);
        true
    }

    fn measure(&self, words: &[u32], text: &[u8]) -> u32 {
        self.escapes.count(words[0], text)
    }

    /// Where more characters must come, one of one byte that begins no forbidden text.
    ///
    /// PERF: otherwise a way goes through the UTF-8 of each character, some ten places for one.
    fn onward(&self, words: &Words) -> Option<u8> {
        if words[0] != state::BODY || bounds(words).0 == 0 {
            return None;
        }
        PLAIN
            .iter()
            .find(|&byte| self.forbidden.next(words[1], byte) == 0)
    }
}

/// How many characters may still come, at least and at most.
fn bounds(words: &[u32]) -> (u32, u32) {
    match words {
        [_, _, least, most] => (*least, *most),
        _ => (0, u32::MAX),
    }
}
