//! What the tokens of a vocabulary can see of JSON: where they begin, and how far they reach.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::base::TokenId;
use crate::grammar::{CLOSERS, DELIMITER, NEVER_BEFORE, SEPARATOR, Sight, Viewpoint};
use crate::vocab::Vocabulary;

/// What tokens have in them that tells what they can see.
#[derive(Debug, Default)]
pub(super) struct Views {
    any: View,
    value: View,
    colon: View,
    key: View,
    /// By what is before them, the beginnings of keys at the ends of tokens.
    keys: FxHashMap<Option<u8>, Keys>,
    /// Texts from delimiter to delimiter.
    texts: FxHashSet<Box<[u8]>>,
    longest: u32,
}

/// What tokens that begin somewhere have behind the end of a value.
#[derive(Debug, Default)]
struct View {
    separates: bool,
    /// The closers of each token, in their order.
    closers: FxHashSet<Closers>,
}

/// Closers in their order.
pub(super) type Closers = SmallVec<[u8; 8]>;

#[derive(Debug, Default)]
struct Keys {
    /// What stands from a delimiter on at the end of some token, ascending.
    tails: Vec<Box<[u8]>>,
    /// By the byte behind the delimiter, where they begin.
    starts: Vec<u32>,
    /// Whether some of them go on beyond the key's colon.
    pass: bool,
}

impl Views {
    pub(super) fn new(vocabulary: &Vocabulary) -> Self {
        let mut views = Self::default();
        let telling = [SEPARATOR, DELIMITER, CLOSERS[0], CLOSERS[1]];
        let slices = vocabulary.slices();
        let mut tokens: Vec<TokenId> = Vec::new();
        telling
            .iter()
            .for_each(|&byte| tokens.extend_from_slice(slices.containing(byte)));
        tokens.sort_unstable();
        tokens.dedup();
        for token in tokens {
            views.add(vocabulary.bytes(token).unwrap_or_default());
        }
        views.keys.values_mut().for_each(Keys::sort);
        let nodes = vocabulary.trie().nodes().iter();
        views.longest = nodes.map(|node| node.depth() as u32).max().unwrap_or(0);
        views
    }

    fn add(&mut self, token: &[u8]) {
        self.any.separates |= token.contains(&SEPARATOR);
        self.any.close(token);
        let text = trim(token);
        self.value.see(text);
        if let [NEVER_BEFORE, value @ ..] = text {
            self.colon.see(value);
        }
        let delimiters = |text: &[u8]| -> SmallVec<[usize; 8]> {
            let bytes = text.iter().enumerate();
            let delimiters = bytes.filter(|(_, byte)| **byte == DELIMITER);
            delimiters.map(|(at, _)| at).collect()
        };
        for at in delimiters(token) {
            let (before, tail) = token.split_at(at);
            if let [NEVER_BEFORE, value @ ..] = trim(&tail[1..]) {
                self.key.see(value);
            }
            let before = before.iter().rev().find(|byte| !is_space(**byte)).copied();
            let keys = self.keys.entry(before).or_default();
            if tail.len() > 1 {
                keys.tails.push(tail.into());
            }
            for end in delimiters(tail).into_iter().skip(1) {
                self.texts.insert(tail[..=end].into());
                if let [NEVER_BEFORE, value @ ..] = trim(&tail[end + 1..]) {
                    keys.pass |= !trim(value).is_empty();
                }
            }
        }
    }

    fn view(&self, from: Viewpoint) -> &View {
        match from {
            Viewpoint::Any => &self.any,
            Viewpoint::Value => &self.value,
            Viewpoint::Colon => &self.colon,
            Viewpoint::Key => &self.key,
        }
    }
}

impl View {
    /// Counts a token, of which `text` is left where a value begins.
    fn see(&mut self, text: &[u8]) {
        if let Some(rest) = behind_value(trim(text)) {
            self.separates |= rest[0] == SEPARATOR;
            self.close(rest);
        }
    }

    fn close(&mut self, text: &[u8]) {
        let closers = text.iter().copied().filter(|byte| CLOSERS.contains(byte));
        let closers: Closers = closers.collect();
        if !closers.is_empty() {
            self.closers.insert(closers);
        }
    }

    /// Whether some token has these closers, in this order.
    fn has(&self, closers: &[u8]) -> bool {
        self.closers.iter().any(|all| {
            let mut all = all.iter();
            closers
                .iter()
                .all(|closer| all.any(|other| other == closer))
        })
    }
}

impl Keys {
    fn sort(&mut self) {
        self.tails.sort_unstable();
        self.tails.dedup();
        let tails = &self.tails;
        let start = |byte: u32| tails.partition_point(|tail| u32::from(tail[1]) < byte) as u32;
        self.starts = (0..=256).map(start).collect();
    }

