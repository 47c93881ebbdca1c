//! Names of parameters that are not declared: what they were is remembered, and no token makes a state of its own for that.

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::front::chat::{ChatOptions, Format, ToolChoice, ToolSet, compile};
use maskwright::session::{Engine, Session};

use super::random::Random;
use super::{constraint, vocabulary};

/// A tool whose object is open.
const TOOL: &str = r#"[{"name":"w","parameters":{"type":"object","properties":{"place":{"type":"string"}},"required":["place"]}}]"#;

/// Texts that end where a name begins, and what may stand behind a name up to where the next begins. Control tokens are spelt:
/// the vocabulary has none.
const AROUND_NAMES: [(&str, &str, &str); 7] = [
    (
        "qwen3-coder",
        "\n<tool_call>\n<function=w>\n<parameter=",
        ">\n1\n</parameter>\n<parameter=",
    ),
    (
        "glm-4.5",
        "\n<tool_call>w\n<arg_key>",
        "</arg_key>\n<arg_value>1</arg_value>\n<arg_key>",
    ),
    (
        "minimax-m2",
        "\n<minimax:tool_call>\n<invoke name=\"w\">\n<parameter name=\"",
        "\">1</parameter>\n<parameter name=\"",
    ),
    (
        "deepseek-v3.2",
        "\n\n<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"w\">\n<｜DSML｜parameter name=\"",
        "\" string=\"false\">1</｜DSML｜parameter>\n<｜DSML｜parameter name=\"",
    ),
    (
        "kimi-k3",
        "<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|>\
         <|open|>call tool=\"w\" index=\"1\"<|sep|><|open|>argument key=\"",
        "\" type=\"number\"<|sep|>1<|close|>argument<|sep|><|open|>argument key=\"",
    ),
    ("gemma-4", "\n<|tool_call>call:w{", ":1,"),
    ("llama4", "\n\n[w(", "=1, "),
];

const WORDS: usize = 26 * 26 * 26;

/// All words of three letters.
fn words() -> impl Iterator<Item = Vec<u8>> {
    let letter = |number: usize| b'a' + (number % 26) as u8;
    (0..WORDS).map(move |n| vec![letter(n / 676), letter(n / 26), letter(n)])
}

fn accept(session: &mut Session, name: &str, text: &[u8]) {
    for &byte in text {
        let accepted = session.accept(TokenId::new(byte.into()));
        accepted.unwrap_or_else(|error| panic!("{name}, at {}: {error}", byte as char));
    }
}

/// Masks along the names `pla`, which is in use then, and `plan`, with a deadline and without. The second name may be any but
/// the first.
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
    for (name, before, behind) in AROUND_NAMES {
        let format = Format::built_in(name, &limits).unwrap().unwrap();
        let mut options = ChatOptions::default();
        options.tools = ToolSet::parse(TOOL, &limits).unwrap();
        options.tool_choice = ToolChoice::Required;
        options.limits = limits.clone();
        let grammar = compile(&format, "assistant-turn", &options).unwrap();
        let start = constraint(&engine, &grammar).session();
        for budget in [None, Some(10_000)] {
            let mut session = start.fork();
            if let Some(budget) = budget {
                session.deadline(budget).unwrap();
            }
            accept(&mut session, name, before.as_bytes());
            let mut has = |session: &Session, tokens: &[TokenId]| {
                let masked = session.mask(&mut row);
                masked.unwrap_or_else(|error| panic!("{name}, {budget:?}: {error}"));
                let has = |id: &&TokenId| row[id.index() / 32] >> (id.index() % 32) & 1 == 1;
                tokens.iter().filter(has).count()
            };
            let closing = [TokenId::new(behind.as_bytes()[0].into())];
            for letter in *b"pla" {
                assert_eq!(has(&session, &words), WORDS, "{name}");
                accept(&mut session, name, &[letter]);
            }
            assert_eq!(has(&session, &closing), 1, "{name}");
            for &byte in behind.as_bytes() {
                has(&session, &words);
                accept(&mut session, name, &[byte]);
            }
            for letter in *b"pla" {
                assert_eq!(has(&session, &words), WORDS, "{name}");
                accept(&mut session, name, &[letter]);
            }
            let mut again = session.fork();
            let mut rest = behind.bytes();
            let is_refused = rest.any(|byte| again.accept(TokenId::new(byte.into())).is_err());
            assert!(is_refused, "{name}: the name is in use");
            accept(&mut session, name, b"n");
            assert_eq!(has(&session, &closing), 1, "{name}");
            let way = session.way_out().unwrap();
            way.into_iter()
                .for_each(|token| session.accept(token).unwrap());
            assert!(session.may_end(), "{name}");
        }
    }
}

