//! Groups: what stands behind `(?`, and what a parser passes over.

use super::super::ast::Polarity;
use super::super::dialect::{Dialect, Flags};
use super::super::error::PatternErrorKind as Kind;
use super::super::notes::PatternNoteKind as Note;
use super::{Direction, GroupKind, Parser, Result};
use crate::base::LimitError;

/// How assertions with a body begin after `(`.
const LOOKS: [(&str, Direction, Polarity); 4] = [
    ("?=", Direction::Ahead, Polarity::Positive),
    ("?!", Direction::Ahead, Polarity::Negative),
    ("?<=", Direction::Behind, Polarity::Positive),
    ("?<!", Direction::Behind, Polarity::Negative),
];

/// Where there are comments and atomic groups.
const OLD: [Dialect; 2] = [Dialect::Python, Dialect::Pcre];

impl<'a> Parser<'a> {
    /// Passes over what stands for nothing: comments, white space under the flag `x`, `\Q` and `\E`, and flags
    /// that hold from here on.
    pub(super) fn skip(&mut self) -> Result<()> {
        loop {
            let start = self.at;
            if self.is_quoting {
                self.is_quoting = !self.eat("\\E");
                if self.is_quoting {
                    return Ok(());
                }
            } else if self.eat("\\Q") {
                self.is_quoting = true;
                self.note_foreign(Note::Escape, start, &[Dialect::Pcre]);
            } else if self.rest().starts_with("\\E") {
                self.at += 2;
                self.note_foreign(Note::Escape, start, &[Dialect::Pcre]);
            } else if self.eat("(?#") {
                self.take_while(|c| c != ')');
                if !self.eat(")") {
                    return Err(Kind::UnclosedGroup.at(start, start + 1));
                }
                self.note_foreign(Note::Comment, start, &OLD);
            } else if self.flags.is_spaced && self.peek().is_some_and(char::is_whitespace) {
                self.bump();
            } else if self.flags.is_spaced && self.eat("#") {
                self.take_while(|c| c != '\n');
            } else if !self.flags_from_here()? {
                return Ok(());
            }
        }
    }

    /// `(?i)`: flags to the end of the group around it.
    fn flags_from_here(&mut self) -> Result<bool> {
        let start = self.at;
        let letters = self.rest().strip_prefix("(?").map(|rest| {
            let is_flag = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '^';
            rest.split(|c| !is_flag(c)).next().unwrap_or_default()
        });
        let Some(letters) = letters.filter(|letters| !letters.is_empty()) else {
            return Ok(false);
        };
        // `(?R)` is no flag.
        if !self.rest()[2 + letters.len()..].starts_with(')') || letters == "R" {
            return Ok(false);
        }
        self.at += 2 + letters.len() + 1;
        self.flags = self.with_flags(letters, start)?;
        self.note_foreign(
            Note::InlineFlags,
            start,
            &[Dialect::Python, Dialect::Pcre, Dialect::Rust],
        );
        Ok(true)
    }

    /// The flags that hold here, with those that the letters ask for.
    fn with_flags(&self, letters: &str, start: usize) -> Result<Flags> {
        let (mut flags, mut on) = (self.flags, true);
        for letter in letters.chars() {
            match letter {
                '-' if on => on = false,
                '^' => flags = Flags::default(),
                letter if flags.set(letter, self.dialect, on) => {}
                _ => return Err(Kind::InlineFlags.at(start, self.at)),
            }
        }
        Ok(flags)
    }

