//! Single values, spelt out: `enum`, `const`, `null`, `true`, `false`.

use std::sync::{Arc, OnceLock};

use smallvec::smallvec;

use super::escape::{After, Escape, Span};
use super::lead::{Lead, Spaces};
use super::spelling::{Escapes, Forbidden};
use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::model::Model;
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::grammar::{ImplicitBody, KeyWriter, Node, Words};
use crate::regular::utf8::is_continuation;

/// Stands in a spelling for white space: no byte of JSON.
const SPACE: u8 = 0;
/// Stands in a spelling for a zero fraction that may be there: `.0`.
const FRACTION: u8 = 1;
/// Stands in a spelling before a character of a string that may be escaped, which follows as it is.
const CHARACTER: u8 = 2;

/// Descriptions of more bytes than this would not be kept.
const DESCRIBED: usize = 1 << 14;

/// One of some values.
///
/// Positions are the spellings that agree so far, by the first and one past the last of them in
/// ascending order, how many bytes agree, and a [`Stage`]; where escapes are free, also what has been read of
/// an escape, and how far into a forbidden text one is.
#[derive(Debug)]
pub(super) struct LiteralBody {
    pub(super) lead: Lead,
    pub(super) whitespace: Spaces,
    pub(super) escapes: Escapes,
    pub(super) forbidden: Arc<Forbidden>,
    pub(super) words: Vec<&'static str>,
    pub(super) model: Arc<Model>,
    pub(super) values: Vec<ValueId>,
    pub(super) spellings: OnceLock<Vec<Box<[u8]>>>,
}

/// Where one is in what comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Stage {
    /// Before it.
    Before,
    /// Between the bytes of a [`FRACTION`].
    Fraction,
    /// Inside an escape.
    Escape,
}

/// A position, its words taken apart.
#[derive(Clone, Copy, Debug)]
struct At {
    first: u32,
    last: u32,
    depth: u32,
    stage: Stage,
    escape: u32,
    forbidden: u32,
}

impl At {
    /// So many bytes further, with the spellings from `first` to before `last`.
    fn on(self, first: u32, last: u32, bytes: u32) -> Self {
        Self {
            first,
            last,
            depth: self.depth + bytes,
            stage: Stage::Before,
            escape: 0,
            ..self
        }
    }
}

impl LiteralBody {
    fn words(&self, at: At) -> Words {
        let mut words: Words = smallvec![at.first, at.last, at.depth, at.stage as u32];
        if self.escapes == Escapes::All {
            words.extend([at.escape, at.forbidden]);
        }
        words
    }

    fn read(words: &[u32]) -> At {
        let stages = [Stage::Before, Stage::Fraction, Stage::Escape];
        At {
            first: words[0],
            last: words[1],
            depth: words[2],
            stage: stages[words[3] as usize],
            escape: words.get(4).copied().unwrap_or(0),
            forbidden: words.get(5).copied().unwrap_or(0),
        }
    }

    fn spellings(&self) -> &[Box<[u8]>] {
        self.spellings.get_or_init(|| {
            let mut spellings: Vec<Vec<u8>> = Vec::new();
            for word in &self.words {
                spellings.push(word.bytes().collect());
            }
            for &value in &self.values {
                spellings.append(&mut self.spell(value));
            }
            let lead = |spelling: Vec<u8>| match self.lead {
                Lead::Bare => spelling.into(),
                Lead::Spaced => [&[SPACE], spelling.as_slice()].concat().into(),
            };
            let mut spellings: Vec<Box<[u8]>> = spellings.into_iter().map(lead).collect();
            spellings.sort_unstable();
            spellings.dedup();
            spellings
        })
    }

    /// The spellings of a value: one, but for numbers.
    fn spell(&self, value: ValueId) -> Vec<Vec<u8>> {
        if self.model.document.kind(value) == Kind::Number {
            return self.spell_number(self.model.document.raw(value));
        }
        let mut spelt = Vec::new();
        self.write(value, &mut spelt);
        vec![spelt]
    }

