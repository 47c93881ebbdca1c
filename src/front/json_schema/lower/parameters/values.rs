//! What strings a parameter has that are written as they are.

use std::sync::Arc;

use super::form::{ParameterForm, ValueForm};
use crate::base::Limits;
use crate::front::json_schema::evaluate::types as types_of;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::{Document, ValueId};
use crate::front::json_schema::values::{Language, Types};
use crate::regular::{Dfa, Pattern, PatternError, PatternErrorKind};

/// White space around a value of JSON.
const SPACE: &str = r"[ \t\r\n]*";

/// The part of some alternatives that is of these types.
pub(super) fn of_types(all: &Alternatives, types: Types, document: &Document) -> Alternatives {
    let of_type = |value: &ValueId| types.meets(types_of(document, *value));
    let mut part = Alternatives {
        null: all.null && types.meets(Types::NULL),
        falsity: all.falsity && types.meets(Types::BOOLEAN),
        truth: all.truth && types.meets(Types::BOOLEAN),
        literals: all.literals.iter().copied().filter(of_type).collect(),
        ..Alternatives::default()
    };
    if types.meets(Types::NUMBER) {
        part.numbers.clone_from(&all.numbers);
    }
    if types.meets(Types::STRING) {
        part.strings.clone_from(&all.strings);
    }
    if types.meets(Types::ARRAY) {
        part.arrays.clone_from(&all.arrays);
    }
    if types.meets(Types::OBJECT) {
        part.objects.clone_from(&all.objects);
    }
    part
}

/// The texts that a string may be which is written as it is, beside the values of `all`: none that holds what
/// closes it, and where nothing else tells the types apart, none that looks like another value which is allowed.
pub(super) fn raw_texts(
    form: &ParameterForm,
    value: ValueForm,
    all: &Alternatives,
    document: &Document,
    limits: &Limits,
) -> Result<Arc<Dfa>, PatternErrorKind> {
    let mut texts = form.texts(limits)?;
    let others = match value {
        ValueForm::Raw => others(all, document),
        // Nothing that is made of other values looks like a string.
        ValueForm::Plain => {
            let scalars = Types::NULL.union(Types::BOOLEAN).union(Types::NUMBER);
            others(&of_types(all, scalars, document), document)
        }
        _ => Vec::new(),
    };
    for pattern in others {
        let other = Dfa::regex_full(&format!("{SPACE}{pattern}{SPACE}"), limits);
        let other = other.map_err(|error| error.kind)?;
        texts = Arc::new(texts.difference(&other, limits)?);
    }
    Ok(texts)
}

/// Patterns of what looks like a value of `all` that is no string.
fn others(all: &Alternatives, document: &Document) -> Vec<&'static str> {
    let literals = all.literals.iter().map(|&value| types_of(document, value));
    let literals = literals.fold(Types::NONE, Types::union);
    let mut patterns = Vec::new();
    let mut add = |is_allowed: bool, pattern| {
        if is_allowed {
            patterns.push(pattern);
        }
    };
    add(all.null, "null");
    add(all.falsity, "false");
    add(all.truth, "true");
    let numbers = !all.numbers.is_empty() || literals.meets(Types::NUMBER);
    add(numbers, r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?");
    let arrays = !all.arrays.is_empty() || literals.meets(Types::ARRAY);
    add(arrays, r"\[[\s\S]*\]");
    let objects = !all.objects.is_empty() || literals.meets(Types::OBJECT);
    add(objects, r"\{[\s\S]*\}");
    patterns
}

/// The automaton of a language; `None` where there is none.
pub(super) fn automaton(
    language: &Language,
    limits: &Limits,
) -> Result<Option<Arc<Dfa>>, PatternError> {
    match (&language.counted, &language.nesting) {
        (Some(counted), _) => {
            let pattern = Pattern::parse(&counted.pattern, counted.dialect, limits)?;
            Ok(Some(Arc::new(pattern.search(limits)?)))
        }
        (None, Some(_)) => Ok(None),
        (None, None) => Ok(Some(language.dfa.clone())),
    }
}
