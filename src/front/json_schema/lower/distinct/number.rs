//! A number that is none of some numbers.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::value::Value;
use crate::base::RuleId;
use crate::front::json_schema::lower::fresh::{pack, unpack};
use crate::front::json_schema::lower::tag;
use crate::grammar::{ImplicitBody, KeyWriter, Node, Reading, Words};

/// A number of another rule whose value is none of those given as arguments, packed; its spelling
/// is the exit.
///
/// Positions are those of the other rule, then the arguments, then the bytes read, one to a word.
#[derive(Debug)]
pub(crate) struct NumberReader {
    pub(crate) inner: Arc<dyn ImplicitBody>,
}

impl NumberReader {
    /// Whether there is a number besides those of `used`.
    pub(super) fn has_left(&self, used: &[Value]) -> bool {
        self.leads_on(&self.inner.start(&[]), &[], used)
    }

    /// Whether a number has this spelling.
    pub(super) fn reads(&self, text: &[u8]) -> bool {
        let mut at: Vec<Words> = vec![self.inner.start(&[])];
        let node = |at: &Words| {
            let mut node = Node::default();
            self.inner.expand(at, &mut node);
            node
        };
        for byte in text {
            let edges = at.iter().flat_map(|at| node(at).edges);
            let edges = edges.filter(|edge| (edge.lo..=edge.hi).contains(byte));
            at = edges.map(|edge| edge.to).collect();
        }
        at.iter().any(|at| node(at).exit.is_some())
    }

    /// Whether what is `read`, which led to `from`, can be completed to a number besides `used`.
    ///
    /// The shortest ways come first. Where two of them lead to one position with one value, the
    /// longer has zeros that say nothing; it is left out. So there are only finitely many ways where
    /// there are finitely many values.
    fn leads_on(&self, from: &[u32], read: &[u8], used: &[Value]) -> bool {
        if used.is_empty() {
            return true;
        }
        let mut seen: FxHashSet<(Words, String)> = FxHashSet::default();
        let mut ways: VecDeque<(Words, Vec<u8>)> = VecDeque::from([(from.into(), read.to_vec())]);
        while let Some((at, text)) = ways.pop_front() {
            let mut node = Node::default();
            self.inner.expand(&at, &mut node);
            if node.exit.is_some() && !used.contains(&Value::of_spelt(&text)) {
                return true;
            }
            for edge in node.edges {
                for byte in edge.lo..=edge.hi {
                    let text = [text.as_slice(), &[byte]].concat();
                    let so_far = match byte {
                        b'0'..=b'9' => Value::of_spelt(&text).scalar().to_owned(),
                        _ => String::from_utf8_lossy(&text).into_owned(),
                    };
                    if seen.insert((edge.to.clone(), so_far)) {
                        ways.push_back((edge.to.clone(), text));
                    }
                }
            }
        }
        false
    }
}

impl ImplicitBody for NumberReader {
    fn start(&self, args: &[u32]) -> Words {
        position(&self.inner.start(&[]), args, &[])
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        let (inner, rest) = words[2..].split_at(words[0] as usize);
        let (args, read) = rest.split_at(words[1] as usize);
        let read: Vec<u8> = read.iter().map(|&byte| byte as u8).collect();
        let texts = unpack(args);
        let used: Vec<Value> = texts.iter().map(|text| Value::of_spelt(text)).collect();
        let mut plain = Node::default();
        self.inner.expand(inner, &mut plain);
        for edge in plain.edges {
            let to = position(&edge.to, args, &[]);
            for byte in edge.lo..=edge.hi {
                let text = [read.as_slice(), &[byte]].concat();
                if self.leads_on(&edge.to, &text, &used) {
                    node.byte(byte, to.clone());
                }
            }
        }
        node.reading = Reading::Recording {
            carried: read.len() as u32,
        };
        if plain.exit.is_some() && !used.contains(&Value::of_spelt(&read)) {
            node.exit = Some(pack([read.as_slice()]));
        }
    }

    fn callees(&self, _visit: &mut dyn FnMut(RuleId)) {}

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::NUMBER_READER);
        self.inner.describe(key)
    }
}

fn position(inner: &[u32], args: &[u32], read: &[u8]) -> Words {
    let mut words = Words::new();
    words.extend([inner.len() as u32, args.len() as u32]);
    words.extend_from_slice(inner);
    words.extend_from_slice(args);
    words.extend(read.iter().map(|&byte| u32::from(byte)));
    words
}
