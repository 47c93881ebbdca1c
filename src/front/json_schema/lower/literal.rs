//! Single values, spelt out: `enum`, `const`, `null`, `true`, `false`.

use std::sync::{Arc, OnceLock};

use super::lead::{Lead, Spaces};
use super::spelling::Forbidden;
use super::tag;
use crate::base::ByteSet;
use crate::front::json_schema::model::Model;
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::grammar::{Hints, ImplicitBody, KeyWriter, Needed, Node, Words};

/// Stands in a spelling for white space: no byte of JSON.
const SPACE: u8 = 0;
/// Stands in a spelling for a zero fraction that may be there: `.0`.
const FRACTION: u8 = 1;

/// Descriptions of more bytes than this would not be kept.
const DESCRIBED: usize = 1 << 14;

/// One of some values, their strings with as few escapes as there can be.
///
/// Positions are the spellings that agree so far, by the first and one past the last of them in
/// ascending order, how many bytes agree, and a [`Stage`].
#[derive(Debug)]
pub(super) struct LiteralBody {
    pub(super) lead: Lead,
    pub(super) whitespace: Spaces,
    pub(super) forbidden: Arc<Forbidden>,
    pub(super) words: Vec<&'static str>,
    /// How `null`, `false` and `true` are written within values.
    pub(super) names: [&'static str; 3],
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
}

/// A position, its words taken apart.
#[derive(Clone, Copy, Debug)]
struct At {
    first: u32,
    last: u32,
    depth: u32,
    stage: Stage,
}

impl At {
    /// So many bytes further, with the spellings from `first` to before `last`.
    fn on(self, first: u32, last: u32, bytes: u32) -> Self {
        Self {
            first,
            last,
            depth: self.depth + bytes,
            stage: Stage::Before,
        }
    }
}

impl LiteralBody {
    fn words(at: At) -> Words {
        Words::from([at.first, at.last, at.depth, at.stage as u32])
    }

    fn read(words: &[u32]) -> At {
        let stages = [Stage::Before, Stage::Fraction];
        At {
            first: words[0],
            last: words[1],
            depth: words[2],
            stage: stages[words[3] as usize],
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
            Kind::PlainString | Kind::EscapedString => self.write_key(value, spelt),
            Kind::Number => self.write_number(document.raw(value), spelt),
            Kind::Null => spelt.extend(self.names[0].bytes()),
            Kind::False => spelt.extend(self.names[1].bytes()),
            Kind::True => spelt.extend(self.names[2].bytes()),
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
                    Spaces::Rule(rule) => node.call(rule, Self::words(after)),
                    _ => {
                        Spaces::Any.edges(node, &Self::words(at.on(first, end, 0)));
                        self.offer(after, node);
                    }
                },
                FRACTION => {
                    let stage = Stage::Fraction;
                    let here = at.on(first, end, 0);
                    node.byte(b'.', Self::words(At { stage, ..here }));
                    self.offer(after, node);
                }
                _ => node.byte(byte, Self::words(after)),
            }
            first = end;
        }
    }
}

impl ImplicitBody for LiteralBody {
    fn start(&self, _args: &Words) -> Words {
        Self::words(At {
            first: 0,
            last: self.spellings().len() as u32,
            depth: 0,
            stage: Stage::Before,
        })
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let at = Self::read(words);
        match at.stage {
            Stage::Before => self.offer(at, node),
            Stage::Fraction => node.byte(b'0', Self::words(at.on(at.first, at.last, 1))),
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for LiteralBody {
    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        // Control characters stand for something else here.
        let missing = missing.without(&ByteSet::range(0, b' ' - 1));
        Needed::by(
            &missing,
            self.spellings().iter().map(|spelling| &**spelling),
        )
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        let spellings = self.spellings();
        let sizes = spellings.iter().map(|spelling| spelling.len() + 4);
        if sizes.sum::<usize>() > DESCRIBED {
            return false;
        }
        key.word(tag::LITERAL);
        self.whitespace.describe(key);
        key.word(spellings.len() as u32);
        spellings.iter().for_each(|spelling| key.bytes(spelling));
        true
    }
}
