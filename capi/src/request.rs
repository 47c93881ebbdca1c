//! Which language a host asks for: `mw_constraint_options`, read, checked and compiled.

use super::failure::Failure;
use super::options::{Options, options};
use super::pointer::slice;
use super::text::MwText;
use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{
    self, Analysis, Arguments, ChatOptions, Format, ParallelCalls, ToolChoice, ToolSet,
};
use maskwright::front::choice::Choices;
use maskwright::front::ebnf::{Ebnf, ROOT};
use maskwright::front::json_schema::{
    self, Escapes, Formats, JsonRules, PropertyOrder, SchemaConfig, Whitespace,
};
use maskwright::front::regex;
use maskwright::front::structural_tag::{self, StructuralTagConfig};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::ConstraintConfig;
use maskwright::vocab::Vocabulary;

/// `mw_constraint_options`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct MwConstraintOptions {
    size: usize,
    format: MwText,
    grammar: MwText,
    schema: MwText,
    stop_tokens: *const u32,
    stop_token_count: usize,
    whitespace: i32,
    tool_choice: i32,
    parallel_calls: i32,
    analysis: i32,
    start: MwText,
    tools: MwText,
    tool_name: MwText,
    response_schema: MwText,
    used_call_ids: *const MwText,
    used_call_id_count: usize,
    regex: MwText,
    choice: MwText,
    ebnf: MwText,
    structural_tag: MwText,
    escapes: i32,
    property_order: i32,
    schema_formats: i32,
}

// SAFETY: it begins with its size, and numbers and pointers may be zero.
unsafe impl Options for MwConstraintOptions {}

/// The options, read.
pub(super) struct Request<'a> {
    language: Language<'a>,
    config: ConstraintConfig,
}

