//! Forced tokens by a tokeniser: those that the whole text has.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, ToolSet, compile};
use maskwright::front::json_schema::Whitespace;
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session};
use maskwright::vocab::VocabularyBuilder;
use tiktoken_rs::CoreBPE;

use super::{constraint, grammar, tokenise};

#[test]
fn all_is_forced_where_nothing_follows() {
    let session = constraint(r#"{"const": "hello big world"}"#, Limits::default()).session();
    assert_eq!(session.forced_bytes().unwrap(), b"\"hello big world\"");
    let forced = session.forced_tokens(Some(&mut tokenise)).unwrap();
    let ids = [300, 301, 302, u32::from(b'"')];
    assert_eq!(forced, ids.map(TokenId::new));
}

#[test]
fn forced_tokens_stop_where_what_follows_could_move_them() {
    // Of ` bi` all may become ` big`; ` ba` and ` be` are no tokens.
    for (schema, expected) in [
        (r#"{"enum": ["hello big", "hello bit"]}"#, &[300][..]),
        (r#"{"enum": ["hello ba", "hello be"]}"#, &[300, 32, 98]),
    ] {
        let session = constraint(schema, Limits::default()).session();
        let forced = session.forced_tokens(Some(&mut tokenise)).unwrap();
        let ids: Vec<_> = expected.iter().map(|&id| TokenId::new(id)).collect();
        assert_eq!(forced, ids, "{schema}");
    }
}

#[test]
fn a_tokeniser_that_spells_something_else_forces_nothing() {
    let session = constraint(r#"{"const": "hello big world"}"#, Limits::default()).session();
    let mut other = |_: &[u8]| vec![TokenId::new(304)];
    assert_eq!(session.forced_tokens(Some(&mut other)).unwrap(), []);
}

const PERSON: &str = r#"{
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "born": {"type": "integer"},
        "kind": {"enum": ["poet", "politician", "United Kingdom", "United States"]},
        "tags": {"type": "array", "items": {"enum": ["a", "b  ", 17, 175]}}
    },
    "required": ["name", "born", "kind", "tags"],
    "additionalProperties": false
}"#;

/// Strings that begin in every way that could move what stands before them.
const NAMES: [&str; 16] = [
    "", "Bob", " Bob", "  Bob", "/", "/a", "-", ":", "'s", "1", "{", "}", "é", "名", "\\n", "\\\"",
];

const TURN: &str = "<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>\
                    {\"location\":\"Oslo\",\"unit\":\"C\"}<|call|>";

fn o200k(bpe: &CoreBPE) -> Engine {
    let mut builder = VocabularyBuilder::o200k_harmony();
    for id in 0..199_998 {
        let bytes = bpe.decode_bytes(&[id]).unwrap();
        builder.ordinary(TokenId::new(id), &bytes).unwrap();
    }
    Engine::new(builder.build().unwrap())
}

/// Goes through `text` as a host does, and counts the tokens that are forced.
fn forced_of(mut session: Session, bpe: &CoreBPE, text: &str) -> (usize, usize) {
    let ids = bpe.encode_with_special_tokens(text);
    let tokens: Vec<_> = ids.into_iter().map(TokenId::new).collect();
    let mut tokenise = |bytes: &[u8]| {
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let ids = bpe.encode_ordinary(text).into_iter();
        ids.map(TokenId::new).collect()
    };
    let (mut at, mut count) = (0, 0);
    while at < tokens.len() {
        let forced = session.forced_tokens(Some(&mut tokenise)).unwrap();
        assert!(
            tokens[at..].starts_with(&forced),
            "{text} is {tokens:?}; after {at} tokens {forced:?} are forced"
        );
        at += forced.len();
        count += forced.len();
        let next = tokens.get(at).copied();
        for &token in forced.iter().chain(&next) {
            session.accept(token).unwrap();
        }
        at += 1;
    }
    (count, tokens.len())
}

#[test]
fn forced_tokens_are_those_of_the_whole_text() {
    let bpe = tiktoken_rs::o200k_harmony().unwrap();
    let engine = o200k(&bpe);
    let of = |grammar| -> Constraint {
        let config = ConstraintConfig::default();
        engine.constraint(grammar, &config).unwrap()
    };
    let (mut forced, mut all) = (0, 0);
    let mut run = |constraint: &Constraint, text: &str| {
        let (some, whole) = forced_of(constraint.session(), &bpe, text);
        forced += some;
        all += whole;
    };
    for whitespace in [Whitespace::Compact, Whitespace::Json] {
        let person = of(grammar(PERSON, whitespace, Limits::default()));
        for (index, name) in NAMES.iter().enumerate() {
            let kind = ["poet", "politician", "United Kingdom", "United States"][index % 4];
            let tags = ["", "17", "\"a\"", "\"b  \",175"][index / 4];
            let born = ["-1", "1", "1815", "20151"][index % 4];
            run(
                &person,
                &format!(r#"{{"name":"{name}","born":{born},"kind":"{kind}","tags":[{tags}]}}"#),
            );
        }
    }
    let limits = Limits::default();
    let mut options = ChatOptions::default();
    options.tools = ToolSet::parse(include_str!("../data/chat-tools.json"), &limits).unwrap();
    let harmony = Format::built_in("harmony", &limits).unwrap().unwrap();
    run(
        &of(compile(&harmony, "assistant-turn", &options).unwrap()),
        TURN,
    );
    // White space before digits is cut anew.
    let spaces = "assistant-turn = %s\"a  \" 1*DIGIT\n";
    let spaces = Format::parse("spaces", spaces, &[], &limits).unwrap();
    run(
        &of(compile(&spaces, "assistant-turn", &options).unwrap()),
        "a  12",
    );
    assert!(4 * forced > all, "{forced} of {all} tokens are forced");
}
