//! Look-behinds: automata that run beside the pattern's own from the start of the text on.
//!
//! That of a body begins anew at every place, so it is in its last state exactly where a text ends
//! that the body matches.

use super::ast::Node;
use super::nfa::{Nfa, State};

/// The automaton of a look-behind's body. Its states stand between those of the body before and `end`.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) entry: u32,
    /// Its last state: it is met where the body matches what came before.
    pub(super) held: u32,
    pub(super) end: u32,
}

/// Adds the automata of `bodies`, inner ones first, to one that has no states yet.
pub(super) fn add_bodies(nfa: &mut Nfa, bodies: &[Node]) -> Vec<Body> {
    let add = |body| {
        let held = nfa.push(State::Held);
        Body {
            entry: nfa.add(body, held),
            held,
            end: nfa.states.len() as u32,
        }
    };
    bodies.iter().map(add).collect()
}

/// The look-behinds of a pattern.
#[derive(Debug)]
pub(super) struct LookBehinds {
    /// Inner ones first.
    pub(super) bodies: Vec<Body>,
    /// Per state, whether it is none of the bodies' and a look-behind may be met from it; empty
    /// where there are no look-behinds.
    asking: Vec<bool>,
}

impl LookBehinds {
    /// The look-behinds with `bodies`, once `nfa` has all its states.
    pub(super) fn new(bodies: Vec<Body>, nfa: &Nfa) -> Self {
        let mut asking = Vec::new();
        if let Some(last) = bodies.last() {
            asking = nfa.leads_to(|state| matches!(state, State::Behind { .. }));
            asking[..last.end as usize].fill(false);
        }
        Self { bodies, asking }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Whether a look-behind may be met from one of `states`, those of the bodies apart.
    pub(super) fn are_asked(&self, mut states: impl Iterator<Item = u32>) -> bool {
        !self.is_empty() && states.any(|state| self.asking[state as usize])
    }

    /// Whether `state` is one of the bodies'.
    pub(super) fn owns(&self, state: u32) -> bool {
        self.bodies.last().is_some_and(|last| state < last.end)
    }
}
