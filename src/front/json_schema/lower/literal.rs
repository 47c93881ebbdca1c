//! Single values, spelt out: `enum`, `const`, `null`, `true`, `false`.

use std::sync::{Arc, OnceLock};

use smallvec::smallvec;

use super::lead::{Lead, Spaces};
use super::spelling::Forbidden;
use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::model::Model;
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::grammar::{ImplicitBody, KeyWriter, Node, Words};

/// Stands in a spelling for white space: no byte of JSON.
const SPACE: u8 = 0;
/// Stands in a spelling for a zero fraction that may be there: `.0`.
const FRACTION: u8 = 1;

/// Descriptions of more bytes than this would not be kept.
const DESCRIBED: usize = 1 << 14;

/// One of some values.
///
/// Positions are the spellings that agree so far, by the first and one past the last of them in
/// ascending order, how many bytes agree, and whether one is between the bytes of a [`FRACTION`].
#[derive(Debug)]
pub(super) struct LiteralBody {
    pub(super) lead: Lead,
    pub(super) whitespace: Spaces,
    pub(super) forbidden: Arc<Forbidden>,
    pub(super) words: Vec<&'static str>,
    pub(super) model: Arc<Model>,
    pub(super) values: Vec<ValueId>,
    pub(super) spellings: OnceLock<Vec<Box<[u8]>>>,
}

impl LiteralBody {
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
        if self.whitespace == Spaces::Any {
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
                        self.write(key, spelt);
                        self.space(spelt);
                        spelt.push(b':');
                        self.space(spelt);
                        self.write(value, spelt);
                    },
                );
            }
            Kind::PlainString | Kind::EscapedString => {
                let text = document.string(value).unwrap_or_default();
                spelt.append(&mut self.forbidden.spell(&text));
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

    /// Adds what the spellings `first..last` offer after `depth` bytes.
    fn offer(&self, first: u32, last: u32, depth: u32, node: &mut Node<Words>) {
        let spellings = self.spellings();
        let mut at = first;
        if spellings[at as usize].len() == depth as usize {
            node.end();
            at += 1;
        }
        while at < last {
            let byte = spellings[at as usize][depth as usize];
            let same = |index: &u32| spellings[*index as usize][depth as usize] == byte;
            let end = (at..last).find(|index| !same(index)).unwrap_or(last);
            match byte {
                SPACE => {
                    Spaces::Any.edges(node, &smallvec![at, end, depth, 0]);
                    self.offer(at, end, depth + 1, node);
                }
                FRACTION => {
                    node.byte(b'.', smallvec![at, end, depth, 1]);
                    self.offer(at, end, depth + 1, node);
                }
                _ => node.byte(byte, smallvec![at, end, depth + 1, 0]),
            }
            at = end;
        }
    }
}

impl ImplicitBody for LiteralBody {
    fn start(&self, _args: &[u32]) -> Words {
        smallvec![0, self.spellings().len() as u32, 0, 0]
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        match words[3] {
            0 => self.offer(words[0], words[1], words[2], node),
            _ => node.byte(b'0', smallvec![words[0], words[1], words[2] + 1, 0]),
        }
    }

    fn callees(&self, _visit: &mut dyn FnMut(RuleId)) {}

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
        key.word(spellings.len() as u32);
        spellings.iter().for_each(|spelling| key.bytes(spelling));
        true
    }
}
