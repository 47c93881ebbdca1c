//! Patterns, in the syntax of ECMA-262 or another dialect, to automata.
//!
//! Text to tree (`dialect`, `parser`, `notes`, `ast`), which is read without backtracking (`atomic`, over
//! `positions`), the tree's sets of code points to an alphabet of classes
//! (`alphabet`), the tree to a nondeterministic automaton over it (`nfa`) and that to a
//! deterministic, minimal one (`subset`, `table`), with what look-aheads (`obligations`, over `look_ahead`), look-behinds
//! (`behind`) and other assertions (`gap`) ask for. Only that one is spelt out in bytes (`spell`), so the
//! size of Unicode's classes is met once and not at every state.

mod alphabet;
mod ast;
mod atomic;
mod behind;
mod code_points;
mod compile;
mod counted;
mod dialect;
mod error;
mod gap;
mod lengths;
mod look_ahead;
mod nfa;
mod notes;
mod obligations;
mod parser;
mod positions;
mod spans;
mod spell;
mod subset;
mod table;
mod trim;

pub(crate) use counted::Counted;
pub use dialect::Dialect;
pub use error::{PatternError, PatternErrorKind};
pub(crate) use lengths::{Bounded, Told};
pub use notes::{PatternNote, PatternNoteKind};

use crate::base::{LimitError, Limits};

use super::dfa::Dfa;
use ast::Ast;
use compile::{Extent, determinise};
use dialect::Flags;

impl Dfa {
    /// The texts (valid UTF-8) that JSON Schema's `pattern` accepts: those with a match of `ecma`
    /// somewhere in them, unless it is anchored.
    ///
    /// The syntax is that of [`Dialect::Ecma`], with a tolerant eye for `\-` and the like.
    /// Look-ahead and look-behind are supported everywhere but within each other. Lone surrogates
    /// match nothing, as texts have none.
    ///
    /// # Errors
    ///
    /// Where the pattern is malformed, uses what is not supported (back-references, look-ahead and
    /// look-behind within each other), or needs more states than [`Limits::automaton_states`].
    ///
    /// ```
    /// use maskwright::{base::Limits, regular::Dfa};
    /// let dfa = Dfa::pattern(r"^(?!.*--)[a-z-]+$", &Limits::default())?;
    /// assert!(dfa.contains(b"a-b") && !dfa.contains(b"a--b"));
    /// # Ok::<(), maskwright::regular::PatternError>(())
    /// ```
    pub fn pattern(ecma: &str, limits: &Limits) -> Result<Dfa, PatternError> {
        Pattern::parse(ecma, Dialect::Ecma, limits)?.search(limits)
    }

    /// The texts (valid UTF-8) that `ecma`, in the syntax of [`Dfa::pattern`], matches as a whole.
    ///
    /// # Errors
    ///
    /// As [`Dfa::pattern`].
    pub fn regex_full(ecma: &str, limits: &Limits) -> Result<Dfa, PatternError> {
        Pattern::parse(ecma, Dialect::Ecma, limits)?.whole(limits)
    }
}

/// A pattern, read.
///
/// ```
/// use maskwright::{base::Limits, regular::{Dialect, Pattern, PatternNoteKind}};
/// let limits = Limits::default();
/// let pattern = Pattern::parse(r"(?i)^yes\Z", Dialect::Ecma, &limits)?;
/// let kinds: Vec<_> = pattern.notes().iter().map(|note| note.kind).collect();
/// assert_eq!(kinds, [PatternNoteKind::InlineFlags, PatternNoteKind::TextAnchor]);
/// assert!(pattern.search(&limits)?.contains(b"YES"));
/// # Ok::<(), maskwright::regular::PatternError>(())
/// ```
#[derive(Debug)]
pub struct Pattern {
    ast: Ast,
    notes: Vec<PatternNote>,
    /// How long the text is, in bytes.
    length: usize,
}

/// What a byte of a pattern costs: a tree, and sets of code points.
const STEPS_PER_BYTE: usize = 32;

impl Pattern {
    /// Reads `text` as a pattern of `dialect`.
    ///
    /// # Errors
    ///
    /// Where it is malformed, uses what is not supported, or is too long or nested too deep.
    pub fn parse(text: &str, dialect: Dialect, limits: &Limits) -> Result<Self, PatternError> {
        Self::parse_flagged(text, dialect, "", limits)
    }

    /// The same, with flags that hold for the whole pattern: of `i`, `m`, `s` and `x`.
    ///
    /// # Errors
    ///
    /// As [`Pattern::parse`].
    pub(crate) fn parse_flagged(
        text: &str,
        dialect: Dialect,
        letters: &str,
        limits: &Limits,
    ) -> Result<Self, PatternError> {
        let mut flags = Flags::default();
        for letter in letters.chars() {
            flags.set(letter, dialect, true);
        }
        let length = text.len();
        LimitError::check("bytes of a pattern", length, limits.source_bytes)
            .and(limits.charge(STEPS_PER_BYTE * length))
            .map_err(|error| PatternErrorKind::Limit(error).at(0, length))?;
        let (ast, notes) = parser::parse(text, dialect, flags, limits)?;
        Ok(Self { ast, notes, length })
    }

    /// What in it is of another dialect, in the order of the text.
    pub fn notes(&self) -> &[PatternNote] {
        &self.notes
    }

    /// The same for texts of at most so many code points: bounds that none of them reaches are left out.
    pub(crate) fn within(mut self, most: u32) -> Self {
        trim::leave_unreached(&mut self.ast.root, most);
        self
    }

    /// The texts (valid UTF-8) with a match somewhere in them, unless the pattern is anchored.
    ///
    /// # Errors
    ///
    /// Where an atomic group is none that could as well be an ordinary one, or where more states are
    /// needed than [`Limits::automaton_states`].
    pub fn search(self, limits: &Limits) -> Result<Dfa, PatternError> {
        self.compile(Extent::Search, limits)
    }

    /// The texts (valid UTF-8) that match as a whole.
    ///
    /// # Errors
    ///
    /// As [`Pattern::search`].
    pub fn whole(self, limits: &Limits) -> Result<Dfa, PatternError> {
        self.compile(Extent::Whole, limits)
    }

    /// The texts with a match somewhere in them, told by bounds on their length, and by counting where
    /// an automaton would be large.
    ///
    /// # Errors
    ///
    /// As [`Pattern::search`].
    pub(crate) fn bounded(self, limits: &Limits) -> Result<Bounded, PatternError> {
        atomic::check(&self.ast, true)?;
        lengths::bounded(self.ast, limits)
            .map_err(|error| PatternErrorKind::Limit(error).at(0, self.length))
    }

    fn compile(self, extent: Extent, limits: &Limits) -> Result<Dfa, PatternError> {
        atomic::check(&self.ast, extent == Extent::Search)?;
        determinise(self.ast, extent, limits)
            .map_err(|error| PatternErrorKind::Limit(error).at(0, self.length))
    }
}
