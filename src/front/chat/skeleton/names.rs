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
    let pattern = |taken: &String| match is_namespace(taken) {
        true => regex_syntax::escape(taken) + ".*",
        false => regex_syntax::escape(taken),
    };
    let patterns: Vec<String> = taken.iter().map(pattern).collect();
    let taken = Dfa::regex_full(&patterns.join("|"), limits).map_err(|error| error.to_string())?;
    let names = any.difference(&taken, limits);
    names.map_err(|error| error.to_string())
}

/// Whether `name` is one of the names `taken`, or begins with one that ends in a dot.
pub(super) fn is_taken(name: &str, taken: &[String]) -> bool {
    let means = |taken: &String| match is_namespace(taken) {
        true => name.starts_with(taken.as_str()),
        false => name == taken,
    };
    taken.iter().any(means)
}

/// No name ends in a dot, so what does stands for all names that begin with it.
fn is_namespace(taken: &str) -> bool {
    taken.ends_with('.')
}
