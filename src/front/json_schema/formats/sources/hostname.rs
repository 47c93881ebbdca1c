//! `hostname`: letters, digits and hyphens (RFC 1034, section 3.5; RFC 1123, section 2.1), labels of
//! at most 63 octets. At most 253 octets in all is a bound on the length beside the language.
//!
//! From draft 7 on, a label with `--` in its third and fourth place must be sound Punycode
//! (RFC 5891, section 4.2.3.1). Which texts are is a matter of arithmetic and of the properties of
//! what they decode to, no automaton of a sane size, so no such label is accepted.

use super::whole;
use crate::regular::Dfa;

pub(super) const NAME: &str = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?";

/// Names without Punycode.
pub(super) fn plain_pattern() -> String {
    let label = format!("(?!..--){NAME}");
    format!(r"(?:{label}(?:\.{label})*)")
}

pub(super) fn hostname() -> Dfa {
    whole(&plain_pattern())
}

pub(super) fn hostname_rfc1034() -> Dfa {
    whole(&format!(r"{NAME}(?:\.{NAME})*"))
}
