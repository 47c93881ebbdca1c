//! Labels of host names in Punycode: A-labels (RFC 5890, section 2.3.2.1), in lower case.
//!
//! What such a label decodes to must be a label itself, of the letters and in the order that
//! `tests/json_schema_formats/sources/idn.rs` says. Which texts those are is a matter of arithmetic: no
//! automaton of a sane size tells. So a label is read to its end, decoded, and looked up.

mod punycode;

use crate::regular::{Dfa, StateId};

/// What A-labels begin with.
pub(crate) const PREFIX: &str = "xn--";
/// How many octets may follow the prefix: 63 in all (RFC 1035, section 2.3.4).
pub(crate) const LONGEST: usize = 59;
/// As many letters, digits and hyphens may follow the prefix in any order, and [`ENDING`] makes an
/// A-label of them all the same. What is longer is not written otherwise.
pub(crate) const FREE: usize = LONGEST - ENDING.len();
/// Inserts `ßßßß` before so many characters, and `ß` after them: neither hyphens nor digits are at
/// fault in their places then.
pub(crate) const ENDING: &[u8] = b"-p7daaa4c";

/// How a label is written, and beside which others it may stand (RFC 5893, section 2). The number
/// stands for such labels in [`HostNames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// From right to left.
    RightToLeft = 0,
    /// From left to right.
    LeftToRight = 1,
    /// From left to right, and not beside labels that are written from right to left.
    Alone = 2,
}

impl Kind {
    const ALL: [Self; 3] = [Self::RightToLeft, Self::LeftToRight, Self::Alone];

    pub(crate) fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// What A-labels may decode to.
#[derive(Debug)]
pub(crate) struct Labels(Dfa);

fn unpack(table: &[u8]) -> Dfa {
    Dfa::unpack(table).expect("each table was made of an automaton")
}

impl Labels {
    pub(crate) fn new() -> Self {
        Self(unpack(include_bytes!("u-labels.bin")))
    }

    /// The kind of the A-label with `text` after its prefix; `None` where it is none.
    pub(crate) fn kind(&self, text: &[u8]) -> Option<Kind> {
        let plain = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        if text.len() > LONGEST || !text.iter().all(plain) {
            return None;
        }
        let label = punycode::decode(text)?;
        let end = self.0.run(self.0.start(), label.as_bytes());
        let is = |kind: &Kind| self.0.is_accepting(self.0.next(end, *kind as u8));
        Kind::ALL.into_iter().find(is)
    }
}

/// Host names of which some label is an A-label.
///
/// For what follows the prefix of one, the automaton reads the number of its kind, [`LONGEST`] times:
/// so the lengths of its paths are the greatest that names may have.
#[derive(Debug)]
pub(crate) struct HostNames {
    pub(crate) dfa: Dfa,
    /// Per state, how many characters there are at least to an end.
    shortest: Box<[u32]>,
}

impl HostNames {
    pub(crate) fn new() -> Self {
        let dfa = unpack(include_bytes!("a-label-names.bin"));
        let mut shortest: Box<[u32]> = dfa
            .states()
            .map(|state| match dfa.is_accepting(state) {
                true => 0,
                false => u32::MAX,
            })
            .collect();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            // Ways to an end lead mostly to states of greater numbers.
            for state in (0..dfa.len()).rev().map(StateId::from_usize) {
                let further = dfa.ranges(state).map(|(.., to)| shortest[to.index()]);
                let least = further
                    .min()
                    .map_or(u32::MAX, |least| least.saturating_add(1));
                if least < shortest[state.index()] {
                    shortest[state.index()] = least;
                    changed = true;
                }
            }
        }
        Self { dfa, shortest }
    }

    /// How many characters there are at least to an end, were all A-labels as long as can be.
    pub(crate) fn shortest(&self, state: StateId) -> u32 {
        self.shortest[state.index()]
    }

    pub(crate) fn greatest(&self) -> u32 {
        let live = self.shortest.iter().filter(|&&length| length < u32::MAX);
        live.copied().max().unwrap_or(0)
    }

    /// Whether the prefix of an A-label has just been read.
    pub(crate) fn awaits_label(&self, state: StateId) -> bool {
        self.dfa.next(state, Kind::LeftToRight as u8) != Dfa::DEAD
    }

    /// Where one is after an A-label of this kind whose prefix has just been read.
    pub(crate) fn after_label(&self, state: StateId, kind: Kind) -> StateId {
        self.dfa.run(state, &[kind as u8; LONGEST])
    }

    /// Whether `text` is such a name. Its length is not looked at.
    pub(crate) fn contains(&self, text: &str) -> bool {
        let labels = Labels::new();
        let mut state = self.dfa.start();
        let mut parts = text.split('.').peekable();
        while let Some(part) = parts.next() {
            state = match part.strip_prefix(PREFIX) {
                None => self.dfa.run(state, part.as_bytes()),
                Some(text) => match labels.kind(text.as_bytes()) {
                    Some(kind) => self.after_label(self.dfa.run(state, PREFIX.as_bytes()), kind),
                    None => return false,
                },
            };
            if parts.peek().is_some() {
                state = self.dfa.next(state, b'.');
            }
        }
        !text.bytes().any(|byte| byte < b' ') && self.dfa.is_accepting(state)
    }
}
