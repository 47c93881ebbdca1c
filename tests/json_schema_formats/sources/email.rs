//! `email`: `Mailbox` of RFC 5321, section 4.1.2, with the limits of section 4.5.3.1: 64 octets
//! before the `@`, and 254 in all, which is a bound on the length beside the language.
//!
//! - The domain is a `hostname`, or an address in brackets. Octets of an address have no leading
//!   zeros, and no tags but `IPv6` are registered.
//! - A space cannot be escaped by `\`, which would say nothing, and ` <` is not in quotes, since
//!   many readers take what precedes it for a name.

use super::{both, hostname, ip, whole};
use maskwright::regular::Dfa;

pub(super) const ATOM: &str = r"A-Za-z0-9!#$%&'*+\-/=?^_`{|}~";
pub(super) const QUOTED: &str = r" !#-\[\]-~";

/// What precedes the `@`, where `more` is in the classes of characters too.
pub(super) fn local_pattern(more: &str) -> String {
    format!(
        r#"(?:[{ATOM}{more}]+(?:\.[{ATOM}{more}]+)*|"(?![^]* <[^]*@)(?:[{QUOTED}{more}]|\\[!-~])*")"#
    )
}

pub(super) fn address_pattern() -> String {
    let (v4, v6) = (ip::ipv4_pattern(), ip::ipv6_pattern(2));
    format!(r"\[(?:{v4}|[Ii][Pp][Vv]6:{v6})\]")
}

pub(super) fn email() -> Dfa {
    let (local, name, address) = (
        local_pattern(""),
        hostname::plain_pattern(),
        address_pattern(),
    );
    let mailbox = whole(&format!("{local}@(?:{name}|{address})"));
    both(&mailbox, &whole("[^]{1,64}@[^@]*"))
}
