//! What follows the prefix of an A-label in a host name, up to the `.` or the quote after it.

use std::sync::OnceLock;

use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::host_names::{ENDING, FREE, Kind, LONGEST, Labels};
use crate::grammar::{Ends, Hints, ImplicitBody, KeyWriter, Node, Reading, Shadow, Words};

/// The bytes after `count` others that leave it open to end as an A-label.
fn letters(count: usize, mut range: impl FnMut(u8, u8)) {
    if count < FREE {
        let classes = [(b'-', b'-'), (b'0', b'9'), (b'a', b'z')];
        classes.into_iter().for_each(|(lo, hi)| range(lo, hi));
    } else if let Some(&byte) = ENDING.get(count - FREE) {
        range(byte, byte);
    }
}

/// An A-label without its prefix, and what ends it. The exit says what was read.
///
/// Positions are the bytes read, one to a word. Whatever they are, [`ENDING`] makes an A-label of the
/// first [`FREE`] of them.
#[derive(Debug)]
pub(super) struct ALabelBody {
    /// The rule of [`AnyLabelBody`].
    pub(super) any: RuleId,
    pub(super) labels: OnceLock<Labels>,
}

/// How an A-label has ended.
pub(super) struct Ended {
    pub(super) kind: Kind,
    /// How many bytes stand between the prefix and the end.
    pub(super) length: u32,
    /// The byte after it.
    pub(super) by: u8,
}

impl Ended {
    fn words(&self) -> Words {
        Words::from([self.kind as u32, self.length, u32::from(self.by)])
    }

    pub(super) fn read(words: &[u32]) -> Option<Self> {
        Some(Self {
            kind: Kind::of(words[0])?,
            length: words[1],
            by: words[2] as u8,
        })
    }
}

impl ALabelBody {
    fn kind(&self, text: &[u8]) -> Option<Kind> {
        self.labels.get_or_init(Labels::new).kind(text)
    }
}

impl ImplicitBody for ALabelBody {
    fn start(&self, _args: &Words) -> Words {
        Words::new()
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let read: Vec<u8> = words.iter().map(|&byte| byte as u8).collect();
        if let Some((&by @ (b'.' | b'"'), label)) = read.split_last() {
            let kind = self.kind(label).expect("only A-labels are ended");
            let length = label.len() as u32;
            node.exit = Some(Ended { kind, length, by }.words());
            return;
        }
        letters(read.len(), |lo, hi| node.range(lo, hi, Words::new()));
        if self.kind(&read).is_some() {
            node.byte(b'.', Words::new());
            node.byte(b'"', Words::new());
        }
        node.reading = Reading::Recording {
            carried: read.len() as u32,
        };
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for ALabelBody {
    fn shadow(&self, words: &Words) -> Option<Shadow<'_>> {
        let ended = |&byte: &u32| [b'.', b'"'].map(u32::from).contains(&byte);
        (!words.last().is_some_and(ended)).then(|| Shadow {
            ends: Ends::Fewer,
            ..Shadow::of(self.any, Words::from([words.len() as u32]))
        })
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::A_LABEL);
        true
    }
}

/// What [`ALabelBody`] reads, and as much that it does not end. Positions count the bytes.
#[derive(Debug)]
pub(super) struct AnyLabelBody;

/// The position after the end.
const ENDED: u32 = LONGEST as u32 + 1;

impl ImplicitBody for AnyLabelBody {
    fn start(&self, _args: &Words) -> Words {
        Words::from([0])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let count = words[0];
        if count == ENDED {
            return node.end();
        }
        letters(count as usize, |lo, hi| {
            node.range(lo, hi, Words::from([count + 1]));
        });
        node.byte(b'.', Words::from([ENDED]));
        node.byte(b'"', Words::from([ENDED]));
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for AnyLabelBody {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::ANY_LABEL);
        true
    }
}
