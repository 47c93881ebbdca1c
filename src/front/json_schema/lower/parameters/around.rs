//! What stands around the names of parameters.

use super::form::FormNode;
use crate::base::{ByteSet, ControlId};
use crate::grammar::{Control, Delimiters, GrammarBuilder};

/// The bytes that [`FormNode::calls`] read, if any.
const WHITE_SPACE: &[u8] = b"\t\n\r ";

/// What writes parameters.
pub(super) struct Around<'a> {
    pub(super) nodes: &'a [FormNode],
    /// What stands between two.
    pub(super) separator: &'a [u8],
    /// Has the control tokens.
    pub(super) builder: &'a GrammarBuilder,
}

impl Around<'_> {
    /// The bytes before names and behind them.
    pub(super) fn names(&self) -> Delimiters {
        let places = (0..).zip(self.nodes);
        let names = places.filter_map(|(at, node)| Some((at, node.name?)));
        let (from, to) = names.unzip();
        Delimiters::Between {
            before: self.before(from),
            behind: self.behind(to),
        }
    }

    /// The bytes behind which one is at one of these nodes.
    fn before(&self, mut pending: Vec<u32>) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        let mut done = 0;
        while let Some(&at) = pending.get(done) {
            done += 1;
            let mut same = Vec::new();
            for (from, node) in (0..).zip(self.nodes) {
                let is_read = |to: Option<u32>| to == Some(at);
                let value = node.values.iter().any(|&(_, to)| to == at);
                if value || is_read(node.name) || is_read(node.again) {
                    return ByteSet::ALL;
                }
                let edges = node.edges.iter().filter(|edge| edge.to == at);
                edges.for_each(|edge| bytes.insert_range(edge.lo, edge.hi));
                let controls = node.controls.iter().filter(|&&(_, to)| to == at);
                let spelt = |&(control, _): &(ControlId, u32)| self.spelling(control).1;
                bytes = controls
                    .map(spelt)
                    .fold(bytes, |one, other| one.union(&other));
                same.extend(node.calls.iter().filter(|&&(_, to)| to == at).map(|_| from));
            }
            if !same.is_empty() {
                WHITE_SPACE.iter().for_each(|&byte| bytes.insert(byte));
            }
            match self.separator.last() {
                Some(&byte) if at == 0 => bytes.insert(byte),
                None if at == 0 => {
                    let ends = (0..).zip(self.nodes).filter(|(_, node)| node.ends);
                    same.extend(ends.map(|(end, _)| end));
                }
                _ => {}
            }
            same.retain(|node| !pending.contains(node));
            pending.extend(same);
        }
        bytes
    }

    /// The bytes that lead on from one of these nodes.
    fn behind(&self, mut pending: Vec<u32>) -> ByteSet {
        let mut bytes = ByteSet::EMPTY;
        let mut done = 0;
        while let Some(&at) = pending.get(done) {
            done += 1;
            let node = &self.nodes[at as usize];
            if !node.values.is_empty() || node.name.is_some() || node.again.is_some() {
                return ByteSet::ALL;
            }
            let edges = node.edges.iter();
            edges.for_each(|edge| bytes.insert_range(edge.lo, edge.hi));
            let controls = node.controls.iter();
            let spelt = controls.map(|&(control, _)| self.spelling(control).0);
            bytes = spelt.fold(bytes, |one, other| one.union(&other));
            if !node.calls.is_empty() {
                WHITE_SPACE.iter().for_each(|&byte| bytes.insert(byte));
            }
            for &(_, to) in &node.calls {
                if !pending.contains(&to) {
                    pending.push(to);
                }
            }
        }
        bytes
    }

    /// The first byte and the last one of a control token: it may be spelt.
    fn spelling(&self, control: ControlId) -> (ByteSet, ByteSet) {
        let Control::Named(name) = self.builder.control_with(control) else {
            return (ByteSet::ALL, ByteSet::ALL);
        };
        let with = |byte: Option<&u8>| {
            let bytes = byte.into_iter().chain([&Delimiters::CONTROL]);
            bytes.fold(ByteSet::EMPTY, |bytes, &byte| {
                bytes.union(&ByteSet::range(byte, byte))
            })
        };
        let name = name.as_bytes();
        (with(name.first()), with(name.last()))
    }
}
