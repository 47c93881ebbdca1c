//! Patterns that match more than it seems, or are written in another dialect.

use super::places::Places;
use super::warning::{Lint, Report};
use crate::front::json_schema::{SchemaConfig, ValueId};
use crate::regular::{Dfa, Pattern, Told};

pub(super) fn check(places: &Places<'_>, config: &SchemaConfig, report: &mut Report<'_>) {
    for place in &places.all {
        if let Some(value) = place.get("pattern") {
            pattern(places, "`pattern`", (value, value), config, report);
        }
        let keyed = place.get("patternProperties").into_iter();
        for (key, value) in keyed.flat_map(|patterns| places.document.members(patterns)) {
            let what = "the key of `patternProperties`";
            pattern(places, what, (key, value), config, report);
        }
    }
}

/// The texts that a pattern matches; `None` where it is refused.
pub(super) fn language(text: &str, config: &SchemaConfig) -> Option<Dfa> {
    let pattern = Pattern::parse(text, config.regex, &config.limits).ok()?;
    pattern.search(&config.limits).ok()
}

/// The same, but nothing for a pattern that bounds the length of the text or counts: such a one has its anchors.
fn unbounded(text: &str, config: &SchemaConfig) -> Option<Dfa> {
    let pattern = Pattern::parse(text, config.regex, &config.limits).ok()?;
    let bounded = pattern.bounded(&config.limits).ok()?;
    match bounded.texts {
        Told::Automaton(dfa) if bounded.least == 0 && bounded.most == u32::MAX => Some(dfa),
        _ => None,
    }
}

/// Looks at the pattern that the string `text` spells; the warning is for `place`.
fn pattern(
    places: &Places<'_>,
    what: &str,
    (text, place): (ValueId, ValueId),
    config: &SchemaConfig,
    report: &mut Report<'_>,
) {
    let Some(text) = places.text(text) else {
        return;
    };
    foreign(what, &text, place, config, report);
    let Some(matched) = unbounded(&text, config) else {
        return;
    };
    if matched == Dfa::utf8_text() {
        let message = format!("{what} `{text}` matches every text");
        report.warn(
            Lint::EmptyPattern,
            place,
            message,
            "leave it out, or anchor it by `^` and `$`",
        );
        return;
    }
    // An anchor that is there already changes nothing.
    let differs =
        |anchored: String| language(&anchored, config).is_some_and(|other| other != matched);
    if differs(format!("^(?:{text})")) && differs(format!("(?:{text})$")) {
        let message = format!("{what} `{text}` has no anchor: it may match anywhere in a text");
        report.warn(
            Lint::UnanchoredPattern,
            place,
            message,
            format!("if all of the text is meant: `^(?:{text})$`"),
        );
    }
}

/// Warns of what is of another dialect, once for each kind.
fn foreign(what: &str, text: &str, place: ValueId, config: &SchemaConfig, report: &mut Report<'_>) {
    let Ok(read) = Pattern::parse(text, config.regex, &config.limits) else {
        return;
    };
    let mut kinds: Vec<_> = read.notes().iter().map(|note| note.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let lint = match kind.is_read() {
            true => Lint::PatternOfAnotherDialect,
            false => Lint::MisreadPattern,
        };
        let message = format!("{what} `{text}`: {}", kind.message());
        report.warn(lint, place, message.replace('\n', " "), kind.hint());
    }
}
