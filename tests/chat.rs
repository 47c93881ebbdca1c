//! Chat formats: which texts each start rule accepts, for which requests.

#![allow(clippy::unwrap_used)]

#[path = "chat/agree.rs"]
mod agree;
#[path = "support/archive.rs"]
mod archive;
#[path = "chat/arguments_string.rs"]
mod arguments_string;
#[path = "chat/call_ids.rs"]
mod call_ids;
#[path = "chat/choose.rs"]
mod choose;
#[path = "chat/features.rs"]
mod features;
#[path = "chat/ids.rs"]
mod ids;
#[path = "chat/kept.rs"]
mod kept;
#[path = "chat/open_names.rs"]
mod open_names;
#[path = "chat/parameters.rs"]
mod parameters;
#[path = "chat/prompt.rs"]
mod prompt;
#[path = "support/random.rs"]
mod random;
#[path = "chat/smuggling.rs"]
mod smuggling;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{
    Analysis, BuiltIn, BuiltIns, Channel, Channels, ChatOptions, Constrain, Format, LiteralBlocks,
    OpenCall, ParallelCalls, Profile, Thought, Thoughts, ToolChoice, ToolSet, Version, compile,
};
use maskwright::front::json_schema::Whitespace;
use maskwright::grammar::Grammar;
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::{Vocabulary, VocabularyBuilder};
use serde::Deserialize;

/// Texts and their verdicts.
const SUITES: [&str; 6] = [
    include_str!("data/chat/harmony.toml"),
    include_str!("data/chat/openchatml-2.2.toml"),
    include_str!("data/chat/im.toml"),
    include_str!("data/chat/families.toml"),
    include_str!("data/chat/parameters.toml"),
    include_str!("data/chat/string-arguments.toml"),
];
/// The formats that a specification describes, which the independent parser reads.
const SPECIFIED: [&str; 5] = [
    "chatml",
    "harmony",
    "internlm2",
    "openchatml-0.1",
    "openchatml-2.2",
];
const TOOLS: &str = include_str!("data/chat-tools.json");

#[derive(Deserialize)]
struct Suite {
    group: Vec<Group>,
}

/// The groups of all suites.
fn groups() -> Vec<Group> {
    let suite = |text: &&str| toml::from_str::<Suite>(text).unwrap().group;
    SUITES.iter().flat_map(suite).collect()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    name: String,
    format: String,
    #[serde(default = "assistant_turn")]
    start: String,
    #[serde(default)]
    tools: bool,
    /// Other tools than those, as the text of their file.
    tools_file: Option<String>,
    choice: Option<String>,
    parallel: Option<String>,
    analysis: Option<String>,
    response: Option<String>,
    whitespace: Option<String>,
    #[serde(default)]
    used_ids: Vec<String>,
    /// The ids, perhaps empty, and names of open calls.
    #[serde(default)]
    open_calls: Vec<(String, String)>,
    #[serde(default)]
    built_ins: Vec<String>,
    /// The thought blocks that are offered; with `!`, demanded.
    #[serde(default)]
    thoughts: Vec<String>,
    #[serde(default)]
    profile: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    complete: Vec<String>,
    #[serde(default)]
    prefix: Vec<String>,
    #[serde(default)]
    refused: Vec<String>,
}

fn assistant_turn() -> String {
    "assistant-turn".to_owned()
}

impl Group {
    fn options(&self) -> ChatOptions {
        let mut options = ChatOptions::default();
        if self.tools {
            options.tools = tools(TOOLS);
        }
        if let Some(file) = &self.tools_file {
            options.tools = tools(file);
        }
        options.tool_choice = match self.choice.as_deref() {
            None => ToolChoice::Auto,
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::None,
            Some(name) => ToolChoice::Named(name.to_owned()),
        };
        if self.parallel.as_deref() == Some("allowed") {
            options.parallel_calls = ParallelCalls::Allowed;
        }
        if self.analysis.as_deref() == Some("forbidden") {
            options.analysis = Analysis::Forbidden;
        }
        if self.whitespace.as_deref() == Some("compact") {
            options.whitespace = Whitespace::Compact;
        }
        options.response_schema.clone_from(&self.response);
        options.used_call_ids.clone_from(&self.used_ids);
        options.flags = self.flags.iter().cloned().collect();
        let open = self.open_calls.iter().map(|(id, name)| OpenCall {
            id: Some(id.clone()).filter(|id| !id.is_empty()),
            name: name.clone(),
        });
        options.open_calls = open.collect();
        options.built_ins = built_ins(&self.built_ins);
        options.thoughts = thoughts(&self.thoughts, Thought::Offered);
        options.profile = profile(&self.profile);
        options
    }
}

