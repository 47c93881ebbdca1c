//! Which tools may and must be called, as providers' requests say it.

use super::options::{ChatOptions, ParallelCalls, ToolChoice};
use super::tools::ToolSet;
use crate::base::Limits;
use crate::front::json_schema::{Document, Kind, ValueId, pointer_of};

/// What a request's tool choice says of its tools.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChosenTools {
    /// The tools that may be called: all, unless the choice lists some of them.
    pub tools: ToolSet,
    /// Which of them the model may and must call.
    pub choice: ToolChoice,
    /// Whether it may make several calls, where the choice says so.
    pub parallel_calls: Option<ParallelCalls>,
}

/// Why a text is no tool choice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tool choice, {pointer}: expected {expected}")]
pub struct ToolChoiceError {
    /// Where, as a JSON pointer.
    pub pointer: String,
    /// What belongs there.
    pub expected: String,
}

/// Keys that a choice stands under, in requests.
const AROUND: [&str; 8] = [
    "tool_choice",
    "toolChoice",
    "tool_config",
    "toolConfig",
    "function_call",
    "functionCallingConfig",
    "function_calling_config",
    "allowed_tools",
];
/// Keys of a list of the tools that may be called.
const LISTS: [&str; 4] = [
    "tools",
    "functions",
    "allowedFunctionNames",
    "allowed_function_names",
];
/// Keys of the one tool that is to be called.
const NAMES: [&str; 3] = ["name", "toolName", "tool_name"];

impl ToolSet {
    /// Reads a tool choice as requests have it: a word (`auto`, `required` or `any`, `none`, in small letters or capital ones), a
    /// tool's name, or an object of OpenAI's two APIs, Anthropic, Gemini, Bedrock or Vercel's SDK.
    ///
    /// A word is the name of a tool where one is called so.
    ///
    /// ```
    /// use maskwright::{base::Limits, front::chat::{ToolChoice, ToolSet}};
    /// let tools = ToolSet::parse(r#"[{"name": "f"}, {"name": "g"}]"#, &Limits::default())?;
    /// let named = tools.chosen(r#"{"type": "function", "function": {"name": "f"}}"#, &Limits::default());
    /// assert_eq!(named.map(|chosen| chosen.choice), Ok(ToolChoice::Named("f".to_owned())));
    /// let some = r#"{"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}}"#;
    /// let some = tools.chosen(some, &Limits::default()).expect("it is Gemini's");
    /// assert_eq!((some.tools.len(), some.choice), (1, ToolChoice::Required));
    /// # Ok::<(), maskwright::front::chat::ToolsError>(())
    /// ```
    ///
    /// # Errors
    /// An object that is none of these, with the place in it, a tool in a list that is not there, a limit (`source_bytes`, `depth`).
    pub fn chosen(&self, text: &str, limits: &Limits) -> Result<ChosenTools, ToolChoiceError> {
        let is_json = text.trim_start().starts_with(['{', '"']);
        if !is_json {
            return Ok(self.all(self.word(text.trim())));
        }
        let document = Document::read(text, limits)
            .map_err(|error| fault("#", format!("JSON, or a word; {error}")))?;
        Reader {
            tools: self,
            document: &document,
        }
        .value(document.root())
    }

    /// All tools, with this choice among them.
    fn all(&self, choice: ToolChoice) -> ChosenTools {
        ChosenTools {
            tools: self.clone(),
            choice,
            parallel_calls: None,
        }
    }

    fn word(&self, word: &str) -> ToolChoice {
        let choice =
            mode(word).filter(|_| mode(word) == own_mode(word) || self.named(word).is_none());
        choice.unwrap_or_else(|| ToolChoice::Named(word.to_owned()))
    }
}

impl ChatOptions {
    /// Chooses among the tools as `text` says, which [`ToolSet::chosen`] reads: those that it names alone are left, and calls are
    /// one by one where it asks for that.
    ///
    /// # Errors
    /// As [`ToolSet::chosen`]; then nothing is changed.
    pub fn choose(&mut self, text: &str) -> Result<(), ToolChoiceError> {
        let chosen = self.tools.chosen(text, &self.limits)?;
        (self.tools, self.tool_choice) = (chosen.tools, chosen.choice);
        if chosen.parallel_calls == Some(ParallelCalls::Forbidden) {
            self.parallel_calls = ParallelCalls::Forbidden;
        }
        Ok(())
    }
}

/// The words that are never names.
fn own_mode(word: &str) -> Option<ToolChoice> {
    match word {
        "auto" => Some(ToolChoice::Auto),
        "required" => Some(ToolChoice::Required),
        "none" => Some(ToolChoice::None),
        _ => None,
    }
}

/// What a provider's word for a choice says.
fn mode(word: &str) -> Option<ToolChoice> {
    match word.to_ascii_lowercase().as_str() {
        "any" => Some(ToolChoice::Required),
        // Gemini's: what is called is valid, which it is here in any case.
        "validated" => Some(ToolChoice::Auto),
        plain => own_mode(plain),
    }
}

