//! Values that were read, as far as equality goes, and their words.

use crate::front::json_schema::lower::packed;
use crate::front::json_schema::number::{DOUBLE_DIGITS, Decimal};
use crate::front::json_schema::quoted::unescape;
use crate::front::json_schema::reader::{Document, Kind, ValueId};
use crate::grammar::Words;

/// A value: equal values are equal as JSON Schema understands it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A value that equals no other: what a rule that remembers nothing has read.
    Other,
    /// `null`, `false`, `true`; a spelling of a number, the same for equal ones; a quote and a string's characters.
    Scalar(Box<str>),
    Array(Vec<Value>),
    /// By key, ascending.
    Object(Vec<(Box<str>, Value)>),
}

/// What a value is, as far as rules are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    Word,
    Number,
    Text,
    Array,
    Object,
    Other,
}

impl Value {
    /// The value that `spelt` spells, which is a scalar of JSON; what is empty spells any.
    pub(super) fn of_spelt(spelt: &[u8]) -> Self {
        let text = String::from_utf8_lossy(spelt);
        match spelt.first() {
            None => Self::Other,
            Some(b'"') => {
                let inner = text.strip_prefix('"').unwrap_or(&text);
                Self::text(&unescape(inner.strip_suffix('"').unwrap_or(inner)))
            }
            Some(b'-' | b'0'..=b'9') => Self::number(&Decimal::parse(&text)),
            Some(_) => Self::Scalar(text.into()),
        }
    }

    pub(super) fn text(text: &str) -> Self {
        Self::Scalar(format!("\"{text}").into())
    }

    /// Numbers are told apart as doubles where there are such: those that differ so differ anyhow.
    pub(super) fn number(value: &Decimal) -> Self {
        let digits = |digits: &[u8]| -> String {
            let digits = digits.iter().map(|&digit| char::from(b'0' + digit));
            digits.collect()
        };
        let sign = if value.negative { "-" } else { "" };
        // A double is no decimal of so few digits but its own.
        let is_its_own = value.digits.len() <= DOUBLE_DIGITS as usize && value.point.abs() < 300;
        if let (true, Some((first, rest))) = (is_its_own, value.digits.split_first()) {
            let point = if rest.is_empty() { "" } else { "." };
            let (rest, exponent) = (digits(rest), value.point - 1);
            return Self::Scalar(format!("{sign}{first}{point}{rest}e{exponent}").into());
        }
        let double = value.to_double();
        let text = match (double == 0.0, double.is_finite()) {
            (true, _) => "0".to_owned(),
            (_, true) => format!("{double:e}"),
            (_, false) => format!("{sign}0.{}e{}", digits(&value.digits), value.point),
        };
        Self::Scalar(text.into())
    }

    /// A value of the schema's document.
    pub(crate) fn of_document(document: &Document, value: ValueId) -> Self {
        match document.kind(value) {
            Kind::Null | Kind::False | Kind::True => Self::Scalar(document.raw(value).into()),
            Kind::Number => Self::number(&Decimal::parse(document.raw(value))),
            Kind::PlainString | Kind::EscapedString => {
                Self::text(&document.string(value).unwrap_or_default())
            }
            Kind::Array => {
                let items = document.elements(value);
                Self::Array(
                    items
                        .map(|item| Self::of_document(document, item))
                        .collect(),
                )
            }
            Kind::Object => {
                let members = document.members(value).map(|(key, member)| {
                    let key = document.string(key).unwrap_or_default();
                    (key.into(), Self::of_document(document, member))
                });
                Self::object(members.collect())
            }
        }
    }

    pub(super) fn object(mut members: Vec<(Box<str>, Value)>) -> Self {
        members.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Self::Object(members)
    }

    pub(super) fn sort(&self) -> Sort {
        match self {
            Self::Other => Sort::Other,
            Self::Array(_) => Sort::Array,
            Self::Object(_) => Sort::Object,
            Self::Scalar(text) => match text.as_bytes().first() {
                Some(b'"') => Sort::Text,
                Some(b'-' | b'0'..=b'9') => Sort::Number,
                _ => Sort::Word,
            },
        }
    }

    /// The characters of a string, the spelling of a word; of a number one that has its value.
    pub(super) fn scalar(&self) -> &str {
        match self {
            Self::Scalar(text) => text.strip_prefix('"').unwrap_or(text),
            _ => "",
        }
    }

    pub(super) fn write(&self, words: &mut Words) {
        match self {
            Self::Other => words.push(0),
            Self::Scalar(text) => {
                words.push(1);
                write_text(text, words);
            }
            Self::Array(items) => {
                words.extend([2, items.len() as u32]);
                items.iter().for_each(|item| item.write(words));
            }
            Self::Object(members) => {
                words.extend([3, members.len() as u32]);
                for (key, member) in members {
                    write_text(key, words);
                    member.write(words);
                }
            }
        }
    }

