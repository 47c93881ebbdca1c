//! What the tables of the formats are made of: each language as a pattern, or from several.
//!
//! This is compiled for tests only. They hold that each table is the one made here, and write the
//! tables anew where `MASKWRIGHT_WRITE_TABLES` is set:
//!
//! ```text
//! MASKWRIGHT_WRITE_TABLES=1 cargo test --no-default-features --lib formats::tests::tables
//! ```

mod date_time;
mod email;
mod hostname;
pub(super) mod idn;
mod ip;
mod json_pointer;
mod regex;
mod uri;
mod uuid;

use crate::base::Limits;
use crate::regular::Dfa;

/// The name of a table, and what makes its language.
type Source = (&'static str, fn() -> Dfa);

/// The sources in the order of the tables.
pub(super) const SOURCES: [Source; 22] = [
    ("date", date_time::date),
    ("date-time", date_time::date_time),
    ("duration", date_time::duration),
    ("email", email::email),
    ("hostname", hostname::hostname),
    ("hostname-rfc1034", hostname::hostname_rfc1034),
    ("idn-email", idn::idn_email),
    ("idn-hostname", idn::idn_hostname),
    ("ipv4", ip::ipv4),
    ("ipv6", ip::ipv6),
    ("iri", uri::iri),
    ("iri-reference", uri::iri_reference),
    ("json-pointer", json_pointer::json_pointer),
    ("regex", regex::regex),
    ("relative-json-pointer", json_pointer::relative_json_pointer),
    ("time", date_time::time),
    ("uri", uri::uri),
    ("uri-reference", uri::uri_reference),
    ("uri-template", uri::uri_template),
    ("uuid", uuid::uuid),
    ("u-labels", idn::u_labels),
    ("a-label-names", hostname::a_label_names),
];

/// The texts that `pattern` matches as a whole.
fn whole(pattern: &str) -> Dfa {
    Dfa::regex_full(pattern, &Limits::default()).unwrap()
}

fn both(left: &Dfa, right: &Dfa) -> Dfa {
    left.intersect(right, &Limits::default()).unwrap()
}
