//! A grammar as text, for goldens and for people.

use std::fmt;

use super::{Body, Grammar, Node, ReturnTo};

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, rule) in self.rules().enumerate() {
            let root = if index == self.root().index() {
                " (start)"
            } else {
                ""
            };
            let empty = if rule.nullable() {
                " (may be empty)"
            } else {
                ""
            };
            writeln!(f, "{}{root}{empty}:", rule.name())?;
            match rule.body() {
                Body::Implicit(body) => writeln!(f, "  {body:?}")?,
                Body::Automaton(automaton) => {
                    for (position, node) in automaton.nodes.iter().enumerate() {
                        self.node(f, position, node)?;
                    }
                }
            }
        }
        Ok(())
    }
}

impl Grammar {
    fn node(&self, f: &mut fmt::Formatter<'_>, position: usize, node: &Node<u32>) -> fmt::Result {
        write!(f, "  {position}")?;
        for edge in &node.edges {
            let (lo, hi) = (edge.lo.escape_ascii(), edge.hi.escape_ascii());
            match edge.lo == edge.hi {
                true => write!(f, " '{lo}'->{}", edge.to)?,
                false => write!(f, " '{lo}'-'{hi}'->{}", edge.to)?,
            }
        }
        for (control, to) in &node.controls {
            write!(f, " {}->{to}", self.control(*control))?;
        }
        for call in &node.calls {
            let name = self.rule(call.rule).name();
            match call.to {
                ReturnTo::Position(to) => write!(f, " {name}->{to}")?,
                ReturnTo::Ask(site) => write!(f, " {name}->?{site}")?,
            }
        }
        match node.exit.as_deref() {
            None => writeln!(f),
            Some([]) => writeln!(f, " end"),
            Some(exit) => writeln!(f, " end {exit:?}"),
        }
    }
}
