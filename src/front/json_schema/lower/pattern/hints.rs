//! What strings of a language tell masks besides: which simpler string they are like, and how they are measured.

use super::{At, Like, Measured, PatternBody};
use crate::base::ByteSet;
use crate::front::json_schema::lower::automaton;
use crate::front::json_schema::lower::escape::Escape;
use crate::front::json_schema::lower::spelling::{Escapes, state};
use crate::front::json_schema::lower::tag;
use crate::grammar::{ANY_TEXT, Ends, Hints, ImplicitBody, KeyWriter, Needed, Shadow, Words};
use crate::regular::{Counted, Dfa, Place, Texts, utf8};

/// How many ranges of bytes the characters of a class of letters take, about.
const BYTES_OF_CHARACTERS: usize = 100;

impl Hints for PatternBody {
    fn reads(&self) -> ByteSet {
        match &self.texts {
            Texts::Flat(dfa) => dfa.bytes_read().intersect(&ANY_TEXT),
            Texts::Nested(_) | Texts::Counted(_) => ANY_TEXT,
        }
    }

    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        // Control characters are spelt as escapes.
        let missing = missing.without(&ByteSet::range(0, b' ' - 1));
        self.texts.needs(&missing).map(Needed::by_pattern)
    }

    fn shadow(&self, words: &Words) -> Option<Shadow<'_>> {
        let at = self.read(words);
        if let (Some(rule), Texts::Counted(counted), false) =
            (self.like.freed, &self.texts, self.bounded)
        {
            let freed = counted
                .freed(at.place())
                .filter(|_| at.state == state::BODY);
            return freed.map(|(place, left)| {
                let (dfa, open) = (place.state, place.open);
                Shadow {
                    most: left,
                    ..Shadow::of(rule, self.words(At { dfa, open, ..at }))
                }
            });
        }
        match self.like {
            Like {
                unbounded: Some(rule),
                ..
            } if at.state <= state::BODY && !self.is_tight(words) => {
                let mut unbounded: Words = words[..4].into();
                if self.texts.flat().is_none() {
                    unbounded.push(at.open);
                }
                Some(Shadow {
                    least: at.least,
                    most: at.most,
                    ..Shadow::of(rule, unbounded)
                })
            }
            Like {
                text: Some(rule), ..
            } if at.state == state::BODY && self.is_total(at.dfa) => Some(Shadow {
                ends: Ends::Fewer,
                ..Shadow::of(
                    rule,
                    Words::from([state::BODY, Dfa::TEXT.get(), at.forbidden, 0]),
                )
            }),
            _ => None,
        }
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::PATTERN);
        key.word(self.lead as u32);
        key.word(self.least);
        key.word(self.most);
        key.word(matches!(self.texts, Texts::Nested(..)).into());
        self.forbidden.describe(key);
        key.word((self.escapes == Escapes::All).into());
        match &self.texts {
            Texts::Flat(dfa) => automaton::describe(dfa, key),
            Texts::Nested(nesting) => {
                automaton::describe(nesting.level(), key)
                    && automaton::describe(nesting.beside(), key)
            }
            Texts::Counted(counted) => {
                key.word(u32::MAX);
                key.word(self.like.freed.is_some().into());
                key.word((self.measured == Measured::Repetition).into());
                counted.describe(&mut |word| key.word(word));
                true
            }
        }
    }

    /// Where all characters that lead on lead to one place, as within a class that is counted, those of one byte are the
    /// shortest.
    ///
    /// PERF: otherwise a way goes through the UTF-8 of each character, and under a deadline 9 of 10 turns in an object with
    /// `^[\p{L}\p{N} ,.'-]{20,1000}$` meet `work`.
    fn onward(&self, words: &Words) -> Option<u8> {
        let at = self.read(words);
        let (place, may_end) = (at.place(), at.least == 0 && self.texts.ends(at.place()));
        if at.state != state::BODY || self.texts.is_inside(place) || may_end {
            return None;
        }
        let byte = self.sole_way(place)?;
        self.after_plain(at, byte).map(|_| byte)
    }

    /// Where a character may begin, all bytes of those that may are looked at.
    fn weight(&self, words: &Words) -> usize {
        let at = self.read(words);
        let looks = at.state == state::BODY && !self.texts.is_inside(at.place());
        if looks { BYTES_OF_CHARACTERS } else { 1 }
    }

    fn measure(&self, words: &[u32], text: &[u8]) -> u32 {
        let at = self.read(words);
        if let (Texts::Counted(counted), Measured::Repetition) = (&self.texts, self.measured) {
            return self.measure_run(counted, words, text);
        }
        let inside = at.state == state::BODY && self.texts.is_inside(at.place());
        let rest_of_character = match inside {
            true => text
                .iter()
                .take_while(|&&byte| utf8::is_continuation(byte))
                .count(),
            false => 0,
        };
        // Fewer escapes are counted in the same way.
        Escapes::All.count(words[0], &text[rest_of_character..])
    }

    fn rest(&self, words: &[u32]) -> u32 {
        let at = self.read(words);
        let rest = match at.state {
            // The repetition may be left at once.
            _ if self.measured == Measured::Repetition => Some(0),
            state::LEAD | state::BARE | state::BODY => self.shortest(at.place()),
            state::END => Some(0),
            _ => self.shortest_after_escape(at),
        };
        rest.map_or(0, |rest| u32::try_from(rest).unwrap_or(u32::MAX))
    }

    fn greatest_rest(&self) -> u32 {
        *self.greatest_rest.get_or_init(|| {
            let rest = match &self.texts {
                _ if self.measured == Measured::Repetition => None,
                Texts::Counted(counted) => Some(counted.greatest_shortest()),
                Texts::Nested(nesting) => Some(u64::from(nesting.greatest_rest())),
                Texts::Flat(dfa) => {
                    let lengths = self.lengths.as_ref();
                    let rests = dfa.states().filter_map(|at| lengths?.shortest(at, 0));
                    rests.max()
                }
            };
            rest.map_or(0, |rest| u32::try_from(rest).unwrap_or(u32::MAX))
        })
    }
}

