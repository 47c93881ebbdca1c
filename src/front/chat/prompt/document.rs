//! The YAML header of an OpenChatML 2.2 document, as far as it changes what may be written (§2, §12).

use saphyr_parser::{Event, Parser};

use super::error::PromptError;
use super::source::Source;
use crate::base::{LimitError, Limits, Span};
use crate::front::chat::Format;
use crate::front::chat::profile::{
    BuiltIn, BuiltIns, Channel, Channels, Constrain, LiteralBlocks, Profile, Version,
};

/// The rule of formats whose documents have a header.
const RULE: &str = "yaml-header";
/// What ends it, at the beginning of a line.
const START: &str = "<|start|>";

/// Where the header stands, in a format that has one.
pub(super) fn header(format: &Format, source: &Source) -> Option<Span> {
    format.rules().find(|rule| *rule == RULE)?;
    let end = source.first_in_column_0(START)?;
    let is_empty = source.text[..end].trim().is_empty();
    (!is_empty).then(|| Span::new(0, end))
}

/// What a header negotiates; the built-in tools where it names them. Unknown keys are ignored.
pub(super) fn read(
    header: &str,
    limits: &Limits,
) -> Result<(Profile, Option<BuiltIns>), PromptError> {
    let yaml = Yaml::parse(header, limits)?;
    let mut profile = Profile::default();
    let is_enabled =
        |harmony: &&Yaml| harmony.at(&["enabled"]).and_then(Yaml::text) == Some("true");
    let harmony = yaml.at(&["profiles", "harmony"]).filter(is_enabled);
    if let Some(harmony) = harmony {
        profile = Profile::hip_1();
        if let Some(channels) = harmony.channels("tool_calls_in") {
            profile.functions_on = channels;
        }
        if let Some(channels) = harmony.channels("builtins_in") {
            profile.built_ins_on = channels;
        }
    }
    profile.version = version(yaml.at(&["version"]).and_then(Yaml::text))?;
    if let Some(capabilities) = yaml.at(&["capabilities"]) {
        if let Some(channels) = capabilities.channels("channels") {
            profile.channels = channels;
        }
        if let Some(tokens) = capabilities.at(&["tokens"]) {
            let knows = |token| tokens.texts().any(|known| known == token);
            if !knows("<|constrain|>") {
                profile.constrain = Constrain::Unknown;
            }
            if !knows("<|literal|>") || !knows("<|endliteral|>") {
                profile.literal_blocks = LiteralBlocks::Forbidden;
            }
        }
    }
    let built_ins = yaml.at(&["generation_settings", "builtin_tools"]);
    Ok((profile, built_ins.map(read_built_ins)))
}

fn version(text: Option<&str>) -> Result<Version, PromptError> {
    let text = text.ok_or_else(|| PromptError::Header("`version` is missing".to_owned()))?;
    match text.split('.').next().map(str::trim) {
        Some("1") => Ok(Version::V1),
        Some("2") => Ok(Version::V2),
        _ => Err(PromptError::Header(format!(
            "version {text:?} is not one of 1.x and 2.x"
        ))),
    }
}

fn read_built_ins(list: &Yaml) -> BuiltIns {
    let mut built_ins = BuiltIns::default();
    for name in list.texts() {
        match name.split('.').next() {
            Some("python") => built_ins.python = BuiltIn::Offered,
            Some("browser") => built_ins.browser = BuiltIn::Offered,
            _ => {}
        }
    }
    built_ins
}

/// A YAML value; aliases are taken for empty texts.
#[derive(Debug)]
enum Yaml {
    Text(String),
    List(Vec<Yaml>),
    Map(Vec<(Yaml, Yaml)>),
}

impl Yaml {
    fn parse(text: &str, limits: &Limits) -> Result<Self, PromptError> {
        // A document end marker stands before the first message, and starts no new document.
        let text = text.trim_end();
        let text = text.strip_suffix("\n---").unwrap_or(text);
        let mut events = Parser::new_from_str(text);
        let mut open = vec![Vec::new()];
        loop {
            let fail = |error: &dyn std::fmt::Display| PromptError::Header(error.to_string());
            let done = match events.next() {
                None | Some(Ok((Event::StreamEnd | Event::DocumentEnd, _))) => break,
                Some(Err(error)) => return Err(fail(&error)),
                Some(Ok((event, _))) => match event {
                    Event::Scalar(text, ..) => Some(Self::Text(text.into_owned())),
                    Event::Alias(_) => Some(Self::Text(String::new())),
                    Event::SequenceStart(..) | Event::MappingStart(..) => {
                        LimitError::check("depth of the document header", open.len(), limits.depth)
                            .map_err(|error| fail(&error))?;
                        open.push(Vec::new());
                        None
                    }
                    Event::SequenceEnd => open.pop().map(Self::List),
                    Event::MappingEnd => open.pop().map(Self::map),
                    _ => None,
                },
            };
            if let (Some(value), Some(parent)) = (done, open.last_mut()) {
                parent.push(value);
            }
        }
        let root = open.pop().and_then(|mut values| values.pop());
        root.ok_or_else(|| PromptError::Header("it is empty".to_owned()))
    }

    /// A mapping of keys and values in turn.
    fn map(members: Vec<Self>) -> Self {
        let mut members = members.into_iter();
        let mut pairs = Vec::new();
        while let (Some(key), Some(value)) = (members.next(), members.next()) {
            pairs.push((key, value));
        }
        Self::Map(pairs)
    }

    /// The value at the end of a path of keys.
    fn at(&self, path: &[&str]) -> Option<&Self> {
        path.iter().try_fold(self, |value, key| match value {
            Self::Map(pairs) => pairs
                .iter()
                .find(|(known, _)| known.text() == Some(key))
                .map(|(_, value)| value),
            _ => None,
        })
    }

    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The texts of a list, or the text alone.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let list = match self {
            Self::List(list) => &list[..],
            other => std::slice::from_ref(other),
        };
        list.iter().filter_map(Self::text)
    }

    fn channels(&self, key: &str) -> Option<Channels> {
        let channel = |name: &str| match name {
            "analysis" => Some(Channel::Analysis),
            "commentary" => Some(Channel::Commentary),
            "final" => Some(Channel::Final),
            _ => None,
        };
        Some(self.at(&[key])?.texts().filter_map(channel).collect())
    }
}