    /// See [`Sight::seen`].
    fn seen(&self, key: &[u8]) -> Option<usize> {
        let second = usize::from(*key.get(1)?);
        let mut tails = &self.tails[self.starts[second] as usize..self.starts[second + 1] as usize];
        let mut seen = 1;
        for (depth, &byte) in key.iter().enumerate().skip(1) {
            let from = tails.partition_point(|tail| tail[depth] < byte);
            let count = tails[from..].partition_point(|tail| tail[depth] == byte);
            tails = &tails[from..from + count];
            match tails {
                [] => return Some(seen),
                [first, longer @ ..] if first.len() == depth + 1 => {
                    (seen, tails) = (depth + 1, longer)
                }
                _ => {}
            }
        }
        tails.is_empty().then_some(seen)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn trim(text: &[u8]) -> &[u8] {
    let spaces = text.iter().take_while(|byte| is_space(**byte));
    &text[spaces.count()..]
}

fn begins_value(text: &[u8]) -> bool {
    let begins = |byte| {
        matches!(
            byte,
            b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n' | b'[' | b'{'
        )
    };
    text.first().is_some_and(|&byte| begins(byte))
}

/// What follows the value that `text` begins with, from the separator or the closer behind it on.
fn behind_value(text: &[u8]) -> Option<&[u8]> {
    if !begins_value(text) {
        return None;
    }
    let (mut depth, mut quoted, mut escaped) = (0, false, false);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            DELIMITER => quoted = !quoted,
            _ if quoted => {}
            b'[' | b'{' => depth += 1,
            SEPARATOR | b']' | b'}' if depth == 0 => return Some(&text[at..]),
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// From where tokens see that come to where one sees `from`, or begin there if they did not begin before, at `begun`.
pub(super) fn narrowed(begun: Option<Viewpoint>, from: Viewpoint) -> Viewpoint {
    match (begun, from) {
        // Before a colon there is a key.
        (Some(_), Viewpoint::Colon) => Viewpoint::Key,
        (Some(begun), _) => begun,
        (None, from) => from,
    }
}

/// What tokens see from an item, or from where it has led in the same token.
pub(super) struct Eyes<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) views: &'a Views,
    /// From where they see, if they do not begin here.
    pub(super) from: Option<Viewpoint>,
    /// What they had to close to come here.
    pub(super) closed: &'a [u8],
}

impl Sight for Eyes<'_> {
    fn seen(&self, before: Option<u8>, key: &[u8]) -> Option<usize> {
        match self.views.keys.get(&before) {
            Some(keys) => keys.seen(key),
            None => Some(0),
        }
    }

    fn passes_key(&self, before: Option<u8>) -> bool {
        let keys = self.views.keys.get(&before);
        keys.is_some_and(|keys| keys.pass)
    }

    fn has(&self, key: &[u8]) -> bool {
        self.views.texts.contains(key)
    }

    fn spans(&self, text: &[u8]) -> bool {
        self.vocabulary.trie().find(text).is_some()
    }

    fn separates(&self, from: Viewpoint) -> bool {
        !self.closed.is_empty() || self.views.view(narrowed(self.from, from)).separates
    }

    fn closes(&self, from: Viewpoint, closer: u8) -> bool {
        let mut closers = Closers::from_slice(self.closed);
        closers.push(closer);
        self.views.view(narrowed(self.from, from)).has(&closers)
    }

    fn longest(&self) -> u32 {
        self.views.longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_value_is_found() {
        let cases: [(&str, Option<&str>); 10] = [
            ("1,", Some(",")),
            ("\"a,}\", \"b", Some(", \"b")),
            ("\"\\\"]\"]}", Some("]}")),
            ("[{},1]}]", Some("}]")),
            ("[1,", None),
            ("true", None),
            ("\"a", None),
            ("]", None),
            (", ", None),
            ("", None),
        ];
        for (text, expected) in cases {
            let found = behind_value(text.as_bytes());
            assert_eq!(found, expected.map(str::as_bytes), "{text}");
        }
    }

    #[test]
    fn the_seen_part_of_a_key_is_found() {
        let mut keys = Keys {
            tails: ["\"na", "\"name", "\"id\":", "\"n\""]
                .map(|tail| tail.as_bytes().into())
                .into(),
            ..Keys::default()
        };
        keys.sort();
        let cases = [
            ("\"name\"", Some(5)),
            ("\"nap\"", Some(3)),
            ("\"no\"", Some(1)),
            ("\"n\"", Some(3)),
            ("\"id\"", None),
            ("\"x\"", Some(1)),
        ];
        for (key, expected) in cases {
            assert_eq!(keys.seen(key.as_bytes()), expected, "{key}");
        }
    }

    #[test]
    fn closers_are_seen_in_their_order() {
        let mut view = View::default();
        view.see(b"\"\"}, []]");
        assert!(view.has(b"}") && view.has(b"}]") && view.has(b"]]"));
        assert!(!view.has(b"]}") && !view.separates);
    }
}
