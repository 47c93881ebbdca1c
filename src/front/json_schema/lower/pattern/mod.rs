//! Strings of a language, with or without bounds on their length.

mod hints;

use std::sync::{Arc, OnceLock};

use regex_syntax::utf8::{Utf8Range, Utf8Sequences};
use smallvec::SmallVec;

use super::escape::{After, Escape, Span};
use super::lead::Lead;
use super::spelling::{Escapes, Forbidden, PLAIN, Spelt, state};
use crate::base::RuleId;
use crate::front::json_schema::values::{Language, StringSet};
use crate::grammar::{Hints, ImplicitBody, Node, Words, advance_by_edges};
use crate::regular::{Dfa, Lengths, OUTERMOST, Place, StateId, Texts};

/// A string of a language.
///
/// The language is over what a string means; its spelling is decoded here. Positions are a state
/// of the spelling, the language's state, how far into a forbidden text one is, and where the
/// length is bounded how many code points must and may still begin; where the language nests or is counted, the
/// groups that are open, or the counters. Inside an escape, a word of its own says what has been read of it: where there are
/// only a few, which of them agree so far, the state of the spelling counting their bytes.
#[derive(Debug)]
pub(super) struct PatternBody {
    lead: Lead,
    forbidden: Arc<Forbidden>,
    texts: Texts,
    /// The lengths of the language's strings, where they matter.
    lengths: Option<Arc<Lengths>>,
    like: Like,
    /// Which states of the language every text leads on from.
    total: OnceLock<Box<[bool]>>,
    /// For each state of the language, where it was asked for, a byte that leads where all others do.
    sole_ways: OnceLock<Box<[OnceLock<Option<u8>>]>>,
    greatest_rest: OnceLock<u32>,
    bounded: bool,
    least: u32,
    /// `u32::MAX` for no bound.
    most: u32,
    escapes: Escapes,
    measured: Measured,
}

/// What a text measures, for shadows that are cut by length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measured {
    /// Its characters.
    Characters,
    /// Those of them that are read before the repetition which is under way is left.
    Repetition,
}

/// The rules of strings whose masks can serve.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Like {
    /// The same strings of any length, where a bound only cuts them: their lengths leave no gaps, or
    /// there is only a greatest one.
    pub(super) unbounded: Option<RuleId>,
    /// All strings, spelt as these are.
    pub(super) text: Option<RuleId>,
    /// The same strings, which are counted, as positions without a maximum have them.
    pub(super) freed: Option<RuleId>,
}

/// A position, its words taken apart.
#[derive(Clone, Copy, Debug)]
struct At {
    /// A state of the spelling; from [`state::ESCAPE`] on plus the bytes after the backslash.
    state: u32,
    dfa: StateId,
    forbidden: u32,
    least: u32,
    most: u32,
    /// Inside an escape: the first that agrees, or what has been read of it.
    escape: u32,
    /// The groups that are open, or the counters, where there are any.
    open: u32,
}

impl At {
    fn place(self) -> Place {
        Place {
            state: self.dfa,
            open: self.open,
        }
    }
}

impl PatternBody {
    pub(super) fn new(
        (lead, escapes): (Lead, Escapes),
        forbidden: Arc<Forbidden>,
        set: &StringSet,
        language: &Language,
        like: Like,
    ) -> Self {
        Self {
            lead,
            forbidden,
            texts: language.texts(),
            lengths: language.lengths.clone(),
            like,
            total: OnceLock::new(),
            sole_ways: OnceLock::new(),
            greatest_rest: OnceLock::new(),
            bounded: set.is_bounded(),
            least: set.least,
            most: set.most,
            escapes,
            measured: Measured::Characters,
        }
    }

    /// The same body, as that of a rule which [`Like::freed`] names.
    pub(super) fn of_repetitions(self) -> Self {
        Self {
            measured: Measured::Repetition,
            ..self
        }
    }

    /// Whether each character still to come is needed: then few tokens go on, and these are walked sooner than
    /// those of any length are measured.
    fn is_tight(&self, words: &[u32]) -> bool {
        self.rest(words) == self.read(words).most
    }

