//! `uuid`: RFC 4122, section 3, of any version and variant.

use super::whole;
use maskwright::regular::Dfa;

pub(super) fn uuid() -> Dfa {
    whole("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
}
