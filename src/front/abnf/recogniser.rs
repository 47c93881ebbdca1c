//! Which texts belong to a grammar, decided from its syntax tree with no engine code: the reference
//! that the engine is held against in tests.

use std::collections::{BTreeMap, BTreeSet};

use super::Abnf;
use super::ast::{Case, Node, NodeKind, RuleIndex, Unit};

type Ends = BTreeSet<usize>;

/// Whether `text` is derived from the rule `start`. Prose-vals derive nothing.
pub(crate) fn recognises(abnf: &Abnf, start: &str, text: &[u8]) -> bool {
    let start = abnf.resolved.rule(start).expect("a rule of the grammar");
    let mut recogniser = Recogniser {
        abnf,
        text,
        ends: BTreeMap::new(),
        entered: BTreeSet::new(),
    };
    loop {
        recogniser.entered.clear();
        let before = recogniser.size();
        let accepted = recogniser.rule(start, 0).contains(&text.len());
        if accepted || recogniser.size() == before {
            return accepted;
        }
    }
}

/// Computes, for a rule and a place in the text, where the rule may end: from below, pass by pass,
/// until a pass finds nothing new. So left recursion needs no care.
struct Recogniser<'a> {
    abnf: &'a Abnf,
    text: &'a [u8],
    ends: BTreeMap<(usize, usize), Ends>,
    /// What this pass has computed or is computing.
    entered: BTreeSet<(usize, usize)>,
}

impl Recogniser<'_> {
    fn size(&self) -> usize {
        self.ends.values().map(|ends| ends.len() + 1).sum()
    }

    fn rule(&mut self, rule: RuleIndex, from: usize) -> Ends {
        let key = (rule.index(), from);
        if self.entered.insert(key) {
            let abnf = self.abnf;
            let ends = self.node(&abnf.rule(rule).body, from);
            self.ends.entry(key).or_default().extend(ends);
        }
        self.ends.get(&key).cloned().unwrap_or_default()
    }

    fn node(&mut self, node: &Node, from: usize) -> Ends {
        match &node.kind {
            NodeKind::Rule(rule) => self.rule(*rule, from),
            NodeKind::Prose(_) => Ends::new(),
            NodeKind::Alternation(items) => items
                .iter()
                .flat_map(|item| self.node(item, from))
                .collect(),
            NodeKind::Concatenation(items) => items
                .iter()
                .fold(Ends::from([from]), |starts, item| self.after(item, &starts)),
            NodeKind::Repetition { count, body } => {
                self.repetition(body, count.min, count.max.unwrap_or(u32::MAX), from)
            }
            NodeKind::Literal { text, case } => {
                let end = from + text.len();
                let same = self.text.get(from..end).is_some_and(|found| match case {
                    Case::Sensitive => found == text.as_bytes(),
                    Case::Insensitive => found.eq_ignore_ascii_case(text.as_bytes()),
                });
                same.then_some(end).into_iter().collect()
            }
            NodeKind::Values { values, unit } => {
                let mut at = from;
                for &value in values {
                    match self.number(at, *unit) {
                        Some((found, length)) if found == value => at += length,
                        _ => return Ends::new(),
                    }
                }
                Ends::from([at])
            }
            NodeKind::Range { first, last, unit } => match self.number(from, *unit) {
                Some((found, length)) if (*first..=*last).contains(&found) => {
                    Ends::from([from + length])
                }
                _ => Ends::new(),
            },
        }
    }

    fn after(&mut self, node: &Node, starts: &Ends) -> Ends {
        starts
            .iter()
            .flat_map(|&start| self.node(node, start))
            .collect()
    }

    /// Counts beyond the text's length differ only by bodies that are empty.
    fn repetition(&mut self, body: &Node, min: u32, max: u32, from: usize) -> Ends {
        let enough = self.text.len() as u32 + 2;
        let (mut ends, mut at) = (Ends::new(), Ends::from([from]));
        for times in 0..=max.min(min.saturating_add(enough)) {
            if times >= min {
                ends.extend(&at);
            }
            let next = self.after(body, &at);
            if next == at || next.is_empty() {
                // The same for ever: of what is reached, or of nothing.
                if times < min {
                    ends.extend(&next);
                }
                break;
            }
            at = next;
        }
        ends
    }

    /// The byte or the character at `from`, and its length.
    fn number(&self, from: usize, unit: Unit) -> Option<(u32, usize)> {
        let rest = self.text.get(from..)?;
        match unit {
            Unit::Byte => rest.first().map(|&byte| (u32::from(byte), 1)),
            Unit::CodePoint => (1..=rest.len().min(4)).find_map(|length| {
                let character = std::str::from_utf8(&rest[..length]).ok()?.chars().next()?;
                Some((character as u32, length))
            }),
        }
    }
}
