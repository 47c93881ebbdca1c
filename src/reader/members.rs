//! Which members of the arguments of a call are complete, found out while they are written.

use std::ops::Range;

/// A member that is complete: where in the text its name stands, with the quotes, and where its value does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: Range<usize>,
    pub(super) value: Range<usize>,
}

/// Follows the text of a JSON object. The work for a byte does not grow with the text before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Members {
    at: usize,
    /// How many brackets are open.
    depth: usize,
    string: Inside,
    string_start: usize,
    name: Range<usize>,
    place: Place,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Nothing,
    String,
    /// Behind a backslash of a string.
    Escape,
}

/// What of a member comes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Name,
    /// The value, of which nothing was read.
    Value,
    /// More of the value that began there; of a number or a word it has ended there, so far.
    Within(usize, usize),
    /// A comma.
    Behind,
}

impl Members {
    /// Reads more of the text, and gives the members that are complete now.
    pub(super) fn take(&mut self, text: &str) -> Vec<Member> {
        let mut found = Vec::new();
        for &byte in text.as_bytes() {
            found.extend(self.byte(byte));
            self.at += 1;
        }
        found
    }

    fn byte(&mut self, byte: u8) -> Option<Member> {
        let next = self.at + 1;
        match (self.string, byte) {
            (Inside::Escape, _) => self.string = Inside::String,
            (Inside::String, b'\\') => self.string = Inside::Escape,
            (Inside::String, b'"') => {
                self.string = Inside::Nothing;
                return self.end_of_string(next);
            }
            (Inside::String, _) => {}
            (Inside::Nothing, b'"') => {
                self.begin();
                (self.string, self.string_start) = (Inside::String, self.at);
            }
            (Inside::Nothing, b'{' | b'[') => {
                self.begin();
                self.depth += 1;
            }
            (Inside::Nothing, b'}' | b']') => {
                self.depth = self.depth.saturating_sub(1);
                return match self.depth {
                    0 => self.end_of_word(),
                    1 => self.end(next),
                    _ => None,
                };
            }
            (Inside::Nothing, b':') if self.depth == 1 => self.place = Place::Value,
            (Inside::Nothing, b',') if self.depth == 1 => {
                let member = self.end_of_word();
                self.place = Place::Name;
                return member;
            }
            (Inside::Nothing, b' ' | b'\t' | b'\r' | b'\n') => {}
            (Inside::Nothing, _) => {
                self.begin();
                if let (Place::Within(start, _), 1) = (self.place, self.depth) {
                    self.place = Place::Within(start, next);
                }
            }
        }
        None
    }

    /// Begins the value of a member, if one comes next.
    fn begin(&mut self) {
        if self.depth == 1 && self.place == Place::Value {
            self.place = Place::Within(self.at, self.at);
        }
    }

    fn end_of_string(&mut self, end: usize) -> Option<Member> {
        match (self.depth, self.place) {
            (1, Place::Name) => {
                self.name = self.string_start..end;
                None
            }
            (1, _) => self.end(end),
            _ => None,
        }
    }

    fn end_of_word(&mut self) -> Option<Member> {
        match self.place {
            Place::Within(_, end) => self.end(end),
            _ => None,
        }
    }

    fn end(&mut self, end: usize) -> Option<Member> {
        let Place::Within(start, _) = self.place else {
            return None;
        };
        self.place = Place::Behind;
        Some(Member {
            name: self.name.clone(),
            value: start..end,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_complete_as_soon_as_they_can_be() {
        let text = r#" {"a,\"": "x}\"" , "b" : [1, {"c": 2}], "d": -1.5 ,"e": {}, "f":true} "#;
        let mut members = Members::default();
        let mut found = Vec::new();
        for (at, character) in text.char_indices() {
            for member in members.take(character.encode_utf8(&mut [0; 4])) {
                let (name, value) = (&text[member.name], &text[member.value]);
                found.push(format!("{at} {name} {value}"));
            }
        }
        assert_eq!(
            found,
            [
                r#"15 "a,\"" "x}\"""#,
                r#"37 "b" [1, {"c": 2}]"#,
                r#"50 "d" -1.5"#,
                r#"57 "e" {}"#,
                r#"68 "f" true"#,
            ]
        );
    }
}
