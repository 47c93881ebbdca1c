//! The grammars of chat formats agree with the transcript parser, which shares no code with them.

use std::collections::BTreeMap;

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{
    Analysis, Arguments, CallIds, ChatOptions, Constrain, ParallelCalls, SequenceTokens, Thought,
    Tool, ToolChoice, ToolSet, browser_tools, compile,
};
use maskwright::grammar::Grammar;
use maskwright::session::Engine;
use maskwright_transcript::{
    Analysis as ParserAnalysis, ArgumentValidator, CallLimit, ControlToken, Format as ParserFormat,
    FunctionChannels, ParserConfig, Piece, ResponseValidator, Thought as ParserThought,
    ToolChoice as ParserChoice, Transcript, TranscriptError, parse, parse_pieces,
};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Group, Part, TOOLS, Verdict, built_ins, constraint, engine, format, groups, parts, profile,
    thoughts, verdict,
};

/// What the crate `jsonschema` says of JSON.
struct Judge {
    /// The schema of each tool, by its full name, and of the response.
    tools: BTreeMap<String, Value>,
    response: Value,
}

impl Group {
    /// Whether the parser has words for all that the group asks for.
    fn is_judged(&self) -> bool {
        self.start == "assistant-turn"
            && ParserFormat::from_name(&self.format).is_some()
            && self
                .profile
                .iter()
                .all(|word| word == "functions-on-analysis")
            && self.thoughts.iter().all(|thought| thought.ends_with('!'))
    }

    /// The schema of each tool, by its full name.
    fn judged_tools(&self) -> BTreeMap<String, Value> {
        let shared = self.tools.then_some(TOOLS);
        let file = self.tools_file.as_deref().or(shared);
        let mut judged = file.map(tools).unwrap_or_default();
        for built_in in &self.built_ins {
            match built_in.as_str() {
                "python" => drop(judged.insert("python".to_owned(), json!(true))),
                _ => judged.extend(browser()),
            }
        }
        judged
    }
}

/// The schemas of the browser's tools.
fn browser() -> BTreeMap<String, Value> {
    let tools = browser_tools(&Limits::default()).unwrap();
    let schema = |tool: &Tool| match tool.arguments() {
        Arguments::Schema(schema) => serde_json::from_str(schema).unwrap(),
        _ => json!(true),
    };
    tools
        .iter()
        .map(|tool| (tool.name().to_owned(), schema(tool)))
        .collect()
}

impl Judge {
    fn new(group: &Group) -> Self {
        let response = group.response.as_deref().unwrap_or("true");
        Self {
            tools: group.judged_tools(),
            response: serde_json::from_str(response).unwrap(),
        }
    }

    fn config<'a>(&'a self, group: &Group) -> ParserConfig<'a> {
        let format = ParserFormat::from_name(&group.format).unwrap();
        let mut config = ParserConfig::assistant_turn(format);
        config.tools = Some(self.tools.keys().cloned().collect());
        if group
            .profile
            .iter()
            .any(|word| word == "functions-on-analysis")
        {
            config.function_channels = FunctionChannels::CommentaryOrAnalysis;
        }
        let demanded = group
            .thoughts
            .iter()
            .filter_map(|word| word.strip_suffix('!'));
        config.thoughts = demanded.map(parser_thought).collect();
        config.tool_choice = match group.choice.as_deref() {
            None => ParserChoice::Auto,
            Some("required") => ParserChoice::Required,
            Some("none") => ParserChoice::None,
            // A tool of the request comes before a built-in one of that name.
            Some("python") if !self.tools.contains_key("functions.python") => {
                ParserChoice::Named("python".to_owned())
            }
            Some(name) => ParserChoice::Named(full_name(name)),
        };
        if group.parallel.as_deref() == Some("allowed") {
            config.calls = CallLimit::Many;
        }
        if group.analysis.as_deref() == Some("forbidden") {
            config.analysis = ParserAnalysis::Forbidden;
        }
        config.closed_call_ids.clone_from(&group.used_ids);
        config.arguments = Some(self);
        if group.response.is_some() {
            config.response = Some(self);
        }
        config
    }
}

impl ArgumentValidator for Judge {
    fn validate(&self, recipient: &str, arguments: &str) -> Result<(), String> {
        is_valid(&self.tools[recipient], arguments)
    }
}

impl ResponseValidator for Judge {
    fn validate(&self, response: &str) -> Result<(), String> {
        is_valid(&self.response, response)
    }
}

fn is_valid(schema: &Value, text: &str) -> Result<(), String> {
    let value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    jsonschema::validate(schema, &value).map_err(|error| error.to_string())
}

