//! JSON as it is written: keys in order, numbers as spelt, places of errors in bytes.
//!
//! Test instances have to be spelt as Python's `json.dumps` spells them, so neither the order of
//! keys nor the difference between `1` and `1.0` may be lost on the way in.

mod spelling;

use std::ops::Range;

/// How deeply arrays and objects may nest.
const MAX_DEPTH: usize = 512;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    /// A number, as spelt.
    Number(String),
    String(String),
    Array(Vec<Json>),
    /// Members in the order of first appearance; of duplicate keys the last value counts.
    Object(Vec<(String, Json)>),
}

/// Text that is not JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonError {
    /// What was expected or is wrong.
    pub(crate) message: String,
    /// Where, in bytes.
    pub(crate) span: Range<usize>,
}

impl Json {
    /// Reads one value; only white space may stand around it.
    pub(crate) fn parse(text: &str) -> Result<Self, JsonError> {
        let mut parser = Parser::new(text);
        let value = parser.value()?;
        parser.white_space();
        if parser.at < text.len() {
            return Err(parser.expected("the end of the text"));
        }
        Ok(value)
    }

    /// The member `key` of an object.
    pub(crate) fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    pub(crate) fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(crate) fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub(crate) fn as_str(&self) -> Option<&str> {
        match self {
            Json::String(value) => Some(value),
            _ => None,
        }
    }

    /// The value as other crates take it. Numbers beyond what they hold become the nearest they hold.
    pub(crate) fn value(&self) -> serde_json::Value {
        match self {
            Json::Null => serde_json::Value::Null,
            Json::Bool(value) => (*value).into(),
            Json::Number(spelling) => number_value(spelling),
            Json::String(value) => value.as_str().into(),
            Json::Array(items) => items.iter().map(Json::value).collect(),
            Json::Object(members) => {
                let member = |(key, value): &(String, Json)| (key.clone(), value.value());
                serde_json::Value::Object(members.iter().map(member).collect())
            }
        }
    }
}

/// The value as other crates hold it, or the nearest they hold.
fn number_value(spelling: &str) -> serde_json::Value {
    if let Ok(value) = spelling.parse::<i64>() {
        return value.into();
    }
    if let Ok(value) = spelling.parse::<u64>() {
        return value.into();
    }
    let value: f64 = spelling.parse().expect("a JSON number is a Rust number");
    value.clamp(f64::MIN, f64::MAX).into()
}

