//! Names of parameters that are not declared: a mask within one makes no state for each token.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, ToolChoice, ToolSet, compile};
use maskwright::session::Engine;

use super::{constraint, vocabulary};

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

const WORDS: usize = 26 * 26 * 26;

/// All words of three letters.
fn words() -> impl Iterator<Item = Vec<u8>> {
    let letter = |number: usize| b'a' + (number % 26) as u8;
    (0..WORDS).map(move |n| vec![letter(n / 676), letter(n / 26), letter(n)])
}

#[test]
fn a_mask_within_a_name_takes_little_memory() {
    let vocabulary = vocabulary(words(), &[]);
    let is_word = |token: &TokenId| vocabulary.bytes(*token).is_some_and(|text| text.len() == 3);
    let words: Vec<TokenId> = (0..vocabulary.len())
        .map(TokenId::from_usize)
        .filter(is_word)
        .collect();
    let engine = Engine::new(vocabulary.clone());
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
            let has = |id: &&TokenId| row[id.index() / 32] >> (id.index() % 32) & 1 == 1;
            assert_eq!(words.iter().filter(has).count(), WORDS, "{name}");
            session.accept(TokenId::new(letter.into())).unwrap();
        }
    }
}
