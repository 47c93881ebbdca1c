//! What to generate or to read: the options that say which language, and what they compile to.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use maskwright::base::Limits;
use maskwright::front::abnf::Numbers;
use maskwright::front::chat::{self, ChatError, Format, Prompt};
use maskwright::front::json_schema::{self, CompiledSchema, JsonRules, SchemaConfig, SchemaError};
use maskwright::front::regex;
use maskwright::grammar::{Control, Grammar, GrammarBuilder, TokenName};
use maskwright::session::{Constraint, ConstraintConfig, Explainer, Recogniser, Session};

use super::auto;
use super::chat_text::ChatText;
use super::conflict::conflict;
use super::failure::Failure;
use super::input::Named;
use super::language::{LanguageOptions, OF_CHATS, Written, failures, warn_of};
use super::pointer;
use super::request::{Request, RequestOptions, lacks_failure};
use super::spelling::Spelling;
use super::vocabulary::{self, Tokens};

/// Stands for the format that the vocabulary is of.
const AUTO: &str = "auto";

/// The rule that generation starts from.
pub(crate) const ASSISTANT_TURN: &str = "assistant-turn";

/// The options that say which language.
#[derive(Args)]
pub(crate) struct SourceOptions {
    /// The chat format: harmony, chatml, qwen3-coder or another that comes along, or auto, by the vocabulary's
    /// control tokens and the chat template beside it [default: harmony]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["grammar", "schema"])]
    format: Option<String>,
    /// A grammar of your own
    #[arg(long, value_name = "FILE.abnf", conflicts_with = "schema")]
    grammar: Option<PathBuf>,
    /// Numbers in that grammar are bytes, as in grammars over octets
    #[arg(long, requires = "grammar")]
    bytes: bool,
    /// A JSON Schema: the language is its values
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_CHATS, conflicts_with = "start")]
    schema: Option<PathBuf>,
    #[command(flatten)]
    language: LanguageOptions,
    /// The rule to start from [default: assistant-turn; of EBNF root, of Lark start]
    #[arg(long, value_name = "RULE")]
    start: Option<String>,
    /// The conversation so far, ending where the assistant is to speak
    #[arg(long, value_name = "FILE")]
    prompt: Option<PathBuf>,
    #[command(flatten)]
    request: RequestOptions,
    #[command(flatten)]
    spelling: Spelling,
    /// The vocabulary: o200k_harmony, or the path of a tiktoken rank file, a tokenizer.json, a tekken.json,
    /// a GGUF file or a SentencePiece model
    #[arg(long, default_value = vocabulary::DEFAULT, value_name = "NAME|PATH")]
    vocab: String,
}

/// Which tools there are when `--tools` is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DefaultTools {
    /// The example file's, for a format that comes along.
    Example,
    None,
}

/// A language.
#[derive(Clone)]
pub(crate) enum Language {
    /// A format that comes along.
    BuiltIn(Arc<Format>),
    /// A grammar of the user's.
    Own(Arc<Format>, Named),
    /// The values of a JSON Schema.
    Schema(Named),
    /// What another text says.
    Written(Written),
}

/// A language and what a request asks of it.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) language: Language,
    pub(crate) start: String,
    pub(crate) request: Request,
    pub(crate) spelling: Spelling,
    /// What the prompt says, if there is one.
    pub(crate) prompt: Option<Prompt>,
}

