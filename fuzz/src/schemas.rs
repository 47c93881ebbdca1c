//! Schemas over a small vocabulary of keywords and values, made from an input's bytes, so that keywords meet.

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// Names of properties: one begins another, one is not ASCII.
const NAMES: [&str; 4] = ["a", "ab", "b", "é"];
const PATTERNS: [&str; 8] = [
    "^a",
    "b$",
    "^(ab|abc)*$",
    "[^a-z]",
    "^[0-9]{1,2}$",
    "^.?é",
    "^$",
    "a.b",
];
const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];
const NUMBERS: [&str; 10] = ["0", "1", "-1", "2", "3", "10", "0.5", "-2.5", "1e2", "12"];
const STEPS: [&str; 6] = ["1", "2", "3", "0.5", "5", "2.5"];

/// Which keywords a schema may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keywords {
    /// All of them.
    All,
    /// Those that llguidance enforces or refuses.
    Plain,
}

/// A schema with subschemas to `depth`. References lead to two definitions, and only from below a value, so that none
/// leads to itself.
pub fn schema(input: &mut Unstructured<'_>, keywords: Keywords) -> Result<Value> {
    let mut root = object(input, 3, keywords, false)?;
    if keywords == Keywords::All && input.ratio(1, 4)? {
        let definitions = json!({
            "x": object(input, 2, keywords, false)?,
            "y": object(input, 2, keywords, false)?,
        });
        root.insert("$defs".to_owned(), definitions);
    }
    Ok(Value::Object(root))
}

/// A small value, of up to `depth` arrays and objects in each other.
pub fn small(input: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(
        match input.int_in_range(0..=if depth == 0 { 5 } else { 8 })? {
            0 => Value::Null,
            1 => Value::Bool(input.arbitrary()?),
            2 | 3 => number(input, &NUMBERS)?,
            4 | 5 => json!(input.choose(&["", "a", "ab", "b", "é", "abab", "7", "a\nb"])?),
            6 => {
                let count = input.int_in_range(0..=3)?;
                let items: Result<Vec<_>> = (0..count).map(|_| small(input, depth - 1)).collect();
                Value::Array(items?)
            }
            _ => {
                let mut members = Map::new();
                for _ in 0..input.int_in_range(0..=3)? {
                    members.insert(name(input)?, small(input, depth - 1)?);
                }
                Value::Object(members)
            }
        },
    )
}

fn name(input: &mut Unstructured<'_>) -> Result<String> {
    Ok((*input.choose(&NAMES)?).to_owned())
}

fn number(input: &mut Unstructured<'_>, of: &[&str]) -> Result<Value> {
    let text = input.choose(of)?;
    Ok(serde_json::from_str(text).expect("it is a number"))
}

/// A schema that is a value of another: `below` says whether it stands below a value of its root.
fn sub(
    input: &mut Unstructured<'_>,
    depth: usize,
    keywords: Keywords,
    below: bool,
) -> Result<Value> {
    if keywords == Keywords::All && input.ratio(1, 10)? {
        return Ok(Value::Bool(input.arbitrary()?));
    }
    Ok(Value::Object(object(input, depth, keywords, below)?))
}

fn object(
    input: &mut Unstructured<'_>,
    depth: usize,
    keywords: Keywords,
    below: bool,
) -> Result<Map<String, Value>> {
    let mut members = Map::new();
    for _ in 0..input.int_in_range(0..=3)? {
        let (keyword, value) = match input.ratio(2, 5)? && depth > 0 {
            true => applicator(input, depth - 1, keywords, below)?,
            false => assertion(input, keywords)?,
        };
        members.insert(keyword.to_owned(), value);
    }
    if below && keywords == Keywords::All && input.ratio(1, 12)? {
        members.insert(
            "$ref".to_owned(),
            json!(input.choose(&["#/$defs/x", "#/$defs/y", "#"])?),
        );
    }
    Ok(members)
}

fn assertion(input: &mut Unstructured<'_>, keywords: Keywords) -> Result<(&'static str, Value)> {
    let count = |input: &mut Unstructured<'_>| Ok(json!(input.int_in_range(0..=4)?));
    let most = if keywords == Keywords::All { 20 } else { 13 };
    Ok(match input.int_in_range(0..=most)? {
        0 | 1 => ("type", json!(input.choose(&TYPES)?)),
        2 => (
            "type",
            json!([input.choose(&TYPES[..3])?, input.choose(&TYPES[3..])?]),
        ),
        3 => ("const", small(input, 2)?),
        4 => (
            "enum",
            json!([small(input, 1)?, small(input, 2)?, small(input, 0)?]),
        ),
        5 => ("minLength", count(input)?),
        6 => ("maxLength", count(input)?),
        7 => ("pattern", json!(input.choose(&PATTERNS)?)),
        8 => ("minimum", number(input, &NUMBERS)?),
        9 => ("exclusiveMaximum", number(input, &NUMBERS)?),
        10 => ("minItems", count(input)?),
        11 => ("maxItems", count(input)?),
        12 => ("required", json!([name(input)?])),
        13 => ("multipleOf", number(input, &STEPS)?),
        14 => ("uniqueItems", json!(true)),
        15 => ("minProperties", count(input)?),
        16 => ("maxProperties", count(input)?),
        17 => ("maximum", number(input, &NUMBERS)?),
        18 => ("exclusiveMinimum", number(input, &NUMBERS)?),
        19 => ("dependentRequired", json!({name(input)?: [name(input)?]})),
        _ => ("format", json!(input.choose(&["date", "ipv4", "uuid"])?)),
    })
}

fn applicator(
    input: &mut Unstructured<'_>,
    depth: usize,
    keywords: Keywords,
    below: bool,
) -> Result<(&'static str, Value)> {
    let most = if keywords == Keywords::All { 19 } else { 4 };
    let deeper = |input: &mut Unstructured<'_>| sub(input, depth, keywords, true);
    let beside = |input: &mut Unstructured<'_>| sub(input, depth, keywords, below);
    Ok(match input.int_in_range(0..=most)? {
        0 | 1 => (
            "properties",
            json!({name(input)?: deeper(input)?, name(input)?: deeper(input)?}),
        ),
        2 => ("items", deeper(input)?),
        3 => ("additionalProperties", deeper(input)?),
        4 => ("anyOf", json!([beside(input)?, beside(input)?])),
        5 => ("prefixItems", json!([deeper(input)?, deeper(input)?])),
        6 => (
            "patternProperties",
            json!({*input.choose(&PATTERNS)?: deeper(input)?}),
        ),
        7 => ("propertyNames", sub(input, depth.min(1), keywords, below)?),
        8 => ("contains", deeper(input)?),
        9 => ("oneOf", json!([beside(input)?, beside(input)?])),
        10 => ("allOf", json!([beside(input)?, beside(input)?])),
        11 => ("not", beside(input)?),
        12 => ("if", beside(input)?),
        13 => ("then", beside(input)?),
        14 => ("else", beside(input)?),
        15 => ("dependentSchemas", json!({name(input)?: beside(input)?})),
        16 => ("unevaluatedProperties", deeper(input)?),
        17 => ("unevaluatedItems", deeper(input)?),
        18 => ("minContains", json!(input.int_in_range(0..=2)?)),
        _ => ("maxContains", json!(input.int_in_range(0..=2)?)),
    })
}
