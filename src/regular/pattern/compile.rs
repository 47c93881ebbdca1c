//! A pattern's tree to an automaton over bytes.

use super::alphabet::Alphabet;
use super::ast::Ast;
use super::behind::{self, LookBehinds};
use super::code_points::CodePoints;
use super::gap::Before;
use super::look_ahead::look_ahead;
use super::nfa::{Nfa, State};
use super::spell;
use super::subset::{self, Context};
use super::trim::trim;
use crate::base::{LimitError, Limits};
use crate::regular::dfa::Dfa;

/// How much of a text a match takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Search,
    Whole,
}

/// The automaton of a pattern.
pub(super) fn determinise(
    mut ast: Ast,
    extent: Extent,
    limits: &Limits,
) -> Result<Dfa, LimitError> {
    if extent == Extent::Search {
        trim(&mut ast.root);
    }
    let size = ast
        .looks
        .iter()
        .chain(&ast.behinds)
        .chain([&ast.root])
        .fold(0, |sum: usize, node| sum.saturating_add(node.size()));
    LimitError::check(
        "states of a regular expression",
        size,
        limits.automaton_states,
    )?;
    let mut nfa = Nfa::default();
    let behinds = behind::add_bodies(&mut nfa, &ast.behinds);
    let match_any = nfa.push(State::MatchAny);
    let match_end = nfa.push(State::MatchEnd);
    let bodies: Vec<u32> = ast
        .looks
        .iter()
        .map(|body| nfa.add(body, match_any))
        .collect();
    let mut entry = match extent {
        Extent::Whole => nfa.add(&ast.root, match_end),
        Extent::Search => nfa.add(&ast.root, match_any),
    };
    if extent == Extent::Search && !ast.root.is_anchored() {
        let any = ast.sets.intern(CodePoints::all());
        entry = nfa.skip(any, entry);
    }
    let behinds = LookBehinds::new(behinds, &nfa);
    let word = nfa
        .has_word_boundary()
        .then(|| ast.sets.intern(ast.word.clone()));
    let alphabet = Alphabet::new(&ast.sets.list);
    let word = word.map(|set| alphabet.membership(set));
    let context = Context {
        alphabet: &alphabet,
        nfa: &nfa,
        behinds: &behinds,
        word: word.as_deref(),
        limits,
    };
    let mut looks = Vec::with_capacity(bodies.len());
    for body in bodies {
        let look = look_ahead(context, &mut looks, body)?;
        looks.push(look);
    }
    let table = subset::determinise(context, &mut looks, entry, &[Before::Nothing])?;
    spell::spell(&alphabet, &table, limits)
}
