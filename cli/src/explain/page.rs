//! The steps as one page that needs nothing else: its data, and the script that shows them.

use std::ops::Range;

use serde_json::{Value, json};

use super::schemas::{Place, Schemas};
use super::step::{Group, Step};

const PAGE: &str = include_str!("page.html");
/// What the title and the data stand in for.
const TITLE: &str = "{{title}}";
const DATA: &str = "{{data}}";

/// The page of these steps.
pub(super) fn page(title: &str, schemas: &Schemas, steps: &[Step]) -> String {
    let texts = schemas.texts.iter();
    let texts: Vec<Value> = texts
        .map(|text| json!({"name": text.name, "text": text.text}))
        .collect();
    let steps: Vec<Value> = steps.iter().map(|step| value(schemas, step)).collect();
    let data = json!({"title": title, "texts": texts, "steps": steps});
    // Within a script only `<` could end it.
    let data = data.to_string().replace('<', "\\u003c");
    let page = PAGE.replace(TITLE, &escaped(title));
    // The last, whatever the title says.
    let place = page.rsplit_once(DATA);
    let (before, after) = place.expect("the page has a place for data");
    [before, &data, after].concat()
}

fn value(schemas: &Schemas, step: &Step) -> Value {
    let groups: Vec<Value> = step
        .groups
        .iter()
        .map(|group| group_value(schemas, group))
        .collect();
    json!({
        "token": step.token,
        "allowed": step.allowed,
        "all": step.all,
        "end": step.may_end,
        "first": rounded(step.first_us),
        "again": rounded(step.again_us),
        "groups": groups,
    })
}

fn group_value(schemas: &Schemas, group: &Group) -> Value {
    let reason = &group.reason;
    let places: Vec<Value> = group
        .places
        .iter()
        .map(|place| place_value(schemas, place))
        .collect();
    json!({
        "rule": reason.rule,
        "within": reason.within,
        "subject": reason.subject,
        "count": reason.tokens.len(),
        "mechanism": reason.mechanism.to_string(),
        "samples": group.samples,
        "comes": group.comes,
        "places": places,
    })
}

fn place_value(schemas: &Schemas, place: &Place) -> Value {
    let span = place.span.as_ref().map(|(text, span)| {
        let units = in_utf16(&schemas.texts[*text].text, span);
        json!({"text": text, "start": units.start, "end": units.end})
    });
    json!({"pointer": place.pointer, "keywords": place.keywords, "span": span})
}

/// A range of bytes as scripts count.
fn in_utf16(text: &str, span: &Range<usize>) -> Range<usize> {
    let units = |end: usize| text[..end].encode_utf16().count();
    units(span.start)..units(span.end)
}

fn rounded(us: f64) -> f64 {
    (us * 10.0).round() / 10.0
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