    /// What kind of group begins after `(`, which stands at `start` within `depth` others.
    pub(super) fn group(&mut self, start: usize, depth: usize) -> Result<GroupKind> {
        let nesting = LimitError::check("nested groups of a pattern", depth + 1, self.depth);
        nesting.map_err(|error| Kind::Limit(error).at(start, self.at))?;
        if self.dialect == Dialect::Pcre && self.eat("*") {
            self.take_while(|c| c != ')');
            self.eat(")");
            return Err(Kind::Verb.at(start, self.at));
        }
        for (begin, direction, polarity) in LOOKS {
            if self.eat(begin) {
                let around = self.looking.replace(direction);
                self.check_direction(around, direction, start)?;
                return Ok(GroupKind::Look(direction, polarity));
            }
        }
        Ok(match self.group_kind(start)? {
            true => GroupKind::Atomic,
            false => GroupKind::Plain,
        })
    }

    /// What kind of group begins here; whether it is an atomic one.
    fn group_kind(&mut self, start: usize) -> Result<bool> {
        if !self.eat("?") || self.eat(":") {
            return Ok(false);
        }
        if self.eat(">") {
            self.note_foreign(Note::Atomic, start, &OLD);
            return Ok(true);
        }
        if self.eat("|") {
            self.note_foreign(Note::BranchReset, start, &[Dialect::Pcre]);
            return Ok(false);
        }
        if self.eat("<") {
            return self.group_name(start, ">");
        }
        for (begin, end, natives) in [
            (
                "P<",
                ">",
                &[Dialect::Python, Dialect::Pcre, Dialect::Rust][..],
            ),
            ("'", "'", &[Dialect::Pcre]),
        ] {
            if self.eat(begin) {
                self.group_name(start, end)?;
                self.note_foreign(Note::GroupName, start, natives);
                return Ok(false);
            }
        }
        self.group_flags(start)
    }

    /// `i-s:` after `(?`, or the refusal of what else stands there.
    fn group_flags(&mut self, start: usize) -> Result<bool> {
        let is_flag = |c: char| c.is_ascii_alphabetic() || c == '-' || c == '^';
        let rest = self.rest();
        if rest.starts_with("P=") {
            self.take_while(|c| c != ')');
            return Err(Kind::BackReference.at(start, self.at));
        }
        if rest.starts_with("P>") || rest.starts_with(['R', '&', '+']) || has_number(rest) {
            self.take_while(|c| c != ')');
            return Err(Kind::Recursion.at(start, self.at));
        }
        if rest.starts_with('(') {
            self.bump();
            return Err(Kind::Conditional.at(start, self.at));
        }
        let letters = self.take_while(is_flag);
        if letters.is_empty() || !self.eat(":") {
            self.bump();
            return Err(Kind::UnknownGroup.at(start, self.at));
        }
        self.flags = self.with_flags(letters, start)?;
        // ES2025 has these three.
        if letters.contains(|c| !"ims-".contains(c)) {
            let natives = [Dialect::Python, Dialect::Pcre, Dialect::Rust];
            self.note_foreign(Note::InlineFlags, start, &natives);
        }
        Ok(false)
    }

    /// Whether one may look so from within an assertion.
    pub(super) fn check_direction(
        &self,
        around: Option<Direction>,
        direction: Direction,
        start: usize,
    ) -> Result<()> {
        match (around, direction) {
            (Some(Direction::Ahead), Direction::Behind) => {
                Err(Kind::LookBehindInLookAhead.at(start, self.at))
            }
            (Some(Direction::Behind), Direction::Ahead) => {
                Err(Kind::LookAheadInLookBehind.at(start, self.at))
            }
            _ => Ok(()),
        }
    }

    /// A group's name, and what ends it.
    fn group_name(&mut self, start: usize, end: &str) -> Result<bool> {
        let name = self.take_while(|c| c.is_alphanumeric() || c == '_' || c == '$');
        let is_name = name.starts_with(|c: char| !c.is_numeric());
        if !is_name || !self.eat(end) {
            return Err(Kind::GroupName.at(start, self.at));
        }
        self.name = Some(name);
        Ok(false)
    }
}

/// Whether a group is called by its number.
fn has_number(rest: &str) -> bool {
    rest.trim_start_matches('-')
        .starts_with(|c: char| c.is_ascii_digit())
}
