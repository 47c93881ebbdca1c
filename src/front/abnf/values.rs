//! Numbers: `%x41`, `%x41.42`, `%x41-5A` in base 2, 10 and 16, checked against their unit.

use super::ast::{NodeKind, Unit};
use super::error::{AbnfErrorKind, Fault, Faults};
use crate::base::Span;

/// What numbers such as `%x41` stand for in a file that does not say so itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbers {
    /// Characters, spelt in UTF-8; those of rules with the pragma `; @bytes` are bytes.
    #[default]
    CodePoints,
    /// Bytes, as in grammars over octets.
    Bytes,
}

/// The code points that UTF-8 cannot spell.
pub(super) const SURROGATES: std::ops::RangeInclusive<u32> = 0xD800..=0xDFFF;

/// Reads `text`, a `%`, a base and what follows. What is malformed is a fault returned; numbers out
/// of place go to `faults`, so that the rest of the rule is still looked at.
pub(super) fn parse(
    text: &str,
    span: Span,
    unit: Unit,
    faults: &mut Faults,
) -> Result<NodeKind, Fault> {
    let mut reader = Reader {
        text,
        at: 2,
        start: span.start,
        base: base(text),
    };
    let mut values = vec![reader.value(unit, faults)?];
    let kind = match reader.take() {
        Some('-') => {
            let (first, last) = (values[0], reader.value(unit, faults)?);
            if first > last {
                let kind = AbnfErrorKind::ReversedRange { first, last };
                faults.push(Fault::new(kind, span).hint("write the smaller value first"));
            }
            NodeKind::Range { first, last, unit }
        }
        mut mark => {
            while mark == Some('.') {
                values.push(reader.value(unit, faults)?);
                mark = reader.take();
            }
            reader.at -= mark.map_or(0, char::len_utf8);
            NodeKind::Values { values, unit }
        }
    };
    reader.finish()?;
    Ok(kind)
}

fn base(text: &str) -> u32 {
    match text.as_bytes().get(1) {
        Some(b'b' | b'B') => 2,
        Some(b'd' | b'D') => 10,
        _ => 16,
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    start: usize,
    base: u32,
}

impl Reader<'_> {
    fn take(&mut self) -> Option<char> {
        let next = self.text[self.at..].chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    /// The digits of one number, which must be a byte or a character, as `unit` says.
    fn value(&mut self, unit: Unit, faults: &mut Faults) -> Result<u32, Fault> {
        let rest = &self.text[self.at..];
        let length = rest
            .find(|c: char| !c.is_digit(self.base))
            .unwrap_or(rest.len());
        if length == 0 {
            return Err(self.unexpected(self.digits()));
        }
        let digits = &rest[..length];
        let value = digits
            .chars()
            .filter_map(|c| c.to_digit(self.base))
            .fold(0u32, |sum, digit| {
                sum.saturating_mul(self.base).saturating_add(digit)
            });
        let span = Span::new(self.start + self.at, self.start + self.at + length);
        self.at += length;
        let letter = &self.text[1..2];
        if let Some(fault) = misplaced(value, &shorten(&format!("%{letter}{digits}")), unit, span) {
            faults.push(fault);
        }
        Ok(value)
    }

    fn finish(&self) -> Result<(), Fault> {
        if self.at == self.text.len() {
            return Ok(());
        }
        Err(self.unexpected(match self.base {
            2 => "binary digits, `.`, `-` or white space",
            10 => "decimal digits, `.`, `-` or white space",
            _ => "hexadecimal digits, `.`, `-` or white space",
        }))
    }

    fn digits(&self) -> &'static str {
        match self.base {
            2 => "binary digits",
            10 => "decimal digits",
            _ => "hexadecimal digits",
        }
    }

    fn unexpected(&self, expected: &'static str) -> Fault {
        let next = self.text[self.at..].chars().next();
        let found = next.map_or("the end of the number".to_owned(), |c| format!("`{c}`"));
        let start = self.start + self.at;
        let end = start + next.map_or(0, char::len_utf8);
        Fault::new(
            AbnfErrorKind::Syntax { expected, found },
            Span::new(start, end),
        )
    }
}

/// What is wrong with `value` as a `unit`.
fn misplaced(value: u32, spelling: &str, unit: Unit, span: Span) -> Option<Fault> {
    let spelling = spelling.to_owned();
    match unit {
        Unit::Byte if value > 0xFF => {
            let fault = Fault::new(AbnfErrorKind::BeyondByte { spelling }, span);
            Some(fault.hint("numbers are bytes here; spell a character as its bytes in UTF-8"))
        }
        Unit::CodePoint if value > char::MAX as u32 => {
            Some(Fault::new(AbnfErrorKind::BeyondUnicode { spelling }, span))
        }
        Unit::CodePoint if SURROGATES.contains(&value) => {
            let fault = Fault::new(AbnfErrorKind::Surrogate { value }, span);
            Some(fault.hint("leave out %xD800-DFFF; for raw bytes mark the file `; @bytes`"))
        }
        _ => None,
    }
}

/// The beginning of `text`, for a message.
pub(super) fn shorten(text: &str) -> String {
    const WIDTH: usize = 32;
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
