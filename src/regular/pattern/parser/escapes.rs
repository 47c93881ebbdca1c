//! Escapes: what stands for code points without being them.

use super::super::ast::{Assertion, Node, Polarity};
use super::super::code_points::{CodePoints, LAST};
use super::super::dialect::{Dialect, horizontal_space, vertical_space};
use super::super::error::{PatternError, PatternErrorKind as Kind};
use super::super::notes::PatternNoteKind as Note;
use super::{Atom, Direction, Parser, Place, Result};

/// Where `\a` and the like are escapes.
const OLD: [Dialect; 3] = [Dialect::Python, Dialect::Pcre, Dialect::Rust];
const PERL: [Dialect; 1] = [Dialect::Pcre];

impl Parser<'_> {
    /// The rest of an escape after `\`, which stands at `start`.
    pub(super) fn escape(&mut self, start: usize, place: Place) -> Result<Atom> {
        let Some(c) = self.bump() else {
            return Err(Kind::TrailingBackslash.at(start, self.at));
        };
        let single = |c: char| Ok(Atom::Single(c.into()));
        let (dialect, flags) = (self.dialect, self.flags);
        match c {
            'd' => Ok(Atom::Set(dialect.digits(flags))),
            'D' => Ok(Atom::Set(dialect.digits(flags).negate())),
            'w' => Ok(Atom::Set(self.fold(dialect.word(flags)))),
            'W' => Ok(Atom::Set(self.fold(dialect.word(flags)).negate())),
            's' => Ok(Atom::Set(dialect.space(flags))),
            'S' => Ok(Atom::Set(dialect.space(flags).negate())),
            'p' | 'P' => {
                let set = self.property(start)?;
                let set = if c == 'P' { set.negate() } else { set };
                Ok(Atom::Set(self.fold(set)))
            }
            'b' if place == Place::Class => single('\u{8}'),
            'b' if !self.rest().starts_with("{start") && !self.rest().starts_with("{end") => {
                self.word_boundary(Assertion::WordBoundary, start)
            }
            'B' if place == Place::Term => self.word_boundary(Assertion::NoWordBoundary, start),
            't' => single('\t'),
            'n' => single('\n'),
            'v' if dialect == Dialect::Pcre => Ok(Atom::Set(vertical_space())),
            'v' => single('\u{B}'),
            'f' => single('\u{C}'),
            'r' => single('\r'),
            'c' => match self.bump() {
                Some(letter) if letter.is_ascii_alphabetic() => {
                    Ok(Atom::Single(letter as u32 % 32))
                }
                _ => Err(Kind::MalformedEscape.at(start, self.at)),
            },
            'x' if self.rest().starts_with('{') => {
                let value = self.braced_hex(start)?;
                self.note_foreign(Note::Escape, start, &[Dialect::Pcre, Dialect::Rust]);
                Ok(Atom::Single(value))
            }
            'x' => self.hex_digits(start, 2).map(Atom::Single),
            'u' => self.unicode_escape(start).map(Atom::Single),
            '0'..='9' => self.numeric_escape(c, start, place),
            'k' | 'g' if place == Place::Term && self.rest().starts_with(['<', '{', '\'']) => {
                self.take_while(|c| !matches!(c, '>' | '}'));
                self.bump();
                Err(Kind::BackReference.at(start, self.at))
            }
            // Where a word begins and ends, as `\b{start}` and `\b{end}`.
            '<' | '>' if dialect == Dialect::Rust && place == Place::Term => {
                Err(Kind::UnknownEscape.at(start, self.at))
            }
            c if c.is_ascii_alphanumeric() => self.foreign_escape(c, start, place),
            c if !c.is_ascii() && dialect == Dialect::Rust => {
                Err(Kind::UnknownEscape.at(start, self.at))
            }
            literal => single(literal),
        }
    }

    /// An escape that ECMA-262 has not.
    fn foreign_escape(&mut self, c: char, start: usize, place: Place) -> Result<Atom> {
        let is_term = place == Place::Term;
        let (atom, note, natives) = match c {
            'A' if is_term => (Atom::Assert(Assertion::Start), Note::TextAnchor, &OLD[..]),
            'Z' if is_term && self.dialect == Dialect::Pcre => return self.end_or_line_feed(start),
            'Z' if is_term => (
                Atom::Assert(Assertion::End),
                Note::TextAnchor,
                &[Dialect::Python][..],
            ),
            'z' if is_term => (Atom::Assert(Assertion::End), Note::TextAnchor, &OLD[..]),
            'a' => (Atom::Single(0x07), Note::Escape, &OLD[..]),
            'e' => (Atom::Single(0x1B), Note::Escape, &PERL[..]),
            'h' => (Atom::Set(horizontal_space()), Note::Escape, &PERL[..]),
            'H' => (
                Atom::Set(horizontal_space().negate()),
                Note::Escape,
                &PERL[..],
            ),
            'V' => (
                Atom::Set(vertical_space().negate()),
                Note::Escape,
                &PERL[..],
            ),
            'N' if is_term && self.peek() != Some('{') => (
                Atom::Set(CodePoints::single(0x0A).negate()),
                Note::Escape,
                &PERL[..],
            ),
            'R' if is_term => (Atom::Node(self.line_break(start)?), Note::Escape, &PERL[..]),
            'U' => (
                Atom::Single(self.hex_digits(start, 8)?),
                Note::Escape,
                &[Dialect::Python, Dialect::Rust][..],
            ),
            _ => return Err(Kind::UnknownEscape.at(start, self.at)),
        };
        self.note_foreign(note, start, natives);
        Ok(atom)
    }

    /// `\R`: a carriage return and a line feed, or one vertical space, which is never half of the two.
    fn line_break(&mut self, start: usize) -> Result<Node> {
        self.check_direction(self.looking, Direction::Ahead, start)?;
        let [first, last, feed] = [0x0D, 0x0A, 0x0A].map(|c| self.set(CodePoints::single(c)));
        let lone = self.set(CodePoints::single(0x0D));
        let others = vertical_space().both(&CodePoints::single(0x0D).negate());
        let others = self.set(others);
        let alone = self.look_ahead(feed, Polarity::Negative);
        Ok(Node::Alternation(vec![
            Node::Concat(vec![first, last]),
            others,
            Node::Concat(vec![lone, alone]),
        ]))
    }

    /// `{name}` after `\p`, or one letter.
    fn property(&mut self, start: usize) -> Result<CodePoints> {
        let is_braced = self.eat("{");
        let name = match is_braced {
            true => self.take_while(|c| c != '}'),
            false => {
                let letter = self.rest();
                let end = letter.chars().next().map_or(0, char::len_utf8);
                self.at += end;
                &letter[..end]
            }
        };
        if is_braced && !self.eat("}") || name.is_empty() {
            return Err(Kind::MalformedEscape.at(start, self.at));
        }
        if !is_braced {
            if !name.starts_with(|c: char| c.is_ascii_uppercase()) {
                return Err(Kind::MalformedEscape.at(start, self.at));
            }
            self.note_foreign(Note::ShortProperty, start, &[Dialect::Pcre, Dialect::Rust]);
        }
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let set = CodePoints::property(name).map_err(|kind| kind.at(start, self.at))?;
        Ok(if negated { set.negate() } else { set })
    }

    /// `{H…}`.
    fn braced_hex(&mut self, start: usize) -> Result<u32> {
        self.eat("{");
        let digits = self.take_while(|c| c.is_ascii_hexdigit());
        let value = match digits.trim_start_matches('0') {
            "" if !digits.is_empty() => Some(0),
            significant => u32::from_str_radix(significant, 16).ok(),
        };
        match value.filter(|&value| value <= LAST && self.eat("}")) {
            Some(value) => Ok(value),
            None => Err(Kind::MalformedEscape.at(start, self.at)),
        }
    }

    /// What follows `\u`: four digits, two such escapes that make a surrogate pair, or `{…}`.
    fn unicode_escape(&mut self, start: usize) -> Result<u32> {
        if self.rest().starts_with('{') {
            return self.braced_hex(start);
        }
        let high = self.hex_digits(start, 4)?;
        if (0xD800..0xDC00).contains(&high) && self.rest().starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            match self.hex_digits(before, 4) {
                Ok(low @ 0xDC00..0xE000) => {
                    return Ok(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                }
                _ => self.at = before,
            }
        }
        Ok(high)
    }

    fn hex_digits(&mut self, start: usize, count: usize) -> Result<u32> {
        let digits = self
            .rest()
            .get(..count)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
            Some(value) => {
                self.at += count;
                Ok(value)
            }
            None => Err(Kind::MalformedEscape.at(start, self.at)),
        }
    }

    /// `\0`, and in older dialects `\012`: anything else with digits is refused.
    fn numeric_escape(&mut self, first: char, start: usize, place: Place) -> Result<Atom> {
        let is_octal = |c: char| ('0'..='7').contains(&c);
        let octal_digits = self
            .rest()
            .chars()
            .take_while(|&c| is_octal(c))
            .take(2)
            .count();
        let has_octal = matches!(self.dialect, Dialect::Python | Dialect::Pcre)
            && is_octal(first)
            && (first == '0' || octal_digits == 2 || place == Place::Class);
        if has_octal {
            self.at += octal_digits;
            let value = u32::from_str_radix(&self.text[start + 1..self.at], 8);
            return value
                .map(Atom::Single)
                .map_err(|_| Kind::OctalEscape.at(start, self.at));
        }
        match first == '0' && !self.peek().is_some_and(|c| c.is_ascii_digit()) {
            true => Ok(Atom::Single(0)),
            false => Err(self.refused_number(start, place)),
        }
    }

    /// Why `\1` is refused: a back-reference where there are so many groups, else an octal escape.
    fn refused_number(&mut self, start: usize, place: Place) -> PatternError {
        self.take_while(|c| c.is_ascii_digit());
        let number: usize = self.text[start + 1..self.at].parse().unwrap_or(usize::MAX);
        let is_reference = place == Place::Term && (1..=count_groups(self.text)).contains(&number);
        let kind = if is_reference {
            Kind::BackReference
        } else {
            Kind::OctalEscape
        };
        kind.at(start, self.at)
    }
}

/// The number of capturing groups of a pattern.
fn count_groups(text: &str) -> usize {
    let (mut groups, mut in_class, mut escaped) = (0, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '(' if !in_class => {
                let rest = &text[at + 1..];
                let is_look_behind = rest.starts_with("?<=") || rest.starts_with("?<!");
                let named = rest.starts_with("?<") && !is_look_behind || rest.starts_with("?P<");
                groups += usize::from(named || !rest.starts_with('?'));
            }
            _ => {}
        }
    }
    groups
}
