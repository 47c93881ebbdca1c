//! The fuzz targets on a few hundred inputs that are the same each time: seeds, seeds with a few
//! bytes changed, and texts written at random in the language of the target.

#![allow(clippy::unwrap_used)]

#[path = "support/random.rs"]
mod random;

use std::path::Path;

use maskwright::check::Violation;
use maskwright::check::fuzz::{Fuzzer, Outcome};
use random::Random;

impl Random {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn bytes(&mut self, most: usize) -> Vec<u8> {
        let len = self.below(most + 1);
        (0..len).map(|_| self.below(256) as u8).collect()
    }
}

/// The committed inputs of a target, in the order of their names.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/fuzz")
        .join(target);
    let entries = std::fs::read_dir(folder).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

/// The input with a few bytes changed, doubled or left out, and some choices after it.
fn mutated(seed: &[u8], random: &mut Random) -> Vec<u8> {
    let mut data = seed.to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(data.len().max(1));
        match random.below(4) {
            _ if data.is_empty() => data.push(b'a'),
            0 => data[at] = random.below(256) as u8,
            1 => drop(data.remove(at)),
            2 => data.insert(at, data[at]),
            _ => {
                let from = random.below(data.len());
                let (from, to) = (from.min(at), from.max(at));
                let part = data[from..to.min(from + 24)].to_vec();
                let _ = data.splice(at..at, part);
            }
        }
    }
    with_choices(data, random)
}

fn with_choices(mut text: Vec<u8>, random: &mut Random) -> Vec<u8> {
    text.push(0);
    text.extend(random.bytes(40));
    text
}

