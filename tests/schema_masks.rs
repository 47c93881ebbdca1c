//! The promise over random schemas, in every way of spelling, with spellings of control tokens left out, and
//! with so many tokens that masks are kept as rows.
#![allow(clippy::unwrap_used)]

#[path = "support/schemas.rs"]
mod schemas;

use std::sync::OnceLock;

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, Run, Violation, drive};
use maskwright::front::json_schema::{
    Content, Escapes, JsonRules, Numbers, PropertyOrder, SchemaConfig, SpacePattern, Whitespace,
    compile,
};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::VocabularyBuilder;
use proptest::prelude::*;

/// What control tokens are called.
const SPECIALS: [&str; 2] = ["<|end|>", "<|call|>"];

/// Pieces of JSON across its seams.
const SEAMS: [&str; 48] = [
    "{\"",
    "\"}",
    "\":",
    "\": ",
    ", ",
    ", \"",
    ",\"",
    "\",",
    "\",\"",
    "\",\n",
    "},",
    "}]",
    "]}",
    "],",
    "[]",
    "[{",
    "[\"",
    "\"]",
    "{}",
    "\"\"",
    "\"\",\"",
    "\"a\"",
    "\"a\":",
    "\"ab\":",
    "a\",\"b",
    "\"a\",\"a\"",
    "\"b\":2,\"a\":",
    "true",
    "null",
    "als",
    "00",
    "0,1",
    "1.0",
    ".5",
    "e+",
    "\\u",
    "\\\"",
    "<|",
    "|>",
    "\n  ",
    " \"",
    " \"a",
    " \"a\":",
    " \"ab\": \"",
    "\n  \"a",
    "\n\"b\"",
    "\t\"c\":2,\"",
    " \"z\"",
];

/// Bytes, seams of JSON, all pairs of letters and digits, and these before what ends a string; more than a
/// thousand of each length, so that cuts are kept as rows, and more than two thousand behind a quote, so that walks take
/// what lies below from slices.
fn tokens() -> Vec<Vec<u8>> {
    let mut tokens: Vec<Vec<u8>> = (0..=255).map(|byte| vec![byte]).collect();
    tokens.extend(SEAMS.map(|seam| seam.as_bytes().to_vec()));
    let in_strings = SEAMS.iter().map(|seam| in_string(seam));
    tokens.extend(
        in_strings
            .filter(|seam| seam.starts_with('\\'))
            .map(String::into_bytes),
    );
    tokens.extend(["\\\\\\\"", "\\\"a\\", "a\\", "\\\\n"].map(|text| text.as_bytes().to_vec()));
    tokens.extend(["é", "日本", "<|é"].map(|text| text.as_bytes().to_vec()));
    let plain = || (b'a'..=b'z').chain(b'0'..=b'9');
    for triple in 0..11 * 11 * 11u32 {
        let letter = |n: u32| b'a' + (n % 11) as u8;
        let text = [triple / 121, triple / 11, triple].map(letter);
        tokens.push(text.to_vec());
        tokens.push([b"\"", &text[..]].concat());
    }
    for first in plain() {
        tokens.extend(plain().map(|second| vec![first, second]));
        tokens.extend(plain().map(|second| vec![b'"', first, second]));
        tokens.extend([b"\"", b","].map(|end| [&[first], &end[..]].concat()));
        tokens.push(vec![first, b'"', b',']);
    }
    tokens
}

/// `text` as it stands in a string of JSON, without quotes.
fn in_string(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_owned()
}

fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| {
        let tokens = tokens();
        let mut vocabulary = VocabularyBuilder::new();
        for (id, bytes) in (0..).zip(&tokens) {
            vocabulary.ordinary(TokenId::new(id), bytes).unwrap();
        }
        let specials = (tokens.len() as u32..).map(TokenId::new);
        for (id, name) in specials.zip(SPECIALS) {
            vocabulary.special(id, name).unwrap();
            vocabulary.end_token(id);
        }
        Engine::new(vocabulary.build().unwrap())
    })
}

