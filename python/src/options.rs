//! Keyword arguments: names and values to the options of the library. What is not given is as in the library.

use std::sync::Arc;

use maskwright::base::Limits;
use maskwright::front::chat::{
    Analysis, BuiltIn, Channel, Channels, ChatOptions, Deadlines, OpenCall, ParallelCalls, Profile,
    Thought, ToolSet,
};
use maskwright::front::json_schema::{
    Content, Draft, Escapes, Formats, Numbers, Outermost, PropertyOrder, SchemaConfig,
    SchemaDocument, SpacePattern, Whitespace,
};
use maskwright::regular::Dialect;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::Failure;
use crate::json;
use crate::keywords::{Keywords, choice};

const ESCAPES: [(&str, Escapes); 3] = [
    ("minimal", Escapes::Minimal),
    ("free", Escapes::Free),
    ("all", Escapes::All),
];
const NUMBERS: [(&str, Numbers); 2] = [("any", Numbers::Any), ("plain", Numbers::Plain)];
const ORDERS: [(&str, PropertyOrder); 2] = [
    ("declared", PropertyOrder::Declared),
    ("any", PropertyOrder::Any),
];
const OUTERMOST: [(&str, Outermost); 2] = [("any", Outermost::Any), ("object", Outermost::Object)];
const FORMATS: [(&str, Formats); 2] = [("assert", Formats::Assert), ("ignore", Formats::Ignore)];
const CONTENT: [(&str, Content); 2] =
    [("annotate", Content::Annotate), ("assert", Content::Assert)];
const DRAFTS: [(&str, Draft); 9] = [
    ("3", Draft::Draft3),
    ("4", Draft::Draft4),
    ("5", Draft::Draft4),
    ("6", Draft::Draft6),
    ("7", Draft::Draft7),
    ("2019-09", Draft::Draft201909),
    ("2020-12", Draft::Draft202012),
    ("openapi-3.0", Draft::OpenApi30),
    ("openapi-3.1", Draft::Draft202012),
];
const DIALECTS: [(&str, Dialect); 4] = [
    ("ecma", Dialect::Ecma),
    ("python", Dialect::Python),
    ("pcre", Dialect::Pcre),
    ("rust", Dialect::Rust),
];

/// `limits`: a dictionary with some of the limits by name.
pub(crate) fn limits(given: Option<&Bound<'_, PyDict>>) -> PyResult<Limits> {
    let mut limits = Limits::default();
    for (name, value) in given.into_iter().flatten() {
        let name: String = name.extract()?;
        let value: usize = value.extract()?;
        let field = match name.as_str() {
            "source_bytes" => &mut limits.source_bytes,
            "depth" => &mut limits.depth,
            "rules" => &mut limits.rules,
            "automaton_states" => &mut limits.automaton_states,
            "schema_states" => &mut limits.schema_states,
            "state_items" => &mut limits.state_items,
            "machine_bytes" => &mut limits.machine_bytes,
            "mask_bytes" => &mut limits.mask_bytes,
            "work" => &mut limits.work,
            _ => {
                let hint = "they are source_bytes, depth, rules, automaton_states, schema_states, \
                            state_items, machine_bytes, mask_bytes and work";
                let message = format!("`limits`: there is no limit {name:?}");
                return Err(Failure::invalid(message).hint(hint).into());
            }
        };
        *field = value;
    }
    Ok(limits)
}

/// `whitespace`: `json`, `pretty`, `compact`, or a pattern between slashes.
fn whitespace(keywords: &Keywords<'_>, limits: &Limits, field: &mut Whitespace) -> PyResult<()> {
    let Some(given) = keywords.any("whitespace")? else {
        return Ok(());
    };
    let given: String = given.extract()?;
    let inner = given
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix('/'));
    if let Some(pattern) = inner {
        let pattern = SpacePattern::new(pattern, limits);
        let pattern = pattern.map_err(|error| Failure::schema(&error, None, "whitespace"))?;
        *field = Whitespace::Pattern(pattern);
        return Ok(());
    }
    let known = [
        ("json", Whitespace::Json),
        ("pretty", Whitespace::Pretty),
        ("compact", Whitespace::Compact),
    ];
    *field = choice("whitespace", &given, &known).map_err(|failure| {
        failure.hint(
            "it is \"json\", \"pretty\", \"compact\", or a pattern between slashes such as \"/ ?/\"",
        )
    })?;
    Ok(())
}

/// `patterns`, or another argument that names a dialect of regular expressions.
pub(crate) fn dialect(keywords: &Keywords<'_>, name: &str, field: &mut Dialect) -> PyResult<()> {
    keywords.choose(name, &DIALECTS, field)
}

fn documents(keywords: &Keywords<'_>) -> PyResult<Arc<[SchemaDocument]>> {
    let given = keywords.dict("documents")?;
    let documents = given.into_iter().flatten().map(|(uri, text)| {
        Ok(SchemaDocument {
            uri: uri.extract()?,
            text: json::text(&text)?,
        })
    });
    documents.collect()
}

/// The options of a schema.
pub(crate) fn schema(keywords: &Keywords<'_>) -> PyResult<SchemaConfig> {
    let mut config = SchemaConfig {
        limits: limits(keywords.dict("limits")?.as_ref())?,
        documents: documents(keywords)?,
        forbidden: keywords.take("forbidden", Vec::new())?,
        ..SchemaConfig::default()
    };
    whitespace(keywords, &config.limits, &mut config.whitespace)?;
    keywords.choose("escapes", &ESCAPES, &mut config.escapes)?;
    keywords.choose("numbers", &NUMBERS, &mut config.numbers)?;
    keywords.choose("order", &ORDERS, &mut config.order)?;
    keywords.choose("outermost", &OUTERMOST, &mut config.outermost)?;
    keywords.choose("formats", &FORMATS, &mut config.formats)?;
    keywords.choose("content", &CONTENT, &mut config.content)?;
    keywords.choose("draft", &DRAFTS, &mut config.draft)?;
    dialect(keywords, "patterns", &mut config.regex)?;
    Ok(config)
}

