//! Whose syntax a pattern is in, and what the same letters mean in each.

use super::code_points::CodePoints;
use super::error::PatternErrorKind;

/// Whose syntax and meaning a pattern has.
///
/// Each dialect reads what is an error there and means one thing only in the others, and notes it
/// ([`PatternNote`](super::PatternNote)); what means something else there keeps that meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Dialect {
    /// ECMA-262 with the flag `u`, as JSON Schema recommends.
    #[default]
    Ecma,
    /// Python's `re`, over texts: `\d`, `\w` and `\s` are Unicode's, `$` also stands before a last line feed.
    Python,
    /// PCRE2 with its option UTF and without UCP: `\d`, `\w` and `\s` are ASCII, there are POSIX classes
    /// and `{,3}`, and `$` and `\Z` also stand before a last line feed.
    Pcre,
    /// Rust's `regex`: Unicode classes, nested classes and `&&`, `--` and `~~` in them, no assertions on
    /// what is around.
    Rust,
}

/// What changes the meaning of a part of a pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Flags {
    /// `i`
    pub(super) ignores_case: bool,
    /// `s`
    pub(super) dot_is_all: bool,
    /// `m`
    pub(super) has_lines: bool,
    /// `x`
    pub(super) is_spaced: bool,
    /// `a`, of Python.
    pub(super) is_ascii: bool,
}

impl Flags {
    /// Sets the flag of a letter; `false` where there is none that can be had.
    pub(super) fn set(&mut self, letter: char, dialect: Dialect, on: bool) -> bool {
        match letter {
            'i' => self.ignores_case = on,
            's' => self.dot_is_all = on,
            'm' => self.has_lines = on,
            'x' => self.is_spaced = on,
            'a' if dialect == Dialect::Python => self.is_ascii = on,
            'u' => return on,
            // Which match is found first, and which groups are numbered, changes no language.
            'U' | 'J' | 'n' => {}
            _ => return false,
        }
        true
    }
}

const ASCII_WORD: [(u32, u32); 4] = [(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)];
const LINE_FEED: u32 = 0x0A;

impl Dialect {
    fn is_ascii(self, flags: Flags) -> bool {
        flags.is_ascii || matches!(self, Self::Ecma | Self::Pcre)
    }

    /// `\d`.
    pub(super) fn digits(self, flags: Flags) -> CodePoints {
        match self.is_ascii(flags) {
            true => CodePoints::new(vec![(0x30, 0x39)]),
            false => known("Nd"),
        }
    }

    /// `\w`, cases apart.
    pub(super) fn word(self, flags: Flags) -> CodePoints {
        match self {
            _ if self.is_ascii(flags) => CodePoints::new(ASCII_WORD.to_vec()),
            // `str.isalnum`, and the underscore.
            Self::Python => known("L").with(&known("N")).with(&CodePoints::single(0x5F)),
            _ => {
                let names = ["Alphabetic", "M", "Nd", "Pc", "Join_Control"];
                let sets = names.map(known);
                sets.iter()
                    .fold(CodePoints::default(), |all, set| all.with(set))
            }
        }
    }

    /// `\s`.
    pub(super) fn space(self, flags: Flags) -> CodePoints {
        let ascii = vec![(0x09, 0x0D), (0x20, 0x20)];
        match self {
            Self::Ecma => CodePoints::space(),
            _ if self.is_ascii(flags) => CodePoints::new(ascii),
            // `str.isspace` has the separators U+001C to U+001F besides.
            Self::Python => known("White_Space").with(&CodePoints::new(vec![(0x1C, 0x1F)])),
            _ => known("White_Space"),
        }
    }

    /// `.`.
    pub(super) fn dot(self, flags: Flags) -> CodePoints {
        match flags.dot_is_all {
            true => CodePoints::all(),
            false => self.line_ends().negate(),
        }
    }

    /// What ends a line.
    pub(super) fn line_ends(self) -> CodePoints {
        match self {
            Self::Ecma => CodePoints::new(vec![(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)]),
            _ => CodePoints::single(LINE_FEED),
        }
    }

    /// A set with all that differs from its members in case only.
    pub(super) fn fold(self, set: &CodePoints, flags: Flags) -> CodePoints {
        if self == Self::Python && flags.is_ascii {
            return set.fold_ascii();
        }
        let folded = set.fold();
        // Python takes both dotted and dotless `i` for one letter.
        const I: [u32; 4] = [0x49, 0x69, 0x130, 0x131];
        match self == Self::Python && I.iter().any(|&i| folded.contains(i)) {
            true => folded.with(&CodePoints::new(I.map(|i| (i, i)).to_vec())),
            false => folded,
        }
    }

    /// Whether `$` also stands before a line feed that ends the text.
    pub(super) fn dollar_leaves_line_feed(self) -> bool {
        matches!(self, Self::Python | Self::Pcre)
    }
}

/// A property that there is.
fn known(name: &str) -> CodePoints {
    CodePoints::property(name).unwrap_or_default()
}

/// Horizontal white space: `\h` of PCRE.
pub(super) fn horizontal_space() -> CodePoints {
    known("Zs").with(&CodePoints::new(vec![(0x09, 0x09), (0x180E, 0x180E)]))
}

/// Vertical white space: `\v` of PCRE.
pub(super) fn vertical_space() -> CodePoints {
    CodePoints::new(vec![(0x0A, 0x0D), (0x85, 0x85), (0x2028, 0x2029)])
}

/// `[:name:]` within a class, over ASCII; `[:^name:]` is what it has not.
pub(super) fn posix(name: &str) -> Result<CodePoints, PatternErrorKind> {
    let (name, is_negated) = match name.strip_prefix('^') {
        Some(name) => (name, true),
        None => (name, false),
    };
    let ranges: &[(u8, u8)] = match name {
        "alpha" => &[(b'A', b'Z'), (b'a', b'z')],
        "digit" => &[(b'0', b'9')],
        "alnum" => &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')],
        "upper" => &[(b'A', b'Z')],
        "lower" => &[(b'a', b'z')],
        "space" => &[(9, 13), (b' ', b' ')],
        "blank" => &[(9, 9), (b' ', b' ')],
        "punct" => &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')],
        "cntrl" => &[(0, 0x1F), (0x7F, 0x7F)],
        "graph" => &[(b'!', b'~')],
        "print" => &[(b' ', b'~')],
        "xdigit" => &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')],
        "word" => &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')],
        "ascii" => &[(0, 0x7F)],
        _ => return Err(PatternErrorKind::UnknownProperty),
    };
    let set = CodePoints::new(
        ranges
            .iter()
            .map(|&(lo, hi)| (lo.into(), hi.into()))
            .collect(),
    );
    Ok(if is_negated { set.negate() } else { set })
}