/// `None` for a schema that is refused.
fn constraint(schema: &str, config: &SchemaConfig) -> Option<Constraint> {
    let schema = compile(schema, config).ok()?;
    let mut builder = GrammarBuilder::new(Limits::default());
    let root = schema.lower_into(&mut JsonRules::new(config).unwrap(), &mut builder);
    let grammar = builder.finish(root).unwrap();
    let constraint = engine().constraint(grammar, &ConstraintConfig::default());
    Some(constraint.unwrap())
}

fn judge(schema: &str, run: &Run) -> Result<(), String> {
    let text = std::str::from_utf8(&run.text).unwrap();
    let instance = match serde_json::from_str(text) {
        // No judge of a number that it would round to infinity.
        Err(error) if error.to_string().contains("out of range") => return Ok(()),
        instance => instance.map_err(|error| format!("{error}: {text}"))?,
    };
    let validator = schemas::validator(schema);
    validator
        .validate(&instance)
        .map_err(|error| format!("{error}: {text}"))
}

/// As [`judge`], of JSON that stands in strings, so many deep.
fn judge_content(schema: &str, depth: usize, run: &Run) -> Result<(), String> {
    let mut text = String::from_utf8(run.text.clone()).unwrap();
    for _ in 0..depth {
        text = serde_json::from_str(&text).map_err(|error| format!("{error}: {text}"))?;
    }
    let inner = Run {
        text: text.into_bytes(),
        ..run.clone()
    };
    judge(schema, &inner)
}

fn config() -> impl Strategy<Value = SchemaConfig> {
    let optional = SpacePattern::new(" ?", &Limits::default()).unwrap();
    let spaces = vec![
        Whitespace::Compact,
        Whitespace::Json,
        Whitespace::Pretty,
        Whitespace::Pattern(optional),
    ];
    let orders = vec![PropertyOrder::Declared, PropertyOrder::Any];
    let escapes = vec![Escapes::Minimal, Escapes::Free, Escapes::All];
    let select = (
        prop::sample::select(spaces),
        prop::sample::select(orders),
        prop::sample::select(escapes),
        prop::sample::select(vec![Numbers::Any, Numbers::Plain]),
    );
    (select, any::<bool>()).prop_map(|((whitespace, order, escapes, numbers), names)| {
        SchemaConfig {
            whitespace,
            numbers,
            order,
            escapes,
            forbidden: match names {
                true => SPECIALS.map(str::to_owned).into(),
                false => Vec::new(),
            },
            ..SchemaConfig::default()
        }
    })
}

/// Schemas whose masks are cut from wider ones, and numbers that are no integers.
const CUT: [&str; 10] = [
    r#"{"type":"string","minLength":2,"maxLength":2}"#,
    r#"{"type":"string","pattern":"^[a-f]+-","minLength":2,"maxLength":4}"#,
    r#"{"type":"object","additionalProperties":{"type":"string","minLength":2,"maxLength":3}}"#,
    r#"{"type":"object","propertyNames":{"minLength":2,"maxLength":3},"additionalProperties":{"const":1}}"#,
    r#"{"type":"array","items":{"type":"string","minLength":1,"maxLength":2},"uniqueItems":true}"#,
    r#"{"type":"array","items":{"type":"string","maxLength":1,"pattern":"^[ab]*$"},"uniqueItems":true,"minItems":3}"#,
    r#"{"type":"array","items":{"enum":["a","b",1]},"uniqueItems":true,"contains":{"const":"a"}}"#,
    r#"{"type":"object","patternProperties":{"^[ab]$":{"type":"string","pattern":"b"}},"additionalProperties":false}"#,
    r#"{"type":"number","not":{"type":"integer"}}"#,
    r#"{"type":"array","items":{"not":{"anyOf":[{"type":["integer","string"]},{"minimum":10}]}}}"#,
];

