//! Masks within call ids: what was used before is cut out of what any id may be.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, ParallelCalls, compile};
use maskwright::vocab::VocabularyBuilder;

use super::{Engine, Part, TOOLS, constraint, format, parts, tools};

/// Single bytes, pieces of ids, and ids with what may follow them; `specials` as single tokens.
fn engine(specials: &[String]) -> Engine {
    let mut words: Vec<Vec<u8>> = (0..=255u8).map(|byte| vec![byte]).collect();
    let ids = ["a", "b", "aa", "ab", "aab", "call_1", "_1"];
    for id in ids.map(str::to_owned).into_iter().chain([
        "a".repeat(62),
        "a".repeat(63),
        "a".repeat(64),
        "b".repeat(65),
    ]) {
        for rest in ["", "<", "<|channel|>", "<|channel|>commentary", " ", "é"] {
            words.push(format!("{id}{rest}").into_bytes());
            words.push(format!("={id}{rest}").into_bytes());
        }
    }
    words.sort();
    words.dedup();
    let mut builder = VocabularyBuilder::new();
    for (index, word) in words.iter().enumerate() {
        builder.ordinary(TokenId::from_usize(index), word).unwrap();
    }
    for (index, name) in (words.len()..).zip(specials) {
        builder.special(TokenId::from_usize(index), name).unwrap();
    }
    let end = TokenId::from_usize(words.len() + specials.len());
    builder.special(end, "<the end>").unwrap();
    builder.end_token(end);
    Engine::new(builder.build().unwrap())
}

/// Turns with several calls, masks by their definition at every byte.
#[test]
fn masks_within_ids_are_those_of_the_definition() {
    let format = format("openchatml-2.2");
    let call = |id: &str| {
        format!(" to=functions.get_time call_id={id}<|channel|>commentary<|message|>{{}}<|call|>")
    };
    let long = "a".repeat(64);
    let turns = [
        ["a", "aa", "b"],
        ["aab", "aabaa", "ab"],
        [&long, "call_2", &long[1..]],
    ];
    let all: Vec<String> = (0..5).map(|n| format!("{}{n}", "a".repeat(63))).collect();
    let used_before = [
        vec![],
        vec!["call".to_owned(), "call_1".to_owned(), "bb".to_owned()],
        all,
    ];
    let mut count = 0;
    for parallel in [ParallelCalls::Allowed, ParallelCalls::Forbidden] {
        for used in &used_before {
            let mut options = ChatOptions::default();
            options.tools = tools(TOOLS);
            options.parallel_calls = parallel;
            options.used_call_ids.clone_from(used);
            let grammar = compile(&format, "assistant-turn", &options).unwrap();
            for specials in [format.controls(), &[]] {
                let engine = engine(specials);
                let constraint = constraint(&engine, &grammar);
                for ids in &turns {
                    let text = ids.map(call).join("<|start|>assistant");
                    let mut session = constraint.session();
                    let mut masks = [(); 2].map(|()| vec![0; engine.vocabulary().mask_words()]);
                    for part in parts(&text, specials) {
                        session.mask(&mut masks[0]).unwrap();
                        session.reference_mask(&mut masks[1]).unwrap();
                        assert_eq!(masks[0], masks[1], "{text} after {} tokens", session.len());
                        count += 1;
                        let token = match part {
                            Part::Control(name) => engine.vocabulary().special(name).unwrap(),
                            Part::Byte(byte) => {
                                let trie = engine.vocabulary().trie();
                                trie.tokens(trie.find(&[byte]).unwrap())[0]
                            }
                        };
                        if session.accept(token).is_err() {
                            break;
                        }
                    }
                }
            }
        }
    }
    assert!(count > 2000, "{count} masks only");
}

/// There are as many ids of a pattern as stars, and one of them is enough to find the end.
#[test]
fn ways_out_of_ids_of_a_pattern_are_short() {
    let source = "turn = 1*3( \"(\" <id [A-Za-z0-9]{9}> \")\" )";
    let format = Format::parse("mine", source, &[], &Limits::default()).unwrap();
    let grammar = compile(&format, "turn", &ChatOptions::default()).unwrap();
    let constraint = constraint(&engine(&[]), &grammar);
    let byte = |byte: u8| {
        let trie = constraint.vocabulary().trie();
        trie.tokens(trie.find(&[byte]).unwrap())[0]
    };
    let mut session = constraint.session();
    for (read, text) in "(abababab1)(abababab2)(abababab".bytes().enumerate() {
        let way = session.way_out().unwrap();
        let bytes: Vec<u8> = way
            .iter()
            .flat_map(|&token| constraint.vocabulary().bytes(token).unwrap().to_vec())
            .collect();
        let left = if session.may_end() { 0 } else { 11 - read % 11 };
        assert_eq!(
            bytes.len(),
            left,
            "{read}: {}",
            String::from_utf8_lossy(&bytes)
        );
        session.accept(byte(text)).unwrap();
    }
}

/// Tokens that hold several ids say none twice.
#[test]
fn tokens_of_several_ids_are_masked_by_the_definition() {
    let words = [
        "a,", "b,", ",a", "a,a", "a,b", "a,a,", "b,a,", ",a,b,", "a,b,a,", "aab,ab",
    ];
    let mut builder = VocabularyBuilder::new();
    let singles = (0..=255u8).map(|byte| vec![byte]);
    let all: Vec<Vec<u8>> = singles
        .chain(words.map(|word| word.as_bytes().to_vec()))
        .collect();
    for (index, word) in all.iter().enumerate() {
        builder.ordinary(TokenId::from_usize(index), word).unwrap();
    }
    let end = TokenId::from_usize(all.len());
    builder.special(end, "<the end>").unwrap().end_token(end);
    let engine = Engine::new(builder.build().unwrap());
    let tried: Vec<usize> = b"ab,"
        .iter()
        .map(|&byte| byte.into())
        .chain(256..all.len())
        .collect();
    for id in [
        "<call-id>",
        "<id [ab]>",
        "<id [ab]{1,2}>",
        "<id (ab?)+>",
        "<id [a-c]{2}>",
    ] {
        let source = format!("turn = 1*( {id} \",\" )");
        let format = Format::parse("mine", &source, &[], &Limits::default()).unwrap();
        let mut options = ChatOptions::default();
        options.parallel_calls = ParallelCalls::Allowed;
        options.used_call_ids = vec!["bb".to_owned(), "aa".to_owned()];
        let grammar = compile(&format, "turn", &options).unwrap();
        let constraint = constraint(&engine, &grammar);
        let mut open = vec![constraint.session()];
        while let Some(session) = open.pop() {
            let mut masks = [(); 2].map(|()| vec![0; engine.vocabulary().mask_words()]);
            session.mask(&mut masks[0]).unwrap();
            session.reference_mask(&mut masks[1]).unwrap();
            let text: Vec<u8> = session
                .tokens()
                .iter()
                .flat_map(|token| all[token.index()].clone())
                .collect();
            assert_eq!(masks[0], masks[1], "{id}: after {}", text.escape_ascii());
            let allowed = |&&token: &&usize| masks[0][token / 32] >> (token % 32) & 1 == 1;
            for &token in tried.iter().filter(allowed).filter(|_| session.len() < 3) {
                let mut next = session.fork();
                next.accept(TokenId::from_usize(token)).unwrap();
                open.push(next);
            }
        }
    }
}