/// The schemas of a tools file; one that is not strict takes any object.
fn tools(file: &str) -> BTreeMap<String, Value> {
    let file: Vec<Value> = serde_json::from_str(file).unwrap();
    let tool = |tool: &Value| {
        let tool = tool.get("function").unwrap_or(tool);
        let schema = match tool.get("parameters") {
            Some(schema) if tool.get("strict") != Some(&json!(false)) => schema.clone(),
            _ => json!(true),
        };
        (full_name(tool["name"].as_str().unwrap()), schema)
    };
    file.iter().map(tool).collect()
}

fn full_name(name: &str) -> String {
    format!("functions.{name}")
}

fn parser_thought(name: &str) -> ParserThought {
    let named = |thought: &ParserThought| thought.as_str() == name;
    ParserThought::ALL.into_iter().find(named).unwrap()
}

fn parser_verdict(result: &Result<Transcript, TranscriptError>) -> Verdict {
    match result {
        Ok(_) => Verdict::Complete,
        Err(error) if error.is_truncated() => Verdict::Prefix,
        Err(_) => Verdict::Refused,
    }
}

/// The parser takes every turn and every prefix that the grammar takes. What the grammar refuses
/// early may be a prefix to the parser, which judges whole headers and bodies.
#[test]
fn the_parser_takes_what_the_grammars_take() {
    let mut count = 0;
    let mut wrong = Vec::new();
    for group in groups().iter().filter(|group| group.is_judged()) {
        let format = format(&group.format);
        let judge = Judge::new(group);
        let config = judge.config(group);
        let vocabulary = config.format.controls();
        let complete = group.complete.iter().map(|text| (text, Verdict::Complete));
        let prefix = group.prefix.iter().map(|text| (text, Verdict::Prefix));
        let refused = group.refused.iter().map(|text| (text, Verdict::Refused));
        for (text, expected) in complete.chain(prefix).chain(refused) {
            count += 1;
            let parts = parts(text, format.controls());
            let pieces = parts.iter().map(|part| match part {
                Part::Control(name) => Piece::special(name),
                Part::Byte(byte) => Piece::Text(std::slice::from_ref(byte)),
            });
            let mut results = vec![parse_pieces(pieces, vocabulary, &config)];
            if !text.contains('‹') {
                results.push(parse(text, &config));
            }
            for result in results {
                let got = parser_verdict(&result);
                let is_early = expected == Verdict::Refused && got == Verdict::Prefix;
                if got != expected && !is_early {
                    wrong.push(format!(
                        "{}: {text:?}: {result:?}, not {expected:?}",
                        group.name
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 80, "{count} texts only");
}

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// A case of the parser's suite, as far as it concerns a generated turn.
#[derive(Deserialize)]
struct Case {
    name: String,
    format: String,
    start: Option<String>,
    text: String,
    expect: String,
    #[serde(default)]
    tokens: bool,
    #[serde(default)]
    lacks: Vec<String>,
    tools: Option<Vec<String>>,
    choice: Option<String>,
    #[serde(default)]
    parallel: bool,
    analysis: Option<bool>,
    #[serde(default)]
    open_ids: Vec<String>,
    #[serde(default)]
    closed_ids: Vec<String>,
    profile: Option<String>,
    #[serde(default)]
    thoughts: Vec<String>,
    #[serde(default)]
    types_constrained: bool,
    #[serde(default)]
    functions_on_analysis: bool,
    sequence: Option<[String; 2]>,
    arguments_need: Option<String>,
    response_needs: Option<String>,
    #[serde(default)]
    also_turn: bool,
}

impl Case {
    /// The turn in the case, with what is spelt in ordinary tokens in ‹ and ›.
    fn turn(&self) -> Option<String> {
        let text = match self.start.as_deref() {
            Some("assistant-turn" | "middle") => &self.text,
            _ if self.also_turn => self.text.strip_prefix("<|start|>assistant")?,
            _ => return None,
        };
        let mut turn = text.replace('▶', "");
        while let Some(at) = turn.find("¬<") {
            let end = turn[at..].find('>').map_or(turn.len(), |end| at + end + 1);
            let spelt = turn[at + '¬'.len_utf8()..end]
                .replace('<', "‹")
                .replace('>', "›");
            turn.replace_range(at..end, &spelt);
        }
        Some(turn)
    }

    fn options(&self) -> ChatOptions {
        let mut options = ChatOptions::default();
        // Where the parser leaves recipients unjudged, there is one.
        let mut names = self.tools.clone().unwrap_or(vec!["functions.f".to_owned()]);
        let own = ["python", "browser"].map(str::to_owned);
        let is_of = |name: &String, own: &String| name.split('.').next() == Some(own);
        let offered = own
            .iter()
            .filter(|own| names.iter().any(|name| is_of(name, own)));
        options.built_ins = built_ins(&offered.cloned().collect::<Vec<_>>());
        names.retain(|name| !own.iter().any(|own| is_of(name, own)));
        let needs = |key: &Option<String>| match key {
            Some(key) => json!({"type": "object", "required": [key]}),
            None => json!({"type": "object"}),
        };
        let parameters = needs(&self.arguments_need);
        let tools: Vec<Value> = names
            .iter()
            .map(|name| name.strip_prefix("functions.").unwrap_or(name))
            .map(|name| json!({"name": name, "parameters": parameters}))
            .collect();
        options.tools = ToolSet::parse(&json!(tools).to_string(), &Limits::default()).unwrap();
        options.tool_choice = match self.choice.as_deref() {
            None => ToolChoice::Auto,
            Some("required") => ToolChoice::Required,
            Some("none") => ToolChoice::None,
            Some(name) => ToolChoice::Named(name.to_owned()),
        };
        if self.parallel {
            options.parallel_calls = ParallelCalls::Allowed;
        }
        if self.analysis == Some(false) {
            options.analysis = Analysis::Forbidden;
        }
        if self.response_needs.is_some() {
            options.response_schema = Some(needs(&self.response_needs).to_string());
        }
        options.used_call_ids = [&self.open_ids[..], &self.closed_ids].concat();
        if self.profile.is_some() {
            options.profile.call_ids = CallIds::Optional;
        }
        if self.types_constrained {
            options.profile.constrain = Constrain::Required;
        }
        if self.functions_on_analysis {
            options.profile = profile(&["functions-on-analysis".to_owned()]);
        }
        if let Some([begin, end]) = self.sequence.clone() {
            options.sequence_tokens = SequenceTokens { begin, end };
        }
        options.thoughts = thoughts(&self.thoughts, Thought::Demanded);
        options
    }

    /// The control tokens of the vocabulary.
    fn specials(&self) -> Vec<String> {
        let all = match self.tokens {
            true => ControlToken::ALL.map(|token| token.to_string()).to_vec(),
            false => format(&self.format).controls().to_vec(),
        };
        let has = |name: &String| !self.lacks.contains(name);
        all.into_iter().filter(has).collect()
    }
}

/// The verdict of a session: unlike a recogniser it knows tokens that no grammar names.
fn session_verdict(engine: &Engine, grammar: &Grammar, text: &str, specials: &[String]) -> Verdict {
    let mut session = constraint(engine, grammar).session();
    for part in parts(text, specials) {
        let token = match part {
            Part::Control(name) => engine.vocabulary().special(name).unwrap(),
            Part::Byte(byte) => TokenId::new(u32::from(byte)),
        };
        if !session.allows(token).unwrap() {
            return Verdict::Refused;
        }
        session.accept(token).unwrap();
    }
    match session.may_end() {
        true => Verdict::Complete,
        false => Verdict::Prefix,
    }
}

/// The grammars refuse every turn that the parser calls malformed.
#[test]
fn the_grammars_refuse_what_the_parser_refuses() {
    let texts = [
        include_str!("../data/transcripts.toml"),
        include_str!("../data/transcripts-im.toml"),
    ];
    let cases = texts.map(|text| toml::from_str::<Cases>(text).unwrap().case);
    let mut count = 0;
    let mut wrong = Vec::new();
    for case in cases.iter().flatten() {
        let Some(turn) = case.turn() else { continue };
        count += 1;
        let start = match case.start.as_deref() {
            Some("middle") => "fim-middle",
            _ => "assistant-turn",
        };
        let grammar = compile(&format(&case.format), start, &case.options()).unwrap();
        let expected = match case.expect.as_str() {
            "complete" => Verdict::Complete,
            "prefix" | "E-STREAM-TRUNCATED" => Verdict::Prefix,
            _ => Verdict::Refused,
        };
        let specials = case.specials();
        let mut verdicts = Vec::new();
        if case.tokens {
            verdicts.push(session_verdict(
                &engine(&specials),
                &grammar,
                &turn,
                &specials,
            ));
        } else {
            for specials in [&specials[..], &[]] {
                verdicts.push(verdict(
                    &constraint(&engine(specials), &grammar),
                    &turn,
                    specials,
                ));
            }
        }
        for got in verdicts.into_iter().filter(|&got| got != expected) {
            wrong.push(format!(
                "{}: {turn:?}: {got:?}, not {expected:?}",
                case.name
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count >= 80, "{count} turns only");
}
