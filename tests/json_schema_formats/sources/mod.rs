//! What the tables of the formats are made of: each language as a pattern, or from several.
//!
//! The test `tables` holds that each table is the one made here, and writes the tables anew where
//! `MASKWRIGHT_WRITE_TABLES` is set:
//!
//! ```text
//! MASKWRIGHT_WRITE_TABLES=1 cargo test --no-default-features --test json_schema_formats tables
//! ```

mod date_time;
mod email;
pub(crate) mod hostname;
pub(crate) mod idn;
mod ip;
mod json_pointer;
mod regex;
mod uri;
mod uuid;

use maskwright::base::Limits;
use maskwright::regular::Dfa;

/// The name of a table, and what makes its language.
type Source = (&'static str, fn() -> Dfa);

/// The languages of formats, by the name of the format.
pub(super) const FORMATS: [Source; 20] = [
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
];

/// What labels in Punycode may decode to, and the names that have such labels.
pub(super) const HOST_NAMES: [Source; 2] = [
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
