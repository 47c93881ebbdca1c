//! Which language a host asks for: `mw_constraint_options`, read, checked and compiled.

use super::failure::Failure;
use super::options::{Options, options};
use super::pointer::slice;
use super::text::MwText;
use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{
    self, Analysis, Arguments, ChatOptions, Format, ParallelCalls, ToolChoice, ToolSet,
};
use maskwright::front::json_schema::{self, JsonRules, SchemaConfig, Whitespace};
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
            let format = given.format.read("options.format")?;
            let grammar = given.grammar.read("options.grammar")?;
            let schema = given.schema.read("options.schema")?;
            let whitespace = choice(given.whitespace, "whitespace", &WHITESPACE)?;
            let language = match (format, grammar, schema) {
                (Some(name), None, None) => given.chat(Source::BuiltIn(name), whitespace)?,
                (None, Some(text), None) => given.chat(Source::Own(text), whitespace)?,
                (None, None, Some(text)) => given.schema(text, whitespace)?,
                _ => {
                    let message = "give exactly one of `options.format`, `options.grammar` and \
                                   `options.schema`";
                    return Err(Failure::invalid(message));
                }
            };
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
        }
        match failures.into_iter().reduce(Failure::and) {
            Some(failure) => Err(failure),
            None => Ok(()),
        }
    }
}

impl MwConstraintOptions {
    /// # Safety
    /// As [`Request::read`].
    unsafe fn chat<'a>(
        &self,
        format: Source<'a>,
        whitespace: Whitespace,
    ) -> Result<Language<'a>, Failure> {
        let mut options = ChatOptions::default();
        options.whitespace = whitespace;
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

    fn schema<'a>(&self, text: &'a str, whitespace: Whitespace) -> Result<Language<'a>, Failure> {
        let texts = [self.start, self.tools, self.tool_name, self.response_schema];
        let numbers = [self.tool_choice, self.parallel_calls, self.analysis];
        let chat = texts.iter().any(|text| !text.is_absent())
            || numbers.iter().any(|&number| number != 0)
            || self.used_call_id_count != 0;
        if chat {
            let message = "`options` asks for a schema, and sets what is for formats only";
            return Err(Failure::invalid(message));
        }
        let config = SchemaConfig {
            whitespace,
            ..SchemaConfig::default()
        };
        Ok(Language::Schema { text, config })
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

    /// The status of compiling a schema, on a stack as small as hosts have.
    fn status(schema: String) -> i32 {
        let compile = move || {
            // SAFETY: numbers and pointers, which may be zero.
            let mut options: MwConstraintOptions = unsafe { std::mem::zeroed() };
            options.size = size_of::<MwConstraintOptions>();
            options.schema = MwText::lent(Some(&schema));
            // SAFETY: the options and the text that they lend live until the end.
            unsafe {
                guard(std::ptr::null_mut(), || {
                    let request = Request::read(&options)?;
                    request.check_schemas()?;
                    request.compile(None).map(drop)
                })
            }
        };
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
