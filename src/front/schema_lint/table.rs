//! The keywords of all drafts: which drafts have them, and what they are about.

use crate::front::json_schema::{Draft, Types};

/// A keyword.
pub(super) struct Keyword {
    pub(super) name: &'static str,
    /// The first and the last draft that has it.
    pub(super) since: Draft,
    pub(super) until: Draft,
    /// The types of values that it says something about.
    pub(super) about: Types,
    /// It says nothing without one of these beside it.
    pub(super) needs: &'static [&'static str],
}

const fn keyword(name: &'static str, since: Draft, about: Types) -> Keyword {
    Keyword {
        name,
        since,
        until: Draft::Draft202012,
        about,
        needs: &[],
    }
}

const fn until(until: Draft, keyword: Keyword) -> Keyword {
    Keyword { until, ..keyword }
}

const fn beside(needs: &'static [&'static str], keyword: Keyword) -> Keyword {
    Keyword { needs, ..keyword }
}

use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};

const TABLE: &[Keyword] = &[
    keyword("$schema", Draft4, Types::ALL),
    until(Draft4, keyword("id", Draft4, Types::ALL)),
    keyword("$id", Draft6, Types::ALL),
    keyword("$ref", Draft4, Types::ALL),
    keyword("$comment", Draft7, Types::ALL),
    keyword("$anchor", Draft201909, Types::ALL),
    keyword("$vocabulary", Draft201909, Types::ALL),
    until(
        Draft201909,
        keyword("$recursiveRef", Draft201909, Types::ALL),
    ),
    until(
        Draft201909,
        keyword("$recursiveAnchor", Draft201909, Types::ALL),
    ),
    keyword("$dynamicRef", Draft202012, Types::ALL),
    keyword("$dynamicAnchor", Draft202012, Types::ALL),
    // A JSON pointer leads into these in every draft.
    keyword("$defs", Draft4, Types::ALL),
    keyword("definitions", Draft4, Types::ALL),
    keyword("title", Draft4, Types::ALL),
    keyword("description", Draft4, Types::ALL),
    keyword("default", Draft4, Types::ALL),
    // Annotations that tools read in every draft.
    keyword("examples", Draft4, Types::ALL),
    keyword("deprecated", Draft4, Types::ALL),
    keyword("readOnly", Draft4, Types::ALL),
    keyword("writeOnly", Draft4, Types::ALL),
    keyword("type", Draft4, Types::ALL),
    keyword("enum", Draft4, Types::ALL),
    keyword("const", Draft6, Types::ALL),
    keyword("allOf", Draft4, Types::ALL),
    keyword("anyOf", Draft4, Types::ALL),
    keyword("oneOf", Draft4, Types::ALL),
    keyword("not", Draft4, Types::ALL),
    beside(&["then", "else"], keyword("if", Draft7, Types::ALL)),
    beside(&["if"], keyword("then", Draft7, Types::ALL)),
    beside(&["if"], keyword("else", Draft7, Types::ALL)),
    keyword("multipleOf", Draft4, Types::NUMBER),
    keyword("minimum", Draft4, Types::NUMBER),
    keyword("maximum", Draft4, Types::NUMBER),
    keyword("exclusiveMinimum", Draft4, Types::NUMBER),
    keyword("exclusiveMaximum", Draft4, Types::NUMBER),
    keyword("minLength", Draft4, Types::STRING),
    keyword("maxLength", Draft4, Types::STRING),
    keyword("pattern", Draft4, Types::STRING),
    keyword("format", Draft4, Types::STRING),
    keyword("contentEncoding", Draft7, Types::STRING),
    keyword("contentMediaType", Draft7, Types::STRING),
    beside(
        &["contentMediaType"],
        keyword("contentSchema", Draft201909, Types::STRING),
    ),
    keyword("items", Draft4, Types::ARRAY),
    keyword("prefixItems", Draft202012, Types::ARRAY),
    beside(
        &["items"],
        until(
            Draft201909,
            keyword("additionalItems", Draft4, Types::ARRAY),
        ),
    ),
    keyword("unevaluatedItems", Draft201909, Types::ARRAY),
    keyword("contains", Draft6, Types::ARRAY),
    beside(
        &["contains"],
        keyword("minContains", Draft201909, Types::ARRAY),
    ),
    beside(
        &["contains"],
        keyword("maxContains", Draft201909, Types::ARRAY),
    ),
    keyword("minItems", Draft4, Types::ARRAY),
    keyword("maxItems", Draft4, Types::ARRAY),
    keyword("uniqueItems", Draft4, Types::ARRAY),
    keyword("properties", Draft4, Types::OBJECT),
    keyword("patternProperties", Draft4, Types::OBJECT),
    keyword("additionalProperties", Draft4, Types::OBJECT),
    keyword("unevaluatedProperties", Draft201909, Types::OBJECT),
    keyword("propertyNames", Draft6, Types::OBJECT),
    keyword("required", Draft4, Types::OBJECT),
    keyword("minProperties", Draft4, Types::OBJECT),
    keyword("maxProperties", Draft4, Types::OBJECT),
    // Later drafts leave it to implementations; here it means what it did.
    keyword("dependencies", Draft4, Types::OBJECT),
    keyword("dependentRequired", Draft201909, Types::OBJECT),
    keyword("dependentSchemas", Draft201909, Types::OBJECT),
];

