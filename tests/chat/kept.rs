//! What a format and an engine keep for further requests changes none of them.

use std::collections::BTreeMap;

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, Formats, ToolSet, compile};
use maskwright::session::{Engine, Session};

use super::random::Random;
use super::{constraint, engine, format, groups};

const TOOLS: &str =
    r#"[{"name": "look", "parameters": {"properties": {"at": {"type": "string"}}}}]"#;

/// Requests whose texts are the same, and such whose texts differ, or that meet a limit.
fn requests() -> [ChatOptions; 4] {
    let mut requests: [ChatOptions; 4] = std::array::from_fn(|_| ChatOptions::default());
    requests[1].tools = ToolSet::parse(TOOLS, &Limits::default()).unwrap();
    requests[2].sequence_tokens.end = "<|eot|>".to_owned();
    requests[3].limits.automaton_states = 12;
    requests
}

/// The grammar as text; `None` where a limit is met.
fn compiled(format: &Format, options: &ChatOptions) -> Option<String> {
    let compiled = compile(format, "assistant-turn", options);
    compiled.ok().map(|grammar| grammar.to_string())
}

#[test]
fn a_kept_format_compiles_as_one_that_was_just_read() {
    let kept = Formats::default();
    let mut refused = 0;
    for name in Format::BUILT_IN {
        for options in &requests() {
            let fresh = Format::built_in(name, &Limits::default()).unwrap().unwrap();
            let expect = compiled(&fresh, options);
            let format = kept.get(name).unwrap().unwrap();
            for _ in 0..2 {
                assert_eq!(compiled(format, options), expect, "{name}");
            }
            refused += usize::from(expect.is_none());
        }
    }
    assert!(refused > 0, "the limit was met by no format");
    assert!(kept.get("none").unwrap().is_none());
    assert_eq!(kept.get("gpt-oss").unwrap().unwrap().name(), "harmony");
}

/// How many tokens of each turn are written.
const TOKENS: usize = 60;

/// The requests of all suites, once in order and once backwards, over one format and one engine each, and over fresh ones.
#[test]
fn requests_that_came_before_change_nothing() {
    let mut kept: BTreeMap<String, (Format, Engine)> = BTreeMap::new();
    let (mut random, mut alike) = (Random(7), 0);
    let groups = groups();
    for group in groups.iter().chain(groups.iter().rev()) {
        let fresh = format(&group.format);
        let (known, shared) = kept.entry(group.format.clone()).or_insert_with(|| {
            let engine = engine(fresh.controls());
            (format(&group.format), engine)
        });
        let options = group.options();
        let grammar = compile(known, &group.start, &options).unwrap();
        let expect = compile(&fresh, &group.start, &options).unwrap();
        assert_eq!(grammar.to_string(), expect.to_string(), "{}", group.name);
        assert_eq!(grammar.work(), expect.work(), "{}", group.name);
        let here = constraint(shared, &grammar).session();
        let there = constraint(&engine(fresh.controls()), &expect).session();
        alike += masks_are_alike(here, there, &mut random, &group.name);
    }
    assert!(alike > 5_000, "{alike} masks");
}

/// Follows a random turn in both sessions; how many masks were the same.
fn masks_are_alike(
    mut here: Session,
    mut there: Session,
    random: &mut Random,
    name: &str,
) -> usize {
    let words = here.constraint().vocabulary().mask_words();
    let mut masks = [vec![0; words], vec![0; words]];
    for count in 0..TOKENS {
        if here.is_finished() {
            return count;
        }
        here.mask(&mut masks[0]).unwrap();
        there.mask(&mut masks[1]).unwrap();
        assert_eq!(masks[0], masks[1], "{name}: {:?}", here.tokens());
        let bits = 0..words * 32;
        let allowed: Vec<usize> = bits
            .filter(|bit| masks[0][bit / 32] >> (bit % 32) & 1 == 1)
            .collect();
        let token = TokenId::from_usize(allowed[random.below(allowed.len())]);
        here.accept(token).unwrap();
        there.accept(token).unwrap();
    }
    TOKENS
}