/// Patterns that are counted.
const COUNTED: [&str; 9] = [
    r#"{"type":"string","pattern":"^(?:[a-zé]{1,4};){1,300}$"}"#,
    r#"{"type":"string","pattern":"^[a-k]{2,5}(-[a-zé0-9]{1,400}){0,3}$"}"#,
    r#"{"type":"string","pattern":"^[a-k]{2,5}(-[a-zé0-9]{1,400}){0,3}$","minLength":4,"maxLength":34}"#,
    r#"{"type":"string","pattern":"^[ab\\n\"\\\\]{1,3}[c-z]{0,1200}$"}"#,
    r#"{"type":"string","pattern":"^[^a\\s]{1,32}(a[^a\\s]{1,32}){1,3}$","maxLength":128}"#,
    r#"{"type":"string","pattern":"^[^a\\s]{1,32}(a[^a\\s]{2,900}){2,3}$","maxLength":129}"#,
    r#"{"type":"string","pattern":"^(?:[a-kn\"]{3,4}-){100,500}$","maxLength":404}"#,
    r#"{"type":"array","items":{"type":"string","pattern":"^[a-c]{1,2}[é-ú日]{0,1100}x?$"},"uniqueItems":true}"#,
    r#"{"type":"string","pattern":"^[0-9a]{3}[b-z]{2,1100}$"}"#,
];

/// Arrays of numbers none of which comes twice, or some of which must: of few, so that all that begin so are soon in use, of zeros
/// and of many.
const DISTINCT_NUMBERS: [&str; 15] = [
    r#"{"type":"array","items":{"type":"integer"},"uniqueItems":true}"#,
    r#"{"type":"array","items":{"type":"number"},"uniqueItems":true,"minItems":4}"#,
    r#"{"type":"array","items":{"type":"integer","minimum":-3,"maximum":12},"uniqueItems":true,"minItems":14}"#,
    r#"{"type":"array","items":{"type":"integer","minimum":99,"maximum":112},"uniqueItems":true,"minItems":13}"#,
    r#"{"type":"array","items":{"type":"number","minimum":0,"maximum":2,"multipleOf":0.25},"uniqueItems":true,"minItems":8}"#,
    r#"{"type":"array","items":{"type":"integer","multipleOf":7,"maximum":70,"minimum":0},"uniqueItems":true,"minItems":10}"#,
    r#"{"type":"array","items":{"type":"number","minimum":0,"exclusiveMaximum":1e-2},"uniqueItems":true}"#,
    r#"{"type":"array","items":{"type":"integer","minimum":0,"maximum":2},"maxItems":2,"not":{"uniqueItems":true}}"#,
    r#"{"type":"array","items":{"enum":[0,1,10,"a"]},"maxItems":3,"not":{"uniqueItems":true}}"#,
    // Of which doubles tell some apart, or of which there are ten that are written.
    r#"{"type":"array","items":{"type":"integer","minimum":9007199254740992,"maximum":9007199254740996},"uniqueItems":true}"#,
    r#"{"type":"array","items":{"type":["integer","null"],"minimum":9007199254740992,"maximum":9007199254740996},"uniqueItems":true,"minItems":2}"#,
    r#"{"type":"array","items":{"type":"number","multipleOf":1e14,"minimum":0},"uniqueItems":true,"minItems":9}"#,
    r#"{"type":"array","items":{"enum":[0,1,10,12,120,1.5,"a",-1]},"uniqueItems":true,"minItems":7}"#,
    r#"{"type":"array","items":{"type":["integer","string","null"],"maximum":11,"minimum":0,"maxLength":1},"uniqueItems":true,"minItems":9}"#,
    r#"{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer","minimum":0,"maximum":12}},"required":["a"],"additionalProperties":false},"uniqueItems":true,"minItems":11}"#,
];

/// Where a string in a string is one that is in use, and another escape may come, its quote is refused and not the backslash
/// before it.
#[test]
fn a_text_in_use_is_refused_at_its_quote_in_a_string() {
    let schema = r#"{"contentMediaType":"application/json","contentSchema":{"type":"array","uniqueItems":true,
        "items":{"type":"string","minLength":1,"maxLength":2}},"type":"string"}"#;
    let config = SchemaConfig {
        content: Content::Assert,
        escapes: Escapes::Minimal,
        ..SchemaConfig::default()
    };
    let mut session = constraint(schema, &config).unwrap().session();
    let mut masks = [(); 2].map(|()| vec![0; session.constraint().vocabulary().mask_words()]);
    for byte in *br#""[\"a\",\"a\"# {
        session.accept(TokenId::new(byte.into())).unwrap();
        let [mask, reference] = &mut masks;
        session.mask(mask).unwrap();
        session.reference_mask(reference).unwrap();
        assert_eq!(mask, reference, "{:?}", session.tokens());
    }
    assert_eq!(session.allows(TokenId::new(b'"'.into())), Ok(false));
    assert_eq!(session.allows(TokenId::new(b'\\'.into())), Ok(true));
}