/// The options of a chat format.
pub(crate) fn chat(keywords: &Keywords<'_>) -> PyResult<ChatOptions> {
    let mut options = ChatOptions::default();
    options.limits = limits(keywords.dict("limits")?.as_ref())?;
    options.parallel_calls = match keywords.take("parallel_calls", false)? {
        true => ParallelCalls::Allowed,
        false => ParallelCalls::Forbidden,
    };
    offered(keywords, &mut options)?;
    options.analysis = match keywords.take("analysis", true)? {
        true => Analysis::Allowed,
        false => Analysis::Forbidden,
    };
    let response = keywords.any("response_schema")?;
    options.response_schema = response.as_ref().map(json::text).transpose()?;
    let profiles = [("default", Profile::default()), ("hip-1", Profile::hip_1())];
    keywords.choose("profile", &profiles, &mut options.profile)?;
    if keywords.take("functions_on_analysis", false)? {
        options.profile.functions_on =
            Channels::from_iter([Channel::Analysis, Channel::Commentary]);
    }
    thoughts(keywords, &mut options)?;
    bodies(keywords, &mut options)?;
    if keywords.take("deadline_ms", false)? {
        options.deadlines = Deadlines::Allowed;
    }
    options.flags = keywords
        .take("flags", Vec::<String>::new())?
        .into_iter()
        .collect();
    options.used_call_ids = keywords.take("used_call_ids", Vec::new())?;
    let open_calls: Vec<(Option<String>, String)> = keywords.take("open_calls", Vec::new())?;
    options.open_calls = open_calls
        .into_iter()
        .map(|(id, name)| OpenCall { id, name })
        .collect();
    let tokens = &mut options.sequence_tokens;
    tokens.begin = keywords.take("sequence_begin", std::mem::take(&mut tokens.begin))?;
    tokens.end = keywords.take("sequence_end", std::mem::take(&mut tokens.end))?;
    Ok(options)
}

/// Which tools there are, and which of them are called.
fn offered(keywords: &Keywords<'_>, options: &mut ChatOptions) -> PyResult<()> {
    if let Some(tools) = keywords.any("tools")? {
        let text = json::text(&tools)?;
        options.tools = ToolSet::parse(&text, &options.limits).map_err(Failure::from)?;
    }
    if let Some(choice) = keywords.any("tool_choice")? {
        tool_choice(&choice, options)?;
    }
    for name in keywords.take("built_in_tools", Vec::<String>::new())? {
        match name.as_str() {
            "python" => options.built_ins.python = BuiltIn::Offered,
            "browser" => options.built_ins.browser = BuiltIn::Offered,
            _ => choice("built_in_tools", &name, &[("python", ()), ("browser", ())])?,
        }
    }
    Ok(())
}

/// How arguments and answers are written, and how their schemas are read.
fn bodies(keywords: &Keywords<'_>, options: &mut ChatOptions) -> PyResult<()> {
    whitespace(keywords, &options.limits, &mut options.whitespace)?;
    keywords.choose("escapes", &ESCAPES, &mut options.escapes)?;
    keywords.choose("numbers", &NUMBERS, &mut options.numbers)?;
    keywords.choose("order", &ORDERS, &mut options.order)?;
    keywords.choose("draft", &DRAFTS, &mut options.draft)?;
    keywords.choose("content", &CONTENT, &mut options.content)?;
    dialect(keywords, "patterns", &mut options.regex)?;
    options.documents = documents(keywords)?;
    Ok(())
}

fn thoughts(keywords: &Keywords<'_>, options: &mut ChatOptions) -> PyResult<()> {
    for (kind, rule) in keywords.dict("thoughts")?.into_iter().flatten() {
        let (kind, rule): (String, String) = (kind.extract()?, rule.extract()?);
        let rules = [
            ("forbidden", Thought::Forbidden),
            ("offered", Thought::Offered),
            ("demanded", Thought::Demanded),
        ];
        let rule = choice("thoughts", &rule, &rules)?;
        match kind.as_str() {
            "reflect" => options.thoughts.reflect = rule,
            "introspect" => options.thoughts.introspect = rule,
            "reason" => options.thoughts.reason = rule,
            _ => choice(
                "thoughts",
                &kind,
                &[("reflect", ()), ("introspect", ()), ("reason", ())],
            )?,
        }
    }
    Ok(())
}

/// `tool_choice`: a word, a tool's name, or an object of one of the providers, as [`ChatOptions::choose`] reads it.
fn tool_choice(given: &Bound<'_, PyAny>, options: &mut ChatOptions) -> PyResult<()> {
    let text = match given.cast::<PyString>() {
        Ok(word) => word.to_str()?.to_owned(),
        Err(_) => json::text(given)?,
    };
    options.choose(&text).map_err(|error| {
        let message = format!(
            "`tool_choice`, {}: expected {}",
            error.pointer, error.expected
        );
        Failure::invalid(message).hint(
            "\"auto\", \"required\", \"none\", or {\"type\": \"function\", \"function\": {\"name\": …}}",
        )
        .into()
    })
}
