//! How fast readers read: MB/s of text in pieces of 4 KiB, the time for a token of four bytes, and what a short turn takes
//! with a reader of its own: the first one of a plan, and a later one (`cargo bench --bench reader`).

// What a bench is for ends here: a failure is a panic.
#![allow(clippy::unwrap_used)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use maskwright::base::Limits;
use maskwright::front::chat::{ChatOptions, Format, ParallelCalls, ToolSet};
use maskwright::reader::{Reader, ReaderConfig, ReaderPlan};

const TOOLS: &str = r#"[{"name": "find", "parameters": {"type": "object", "properties": {
    "text": {"type": "string"}, "list": {"type": "array"}}}}]"#;

const PROSE: &str =
    "First I look at what is asked, then at what I know; 3 < 4, \"quoted\", é and 中文.\n";

/// Turns with a thought `{T}`, an answer `{A}` and a call with a string `{S}` and a list `{L}`,
/// or `{P}` as Python writes it.
const TURNS: [(&str, &str); 8] = [
    (
        "harmony",
        "<|channel|>analysis<|message|>{T}<|end|><|start|>assistant<|channel|>commentary to=functions.find \
         <|constrain|>json<|message|>{\"text\": \"{S}\", \"list\": {L}}<|call|>",
    ),
    (
        "qwen3",
        "\n<think>\n{T}</think>\n\n{A}<tool_call>\n{\"name\": \"find\", \"arguments\": {\"text\": \"{S}\", \"list\": {L}}}\n\
         </tool_call><|im_end|>",
    ),
    (
        "qwen3-coder",
        "\n{A}\n<tool_call>\n<function=find>\n<parameter=text>\n{S}\n</parameter>\n<parameter=list>\n{L}\n</parameter>\n\
         </function>\n</tool_call><|im_end|>",
    ),
    (
        "deepseek-v3.1",
        "<think>{T}</think>{A}<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>find<｜tool▁sep｜>{\"text\": \"{S}\", \"list\": {L}}\
         <｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>",
    ),
    (
        "glm-4.5",
        "\n<think>{T}</think>\n{A}<tool_call>find\n<arg_key>text</arg_key>\n<arg_value>{S}</arg_value>\n\
         <arg_key>list</arg_key>\n<arg_value>{L}</arg_value>\n</tool_call><|observation|>",
    ),
    ("llama4", "\n\n[find(text=\"{S}\", list={P})]<|eot|>"),
    (
        "mistral",
        "{A}[TOOL_CALLS][{\"name\": \"find\", \"arguments\": {\"text\": \"{S}\", \"list\": {L}}, \"id\": \"abcdefgh1\"}]</s>",
    ),
    ("chatml", "\n{A}<|im_end|>"),
];

/// A turn whose parts have so many lines.
fn turn(template: &str, lines: usize) -> String {
    let prose = PROSE.repeat(lines);
    let list = vec!["{\"n\": [1, 2.5, true]}"; lines].join(", ");
    template
        .replace("{T}", &prose)
        .replace("{A}", &prose)
        .replace("{S}", &"a string, in words; ".repeat(2 * lines))
        .replace("{L}", &format!("[{list}]"))
        .replace("{P}", &format!("[{list}]").replace("true", "True"))
}

/// Reads a text in pieces of so many bytes.
fn read(plan: &ReaderPlan, text: &str, size: usize) {
    let mut reader = Reader::new(plan, ReaderConfig::default());
    for piece in text.as_bytes().chunks(size) {
        black_box(reader.feed_bytes(piece).unwrap());
    }
    black_box(reader.finish().unwrap());
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..15)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[7]
}

fn main() {
    println!(
        "{:16} {:>8} {:>10} {:>12} {:>12}",
        "format", "MB/s", "ns a token", "first turn", "later turn"
    );
    for (name, template) in TURNS {
        let format = Format::built_in(name, &Limits::default()).unwrap().unwrap();
        let mut options = ChatOptions::default();
        if name == "mistral" {
            options.flags.insert("v3".to_string());
        }
        if name != "chatml" {
            options.tools = ToolSet::parse(TOOLS, &Limits::default()).unwrap();
            options.parallel_calls = ParallelCalls::Allowed;
        }
        let plan = || ReaderPlan::new(&format, "assistant-turn", &options).unwrap();
        let (long, short) = (turn(template, 500), turn(template, 3));
        let kept = plan();
        read(&kept, &long, 4096);
        let whole = median(|| read(&kept, &long, 4096));
        let tokens = median(|| read(&kept, &long, 4));
        let later = median(|| read(&kept, &short, 4));
        let mut fresh: Vec<ReaderPlan> = (0..15).map(|_| plan()).collect();
        let first = median(|| read(&fresh.pop().unwrap(), &short, 4));
        println!(
            "{name:16} {:>8.1} {:>10.0} {:>12} {:>12}",
            long.len() as f64 / whole.as_secs_f64() / 1e6,
            tokens.as_nanos() as f64 / (long.len() as f64 / 4.0),
            format!("{first:.1?}"),
            format!("{later:.1?}"),
        );
    }
}