enum Language<'a> {
    Chat {
        format: Source<'a>,
        start: &'a str,
        options: Box<ChatOptions>,
    },
    Schema {
        text: &'a str,
        config: SchemaConfig,
    },
    Regex(&'a str),
    Choice(&'a str),
    Ebnf {
        text: &'a str,
        start: &'a str,
    },
    StructuralTag {
        text: &'a str,
        config: StructuralTagConfig,
    },
}

/// How JSON is to be spelt.
struct Spelling {
    whitespace: Whitespace,
    escapes: Escapes,
    order: PropertyOrder,
}

/// Where a chat format comes from.
#[derive(Clone, Copy)]
enum Source<'a> {
    BuiltIn(&'a str),
    Own(&'a str),
}

impl<'a> Request<'a> {
    /// Reads the options.
    ///
    /// # Safety
    /// The host's: the options, and what they point to, can be read during `'a`.
    pub(super) unsafe fn read(pointer: *const MwConstraintOptions) -> Result<Self, Failure> {
        // SAFETY: as above.
        unsafe {
            let given = options(pointer, "options")?;
            let language = given.language()?;
            let count = given.stop_token_count;
            let stop_tokens = slice(given.stop_tokens, count, "options.stop_tokens")?;
            let mut config = ConstraintConfig::default();
            if !stop_tokens.is_empty() {
                let ids = stop_tokens.iter().map(|&id| TokenId::new(id));
                config = config.stop_tokens(ids.collect());
            }
            Ok(Self { language, config })
        }
    }

    /// How a constraint is made of the grammar.
    pub(super) fn config(&self) -> &ConstraintConfig {
        &self.config
    }

    /// Compiles the language; its control tokens are looked for in `vocabulary`.
    pub(super) fn compile(&self, vocabulary: Option<&Vocabulary>) -> Result<Grammar, Failure> {
        match &self.language {
            Language::Schema { text, config } => compile_schema(text, config),
            Language::Regex(text) => Ok(regex::compile(text, regex::DIALECT, &Limits::default())?),
            Language::Choice(text) => {
                let limits = Limits::default();
                Ok(Choices::parse(text, &limits)?.compile(&limits)?)
            }
            Language::Ebnf { text, start } => {
                let limits = Limits::default();
                Ok(Ebnf::parse(text, &limits)?.lower(start, &limits)?)
            }
            Language::StructuralTag { text, config } => {
                let mut config = config.clone();
                let specials = vocabulary.into_iter().flat_map(Vocabulary::specials);
                config.specials = specials.map(|(name, _)| name.to_owned()).collect();
                Ok(structural_tag::compile(text, &config)?)
            }
            Language::Chat {
                format,
                start,
                options,
            } => {
                let format = format.read(vocabulary)?;
                if !format.rules().any(|rule| rule.eq_ignore_ascii_case(start)) {
                    let rules: Vec<_> = format.rules().collect();
                    return Err(Failure::invalid(format!(
                        "`options.start`: there is no rule `{start}`; there are {}",
                        rules.join(", ")
                    )));
                }
                Ok(chat::compile(&format, start, options)?)
            }
        }
    }

    /// All that is wrong with the schemas, as far as [`json_schema::faults`] finds it.
    pub(super) fn check_schemas(&self) -> Result<(), Failure> {
        let mut failures = Vec::new();
        match &self.language {
            Language::Schema { text, config } => {
                let faults = json_schema::faults(text, config);
                failures.extend(faults.iter().map(|e| Failure::schema(e, "schema", "#")));
            }
            Language::Chat { options, .. } => {
                let config = SchemaConfig {
                    limits: options.limits.clone(),
                    ..SchemaConfig::default()
                };
                for tool in options.tools.iter() {
                    if let Arguments::Schema(text) = tool.arguments() {
                        let of_tool = |e| Failure::tool(e, tool.name(), tool.pointer());
                        failures.extend(json_schema::faults(text, &config).iter().map(of_tool));
                    }
                }
                if let Some(text) = &options.response_schema {
                    let of_response = |e| Failure::schema(e, "response_schema", "#");
                    failures.extend(json_schema::faults(text, &config).iter().map(of_response));
                }
            }
            // Compiling them says all that is known.
            Language::Regex(_)
            | Language::Choice(_)
            | Language::Ebnf { .. }
            | Language::StructuralTag { .. } => {}
        }
        match failures.into_iter().reduce(Failure::and) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}

impl MwConstraintOptions {
    /// Which language is asked for.
    ///
    /// # Safety
    /// As [`Request::read`].
    unsafe fn language<'a>(&self) -> Result<Language<'a>, Failure> {
        let texts = [
            ("options.format", self.format),
            ("options.grammar", self.grammar),
            ("options.schema", self.schema),
            ("options.regex", self.regex),
            ("options.choice", self.choice),
            ("options.ebnf", self.ebnf),
            ("options.structural_tag", self.structural_tag),
        ];
        let mut given = Vec::new();
        for (name, text) in texts {
            // SAFETY: as above.
            if let Some(text) = unsafe { text.read(name)? } {
                given.push((name, text));
            }
        }
        let [(name, text)] = given[..] else {
            let names = texts.map(|(name, _)| format!("`{name}`")).join(", ");
            return Err(Failure::invalid(format!("give exactly one of {names}")));
        };
        let spelling = Spelling {
            whitespace: choice(self.whitespace, "whitespace", &WHITESPACE)?,
            escapes: choice(self.escapes, "escapes", &ESCAPES)?,
            order: choice(self.property_order, "property_order", &ORDERS)?,
        };
        let formats = choice(self.schema_formats, "schema_formats", &FORMATS)?;
        if name != "options.schema" && formats != Formats::Assert {
            let message = "`options.schema_formats` is for `options.schema` only";
            return Err(Failure::invalid(message));
        }
        // SAFETY: as above.
        unsafe {
            match name {
                "options.format" => return self.chat(Source::BuiltIn(text), spelling),
                "options.grammar" => return self.chat(Source::Own(text), spelling),
                _ => self.is_no_chat(name)?,
            }
            Ok(match name {
                "options.schema" => Language::Schema {
                    text,
                    config: SchemaConfig {
                        whitespace: spelling.whitespace,
                        escapes: spelling.escapes,
                        order: spelling.order,
                        formats,
                        ..SchemaConfig::default()
                    },
                },
                "options.regex" => Language::Regex(text),
                "options.choice" => Language::Choice(text),
                "options.ebnf" => Language::Ebnf {
                    text,
                    start: self.start.read("options.start")?.unwrap_or(ROOT),
                },
                _ => {
                    let mut config = StructuralTagConfig::default();
                    config.schemas.whitespace = spelling.whitespace;
                    config.schemas.escapes = spelling.escapes;
                    config.schemas.order = spelling.order;
                    Language::StructuralTag { text, config }
                }
            })
        }
    }

    /// # Safety
    /// As [`Request::read`].
    unsafe fn chat<'a>(
        &self,
        format: Source<'a>,
        spelling: Spelling,
    ) -> Result<Language<'a>, Failure> {
        let mut options = ChatOptions::default();
        options.whitespace = spelling.whitespace;
        (options.escapes, options.order) = (spelling.escapes, spelling.order);
        options.parallel_calls = choice(self.parallel_calls, "parallel_calls", &PARALLEL)?;
        options.analysis = choice(self.analysis, "analysis", &ANALYSIS)?;
        // SAFETY: as above.
        options.tool_choice = unsafe { self.tool_choice()? };
        // SAFETY: as above.
        unsafe {
            if let Some(tools) = self.tools.read("options.tools")? {
                options.tools = ToolSet::parse(tools, &options.limits)?;
            }
            let schema = self.response_schema.read("options.response_schema")?;
            options.response_schema = schema.map(str::to_owned);
            let (ids, count) = (self.used_call_ids, self.used_call_id_count);
            for id in slice(ids, count, "options.used_call_ids")? {
                let id = id.read("options.used_call_ids")?.unwrap_or_default();
                options.used_call_ids.push(id.to_owned());
            }
            Ok(Language::Chat {
                format,
                start: self.start.read("options.start")?.unwrap_or(ASSISTANT_TURN),
                options: Box::new(options),
            })
        }
    }

    /// # Safety
    /// As [`Request::read`].
    unsafe fn tool_choice(&self) -> Result<ToolChoice, Failure> {
        // SAFETY: as above.
        let name = unsafe { self.tool_name.read("options.tool_name")? };
        // `enum mw_tool_choice`.
        match (self.tool_choice, name) {
            (0, None) => Ok(ToolChoice::Auto),
            (1, None) => Ok(ToolChoice::Required),
            (2, Some(name)) => Ok(ToolChoice::Named(name.to_owned())),
            (3, None) => Ok(ToolChoice::None),
            (0..=3, _) => Err(Failure::invalid(
                "`options.tool_name` belongs to MW_TOOLS_NAMED, and to no other choice",
            )),
            (unknown, _) => Err(unknown_value("tool_choice", unknown)),
        }
    }

    /// Refuses what is for formats only where another language is asked for.
    fn is_no_chat(&self, language: &str) -> Result<(), Failure> {
        let mut texts = vec![self.tools, self.tool_name, self.response_schema];
        if language != "options.ebnf" {
            texts.push(self.start);
        }
        let numbers = [self.tool_choice, self.parallel_calls, self.analysis];
        let chat = texts.iter().any(|text| !text.is_absent())
            || numbers.iter().any(|&number| number != 0)
            || self.used_call_id_count != 0;
        match chat {
            true => Err(Failure::invalid(format!(
                "`options` asks for `{language}`, and sets what is for formats only"
            ))),
            false => Ok(()),
        }
    }
}

impl Source<'_> {
    fn read(self, vocabulary: Option<&Vocabulary>) -> Result<Format, Failure> {
        let limits = Limits::default();
        match self {
            Self::BuiltIn(name) => Format::built_in(name, &limits)?.ok_or_else(|| {
                Failure::invalid(format!(
                    "`options.format`: there is no format `{name}`; there are {}",
                    Format::BUILT_IN.join(", ")
                ))
            }),
            Self::Own(text) => {
                let specials: Vec<_> = vocabulary
                    .map(|vocabulary| vocabulary.specials().map(|(name, _)| name).collect())
                    .unwrap_or_default();
                Ok(Format::parse("grammar", text, &specials, &limits)?)
            }
        }
    }
}

