//! Patterns that match more than it seems.

use super::places::Places;
use super::warning::{Lint, Report};
use crate::base::Limits;
use crate::front::json_schema::ValueId;
use crate::regular::Dfa;

pub(super) fn check(places: &Places<'_>, limits: &Limits, report: &mut Report<'_>) {
    for place in &places.all {
        if let Some(value) = place.get("pattern") {
            pattern(places, "`pattern`", value, value, limits, report);
        }
        let keyed = place.get("patternProperties").into_iter();
        for (key, value) in keyed.flat_map(|patterns| places.document.members(patterns)) {
            pattern(
                places,
                "the key of `patternProperties`",
                key,
                value,
                limits,
                report,
            );
        }
    }
}

/// Looks at the pattern that the string `text` spells; the warning is for `place`.
fn pattern(
    places: &Places<'_>,
    what: &str,
    text: ValueId,
    place: ValueId,
    limits: &Limits,
    report: &mut Report<'_>,
) {
    let Some(text) = places.text(text) else {
        return;
    };
    let language = |pattern: &str| Dfa::pattern(pattern, limits).ok();
    let Some(matched) = language(&text) else {
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
    let differs = |anchored: String| language(&anchored).is_some_and(|other| other != matched);
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