fn built_ins(names: &[String]) -> BuiltIns {
    let mut built_ins = BuiltIns::default();
    for name in names {
        match name.as_str() {
            "python" => built_ins.python = BuiltIn::Offered,
            "browser" => built_ins.browser = BuiltIn::Offered,
            other => panic!("{other}"),
        }
    }
    built_ins
}

/// The thoughts named, offered or demanded as `each` says; with `!`, demanded.
fn thoughts(words: &[String], each: Thought) -> Thoughts {
    let mut thoughts = Thoughts::default();
    for word in words {
        let (name, thought) = match word.strip_suffix('!') {
            Some(name) => (name, Thought::Demanded),
            None => (word.as_str(), each),
        };
        match name {
            "reflect" => thoughts.reflect = thought,
            "introspect" => thoughts.introspect = thought,
            "reason" => thoughts.reason = thought,
            other => panic!("{other}"),
        }
    }
    thoughts
}

fn profile(words: &[String]) -> Profile {
    let mut profile = Profile::default();
    for word in words {
        match word.as_str() {
            "hip-1" => profile = Profile::hip_1(),
            "version-1" => profile.version = Version::V1,
            "no-constrain" => profile.constrain = Constrain::Unknown,
            "no-literal-blocks" => profile.literal_blocks = LiteralBlocks::Forbidden,
            "no-commentary" => {
                profile.channels = Channels::from_iter([Channel::Analysis, Channel::Final]);
            }
            "functions-on-analysis" => {
                profile.functions_on =
                    Channels::from_iter([Channel::Analysis, Channel::Commentary]);
            }
            "built-ins-on-analysis" => {
                profile.built_ins_on = Channels::from_iter([Channel::Analysis]);
            }
            other => panic!("{other}"),
        }
    }
    profile
}

fn tools(text: &str) -> ToolSet {
    ToolSet::parse(text, &Limits::default()).unwrap()
}

/// A format that comes along, one of the examples beside them, or one for tests.
fn format(name: &str) -> Format {
    let limits = Limits::default();
    let example = match name {
        "hermes" => include_str!("../grammars/hermes.abnf"),
        "string-arguments" => include_str!("data/chat/string-arguments.abnf"),
        _ => return Format::built_in(name, &limits).unwrap().unwrap(),
    };
    Format::parse(name, example, &[], &limits).unwrap()
}

/// A vocabulary of single bytes, and of the format's control tokens where `specials` has them.
fn engine(specials: &[String]) -> Engine {
    Engine::new(vocabulary([], specials))
}

/// Single bytes, `words`, `specials` and an end token.
fn vocabulary(words: impl IntoIterator<Item = Vec<u8>>, specials: &[String]) -> Vocabulary {
    let mut builder = VocabularyBuilder::new();
    let mut ids = (0..).map(TokenId::new);
    let mut next = || ids.next().unwrap();
    let bytes = (0..=255u8).map(|byte| vec![byte]);
    for word in bytes.chain(words) {
        builder.ordinary(next(), &word).unwrap();
    }
    for name in specials {
        builder.special(next(), name).unwrap();
    }
    let end = next();
    builder.special(end, "<the end>").unwrap();
    builder.end_token(end);
    builder.build().unwrap()
}

fn constraint(engine: &Engine, grammar: &Grammar) -> Constraint {
    engine
        .constraint(grammar.clone(), &ConstraintConfig::default())
        .unwrap()
}

/// A part of a text.
#[derive(Clone, Copy)]
enum Part<'t> {
    Control(&'t str),
    Byte(u8),
}