/// What other notations have, and what to write in its place.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "nullable",
        "JSON Schema has no `nullable`: add \"null\" to `type`",
    ),
    ("divisibleBy", "since draft 4 it is `multipleOf`"),
    ("disallow", "since draft 4 it is `not`"),
    ("extends", "since draft 4 it is `allOf`"),
    ("$recursiveRef", "since draft 2020-12 it is `$dynamicRef`"),
    (
        "$recursiveAnchor",
        "since draft 2020-12 it is `$dynamicAnchor`",
    ),
    (
        "additionalItems",
        "since draft 2020-12, `items` beside `prefixItems` says it",
    ),
    ("id", "since draft 6 it is `$id`"),
];

/// The keyword of this name, in whatever draft.
pub(super) fn find(name: &str) -> Option<&'static Keyword> {
    TABLE.iter().find(|keyword| keyword.name == name)
}

/// What to write in the place of a keyword that other drafts or notations have.
pub(super) fn elsewhere(name: &str) -> Option<&'static str> {
    let found = ELSEWHERE.iter().find(|(known, _)| *known == name);
    found.map(|&(_, instead)| instead)
}

/// The keyword of `draft` that `name` probably was to be: one or two slips away, as names go.
pub(super) fn meant(name: &str, draft: Draft) -> Option<&'static str> {
    let candidates = TABLE
        .iter()
        .filter(|keyword| keyword.since <= draft && draft <= keyword.until);
    let near = candidates.map(|keyword| (slips(name, keyword.name), keyword.name));
    let (slips, best) = near.min()?;
    let allowed = match name.chars().count() {
        0..=4 => 0,
        5..=8 => 1,
        _ => 2,
    };
    (slips <= allowed).then_some(best)
}

/// The nearest of `names` to `name`, where it is near.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let (slips, best) = names.map(|known| (slips(name, known), known)).min()?;
    (slips <= 2 && slips * 2 < name.chars().count()).then_some(best)
}

/// How many letters are to be put in, left out, changed or swapped with the next one to make one
/// name of the other, case apart (optimal string alignment).
fn slips(left: &str, right: &str) -> usize {
    let fold = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let (left, right) = (fold(left), fold(right));
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    for i in 1..=left.len() {
        let mut row = vec![i];
        for j in 1..=right.len() {
            let change = usize::from(left[i - 1] != right[j - 1]);
            let mut best = (rows[i - 1][j] + 1)
                .min(row[j - 1] + 1)
                .min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_meant() {
        for (written, expected) in [
            ("requried", Some("required")),
            ("minlength", Some("minLength")),
            ("propertes", Some("properties")),
            ("aditionalProperties", Some("additionalProperties")),
            ("patern", Some("pattern")),
            ("any_of", Some("anyOf")),
            ("Type", Some("type")),
            ("note", None),
            ("x-format", None),
            ("markdownDescription", None),
            ("name", None),
            ("", None),
        ] {
            assert_eq!(meant(written, Draft::Draft202012), expected, "{written}");
        }
    }
}