impl SourceOptions {
    /// Reads the files that the options name, the vocabulary last: it takes the longest.
    pub(crate) fn read(&self, default: DefaultTools) -> Result<(Source, Tokens), Failure> {
        let grammar = self.grammar.as_deref().map(Named::read).transpose()?;
        let schema = self.schema.as_deref().map(Named::read).transpose()?;
        let written = self.language.read()?;
        if let Some(written) = &written {
            written.warn_of_idle(&self.spelling);
        }
        let mut request = self.request.read()?;
        let name = self.format.as_deref().unwrap_or("harmony");
        let mut early = None;
        let built_in = match (&grammar, &schema, &written) {
            (None, None, None) if name == AUTO => {
                let tokens = early.insert(Tokens::load(&self.vocab)?);
                let (format, flags) = auto::format_of(tokens.vocabulary(), &self.vocab)?;
                if request.told.flags.is_empty() {
                    request.told.flags = flags;
                }
                Some(Arc::new(format))
            }
            (None, None, None) => Some(Arc::new(built_in(name)?)),
            _ => None,
        };
        if default == DefaultTools::Example && built_in.is_some() {
            request.use_example_tools()?;
        }
        let numbers = numbers(self.bytes);
        if let Some(grammar) = &grammar {
            let format = parse(grammar, numbers, &[])?;
            for warning in format.warnings() {
                warn_of(&warning, grammar);
            }
        }
        let tokens = match early {
            Some(tokens) => tokens,
            None => Tokens::load(&self.vocab)?,
        };
        let language = match (built_in, grammar, written) {
            (Some(format), ..) => Language::BuiltIn(format),
            (None, Some(grammar), _) => {
                let specials: Vec<_> = tokens
                    .vocabulary()
                    .specials()
                    .map(|(name, _)| name)
                    .collect();
                Language::Own(Arc::new(parse(&grammar, numbers, &specials)?), grammar)
            }
            (None, None, Some(written)) => Language::Written(written),
            (None, None, None) => Language::Schema(schema.expect("one of the four is there")),
        };
        let prompts = match (&self.prompt, &language) {
            (Some(file), Language::BuiltIn(format) | Language::Own(format, _)) => {
                let start = self.start.as_deref().unwrap_or(ASSISTANT_TURN);
                read_prompt((format, start), &Named::read(file)?)?
            }
            _ => Vec::new(),
        };
        if let Some(prompt) = prompts.first() {
            request.told.follow(prompt);
        }
        let start = self.start.clone();
        let mut source = Source {
            prompt: None,
            start: start.unwrap_or_else(|| default_start(&language).to_owned()),
            language,
            request,
            spelling: self.spelling.clone(),
        };
        source.prompt = source.fitting(prompts, &tokens);
        Ok((source, tokens))
    }
}

/// The rule that a language starts from where nothing else is said.
fn default_start(language: &Language) -> &'static str {
    match language {
        Language::Written(written) => written.default_start(),
        _ => ASSISTANT_TURN,
    }
}

/// A format that comes along under a request, from just after the opening of a turn.
pub(crate) fn built_in_source(format: &str, request: Request) -> Result<Source, Failure> {
    Ok(Source {
        language: Language::BuiltIn(Arc::new(built_in(format)?)),
        start: ASSISTANT_TURN.to_owned(),
        request,
        spelling: Spelling::default(),
        prompt: None,
    })
}

/// A format that comes along.
pub(crate) fn built_in(name: &str) -> Result<Format, Failure> {
    match Format::built_in(name, &Limits::default()) {
        Ok(Some(format)) => Ok(format),
        Ok(None) => Err(
            Failure::new(format!("there is no format `{name}`")).hint(format!(
                "formats: {}; --grammar FILE.abnf takes one of your own",
                Format::BUILT_IN.join(", ")
            )),
        ),
        Err(error) => Err(Failure::new(error.to_string())),
    }
}

/// What a file can mean: a line break at its end belongs to the prompt, or is only how files end.
fn read_prompt((format, start): (&Format, &str), file: &Named) -> Result<Vec<Prompt>, Failure> {
    let text = match maskwright_transcript::Format::from_name(format.name()) {
        Some(_) => ChatText::of(file)?,
        None => ChatText::of_any(file),
    };
    if let Some(parts) = text.parts() {
        // What texts of the list spell is text.
        let controls: Vec<&str> = format.controls().iter().map(String::as_str).collect();
        let limits = Limits::default();
        let prompt = Prompt::of_parts_before(format, start, parts, &controls, &limits);
        let prompt = prompt.map_err(|error| Failure::new(format!("{}: {error}", file.name)))?;
        return Ok(vec![prompt]);
    }
    let read = |text| Prompt::of_text_before(format, start, text, &Limits::default());
    let whole = read(&file.text);
    let Some(text) = file.text.strip_suffix('\n') else {
        let prompt = whole.map_err(|error| Failure::new(format!("{}: {error}", file.name)))?;
        return Ok(vec![prompt]);
    };
    let without = read(text).map_err(|error| Failure::new(format!("{}: {error}", file.name)));
    match whole {
        Ok(whole) => Ok([whole].into_iter().chain(without.ok()).collect()),
        Err(_) => Ok(vec![without?]),
    }
}

/// What numbers of a grammar stand for, by the option `--bytes`.
pub(crate) fn numbers(bytes: bool) -> Numbers {
    match bytes {
        true => Numbers::Bytes,
        false => Numbers::CodePoints,
    }
}

fn parse(grammar: &Named, numbers: Numbers, specials: &[&str]) -> Result<Format, Failure> {
    let limits = Limits::default();
    let format = Format::parse_with(&grammar.name, &grammar.text, numbers, specials, &limits);
    format.map_err(|error| match error {
        ChatError::Abnf { errors, .. } => failures(&errors, grammar),
        other => Failure::new(other.to_string()),
    })
}

