//! From a JSON pointer to its place in the text.

use std::ops::Range;

/// Where the value stands in `text`, which is JSON, that `pointer` leads to: an RFC 6901 pointer,
/// plain or as a URI fragment (`#/a/0`). None where it leads nowhere.
pub(crate) fn find(text: &str, pointer: &str) -> Option<Range<usize>> {
    let path = match pointer.strip_prefix('#') {
        Some(fragment) => percent_decoded(fragment)?,
        None => pointer.to_owned(),
    };
    let mut scanner = Scanner {
        text: text.as_bytes(),
        at: 0,
    };
    for token in path.split('/').skip(1) {
        scanner.enter(&token.replace("~1", "/").replace("~0", "~"))?;
    }
    scanner.white_space();
    let start = scanner.at;
    scanner.skip_value()?;
    Some(start..scanner.at)
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

/// A place in a JSON text.
struct Scanner<'t> {
    text: &'t [u8],
    at: usize,
}

impl Scanner<'_> {
    fn white_space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn eat(&mut self, byte: u8) -> bool {
        self.white_space();
        let there = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(there);
        there
    }

    /// Goes to the member or item `token` of the value here.
    fn enter(&mut self, token: &str) -> Option<()> {
        if self.eat(b'{') {
            loop {
                let key = self.string()?;
                if !self.eat(b':') {
                    return None;
                }
                if key == token {
                    return Some(());
                }
                self.skip_value()?;
                if !self.eat(b',') {
                    return None;
                }
            }
        }
        let index: usize = token.parse().ok()?;
        if !self.eat(b'[') {
            return None;
        }
        for _ in 0..index {
            self.skip_value()?;
            if !self.eat(b',') {
                return None;
            }
        }
        Some(())
    }

    fn string(&mut self) -> Option<String> {
        self.white_space();
        let start = self.at;
        self.skip_string()?;
        serde_json::from_slice(&self.text[start..self.at]).ok()
    }

    fn skip_string(&mut self) -> Option<()> {
        if !self.eat(b'"') {
            return None;
        }
        loop {
            let byte = *self.text.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return Some(()),
                b'\\' => self.at += 1,
                _ => {}
            }
        }
    }

    fn skip_value(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            self.white_space();
            match *self.text.get(self.at)? {
                b'"' => self.skip_string()?,
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' => self.at += 1,
                _ => self.skip_word(),
            }
            if depth == 0 {
                return Some(());
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn skip_word(&mut self) {
        while !matches!(
            self.text.get(self.at),
            None | Some(
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' | b'}' | b']' | b'"' | b'{' | b'['
            )
        ) {
            self.at += 1;
        }
    }
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
    fn survives_what_is_no_json() {
        for text in ["", "{", "[", "\"", "{\"a\"", "}", "{\"a\\"] {
            assert_eq!(find(text, "#/a"), None, "{text}");
        }
    }
}
