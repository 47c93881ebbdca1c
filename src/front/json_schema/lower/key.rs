//! Keys other than some: the names of additional properties.

use std::sync::Arc;

use super::lead::Lead;
use super::object::Plan;
use super::spelling::{Escapes, Forbidden, state};
use super::tag;
use crate::base::{ByteSet, RuleId};
use crate::grammar::{ANY_TEXT, Hints, ImplicitBody, KeyWriter, Node, Shadow, Tails, Words};

/// Where more names than this lie ahead, no shadow is given.
const SHADOWED: usize = 1 << 12;

/// A key in its minimal spelling that is none of the names of an object.
///
/// Positions are those of the plain key, and the names that agree with it so far: the first of
/// them, counted from 1, or 0 where there is none, and how many bytes agree.
#[derive(Debug)]
pub(super) struct KeyBody {
    pub(super) forbidden: Arc<Forbidden>,
    pub(super) plan: Arc<Plan>,
    /// The rule of any key.
    pub(super) plain: RuleId,
}

impl ImplicitBody for KeyBody {
    fn start(&self, _args: &Words) -> Words {
        let first = u32::from(!self.plan.names().is_empty());
        Words::from([Lead::Bare.start(), 0, first, 0])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (at, forbidden, first, depth) = (words[0], words[1], words[2], words[3] as usize);
        let names = self.plan.agreeing(first as usize, depth);
        if at == state::END {
            node.end();
        }
        for &(lo, hi, to) in Escapes::Minimal.row(at) {
            let to = u32::from(to);
            let mut range = |lo, hi, next| {
                let base = if to == state::END { 0 } else { next };
                self.avoid(names, first, depth, (lo, hi), |lo, hi, first| {
                    let depth = if first == 0 { 0 } else { depth as u32 + 1 };
                    node.range(lo, hi, Words::from([to, base, first, depth]));
                });
            };
            match at {
                state::BARE => range(lo, hi, 0),
                _ => self.forbidden.split(forbidden, lo, hi, range),
            }
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for KeyBody {
    fn reads(&self) -> ByteSet {
        ANY_TEXT
    }

    fn shadow(&self, words: &Words) -> Option<Shadow<'_>> {
        let (at, forbidden, first, depth) = (words[0], words[1], words[2], words[3] as usize);
        let names = self.plan.agreeing(first as usize, depth);
        (names.len() <= SHADOWED).then(|| Shadow {
            without: Tails::new(names, depth),
            ..Shadow::of(self.plain, Words::from([at, forbidden]))
        })
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::KEY);
        key.word(self.plan.names().len() as u32);
        for name in self.plan.names() {
            key.bytes(name);
        }
        self.forbidden.describe(key);
        true
    }
}

impl KeyBody {
    /// Cuts `lo..=hi`, which follows `depth` bytes of `names`, by what the names go on with. Bytes
    /// that would complete a name are left out.
    fn avoid(
        &self,
        names: &[Box<[u8]>],
        first: u32,
        depth: usize,
        (lo, hi): (u8, u8),
        mut part: impl FnMut(u8, u8, u32),
    ) {
        let mut from = u16::from(lo);
        let mut index = 0;
        while index < names.len() {
            let byte = names[index][depth];
            let group = names[index..]
                .iter()
                .take_while(|name| name[depth] == byte)
                .count();
            if (lo..=hi).contains(&byte) {
                if from < u16::from(byte) {
                    part(from as u8, byte - 1, 0);
                }
                // A name ends with its quote, so one that is complete is alone.
                if names[index].len() > depth + 1 {
                    part(byte, byte, first + index as u32);
                }
                from = u16::from(byte) + 1;
            }
            index += group;
        }
        if from <= u16::from(hi) {
            part(from as u8, hi, 0);
        }
    }
}
