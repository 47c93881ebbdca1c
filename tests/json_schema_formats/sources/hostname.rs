//! `hostname`: letters, digits and hyphens (RFC 1034, section 3.5; RFC 1123, section 2.1), labels of
//! at most 63 octets. At most 253 octets in all is a bound on the length beside the language.
//!
//! From draft 7 on, a label with `--` in its third and fourth place must be sound Punycode
//! (RFC 5891, section 4.2.3.1): names with such labels are apart.

use super::{both, whole};
use maskwright::regular::Dfa;

/// How many octets may follow the `xn--` of a label in Punycode: 63 in all.
pub(crate) const LONGEST: usize = 59;

pub(super) const NAME: &str = r"[A-Za-z0-9](?:[A-Za-z0-9\-]{0,61}[A-Za-z0-9])?";

/// Names without Punycode.
pub(super) fn plain_pattern() -> String {
    let label = format!("(?!..--){NAME}");
    format!(r"(?:{label}(?:\.{label})*)")
}

pub(super) fn hostname() -> Dfa {
    whole(&plain_pattern())
}

/// Names of which some label is an A-label, as `HostNames` reads them. Beside one that is written from
/// right to left, the others begin with a letter (RFC 5893, section 2).
pub(super) fn a_label_names() -> Dfa {
    let names = |first: &str, kinds: &str| {
        let label = format!("(?:(?!..--)(?={first}){NAME}|xn--(?:{kinds}))");
        format!(r"{label}(?:\.{label})*")
    };
    let kind = |number: u32| format!(r"\x0{number}{{{LONGEST}}}");
    let (right, left, alone) = (kind(0), kind(1), kind(2));
    let left_to_right = names("[^]", &format!("{left}|{alone}"));
    let both_ways = names("[A-Za-z]", &format!("{right}|{left}"));
    both(
        &whole(&format!("{left_to_right}|{both_ways}")),
        &whole(r"[^]*[\0-\x02][^]*"),
    )
}

pub(super) fn hostname_rfc1034() -> Dfa {
    whole(&format!(r"{NAME}(?:\.{NAME})*"))
}
