//! How strings are spelt: the characters and escapes of RFC 8259, section 7, byte by byte.

use std::sync::OnceLock;

use smallvec::{SmallVec, smallvec};

use crate::base::{ByteSet, longest_beginning};
use crate::grammar::KeyWriter;
use crate::regular::utf8::is_continuation;

/// The characters of one byte that need no escape.
pub(super) const PLAIN: ByteSet = ByteSet::range(b' ', b'~')
    .without(&ByteSet::range(b'"', b'"'))
    .without(&ByteSet::range(b'\\', b'\\'));

/// States of a string under way, the same for both sets of escapes.
pub(super) mod state {
    /// White space, then the opening quote.
    pub(crate) const LEAD: u32 = 0;
    /// The opening quote.
    pub(crate) const BARE: u32 = 1;
    /// Between two characters.
    pub(crate) const BODY: u32 = 2;
    /// After the closing quote.
    pub(crate) const END: u32 = 3;
    /// After a backslash.
    pub(crate) const ESCAPE: u32 = 11;
}

/// Which escapes are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Escapes {
    /// All that JSON has, surrogates in pairs only.
    All,
    /// Those without which a text cannot be spelt, each in one way only, as Python's `json.dumps`
    /// has them: so a text has exactly one spelling.
    Minimal,
}

type Row = &'static [(u8, u8, u8)];

impl Escapes {
    /// What a state leads to: byte ranges and states.
    pub(super) fn row(self, state: u32) -> Row {
        match self {
            Self::All => ALL[state as usize],
            Self::Minimal if state >= state::ESCAPE => MINIMAL[(state - state::ESCAPE) as usize],
            Self::Minimal => ALL[state as usize],
        }
    }

    /// The state after `byte`.
    fn step(self, state: u32, byte: u8) -> Option<u32> {
        let edge = self
            .row(state)
            .iter()
            .find(|edge| (edge.0..=edge.1).contains(&byte))?;
        Some(u32::from(edge.2))
    }

    /// How many characters `text` begins, read from `state`.
    pub(super) fn count(self, mut state: u32, text: &[u8]) -> u32 {
        let mut count = 0;
        let mut text = text;
        if state == state::BODY {
            // What needs no decoding is counted by its first bytes.
            let plain = text.iter().position(|&byte| byte == b'"' || byte == b'\\');
            let (plain, rest) = text.split_at(plain.unwrap_or(text.len()));
            count = plain.iter().filter(|&&byte| !is_continuation(byte)).count() as u32;
            text = rest;
        }
        for &byte in text {
            count += u32::from(state == state::BODY && byte != b'"');
            match self.step(state, byte) {
                Some(next) => state = next,
                None => break,
            }
        }
        count
    }
}

/// A text's characters as they stand between the quotes, when no escape is needed: UTF-8 but for
/// `"`, `\` and control characters.
const BODY: Row = &[
    (b' ', b'!', 2),
    (b'"', b'"', 3),
    (b'#', b'[', 2),
    (b'\\', b'\\', 11),
    (b']', 0x7F, 2),
    (0xC2, 0xDF, 4),
    (0xE0, 0xE0, 7),
    (0xE1, 0xEC, 5),
    (0xED, 0xED, 8),
    (0xEE, 0xEF, 5),
    (0xF0, 0xF0, 9),
    (0xF1, 0xF3, 6),
    (0xF4, 0xF4, 10),
];

/// Any hexadecimal digit, then the given state.
macro_rules! hex {
    ($to:literal) => {
        &[(b'0', b'9', $to), (b'A', b'F', $to), (b'a', b'f', $to)]
    };
}

const ALL: [Row; 23] = [
    &[
        (b'\t', b'\n', 0),
        (b'\r', b'\r', 0),
        (b' ', b' ', 0),
        (b'"', b'"', 2),
    ],
    &[(b'"', b'"', 2)],
    BODY,
    &[],
    // 4 to 10: inside a character of several bytes (RFC 3629, section 4).
    &[(0x80, 0xBF, 2)],
    &[(0x80, 0xBF, 4)],
    &[(0x80, 0xBF, 5)],
    &[(0xA0, 0xBF, 4)],
    &[(0x80, 0x9F, 4)],
    &[(0x90, 0xBF, 5)],
    &[(0x80, 0x8F, 5)],
    // 11: after a backslash.
    &[
        (b'"', b'"', 2),
        (b'/', b'/', 2),
        (b'\\', b'\\', 2),
        (b'b', b'b', 2),
        (b'f', b'f', 2),
        (b'n', b'n', 2),
        (b'r', b'r', 2),
        (b't', b't', 2),
        (b'u', b'u', 12),
    ],
    // 12 to 15: the four digits of `\u`.
    &[
        (b'0', b'9', 13),
        (b'A', b'C', 13),
        (b'D', b'D', 16),
        (b'E', b'F', 13),
        (b'a', b'c', 13),
        (b'd', b'd', 16),
        (b'e', b'f', 13),
    ],
    hex!(14),
    hex!(15),
    hex!(2),
    // 16: after `\ud`: a high surrogate, or none at all.
    &[
        (b'0', b'7', 14),
        (b'8', b'9', 17),
        (b'A', b'B', 17),
        (b'a', b'b', 17),
    ],
    // 17 to 22: the rest of a high surrogate, and the beginning of the low one.
    hex!(18),
    hex!(19),
    &[(b'\\', b'\\', 20)],
    &[(b'u', b'u', 21)],
    &[(b'D', b'D', 22), (b'd', b'd', 22)],
    &[(b'C', b'F', 14), (b'c', b'f', 14)],
];

