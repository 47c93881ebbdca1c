//! The words of a JSON Schema: what its instances may have to say and a sampler that knows nothing of
//! schemas would hardly spell.

use std::collections::BTreeSet;

use maskwright::vocab::Vocabulary;
use serde_json::Value;

use super::sampler::Scripts;

/// Keywords whose strings name members that must be there.
const NEEDED: [&str; 3] = ["required", "dependentRequired", "dependencies"];
/// Keywords whose scalars are values.
const VALUES: [&str; 5] = ["enum", "const", "default", "example", "examples"];
/// Keywords whose members' names are names of members.
const NAMED: &str = "properties";

/// The words of `schema`, or of all schemas within a JSON text, and of some instances: first the names
/// that objects must have, without which none ends, then other names and values.
pub(crate) fn words<'a>(
    schema: &str,
    instances: impl IntoIterator<Item = &'a str>,
    vocabulary: &Vocabulary,
) -> Scripts {
    let (mut needed, mut others) = (BTreeSet::new(), BTreeSet::new());
    for value in within(&value_of(schema)) {
        let keywords = value.as_object().into_iter().flatten();
        for (keyword, value) in keywords {
            match keyword.as_str() {
                keyword if NEEDED.contains(&keyword) => {
                    needed.extend(within(value).filter(|value| value.is_string()).map(spell));
                }
                keyword if VALUES.contains(&keyword) => others.extend(spelt(value)),
                NAMED => others.extend(names(value)),
                _ => {}
            }
        }
    }
    for instance in instances {
        others.extend(spelt(&value_of(instance)));
    }
    let tokens = |word: &str| vocabulary.longest_tokens(word.as_bytes());
    let strings = needed.iter().chain(&others);
    Scripts {
        tails: strings
            .filter_map(|word| word.strip_prefix('"'))
            .map(tokens)
            .collect(),
        words: [&needed, &others]
            .map(|words| words.iter().map(|word| tokens(word)).collect())
            .into(),
        ..Scripts::default()
    }
}

/// A JSON text's value; one without words if `serde_json` cannot read it.
fn value_of(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// A value and all that is in it.
fn within(value: &Value) -> impl Iterator<Item = &Value> {
    let mut pending = vec![value];
    std::iter::from_fn(move || {
        let value = pending.pop()?;
        match value {
            Value::Object(members) => pending.extend(members.values()),
            Value::Array(items) => pending.extend(items),
            _ => {}
        }
        Some(value)
    })
}

/// The scalars and the names of members in a value.
fn spelt(value: &Value) -> impl Iterator<Item = String> {
    within(value).flat_map(|value| {
        let scalar = (!value.is_object() && !value.is_array()).then(|| spell(value));
        scalar.into_iter().chain(names(value))
    })
}

fn names(value: &Value) -> impl Iterator<Item = String> {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, _)| spell(&Value::String(name.clone())))
}

fn spell(value: &Value) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use maskwright::base::TokenId;
    use serde_json::json;

    #[test]
    fn finds_names_and_values() {
        let vocabulary = crate::bytes::engine().unwrap_or_else(|_| panic!("single bytes"));
        let schema = json!({
            "required": ["a"],
            "properties": {"b": {"enum": ["c", 1, {"d": null}], "title": "no"}},
            "dependentRequired": {"e": ["f"]},
        });
        let instances = [r#"{"g": [true]}"#];
        let scripts = words(&schema.to_string(), instances, vocabulary.vocabulary());
        let spelt = |words: &Vec<Vec<TokenId>>| -> Vec<String> {
            let byte = |id: &TokenId| id.index() as u8 as char;
            let word = |word: &Vec<TokenId>| word.iter().map(byte).collect();
            words.iter().map(word).collect()
        };
        assert_eq!(spelt(&scripts.tails)[..2], ["a\"", "f\""]);
        let words: Vec<_> = scripts.words.iter().map(spelt).collect();
        assert_eq!(words[0], ["\"a\"", "\"f\""]);
        assert_eq!(
            words[1],
            ["\"b\"", "\"c\"", "\"d\"", "\"g\"", "1", "null", "true"]
        );
    }
}
