//! What OpenChatML's document header says (2.2 §2), read from its YAML.

use saphyr_parser::{Event, Parser};

use super::control::{ControlSet, ControlToken};
use super::json::Json;
use super::message::Channel;

/// How deeply the YAML may nest.
const MAX_DEPTH: usize = 32;

/// The document header: what was negotiated, and changes what is legal. Lists that are absent
/// restrict nothing; unknown keys are ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DocumentHeader {
    /// The major version.
    pub major: u32,
    /// The minor version; 0 if it is not said.
    pub minor: u32,
    /// `model`
    pub model: Option<String>,
    /// `generation_settings.builtin_tools`: the built-in tools that may be called, or their
    /// namespaces.
    pub builtin_tools: Option<Vec<String>>,
    /// `capabilities.roles`; `functions.*` stands for all of its kind.
    pub roles: Option<Vec<String>>,
    /// `capabilities.channels`
    pub channels: Option<Vec<Channel>>,
    /// `capabilities.tokens`
    pub tokens: Option<ControlSet>,
    /// `capabilities.streaming`: the events of a stream that are understood. It is said, and changes nothing here.
    pub streaming: Option<Vec<String>>,
    /// Whether `profiles.harmony` is enabled: HIP-1 (§12).
    pub harmony: bool,
    /// Whether that profile has `require_channels`.
    pub require_channels: bool,
    /// `tool_calls_in` of that profile: where function tools may be called.
    pub tool_calls_in: Option<Vec<Channel>>,
    /// `builtins_in` of that profile: where built-in tools may be called.
    pub builtins_in: Option<Vec<Channel>>,
    written: Written,
}

/// The text that a header was read from, with what is unknown here; empty for one by hand.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Written {
    text: String,
    version: (u32, u32),
}

impl DocumentHeader {
    /// The header of version `major.minor` that says nothing else.
    pub fn version(major: u32, minor: u32) -> Self {
        Self {
            major,
            minor,
            ..Self::default()
        }
    }

    /// Takes what the YAML says besides the version.
    ///
    /// # Errors
    ///
    /// Why it is no mapping that can be read.
    pub(super) fn read(&mut self, yaml: &str) -> Result<(), String> {
        self.written = Written {
            text: yaml.to_owned(),
            version: (self.major, self.minor),
        };
        let root = Yaml::parse(yaml)?;
        if !matches!(root, Yaml::Map(_)) {
            return Err("not a mapping".to_owned());
        }
        self.model = root.get("model").and_then(Yaml::scalar);
        let settings = root.get("generation_settings");
        self.builtin_tools = settings.and_then(|s| s.strings("builtin_tools"));
        if let Some(capabilities) = root.get("capabilities") {
            self.roles = capabilities.strings("roles");
            self.channels = capabilities.channels("channels");
            self.tokens = capabilities.strings("tokens").map(|tokens| {
                let known = |token: &String| ControlToken::from_spelling(token);
                tokens.iter().filter_map(known).collect()
            });
            self.streaming = capabilities.strings("streaming");
        }
        let profile = root.get("profiles").and_then(|p| p.get("harmony"));
        let enabled = profile.and_then(|p| p.get("enabled")?.scalar());
        let enabled = enabled.as_deref().and_then(boolean);
        let required = profile.and_then(|p| p.get("require_channels"));
        // It counts where the profile is not said to be enabled, but not where that is denied.
        self.require_channels = enabled != Some(false)
            && required.is_some_and(|it| it.scalar().as_deref().and_then(boolean) != Some(false));
        if let Some(profile) = profile.filter(|_| enabled == Some(true)) {
            self.harmony = true;
            self.tool_calls_in = profile.channels("tool_calls_in");
            self.builtins_in = profile.channels("builtins_in");
        }
        Ok(())
    }

    /// Whether it says more than its version.
    pub fn says_more(&self) -> bool {
        let is_version = |line: &str| line.starts_with("version:") || line.trim().is_empty();
        !self.to_yaml().lines().all(is_version)
    }

    /// The header to its last line feed: as it was read, unless it was changed since.
    pub(super) fn to_yaml(&self) -> String {
        let Written { text, version } = &self.written;
        let mut read = Self::version(version.0, version.1);
        // Where it is no YAML, only its version counts.
        let _ = read.read(text);
        match !text.is_empty() && read == *self {
            true => format!("{}\n", text.trim_end_matches('\n')),
            false => self.canonical(),
        }
    }

