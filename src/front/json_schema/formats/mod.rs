//! `format`: what each name means, as a regular language over what a string means.
//!
//! A language is where three agree: its specification, the tests of JSON Schema, and what
//! validators do. So it may be narrower than one of them, and never wider; where it is, `sources`
//! says so, per family. Every draft has all the names: they were in use before a draft took them
//! up, and what asserts formats asserts them. Only `hostname` changes its meaning, with draft 7.
//!
//! The minimal automata are committed in `tables/`, so that compiling a schema reads one in
//! microseconds, and each is held to be the one that `sources` makes.

#[cfg(test)]
mod sources;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::draft::Draft;
use super::reader::ValueId;
use super::values::{Extent, Language};
use crate::regular::{Dfa, Nesting};

/// A format that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    table: &'static [u8],
    shape: Shape,
    /// How many code points there may be: a bound that the automaton does not count.
    pub(super) most: u32,
    extent: Extent,
}

/// How a language is told by its automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Flat,
    /// The automaton is one level of strings that nest.
    Nested,
}

impl Format {
    /// The format that `name` means in `draft`; `None` where it asserts nothing.
    pub(super) fn find(name: &str, draft: Draft) -> Option<Self> {
        let name = match name {
            "hostname" if draft <= Draft::Draft6 => "hostname-rfc1034",
            "hostname-rfc1034" => return None,
            name => name,
        };
        let (_, format) = FORMATS.iter().find(|(known, _)| *known == name)?;
        Some(*format)
    }

    /// The names of all formats.
    pub(super) fn names() -> impl Iterator<Item = &'static str> {
        let names = FORMATS.iter().map(|&(name, _)| name);
        names.filter(|name| *name != "hostname-rfc1034")
    }

    /// Its strings, but for the bound on their length. `origin` is where it is asked for.
    pub(super) fn language(&self, origin: ValueId) -> Language {
        let mut language = Language::new(self.dfa(), origin);
        language.extent = self.extent;
        if self.shape == Shape::Nested {
            language.nesting = Some(Arc::new(Nesting::of(&language.dfa)));
        }
        language
    }

    fn dfa(&self) -> Dfa {
        Dfa::unpack(self.table).expect("each table was made of an automaton")
    }
}

/// The format of the table `$file`, with a bound on the length where there is one, and its shape
/// where that is not flat.
macro_rules! format_of {
    ($file:literal) => {
        format_of!($file, u32::MAX)
    };
    ($file:literal, $most:expr) => {
        format_of!($file, $most, Shape::Flat)
    };
    ($file:literal, $most:expr, $shape:expr) => {
        format_of!($file, $most, $shape, Extent::Narrower)
    };
    ($file:literal, $most:expr, $shape:expr, $extent:expr) => {
        (
            $file,
            Format {
                table: include_bytes!(concat!("tables/", $file, ".bin")),
                shape: $shape,
                most: $most,
                extent: $extent,
            },
        )
    };
}

/// A format that is all that anybody takes for it.
macro_rules! exact {
    ($file:literal) => {
        format_of!($file, u32::MAX, Shape::Flat, Extent::Exact)
    };
}

const FORMATS: [(&str, Format); 20] = [
    exact!("date"),
    format_of!("date-time"),
    exact!("duration"),
    // RFC 5321, section 4.5.3.1.3: 256 octets of a path, which has `<` and `>` around it.
    format_of!("email", 254),
    // RFC 1035, section 2.3.4: 255 octets, of which the first length and the root are two.
    format_of!("hostname", 253),
    format_of!("hostname-rfc1034", 253),
    // As many code points as surely are 253 octets of Punycode: sources/idn.rs has the sum.
    format_of!("idn-email", 50),
    format_of!("idn-hostname", 48),
    exact!("ipv4"),
    exact!("ipv6"),
    format_of!("iri"),
    format_of!("iri-reference"),
    exact!("json-pointer"),
    format_of!("regex", u32::MAX, Shape::Nested),
    exact!("relative-json-pointer"),
    format_of!("time"),
    exact!("uri"),
    exact!("uri-reference"),
    format_of!("uri-template"),
    exact!("uuid"),
];
