//! How often a judge that follows each reference anew looks at the subschemas of a schema for one value.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// Keywords with subschemas that judge the same value.
const ONE: [&str; 4] = ["not", "if", "then", "else"];
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const MAPS: [&str; 2] = ["dependentSchemas", "dependencies"];
const REFERENCES: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];
/// Keywords that go through all others once more.
const AGAIN: [&str; 2] = ["unevaluatedProperties", "unevaluatedItems"];
const ANCHORS: [&str; 2] = ["$anchor", "$dynamicAnchor"];
/// References whose target depends on the resources on the way to them.
const DYNAMIC: [&str; 2] = ["$dynamicRef", "$recursiveRef"];
/// Where there are any, more resources than this have too many ways through them to be counted.
const MOST_RESOURCES: usize = 32;

/// The most looks that one value takes at any place of the schema, of those that its own references make. What leads back to itself is
/// counted once; a web of dynamic references through many resources is not counted out. It recurses once a reference.
pub(crate) fn most_looks(schema: &Value) -> u64 {
    let mut all = Vec::new();
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        all.push(value);
        match value {
            Value::Array(items) => pending.extend(items),
            Value::Object(members) => pending.extend(members.values()),
            _ => {}
        }
    }
    let has = |value: &&&Value, keys: &[&str]| keys.iter().any(|key| value.get(*key).is_some());
    let resources = all.iter().filter(|value| has(value, &["$id"])).count();
    if resources > MOST_RESOURCES && all.iter().any(|value| has(&value, &DYNAMIC)) {
        return u64::MAX;
    }
    let named = all.iter().flat_map(|&value| {
        let names = ANCHORS.iter().filter_map(|key| value.get(key)?.as_str());
        names.map(move |name| (name, value))
    });
    let mut looks = Looks {
        root: schema,
        anchors: named.collect(),
        known: HashMap::new(),
    };
    all.into_iter()
        .map(|value| looks.at(value))
        .max()
        .unwrap_or(0)
}

struct Looks<'s> {
    root: &'s Value,
    anchors: HashMap<&'s str, &'s Value>,
    /// By where a subschema is in memory; 1 while it is being counted.
    known: HashMap<*const Value, u64>,
}

impl<'s> Looks<'s> {
    fn at(&mut self, schema: &'s Value) -> u64 {
        let Value::Object(members) = schema else {
            return 1;
        };
        let place = std::ptr::from_ref(schema);
        if let Some(&known) = self.known.get(&place) {
            return known;
        }
        self.known.insert(place, 1);
        let below = self.below(members);
        let looks = below.iter().fold(1u64, |sum, &below| {
            let looks = self.at(below);
            sum.saturating_add(looks)
        });
        let again = AGAIN.iter().any(|key| members.contains_key(*key));
        let looks = looks.saturating_mul(1 + u64::from(again));
        self.known.insert(place, looks);
        looks
    }

    /// The subschemas that judge the same value.
    fn below(&self, members: &'s Map<String, Value>) -> Vec<&'s Value> {
        let member = |key: &&str| members.get(*key);
        let lists = LISTS.iter().filter_map(member).filter_map(Value::as_array);
        let maps = MAPS.iter().filter_map(member).filter_map(Value::as_object);
        let references = REFERENCES
            .iter()
            .filter_map(member)
            .filter_map(Value::as_str);
        ONE.iter()
            .filter_map(member)
            .chain(lists.flatten())
            .chain(maps.flat_map(Map::values))
            .chain(references.filter_map(|name| self.named(name)))
            .collect()
    }

    /// What a reference within the schema names.
    fn named(&self, name: &str) -> Option<&'s Value> {
        let name = name.strip_prefix('#')?;
        match name.is_empty() || name.starts_with('/') {
            true => self.root.pointer(name),
            false => self.anchors.get(name).copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn looks_are_counted_as_references_multiply() {
        let web = |resources: usize| {
            let parts = (0..resources).map(|at| json!({"$id": format!("r{at}"), "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}}));
            json!({"prefixItems": parts.collect::<Vec<_>>()})
        };
        let doubled = json!({"$ref": "#/$defs/c", "$defs": {
            "a": {"type": "integer"},
            "b": {"anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]},
            "c": {"allOf": [{"$ref": "#/$defs/b"}, {"$ref": "#/$defs/b"}]},
        }});
        for (schema, looks) in [
            (json!(true), 1),
            (json!({"not": {"type": "integer"}}), 2),
            (json!({"properties": {"a": {"$ref": "#"}}}), 2),
            (
                json!({"$anchor": "a", "properties": {"b": {"$dynamicRef": "#a"}}}),
                2,
            ),
            (json!({"oneOf": [{}, {}], "unevaluatedItems": false}), 6),
            (json!({"$ref": "#/$defs/none"}), 1),
            (json!({"$defs": {"a": {"$ref": "#/$defs/a"}}}), 2),
            (web(32), 2),
            (web(33), u64::MAX),
            // A node has two looks at itself and its reference: 1, 2, 5, 6, 13, 14.
            (doubled, 14),
        ] {
            assert_eq!(most_looks(&schema), looks, "{schema}");
        }
    }
}
