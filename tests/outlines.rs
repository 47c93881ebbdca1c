//! Masks of schemas that hardly differ, one after the other over one engine, so that what tokens cannot tell apart is
//! taken for the same: each mask is held against the reference walk. Which tokens there are is random, and with it what
//! they can see.
#![allow(clippy::unwrap_used)]

#[path = "support/cases.rs"]
mod cases;

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, Whitespace, compile};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;
use proptest::prelude::*;
use serde_json::{Value, json};

/// What tokens are made of.
const ATOMS: [&str; 22] = [
    "{", "}", "[", "]", ",", ":", "\"", "\"", "a", "b", "1", " ", "\\n", "{\"", "\":", "\",",
    "\"}", "},", "\"a\"", "\"ab\":", "null", "\"\"",
];

/// The bytes that walks choose: few, so that they meet again what schemas name.
const BYTES: &[u8] = b"{}[]:,\"ab1 \\nul";

/// The names of properties.
const NAMES: [&str; 6] = ["a", "b", "ab", "aab", "", "a\n"];

const SPECIAL: &str = "<|a|>";

fn token() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&ATOMS[..]), 2..6).prop_map(|atoms| atoms.concat())
}

fn engine(texts: &[String]) -> Engine {
    let mut tokens: Vec<Vec<u8>> = BYTES.iter().map(|&byte| vec![byte]).collect();
    tokens.extend(texts.iter().map(|text| text.as_bytes().to_vec()));
    let others = (0..=255).filter(|byte| !BYTES.contains(byte));
    tokens.extend(others.map(|byte| vec![byte]));
    let mut vocabulary = VocabularyBuilder::new();
    for (id, bytes) in (0..).zip(&tokens) {
        vocabulary.ordinary(TokenId::new(id), bytes).unwrap();
    }
    let end = TokenId::new(tokens.len() as u32);
    vocabulary.special(end, SPECIAL).unwrap();
    vocabulary.end_token(end);
    Engine::new(vocabulary.build().unwrap())
}

fn leaf() -> impl Strategy<Value = Value> {
    let leaves = [
        json!(true),
        json!({"type": "string"}),
        json!({"type": ["string", "null"]}),
        json!({"type": "integer"}),
        json!({"const": 1}),
        json!({"const": "a"}),
        json!({"const": null}),
        json!({"enum": ["a", "ab", null]}),
        json!({"type": "string", "maxLength": 3}),
        json!({"type": "string", "minLength": 1, "maxLength": 40}),
        json!({"type": "string", "pattern": "^a+b"}),
    ];
    prop::sample::select(leaves.to_vec())
}

fn object(value: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let property = (
        prop::sample::select(&NAMES[..]),
        value.clone(),
        any::<bool>(),
    );
    let others = prop_oneof![
        2 => Just(None),
        2 => Just(Some(json!(false))),
        1 => value.prop_map(Some),
    ];
    let bound = prop::sample::select(vec![
        None,
        None,
        None,
        None,
        Some("minProperties"),
        Some("maxProperties"),
    ]);
    let object = (
        prop::collection::vec(property, 0..4),
        others,
        bound,
        any::<bool>(),
    );
    object.prop_map(|(properties, others, bound, patterns)| {
        let mut schema = json!({"type": "object", "properties": {}, "required": []});
        for (name, value, required) in properties {
            schema["properties"][name] = value;
            let all = schema["required"].as_array_mut().unwrap();
            if required && !all.contains(&json!(name)) {
                all.push(json!(name));
            }
        }
        if let Some(others) = others {
            schema["additionalProperties"] = others;
        }
        if let Some(bound) = bound {
            schema[bound] = json!(2);
        }
        if patterns && bound.is_some() {
            schema["patternProperties"] = json!({"^b": {"type": "null"}});
        }
        schema
    })
}

fn array(value: BoxedStrategy<Value>) -> impl Strategy<Value = Value> {
    let bounds = (
        0..3u32,
        prop::sample::select(vec![None, Some(2), Some(3), Some(60)]),
    );
    (value.clone(), value, bounds, 0..6u32).prop_map(|(first, item, (least, most), kind)| {
        let mut schema = json!({"type": "array", "items": item, "minItems": least});
        if let Some(most) = most {
            schema["maxItems"] = json!(most);
        }
        match kind {
            0 => schema["prefixItems"] = json!([first]),
            1 => schema["uniqueItems"] = json!(true),
            _ => {}
        }
        schema
    })
}

fn schema() -> impl Strategy<Value = Value> {
    leaf().boxed().prop_recursive(3, 12, 3, |value| {
        prop_oneof![
            4 => object(value.clone()),
            2 => array(value.clone()),
            1 => (value.clone(), value).prop_map(|(one, other)| json!({"anyOf": [one, other]})),
        ]
    })
}

/// `None` for a schema that is refused.
fn constraint(engine: &Engine, schema: &Value, config: &SchemaConfig) -> Option<Constraint> {
    let schema = compile(&schema.to_string(), config).ok()?;
    let mut builder = GrammarBuilder::new(Limits::default());
    let root = schema.lower_into(&mut JsonRules::new(config).unwrap(), &mut builder);
    let grammar = builder.finish(root).unwrap();
    Some(
        engine
            .constraint(grammar, &ConstraintConfig::default())
            .unwrap(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases::cases(96), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_looks_alike_is_alike(
        tokens in prop::collection::btree_set(token(), 20..60),
        family in prop::collection::vec(schema(), 10),
        compact in any::<bool>(),
        forbidden in any::<bool>(),
        choices in prop::collection::vec(any::<u32>(), 60..120),
    ) {
        let engine = engine(&tokens.iter().cloned().collect::<Vec<_>>());
        let config = SchemaConfig {
            whitespace: if compact { Whitespace::Compact } else { Whitespace::Json },
            forbidden: if forbidden { vec!["aa".to_owned()] } else { Vec::new() },
            ..SchemaConfig::default()
        };
        let mut left = choices.iter().cycle();
        let first = (BYTES.len() + tokens.len()) as u32;
        let mut choose =
            |below: u32| left.next().map_or(0, |choice| choice % below.clamp(1, first));
        let check = CheckConfig::default().steps(25, 8).reference_every(1);
        for schema in &family {
            let Some(constraint) = constraint(&engine, schema, &config) else { continue };
            for _ in 0..3 {
                let run = drive(&constraint, &check, &mut choose, &mut |_| Ok(()));
                prop_assert!(run.is_ok(), "{schema} {:?} {tokens:?}", run.err());
            }
        }
    }
}
