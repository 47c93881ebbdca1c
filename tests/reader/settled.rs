//! Each text of a shipped format has one reading.

use maskwright::base::Limits;
use maskwright::front::chat::{
    Analysis, BuiltIn, ChatOptions, Feature, Format, LiteralBlocks, ParallelCalls, Thought, ToolSet,
};
use maskwright::reader::ReaderPlan;

const TOOLS: &str = include_str!("../data/chat-tools.json");
const FUNCTIONS: &str = r#"[{"name": "find"}, {"name": "functions"}]"#;

/// Requests that between them use every rule of every format.
fn requests(format: &Format) -> Vec<ChatOptions> {
    let mut all = Vec::new();
    for (flags, tools) in [(vec![], true), (format.flags(), true), (vec![], false)] {
        for response in [None, Some("{}")] {
            for analysis in [Analysis::Allowed, Analysis::Forbidden] {
                let mut options = ChatOptions::default();
                let known = ["v3", "v11", "v4", "thinking"];
                let flags = flags.iter().filter(|flag| known.contains(flag));
                options.flags = flags.map(|flag| (*flag).to_owned()).collect();
                options.analysis = analysis;
                if format.has(Feature::ResponseSchema) {
                    options.response_schema = response.map(str::to_owned);
                }
                // Without tools any name is one, unless an answer of a schema is asked for.
                if tools {
                    let offered = match format.has(Feature::Browser) {
                        true => TOOLS,
                        false => FUNCTIONS,
                    };
                    options.tools = ToolSet::parse(offered, &Limits::default()).unwrap();
                }
                options.parallel_calls = ParallelCalls::Allowed;
                if format.has(Feature::Python) {
                    options.built_ins.python = BuiltIn::Offered;
                }
                if format.has(Feature::Reflect) {
                    options.thoughts.reflect = Thought::Offered;
                    options.thoughts.introspect = Thought::Offered;
                    options.thoughts.reason = Thought::Offered;
                }
                options.profile.literal_blocks = LiteralBlocks::Allowed;
                all.push(options);
            }
        }
    }
    all
}

#[test]
fn a_format_that_is_read_in_two_ways_is_reported_with_its_rules() {
    let sources = [
        (
            "side by side",
            "assistant-turn = <reasoning> <content> \"<|end|>\"",
        ),
        (
            "a line break of nobody",
            "assistant-turn = [ LF ] <content> \"<|end|>\"",
        ),
        (
            "a call that is text",
            "assistant-turn = ( <content> / call ) \"<|end|>\"\ncall = <tool.name> <tool.arguments>",
        ),
    ];
    for (name, source) in sources {
        let format = Format::parse(name, source, &[], &Limits::default()).unwrap();
        let settled = ReaderPlan::settle(&format, "assistant-turn", &ChatOptions::default());
        let unsettled = settled.unwrap().unwrap_err();
        assert_ne!(unsettled.first, unsettled.second, "{name}");
        assert!(
            unsettled.first.starts_with("assistant-turn"),
            "{name}: {unsettled}"
        );
    }
}

#[test]
fn arguments_in_a_string_have_one_reading() {
    let source = include_str!("../data/chat/string-arguments.abnf");
    let format = Format::parse("string-arguments", source, &[], &Limits::default()).unwrap();
    for options in requests(&format) {
        let settled = ReaderPlan::settle(&format, "assistant-turn", &options);
        settled.unwrap().unwrap();
    }
}

#[test]
fn every_shipped_format_has_one_reading_for_each_text() {
    let mut wrong = Vec::new();
    for name in Format::BUILT_IN {
        let format = Format::built_in(name, &Limits::default()).unwrap().unwrap();
        for options in requests(&format) {
            let settled = ReaderPlan::settle(&format, "assistant-turn", &options).unwrap();
            if let Err(error) = settled {
                wrong.push(format!("{name}: {error}"));
                break;
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
