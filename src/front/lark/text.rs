//! Strings and patterns: escapes, flags.

use super::error::{Fault, LarkErrorKind};
use crate::base::Span;

/// The text of a string at `span`, and whether letters of either case are equal.
pub(super) fn string(source: &str, span: Span) -> Result<(String, bool), Fault> {
    let written = &source[span.start..span.end];
    let (quoted, ignores_case) = match written.strip_suffix('i') {
        Some(quoted) => (quoted, true),
        None => (written, false),
    };
    let inside = &quoted[1..quoted.len() - 1];
    let mut escapes = Escapes {
        inside,
        at: 0,
        start: span.start + 1,
    };
    let mut text = String::with_capacity(inside.len());
    while let Some(c) = escapes.next()? {
        text.push(c);
    }
    Ok((text, ignores_case))
}

/// Reads the inside of a string.
struct Escapes<'a> {
    inside: &'a str,
    at: usize,
    /// Where the inside begins in the source.
    start: usize,
}

impl Escapes<'_> {
    fn next(&mut self) -> Result<Option<char>, Fault> {
        let start = self.at;
        let Some(c) = self.bump() else {
            return Ok(None);
        };
        if c != '\\' {
            return Ok(Some(c));
        }
        let character = match self.bump() {
            Some('n') => Some('\n'),
            Some('r') => Some('\r'),
            Some('t') => Some('\t'),
            Some('b') => Some('\u{8}'),
            Some('f') => Some('\u{C}'),
            Some('v') => Some('\u{B}'),
            Some('x') => self.hex(2).and_then(char::from_u32),
            Some('U') => self.hex(8).and_then(char::from_u32),
            Some('u') => self.unit(),
            Some(c) if c.is_ascii_punctuation() => Some(c),
            _ => None,
        };
        match character {
            Some(character) => Ok(Some(character)),
            None => {
                let escape = self.inside[start..self.at].to_owned();
                let span = Span::new(self.start + start, self.start + self.at);
                let fault = Fault::new(LarkErrorKind::Escape { escape }, span);
                Err(fault
                    .hint("escapes are those of JSON, and \\xHH; a pattern stands between slashes"))
            }
        }
    }

    /// What follows `\u`: four digits, or two such escapes that make a surrogate pair.
    fn unit(&mut self) -> Option<char> {
        let high = self.hex(4)?;
        if !(0xD800..0xDC00).contains(&high) {
            return char::from_u32(high);
        }
        self.at += self.inside[self.at..].strip_prefix("\\u").map(|_| 2)?;
        let low = self.hex(4).filter(|low| (0xDC00..0xE000).contains(low))?;
        char::from_u32(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    }

    fn hex(&mut self, digits: usize) -> Option<u32> {
        let hex = self.inside.get(self.at..self.at + digits)?;
        let value = u32::from_str_radix(hex, 16)
            .ok()
            .filter(|_| !hex.starts_with('+'))?;
        self.at += digits;
        Some(value)
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.inside[self.at..].chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }
}

/// The pattern between slashes at `span`, in Python's syntax as Lark has it, with its flags written into it.
pub(super) fn pattern(source: &str, span: Span) -> Result<String, Fault> {
    let written = &source[span.start..span.end];
    let end = written.rfind('/').unwrap_or(written.len());
    let (inside, flags) = (&written[1..end], &written[(end + 1).min(written.len())..]);
    let known = |flag: &char| "imsxu".contains(*flag);
    if let Some(flag) = flags.chars().find(|flag| !known(flag)) {
        let what = format!("the flag `{flag}`");
        let why = "patterns have the flags i, m, s, x and u";
        return Err(Fault::new(LarkErrorKind::Unsupported { what, why }, span));
    }
    let flags = flags.replace('u', "");
    let mut pattern = match flags.is_empty() {
        true => String::new(),
        false => format!("(?{flags})"),
    };
    let mut escaped = false;
    for c in inside.chars() {
        if c == '/' && escaped {
            pattern.pop();
        }
        escaped = c == '\\' && !escaped;
        pattern.push(c);
    }
    Ok(pattern)
}

/// Where in a pattern, in bytes, a lazy quantifier stands.
pub(super) fn lazy_quantifier(pattern: &str) -> Option<usize> {
    let (mut in_class, mut escaped, mut after_quantifier) = (false, false, false);
    for (at, c) in pattern.char_indices() {
        let was_after = std::mem::take(&mut after_quantifier);
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '?' if was_after => return Some(at),
            '*' | '+' | '?' | '}' if !in_class => after_quantifier = true,
            _ => {}
        }
    }
    None
}

/// Whether a JSON text is an object with a member `name`.
pub(super) fn has_member(json: &str, name: &str) -> bool {
    let object = || serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(json).ok();
    json.contains(name) && object().is_some_and(|object| object.contains_key(name))
}

/// Where the JSON value ends that `rest` begins with, white space before it included; 0 where there is none.
pub(super) fn json_end(rest: &str) -> usize {
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
    match values.next() {
        Some(Ok(_)) => values.byte_offset(),
        _ => 0,
    }
}