/// Reads `text` with its control tokens as such; ‹ and › are < and > in ordinary bytes.
fn parts<'t>(text: &'t str, controls: &[String]) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match controls
            .iter()
            .find(|control| rest.starts_with(control.as_str()))
        {
            Some(control) => {
                parts.push(Part::Control(&rest[..control.len()]));
                control.len()
            }
            None => {
                let plain = match first {
                    '‹' => "<",
                    '›' => ">",
                    _ => &rest[..first.len_utf8()],
                };
                parts.extend(plain.bytes().map(Part::Byte));
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    parts
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Complete,
    Prefix,
    Refused,
}

fn verdict(constraint: &Constraint, text: &str, controls: &[String]) -> Verdict {
    let mut recogniser = constraint.recogniser();
    for part in parts(text, controls) {
        let read = match part {
            Part::Control(control) => recogniser.control(control),
            Part::Byte(byte) => recogniser.byte(byte),
        };
        if !read.unwrap() {
            return Verdict::Refused;
        }
    }
    match recogniser.may_end() {
        true => Verdict::Complete,
        false => Verdict::Prefix,
    }
}

/// Every text of the suite, with the control tokens as single tokens and, where the text does not
/// tell the two apart, spelt in bytes.
#[test]
fn texts_get_their_verdicts() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for group in &groups() {
        let format = format(&group.format);
        let grammar = compile(&format, &group.start, &group.options()).unwrap();
        let with_tokens = constraint(&engine(format.controls()), &grammar);
        let with_bytes = constraint(&engine(&[]), &grammar);
        let lists = [
            (Verdict::Complete, &group.complete),
            (Verdict::Prefix, &group.prefix),
            (Verdict::Refused, &group.refused),
        ];
        for (expected, texts) in lists {
            for text in texts {
                count += 1;
                let got = verdict(&with_tokens, text, format.controls());
                if got != expected {
                    wrong.push(format!(
                        "{}: {text:?}: {got:?}, not {expected:?}",
                        group.name
                    ));
                }
                let got = verdict(&with_bytes, text, format.controls());
                if got != expected && !text.contains('‹') && expected != Verdict::Refused {
                    wrong.push(format!(
                        "{}: {text:?}: {got:?}, not {expected:?}, in bytes",
                        group.name
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count >= 200, "{count} texts only");
}

/// Masks have what the recogniser takes, token by token, and lack what it refuses.
#[test]
fn sessions_agree_with_the_suite() {
    for group in groups()
        .iter()
        .filter(|group| group.start == "assistant-turn")
    {
        let format = format(&group.format);
        let grammar = compile(&format, &group.start, &group.options()).unwrap();
        let engine = engine(format.controls());
        let constraint = constraint(&engine, &grammar);
        let mut row = vec![0; engine.vocabulary().mask_words()];
        let mut follow = |text: &str| {
            let mut session = constraint.session();
            for part in parts(text, format.controls()) {
                let token = match part {
                    Part::Control(control) => engine.vocabulary().special(control).unwrap(),
                    Part::Byte(byte) => TokenId::new(u32::from(byte)),
                };
                session.mask(&mut row).unwrap();
                let has = row[token.index() / 32] >> (token.index() % 32) & 1 == 1;
                assert_eq!(
                    session.allows(token).unwrap(),
                    has,
                    "{}: {text}",
                    group.name
                );
                session.accept(token).ok()?;
            }
            Some(session)
        };
        for text in &group.complete {
            let ended = follow(text).is_some_and(|session| session.may_end());
            assert!(ended, "{}: {text}", group.name);
        }
        for text in &group.refused {
            assert!(follow(text).is_none(), "{}: {text}", group.name);
        }
    }
}

/// The parsed tools file of the repository, in every format.
#[test]
fn the_example_tools_compile() {
    let mut options = ChatOptions::default();
    options.tools = tools(include_str!("../examples/tools.json"));
    assert_eq!(options.tools.len(), 5);
    for name in Format::BUILT_IN {
        compile(&format(name), "assistant-turn", &options).unwrap();
    }
}

/// Harmony's published test files: each has its start rule and its verdict.
#[test]
fn published_harmony_files_get_their_verdicts() {
    let Some(folder) = data("harmony-test-data") else {
        return;
    };
    let format = format("harmony");
    let engine = engine(format.controls());
    let constraints: BTreeMap<&str, Constraint> = ["transcript", "prompt", "completion"]
        .into_iter()
        .map(|start| {
            let grammar = compile(&format, start, &ChatOptions::default()).unwrap();
            (start, constraint(&engine, &grammar))
        })
        .collect();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 23);
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
        let text = harmony_text(&file);
        let (start, expected) = match name.as_str() {
            "test_simple_reasoning_response" | "test_simple_tool_call" => {
                ("completion", Verdict::Prefix)
            }
            "test_streamable_parser" => ("completion", Verdict::Complete),
            "test_keep_analysis_between_finals" => ("transcript", Verdict::Complete),
            "test_tool_response_parsing" => ("transcript", Verdict::Prefix),
            _ => ("prompt", Verdict::Complete),
        };
        assert_eq!(
            verdict(&constraints[start], &text, format.controls()),
            expected,
            "{name}"
        );
        if start == "prompt" {
            let got = verdict(&constraints["transcript"], &text, format.controls());
            assert_eq!(got, Verdict::Prefix, "{name} as a transcript");
        }
    }
}

/// The text of a published file: what token ids say, and no line feed at the end.
fn harmony_text(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    if !text.starts_with(|first: char| first.is_ascii_digit()) {
        return text.strip_suffix('\n').unwrap_or(&text).to_owned();
    }
    let ids: Vec<u32> = text
        .split_whitespace()
        .map(|id| id.parse().unwrap())
        .collect();
    let vocabulary = tiktoken_rs::o200k_harmony().unwrap();
    String::from_utf8(vocabulary.decode_bytes(&ids).unwrap()).unwrap()
}

/// The ABNF printed in OpenChatML 2.2 §15 compiles as it stands.
#[test]
fn the_printed_abnf_compiles() {
    let Some(path) = data("../formats/openchatml-2.2.md") else {
        return;
    };
    let text = std::fs::read_to_string(path).unwrap();
    let printed: String = text
        .lines()
        .skip_while(|line| !line.starts_with("15 · ABNF"))
        .skip_while(|line| !line.contains(" = "))
        .take_while(|line| line.contains(" = "))
        .flat_map(|line| [line, "\n"])
        .collect();
    assert_eq!(printed.lines().count(), 10, "{printed}");
    let format = Format::parse("printed", &printed, &[], &Limits::default()).unwrap();
    assert_eq!(format.controls().len(), 9);
    let grammar = compile(&format, "FRAME", &ChatOptions::default()).unwrap();
    let constraint = constraint(&engine(format.controls()), &grammar);
    for (text, expected) in [
        (
            "<|start|>user<|message|>What is 2 + 2?<|end|>",
            Verdict::Complete,
        ),
        (
            "<|start|>assistant to=functions.x call_id=a<|channel|>commentary<|constrain|>json<|message|>{}<|end|>",
            Verdict::Complete,
        ),
        ("<|start|>assistant<|channel|>draft", Verdict::Refused),
    ] {
        assert_eq!(
            verdict(&constraint, text, format.controls()),
            expected,
            "{text}"
        );
    }
}

/// Published data, under `MASKWRIGHT_DATA` (default `../shared`); only the default may be absent.
fn data(path: &str) -> Option<PathBuf> {
    let asked = std::env::var_os("MASKWRIGHT_DATA");
    let root = asked.as_ref().map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        PathBuf::from,
    );
    let path = root.join("data").join(path);
    if path.exists() {
        return Some(path);
    }
    assert!(asked.is_none(), "MASKWRIGHT_DATA has no {}", path.display());
    eprintln!("skipped: {} is absent", path.display());
    None
}

#[test]
fn tools_files_of_every_shape_are_read() {
    let shapes = [
        r#"[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]"#,
        r#"[{"type":"function","name":"f","description":"x","parameters":{"type":"object"},"strict":true}]"#,
        r#"[{"name":"f","parameters":{"type":"object"}}]"#,
        r#"{"tools":[{"name":"f","description":"x","inputSchema":{"type":"object"}}]}"#,
        r#"[{"name":"f","inputSchema":{"type":"object"}}]"#,
    ];
    for shape in shapes {
        let tools = tools(shape);
        assert_eq!(
            tools.names().collect::<Vec<_>>(),
            ["functions.f"],
            "{shape}"
        );
    }
}

#[test]
fn bad_tools_files_are_refused_with_a_place() {
    let cases = [
        ("[{]", "tools file, 1:3: not JSON"),
        ("3", "tools file, #: expected an array of tools"),
        (r#"{"tools":{}}"#, "tools file, #/tools: expected an array"),
        ("[3]", "tools file, #/0: expected a tool"),
        (
            r#"[{"type":"retrieval"}]"#,
            "tools file, #/0/type: expected \"function\"",
        ),
        (
            r#"[{"type":"function","function":[]}]"#,
            "tools file, #/0/function: expected a function",
        ),
        (
            r#"[{"type":"function","function":{}}]"#,
            "tools file, #/0/function/name: expected the tool's name",
        ),
        (
            r#"[{"name":"a b"}]"#,
            "tools file, #/0/name: \"a b\" cannot be a tool's name",
        ),
        (r#"[{"name":".a"}]"#, "cannot be a tool's name"),
        (
            r#"[{"name":"f"},{"name":"f"}]"#,
            "tools file, #/1: a tool before is called \"functions.f\"",
        ),
        (
            r#"[{"name":"f","strict":1}]"#,
            "tools file, #/0/strict: expected true or false",
        ),
    ];
    for (text, message) in cases {
        let error = ToolSet::parse(text, &Limits::default())
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
    let mut limits = Limits::default();
    limits.source_bytes = 8;
    let error = ToolSet::parse("[         ]", &limits)
        .unwrap_err()
        .to_string();
    assert!(error.contains("11 needed, 8 allowed"), "{error}");
}

#[test]
fn bad_requests_are_refused_with_a_hint() {
    let harmony = format("harmony");
    let refusal = |change: &dyn Fn(&mut ChatOptions)| {
        let mut options = ChatOptions::default();
        change(&mut options);
        compile(&harmony, "assistant-turn", &options)
            .unwrap_err()
            .to_string()
    };
    let required = refusal(&|options| options.tool_choice = ToolChoice::Required);
    assert!(required.contains("no tools are given"), "{required}");
    let named = refusal(&|options| {
        options.tools = tools(TOOLS);
        options.tool_choice = ToolChoice::Named("get_wether".to_owned());
    });
    assert!(
        named.contains("`get_wether`") && named.contains("functions.get_weather"),
        "{named}"
    );
    let schema = refusal(&|options| {
        options.tools =
            tools(r#"[{"name":"f","parameters":{"properties":{"a":{"minLength":-1}}}}]"#);
    });
    assert!(
        schema.contains("functions.f") && schema.contains("#/0/parameters"),
        "{schema}"
    );
    assert!(schema.contains("#/properties/a/minLength"), "{schema}");
    let array = refusal(&|options| {
        options.tools = tools(r#"[{"name":"f","parameters":{"type":"array"}}]"#);
    });
    assert!(
        array.contains("functions.f") && array.contains("no value satisfies"),
        "{array}"
    );
    let response = refusal(&|options| options.response_schema = Some("{".to_owned()));
    assert!(
        response.starts_with("response schema: not JSON"),
        "{response}"
    );
    let id = refusal(&|options| options.used_call_ids = vec!["a b".to_owned()]);
    assert!(id.contains("\"a b\" cannot be a call id"), "{id}");
    let mut options = ChatOptions::default();
    options.tools = tools(TOOLS);
    options.tool_choice = ToolChoice::Required;
    let calls = compile(&format("chatml"), "assistant-turn", &options).unwrap_err();
    assert!(
        calls.to_string().contains("`chatml` has no tool calls"),
        "{calls}"
    );
    let start = compile(&harmony, "assistent-turn", &ChatOptions::default())
        .unwrap_err()
        .to_string();
    assert!(start.contains("assistant-turn"), "{start}");
}

/// A format of one's own, in ABNF alone.
#[test]
fn a_format_needs_nothing_but_abnf() {
    // RFC 5234 has no escape for a quote inside a string: DQUOTE is its name.
    let source = r#"
        assistant-turn = <text> ( end / call )
        call = "<tool_call>" %s"{" DQUOTE %s"name" DQUOTE %s": " DQUOTE <tool.name> DQUOTE %s", "
               DQUOTE %s"arguments" DQUOTE %s": " <tool.arguments> %s"}" "</tool_call>" end
        end  = "<|im_end|>"
    "#;
    let specials = ["<tool_call>", "</tool_call>", "<|im_end|>"];
    let format = Format::parse("hermes", source, &specials, &Limits::default()).unwrap();
    let mut options = ChatOptions::default();
    options.tools = tools(
        r#"[{"name":"hermes.a"},{"name":"hermes.ab","parameters":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"],"additionalProperties":false}}]"#,
    );
    let grammar = compile(&format, "assistant-turn", &options).unwrap();
    let constraint = constraint(&engine(format.controls()), &grammar);
    for (text, expected) in [
        ("Hello.<|im_end|>", Verdict::Complete),
        (
            r#"<tool_call>{"name": "functions.hermes.a", "arguments": {}}</tool_call><|im_end|>"#,
            Verdict::Complete,
        ),
        (
            r#"Well: <tool_call>{"name": "functions.hermes.ab", "arguments": {"n":1}}</tool_call><|im_end|>"#,
            Verdict::Complete,
        ),
        (
            r#"<tool_call>{"name": "functions.hermes.a", "arguments": {"n"#,
            Verdict::Refused,
        ),
        (
            r#"<tool_call>{"name": "functions.hermes.b"#,
            Verdict::Refused,
        ),
        ("x‹tool_call›", Verdict::Refused),
    ] {
        assert_eq!(
            verdict(&constraint, text, format.controls()),
            expected,
            "{text}"
        );
    }
}

#[test]
fn bad_formats_are_refused_with_a_place() {
    let cases = [
        ("turn = <txt> \"<|end|>\"", "1:8"),
        ("turn = <if paralel-calls> \"<|end|>\"", "1:8"),
        (
            "turn = <tool.arguments> \"<|end|>\"",
            "1:8: `<tool.arguments>`: rule `turn` comes to it without a `<tool.name>`",
        ),
        (
            "turn = <tool.arguments-string> \"<|end|>\"",
            "1:8: `<tool.arguments-string>`: rule `turn` comes to it without a `<tool.name>`",
        ),
        (
            "turn = <tool.short-name-but taken> <tool.arguments>\ntaken = \"get_time\" / \"x\"",
            "1:8: `<tool.short-name-but taken>`: a tool named `get_time` cannot be called in this format",
        ),
        (
            "turn = call <tool.arguments>\ncall = <tool.name> \" \"",
            "1:13: `<tool.arguments>`",
        ),
        (
            "turn = <text-without x>\nx = 1*\"a\"",
            "1:8: `<text-without x>`: `x` must be a rule that is a quoted string",
        ),
        (
            "turn = <if response-schema> \"a\"",
            "rule `turn` admits no text under these options",
        ),
    ];
    for (source, message) in cases {
        let mut options = ChatOptions::default();
        options.tools = tools(TOOLS);
        let error = Format::parse("mine", source, &[], &Limits::default())
            .and_then(|format| compile(&format, "turn", &options))
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{source}: {error}");
    }
}

/// Wherever the recipient stands and whatever type is named: the arguments are those of the tool.
#[test]
fn arguments_are_bound_in_every_variant_of_harmony() {
    let format = format("harmony");
    let mut options = ChatOptions::default();
    options.tools = tools(TOOLS);
    let grammar = compile(&format, "assistant-turn", &options).unwrap();
    let constraint = constraint(&engine(format.controls()), &grammar);
    let verdict = |text: &str| verdict(&constraint, text, format.controls());
    for header in [
        " to=functions.get_weather<|channel|>commentary",
        "<|channel|>commentary to=functions.get_weather",
    ] {
        for name in [" <|constrain|>json", "<|constrain|>json", " json", ""] {
            let call = |body: &str| format!("{header}{name}<|message|>{body}");
            let good = call(r#"{"location":"SF","unit":"C"}<|call|>"#);
            assert_eq!(verdict(&good), Verdict::Complete, "{good}");
            for bad in [
                r#"{"days""#,
                r#"{"location":1"#,
                r#"{"location":"SF","unit":"K"#,
                "{}",
                "[",
                r#"{"location":"SF"}<|end|>"#,
            ] {
                assert_eq!(verdict(&call(bad)), Verdict::Refused, "{}", call(bad));
            }
        }
    }
}

/// Many tools cost one trie of names, and argument rules that are made when visited.
#[test]
fn many_tools_cost_little() {
    let harmony = format("harmony");
    let count = |number: usize| {
        let one = |i| {
            format!(
                r#"{{"name":"tool_{i}","parameters":{{"type":"object","properties":{{"place":{{"type":"string"}},"unit":{{"enum":["C","F"]}},"days":{{"type":"integer","minimum":0,"maximum":{i}}}}},"required":["place"],"additionalProperties":false}}}}"#
            )
        };
        let list: Vec<String> = (0..number).map(one).collect();
        let mut options = ChatOptions::default();
        options.tools = tools(&format!("[{}]", list.join(",")));
        let begun = std::time::Instant::now();
        let grammar = compile(&harmony, "assistant-turn", &options).unwrap();
        eprintln!(
            "{number} tools: {:?}, {} rules",
            begun.elapsed(),
            grammar.rule_count()
        );
        grammar.rule_count()
    };
    let (one, two, many) = (count(1), count(2), count(128));
    assert!(
        many - one <= 127 * (two - one),
        "{one}, {two}, {many} rules"
    );
}
