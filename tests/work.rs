//! The default of `Limits::work` refuses nothing that is meant: whatever published data compiles without a bound compiles
//! with a quarter of it.

#![allow(clippy::unwrap_used)]

use std::io::Read;
use std::path::{Path, PathBuf};

use maskwright::base::Limits;
use maskwright::front::abnf::{Abnf, Unbound};
use maskwright::front::chat::{ChatOptions, Format, ToolSet, compile as compile_chat};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile};
use maskwright::grammar::GrammarBuilder;
use serde_json::Value;

/// Something to compile.
enum Input {
    Schema(String),
    /// A tools file, for a turn of Harmony.
    Tools(String),
    /// A grammar and its first rule.
    Abnf(String, String),
    /// A format that comes along, with one tool.
    Format(&'static str),
}

/// The share of the default of `Limits::work` that an input takes at most, as one over a power of two; nothing of what does
/// not compile.
fn share(name: &str, input: &Input) -> Option<f64> {
    let default = Limits::default().work;
    for halvings in (0..=MOST_HALVINGS).rev() {
        match compiled(input, default >> halvings) {
            Ok(()) => return Some(0.5f64.powi(halvings)),
            Err(error) if error.contains("steps of a compile") => {}
            Err(_) => return None,
        }
    }
    // Over the default. Whatever compiles without a bound must not be.
    let unbounded = compiled(input, usize::MAX);
    assert!(unbounded.is_err(), "{name} takes more than the default");
    None
}

/// Shares are told down to one over two to this power.
const MOST_HALVINGS: i32 = 12;

/// The largest of the shares of many inputs.
#[derive(Default)]
struct Largest {
    share: f64,
    name: String,
    inputs: usize,
}

impl Largest {
    fn take(&mut self, name: &str, input: &Input) {
        self.inputs += 1;
        let share = share(name, input).unwrap_or_default();
        if share > self.share {
            (self.share, self.name) = (share, name.to_owned());
        }
    }

    fn is_a_quarter_at_most(&self) {
        let Self {
            share,
            name,
            inputs,
        } = self;
        eprintln!("{inputs} inputs take {share} of the default of `work` at most: {name}");
        assert!(*share <= 0.25, "{name}");
    }
}

fn said<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn compiled(input: &Input, work: usize) -> Result<(), String> {
    let mut limits = Limits::default();
    limits.work = work;
    match input {
        Input::Schema(text) => schema(text, limits),
        Input::Tools(text) => turn("harmony", text, limits),
        Input::Format(name) => turn(name, TOOL, limits),
        Input::Abnf(text, start) => {
            let abnf = said(Abnf::parse(text, &limits))?;
            said(abnf.lower(start, &mut Unbound, &limits)).map(|_| ())
        }
    }
}

const TOOL: &str =
    r#"[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}]"#;

fn schema(text: &str, limits: Limits) -> Result<(), String> {
    let config = SchemaConfig {
        limits: limits.clone(),
        ..SchemaConfig::default()
    };
    let schema = said(compile(text, &config))?;
    let mut builder = GrammarBuilder::new(limits);
    let mut rules = said(JsonRules::new(&config))?;
    let root = schema.lower_into(&mut rules, &mut builder);
    said(builder.finish(root)).map(|_| ())
}

fn turn(format: &str, tools: &str, limits: Limits) -> Result<(), String> {
    let mut options = ChatOptions::default();
    options.tools = said(ToolSet::parse(tools, &limits))?;
    let format = said(Format::built_in(format, &limits))?.unwrap();
    options.limits = limits;
    said(compile_chat(&format, "assistant-turn", &options)).map(|_| ())
}

/// Bytes of a published file, unpacked; nothing where there are none.
fn published(path: &str) -> Option<Vec<u8>> {
    let root = std::env::var_os("MASKWRIGHT_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let Ok(file) = std::fs::File::open(root.join("data").join(path)) else {
        eprintln!("skipped: {path} is absent (set MASKWRIGHT_DATA)");
        return None;
    };
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    decoder.read_to_end(&mut bytes).unwrap();
    Some(bytes)
}

/// The rows of a published file of JSON lines.
fn rows(path: &str) -> Vec<Value> {
    let text = published(path).unwrap_or_default();
    let lines = text.split(|&byte| byte == b'\n');
    lines
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

/// The JSON files of the published suite: a header of 512 bytes, the content padded to as many.
fn suite() -> Vec<Value> {
    let tar = published("jsts.tar.zst").unwrap_or_default();
    let mut files = Vec::new();
    let mut rest = tar.as_slice();
    while rest.len() > 512 && rest[0] != 0 {
        let size = std::str::from_utf8(&rest[124..136]).unwrap();
        let size = usize::from_str_radix(size.trim_end_matches('\0').trim(), 8).unwrap();
        files.extend(serde_json::from_slice(&rest[512..512 + size]).ok());
        rest = &rest[(512 + size.next_multiple_of(512)).min(rest.len())..];
    }
    files
}

/// Schemas, tools files and grammars that were made after public reports.
fn cases(each: &mut impl FnMut(&str, Input)) {
    let root = std::env::var_os("MASKWRIGHT_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    for entry in std::fs::read_dir(root.join("cases"))
        .into_iter()
        .flatten()
        .flatten()
    {
        let name = entry.file_name().into_string().unwrap();
        let Ok(text) = std::fs::read_to_string(entry.path()) else {
            continue;
        };
        if name.ends_with(".schema.json") {
            each(&name, Input::Schema(text));
        } else if name.ends_with(".tools.json") {
            each(&name, Input::Tools(text));
        } else if name.ends_with(".abnf") {
            let first = text.lines().find_map(|line| line.split_once(" ="));
            let first = first.map(|(name, _)| name.trim().to_owned());
            each(&name, Input::Abnf(text, first.unwrap_or_default()));
        }
    }
}

#[test]
fn built_in_formats_take_a_quarter_at_most() {
    let mut largest = Largest::default();
    for name in Format::BUILT_IN {
        largest.take(name, &Input::Format(name));
    }
    largest.is_a_quarter_at_most();
}

#[test]
#[ignore = "compiles all published schemas and tools; docs/testing.md has the command, and the result"]
fn published_schemas_and_tools_take_a_quarter_at_most() {
    let mut largest = Largest::default();
    for row in rows("maskbench-dev.jsonl.zst") {
        let schema = Input::Schema(row["schema"].to_string());
        largest.take(&row["file"].to_string(), &schema);
    }
    for row in rows("toolcalls-dev.jsonl.zst") {
        let tools = Input::Tools(row["tools"].to_string());
        largest.take(&row["id"].to_string(), &tools);
    }
    for file in suite() {
        for group in file.as_array().into_iter().flatten() {
            let schema = Input::Schema(group["schema"].to_string());
            largest.take(&group["description"].to_string(), &schema);
        }
    }
    cases(&mut |name, input| largest.take(name, &input));
    largest.is_a_quarter_at_most();
}
