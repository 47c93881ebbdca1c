//! What a request asks of a chat format: tools, tool choice, response schema.

use std::path::PathBuf;

use clap::Args;
use maskwright::base::Limits;
use maskwright::front::chat::{
    Analysis, ChatError, ChatOptions, Format, ParallelCalls, ToolChoice, ToolSet, ToolsError,
};

use maskwright::front::json_schema::response_format;
use maskwright::regular::Dialect;

use super::failure::Failure;
use super::input::Named;
use super::json::Json;
use super::output::warn;
use super::spelling::Spelling;
use super::told::{self, Told, ToldOptions};
use super::validator::has_patterns;

const EXAMPLE_TOOLS: &str = include_str!("../examples/tools.json");

/// The options of a request.
#[derive(Args)]
pub(crate) struct RequestOptions {
    /// The tools, as OpenAI, MCP, Anthropic, Gemini, Bedrock, Cohere and others write them
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// auto, required, none, the name of the one tool to call, or a provider's JSON for it
    #[arg(long, value_name = "CHOICE", default_value = "auto")]
    tool_choice: String,
    /// Let a turn make several calls
    #[arg(long)]
    parallel: bool,
    /// Allow no analysis
    #[arg(long)]
    no_analysis: bool,
    /// A JSON Schema that the final message must satisfy, or a `response_format` that has it
    #[arg(long, value_name = "FILE")]
    response_schema: Option<PathBuf>,
    #[command(flatten)]
    told: ToldOptions,
}

/// A request, its files read.
#[derive(Clone, Default)]
pub(crate) struct Request {
    pub(crate) tools: Option<Named>,
    pub(crate) response: Option<Named>,
    pub(crate) tool_choice: ToolChoice,
    /// The tools that may be called, where the choice lists some.
    pub(crate) allowed: Option<Vec<String>>,
    pub(crate) parallel: ParallelCalls,
    pub(crate) analysis: Analysis,
    pub(crate) told: Told,
    /// Whose patterns `check` has in schemas. Elsewhere the spelling says it.
    pub(crate) dialect: Dialect,
}

impl RequestOptions {
    /// The response schema; none where the response format asks for text.
    fn response(&self) -> Result<Option<Named>, Failure> {
        let file = self
            .response_schema
            .as_deref()
            .map(Named::read)
            .transpose()?;
        let asks_for_text =
            |file: &Named| matches!(response_format(&file.text, &Limits::default()), Ok(None));
        Ok(file.filter(|file| !asks_for_text(file)))
    }

    /// The options given that say what a turn may and must do, and nothing of what was said before.
    pub(crate) fn of_turns(&self) -> Vec<&'static str> {
        let given = [
            ("--tool-choice", self.tool_choice != "auto"),
            ("--parallel", self.parallel),
            ("--no-analysis", self.no_analysis),
            ("--response-schema", self.response_schema.is_some()),
        ];
        let own = given.into_iter().filter(|(_, is_given)| *is_given);
        own.map(|(option, _)| option)
            .chain(self.told.of_turns())
            .collect()
    }

    pub(crate) fn read(&self) -> Result<Request, Failure> {
        let request = Request {
            tools: self.tools.as_deref().map(Named::read).transpose()?,
            response: self.response()?,
            tool_choice: ToolChoice::Auto,
            allowed: None,
            parallel: if self.parallel {
                ParallelCalls::Allowed
            } else {
                ParallelCalls::Forbidden
            },
            analysis: if self.no_analysis {
                Analysis::Forbidden
            } else {
                Analysis::Allowed
            },
            told: self.told.told(),
            dialect: Dialect::default(),
        };
        let tools = request.tools.as_ref().map(read_tools).transpose()?;
        request.chosen(&self.tool_choice, tools.unwrap_or_default())
    }
}

impl Request {
    /// Whether a schema of it has a pattern.
    pub(crate) fn has_patterns(&self) -> bool {
        let texts = [&self.tools, &self.response].into_iter().flatten();
        let said = texts.filter_map(|named| Json::parse(&named.text).ok());
        said.map(|said| said.value())
            .any(|said| has_patterns(&said))
    }