    /// A number as it is given, and as programs write its value.
    fn spell_number(&self, raw: &str) -> Vec<Vec<u8>> {
        /// Further from the point, exponents are shorter.
        const PLACES: i64 = 40;
        let mut spellings = vec![raw.to_owned()];
        if !self.model.sets.tells_spellings {
            let value = Decimal::parse(raw);
            let near = value.point.abs() <= PLACES;
            let plain = value.to_text().filter(|_| near);
            let fraction = plain.iter().filter(|_| value.is_integer());
            spellings.extend(
                fraction
                    .map(|plain| format!("{plain}.0"))
                    .collect::<Vec<_>>(),
            );
            spellings.extend(plain);
            spellings.extend(value.to_scientific_texts());
            let digits = |text: &str| !text.contains(['.', 'e', 'E']);
            // What reads an integer without rounding it rounds it if it has a fraction.
            let same = !value.is_integer() || value.is_double_integer();
            spellings.retain(|text| same || digits(text) == digits(raw));
        }
        spellings.into_iter().map(String::into_bytes).collect()
    }

    /// A number within another value: an integer without a fraction, or with a zero one; others as
    /// they are given.
    fn write_number(&self, raw: &str, spelt: &mut Vec<u8>) {
        let value = Decimal::parse(raw);
        let one_spelling = self.model.sets.tells_spellings || !value.is_double_integer();
        match value.to_integer_text().filter(|_| !one_spelling) {
            None => spelt.extend(raw.bytes()),
            Some(integer) => {
                spelt.extend(integer.bytes());
                spelt.push(FRACTION);
            }
        }
    }

    fn space(&self, spelt: &mut Vec<u8>) {
        if self.whitespace != Spaces::None {
            spelt.push(SPACE);
        }
    }

    fn write(&self, value: ValueId, spelt: &mut Vec<u8>) {
        let document = &self.model.document;
        match document.kind(value) {
            Kind::Array => {
                self.write_list(*b"[]", document.elements(value), spelt, |element, spelt| {
                    self.write(element, spelt);
                });
            }
            Kind::Object => {
                self.write_list(
                    *b"{}",
                    document.members(value),
                    spelt,
                    |(key, value), spelt| {
                        self.write_key(key, spelt);
                        self.space(spelt);
                        spelt.push(b':');
                        self.space(spelt);
                        self.write(value, spelt);
                    },
                );
            }
            Kind::PlainString | Kind::EscapedString => {
                if self.escapes == Escapes::Minimal {
                    return self.write_key(value, spelt);
                }
                spelt.push(b'"');
                for c in document.string(value).unwrap_or_default().chars() {
                    spelt.push(CHARACTER);
                    spelt.extend(c.encode_utf8(&mut [0; 4]).bytes());
                }
                spelt.push(b'"');
            }
            Kind::Number => self.write_number(document.raw(value), spelt),
            _ => spelt.extend(document.raw(value).bytes()),
        }
    }

    fn write_list<T>(
        &self,
        brackets: [u8; 2],
        items: impl Iterator<Item = T>,
        spelt: &mut Vec<u8>,
        write: impl Fn(T, &mut Vec<u8>),
    ) {
        spelt.push(brackets[0]);
        for (index, item) in items.enumerate() {
            if index > 0 {
                spelt.push(b',');
            }
            self.space(spelt);
            write(item, spelt);
            self.space(spelt);
        }
        if spelt.last() == Some(&brackets[0]) {
            self.space(spelt);
        }
        spelt.push(brackets[1]);
    }

    /// A string with as few escapes as there can be.
    fn write_key(&self, string: ValueId, spelt: &mut Vec<u8>) {
        let text = self.model.document.string(string).unwrap_or_default();
        spelt.append(&mut self.forbidden.spell(&text));
    }

    /// Adds what the spellings of a position offer.
    fn offer(&self, at: At, node: &mut Node<Words>) {
        let spellings = self.spellings();
        let depth = at.depth as usize;
        let mut first = at.first;
        if spellings[first as usize].len() == depth {
            node.end();
            first += 1;
        }
        while first < at.last {
            let byte = spellings[first as usize][depth];
            let same = |index: &u32| spellings[*index as usize][depth] == byte;
            let end = (first..at.last)
                .find(|index| !same(index))
                .unwrap_or(at.last);
            let after = at.on(first, end, 1);
            match byte {
                SPACE => match self.whitespace {
                    Spaces::Rule(rule) => node.call(rule, self.words(after)),
                    _ => {
                        Spaces::Any.edges(node, &self.words(at.on(first, end, 0)));
                        self.offer(after, node);
                    }
                },
                FRACTION => {
                    let stage = Stage::Fraction;
                    node.byte(
                        b'.',
                        self.words(At {
                            stage,
                            ..at.on(first, end, 0)
                        }),
                    );
                    self.offer(after, node);
                }
                CHARACTER => self.character(at.on(first, end, 0), node),
                _ => {
                    let forbidden = match is_continuation(byte) {
                        true => self.forbidden.next(at.forbidden, byte),
                        false => 0,
                    };
                    node.byte(byte, self.words(At { forbidden, ..after }));
                }
            }
            first = end;
        }
    }