    /// The header as YAML, lists in brackets, to its last line feed.
    fn canonical(&self) -> String {
        // JSON's strings are YAML's too.
        let quoted = |text: &str| Json::from(text).to_string();
        let list = |items: Vec<&str>| {
            let items: Vec<String> = items.into_iter().map(quoted).collect();
            format!("[{}]", items.join(", "))
        };
        let strings = |items: &Vec<String>| list(items.iter().map(String::as_str).collect());
        let channels = |items: &Vec<Channel>| list(items.iter().map(|c| c.as_str()).collect());
        let tokens = |set: ControlSet| list(set.iter().map(ControlToken::spelling).collect());
        let mut out = format!("version: {}.{}\n", self.major, self.minor);
        let mut section = |name: &str, members: Vec<(&str, Option<String>)>| {
            let members = members
                .into_iter()
                .filter_map(|(key, value)| Some(format!("{key}: {}\n", value?)));
            let text: String = members.collect();
            if !text.is_empty() {
                out.push_str(name);
                out.push_str(&text);
            }
        };
        section("", vec![("model", self.model.as_deref().map(quoted))]);
        section(
            "generation_settings:\n",
            vec![("  builtin_tools", self.builtin_tools.as_ref().map(strings))],
        );
        section(
            "capabilities:\n",
            vec![
                ("  roles", self.roles.as_ref().map(strings)),
                ("  channels", self.channels.as_ref().map(channels)),
                ("  tokens", self.tokens.map(tokens)),
                ("  streaming", self.streaming.as_ref().map(strings)),
            ],
        );
        let all = Channel::ALL.to_vec();
        let required = self.require_channels.then(|| channels(&all));
        section(
            "profiles:\n  harmony:\n",
            vec![
                ("    enabled", self.harmony.then(|| "true".to_owned())),
                ("    require_channels", required),
                (
                    "    tool_calls_in",
                    self.tool_calls_in.as_ref().map(channels),
                ),
                ("    builtins_in", self.builtins_in.as_ref().map(channels)),
            ],
        );
        out
    }

    /// Whether messages of this role may stand in the transcript.
    pub(super) fn allows_role(&self, role: &str) -> bool {
        let covers = |pattern: &String| match pattern.strip_suffix('*') {
            Some(prefix) => role.starts_with(prefix),
            None => pattern == role,
        };
        self.roles
            .as_ref()
            .is_none_or(|roles| roles.iter().any(covers))
    }

    /// Whether a built-in tool may be called.
    pub(super) fn allows_builtin(&self, name: &str) -> bool {
        let covers = |tool: &String| {
            name.strip_prefix(tool.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        self.builtin_tools
            .as_ref()
            .is_none_or(|tools| tools.iter().any(covers))
    }
}

/// A boolean in any of YAML's spellings (1.1 and 1.2).
fn boolean(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" => Some(true),
        "false" | "no" | "off" | "n" => Some(false),
        _ => None,
    }
}

/// As much of YAML as the header needs: plain trees, without anchors.
enum Yaml {
    Scalar(String),
    List(Vec<Yaml>),
    Map(Vec<(Yaml, Yaml)>),
    Alias,
}

impl Yaml {
    fn parse(text: &str) -> Result<Self, String> {
        let mut parser = Parser::new_from_str(text);
        let mut next = || match parser.next() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(error)) => Err(error.to_string()),
            None => Ok(Event::StreamEnd),
        };
        loop {
            match next()? {
                Event::StreamEnd => return Err("empty".to_owned()),
                Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => {}
                event => return Self::node(event, &mut next, MAX_DEPTH),
            }
        }
    }

    fn node<'e>(
        event: Event<'e>,
        next: &mut impl FnMut() -> Result<Event<'e>, String>,
        depth: usize,
    ) -> Result<Self, String> {
        let depth = depth
            .checked_sub(1)
            .ok_or(format!("nested more than {MAX_DEPTH} deep"))?;
        match event {
            Event::Scalar(value, ..) => Ok(Self::Scalar(value.into_owned())),
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match next()? {
                        Event::SequenceEnd => return Ok(Self::List(items)),
                        event => items.push(Self::node(event, next, depth)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut members = Vec::new();
                loop {
                    match next()? {
                        Event::MappingEnd => return Ok(Self::Map(members)),
                        event => {
                            let key = Self::node(event, next, depth)?;
                            let event = next()?;
                            members.push((key, Self::node(event, next, depth)?));
                        }
                    }
                }
            }
            Event::Alias(_) => Ok(Self::Alias),
            _ => Err("it ends within a value".to_owned()),
        }
    }

    fn get(&self, key: &str) -> Option<&Self> {
        let Self::Map(members) = self else {
            return None;
        };
        let is_key = |(k, _): &&(Self, Self)| matches!(k, Self::Scalar(k) if k == key);
        members.iter().find(is_key).map(|(_, value)| value)
    }

    fn scalar(&self) -> Option<String> {
        match self {
            Self::Scalar(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// The strings of a list, or one string.
    fn strings(&self, key: &str) -> Option<Vec<String>> {
        match self.get(key)? {
            Self::List(items) => Some(items.iter().filter_map(Self::scalar).collect()),
            value => value.scalar().map(|value| vec![value]),
        }
    }

    fn channels(&self, key: &str) -> Option<Vec<Channel>> {
        let names = self.strings(key)?;
        let named = |name: &String| Channel::ALL.into_iter().find(|c| c.as_str() == name);
        Some(names.iter().filter_map(named).collect())
    }
}