fn fault(pointer: impl Into<String>, expected: impl Into<String>) -> ToolChoiceError {
    ToolChoiceError {
        pointer: pointer.into(),
        expected: expected.into(),
    }
}

struct Reader<'a> {
    tools: &'a ToolSet,
    document: &'a Document,
}

impl Reader<'_> {
    /// A word or an object, in whatever stands around it.
    fn value(&self, value: ValueId) -> Result<ChosenTools, ToolChoiceError> {
        let mut value = value;
        let mut kind = None;
        loop {
            if let Some(word) = self.document.string(value) {
                return Ok(self.tools.all(self.tools.word(&word)));
            }
            if self.document.kind(value) != Kind::Object {
                return Err(self.wrong(value, "a word, or an object"));
            }
            kind = self.text(value, "type").or(kind);
            match AROUND.iter().find_map(|key| self.member(value, key)) {
                Some(inner) => value = inner,
                None => return self.object(value, kind.as_deref()),
            }
        }
    }

    fn object(&self, value: ValueId, kind: Option<&str>) -> Result<ChosenTools, ToolChoiceError> {
        let mode_said = self.text(value, "mode");
        let mut chosen = match (mode_said.as_deref(), kind) {
            (Some(word), _) => {
                let choice = mode(word);
                let choice =
                    choice.ok_or_else(|| self.wrong(value, format!("a mode; {word:?} is none")))?;
                self.tools.all(choice)
            }
            (None, Some("function" | "tool" | "custom") | None) => self.one(value)?,
            (None, Some("allowed_tools")) => self.tools.all(ToolChoice::Auto),
            (None, Some(word)) => match mode(word) {
                Some(choice) => self.tools.all(choice),
                None => {
                    let expected = format!("a choice of functions; {word:?} is none");
                    return Err(self.wrong(value, expected));
                }
            },
        };
        if let Some(list) = LISTS.iter().find_map(|key| self.member(value, key)) {
            chosen.tools = self.listed(list)?;
        }
        if let Some(one_alone) = self.member(value, "disable_parallel_tool_use") {
            chosen.parallel_calls = match self.document.kind(one_alone) {
                Kind::True => Some(ParallelCalls::Forbidden),
                Kind::False => Some(ParallelCalls::Allowed),
                _ => return Err(self.wrong(one_alone, "true or false")),
            };
        }
        Ok(chosen)
    }

    /// The tool that an object names, or what Bedrock's says.
    fn one(&self, value: ValueId) -> Result<ChosenTools, ToolChoiceError> {
        for key in ["auto", "any", "none"] {
            if self.member(value, key).is_some() {
                return Ok(self.tools.all(mode(key).unwrap_or_default()));
            }
        }
        let holders = ["function", "custom", "tool"];
        let holder = holders.iter().find_map(|key| self.member(value, key));
        let holder = holder.unwrap_or(value);
        let name = NAMES.iter().find_map(|key| self.text(holder, key));
        let name = name.or_else(|| self.document.string(holder).map(|name| name.into_owned()));
        match name {
            Some(name) => Ok(self.tools.all(ToolChoice::Named(name))),
            None => Err(self.wrong(holder, self.name_expected(holder))),
        }
    }

    fn name_expected(&self, value: ValueId) -> String {
        let mut members = self.document.members(value);
        let key = members.find_map(|(key, _)| self.document.string(key));
        match key.filter(|key| key != "type") {
            Some(key) => {
                format!("the tool's `name`, or another choice that is known; `{key}` is none")
            }
            None => "the tool's `name`".to_owned(),
        }
    }

    /// The tools of a list, which has their names, or objects that have.
    fn listed(&self, list: ValueId) -> Result<ToolSet, ToolChoiceError> {
        let mut names = Vec::new();
        for entry in self.document.elements(list) {
            let name = match self.document.string(entry) {
                Some(name) => Some(name.into_owned()),
                None => {
                    let inner = self.member(entry, "function").unwrap_or(entry);
                    NAMES.iter().find_map(|key| self.text(inner, key))
                }
            };
            let known = name.filter(|name| self.tools.named(name).is_some());
            names
                .push(known.ok_or_else(|| self.wrong(entry, "the name of a tool of the request"))?);
        }
        Ok(self.tools.only(&names))
    }

    fn member(&self, object: ValueId, key: &str) -> Option<ValueId> {
        let found = self.document.get(object, key)?;
        (self.document.kind(found) != Kind::Null).then_some(found)
    }

    fn text(&self, object: ValueId, key: &str) -> Option<String> {
        let found = self.member(object, key)?;
        Some(self.document.string(found)?.into_owned())
    }

    fn wrong(&self, value: ValueId, expected: impl Into<String>) -> ToolChoiceError {
        fault(pointer_of(self.document, value), expected)
    }
}
