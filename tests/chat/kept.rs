//! What a format keeps for further requests changes none of them.

use maskwright::base::Limits;
use maskwright::front::chat::{ChatOptions, Format, Formats, ToolSet, compile};

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
