//! `format`: what each name means, as a regular language over what a string means.
//!
//! A language has the texts on which three agree: the format's specification, the tests of JSON Schema, and
//! what validators do. So it may be narrower than one of them, and is never wider. Where it is narrower,
//! `tests/json_schema_formats/sources` says so for each family. Complements are taken of a language that is
//! wider than all three, which is given here. Every draft has all the names, since they were in use before
//! a draft took them up. Only `hostname` changes its meaning, with draft 7.
//!
//! The minimal automata are committed in `tables/`, so that compiling a schema reads one in
//! microseconds, and `tests/json_schema_formats.rs` holds that each is the one that its source makes.

use std::sync::Arc;

use smallvec::SmallVec;

use super::draft::Draft;
use super::reader::ValueId;
use super::values::{Extent, Language, Wider};
use crate::base::{LimitError, Limits};
use crate::regular::{Dfa, Nesting};

/// The strings of a known format, or some of them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    table: &'static [u8],
    shape: Shape,
    /// How many code points there may be: a bound that the automaton does not count.
    pub(super) most: u32,
    /// What is wider than what anybody takes for it, as a pattern; nothing where that is the same.
    wider: Option<&'static str>,
}

/// How a language is told by its automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Flat,
    /// The automaton is one level of strings that nest.
    Nested,
    /// The automaton has host names, but none that has A-labels.
    HostNames,
}

impl Format {
    /// The strings that `name` means in `draft`, in disjoint parts; none where it asserts nothing.
    pub(crate) fn find(name: &str, draft: Draft) -> SmallVec<[Self; 2]> {
        let tables: &[&str] = match name {
            "hostname" if draft <= Draft::Draft6 => &["hostname-rfc1034"],
            "hostname-rfc1034" => &[],
            // What is all ASCII has a bound of its own.
            "idn-email" => &["email", "idn-email"],
            "idn-hostname" => &["hostname", "idn-hostname"],
            name => &[name],
        };
        let formats = FORMATS.iter().filter(|(table, _)| tables.contains(table));
        formats.map(|(_, format)| *format).collect()
    }

    /// The names of all formats.
    pub(crate) fn names() -> impl Iterator<Item = &'static str> {
        let names = FORMATS.iter().map(|&(name, _)| name);
        names.filter(|name| *name != "hostname-rfc1034")
    }

    /// Its strings, but for the bound on their length. `origin` is where it is asked for.
    ///
    /// # Errors
    /// If the limits leave no room for one whose strings nest.
    pub(super) fn language(
        &self,
        origin: ValueId,
        limits: &Limits,
    ) -> Result<Language, LimitError> {
        let mut language = match self.shape {
            Shape::Flat | Shape::HostNames => Language::new(self.dfa(), origin),
            Shape::Nested => {
                let (level, any) = (Arc::new(self.dfa()), Arc::new(Dfa::utf8_text()));
                Language::nested(Nesting::new(level, any, limits)?, origin)
            }
        };
        language.a_labels = self.shape == Shape::HostNames;
        if let Some(pattern) = self.wider {
            language.extent = Extent::Narrower {
                wider: Wider::Pattern(pattern),
                most: self.most,
            };
        }
        Ok(language)
    }

    fn dfa(&self) -> Dfa {
        Dfa::unpack(self.table).expect("each table was made of an automaton")
    }
}

/// The format of the table `$file`, which leaves out some of what others take for it: these are among
/// the texts of the pattern `$wider`. It may have a bound on the length, and a shape that is not flat.
macro_rules! narrower {
    ($file:literal, $wider:expr) => {
        narrower!($file, $wider, u32::MAX)
    };
    ($file:literal, $wider:expr, $most:expr) => {
        narrower!($file, $wider, $most, Shape::Flat)
    };
    ($file:literal, $wider:expr, $most:expr, $shape:expr) => {
        format_of!($file, $most, $shape, Some($wider))
    };
}

/// A format that is all that anybody takes for it.
macro_rules! exact {
    ($file:literal) => {
        format_of!($file, u32::MAX, Shape::Flat, None)
    };
}

macro_rules! format_of {
    ($file:literal, $most:expr, $shape:expr, $wider:expr) => {
        (
            $file,
            Format {
                table: include_bytes!(concat!("tables/", $file, ".bin")),
                shape: $shape,
                most: $most,
                wider: $wider,
            },
        )
    };
}

/// Two digits of anybody's, a colon and more.
const WIDE_TIME: &str = "[^]{2}:[^]*";
const WIDE_DATE_TIME: &str = "[^]{4}-[^]{2}-[^]{2}[^][^]{2}:?[^]*";
const WIDE_EMAIL: &str = "[^]+@[^]+";
/// ASCII has no more characters that any host has in its name.
const WIDE_HOSTNAME: &str = r"[A-Za-z0-9._\-\u{80}-\u{10FFFF}]+";
const WIDE_IRI: &str = "[^]*:[^]*";
const WIDE_IRI_REFERENCE: &str = r#"[^\0- "<>\\^`{|}\u007F]*"#;
/// Braces come in pairs.
const WIDE_URI_TEMPLATE: &str = r"[^{}]*(?:\{[^{}]*\}[^{}]*)*";
/// What repeats something, or closes a group, has something before it.
const WIDE_REGEX: &str = "(?:[^*+?)][^]*)?";

const FORMATS: [(&str, Format); 20] = [
    exact!("date"),
    narrower!("date-time", WIDE_DATE_TIME),
    exact!("duration"),
    // RFC 5321, section 4.5.3.1.3: 256 octets of a path, which has `<` and `>` around it.
    narrower!("email", WIDE_EMAIL, 254),
    // RFC 1035, section 2.3.4: 255 octets, of which the first length and the root are two.
    narrower!("hostname", WIDE_HOSTNAME, 253, Shape::HostNames),
    narrower!("hostname-rfc1034", WIDE_HOSTNAME, 253),
    // Not all ASCII, and as many code points as surely are 253 octets of Punycode: its source has
    // the sum.
    narrower!("idn-email", WIDE_EMAIL, 50),
    narrower!("idn-hostname", WIDE_HOSTNAME, 48),
    exact!("ipv4"),
    exact!("ipv6"),
    narrower!("iri", WIDE_IRI),
    narrower!("iri-reference", WIDE_IRI_REFERENCE),
    exact!("json-pointer"),
    narrower!("regex", WIDE_REGEX, u32::MAX, Shape::Nested),
    exact!("relative-json-pointer"),
    narrower!("time", WIDE_TIME),
    exact!("uri"),
    exact!("uri-reference"),
    narrower!("uri-template", WIDE_URI_TEMPLATE),
    exact!("uuid"),
];
