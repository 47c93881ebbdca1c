//! Names of parameters that are not declared: a mask within one makes no state for each token.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, ToolChoice, ToolSet, compile};
use maskwright::session::Engine;
use maskwright::vocab::{Vocabulary, VocabularyBuilder};

use super::constraint;

/// A tool whose object is open.
const TOOL: &str = r#"[{"name":"w","parameters":{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}}]"#;

/// Texts that end where a name begins. Control tokens are spelt: the vocabulary has none.
const BEFORE_NAME: [(&str, &str); 7] = [
    ("qwen3-coder", "\n<tool_call>\n<function=w>\n<parameter="),
    ("glm-4.5", "\n<tool_call>w\n<arg_key>"),
    (
        "minimax-m2",
        "\n<minimax:tool_call>\n<invoke name=\"w\">\n<parameter name=\"",
    ),
    (
        "deepseek-v3.2",
        "\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"w\">\n<｜DSML｜parameter name=\"",
    ),
    (
        "kimi-k3",
        "<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|>\
         <|open|>call tool=\"w\" index=\"1\"<|sep|><|open|>argument key=\"",
    ),
    ("gemma-4", "\n<|tool_call>call:w{"),
    ("llama4", "\n\n[w("),
];

/// Single bytes and all words of three letters.
fn words() -> Vocabulary {
    let mut builder = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        let id = TokenId::new(u32::from(byte));
        builder.ordinary(id, &[byte]).unwrap();
    }
    for number in 0..26 * 26 * 26u32 {
        let word = [number / 676, number / 26 % 26, number % 26].map(|letter| b'a' + letter as u8);
        builder.ordinary(TokenId::new(300 + number), &word).unwrap();
    }
    let end = TokenId::new(299);
    builder.special(end, "<the end>").unwrap();
    builder.end_token(end);
    builder.build().unwrap()
}

#[test]
fn a_mask_within_a_name_takes_little_memory() {
    let engine = Engine::new(words());
    let mut limits = Limits::default();
    limits.machine_bytes = 4 << 20;
    let mut row = vec![0; engine.vocabulary().mask_words()];
    for (name, text) in BEFORE_NAME {
        let format = Format::built_in(name, &limits).unwrap().unwrap();
        let mut options = ChatOptions::default();
        options.tools = ToolSet::parse(TOOL, &limits).unwrap();
        options.tool_choice = ToolChoice::Required;
        options.limits = limits.clone();
        let grammar = compile(&format, "assistant-turn", &options).unwrap();
        let mut session = constraint(&engine, &grammar).session();
        for &byte in text.as_bytes() {
            let accepted = session.accept(TokenId::new(byte.into()));
            accepted.unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        for letter in *b"pla" {
            let masked = session.mask(&mut row);
            masked.unwrap_or_else(|error| panic!("{name}, before {}: {error}", letter as char));
            let words = (300..300 + 26 * 26 * 26).filter(|id| row[id / 32] >> (id % 32) & 1 == 1);
            assert_eq!(words.count(), 26 * 26 * 26, "{name}");
            session.accept(TokenId::new(letter.into())).unwrap();
        }
    }
}