/// The format that a file describes.
pub(crate) fn parse_format(grammar: &Named) -> Result<Format, Failure> {
    parse(grammar, Numbers::default(), &[])
}

/// What is wrong with the schema, which stands in `document` at `base`, a JSON pointer.
pub(crate) fn schema_failure(error: &SchemaError, document: &Named, base: &str) -> Failure {
    let pointer = error
        .pointer()
        .map(|pointer| format!("{base}{}", pointer.trim_start_matches('#')));
    match (error, pointer) {
        (SchemaError::Unsatisfiable { .. }, Some(pointer)) => {
            let failure = document.failure_at(error.to_string(), &pointer);
            match conflict_at(&document.text, &pointer) {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        }
        (SchemaError::Json { span, .. }, _) if base == "#" => {
            document.failure(error.to_string(), span.start..span.end)
        }
        (_, Some(pointer)) => document.failure_at(error.to_string(), &pointer),
        (_, None) => document.failure_at(error.to_string(), base),
    }
}

/// What is at odds in the schema that stands at `pointer`, and that no value satisfies.
pub(crate) fn conflict_at(document: &str, pointer: &str) -> Option<String> {
    let schema = pointer::find(document, pointer)?;
    conflict(&document[schema], &SchemaConfig::default())
}

impl Source {
    /// The name of the format; none where the language is a schema's.
    pub(crate) fn format_name(&self) -> &str {
        match &self.language {
            Language::BuiltIn(format) | Language::Own(format, _) => format.name(),
            Language::Schema(_) | Language::Written(_) => "",
        }
    }

    /// The control tokens that the language names.
    pub(crate) fn controls(&self) -> &[String] {
        match &self.language {
            Language::BuiltIn(format) | Language::Own(format, _) => format.controls(),
            Language::Schema(_) | Language::Written(_) => &[],
        }
    }

    /// The control tokens that the language names, and those that `constraint` takes without a name.
    pub(crate) fn named_controls(&self, constraint: &Constraint) -> Vec<String> {
        let vocabulary = constraint.vocabulary();
        let mut named = self.controls().to_vec();
        for control in constraint.controls() {
            match control {
                Control::Named(name) => named.push(name.clone()),
                Control::OneOf(tokens) => {
                    named.extend(tokens.iter().filter_map(|token| match token {
                        TokenName::Text(name) => Some(name.clone()),
                        TokenName::Id(id) => vocabulary.special_name(*id).map(str::to_owned),
                    }))
                }
                Control::Except(_) => {
                    let ends = constraint.stop_tokens();
                    let others = vocabulary.specials().filter(|(_, id)| !ends.contains(id));
                    named.extend(others.map(|(name, _)| name.to_owned()));
                }
            }
        }
        named
    }

    /// Holds the source against another language, from the rule it starts from by itself.
    pub(crate) fn speak(&mut self, language: Language) {
        self.start = default_start(&language).to_owned();
        self.language = language;
    }

    /// A JSON text that has the schemas of the language in it.
    pub(crate) fn schemas(&self) -> String {
        let schema = match &self.language {
            Language::Schema(schema) => Some(schema),
            _ => None,
        };
        let parts = [
            schema,
            self.request.tools.as_ref(),
            self.request.response.as_ref(),
        ];
        let texts: Vec<_> = parts
            .into_iter()
            .flatten()
            .map(|part| part.text.as_str())
            .collect();
        format!("[{}]", texts.join(","))
    }

    /// Compiles the language over the vocabulary.
    pub(crate) fn compile(&self, tokens: &Tokens) -> Result<Constraint, Failure> {
        let grammar = match &self.language {
            Language::BuiltIn(format) => self.chat(format, None)?,
            Language::Own(format, text) => self.chat(format, Some(text))?,
            Language::Schema(schema) => compile_schema(schema, &self.spelling.config())?,
            Language::Written(written) => {
                let schemas = self.spelling.config();
                let dialect = self.spelling.dialect().unwrap_or(regex::DIALECT);
                written.compile(
                    &self.start,
                    (&schemas, dialect),
                    tokens.engine().vocabulary(),
                )?
            }
        };
        tokens
            .engine()
            .constraint(grammar, &ConstraintConfig::default())
            .map_err(|error| Failure::new(error.to_string()))
    }

    /// Of what a prompt can mean, the first behind which a turn goes on, or else the last.
    fn fitting(&self, mut prompts: Vec<Prompt>, tokens: &Tokens) -> Option<Prompt> {
        let last = prompts.pop()?;
        if prompts.is_empty() {
            return Some(last);
        }
        // What is wrong with the language is said when it is compiled for good.
        let constraint = self.compile(tokens);
        let goes_on = |prompt: &Prompt| {
            let constraint = constraint.as_ref();
            constraint.is_ok_and(|constraint| constraint.session_after(prompt.lead()).is_ok())
        };
        Some(prompts.into_iter().find(goes_on).unwrap_or(last))
    }

    /// A reader where the prompt ends, or at the beginning.
    pub(crate) fn recogniser(&self, constraint: &Constraint) -> Result<Recogniser, Failure> {
        match &self.prompt {
            None => Ok(constraint.recogniser()),
            Some(prompt) => constraint
                .recogniser_after(prompt.lead())
                .map_err(|error| Failure::new(format!("the prompt: {error}"))),
        }
    }

    /// A session where the prompt ends, or at the beginning.
    pub(crate) fn session(&self, constraint: &Constraint) -> Result<Session, Failure> {
        match &self.prompt {
            None => Ok(constraint.session()),
            Some(prompt) => constraint
                .session_after(prompt.lead())
                .map_err(|error| Failure::new(format!("the prompt: {error}"))),
        }
    }

    /// An explainer where the prompt ends, or at the beginning.
    pub(crate) fn explainer(&self, constraint: &Constraint) -> Result<Explainer, Failure> {
        let explainer = match &self.prompt {
            None => constraint.explainer(),
            Some(prompt) => constraint.explainer_after(prompt.lead()),
        };
        explainer.map_err(|error| Failure::new(error.to_string()))
    }

    /// What the language is called.
    pub(crate) fn title(&self) -> &str {
        match &self.language {
            Language::Schema(schema) => &schema.name,
            _ => self.format_name(),
        }
    }

    fn chat(&self, format: &Format, text: Option<&Named>) -> Result<Grammar, Failure> {
        if !format
            .rules()
            .any(|rule| rule.eq_ignore_ascii_case(&self.start))
        {
            let rules: Vec<_> = format.rules().collect();
            let missing = format!(
                "format `{}` has no rule `{}` to start from",
                format.name(),
                self.start
            );
            return Err(
                Failure::new(missing).hint(format!("--start takes one of {}", rules.join(", ")))
            );
        }
        let options = self.request.chat_options(&self.spelling)?;
        self.request.told.check_sequence(format)?;
        chat::compile(format, &self.start, &options).map_err(|error| self.chat_failure(error, text))
    }

    fn chat_failure(&self, error: ChatError, grammar: Option<&Named>) -> Failure {
        match (&error, grammar) {
            (ChatError::Abnf { errors, .. }, Some(grammar)) => failures(errors, grammar),
            (
                ChatError::Prose {
                    prose,
                    place,
                    reason,
                    ..
                },
                Some(grammar),
            ) => {
                let at = grammar.offset(*place);
                grammar.failure(format!("`<{prose}>`: {reason}"), at..at + prose.len() + 2)
            }
            (
                ChatError::Tool {
                    name,
                    pointer,
                    source,
                },
                _,
            ) => match &self.request.tools {
                Some(tools) => {
                    schema_failure(source, tools, pointer).hint(format!("the tool is `{name}`"))
                }
                None => Failure::new(error.to_string()),
            },
            (ChatError::Response { source }, _) => match &self.request.response {
                Some(response) => schema_failure(source, response, "#"),
                None => Failure::new(error.to_string()),
            },
            _ => lacks_failure(&error),
        }
    }
}

/// The grammar of the values of a schema.
pub(crate) fn compile_schema(schema: &Named, config: &SchemaConfig) -> Result<Grammar, Failure> {
    let compiled = json_schema::compile(&schema.text, config)
        .map_err(|error| schema_failure(&error, schema, "#"))?;
    lower_schema(&compiled, schema, config)
}

/// The grammar of a schema that is compiled.
pub(crate) fn lower_schema(
    compiled: &CompiledSchema,
    schema: &Named,
    config: &SchemaConfig,
) -> Result<Grammar, Failure> {
    let mut builder = GrammarBuilder::new(config.limits.clone());
    let mut rules = JsonRules::new(config).map_err(|error| schema_failure(&error, schema, "#"))?;
    let root = compiled.lower_into(&mut rules, &mut builder);
    builder
        .finish(root)
        .map_err(|error| Failure::new(format!("{}: {error}", schema.name)))
}