/// Runs a target on its inputs; some of them must be driven to an end, or it tests nothing.
fn run(inputs: &[Vec<u8>], target: impl Fn(&[u8]) -> Result<Outcome, Violation>) {
    let (mut failures, mut complete) = (Vec::new(), 0);
    for input in inputs {
        match target(input) {
            Ok(Outcome::Held(run)) if run.complete => complete += 1,
            Ok(_) => {}
            Err(violation) => {
                failures.push(format!("{}: {violation}", input.escape_ascii()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(
        complete * 10 > inputs.len(),
        "only {complete} of {} were completed",
        inputs.len()
    );
}

/// The crate `jsonschema`. It has no opinion where it cannot read the schema, or where it would
/// round a number.
fn judge(schema: &str, instance: &str) -> Result<(), String> {
    let Ok(schema) = serde_json::from_str(schema) else {
        return Ok(());
    };
    let options = jsonschema::options().should_validate_formats(true);
    let Ok(validator) = options.build(&schema) else {
        return Ok(());
    };
    let instance = match serde_json::from_str(instance) {
        Err(error) if error.to_string().contains("out of range") => return Ok(()),
        other => other.map_err(|error| error.to_string())?,
    };
    validator
        .validate(&instance)
        .map_err(|error| error.to_string())
}

#[test]
fn abnf() {
    let fuzzer = Fuzzer::new();
    let mut random = Random(0x5EED_ABFF);
    let mut inputs = seeds("abnf");
    for seed in inputs.clone() {
        inputs.extend((0..20).map(|_| mutated(&seed, &mut random)));
    }
    for _ in 0..200 {
        let text = grammar(&mut random).into_bytes();
        inputs.push(with_choices(text, &mut random));
    }
    run(&inputs, |data| fuzzer.abnf(data));
}

#[test]
fn json_schema() {
    let fuzzer = Fuzzer::new();
    let mut random = Random(0x5EED_0001);
    let mut inputs = seeds("json_schema");
    for seed in inputs.clone() {
        inputs.extend((0..20).map(|_| mutated(&seed, &mut random)));
    }
    for _ in 0..300 {
        let text = schema(&mut random, 3).into_bytes();
        inputs.push(with_choices(text, &mut random));
    }
    run(&inputs, |data| fuzzer.json_schema(data, &mut judge));
}

/// Items that are told apart by their values: tokens run from one item into the next.
#[test]
fn distinct_items() {
    const SCHEMAS: [&str; 8] = [
        r#"{"uniqueItems":true,"type":"array","maxItems":4}"#,
        r#"{"uniqueItems":true,"type":"array","items":{"type":"object","properties":{"ab":{"type":"string"}}}}"#,
        r#"{"uniqueItems":true,"type":"array","minItems":2,"items":{"type":"object","properties":{"ab":{"type":"string","maxLength":1},"c":{"enum":[1,12]}},"additionalProperties":false}}"#,
        r#"{"uniqueItems":true,"type":"array","items":{"type":"object","properties":{"a":{"enum":["ab","abc"]},"b":{"type":"boolean"}},"required":["a"],"additionalProperties":false}}"#,
        r#"{"uniqueItems":true,"type":"array","items":{"type":"object","patternProperties":{"^ab?c?$":{"enum":[null,true,{}]}},"additionalProperties":false}}"#,
        r#"{"uniqueItems":true,"type":"array","items":{"type":["number","array"],"minimum":0,"items":{"const":"ab"},"maxItems":2}}"#,
        r#"{"uniqueItems":true,"type":"array","items":{"enum":[[],{},{"ab":[]},{"ab":{}},12,"ab"]},"minItems":1}"#,
        r#"{"uniqueItems":true,"type":"array","items":{"type":"array","items":{"type":"string"},"uniqueItems":true,"maxItems":2},"contains":{"minItems":1}}"#,
    ];
    run_schemas(&SCHEMAS, 0x5EED_0003);
}

/// Patterns whose states keep a class of characters alive between them, and no state alone.
#[test]
fn classes_that_alternate() {
    const SCHEMAS: [&str; 10] = [
        r#"{"type":"string","pattern":"^ab:.+\\.cb?$"}"#,
        r#"{"type":"string","pattern":"^[^@\\s]+@[^@.\\s]+(\\.[^@\\s]+)*$"}"#,
        r#"{"type":"string","pattern":"^(?:\\S+\\s+){0,5}\\S+$","maxLength":30}"#,
        r#"{"type":"string","pattern":"^(?:\\S+\\s+){0,20}\\S+$"}"#,
        r#"{"type":"string","pattern":"^[^b]{18}(ab)*$"}"#,
        r#"{"type":"string","pattern":"^([^a-cé]|a[^b]|ab[^c])*$"}"#,
        r#"{"type":"string","pattern":"^([\u0020-\u00ff]{2})*$"}"#,
        r#"{"type":"string","format":"email"}"#,
        r#"{"type":"string","pattern":"^[^b]{1,11}$"}"#,
        r#"{"type":"string","pattern":"^([^a-c]|a[^d]{40}|b[^e]{40}|c[^f]{40})*$"}"#,
    ];
    run_schemas(&SCHEMAS, 0x5EED_0005);
}

fn run_schemas(schemas: &[&str], seed: u64) {
    let fuzzer = Fuzzer::new();
    let mut random = Random(seed);
    let schemas = schemas.iter().flat_map(|schema| [schema; 40]);
    let inputs: Vec<Vec<u8>> = schemas
        .map(|schema| with_choices(schema.as_bytes().to_vec(), &mut random))
        .collect();
    run(&inputs, |data| fuzzer.json_schema(data, &mut judge));
}

#[test]
fn choices() {
    let fuzzer = Fuzzer::new();
    let mut random = Random(0x5EED_0002);
    let mut inputs = seeds("choices");
    inputs.extend((0..300).map(|_| random.bytes(64)));
    run(&inputs, |data| fuzzer.choices(data, &mut judge));
}

/// A few rules that call one another.
fn grammar(random: &mut Random) -> String {
    let rules = 1 + random.below(4);
    let mut text = String::new();
    for rule in 0..rules {
        text += &format!("r{rule} = {}\n", alternatives(random, rules, 2));
    }
    text
}

fn alternatives(random: &mut Random, rules: usize, depth: usize) -> String {
    let mut parts = Vec::new();
    for _ in 0..1 + random.below(3) {
        let items: Vec<_> = (0..1 + random.below(3))
            .map(|_| element(random, rules, depth))
            .collect();
        parts.push(items.join(" "));
    }
    parts.join(" / ")
}

fn element(random: &mut Random, rules: usize, depth: usize) -> String {
    const LEAVES: [&str; 10] = [
        "\"a\"",
        "%s\"abc\"",
        "%x61-63",
        "DIGIT",
        "ALPHA",
        "%xE9-20AC",
        "\"\"",
        "%x62.63",
        "%d34",
        "OCTET",
    ];
    match random.below(if depth == 0 { 4 } else { 8 }) {
        0..=2 => random.pick(&LEAVES).to_owned(),
        3 => format!("r{}", random.below(rules)),
        4 => format!("[{}]", alternatives(random, rules, depth - 1)),
        5 => format!("({})", alternatives(random, rules, depth - 1)),
        6 => format!("*({})", alternatives(random, rules, depth - 1)),
        _ => {
            let least = random.below(4);
            let most = least + random.below(4).max(usize::from(least == 0));
            format!("{least}*{most}({})", alternatives(random, rules, depth - 1))
        }
    }
}

/// A schema, with subschemas to `depth`.
fn schema(random: &mut Random, depth: usize) -> String {
    let mut members = Vec::new();
    for _ in 0..random.below(4) {
        let (keyword, value) = keyword(random, depth);
        members.push((keyword, value));
    }
    members.sort();
    members.dedup_by(|a, b| a.0 == b.0);
    let members: Vec<_> = members
        .iter()
        .map(|(keyword, value)| format!("\"{keyword}\": {value}"))
        .collect();
    format!("{{{}}}", members.join(", "))
}

fn keyword(random: &mut Random, depth: usize) -> (&'static str, String) {
    const TYPES: [&str; 7] = [
        "\"object\"",
        "\"array\"",
        "\"string\"",
        "\"number\"",
        "\"integer\"",
        "\"boolean\"",
        "[\"null\", \"string\"]",
    ];
    const VALUES: [&str; 12] = [
        "null",
        "true",
        "0",
        "-0.5",
        "1e2",
        "\"\"",
        "\"abé\"",
        "[]",
        "[1, [\"a\"]]",
        "{}",
        "{\"a\": 1, \"b\": {}}",
        "\"\\\"\\u0000\"",
    ];
    const PATTERNS: [&str; 6] = [
        "\"^a\"",
        "\"b$\"",
        "\"^(ab|abc)*$\"",
        "\"[^a-z]\"",
        "\"^\\\\d{2,4}$\"",
        "\"^.?é\"",
    ];
    const NAMES: [&str; 4] = ["a", "ab", "é", "x\\\"y"];
    const NUMBERS: [&str; 7] = ["0", "-1", "12", "0.5", "-12.25", "1e2", "100"];
    const STEPS: [&str; 5] = ["5", "0.25", "1e-2", "1.5", "1e9"];
    let count = |random: &mut Random| random.below(4).to_string();
    match random.below(if depth == 0 { 15 } else { 21 }) {
        0..=3 => ("type", random.pick(&TYPES).to_owned()),
        4 => ("const", random.pick(&VALUES).to_owned()),
        5 => (
            "enum",
            format!(
                "[{}, {}]",
                random.pick(&VALUES[..6]),
                random.pick(&VALUES[6..])
            ),
        ),
        6 => ("minLength", count(random)),
        7 => ("maxLength", (3 + random.below(4)).to_string()),
        8 => ("pattern", random.pick(&PATTERNS).to_owned()),
        9 => ("minimum", random.pick(&NUMBERS).to_owned()),
        10 => ("exclusiveMaximum", random.pick(&NUMBERS).to_owned()),
        11 => ("minItems", count(random)),
        12 => ("maxItems", count(random)),
        13 => ("required", format!("[\"{}\"]", random.pick(&NAMES))),
        14 => ("multipleOf", random.pick(&STEPS).to_owned()),
        15 => ("items", schema(random, depth - 1)),
        16 => (
            "prefixItems",
            format!("[{}, true]", schema(random, depth - 1)),
        ),
        17 => ("additionalProperties", schema(random, depth - 1)),
        18 => {
            let (one, other) = (schema(random, depth - 1), schema(random, depth - 1));
            ("anyOf", format!("[{one}, {other}]"))
        }
        _ => {
            let first = random.below(3);
            let (one, other) = (schema(random, depth - 1), schema(random, depth - 1));
            let (name, next) = (NAMES[first], NAMES[first + 1]);
            (
                "properties",
                format!("{{\"{name}\": {one}, \"{next}\": {other}}}"),
            )
        }
    }
}
