//! The YAML header of an OpenChatML 2.2 document, as far as it changes what may be written (§2, §12).

use saphyr_parser::{Event, Parser};

use super::error::PromptError;
use super::source::Source;
use crate::base::{LimitError, Limits, Span};
use crate::front::chat::Format;
use crate::front::chat::options::ChatOptions;
use crate::front::chat::profile::{
    BuiltIn, BuiltIns, CallIds, Channel, Channels, Constrain, LiteralBlocks, Profile, Version,
};

/// The rule of formats whose documents have a header.
const RULE: &str = "yaml-header";
/// The flag by which answers end in `<|end|>`, where `<|return|>` was not negotiated.
const END_FOR_RETURN: &str = "end-for-return";
/// What ends it, at the beginning of a line.
const START: &str = "<|start|>";

/// Where the header stands, in a format that has one.
pub(super) fn header(format: &Format, source: &Source) -> Option<Span> {
    format.rules().find(|rule| *rule == RULE)?;
    let end = source.first_in_column_0(START)?;
    let is_empty = source.text[..end].trim().is_empty();
    (!is_empty).then(|| Span::new(0, end))
}

/// What a header negotiates.
#[derive(Clone, Debug, Default)]
pub(super) struct Negotiated {
    version: Option<Version>,
    channels: Option<Channels>,
    constrain: Option<Constrain>,
    literal_blocks: Option<LiteralBlocks>,
    call_ids: Option<CallIds>,
    functions_on: Option<Channels>,
    built_ins_on: Option<Channels>,
    built_ins: Option<BuiltIns>,
    flags: Vec<&'static str>,
}

impl Negotiated {
    /// Reads a header. Unknown keys are ignored.
    pub(super) fn read(header: &str, limits: &Limits) -> Result<Self, PromptError> {
        let yaml = Yaml::parse(header, limits)?;
        let mut negotiated = Self {
            version: Some(version(yaml.at(&["version"]).and_then(Yaml::text))?),
            built_ins: yaml
                .at(&["generation_settings", "builtin_tools"])
                .map(read_built_ins),
            ..Self::default()
        };
        if let Some(harmony) = yaml.at(&["profiles", "harmony"])
            && harmony
                .at(&["enabled"])
                .and_then(Yaml::text)
                .is_some_and(is_true)
        {
            let strict = Profile::hip_1();
            negotiated.constrain = Some(strict.constrain);
            negotiated.call_ids = Some(strict.call_ids);
            negotiated.functions_on = harmony.channels("tool_calls_in");
            negotiated.built_ins_on = harmony.channels("builtins_in");
        }
        if let Some(capabilities) = yaml.at(&["capabilities"]) {
            negotiated.channels = capabilities.channels("channels");
            if let Some(tokens) = capabilities.at(&["tokens"]) {
                let lacks = |token| tokens.texts().all(|known| known != token);
                if lacks("<|channel|>") {
                    negotiated.version = Some(Version::V1);
                }
                if lacks("<|call|>") {
                    negotiated.functions_on = Some(Channels::from_iter([]));
                    negotiated.built_ins_on = Some(Channels::from_iter([]));
                }
                if lacks("<|return|>") {
                    negotiated.flags.push(END_FOR_RETURN);
                }
                if lacks("<|constrain|>") {
                    negotiated.constrain = Some(Constrain::Unknown);
                }
                if lacks("<|literal|>") || lacks("<|endliteral|>") {
                    negotiated.literal_blocks = Some(LiteralBlocks::Forbidden);
                }
            }
        }
        Ok(negotiated)
    }

    /// Puts into `options` what the header says.
    pub(super) fn fill(&self, options: &mut ChatOptions) {
        /// Replaces what is said.
        fn put<T: Copy>(option: &mut T, said: Option<T>) {
            *option = said.unwrap_or(*option);
        }
        let profile = &mut options.profile;
        put(&mut profile.version, self.version);
        put(&mut profile.channels, self.channels);
        put(&mut profile.constrain, self.constrain);
        put(&mut profile.literal_blocks, self.literal_blocks);
        put(&mut profile.call_ids, self.call_ids);
        put(&mut profile.functions_on, self.functions_on);
        put(&mut profile.built_ins_on, self.built_ins_on);
        put(&mut options.built_ins, self.built_ins);
        options
            .flags
            .extend(self.flags.iter().map(|&flag| flag.to_owned()));
    }
}

/// Whether a text is one of YAML's spellings of true (1.1 and 1.2).
fn is_true(text: &str) -> bool {
    ["true", "yes", "on", "y"].contains(&text.to_ascii_lowercase().as_str())
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