    /// The request with this tool choice.
    fn chosen(self, choice: &str, tools: ToolSet) -> Result<Self, Failure> {
        let chosen = tools.chosen(choice, &Limits::default());
        let chosen = chosen.map_err(|error| Failure::new(format!("--tool-choice: {error}")))?;
        let names = || chosen.tools.iter().map(|tool| tool.short_name().to_owned());
        Ok(Self {
            allowed: (chosen.tools.len() < tools.len()).then(|| names().collect()),
            tool_choice: chosen.choice,
            parallel: match chosen.parallel_calls {
                Some(ParallelCalls::Forbidden) => ParallelCalls::Forbidden,
                _ => self.parallel,
            },
            ..self
        })
    }

    /// Gives the request the tools of the example, if it has none.
    pub(crate) fn use_example_tools(&mut self) -> Result<(), Failure> {
        self.tools.get_or_insert_with(|| Named {
            name: "examples/tools.json".to_owned(),
            text: EXAMPLE_TOOLS.to_owned(),
        });
        self.check_tools()
    }

    /// Whether the tools file is well-formed.
    pub(crate) fn check_tools(&self) -> Result<(), Failure> {
        self.tool_set().map(drop)
    }

    /// The tools; none where no file is given.
    pub(crate) fn tool_set(&self) -> Result<ToolSet, Failure> {
        let Some(file) = &self.tools else {
            return Ok(ToolSet::default());
        };
        let tools = ToolSet::parse(&file.text, &Limits::default());
        let tools = tools.map_err(|error| tools_failure(&error, file))?;
        Ok(match &self.allowed {
            Some(names) => tools.only(names),
            None => tools,
        })
    }

    /// Whether the format has all that is asked for.
    pub(crate) fn check_format(&self, format: &Format) -> Result<(), Failure> {
        let options = self.chat_options(&Spelling::default())?;
        let checked = format.check_options(&options);
        checked.map_err(|error| lacks_failure(&error))?;
        self.told.check_sequence(format)
    }

    /// As the engine takes it.
    pub(crate) fn chat_options(&self, spelling: &Spelling) -> Result<ChatOptions, Failure> {
        let mut options = ChatOptions::default();
        options.tools = self.tool_set()?;
        options.tool_choice = self.tool_choice.clone();
        options.parallel_calls = self.parallel;
        options.analysis = self.analysis;
        options.response_schema = self.response.as_ref().map(|schema| schema.text.clone());
        let config = spelling.config();
        options.whitespace = spelling.whitespace().unwrap_or(options.whitespace);
        options.numbers = spelling.numbers().unwrap_or(options.numbers);
        options.escapes = config.escapes;
        options.order = config.order;
        options.regex = config.regex;
        options.content = config.content;
        options.draft = config.draft;
        options.documents = config.documents;
        options.limits = config.limits;
        self.told.fill(&mut options);
        Ok(options)
    }
}

/// What the format lacks, by the option that asks for it, and which options it takes.
pub(crate) fn lacks_failure(error: &ChatError) -> Failure {
    let ChatError::Lacks {
        format,
        feature,
        has,
    } = error
    else {
        return Failure::new(error.to_string());
    };
    let Some(option) = told::option(*feature) else {
        return Failure::new(error.to_string());
    };
    let taken: Vec<_> = has.iter().filter_map(|&has| told::option(has)).collect();
    let hint = match taken.is_empty() {
        true => format!("`{format}` has nothing of the like"),
        false => format!("of such options `{format}` takes {}", taken.join(", ")),
    };
    Failure::new(format!(
        "{option}: format `{format}` does not have {feature}"
    ))
    .hint(hint)
}

/// What is wrong with a tools file, in the file.
pub(crate) fn tools_failure(error: &ToolsError, file: &Named) -> Failure {
    match (error, error.pointer()) {
        (ToolsError::Json { place, .. }, _) => {
            let at = file.offset(*place);
            file.failure(error.to_string(), at..at + 1)
        }
        (_, Some(pointer)) => file.failure_at(error.to_string(), pointer),
        _ => Failure::new(format!("{}: {error}", file.name)),
    }
}

/// Reads a tools file, and warns of what is not read of it.
pub(crate) fn read_tools(file: &Named) -> Result<ToolSet, Failure> {
    let tools = ToolSet::parse(&file.text, &Limits::default())
        .map_err(|error| tools_failure(&error, file))?;
    for warning in tools.warnings() {
        let place = file.place_of(&warning.pointer);
        warn(format_args!("{place}{}", warning.message));
    }
    Ok(tools)
}
