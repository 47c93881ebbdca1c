//! Strings and classes: escapes, ranges, W3C's `#x41`.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use super::error::{EbnfErrorKind, EbnfWarningKind, Fault};
use super::lexer::character;
use crate::base::Span;

/// A character, or what is wrong with it.
type Read<T> = Result<T, Fault>;

/// Reads the inside of a string or a class.
pub(super) struct Characters<'a, 'w> {
    source: &'a str,
    at: usize,
    end: usize,
    pub(super) warnings: &'w mut Vec<Fault<EbnfWarningKind>>,
}

impl<'a, 'w> Characters<'a, 'w> {
    /// A reader of `span`, whose first and last byte are its quotes or brackets.
    pub(super) fn within(
        source: &'a str,
        span: Span,
        warnings: &'w mut Vec<Fault<EbnfWarningKind>>,
    ) -> Self {
        Self {
            source,
            at: span.start + 1,
            end: span.end - 1,
            warnings,
        }
    }

    /// The text of a string.
    pub(super) fn text(mut self) -> Read<String> {
        let mut text = String::with_capacity(self.end - self.at);
        while let Some(c) = self.next()? {
            text.push(c);
        }
        Ok(text)
    }

    /// The characters of a class.
    pub(super) fn class(mut self) -> Read<ClassUnicode> {
        let start = self.at - 1;
        let is_negated = self.eat("^");
        let mut ranges = Vec::new();
        let is_empty = self.at == self.end;
        loop {
            let from = self.at;
            let Some(first) = self.class_member()? else {
                break;
            };
            let mut last = first;
            if self.rest().starts_with('-') && self.rest().len() > 1 {
                self.at += 1;
                last = self.class_member()?.unwrap_or(first);
            }
            if last < first {
                let kind = EbnfErrorKind::ReversedRange { first, last };
                let fault = Fault::new(kind, Span::new(from, self.at));
                return Err(fault.hint("write the smaller character first, a plain `-` last"));
            }
            ranges.push(ClassUnicodeRange::new(first, last));
        }
        if is_empty && !is_negated {
            let fault = Fault::new(EbnfErrorKind::EmptyClass, Span::new(start, self.end + 1));
            return Err(fault.hint("nothing at all is written `\"\"`, any character `.`"));
        }
        let mut class = ClassUnicode::new(ranges);
        if is_negated {
            class.negate();
        }
        Ok(class)
    }

    fn class_member(&mut self) -> Read<Option<char>> {
        if self.rest().starts_with('#')
            && let Some(length) = character(&self.rest()[1..])
        {
            let span = Span::new(self.at, self.at + 1 + length);
            self.at = span.end;
            return number(&self.source[span.start + 2..span.end], self.source, span).map(Some);
        }
        self.next()
    }

    fn next(&mut self) -> Read<Option<char>> {
        let start = self.at;
        let Some(c) = self.bump() else {
            return Ok(None);
        };
        if c != '\\' {
            return Ok(Some(c));
        }
        let Some(escape) = self.bump() else {
            return Err(self.no_escape(start));
        };
        Ok(Some(match escape {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{C}',
            'a' => '\u{7}',
            'v' => '\u{B}',
            '0' => '\0',
            'e' => '\u{1B}',
            'x' => self.hex(start, 2)?,
            'u' => self.hex(start, 4)?,
            'U' => self.hex(start, 8)?,
            c if c.is_ascii_punctuation() => c,
            _ => return Err(self.no_escape(start)),
        }))
    }

    /// The character that so many digits are.
    fn hex(&mut self, start: usize, digits: usize) -> Read<char> {
        let hex = self.rest().get(..digits);
        let Some(hex) = hex.filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit())) else {
            let found = self
                .rest()
                .bytes()
                .take_while(u8::is_ascii_hexdigit)
                .count();
            self.at += found;
            let hint = format!("expected {digits} hexadecimal digits");
            return Err(self.no_escape(start).hint(hint));
        };
        self.at += digits;
        let more = self
            .rest()
            .bytes()
            .take_while(u8::is_ascii_hexdigit)
            .count();
        if digits == 2 && more > 0 {
            let span = Span::new(start, self.at + more);
            let escape = self.source[start..span.end].to_owned();
            self.warnings
                .push(Fault::new(EbnfWarningKind::LongEscape { escape }, span));
        }
        number(hex, self.source, Span::new(start, self.at))
    }

    fn no_escape(&self, start: usize) -> Fault {
        let escape = self.source[start..self.at].to_owned();
        let hint = match escape.as_str() {
            "\\d" | "\\w" | "\\s" | "\\D" | "\\W" | "\\S" => {
                "classes are written out: `[0-9]`, `[a-zA-Z0-9_]`, `[ \\t\\n]`"
            }
            _ => {
                "escapes are \\n \\r \\t \\b \\f \\a \\v \\0 \\e \\xHH \\uHHHH \\UHHHHHHHH, and \\ before punctuation"
            }
        };
        Fault::new(EbnfErrorKind::Escape { escape }, Span::new(start, self.at)).hint(hint)
    }

    fn rest(&self) -> &'a str {
        &self.source[self.at..self.end]
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }
}

/// The character with this number, which stands at `span`.
pub(super) fn number(hex: &str, source: &str, span: Span) -> Read<char> {
    let value = u32::from_str_radix(hex, 16).ok();
    value.and_then(char::from_u32).ok_or_else(|| {
        let spelling = source[span.start..span.end].to_owned();
        let fault = Fault::new(EbnfErrorKind::NoCharacter { spelling }, span);
        fault.hint("characters go to 10FFFF, without D800 to DFFF")
    })
}
