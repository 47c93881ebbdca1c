//! `ParserConfig`: the dataclass, read, with its judges, which are functions of Python.

use maskwright_transcript::{
    Analysis, ArgumentValidator, CallLimit, ChannelRule, FunctionChannels, ParserConfig, Profile,
    ResponseValidator, SpeltControls, StartPoint, Strictness, Thought, ToolChoice, ToolSet,
    TypeRule,
};
use pyo3::prelude::*;

use super::format;
use crate::keywords::choice;

/// A function of Python that raises where something does not suit.
pub(super) struct Judge(Py<PyAny>);

impl Judge {
    pub(super) fn new(function: Py<PyAny>) -> Self {
        Self(function)
    }

    fn ask(&self, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<()>) -> Result<(), String> {
        Python::attach(|py| ask(self.0.bind(py)).map_err(|error| error.value(py).to_string()))
    }
}

impl ArgumentValidator for Judge {
    fn validate(&self, recipient: &str, arguments: &str) -> Result<(), String> {
        self.ask(|function| function.call1((recipient, arguments)).map(drop))
    }
}

impl ResponseValidator for Judge {
    fn validate(&self, response: &str) -> Result<(), String> {
        self.ask(|function| function.call1((response,)).map(drop))
    }
}

/// What the dataclass says, without its judges, and these.
pub(super) struct Judged {
    config: ParserConfig<'static>,
    arguments: Option<Judge>,
    response: Option<Judge>,
}

impl Judged {
    pub(super) fn read(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let word = |name: &str| -> PyResult<String> { given.getattr(name)?.extract() };
        let judge = |name: &str| -> PyResult<Option<Judge>> {
            let function: Option<Py<PyAny>> = given.getattr(name)?.extract()?;
            Ok(function.map(Judge))
        };
        let starts = [
            ("transcript", StartPoint::Transcript),
            ("assistant_header", StartPoint::AssistantHeader),
            ("fim_middle", StartPoint::FimMiddle),
        ];
        let strictness = [
            ("history", Strictness::History),
            ("generation", Strictness::Generation),
        ];
        let spelt = [
            ("refused", SpeltControls::Refused),
            ("text", SpeltControls::Text),
        ];
        let profiles = [("plain", Profile::Plain), ("hip-1", Profile::Hip1)];
        let channels = [
            ("optional", ChannelRule::Optional),
            ("required", ChannelRule::Required),
        ];
        let calls = [("one", CallLimit::One), ("many", CallLimit::Many)];
        let analysis = [
            ("allowed", Analysis::Allowed),
            ("forbidden", Analysis::Forbidden),
        ];
        let types = [
            ("as_deployed", TypeRule::AsDeployed),
            ("constrained", TypeRule::Constrained),
        ];
        let function_channels = [
            ("commentary", FunctionChannels::Commentary),
            (
                "commentary_or_analysis",
                FunctionChannels::CommentaryOrAnalysis,
            ),
        ];
        let tools: Option<Vec<String>> = given.getattr("tools")?.extract()?;
        let thoughts: Vec<String> = given.getattr("thoughts")?.extract()?;
        let known = Thought::ALL.map(|kind| (kind.as_str(), kind));
        let thoughts = thoughts.iter().map(|name| choice("thoughts", name, &known));
        let config = ParserConfig {
            format: format(&word("format")?)?,
            start: choice("start", &word("start")?, &starts)?,
            strictness: choice("strictness", &word("strictness")?, &strictness)?,
            spelt: choice("spelt", &word("spelt")?, &spelt)?,
            profile: choice("profile", &word("profile")?, &profiles)?,
            channels: choice("channels", &word("channels")?, &channels)?,
            open_call_ids: given.getattr("open_call_ids")?.extract()?,
            closed_call_ids: given.getattr("closed_call_ids")?.extract()?,
            tools: tools.map(ToolSet::from_iter),
            thoughts: thoughts.collect::<Result<_, _>>()?,
            sequence_start: word("sequence_start")?,
            sequence_end: word("sequence_end")?,
            tool_choice: match word("tool_choice")?.as_str() {
                "auto" => ToolChoice::Auto,
                "required" => ToolChoice::Required,
                "none" => ToolChoice::None,
                name => ToolChoice::Named(name.to_owned()),
            },
            calls: choice("calls", &word("calls")?, &calls)?,
            analysis: choice("analysis", &word("analysis")?, &analysis)?,
            types: choice("types", &word("types")?, &types)?,
            function_channels: choice(
                "function_channels",
                &word("function_channels")?,
                &function_channels,
            )?,
            ..ParserConfig::default()
        };
        Ok(Self {
            config,
            arguments: judge("arguments")?,
            response: judge("response")?,
        })
    }

    /// The configuration with its judges.
    pub(super) fn config(&self) -> ParserConfig<'_> {
        ParserConfig {
            arguments: self
                .arguments
                .as_ref()
                .map(|judge| judge as &dyn ArgumentValidator),
            response: self
                .response
                .as_ref()
                .map(|judge| judge as &dyn ResponseValidator),
            ..self.config.clone()
        }
    }

    pub(super) fn with<T>(&self, use_it: impl FnOnce(&ParserConfig<'_>) -> T) -> T {
        use_it(&self.config())
    }
}
