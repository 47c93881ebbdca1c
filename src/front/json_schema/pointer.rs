//! JSON pointers (RFC 6901) as URI fragments.

use std::borrow::Cow;
use std::fmt::Write as _;

use super::SchemaError;
use super::reader::{Document, Kind, ValueId};
use crate::base::LimitError;

/// The pointer of `value`, as a URI fragment: `#/properties/a`; in another document than the first, with
/// that document's URI before it.
pub(crate) fn of(document: &Document, value: ValueId) -> String {
    let mut path = vec![value];
    while let Some(parent) = document.parent(path[path.len() - 1]) {
        path.push(parent);
    }
    let mut pointer = document.uri(value).unwrap_or_default().to_owned();
    pointer.push('#');
    for pair in path.windows(2).rev() {
        pointer.push('/');
        // A key is where its value is.
        let is_key = document.kind(pair[1]) == Kind::Object;
        let key = document.key(pair[0]);
        let key = key.filter(|&key| document.parent(key) == Some(pair[1]));
        let key = key.or(is_key.then_some(pair[0]));
        match key.and_then(|key| document.string(key)) {
            Some(key) => push_escaped(&mut pointer, &key),
            None => {
                let _ = write!(pointer, "{}", document.index_of(pair[1], pair[0]));
            }
        }
    }
    pointer
}

/// What makes an error of a limit that was met at `value`.
pub(crate) fn limit(document: &Document, value: ValueId) -> impl Fn(LimitError) -> SchemaError {
    move |source| SchemaError::Limit {
        pointer: of(document, value),
        source,
    }
}

/// Appends a reference token: `~` and `/` by RFC 6901, and what a URI fragment cannot hold
/// (RFC 3986, section 3.5) by its percent-encoded bytes.
fn push_escaped(pointer: &mut String, token: &str) {
    for byte in token.bytes() {
        match byte {
            b'~' => pointer.push_str("~0"),
            b'/' => pointer.push_str("~1"),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => pointer.push(char::from(byte)),
            _ if b"-._!$&'()*+,;=:@?".contains(&byte) => pointer.push(char::from(byte)),
            _ => {
                let _ = write!(pointer, "%{byte:02X}");
            }
        }
    }
}

/// The value below `root` that a URI fragment without its `#` points to.
pub(crate) fn resolve(document: &Document, root: ValueId, fragment: &str) -> Option<ValueId> {
    let fragment = percent_decode(fragment)?;
    let mut value = root;
    let mut tokens = fragment.split('/');
    if tokens.next() != Some("") {
        return None;
    }
    for token in tokens {
        let token = match token.contains('~') {
            true => Cow::Owned(token.replace("~1", "/").replace("~0", "~")),
            false => Cow::Borrowed(token),
        };
        value = match document.kind(value) {
            Kind::Object => document.get(value, &token)?,
            Kind::Array => document.elements(value).nth(index(&token)?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// An array index: digits without leading zeros.
fn index(token: &str) -> Option<usize> {
    let plain =
        token.bytes().all(|b| b.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    token.parse().ok().filter(|_| plain)
}

/// The text that a URI fragment spells.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digit = |b: Option<u8>| char::from(b?).to_digit(16);
                (digit(rest.next())? * 16 + digit(rest.next())?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}
