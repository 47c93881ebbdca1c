//! `json-pointer` (RFC 6901, section 3) and `relative-json-pointer`
//! (draft-handrews-relative-json-pointer-01, section 3: without what later drafts add to the number).

use super::whole;
use maskwright::regular::Dfa;

const POINTER: &str = "(?:/(?:[^~/]|~[01])*)*";

pub(super) fn json_pointer() -> Dfa {
    whole(POINTER)
}

pub(super) fn relative_json_pointer() -> Dfa {
    whole(&format!("(?:0|[1-9][0-9]*)(?:#|{POINTER})"))
}