/// From state 11 on.
const MINIMAL: [Row; 6] = [
    &[
        (b'"', b'"', 2),
        (b'\\', b'\\', 2),
        (b'b', b'b', 2),
        (b'f', b'f', 2),
        (b'n', b'n', 2),
        (b'r', b'r', 2),
        (b't', b't', 2),
        (b'u', b'u', 12),
    ],
    &[(b'0', b'0', 13)],
    &[(b'0', b'0', 14)],
    &[(b'0', b'0', 15), (b'1', b'1', 16)],
    &[(b'0', b'7', 2), (b'b', b'b', 2), (b'e', b'f', 2)],
    &[(b'0', b'9', 2), (b'a', b'f', 2)],
];

/// The letter of a character's short escape.
pub(super) fn short_escape(c: char) -> Option<u8> {
    Some(match c {
        '"' => b'"',
        '\\' => b'\\',
        '\u{8}' => b'b',
        '\u{c}' => b'f',
        '\n' => b'n',
        '\r' => b'r',
        '\t' => b't',
        _ => return None,
    })
}

/// What follows the backslash of an escape.
pub(super) type Spelt = SmallVec<[u8; 16]>;

/// Texts that must not be spelt in plain characters: all of them, looked for at once
/// (Aho and Corasick, "Efficient string matching", 1975).
#[derive(Debug, Default)]
pub(super) struct Forbidden {
    texts: Vec<String>,
    nodes: Vec<ForbiddenNode>,
    escapes: OnceLock<Box<[(Spelt, char)]>>,
}

#[derive(Debug, Default)]
struct ForbiddenNode {
    children: SmallVec<[(u8, u32); 2]>,
    /// The longest proper suffix that is a prefix of a text as well.
    fallback: u32,
    /// Whether a text ends here.
    complete: bool,
}

impl Forbidden {
    pub(super) fn new(texts: &[String]) -> Self {
        let mut forbidden = Self {
            texts: texts.to_vec(),
            nodes: vec![ForbiddenNode::default()],
            escapes: OnceLock::new(),
        };
        if texts.is_empty() {
            return forbidden;
        }
        forbidden.texts.sort_unstable();
        forbidden.texts.dedup();
        for text in &forbidden.texts {
            let mut at = 0;
            for byte in text.bytes() {
                let known = forbidden.nodes[at]
                    .children
                    .iter()
                    .find(|child| child.0 == byte);
                at = match known {
                    Some(child) => child.1 as usize,
                    None => {
                        let next = forbidden.nodes.len();
                        forbidden.nodes[at].children.push((byte, next as u32));
                        forbidden.nodes.push(ForbiddenNode::default());
                        next
                    }
                };
            }
            forbidden.nodes[at].complete = true;
        }
        forbidden.link();
        forbidden
    }

