//! JSON Schema's `pattern`: ECMA-262 syntax to an automaton.
//!
//! Text to tree (`parser`, `ast`), the tree's sets of code points to an alphabet of classes
//! (`alphabet`), the tree to a nondeterministic automaton over it (`nfa`) and that to a
//! deterministic, minimal one (`subset`, `table`), with what look-aheads (`obligations`), look-behinds
//! (`behind`) and other assertions (`gap`) ask for. Only that one is spelt out in bytes (`spell`), so the
//! size of Unicode's classes is met once and not at every state.

mod alphabet;
mod ast;
mod behind;
mod code_points;
mod error;
mod gap;
mod nfa;
mod obligations;
mod parser;
mod spell;
mod subset;
mod table;

pub use error::{PatternError, PatternErrorKind};

use crate::base::{LimitError, Limits};

use super::dfa::Dfa;
use alphabet::Alphabet;
use ast::Ast;
use behind::LookBehinds;
use code_points::CodePoints;
use gap::Before;
use nfa::{Nfa, State};
use subset::{Context, determinise};

impl Dfa {
    /// The texts (valid UTF-8) that JSON Schema's `pattern` accepts: those with a match of `ecma`
    /// somewhere in them, unless it is anchored.
    ///
    /// The syntax is that of ECMA-262 with the flag `u` and a tolerant eye for `\-` and the like.
    /// Look-ahead and look-behind are supported everywhere but within each other. Lone surrogates
    /// match nothing, as texts have none.
    ///
    /// # Errors
    ///
    /// Where the pattern is malformed, uses what is not supported (back-references, look-ahead and
    /// look-behind within each other, syntax of other dialects), or needs more states than
    /// [`Limits::automaton_states`].
    ///
    /// ```
    /// use maskwright::{base::Limits, regular::Dfa};
    /// let dfa = Dfa::pattern(r"^(?!.*--)[a-z-]+$", &Limits::default())?;
    /// assert!(dfa.contains(b"a-b") && !dfa.contains(b"a--b"));
    /// # Ok::<(), maskwright::regular::PatternError>(())
    /// ```
    pub fn pattern(ecma: &str, limits: &Limits) -> Result<Dfa, PatternError> {
        compile(ecma, Extent::Search, limits)
    }

    /// The texts (valid UTF-8) that `ecma`, in the syntax of [`Dfa::pattern`], matches as a whole.
    ///
    /// # Errors
    ///
    /// As [`Dfa::pattern`].
    pub fn regex_full(ecma: &str, limits: &Limits) -> Result<Dfa, PatternError> {
        compile(ecma, Extent::Whole, limits)
    }
}

/// How much of a text a match takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Search,
    Whole,
}

fn compile(text: &str, extent: Extent, limits: &Limits) -> Result<Dfa, PatternError> {
    let whole = |error: LimitError| PatternErrorKind::Limit(error).at(0, text.len());
    LimitError::check("bytes of a pattern", text.len(), limits.source_bytes).map_err(whole)?;
    let ast = parser::parse(text, limits)?;
    determinise_ast(ast, extent, limits).map_err(whole)
}

fn determinise_ast(mut ast: Ast, extent: Extent, limits: &Limits) -> Result<Dfa, LimitError> {
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
        .then(|| ast.sets.intern(CodePoints::word()));
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
        looks.push(determinise(context, &looks, body, &Before::ALL)?);
    }
    let table = determinise(context, &looks, entry, &[Before::Nothing])?;
    spell::spell(&alphabet, &table, limits)
}
