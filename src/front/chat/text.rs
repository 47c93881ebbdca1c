//! Free text as automata: UTF-8 (RFC 3629) that does not spell what it must not.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::prefixes::Prefixes;
use crate::base::{ByteSet, LimitError, Limits};
use crate::grammar::{Label, Nfa, NfaState};

/// What a text may spell of the control tokens of its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spelling {
    /// None of them.
    Never,
    /// One of them where its first byte stands doubled. The text does not end in such a byte,
    /// which would escape whatever follows.
    Doubled,
}

/// A text: any UTF-8, with exclusions. No string of them is empty.
#[derive(Clone, Debug)]
pub(super) struct Text<'a> {
    /// The strings that are never in it.
    pub(super) without: &'a [String],
    /// The strings that are in it only where their first byte stands doubled.
    pub(super) doubled: &'a [String],
    /// What stands right before it, and counts.
    pub(super) after: &'a str,
}

/// Within UTF-8: how many continuation bytes follow, and what range the next one has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Pending {
    bytes: u8,
    lo: u8,
    hi: u8,
}

const NOTHING: Pending = Pending {
    bytes: 0,
    lo: 0,
    hi: 0,
};

/// The bytes that may start a character, in ranges, and what must follow them.
const LEADS: [(u8, u8, Pending); 9] = [
    (0x00, 0x7F, NOTHING),
    (
        0xC2,
        0xDF,
        Pending {
            bytes: 1,
            lo: 0x80,
            hi: 0xBF,
        },
    ),
    (
        0xE0,
        0xE0,
        Pending {
            bytes: 2,
            lo: 0xA0,
            hi: 0xBF,
        },
    ),
    (
        0xE1,
        0xEC,
        Pending {
            bytes: 2,
            lo: 0x80,
            hi: 0xBF,
        },
    ),
    (
        0xED,
        0xED,
        Pending {
            bytes: 2,
            lo: 0x80,
            hi: 0x9F,
        },
    ),
    (
        0xEE,
        0xEF,
        Pending {
            bytes: 2,
            lo: 0x80,
            hi: 0xBF,
        },
    ),
    (
        0xF0,
        0xF0,
        Pending {
            bytes: 3,
            lo: 0x90,
            hi: 0xBF,
        },
    ),
    (
        0xF1,
        0xF3,
        Pending {
            bytes: 3,
            lo: 0x80,
            hi: 0xBF,
        },
    ),
    (
        0xF4,
        0xF4,
        Pending {
            bytes: 3,
            lo: 0x80,
            hi: 0x8F,
        },
    ),
];

impl Pending {
    /// What may come next, in ranges, and what must follow each.
    fn ranges(self) -> Vec<(u8, u8, Self)> {
        match self.bytes {
            0 => LEADS.to_vec(),
            1 => vec![(self.lo, self.hi, NOTHING)],
            n => vec![(
                self.lo,
                self.hi,
                Self {
                    bytes: n - 1,
                    lo: 0x80,
                    hi: 0xBF,
                },
            )],
        }
    }
}

impl Text<'_> {
    /// The automaton of the text. A state is how much of an excluded string and of a character has been read.
    ///
    /// # Errors
    /// Where the strings are too long or too many.
    pub(super) fn automaton(&self, limits: &Limits) -> Result<Nfa, LimitError> {
        let strings = self.without.iter().chain(self.doubled);
        let bytes: ByteSet = strings.flat_map(|string| string.bytes()).collect();
        let first = |string: &String| string.as_bytes().first().copied();
        let never_last: ByteSet = self.doubled.iter().filter_map(first).collect();
        let prefixes = Prefixes::new(self.without, self.doubled, bytes, limits)?;
        let mut nfa = Nfa::new();
        let mut states: FxHashMap<(usize, Pending), NfaState> = FxHashMap::default();
        let mut open = vec![(prefixes.after(self.after), NOTHING)];
        states.insert(open[0], nfa.start());
        while let Some((read, pending)) = open.pop() {
            let from = states[&(read, pending)];
            let last = prefixes.last_byte(read);
            if pending == NOTHING && last.is_none_or(|last| !never_last.contains(last)) {
                nfa.accept(from);
            }
            let most = limits.automaton_states;
            LimitError::check("states of a rule body", states.len(), most)?;
            for (lo, hi, after) in pending.ranges() {
                for (lo, hi) in bytes.cut(lo, hi) {
                    let Some(read) = prefixes.step(read, lo) else {
                        continue;
                    };
                    let to = *states.entry((read, after)).or_insert_with(|| {
                        open.push((read, after));
                        nfa.state()
                    });
                    nfa.bytes(from, lo, hi, to);
                }
            }
        }
        Ok(nfa)
    }
}

/// What each byte of a name that is excluded costs: an edge for each byte of names.
const STEPS_PER_BYTE_OF_A_NAME: usize = 512;

