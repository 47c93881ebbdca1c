//! The names of tools as one rule: a trie whose exit is the tool.

use crate::grammar::{Hints, ImplicitBody, KeyWriter, Node, Words};

/// Names of tools. Called with the number of a tool, it reads that tool's name only; without
/// arguments, any. A position is a range of the names in their order, and how much of them is read.
#[derive(Debug)]
pub(super) struct ToolName {
    /// Each name with the number of its tool, in the order of the names.
    names: Box<[(Box<[u8]>, u32)]>,
}

impl ToolName {
    /// The names given, none of them empty or twice there, with their numbers.
    pub(super) fn new<'n>(names: impl Iterator<Item = (&'n str, u32)>) -> Self {
        let mut names: Vec<(Box<[u8]>, u32)> = names
            .map(|(name, number)| (name.as_bytes().into(), number))
            .collect();
        names.sort_unstable();
        Self {
            names: names.into(),
        }
    }
}

impl ImplicitBody for ToolName {
    fn start(&self, args: &Words) -> Words {
        let whole = (0, self.names.len());
        let (from, to) = args.first().map_or(whole, |&number| {
            let place = self.names.iter().position(|&(_, tool)| tool == number);
            place.map_or(whole, |place| (place, place + 1))
        });
        Words::from_slice(&[from as u32, to as u32, 0])
    }

    fn expand(&self, state: &Words, node: &mut Node<Words>) {
        let (from, to, depth) = (state[0] as usize, state[1] as usize, state[2] as usize);
        let mut at = from;
        while at < to {
            let (name, tool) = &self.names[at];
            let Some(&byte) = name.get(depth) else {
                node.exit = Some(Words::from_slice(&[*tool]));
                at += 1;
                continue;
            };
            let alike = |(name, _): &&(Box<[u8]>, u32)| name.get(depth) == Some(&byte);
            let end = at + self.names[at..to].iter().take_while(alike).count();
            node.byte(
                byte,
                Words::from_slice(&[at as u32, end as u32, depth as u32 + 1]),
            );
            at = end;
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for ToolName {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.bytes(b"tool names");
        key.word(self.names.len() as u32);
        for (name, tool) in &self.names {
            key.bytes(name);
            key.word(*tool);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit_of(names: &ToolName, args: &[u32], text: &str) -> Option<Words> {
        let mut state = names.start(&args.into());
        for byte in text.bytes() {
            let mut node = Node::default();
            names.expand(&state, &mut node);
            let edge = node.edges.iter().find(|e| (e.lo..=e.hi).contains(&byte))?;
            state = edge.to.clone();
        }
        let mut node = Node::default();
        names.expand(&state, &mut node);
        node.exit
    }

    #[test]
    fn names_end_with_their_tool() {
        let names = ToolName::new([("get_time", 0), ("get", 2), ("add", 1)].into_iter());
        for (text, tool) in [
            ("get", Some(2)),
            ("get_time", Some(0)),
            ("add", Some(1)),
            ("get_", None),
            ("", None),
            ("x", None),
        ] {
            let tool = tool.map(|tool| Words::from_slice(&[tool]));
            assert_eq!(exit_of(&names, &[], text), tool, "{text}");
        }
        assert!(exit_of(&names, &[2], "get").is_some());
        assert!(exit_of(&names, &[2], "get_time").is_none());
        assert!(exit_of(&names, &[0], "get").is_none());
    }
}
