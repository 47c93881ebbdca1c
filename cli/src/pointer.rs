//! From a JSON pointer to its place in the text.

use std::collections::HashSet;
use std::ops::Range;

use super::json::Parser;

/// Where the value stands in `text`, which is JSON, that `pointer` leads to: an RFC 6901 pointer,
/// plain or as a URI fragment (`#/a/0`). None where it leads nowhere.
pub(crate) fn find(text: &str, pointer: &str) -> Option<Range<usize>> {
    let path = match pointer.strip_prefix('#') {
        Some(fragment) => percent_decoded(fragment)?,
        None => pointer.to_owned(),
    };
    let mut parser = Parser::new(text);
    for token in path.split('/').skip(1) {
        parser.enter(&token.replace("~1", "/").replace("~0", "~"))?;
    }
    parser.span()
}

/// The first key of an object, in `text`, that it has twice, and where it stands again.
pub(crate) fn repeated_key(text: &str) -> Option<(String, Range<usize>)> {
    let mut parser = Parser::new(text);
    let mut known = HashSet::new();
    parser
        .keys()?
        .into_iter()
        .find(|(key, _)| !known.insert(key.clone()))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).ok()?;
                bytes.push(u8::from_str_radix(digits, 16).ok()?);
                rest = after;
            }
            _ => bytes.push(*first),
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_to_values() {
        let text = r#" {"a": [1, {"b/c": "x\"]"}], "é %": {"d": [ ]}, "e": -1.5e3} "#;
        for (pointer, found) in [
            ("#/a/0", Some("1")),
            ("/a/1/b~1c", Some(r#""x\"]""#)),
            ("#/%C3%A9%20%25/d", Some("[ ]")),
            ("#/e", Some("-1.5e3")),
            ("#/a", Some(r#"[1, {"b/c": "x\"]"}]"#)),
            ("#", Some(text.trim())),
            ("#/a/2", None),
            ("#/f", None),
            ("#/e/0", None),
        ] {
            assert_eq!(
                find(text, pointer).map(|span| &text[span]),
                found,
                "{pointer}"
            );
        }
    }

    #[test]
    fn finds_the_key_that_comes_twice() {
        for (text, found) in [
            (r#"{"a": {"b": 1, "b": 2}, "c": 1}"#, None),
            (
                r#" {"a": 1, "b": [], "\u0061": 2, "b": 1}"#,
                Some(("a", 19..27)),
            ),
            ("[]", None),
            ("{", None),
        ] {
            let found = found.map(|(key, span)| (key.to_owned(), span));
            assert_eq!(repeated_key(text), found, "{text}");
        }
    }

    #[test]
    fn survives_what_is_no_json() {
        for text in ["", "{", "[", "\"", "{\"a\"", "}", "{\"a\\"] {
            assert_eq!(find(text, "#/a"), None, "{text}");
        }
    }
}
