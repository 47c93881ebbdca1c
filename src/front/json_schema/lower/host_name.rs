//! Host names with A-labels, read beside those without, which are a plain language.

use std::sync::OnceLock;

use super::a_label::Ended;
use super::lead::Lead;
use super::spelling::state;
use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::host_names::{HostNames, Kind, LONGEST, PREFIX};
use crate::grammar::{Call, Hints, ImplicitBody, KeyWriter, Node, ReturnTo, Shadow, Words};
use crate::regular::{Dfa, StateId};

/// The characters of the shortest name, were its label as long as can be.
pub(super) const SHORTEST: u32 = (PREFIX.len() + LONGEST) as u32;

/// A string that is a host name of which some label is an A-label, without escapes.
///
/// Positions are a state of the spelling, of the names, and how many characters may still come.
/// An A-label is a rule of its own; it may begin where there is room for the longest.
#[derive(Debug)]
pub(super) struct HostNameBody {
    pub(super) lead: Lead,
    pub(super) names: OnceLock<HostNames>,
    /// At least [`SHORTEST`]; `u32::MAX` for no bound.
    pub(super) most: u32,
    /// The rule of what follows the prefix of an A-label.
    pub(super) label: RuleId,
    /// The same names of any length, where there is a bound.
    pub(super) unbounded: Option<RuleId>,
}

impl HostNameBody {
    fn names(&self) -> &HostNames {
        self.names.get_or_init(HostNames::new)
    }

    /// The position in `names` with `most` characters left, if a name ends within them.
    fn within(&self, names: StateId, most: u32) -> Option<Words> {
        let live = names != Dfa::DEAD && self.names().shortest(names) <= most;
        live.then(|| Words::from([state::BODY, names.get(), most]))
    }

    fn body(&self, at: StateId, most: u32, node: &mut Node<Words>) {
        let names = self.names();
        if names.dfa.is_accepting(at) {
            node.byte(b'"', end());
        }
        if names.awaits_label(at) {
            node.calls.push(Call {
                rule: self.label,
                args: Words::new(),
                to: ReturnTo::Ask(Words::from([state::BODY, at.get(), most])),
            });
            return;
        }
        for (lo, hi, to) in names.dfa.ranges(at) {
            if let Some(to) = most_after(most, 1).and_then(|most| self.within(to, most)) {
                node.range(lo, hi, to);
            }
        }
    }
}

fn end() -> Words {
    Words::from([state::END, 0, 0])
}

fn most_after(most: u32, read: u32) -> Option<u32> {
    match most {
        u32::MAX => Some(u32::MAX),
        most => most.checked_sub(read),
    }
}

impl ImplicitBody for HostNameBody {
    fn start(&self, _args: &Words) -> Words {
        Words::from([self.lead.start(), 0, self.most])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        match words[0] {
            state::LEAD | state::BARE => {
                if words[0] == state::LEAD {
                    self.lead.edges(node, words);
                }
                let start = self.names().dfa.start();
                node.byte(b'"', Words::from([state::BODY, start.get(), words[2]]));
            }
            state::BODY => self.body(StateId::new(words[1]), words[2], node),
            _ => node.end(),
        }
    }

    fn on_return(&self, site: &Words, _callee: RuleId, exit: &[u32]) -> Option<Words> {
        let ended = Ended::read(exit)?;
        let names = self.names();
        let after = names.after_label(StateId::new(site[1]), ended.kind);
        let most = most_after(site[2], ended.length)?;
        match ended.by {
            b'"' => names.dfa.is_accepting(after).then(end),
            by => self.within(names.dfa.next(after, by), most_after(most, 1)?),
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for HostNameBody {
    fn shadow(&self, words: &Words) -> Option<Shadow<'_>> {
        let rule = self.unbounded.filter(|_| words[0] <= state::BODY)?;
        Some(Shadow {
            most: words[2],
            ..Shadow::of(rule, Words::from([words[0], words[1], u32::MAX]))
        })
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::HOST_NAME);
        key.word(self.lead as u32);
        key.word(self.most);
        key.rule(self.label);
        true
    }

    /// The greatest length, of any beginning of `text`, that a name may have which begins so and is
    /// otherwise as short as can be. So it has the rest in it already.
    fn measure(&self, words: &[u32], text: &[u8]) -> u32 {
        let names = self.names();
        let mut at = StateId::new(words[1]);
        let mut text = text;
        if words[0] != state::BODY {
            at = names.dfa.start();
            let Some(quote) = text.iter().position(|&byte| byte == b'"') else {
                return names.shortest(at);
            };
            text = &text[quote + 1..];
        }
        let (mut count, mut greatest) = (0, 0);
        loop {
            greatest = greatest.max(names.shortest(at).saturating_add(count));
            if names.awaits_label(at) {
                let length = text.iter().position(|byte| matches!(byte, b'.' | b'"'));
                let Some(length) = length else {
                    return greatest;
                };
                // Labels of any kind measure the same, and so does what may follow.
                at = names.after_label(at, Kind::LeftToRight);
                count += length as u32;
                text = &text[length..];
            }
            match text.split_first() {
                None => return greatest,
                Some((b'"', _)) => return greatest.max(count),
                Some((&byte, rest)) => {
                    at = names.dfa.next(at, byte);
                    count += 1;
                    text = rest;
                }
            }
        }
    }

    fn greatest_rest(&self) -> u32 {
        self.names().greatest()
    }
}