/// Names between control tokens, which are tokens of the vocabulary, are spelt, or both as it comes.
#[test]
fn names_between_control_tokens_come_once() {
    let source = "assistant-turn = \"<|call|>\" <tool.short-name> <parameters parameter> \"<|end|>\"\n\
                  parameter = \"<|name|>\" <parameter.name> \"<|value|>\" <parameter.value> \"<|end|>\"\n";
    let limits = Limits::default();
    let format = Format::parse("own", source, &[], &limits).unwrap();
    let mut options = ChatOptions::default();
    options.tools = ToolSet::parse(TOOL, &limits).unwrap();
    options.tool_choice = ToolChoice::Required;
    let grammar = compile(&format, "assistant-turn", &options).unwrap();
    let words = [
        "a<",
        "<|",
        "|>",
        "ab",
        "b|>",
        "<|name|>a",
        "a<|value|>",
        "1<|end|>",
    ];
    let all = format.controls();
    let some: Vec<String> = all
        .iter()
        .filter(|name| *name != "<|value|>")
        .cloned()
        .collect();
    for specials in [all, &some[..], &[]] {
        let words = words.iter().map(|word| word.as_bytes().to_vec());
        let engine = Engine::new(vocabulary(words, specials));
        let constraint = constraint(&engine, &grammar);
        let config = CheckConfig::default().steps(80, 40);
        for seed in 1..=20 {
            let mut random = Random(seed);
            // Few letters, so that names come again.
            let mut choose = |count: u32| random.below(count.min(110) as usize) as u32;
            let driven = drive(&constraint, &config, &mut choose, &mut |_| Ok(()));
            driven.unwrap_or_else(|violation| panic!("{specials:?}, seed {seed}: {violation}"));
        }
        // A name in use is not closed again.
        let mut session = constraint.session();
        let of = |name: &str| -> Vec<TokenId> {
            let ids = (0..engine.vocabulary().len()).map(TokenId::from_usize);
            let mut special = ids.filter(|&id| engine.vocabulary().special_name(id) == Some(name));
            let spelt = || name.bytes().map(|byte| TokenId::new(byte.into())).collect();
            special.next().map_or_else(spelt, |id| vec![id])
        };
        let text = [
            "<|call|>",
            "w",
            "<|name|>",
            "a",
            "<|value|>",
            "1",
            "<|end|>",
            "<|name|>",
            "a",
        ];
        for token in text.into_iter().flat_map(&of) {
            session.accept(token).unwrap();
        }
        let mut row = vec![0; engine.vocabulary().mask_words()];
        let mut other = session.fork();
        let mut has = |session: &Session| {
            session.mask(&mut row).unwrap();
            let token = of("<|value|>")[0];
            row[token.index() / 32] >> (token.index() % 32) & 1 == 1
        };
        if of("<|value|>").len() == 1 {
            assert!(!has(&session), "{specials:?}: in the mask");
        }
        other.accept(TokenId::new(b'b'.into())).unwrap();
        assert!(has(&other), "{specials:?}: `ab` is not in use");
        for token in ["<|value|>", "1", "<|end|>"].into_iter().flat_map(&of) {
            other.accept(token).unwrap();
        }
        let mut closes = session.fork();
        let closed = of("<|value|>")
            .into_iter()
            .all(|token| closes.accept(token).is_ok());
        assert!(!closed, "{specials:?}");
    }
}