/// Names of letters, digits, `_`, `-` and dots that are none of `others`.
///
/// # Errors
/// Where they are too long or too many.
pub(super) fn name_but(others: &[String], limits: &Limits) -> Result<Nfa, LimitError> {
    let length: usize = others.iter().map(String::len).sum();
    limits.charge(STEPS_PER_BYTE_OF_A_NAME * length)?;
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.".contains(byte);
    let bytes: Vec<u8> = (0..=u8::MAX).filter(is_name).collect();
    let mut nfa = Nfa::new();
    let free = nfa.state();
    nfa.accept(free);
    for &byte in &bytes {
        nfa.bytes(free, byte, byte, free);
    }
    // What has been read of a name that may still become one of the others.
    let mut states: FxHashMap<&[u8], NfaState> = FxHashMap::default();
    let prefixes: BTreeSet<&[u8]> = others
        .iter()
        .flat_map(|other| (0..=other.len()).map(|end| &other.as_bytes()[..end]))
        .collect();
    for &prefix in &prefixes {
        let state = if prefix.is_empty() {
            nfa.start()
        } else {
            nfa.state()
        };
        states.insert(prefix, state);
    }
    for &prefix in &prefixes {
        let is_other = others.iter().any(|other| other.as_bytes() == prefix);
        if !prefix.is_empty() && !is_other {
            nfa.accept(states[prefix]);
        }
        for &byte in &bytes {
            let next = [prefix, &[byte]].concat();
            let to = states.get(next.as_slice()).copied().unwrap_or(free);
            nfa.bytes(states[prefix], byte, byte, to);
        }
    }
    Ok(nfa)
}

/// Lets the automaton of a text not end right behind one of `bytes`.
pub(super) fn not_ending_in(text: &mut Nfa, bytes: &[u8]) {
    // The states behind such a byte and those behind others are told apart by doubling each state.
    let count = text.nodes.len();
    let originals = text.nodes.clone();
    for node in &originals {
        let mut copy = node.clone();
        copy.exit = None;
        text.nodes.push(copy);
    }
    for at in 0..2 * count {
        let mut edges = Vec::new();
        for (label, to) in &originals[at % count].edges {
            let Label::Bytes(lo, hi) = *label else {
                continue;
            };
            for byte in lo..=hi {
                let shift = if bytes.contains(&byte) { count } else { 0 };
                let to = NfaState::from_usize(to.index() + shift);
                edges.push((Label::Bytes(byte, byte), to));
            }
        }
        text.nodes[at].edges = edges;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::grammar::{Body, Grammar, GrammarBuilder};
    use proptest::prelude::*;

    fn compile(text: &Text<'_>) -> Grammar {
        let mut builder = GrammarBuilder::new(Limits::default());
        let rule = builder.declare("text");
        builder
            .define(rule, &text.automaton(&Limits::default()).unwrap())
            .unwrap();
        builder.finish(rule).unwrap()
    }

    fn contains(grammar: &Grammar, text: &[u8]) -> bool {
        let Body::Automaton(automaton) = grammar.rule(grammar.root()).body() else {
            panic!("text is an automaton");
        };
        let mut at = 0;
        for byte in text {
            let node = &automaton.nodes[at as usize];
            let Some(edge) = node.edges.iter().find(|e| (e.lo..=e.hi).contains(byte)) else {
                return false;
            };
            at = edge.to;
        }
        automaton.nodes[at as usize].exit.is_some()
    }

    /// What the two kinds of text are by their definition.
    fn oracle(text: &str, without: &[String], spelling: Spelling) -> bool {
        let stands_alone = |at: usize, string: &str| {
            spelling == Spelling::Never
                || at == 0
                || text.as_bytes()[at - 1] != string.as_bytes()[0]
        };
        let open = spelling == Spelling::Doubled && without.iter().any(|s| text.ends_with(&s[..1]));
        !open
            && without.iter().all(|string| {
                (0..text.len()).all(|at| {
                    !text.as_bytes()[at..].starts_with(string.as_bytes())
                        || !stands_alone(at, string)
                })
            })
    }

    proptest! {
        #[test]
        fn texts_are_what_their_definition_says(text in "[<>|abéx]{0,12}", doubled: bool) {
            let without: Vec<String> = ["<a|", "<|b|", "|a"].map(String::from).to_vec();
            let (spelling, text_of) = match doubled {
                true => (Spelling::Doubled, Text { without: &[], doubled: &without, after: "" }),
                false => (Spelling::Never, Text { without: &without, doubled: &[], after: "" }),
            };
            let grammar = compile(&text_of);
            prop_assert_eq!(contains(&grammar, text.as_bytes()), oracle(&text, &without, spelling));
        }

        #[test]
        fn texts_are_utf8(text in proptest::collection::vec(any::<u8>(), 0..6)) {
            let grammar = compile(&Text { without: &[], doubled: &[], after: "" });
            prop_assert_eq!(contains(&grammar, &text), std::str::from_utf8(&text).is_ok());
        }
    }

    #[test]
    fn plain_text_is_seven_states() {
        let without = ["<|end|>".to_owned()];
        let grammar = compile(&Text {
            without: &without,
            doubled: &[],
            after: "",
        });
        let Body::Automaton(automaton) = grammar.rule(grammar.root()).body() else {
            panic!("text is an automaton");
        };
        // One for each byte of `<|end|` read, and one for each way into a character.
        assert_eq!(automaton.nodes.len(), 7 + 7);
        assert!(
            automaton.nodes[0]
                .edges
                .iter()
                .any(|e| e.to == 0 && e.lo == b'=' && e.hi == 0x7F)
        );
    }
}
