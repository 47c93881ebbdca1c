//! Keywords that say nothing where they stand, or something else than it seems.

use super::places::{Place, Places};
use super::table;
use super::warning::{Lint, Report};
use crate::front::json_schema::foreign::others;
use crate::front::json_schema::{
    Draft, Format, Formats, Keyword, Kind, SchemaConfig, Types, ValueId, looks_like_schema,
};

/// What stands beside a `$ref` that stands alone and is not missed.
const NOT_MISSED: [&str; 12] = [
    "$ref",
    "$schema",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

pub(super) fn check(places: &Places<'_>, config: &SchemaConfig, report: &mut Report<'_>) {
    for place in &places.all {
        let alone = place.draft.references_stand_alone() && place.get("$ref").is_some();
        let types = types(places, place);
        for (name, value) in &place.keywords {
            if alone {
                ignored(name, *value, report);
                continue;
            }
            keyword(place, name, *value, types, report);
            shape(places, place, name, *value, report);
        }
        if !alone {
            repeated(places, place, report);
            if config.formats == Formats::Assert {
                format(places, place, report);
            }
        }
    }
}

/// The types that a schema names.
fn types(places: &Places<'_>, place: &Place) -> Types {
    let Some(value) = place.get("type") else {
        return Types::ALL;
    };
    let document = places.document;
    let names: Vec<ValueId> = match document.kind(value) {
        Kind::Array => document.elements(value).collect(),
        _ => vec![value],
    };
    names.into_iter().fold(Types::NONE, |types, name| {
        types.union(match document.string(name).as_deref() {
            Some("null") => Types::NULL,
            Some("boolean") => Types::BOOLEAN,
            Some("number" | "integer") => Types::NUMBER,
            Some("string") => Types::STRING,
            Some("array") => Types::ARRAY,
            Some("object") => Types::OBJECT,
            _ => Types::ALL,
        })
    })
}

fn ignored(name: &str, value: ValueId, report: &mut Report<'_>) {
    if Keyword::find(name).is_some() && !NOT_MISSED.contains(&name) && !name.ends_with("id") {
        report.warn(
            Lint::IgnoredSibling,
            value,
            format!("`{name}` stands beside `$ref` and is ignored, as drafts 4 to 7 say"),
            "put the `$ref` into an `allOf`, or name draft 2019-09 or later by `$schema`",
        );
    }
}

/// Whether there is such a keyword, and whether it says anything.
fn keyword(place: &Place, name: &str, value: ValueId, types: Types, report: &mut Report<'_>) {
    let draft = place.draft;
    let known = Keyword::find(name).filter(|known| known.is_in(draft));
    let Some(known) = known else {
        return unknown(place, name, value, report);
    };
    let met = |needed: &&str| place.get(needed).is_some();
    if !known.about().meets(types) {
        report.warn(
            Lint::IdleKeyword,
            value,
            format!("`{name}` says nothing about the types that `type` allows"),
            "leave it out, or change `type`",
        );
    } else if !known.needs().is_empty() && !known.needs().iter().any(met) {
        let needs = known.needs().join("` or `");
        report.warn(
            Lint::IdleKeyword,
            value,
            format!("`{name}` says nothing without `{needs}` beside it"),
            format!("leave it out, or add `{needs}`"),
        );
    }
}

fn unknown(place: &Place, name: &str, value: ValueId, report: &mut Report<'_>) {
    if Keyword::find(name).is_some() {
        let hint = match table::elsewhere(name) {
            Some(instead) => instead.to_owned(),
            None => "name the draft that is meant by `$schema`".to_owned(),
        };
        let message = format!("`{name}` says nothing in {}", name_of(place.draft));
        report.warn(Lint::KeywordOfAnotherDraft, value, message, hint);
    } else if let Some(instead) = table::elsewhere(name) {
        let message = format!("`{name}` is no keyword of JSON Schema and says nothing");
        report.warn(Lint::KeywordOfAnotherDraft, value, message, instead);
    } else if let Some(meant) = table::meant(name, place.draft) {
        report.warn(
            Lint::MisspeltKeyword,
            value,
            format!("`{name}` is no keyword and says nothing"),
            format!("is `{meant}` meant?"),
        );
    } else if is_all(place) && !name.starts_with("x-") && looks_like_schema(report.document, value)
    {
        report.warn(
            Lint::UnreadSchema,
            value,
            format!("`{name}` is no keyword, and nothing beside it is: any value is valid"),
            "if the schema stands under it, give that alone",
        );
    }
}

/// Whether a schema has no keyword of any draft.
fn is_all(place: &Place) -> bool {
    let mut names = place.keywords.iter();
    names.all(|(name, _)| Keyword::find(name).is_none())
}

fn name_of(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft3 => "draft 3",
        Draft::Draft4 => "draft 4",
        Draft::OpenApi30 => "OpenAPI 3.0",
        Draft::Draft6 => "draft 6",
        Draft::Draft7 => "draft 7",
        Draft::Draft201909 => "draft 2019-09",
        Draft::Draft202012 => "draft 2020-12",
    }
}