/// A place in a JSON text.
pub(crate) struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Parser<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// Goes to the member or item `token` of the array or object here; `None` where it has none.
    pub(crate) fn enter(&mut self, token: &str) -> Option<()> {
        self.white_space();
        let is_object = self.eat(b'{');
        if !is_object && !self.eat(b'[') {
            return None;
        }
        let mut index: usize = if is_object { 0 } else { token.parse().ok()? };
        loop {
            let is_there = match is_object {
                true => self.key().ok()? == token,
                false => index == 0,
            };
            if is_there {
                return Some(());
            }
            self.value().ok()?;
            self.white_space();
            if !self.eat(b',') {
                return None;
            }
            index = index.saturating_sub(1);
        }
    }

    /// The keys of the object here, as often as they come, and where each stands; `None` where there is none.
    pub(crate) fn keys(&mut self) -> Option<Vec<(String, Range<usize>)>> {
        let mut keys = Vec::new();
        self.white_space();
        if self.peek() != Some(b'{') {
            return None;
        }
        self.nested(b'}', &mut |parser| {
            parser.white_space();
            let start = parser.at;
            // What is no key is told by `key`, as everywhere.
            if parser.peek() == Some(b'"') {
                let key = parser.string()?;
                keys.push((key, start..parser.at));
                parser.at = start;
            }
            parser.key()?;
            parser.value().map(drop)
        })
        .ok()?;
        Some(keys)
    }

    /// Where the value stands that comes next.
    pub(crate) fn span(&mut self) -> Option<Range<usize>> {
        self.white_space();
        let start = self.at;
        self.value().ok()?;
        Some(start..self.at)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn white_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// An error at the current place.
    fn expected(&self, what: &str) -> JsonError {
        let found = self.text[self.at..].chars().next();
        JsonError {
            message: match found {
                Some(c) => format!("expected {what}, found {c:?}"),
                None => format!("expected {what}, found the end of the text"),
            },
            span: self.at..self.at + found.map_or(0, char::len_utf8),
        }
    }

    fn error_from(&self, start: usize, message: &str) -> JsonError {
        JsonError {
            message: message.to_owned(),
            span: start..self.at,
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn value(&mut self) -> Result<Json, JsonError> {
        self.white_space();
        match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => {
                let mut items = Vec::new();
                self.nested(b']', &mut |parser| {
                    items.push(parser.value()?);
                    Ok(())
                })?;
                Ok(Json::Array(items))
            }
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Json, JsonError> {
        for (word, value) in [
            ("null", Json::Null),
            ("true", Json::Bool(true)),
            ("false", Json::Bool(false)),
        ] {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.expected("a JSON value"))
    }

    /// The parts of an array or an object, up to its `close`.
    fn nested(
        &mut self,
        close: u8,
        part: &mut dyn FnMut(&mut Self) -> Result<(), JsonError>,
    ) -> Result<(), JsonError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error_from(self.at, &format!("nested deeper than {MAX_DEPTH}")));
        }
        self.at += 1;
        self.white_space();
        let mut is_closed = self.eat(close);
        while !is_closed {
            part(self)?;
            self.white_space();
            is_closed = self.eat(close);
            if !is_closed && !self.eat(b',') {
                return Err(self.expected(&format!("`,` or `{}`", char::from(close))));
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn object(&mut self) -> Result<Json, JsonError> {
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        self.nested(b'}', &mut |parser| {
            let key = parser.key()?;
            let value = parser.value()?;
            match places.get(&key) {
                Some(&place) => {
                    let member: &mut (String, Json) = &mut members[place];
                    member.1 = value;
                }
                None => {
                    places.insert(key.clone(), members.len());
                    members.push((key, value));
                }
            }
            Ok(())
        })?;
        Ok(Json::Object(members))
    }

    /// A key and its colon.
    fn key(&mut self) -> Result<String, JsonError> {
        self.white_space();
        if self.peek() != Some(b'"') {
            return Err(self.expected("a key in quotes"));
        }
        let key = self.string()?;
        self.white_space();
        match self.eat(b':') {
            true => Ok(key),
            false => Err(self.expected("`:`")),
        }
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return Err(self.expected("a digit"));
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _signed = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(Json::Number(self.text[start..self.at].to_owned()))
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let open = self.at;
        self.at += 1;
        let mut out = String::new();
        loop {
            let rest = &self.text[self.at..];
            let plain = rest
                .find(|c: char| c == '"' || c == '\\' || c < ' ')
                .ok_or_else(|| self.error_from(open, "a string without its closing quote"))?;
            out.push_str(&rest[..plain]);
            self.at += plain;
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return Err(self.expected("a string without control characters")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let start = self.at;
        self.at += 1;
        let plain = match self.peek() {
            Some(b @ (b'"' | b'\\' | b'/')) => char::from(b),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode_escape(start),
            _ => return Err(self.expected("an escape")),
        };
        self.at += 1;
        Ok(plain)
    }

    /// `\uXXXX`, or two of them that spell one character; a lone surrogate is no character.
    fn unicode_escape(&mut self, start: usize) -> Result<char, JsonError> {
        let mut code = self.hex()?;
        if (0xd800..0xdc00).contains(&code) && self.text[self.at..].starts_with("\\u") {
            self.at += 1;
            let low = self.hex()?;
            if (0xdc00..0xe000).contains(&low) {
                code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
            }
        }
        char::from_u32(code).ok_or_else(|| self.error_from(start, "a lone surrogate"))
    }

    /// `uXXXX`.
    fn hex(&mut self) -> Result<u32, JsonError> {
        self.at += 1;
        let digits = self.text.as_bytes().get(self.at..self.at + 4);
        let mut code = 0;
        for &byte in digits.unwrap_or_default() {
            let digit = char::from(byte)
                .to_digit(16)
                .ok_or_else(|| self.expected("four hex digits"))?;
            code = code * 16 + digit;
        }
        if digits.is_none() {
            return Err(self.expected("four hex digits"));
        }
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_errors() {
        for (text, at) in [
            ("", 0),
            ("[1,]", 3),
            ("{\"a\" 1}", 5),
            ("{a:1}", 1),
            ("01", 1),
            ("1.", 2),
            ("\"ab", 0),
            ("\"a\nb\"", 2),
            ("\"\\x\"", 2),
            ("\"\\ud800\"", 1),
            ("\"\\u12g4\"", 3),
            ("nul", 0),
            ("[] []", 3),
        ] {
            let error = Json::parse(text).expect_err(text);
            assert_eq!(error.span.start, at, "{text:?}: {}", error.message);
        }
        assert!(Json::parse(&"[".repeat(MAX_DEPTH + 1)).is_err());
    }
}
