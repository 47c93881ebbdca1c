//! The names of tools where none are given.

use crate::base::Limits;
use crate::regular::Dfa;

/// What tools can be called.
const ANY_NAME: &str = "[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*";

/// Any name but those that are taken.
pub(super) fn any_name(taken: &[String], limits: &Limits) -> Result<Dfa, String> {
    let any = Dfa::regex_full(ANY_NAME, limits).map_err(|error| error.to_string())?;
    if taken.is_empty() {
        return Ok(any);
    }
    let taken = Dfa::literals(taken.iter().map(|name| name.as_bytes()), limits);
    let names = taken.and_then(|taken| any.difference(&taken, limits));
    names.map_err(|error| error.to_string())
}
