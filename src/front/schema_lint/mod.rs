//! The linter: what people get wrong in schemas that are well-formed all the same.
//!
//! It reads a JSON Schema beside the compiler, and never changes what the schema means. `places` finds the subschemas and
//! which of them speak of the same value; `keywords`, `patterns` and `objects` look at what is
//! written, `meaning` at what it amounts to. Where it cannot know, it is silent: a schema that
//! leads to other documents, or that does not compile, gets fewer warnings, not wrong ones.

mod keywords;
mod meaning;
mod objects;
mod patterns;
mod places;
mod table;
mod warning;

use self::places::Places;
use self::warning::Report;
use super::json_schema::{
    CompiledSchema, Document, SchemaConfig, SchemaError, compile, read_wrapped,
};

pub use self::warning::{Lint, Warning};

/// Looks for what people get wrong in the JSON Schema `text`: warnings in the order of the text.
///
/// ```
/// use maskwright::front::json_schema::SchemaConfig;
/// use maskwright::front::schema_lint::{Lint, lint};
/// let warnings = lint(r#"{"properties": {"a": {}}, "required": ["b"]}"#, &SchemaConfig::default())?;
/// assert_eq!(warnings[0].lint, Lint::UndeclaredRequired);
/// assert_eq!(warnings[0].pointer, "#/required/0");
/// # Ok::<(), maskwright::front::json_schema::SchemaError>(())
/// ```
///
/// # Errors
/// Text that is no JSON, or over a limit. Schemas that do not compile are looked at all the same.
pub fn lint(text: &str, config: &SchemaConfig) -> Result<Vec<Warning>, SchemaError> {
    let compiled = compile(text, config).ok();
    lint_compiled(text, compiled.as_ref(), config)
}

/// As [`lint`], where the schema was compiled with this `config` already: what that gave, or nothing
/// where it was refused.
///
/// # Errors
/// As [`lint`].
pub fn lint_compiled(
    text: &str,
    compiled: Option<&CompiledSchema>,
    config: &SchemaConfig,
) -> Result<Vec<Warning>, SchemaError> {
    let config = &config.begin();
    let (document, base) = read_wrapped(text, &config.limits)?;
    let is_as_given = document.raw(document.root()) == text.trim();
    let otherwise = match base == "#" && !is_as_given {
        true => read_otherwise(&*Document::read(text, &config.limits)?),
        // Around a schema of Gemini's its spelling is expected.
        false => Vec::new(),
    };
    let places = Places::of(&document, config.draft);
    let mut report = Report {
        document: &document,
        found: Vec::new(),
    };
    keywords::check(&places, config, &mut report);
    patterns::check(&places, config, &mut report);
    objects::check(&places, config, &mut report);
    if let Some(schema) = compiled {
        meaning::check(&places, schema.model(), &mut report);
    }
    report
        .found
        .sort_by_key(|(place, warning)| (*place, warning.lint));
    let found = report.found.into_iter();
    let found = found.map(|(_, warning)| warning.under(&base));
    Ok(otherwise.into_iter().chain(found).collect())
}

/// Warnings of what is written otherwise before the rest is looked at.
fn read_otherwise(document: &Document) -> Vec<Warning> {
    let mut report = Report {
        document,
        found: Vec::new(),
    };
    keywords::written_otherwise(&mut report);
    report.found.sort_by_key(|(place, _)| *place);
    let found = report.found.into_iter();
    found.map(|(_, warning)| warning).collect()
}