    fn words(&self, at: At) -> Words {
        let escape = if at.state >= state::ESCAPE {
            at.escape
        } else {
            0
        };
        let mut words: Words = Words::from([at.state, at.dfa.get(), at.forbidden, escape]);
        if self.bounded {
            words.extend([at.least, at.most]);
        }
        if self.texts.flat().is_none() {
            words.push(at.open);
        }
        words
    }

    fn read(&self, words: &[u32]) -> At {
        let (least, most, open) = match words[4..] {
            [least, most, open] => (least, most, open),
            [least, most] => (least, most, OUTERMOST),
            [open] => (0, u32::MAX, open),
            _ => (0, u32::MAX, OUTERMOST),
        };
        At {
            state: words[0],
            dfa: StateId::new(words[1]),
            forbidden: words[2],
            escape: words[3],
            least,
            most,
            open,
        }
    }

    fn end(&self) -> At {
        At {
            state: state::END,
            dfa: Dfa::DEAD,
            forbidden: 0,
            least: 0,
            most: 0,
            escape: 0,
            open: OUTERMOST,
        }
    }

    /// `at` with one more character begun; `None` where there may be none.
    fn begun(&self, at: At) -> Option<At> {
        if !self.bounded {
            return Some(at);
        }
        let most = match at.most {
            u32::MAX => u32::MAX,
            most => most.checked_sub(1)?,
        };
        Some(At {
            least: at.least.saturating_sub(1),
            most,
            ..at
        })
    }

    /// Whether a string of the language can be completed from `at`, which is between two
    /// characters or inside one.
    ///
    /// Between characters every text can go on to be spelt, since whatever would complete a
    /// forbidden text has an escape. Inside a character, one of its endings must be allowed.
    fn live(&self, at: At) -> bool {
        if !self.texts.is_live(at.place()) {
            return false;
        }
        if self.texts.is_inside(at.place()) {
            let mut live = false;
            self.ranges(at, &mut |lo, hi, to| {
                self.forbidden
                    .split(at.forbidden, lo, hi, |_, _, forbidden| {
                        live = live || self.live(At { forbidden, ..to });
                    });
            });
            return live;
        }
        if !self.bounded {
            return true;
        }
        let least = u64::from(at.least);
        let most = (at.most < u32::MAX).then_some(u64::from(at.most));
        match (&self.texts, &self.lengths) {
            (Texts::Counted(counted), _) => counted.can_finish(at.place(), least, most),
            // Where a least length is asked for, nothing else is asked, and all greater ones are possible.
            (Texts::Nested(nesting), _) => {
                let rest = nesting.rest(at.place());
                most.is_none_or(|most| rest.is_some_and(|rest| u64::from(rest) <= most))
            }
            (_, Some(lengths)) => lengths.can_finish(at.dfa, least, most),
            (_, None) => true,
        }
    }

    /// A byte of a character at `place` that leads where all other characters do which lead on.
    ///
    /// PERF: a class of letters takes hundreds of ranges of bytes, which each visit of a search would look at: a mask under a
    /// deadline of a thousand characters takes 0.2 s of processor for 1.6 until it meets `work` (`hostile --all due-string`).
    fn sole_way(&self, place: Place) -> Option<u8> {
        let Some(flat) = self.texts.flat() else {
            return self.texts.sole_way(place, &PLAIN);
        };
        let known = self.sole_ways.get_or_init(|| {
            let states = flat.states();
            states.map(|_| OnceLock::new()).collect()
        });
        *known[place.state.index()].get_or_init(|| self.texts.sole_way(place, &PLAIN))
    }

    /// Whether every text leads on from a state of the language, whatever its length.
    fn is_total(&self, dfa: StateId) -> bool {
        let Some(flat) = self.texts.flat().filter(|_| !self.bounded) else {
            return false;
        };
        self.total.get_or_init(|| flat.total())[dfa.index()]
    }

