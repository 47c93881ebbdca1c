//! Names of properties that one keyword has and another does not see.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use super::patterns;
use super::places::{Adds, Place, Places};
use super::warning::{Lint, Report};
use crate::front::json_schema::{Draft, Kind, SchemaConfig};
use crate::regular::Dfa;

/// How many names a message lists.
const LISTED: usize = 3;

/// The steps of looking at a place, or of holding a name against a pattern.
const STEPS: usize = 8;
/// The steps of coming by a place on the way through those of one value.
const STEPS_ON_THE_WAY: usize = 32;

pub(super) fn check(places: &Places<'_>, config: &SchemaConfig, report: &mut Report<'_>) {
    let groups = places.groups();
    let declared = Declared::by_group(places, &groups, config);
    for (index, place) in places.all.iter().enumerate() {
        if config.limits.charge(STEPS).is_err() {
            return;
        }
        if !(place.draft.references_stand_alone() && place.get("$ref").is_some()) {
            required(places, index, &declared[groups[index]], config, report);
            unseen(places, index, config, report);
        }
    }
}

/// What the schemas of one value say of its properties.
#[derive(Default)]
struct Declared {
    names: BTreeSet<String>,
    patterns: Vec<Dfa>,
    /// Whether there may be more, or names that nothing declares are spoken of as well.
    open: bool,
}

impl Declared {
    fn by_group(places: &Places<'_>, groups: &[usize], config: &SchemaConfig) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        all.resize_with(places.all.len(), Self::default);
        for (place, &group) in places.all.iter().zip(groups) {
            let declared = &mut all[group];
            declared.add(places, place, config);
            declared.open |= place.refers_elsewhere;
            let others = [
                "additionalProperties",
                "unevaluatedProperties",
                "propertyNames",
            ];
            let speaks = |keyword: &&str| {
                let value = place.get(keyword);
                value.is_some_and(|value| places.document.kind(value) == Kind::Object)
            };
            declared.open |= others.iter().any(speaks);
        }
        all
    }

    /// Adds what `properties` and `patternProperties` of a place have.
    fn add(&mut self, places: &Places<'_>, place: &Place, config: &SchemaConfig) {
        let names = places.members(place.get("properties"));
        self.names.extend(names.into_iter().map(|(name, _)| name));
        for (pattern, _) in places.members(place.get("patternProperties")) {
            match patterns::language(&pattern, config) {
                Some(pattern) => self.patterns.push(pattern),
                None => self.open = true,
            }
        }
    }

    /// What looking for a name takes.
    fn steps(&self) -> usize {
        STEPS * (1 + self.patterns.len())
    }

    fn has(&self, name: &str) -> bool {
        let matches = |pattern: &Dfa| pattern.contains(name.as_bytes());
        self.names.contains(name) || self.patterns.iter().any(matches)
    }
}

/// Names of `required` that nothing declares, as long as there is work left.
fn required(
    places: &Places<'_>,
    index: usize,
    declared: &Declared,
    config: &SchemaConfig,
    report: &mut Report<'_>,
) {
    let Some(required) = places.all[index].get("required") else {
        return;
    };
    if declared.open || places.is_negated(index) {
        return;
    }
    for value in places.document.elements(required) {
        if config.limits.charge(declared.steps()).is_err() {
            return;
        }
        if let Some(name) = places.text(value).filter(|name| !declared.has(name)) {
            report.warn(
                Lint::UndeclaredRequired,
                value,
                format!("`{name}` is required and not declared: it may have any value"),
                "declare it in `properties`, or correct its name",
            );
        }
    }
}

/// `additionalProperties: false` and `unevaluatedProperties: false` that do not see what others declare, as long as
/// there is work left.
fn unseen(places: &Places<'_>, index: usize, config: &SchemaConfig, report: &mut Report<'_>) {
    let place = &places.all[index];
    for keyword in ["additionalProperties", "unevaluatedProperties"] {
        let value = place.get(keyword);
        let Some(value) = value.filter(|&value| places.document.kind(value) == Kind::False) else {
            continue;
        };
        let mut seen = Declared::default();
        let mut others = beside(places, index);
        let inside = places.within(&[index], Adds::Sometimes);
        let passed = STEPS_ON_THE_WAY * (others.len() + inside.len());
        if config.limits.charge(passed).is_err() {
            return;
        }
        match keyword {
            // It sees its own neighbours alone.
            "additionalProperties" => {
                seen.add(places, place, config);
                others.extend(inside);
            }
            _ => {
                let all = inside.iter().chain([&index]);
                all.for_each(|&inner| seen.add(places, &places.all[inner], config));
            }
        }
        let names: Vec<_> = others
            .iter()
            .flat_map(|&other| places.members(places.all[other].get("properties")))
            .collect();
        let steps = names.len().saturating_mul(seen.steps());
        if config.limits.charge(STEPS * others.len() + steps).is_err() {
            return;
        }
        let names: BTreeSet<String> = names
            .into_iter()
            .filter(|(_, value)| places.document.kind(*value) != Kind::False)
            .map(|(name, _)| name)
            .filter(|name| !seen.has(name))
            .collect();
        if seen.open || names.is_empty() {
            continue;
        }
        let listed: Vec<String> = names
            .iter()
            .take(LISTED)
            .map(|name| format!("`{name}`"))
            .collect();
        let more = if names.len() > LISTED {
            " and others"
        } else {
            ""
        };
        let message = format!(
            "`{keyword}: false` does not see {}{more}, which a schema for the same object declares, and forbids them",
            listed.join(", ")
        );
        report.warn(
            Lint::UnseenProperties,
            value,
            message,
            hint(keyword, place.draft),
        );
    }
}

fn hint(keyword: &str, draft: Draft) -> &'static str {
    match keyword {
        "additionalProperties" if draft >= Draft::Draft201909 => {
            "put `unevaluatedProperties: false` into the outermost schema instead"
        }
        "additionalProperties" => "declare them here too, by `true`, or leave it out",
        _ => "put it into the schema that holds all the others",
    }
}

/// The places around one, and beside it in those, that hold whenever it does.
fn beside(places: &Places<'_>, index: usize) -> Vec<usize> {
    let own = places.within(&[index], Adds::Sometimes);
    let mut around = places.around(index, |adds| adds != Adds::Never);
    let always = places.within(&around, Adds::Always);
    around.extend(always);
    let own: FxHashSet<usize> = own.into_iter().chain([index]).collect();
    around.retain(|other| !own.contains(other));
    around
}
