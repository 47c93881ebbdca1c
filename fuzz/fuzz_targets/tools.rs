//! A tools file: its tools are the same in OpenAI's spelling, and turns that call them are read by the transcript parser.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use maskwright::front::chat::{ChatOptions, Format, ToolChoice, ToolSet, compile};
use maskwright_fuzz::{drive, limits, pick, split};
use maskwright_transcript::{ParserConfig, parse};

/// Formats that differ in how arguments are written.
const FORMATS: [&str; 5] = ["harmony", "qwen3", "qwen3-coder", "glm-4.5", "llama3"];

static BUILT_IN: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let format = |name: &&str| {
        let format = Format::built_in(name, limits()).expect("it is well-formed");
        format.expect("it is built in")
    };
    FORMATS.iter().map(format).collect()
});

fuzz_target!(|data: &[u8]| {
    let (text, rest) = split(data);
    let Ok(tools) = ToolSet::parse(&text, limits()) else {
        return;
    };
    let openai = tools.to_openai();
    let again = ToolSet::parse(&openai, limits()).unwrap_or_else(|e| panic!("{e}: {openai}"));
    let names = |tools: &ToolSet| tools.names().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(names(&tools), names(&again), "{openai}");
    let all: Vec<usize> = (0..FORMATS.len()).collect();
    let (at, choices) = pick(rest, &all);
    let mut options = ChatOptions::default();
    options.limits = limits().clone();
    options.tool_choice = match choices.first() {
        Some(0..64) => ToolChoice::Auto,
        _ => ToolChoice::Required,
    };
    let full: Vec<String> = names(&tools);
    options.tools = tools;
    let Ok(grammar) = compile(&BUILT_IN[at], "assistant-turn", &options) else {
        return;
    };
    let mut config = ParserConfig::assistant_turn(maskwright_transcript::Format::Harmony);
    config.tools = Some(full.into_iter().collect());
    drive(grammar, &choices, &mut |turn| match at {
        0 => parse(turn, &config)
            .map(drop)
            .map_err(|error| error.to_string()),
        _ => Ok(()),
    });
});