    /// What follows between two characters, or inside one that is spelt plainly.
    fn body(&self, at: At, node: &mut Node<Words>) {
        let inside = self.texts.is_inside(at.place());
        if !inside && at.least == 0 && self.texts.ends(at.place()) {
            node.byte(b'"', self.words(self.end()));
        }
        let Some(next) = (if inside { Some(at) } else { self.begun(at) }) else {
            return;
        };
        self.ranges(next, &mut |lo, hi, to| {
            for (lo, hi) in plain(lo, hi) {
                self.forbidden
                    .split(at.forbidden, lo, hi, |lo, hi, forbidden| {
                        let to = At { forbidden, ..to };
                        if self.live(to) {
                            node.range(lo, hi, self.words(to));
                        }
                    });
            }
        });
        if !inside {
            let escape = At {
                state: state::ESCAPE,
                forbidden: self.forbidden.next(at.forbidden, b'\\'),
                escape: 0,
                ..next
            };
            let leads_on = match self.escapes {
                Escapes::Minimal => {
                    let mut few = self.forbidden.escapes().iter();
                    few.any(|&(_, c)| self.after_escape(escape, c).is_some())
                }
                Escapes::All => self.leads_on(escape, Escape::OPEN),
            };
            if leads_on {
                node.byte(b'\\', self.words(escape));
            }
        }
    }

    /// Where a byte that stands for itself leads, between two characters or inside one, in a language that
    /// does not nest.
    fn after_plain(&self, at: At, byte: u8) -> Option<At> {
        let next = match self.texts.is_inside(at.place()) {
            true => at,
            false => self.begun(at)?,
        };
        let place = match &self.texts {
            Texts::Flat(dfa) => Place {
                state: dfa.next(at.dfa, byte),
                ..at.place()
            },
            texts => texts.run(at.place(), &[byte])?,
        };
        let to = At {
            dfa: place.state,
            open: place.open,
            forbidden: self.forbidden.next(at.forbidden, byte),
            ..next
        };
        (!self.forbidden.is_complete(to.forbidden) && self.live(to)).then_some(to)
    }

    /// Whether an escape under way at `at` can come to mean a character that leads on.
    fn leads_on(&self, at: At, escape: Escape) -> bool {
        let mut live = false;
        self.after_spans(at, &escape.spans(), &mut |after| {
            live |= self.live(after);
            live
        });
        live
    }

    /// Where one is after a character of `spans`, for each of them, until `done` says so.
    fn after_spans(&self, at: At, spans: &[Span], done: &mut dyn FnMut(At) -> bool) {
        let after = At {
            state: state::BODY,
            forbidden: 0,
            ..at
        };
        for &(lo, hi) in spans {
            let chars = char::from_u32(lo).zip(char::from_u32(hi));
            let (lo, hi) = chars.expect("no span has a surrogate at its ends");
            for sequence in Utf8Sequences::new(lo, hi) {
                if self.after_bytes(after, sequence.as_slice(), done) {
                    return;
                }
            }
        }
    }

    fn after_bytes(&self, at: At, bytes: &[Utf8Range], done: &mut dyn FnMut(At) -> bool) -> bool {
        let Some((first, rest)) = bytes.split_first() else {
            return done(at);
        };
        let mut ended = false;
        self.ranges(at, &mut |lo, hi, to| {
            if !ended && lo <= first.end && first.start <= hi {
                ended = self.after_bytes(to, rest, done);
            }
        });
        ended
    }

    /// What the language reads next, and where it is then.
    fn ranges(&self, at: At, visit: &mut dyn FnMut(u8, u8, At)) {
        self.texts.visit(at.place(), &mut |lo, hi, place| {
            let (dfa, open) = (place.state, place.open);
            visit(lo, hi, At { dfa, open, ..at });
        });
    }

    /// What follows inside an escape, of all that JSON has.
    fn any_escape(&self, at: At, node: &mut Node<Words>) {
        Escape::of(at.escape).visit(&mut |byte, after| {
            let forbidden = self.forbidden.next(at.forbidden, byte);
            let to = match after {
                After::Character(c) => self.after_escape(at, c),
                After::Escape(escape) => self.leads_on(at, escape).then(|| At {
                    escape: escape.word(),
                    ..at
                }),
            };
            if let Some(to) = to {
                node.byte(byte, self.words(At { forbidden, ..to }));
            }
        });
    }

    /// What follows inside an escape, of a few.
    fn few_escape(&self, at: At, node: &mut Node<Words>) {
        let depth = (at.state - state::ESCAPE) as usize;
        let agreeing = self.agreeing(at).iter().enumerate();
        let mut left = agreeing
            .filter_map(|(offset, (spelt, c))| Some((offset, spelt, self.after_escape(at, *c)?)))
            .peekable();
        while let Some((offset, spelt, after)) = left.next() {
            let byte = spelt[depth];
            while left.next_if(|(_, other, _)| other[depth] == byte).is_some() {}
            let forbidden = self.forbidden.next(at.forbidden, byte);
            let to = match spelt.len() == depth + 1 {
                true => At { forbidden, ..after },
                false => At {
                    state: at.state + 1,
                    escape: at.escape + offset as u32,
                    forbidden,
                    ..at
                },
            };
            node.byte(byte, self.words(to));
        }
    }