impl PatternBody {
    /// How many characters of `text` are read at `words`, a position without a maximum, before that repetition
    /// is left. A character under way counts if the repetition cannot end with it.
    fn measure_run(&self, counted: &Counted, words: &[u32], text: &[u8]) -> u32 {
        let start = self.read(words).place();
        let (mut at, mut count) = (self.read(words), 0);
        for &byte in text {
            let next = self.advance(&self.words(at), byte);
            let Some(next) = next.filter(|next| next[0] != state::END) else {
                return count;
            };
            at = self.read(&next);
            if at.state == state::BODY && !self.texts.is_inside(at.place()) {
                if !counted.stays(start, at.place()) {
                    return count;
                }
                count += 1;
            }
        }
        let goes_on = match at.state {
            state::BODY => counted.only_goes_on(at.place()),
            _ => self.escape_stays(counted, start, at),
        };
        count + u32::from(goes_on)
    }

    /// Whether all characters that an escape under way may come to mean are of the repetition that `start` is in.
    fn escape_stays(&self, counted: &Counted, start: Place, at: At) -> bool {
        let mut all = true;
        match self.escapes {
            Escapes::Minimal => {
                let mut agreeing = self.agreeing(at).iter();
                all = agreeing.all(|&(_, c)| {
                    let after = self.after_escape(at, c);
                    after.is_none_or(|after| counted.stays(start, after.place()))
                });
            }
            Escapes::All => {
                self.after_spans(at, &Escape::of(at.escape).spans(), &mut |after| {
                    all &= !self.live(after) || counted.stays(start, after.place());
                    !all
                });
            }
        }
        all
    }
}