fn compile_schema(text: &str, config: &SchemaConfig) -> Result<Grammar, Failure> {
    let compiled = json_schema::compile(text, config);
    let compiled = compiled.map_err(|error| Failure::schema(&error, "schema", "#"))?;
    let rules = JsonRules::new(config);
    let mut rules = rules.map_err(|error| Failure::schema(&error, "schema", "#"))?;
    let mut builder = GrammarBuilder::new(config.limits.clone());
    let root = compiled.lower_into(&mut rules, &mut builder);
    Ok(builder.finish(root)?)
}

/// The rule that a turn of the model starts from.
const ASSISTANT_TURN: &str = "assistant-turn";

// By the numbers of the enums in the header.
const WHITESPACE: [Whitespace; 2] = [Whitespace::Json, Whitespace::Compact];
const ESCAPES: [Escapes; 3] = [Escapes::Free, Escapes::Minimal, Escapes::All];
const ORDERS: [PropertyOrder; 2] = [PropertyOrder::Declared, PropertyOrder::Any];
const FORMATS: [Formats; 2] = [Formats::Assert, Formats::Ignore];
const PARALLEL: [ParallelCalls; 2] = [ParallelCalls::Forbidden, ParallelCalls::Allowed];
const ANALYSIS: [Analysis; 2] = [Analysis::Allowed, Analysis::Forbidden];

/// The member of an enumeration that has this number.
fn choice<T: Clone>(number: i32, field: &str, known: &[T]) -> Result<T, Failure> {
    let index = usize::try_from(number).ok();
    let found = index.and_then(|index| known.get(index));
    found.cloned().ok_or_else(|| unknown_value(field, number))
}

