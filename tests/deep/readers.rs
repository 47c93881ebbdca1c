//! Texts that are read: sessions over long and deep texts, vocabularies, tools, prompts.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{Format, Prompt, ToolSet};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig};
use maskwright::vocab::Vocabulary;

use super::{engine, nested, on_a_small_stack};

fn constraint(schema: &str) -> Constraint {
    let config = SchemaConfig::default();
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(&config).unwrap();
    let compiled = compile(schema, &config).unwrap();
    let root = compiled.lower_into(&mut rules, &mut builder);
    let grammar = builder.finish(root).unwrap();
    let constraint = engine().constraint(grammar, &ConstraintConfig::default());
    constraint.unwrap()
}

/// A text is read byte by byte, with a mask and a way out at its end, a fork, and all of it taken back.
fn read(schema: &'static str, text: String) {
    on_a_small_stack(move || {
        let constraint = constraint(schema);
        let mut session = constraint.session();
        let mut mask = vec![0; constraint.vocabulary().mask_words()];
        for (at, byte) in text.bytes().enumerate() {
            let accepted = session.accept(TokenId::new(u32::from(byte)));
            assert!(
                accepted.is_ok(),
                "{schema}: byte {at} of {}: {accepted:?}",
                text.len()
            );
        }
        assert!(session.mask(&mut mask).is_ok() && session.forced_bytes().is_ok());
        let fork = session.fork();
        drop(fork.way_out());
        drop((session, fork));
    });
}

/// What nests in a text nests as deep as it likes.
#[test]
fn deep_texts() {
    read("true", "[".repeat(20_000));
    read("true", nested(10_000, "{\"a\":[", "1", "]}"));
}

/// Items that are told apart by their values may be long.
#[test]
fn long_values_that_are_told_apart() {
    let items = vec!["1"; 1000].join(",");
    read(
        r#"{"type":"array","uniqueItems":true,"items":{"type":"array","items":{"type":"integer"}}}"#,
        format!("[[{items}],[{items},2],["),
    );
    let members: Vec<String> = (0..300).map(|i| format!("\"k{i:03}\":{i}")).collect();
    let members = members.join(",");
    read(
        r#"{"type":"array","uniqueItems":true,"items":{"type":"object","additionalProperties":{"type":"integer"}}}"#,
        format!("[{{{members}}},{{\"k000\":0,"),
    );
}

/// Items that are told apart nest so deep only, and what is deeper is refused.
#[test]
fn deep_values_that_are_told_apart() {
    for (open, inner, close) in [
        ("[", "1", "]"),
        ("{\"a\":", "1", "}"),
        ("[0,{\"b\":", "[]", "}]"),
    ] {
        let read = |depth: usize| {
            let text = format!("[{},[", nested(depth, open, inner, close));
            on_a_small_stack(move || {
                let constraint = constraint(r#"{"type":"array","uniqueItems":true}"#);
                let mut session = constraint.session();
                let mut accepts = |byte: u8| session.accept(TokenId::new(u32::from(byte))).is_ok();
                text.bytes().all(&mut accepts)
            })
        };
        assert!(read(20), "{open}");
        assert!(!read(600), "{open}");
    }
}

/// Decoders and normalisers of a `tokenizer.json` within each other.
#[test]
fn tokenizers() {
    for depth in [20, 60, 120, 100_000] {
        for (open, close) in [
            (r#"{"type":"Sequence","decoders":["#, "]}"),
            (r#"{"type":"Sequence","normalizers":["#, "]}"),
            (r#"{"type":"Sequence","pretokenizers":["#, "]}"),
            ("[", "]"),
        ] {
            let part = nested(depth, open, r#"{"type":"ByteFallback"}"#, close);
            let text = format!(
                r#"{{"decoder":{part},"normalizer":{part},"pre_tokenizer":{part},"model":{{"type":"BPE","vocab":{{"a":0}}}}}}"#
            );
            on_a_small_stack(move || drop(Vocabulary::from_tokenizer_json(text.as_bytes(), None)));
        }
    }
}

#[test]
fn tools_and_prompts() {
    for depth in [60, 120, 250, 100_000] {
        let parameters = nested(depth, "{\"items\":", "{}", "}");
        let tools = format!(
            r#"[{{"type":"function","function":{{"name":"f","parameters":{parameters}}}}}]"#
        );
        let nested_tools = nested(depth, "[", "", "]");
        let header = nested(depth, "[", "1", "]");
        on_a_small_stack(move || {
            let limits = Limits::default();
            drop(ToolSet::parse(&tools, &limits));
            drop(ToolSet::parse(&nested_tools, &limits));
            let format = Format::built_in("openchatml-2.2", &limits);
            let format = format.unwrap().unwrap();
            let text = format!("---\na: {header}\n---\n<|start|>assistant");
            drop(Prompt::of_text(&format, &text, &limits));
        });
    }
}
