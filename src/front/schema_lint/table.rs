//! What was probably meant by a name that is no keyword.

use crate::front::json_schema::{Draft, Keyword};

/// What other notations have, and what to write in its place.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "nullable",
        "JSON Schema has no `nullable`: add \"null\" to `type`, or read the schema by the draft openapi-3.0",
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

/// What to write in the place of a keyword that other drafts or notations have.
pub(super) fn elsewhere(name: &str) -> Option<&'static str> {
    let found = ELSEWHERE.iter().find(|(known, _)| *known == name);
    found.map(|&(_, instead)| instead)
}

/// So many slips at most make one name of another.
const MOST_SLIPS: usize = 2;

/// The keyword of `draft` that `name` probably was to be: one or two slips away, as names go.
pub(super) fn meant(name: &str, draft: Draft) -> Option<&'static str> {
    let keywords = Keyword::of(draft).map(Keyword::name);
    let (slips, best) = fewest_slips(name, keywords)?;
    let allowed = match name.chars().count() {
        0..=4 => 0,
        5..=8 => 1,
        _ => MOST_SLIPS,
    };
    (slips <= allowed).then_some(best)
}

/// The nearest of `names` to `name`, where it is near.
pub(super) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let (slips, best) = fewest_slips(name, names)?;
    (slips * 2 < name.chars().count()).then_some(best)
}

/// The one of `names` that the fewest slips lead to, where that are few.
fn fewest_slips<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<(usize, &'n str)> {
    let name: Vec<char> = folded(name).collect();
    // The slips are at least the difference of the lengths: most names need no more than that.
    let near = names.filter(|known| folded(known).count().abs_diff(name.len()) <= MOST_SLIPS);
    let near = near.map(|known| (slips(&name, &folded(known).collect::<Vec<_>>()), known));
    near.min().filter(|&(slips, _)| slips <= MOST_SLIPS)
}

/// The letters of a name, case apart.
fn folded(name: &str) -> impl Iterator<Item = char> {
    name.chars().flat_map(char::to_lowercase)
}

/// How many letters are to be put in, left out, changed or swapped with the next one to make one
/// name of the other (optimal string alignment).
fn slips(left: &[char], right: &[char]) -> usize {
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