fn unknown_value(field: &str, number: i32) -> Failure {
    Failure::invalid(format!("`options.{field}`: {number} is no value of it"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::guard;
    use crate::status::Status;

    /// The status of compiling what the options ask for.
    fn compiled(set: impl FnOnce(&mut MwConstraintOptions)) -> i32 {
        // SAFETY: numbers and pointers, which may be zero.
        let mut options: MwConstraintOptions = unsafe { std::mem::zeroed() };
        options.size = size_of::<MwConstraintOptions>();
        set(&mut options);
        // SAFETY: the options and the texts that they lend live until the end.
        unsafe {
            guard(std::ptr::null_mut(), || {
                let request = Request::read(&options)?;
                request.check_schemas()?;
                request.compile(None).map(drop)
            })
        }
    }

    #[test]
    fn every_language_has_its_way_in() {
        let text = |text: &'static str| MwText::lent(Some(text));
        let tag = r#"{"type": "structural_tag", "format": {"type": "any_text"}}"#;
        let ok = Status::Ok.code();
        assert_eq!(compiled(|o| o.regex = text("[0-9]+")), ok);
        assert_eq!(compiled(|o| o.choice = text(r#"["a", "b"]"#)), ok);
        assert_eq!(compiled(|o| o.ebnf = text("root ::= \"a\"")), ok);
        assert_eq!(compiled(|o| o.structural_tag = text(tag)), ok);
        let start = |o: &mut MwConstraintOptions| {
            o.ebnf = text("list ::= \"a\" list | \"b\"");
            o.start = text("list");
        };
        assert_eq!(compiled(start), ok);
        for (expected, status) in [
            (Status::Malformed, compiled(|o| o.regex = text("(a"))),
            (Status::Unsatisfiable, compiled(|o| o.regex = text("a$b"))),
            (Status::Malformed, compiled(|o| o.choice = text("[]"))),
            (
                Status::Malformed,
                compiled(|o| o.ebnf = text("root ::= other")),
            ),
            (
                Status::InvalidArgument,
                compiled(|o| o.ebnf = text("a ::= \"a\"")),
            ),
            (
                Status::Malformed,
                compiled(|o| o.structural_tag = text("{}")),
            ),
            (Status::InvalidArgument, compiled(|_| ())),
        ] {
            assert_eq!(status, expected.code());
        }
    }

    #[test]
    fn what_belongs_to_another_language_is_refused() {
        let text = |text: &'static str| MwText::lent(Some(text));
        let invalid = Status::InvalidArgument.code();
        let two = |o: &mut MwConstraintOptions| (o.regex, o.schema) = (text("a"), text("{}"));
        assert_eq!(compiled(two), invalid);
        let tools = |o: &mut MwConstraintOptions| (o.regex, o.tools) = (text("a"), text("[]"));
        assert_eq!(compiled(tools), invalid);
        let start = |o: &mut MwConstraintOptions| (o.regex, o.start) = (text("a"), text("a"));
        assert_eq!(compiled(start), invalid);
        let formats = |o: &mut MwConstraintOptions| {
            (o.format, o.schema_formats) = (text("harmony"), 1);
        };
        assert_eq!(compiled(formats), invalid);
        let escapes = |o: &mut MwConstraintOptions| (o.schema, o.escapes) = (text("{}"), 3);
        assert_eq!(compiled(escapes), invalid);
    }

    /// The status of compiling a schema, on a stack as small as hosts have.
    fn status(schema: String) -> i32 {
        let compile = move || compiled(|options| options.schema = MwText::lent(Some(&schema)));
        let thread = std::thread::Builder::new().stack_size(512 << 10);
        thread.spawn(compile).unwrap().join().unwrap()
    }

    #[test]
    fn what_is_deep_is_a_status() {
        let not = |depth: usize| format!("{}true{}", "{\"not\":".repeat(depth), "}".repeat(depth));
        assert_eq!(status(not(200)), Status::Ok.code());
        assert_eq!(status(not(100_000)), Status::Limit.code());
        let links = (0..5000).map(|i| {
            let next = format!("{{\"$ref\":\"#/$defs/{}\"}}", i + 1);
            format!("\"{i}\":{{\"if\":{{\"const\":1}},\"then\":{{\"const\":1}},\"else\":{next}}},")
        });
        let links: String = links.collect();
        let chain = format!("{{\"$ref\":\"#/$defs/0\",\"$defs\":{{{links}\"5000\":true}}}}");
        assert_eq!(status(chain), Status::Ok.code());
    }
}
