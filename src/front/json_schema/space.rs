//! White space as a caller wants it: a pattern of what may stand between two tokens of JSON.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::SchemaError;
use crate::base::Limits;
use crate::grammar::{Nfa, NfaState};
use crate::regular::{Dfa, StateId};

/// A pattern that white space matches, as a whole.
///
/// ```
/// use maskwright::base::Limits;
/// use maskwright::front::json_schema::{SchemaConfig, SpacePattern, Whitespace};
/// let one_at_most = SpacePattern::new(" ?", &Limits::default())?;
/// let config = SchemaConfig { whitespace: Whitespace::Pattern(one_at_most), ..SchemaConfig::default() };
/// assert!(SpacePattern::new("[ _]*", &Limits::default()).is_err());
/// # Ok::<(), maskwright::front::json_schema::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SpacePattern {
    language: Arc<Dfa>,
}

impl SpacePattern {
    /// The white space that `pattern`, in the syntax of ECMA-262, matches from its beginning to its end.
    ///
    /// # Errors
    /// A pattern that is malformed, matches nothing at all, or matches a text of which a character is
    /// none of space, tab, line feed and carriage return (RFC 8259, section 2).
    pub fn new(pattern: &str, limits: &Limits) -> Result<Self, SchemaError> {
        let refuse = |reason: String| {
            let reason = format!("`{pattern}` {reason}");
            SchemaError::malformed("whitespace", "#".to_owned(), reason)
        };
        let language = |pattern: &str| Dfa::regex_full(pattern, limits);
        let own = language(pattern).map_err(|error| refuse(error.to_string()))?;
        if own.is_empty() {
            return Err(refuse(
                "matches nothing, not even no white space".to_owned(),
            ));
        }
        let all = language("[ \\t\\n\\r]*").map_err(|error| refuse(error.to_string()))?;
        let other = own
            .difference(&all, limits)
            .map_err(|error| refuse(error.to_string()))?;
        match other.witness() {
            None => Ok(Self {
                language: Arc::new(own),
            }),
            Some(text) => Err(refuse(format!(
                "matches {:?}: only space, \\t, \\n and \\r are white space",
                String::from_utf8_lossy(&text)
            ))),
        }
    }

    /// [`Whitespace::Pretty`](super::Whitespace::Pretty), as a pattern.
    pub(crate) fn pretty() -> Self {
        Self {
            language: Arc::new(Dfa::indents(64, 16)),
        }
    }

    /// Writes what it matches from the start of `nfa` on, which is empty.
    pub(crate) fn write(&self, nfa: &mut Nfa) {
        let language = &self.language;
        let states: FxHashMap<StateId, NfaState> = language
            .states()
            .map(|state| match state == language.start() {
                true => (state, nfa.start()),
                false => (state, nfa.state()),
            })
            .collect();
        for (&state, &from) in &states {
            for (lo, hi, to) in language.ranges(state) {
                nfa.bytes(from, lo, hi, states[&to]);
            }
            if language.is_accepting(state) {
                nfa.accept(from);
            }
        }
    }

    /// What it matches.
    pub(crate) fn language(&self) -> &Arc<Dfa> {
        &self.language
    }
}