    /// Those of a few escapes that begin as the one under way does.
    fn agreeing(&self, at: At) -> &[(Spelt, char)] {
        let depth = (at.state - state::ESCAPE) as usize;
        let escapes = &self.forbidden.escapes()[at.escape as usize..];
        let prefix = &escapes[0].0[..depth];
        &escapes[..escapes.partition_point(|(spelt, _)| spelt.starts_with(prefix))]
    }

    /// The shortest way to an end from inside an escape, by what it is from each state.
    fn shortest_after_escape(&self, at: At) -> Option<u64> {
        match self.escapes {
            Escapes::Minimal => {
                let agreeing = self.agreeing(at).iter();
                agreeing
                    .filter_map(|&(_, c)| self.shortest(self.after_escape(at, c)?.place()))
                    .min()
            }
            Escapes::All => {
                let mut least: Option<u64> = None;
                self.after_spans(at, &Escape::of(at.escape).spans(), &mut |after| {
                    let found = self.shortest(after.place());
                    least = least
                        .into_iter()
                        .chain(found.filter(|_| self.live(after)))
                        .min();
                    least == Some(0)
                });
                least
            }
        }
    }

    /// How many characters must still begin behind `place`, where lengths are told.
    fn shortest(&self, place: Place) -> Option<u64> {
        match &self.texts {
            Texts::Counted(counted) => Some(counted.shortest(place)),
            Texts::Nested(nesting) => nesting.rest(place).map(u64::from),
            Texts::Flat(_) => self.lengths.as_ref()?.shortest(place.state, 0),
        }
    }

    /// Where one is after `c`, whose escape is under way; `None` where that leads nowhere.
    fn after_escape(&self, at: At, c: char) -> Option<At> {
        let mut bytes = [0; 4];
        let bytes = c.encode_utf8(&mut bytes).as_bytes();
        let place = self.texts.run(at.place(), bytes)?;
        let (dfa, open) = (place.state, place.open);
        let after = At {
            state: state::BODY,
            forbidden: 0,
            dfa,
            open,
            ..at
        };
        self.live(after).then_some(after)
    }
}

/// The parts of `lo..=hi` that stand for themselves in a string.
fn plain(lo: u8, hi: u8) -> SmallVec<[(u8, u8); 3]> {
    let parts = [(b' ', b'!'), (b'#', b'['), (b']', 0xFF)];
    let cut = parts.iter().map(|part| (lo.max(part.0), hi.min(part.1)));
    cut.filter(|(lo, hi)| lo <= hi).collect()
}

impl ImplicitBody for PatternBody {
    fn start(&self, _args: &Words) -> Words {
        let Place { state: dfa, open } = self.texts.start();
        self.words(At {
            state: self.lead.start(),
            dfa,
            forbidden: 0,
            least: self.least,
            most: self.most,
            escape: 0,
            open,
        })
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let at = self.read(words);
        match at.state {
            state::LEAD | state::BARE => {
                if at.state == state::LEAD {
                    Lead::Spaced.edges(node, words);
                }
                let body = At {
                    state: state::BODY,
                    ..at
                };
                node.byte(b'"', self.words(body));
            }
            state::BODY => self.body(at, node),
            state::END => node.end(),
            _ => match self.escapes {
                Escapes::Minimal => self.few_escape(at, node),
                Escapes::All => self.any_escape(at, node),
            },
        }
    }

    fn advance(&self, words: &Words, byte: u8) -> Option<Words> {
        let at = self.read(words);
        let is_nested = matches!(self.texts, Texts::Nested(..));
        if at.state != state::BODY || is_nested || plain(byte, byte).is_empty() {
            return advance_by_edges(self, words, byte);
        }
        let to = self.after_plain(at, byte).map(|to| self.words(to));
        debug_assert_eq!(to, advance_by_edges(self, words, byte));
        to
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}