/// Drives a schema that compiles through so many steps, by the choices.
fn driven(
    schema: &str,
    config: &SchemaConfig,
    choices: &[u32],
    steps: usize,
) -> Result<Run, Violation> {
    let constraint = constraint(schema, config).unwrap();
    let mut left = choices.iter().cycle();
    let mut choose = |below: u32| left.next().map_or(0, |choice| choice % below.max(1));
    let check = CheckConfig::default().steps(steps, 12).reference_every(2);
    drive(&constraint, &check, &mut choose, &mut |run| {
        judge(schema, run)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: schemas::cases(128), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn keep_the_promise(
        schema in prop_oneof![
            3 => schemas::schema(),
            1 => schemas::distinct(),
            1 => schemas::conditions(),
            1 => prop::sample::select(&CUT[..]).prop_map(str::to_owned),
        ],
        config in config(),
        choices in prop::collection::vec(any::<u32>(), 40..200),
    ) {
        if let Some(constraint) = constraint(&schema, &config) {
            let mut left = choices.iter().cycle();
            let mut choose = |below: u32| left.next().map_or(0, |choice| choice % below.max(1));
            let check = CheckConfig::default().steps(40, 12).reference_every(2);
            let run = drive(&constraint, &check, &mut choose, &mut |run| judge(&schema, run));
            prop_assert!(run.is_ok(), "{} {:?} {:?}", schema, config, run);
        }
    }

    #[test]
    fn counted_patterns_keep_the_promise(
        schema in prop::sample::select(&COUNTED[..]),
        config in config(),
        choices in prop::collection::vec(any::<u32>(), 40..200),
    ) {
        let run = driven(schema, &config, &choices, 40);
        prop_assert!(run.is_ok(), "{} {:?} {:?}", schema, config, run);
    }

    #[test]
    fn distinct_numbers_keep_the_promise(
        schema in prop::sample::select(&DISTINCT_NUMBERS[..]),
        config in config(),
        choices in prop::collection::vec(any::<u32>(), 40..200),
    ) {
        let run = driven(schema, &config, &choices, 60);
        prop_assert!(run.is_ok(), "{} {:?} {:?}", schema, config, run);
    }

    #[test]
    fn json_in_strings_keeps_the_promise(
        schema in prop_oneof![
            3 => schemas::schema(),
            2 => schemas::distinct(),
            1 => schemas::conditions(),
            2 => prop::sample::select(&CUT[..]).prop_map(str::to_owned),
            2 => prop::sample::select(&DISTINCT_NUMBERS[..]).prop_map(str::to_owned),
        ],
        depth in 1..=2usize,
        config in config(),
        choices in prop::collection::vec(any::<u32>(), 40..200),
    ) {
        let wrap = |inner: String, _| {
            format!(r#"{{"type":"string","contentMediaType":"application/json","contentSchema":{inner}}}"#)
        };
        let content = (0..depth).fold(schema.clone(), wrap);
        let config = SchemaConfig { content: Content::Assert, ..config };
        if let Some(constraint) = constraint(&content, &config) {
            let mut left = choices.iter().cycle();
            let mut choose = |below: u32| left.next().map_or(0, |choice| choice % below.max(1));
            let check = CheckConfig::default().steps(40, 12).reference_every(2);
            let mut judge = |run: &Run| judge_content(&schema, depth, run);
            let run = drive(&constraint, &check, &mut choose, &mut judge);
            prop_assert!(run.is_ok(), "{} {:?} {:?}", content, config, run);
        }
    }
}