    /// The character behind the [`CHARACTER`] of a spelling.
    fn character_of(&self, at: At, spelling: u32) -> char {
        let rest = &self.spellings()[spelling as usize][at.depth as usize + 1..];
        let length = rest
            .iter()
            .skip(1)
            .take_while(|&&byte| is_continuation(byte))
            .count()
            + 1;
        let character = std::str::from_utf8(&rest[..length])
            .ok()
            .and_then(|text| text.chars().next());
        character.expect("a character follows")
    }

    /// The spellings of a position, which are at a [`CHARACTER`], by that character.
    fn by_character(&self, at: At) -> impl Iterator<Item = (char, At)> + '_ {
        let mut first = at.first;
        std::iter::from_fn(move || {
            if first >= at.last {
                return None;
            }
            let c = self.character_of(at, first);
            let same = |index: &u32| self.character_of(at, *index) == c;
            let end = (first..at.last)
                .find(|index| !same(index))
                .unwrap_or(at.last);
            let of = at.on(first, end, 0);
            first = end;
            Some((c, of))
        })
    }

    /// A character, as it is or escaped.
    fn character(&self, at: At, node: &mut Node<Words>) {
        for (c, of) in self.by_character(at) {
            let mut bytes = [0; 4];
            let bytes = c.encode_utf8(&mut bytes).as_bytes();
            let mut reached = of.forbidden;
            let allowed = bytes.iter().all(|&byte| {
                reached = self.forbidden.next(reached, byte);
                !self.forbidden.is_complete(reached)
            });
            if allowed && c >= ' ' && !matches!(c, '"' | '\\') {
                let forbidden = self.forbidden.next(of.forbidden, bytes[0]);
                let after = of.on(of.first, of.last, 2);
                node.byte(bytes[0], self.words(At { forbidden, ..after }));
            }
        }
        let escape = At {
            stage: Stage::Escape,
            forbidden: self.forbidden.next(at.forbidden, b'\\'),
            ..at
        };
        node.byte(b'\\', self.words(escape));
    }

    /// What goes on with an escape under way.
    fn escape(&self, at: At, node: &mut Node<Words>) {
        let here = at.on(at.first, at.last, 0);
        let has = |&(lo, hi): &Span| {
            let mut characters = self.by_character(here);
            characters.any(|(c, _)| (lo..=hi).contains(&u32::from(c)))
        };
        Escape::of(at.escape).visit(&mut |byte, after| {
            let to = match after {
                After::Escape(escape) => escape.spans().iter().any(has).then(|| At {
                    escape: escape.word(),
                    ..at
                }),
                After::Character(meant) => self
                    .by_character(here)
                    .find(|&(c, _)| c == meant)
                    .map(|(c, of)| of.on(of.first, of.last, 1 + c.len_utf8() as u32)),
            };
            if let Some(to) = to {
                let forbidden = self.forbidden.next(at.forbidden, byte);
                node.byte(byte, self.words(At { forbidden, ..to }));
            }
        });
    }
}

impl ImplicitBody for LiteralBody {
    fn start(&self, _args: &[u32]) -> Words {
        self.words(At {
            first: 0,
            last: self.spellings().len() as u32,
            depth: 0,
            stage: Stage::Before,
            escape: 0,
            forbidden: 0,
        })
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        let at = Self::read(words);
        match at.stage {
            Stage::Before => self.offer(at, node),
            Stage::Fraction => node.byte(b'0', self.words(at.on(at.first, at.last, 1))),
            Stage::Escape => self.escape(at, node),
        }
    }

    fn callees(&self, visit: &mut dyn FnMut(RuleId)) {
        self.whitespace.callees(visit);
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        let spellings = self.spellings();
        if spellings
            .iter()
            .map(|spelling| spelling.len() + 4)
            .sum::<usize>()
            > DESCRIBED
        {
            return false;
        }
        key.word(tag::LITERAL);
        self.whitespace.describe(key);
        if self.escapes == Escapes::All {
            self.forbidden.describe(key);
        }
        key.word(spellings.len() as u32);
        spellings.iter().for_each(|spelling| key.bytes(spelling));
        true
    }
}