    /// The value at the beginning of `words`, which are moved beyond it.
    pub(super) fn read(words: &mut &[u32]) -> Self {
        match next(words) {
            1 => Self::Scalar(read_text(words)),
            2 => {
                let count = next(words);
                Self::Array((0..count).map(|_| Self::read(words)).collect())
            }
            3 => {
                let count = next(words);
                let member = |_| {
                    let key = read_text(words);
                    (key, Self::read(words))
                };
                Self::Object((0..count).map(member).collect())
            }
            _ => Self::Other,
        }
    }

    pub(super) fn to_words(&self) -> Words {
        let mut words = Words::new();
        self.write(&mut words);
        words
    }
}

/// Values that nest deeper are not remembered, and so not read: comparing them goes by recursion.
const DEEPEST: usize = 64;

/// The value that `words` are; `None` where it nests too deep.
pub(super) fn returned(words: &[u32]) -> Option<Value> {
    (depth(words) < DEEPEST).then(|| Value::read(&mut &*words))
}

/// How deep the value at the beginning of `words` nests. By hand, since texts nest as deep as they like.
fn depth(mut words: &[u32]) -> usize {
    /// Parts that are still to come, and whether each has a key.
    type Left = (u32, bool);
    let mut open: Vec<Left> = Vec::new();
    let mut deepest = 0;
    loop {
        match next(&mut words) {
            1 => drop(read_text(&mut words)),
            tag @ (2 | 3) => {
                open.push((next(&mut words), tag == 3));
                deepest = deepest.max(open.len());
            }
            _ => {}
        }
        while open.last().is_some_and(|&(left, _)| left == 0) {
            open.pop();
        }
        let Some((left, has_keys)) = open.last_mut() else {
            return deepest;
        };
        *left -= 1;
        if *has_keys {
            drop(read_text(&mut words));
        }
    }
}

/// The first of some words, which are moved beyond it; 0 at their end.
pub(super) fn next(words: &mut &[u32]) -> u32 {
    let (&word, rest) = words.split_first().unwrap_or((&0, &[]));
    *words = rest;
    word
}

/// Writes a text ([`packed::write`]).
pub(super) fn write_text(text: &str, words: &mut Words) {
    packed::write(text.as_bytes(), words);
}

/// The text at the beginning of `words`, which are moved beyond it.
pub(super) fn read_text(words: &mut &[u32]) -> Box<str> {
    String::from_utf8_lossy(&packed::read(words)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_equal() {
        for (left, right, equal) in [
            ("1", "1.0", true),
            ("1", "10e-1", true),
            ("-0", "0.0", true),
            ("0.5", "5E-1", true),
            ("0", "1e-400", true),
            ("0.1", "0.10000000000000000001", true),
            ("1e400", "1e401", false),
            ("1", "10", false),
            ("1", "-1", false),
            (r#""a""#, r#""\u0061""#, true),
            (r#""""#, r#""\"""#, false),
            ("null", r#""null""#, false),
            ("1", r#""1""#, false),
        ] {
            let of = |text: &str| Value::of_spelt(text.as_bytes());
            assert_eq!(of(left) == of(right), equal, "{left} {right}");
        }
    }

    #[test]
    fn numbers_are_spelt_as_doubles_are() {
        for text in [
            "1",
            "-1",
            "10",
            "12.5",
            "0.001",
            "-0.25e-7",
            "123456789012345",
            "999999999999999e200",
            "1e-299",
            "0.1e299",
            "1e298",
            "5e-324",
            "1.7976931348623157e308",
            "123456789012345678",
        ] {
            let double: f64 = text.parse().unwrap();
            let expected = Value::Scalar(format!("{double:e}").into());
            assert_eq!(Value::of_spelt(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn words_are_read_as_written() {
        let value = Value::object(vec![
            (
                "b".into(),
                Value::Array(vec![Value::Other, Value::text("né")]),
            ),
            ("a".into(), Value::of_spelt(b"-12.5e3")),
        ]);
        let words = value.to_words();
        assert_eq!(depth(&words), 2);
        assert_eq!(returned(&words), Some(value.clone()));
        let deep = (0..1000).fold(Value::Other, |value, _| Value::Array(vec![value]));
        assert_eq!(
            (depth(&deep.to_words()), returned(&deep.to_words())),
            (1000, None)
        );
        let mut rest = &words[..];
        assert_eq!(Value::read(&mut rest), value);
        assert!(rest.is_empty());
    }
}