/// Values as other drafts have them.
fn shape(places: &Places<'_>, place: &Place, name: &str, value: ValueId, report: &mut Report<'_>) {
    let (kind, draft) = (places.document.kind(value), place.draft);
    let is_flag = matches!(kind, Kind::True | Kind::False);
    let (is, instead) = match name {
        "items" if kind == Kind::Array && draft >= Draft::Draft202012 => (
            "an array of schemas, as before draft 2020-12, and read as there",
            "call it `prefixItems`, and what was `additionalItems` `items`",
        ),
        "required" if is_flag && draft > Draft::Draft3 => (
            "true or false, as in draft 3, and read as there",
            "list the names in the `required` of the object around",
        ),
        "exclusiveMinimum" | "exclusiveMaximum" if is_flag && draft >= Draft::Draft6 => (
            "true or false, as in draft 4, and read as there",
            "since draft 6 its value is the bound itself",
        ),
        _ => return,
    };
    report.warn(
        Lint::ShapeOfAnotherDraft,
        value,
        format!("`{name}` is {is}"),
        instead,
    );
}

/// Gemini's names of types, and keywords that are `null`: the one is read as what it means, the other as if it were not there.
pub(super) fn written_otherwise(report: &mut Report<'_>) {
    for (name, value) in others(report.document) {
        match report.document.string(value) {
            Some(kind) => report.warn(
                Lint::ShapeOfAnotherDraft,
                value,
                format!("`{kind}` is a type of Gemini's and read as there"),
                "types of JSON Schema are in small letters",
            ),
            None => report.warn(
                Lint::IdleKeyword,
                value,
                format!("`{name}` is null and says nothing"),
                "leave it out",
            ),
        }
    }
}

/// Values of `enum`, and names of `required`, that are there twice.
fn repeated(places: &Places<'_>, place: &Place, report: &mut Report<'_>) {
    let document = places.document;
    for keyword in ["enum", "required"] {
        let mut seen = rustc_hash::FxHashSet::default();
        let list = place.get(keyword).into_iter();
        for value in list.flat_map(|list| document.elements(list)) {
            if !seen.insert(document.raw(value)) {
                let message = format!("`{keyword}` has {} twice", document.raw(value));
                report.warn(Lint::Repeated, value, message, "leave one of them out");
            }
        }
    }
}

fn format(places: &Places<'_>, place: &Place, report: &mut Report<'_>) {
    let value = place.get("format");
    let Some((value, name)) = value.and_then(|value| Some((value, places.text(value)?))) else {
        return;
    };
    if Format::find(&name, place.draft).is_empty() {
        let hint = match table::nearest(&name, Format::names()) {
            Some(near) => format!("is `{near}` meant?"),
            None => "a `pattern` can say what is meant".to_owned(),
        };
        let message = format!("the format `{name}` is not known and asserts nothing");
        report.warn(Lint::UnknownFormat, value, message, hint);
    }
}
