//! `uri`, `uri-reference` (RFC 3986), `iri`, `iri-reference` (RFC 3987) and `uri-template`
//! (RFC 6570).
//!
//! - The grammar is that of RFC 3986, appendix A: no scheme has rules of its own.
//! - What RFC 3987, section 4.1, forbids beyond its grammar, bidirectional formatting, is left out.
//! - Templates have every level's syntax, the reserved operators included, and the apostrophe as
//!   erratum 6937 admits it.

use super::{both, ip, whole};
use maskwright::regular::Dfa;

const UNRESERVED: &str = r"A-Za-z0-9._~\-";
const SUB_DELIMS: &str = "!$&'()*+,;=";
const ENCODED: &str = "%[0-9A-Fa-f]{2}";
const PRIVATE: &str = r"\u{E000}-\u{F8FF}\u{F0000}-\u{FFFFD}\u{100000}-\u{10FFFD}";

/// RFC 3987's `ucschar`, as part of a class.
fn ucschar() -> String {
    let planes = (1..=0xD).map(|plane| format!(r"\u{{{plane:X}0000}}-\u{{{plane:X}FFFD}}"));
    let first = r"\u{A0}-\u{D7FF}\u{F900}-\u{FDCF}\u{FDF0}-\u{FFEF}\u{E1000}-\u{EFFFD}";
    first.to_owned() + &planes.collect::<String>()
}

/// The characters that the rules of URIs are made of.
#[derive(Default)]
struct Characters {
    /// Those that identifiers of resources of the whole world have in addition to ASCII.
    other: String,
    /// And those that only their queries have.
    private: &'static str,
}

impl Characters {
    fn international() -> Self {
        Self {
            other: ucschar(),
            private: PRIVATE,
        }
    }

    /// One character that stands for itself, or one of `more`, or an encoded one.
    fn one(&self, more: &str) -> String {
        let other = &self.other;
        format!("(?:[{UNRESERVED}{SUB_DELIMS}{other}{more}]|{ENCODED})")
    }

    fn authority(&self) -> String {
        let address = ip::ipv6_pattern(1);
        let future = format!("[Vv][0-9A-Fa-f]+\\.[{UNRESERVED}{SUB_DELIMS}:]+");
        let (user, name) = (self.one(":"), self.one(""));
        format!(r"(?:{user}*@)?(?:\[(?:{address}|{future})\]|{name}*)(?::[0-9]*)?")
    }

    /// What follows the scheme, where a first segment is made of `first`.
    fn rest(&self, first: &str) -> String {
        let (authority, char) = (self.authority(), self.one(":@"));
        let (query, fragment) = (self.one(&format!(":@/?{}", self.private)), self.one(":@/?"));
        let path = format!("(?:/{char}*)*");
        format!(
            "(?://{authority}{path}|/(?:{char}+{path})?|{first}+{path}|)(?:\\?{query}*)?(?:#{fragment}*)?"
        )
    }

    fn absolute(&self) -> String {
        format!("[A-Za-z][A-Za-z0-9+.\\-]*:{}", self.rest(&self.one(":@")))
    }

    fn reference(&self) -> String {
        format!("{}|{}", self.absolute(), self.rest(&self.one("@")))
    }
}

pub(super) fn uri() -> Dfa {
    whole(&Characters::default().absolute())
}

pub(super) fn uri_reference() -> Dfa {
    whole(&Characters::default().reference())
}

fn without_formatting(dfa: &Dfa) -> Dfa {
    both(dfa, &whole(r"[^\u200E\u200F\u202A-\u202E]*"))
}

pub(super) fn iri() -> Dfa {
    without_formatting(&whole(&Characters::international().absolute()))
}

pub(super) fn iri_reference() -> Dfa {
    without_formatting(&whole(&Characters::international().reference()))
}

pub(super) fn uri_template() -> Dfa {
    let other = ucschar() + PRIVATE;
    let literal = format!(r#"(?:[^\0- "%<>\\^`{{|}}\u007F-\u{{10FFFF}}]|[{other}]|{ENCODED})"#);
    let char = format!("(?:[A-Za-z0-9_]|{ENCODED})");
    let variable = format!(r"{char}(?:\.?{char})*(?::[1-9][0-9]{{0,3}}|\*)?");
    let expression = format!(r"\{{[+#./;?&=,!@|]?{variable}(?:,{variable})*\}}");
    whole(&format!("(?:{literal}|{expression})*"))
}