    fn link(&mut self) {
        let mut queue = vec![0u32];
        let mut next = 0;
        while next < queue.len() {
            let node = queue[next] as usize;
            next += 1;
            for (byte, child) in self.nodes[node].children.clone() {
                queue.push(child);
                if node != 0 {
                    let fallback = self.next(self.nodes[node].fallback, byte);
                    self.nodes[child as usize].fallback = fallback;
                    let complete = self.nodes[fallback as usize].complete;
                    self.nodes[child as usize].complete |= complete;
                }
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether a forbidden text has none but these bytes.
    pub(super) fn has_text_of(&self, bytes: impl Fn(u8) -> bool) -> bool {
        self.texts.iter().any(|text| text.bytes().all(&bytes))
    }

    /// How far into a forbidden text one is after `byte`.
    pub(super) fn next(&self, mut node: u32, byte: u8) -> u32 {
        loop {
            let entry = &self.nodes[node as usize];
            if let Some(child) = entry.children.iter().find(|child| child.0 == byte) {
                return child.1;
            }
            if node == 0 {
                return 0;
            }
            node = entry.fallback;
        }
    }

    /// Whether a forbidden text is complete.
    pub(super) fn is_complete(&self, node: u32) -> bool {
        self.nodes[node as usize].complete
    }

    /// Cuts `lo..=hi`, read at `node`, into ranges that lead to one node each; those that would
    /// complete a forbidden text are left out.
    pub(super) fn split(&self, node: u32, lo: u8, hi: u8, mut part: impl FnMut(u8, u8, u32)) {
        let mut special: SmallVec<[u8; 8]> = SmallVec::new();
        let mut at = node;
        loop {
            let entry = &self.nodes[at as usize];
            let bytes = entry.children.iter().map(|child| child.0);
            special.extend(bytes.filter(|byte| (lo..=hi).contains(byte)));
            if at == 0 {
                break;
            }
            at = entry.fallback;
        }
        special.sort_unstable();
        special.dedup();
        let mut from = u16::from(lo);
        for byte in special {
            if from < u16::from(byte) {
                part(from as u8, byte - 1, 0);
            }
            let next = self.next(node, byte);
            if !self.is_complete(next) {
                part(byte, byte, next);
            }
            from = u16::from(byte) + 1;
        }
        if from <= u16::from(hi) {
            part(from as u8, hi, 0);
        }
    }

    /// The characters that must be escaped, and those that may have to be for what is forbidden, with
    /// what follows their backslash, in order of that.
    pub(super) fn escapes(&self) -> &[(Spelt, char)] {
        self.escapes.get_or_init(|| {
            let controls = (0..0x20).filter_map(char::from_u32);
            let all = controls.chain(['"', '\\']).chain(self.edges());
            let mut escapes: Vec<(Spelt, char)> = Vec::with_capacity(0x22 + 2 * self.texts.len());
            escapes.extend(all.map(|c| match short_escape(c) {
                Some(letter) => (smallvec![letter], c),
                None => (unicode_escape(c)[1..].into(), c),
            }));
            escapes.sort_unstable();
            escapes.dedup();
            escapes.into_boxed_slice()
        })
    }

    /// The characters with which a forbidden text begins or ends.
    fn edges(&self) -> Vec<char> {
        let ends = |text: &String| [text.chars().next(), text.chars().next_back()];
        let mut edges: Vec<char> = self.texts.iter().flat_map(ends).flatten().collect();
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Whether one of the texts begins `rest`.
    fn begin(&self, rest: &str) -> bool {
        let rest = rest.as_bytes();
        let mut children = self.nodes.iter().take(1).flat_map(|root| &root.children);
        children.any(|(first, _)| rest.first() == Some(first))
            && longest_beginning(&self.texts, rest).is_some()
    }

    pub(super) fn describe(&self, key: &mut KeyWriter<'_>) {
        key.word(self.texts.len() as u32);
        for text in &self.texts {
            key.bytes(text.as_bytes());
        }
    }

    /// Spells `text` in quotes, with minimal escapes and those that forbidden texts ask for.
    pub(super) fn spell(&self, text: &str) -> Vec<u8> {
        let mut plain = String::with_capacity(text.len() + 2);
        for c in text.chars() {
            match short_escape(c) {
                Some(letter) => plain.extend(['\\', char::from(letter)]),
                None if c < ' ' => plain.extend(unicode_escape(c).into_iter().map(char::from)),
                None => plain.push(c),
            }
        }
        let mut spelt = Vec::with_capacity(plain.len() + 2);
        spelt.push(b'"');
        let mut done = 0;
        // An escape leaves nothing forbidden where there was nothing before: each place is looked at once.
        for (at, c) in plain.char_indices() {
            if self.begin(&plain[at..]) {
                spelt.extend_from_slice(&plain.as_bytes()[done..at]);
                spelt.extend(unicode_escape(c));
                done = at + c.len_utf8();
            }
        }
        spelt.extend_from_slice(&plain.as_bytes()[done..]);
        spelt.push(b'"');
        spelt
    }
}

/// `\u` with four digits, twice for a character beyond the basic plane.
fn unicode_escape(c: char) -> SmallVec<[u8; 16]> {
    let mut spelt = SmallVec::new();
    for &mut unit in c.encode_utf16(&mut [0; 2]) {
        let digit = |shift: u32| b"0123456789abcdef"[usize::from(unit >> shift) & 15];
        spelt.extend([b'\\', b'u', digit(12), digit(8), digit(4), digit(0)]);
    }
    spelt
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings() {
        let forbidden = Forbidden::new(&["<|end|>".to_owned(), "<|".to_owned()]);
        let cases: [(&str, &str); 5] = [
            ("a\"\\\n\u{1}é\u{7f}", "\"a\\\"\\\\\\n\\u0001é\u{7f}\""),
            ("<|end|>", r#""\u003c|end|>""#),
            ("<<|<", r#""<\u003c|<""#),
            ("", "\"\""),
            ("<|end|><|end|é|>", r#""\u003c|end|>\u003c|end|é|>""#),
        ];
        for (text, spelt) in cases {
            assert_eq!(forbidden.spell(text), spelt.as_bytes());
        }
    }

    #[test]
    fn characters_are_counted_where_they_begin() {
        let text = r#"a\n\ud83d\ude00é" x"#.as_bytes();
        assert_eq!(Escapes::All.count(state::BODY, text), 4);
        assert_eq!(Escapes::All.count(state::LEAD, br#"  "ab""#), 2);
    }
}
