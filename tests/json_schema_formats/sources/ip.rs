//! `ipv4` (RFC 2673, section 3.2: dotted quads) and `ipv6` (RFC 4291, section 2.2).
//!
//! Octets have no leading zeros, `::` stands for at least one group, and there are no zones.

use super::whole;
use maskwright::regular::Dfa;

const OCTET: &str = "(?:[0-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])";
const GROUP: &str = "[0-9A-Fa-f]{1,4}";

pub(super) fn ipv4_pattern() -> String {
    format!(r"(?:{OCTET}(?:\.{OCTET}){{3}})")
}

/// Addresses in which `::` stands for at least `elided` groups.
pub(super) fn ipv6_pattern(elided: usize) -> String {
    let quad = ipv4_pattern();
    let mut forms = vec![format!("(?:{GROUP}:){{6}}(?:{GROUP}:{GROUP}|{quad})")];
    for before in 0..=8 - elided {
        let left = match before {
            0 => String::new(),
            _ => format!("{GROUP}(?::{GROUP}){{{}}}", before - 1),
        };
        let right = match 8 - elided - before {
            0 => String::new(),
            1 => format!("(?:{GROUP})?"),
            after => format!(
                "(?:(?:{GROUP}:){{0,{}}}{GROUP}|(?:{GROUP}:){{0,{}}}{quad})?",
                after - 1,
                after - 2
            ),
        };
        forms.push(format!("{left}::{right}"));
    }
    format!("(?:{})", forms.join("|"))
}

pub(super) fn ipv4() -> Dfa {
    whole(&ipv4_pattern())
}

pub(super) fn ipv6() -> Dfa {
    whole(&ipv6_pattern(1))
}
