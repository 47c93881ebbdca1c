//! What stands before a conversation in a prompt of Harmony: the system message, and one message of the
//! developer with instructions and tools.

use super::format::Format;
use super::message::{Channel, Message, Role};
use super::tools::ToolDefinitions;

/// How hard the model is to think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReasoningEffort {
    /// `low`
    Low,
    /// `medium`
    #[default]
    Medium,
    /// `high`
    High,
}

impl ReasoningEffort {
    /// The effort as written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
        }
    }
}

/// What the system message of a Harmony prompt says. What is `None` is left out.
///
/// ```
/// use maskwright_transcript::HarmonySystem;
/// let mut system = HarmonySystem::default();
/// system.date = Some("2025-06-28".to_owned());
/// assert!(system.text(false).contains("Current date: 2025-06-28"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HarmonySystem {
    /// Who the model is.
    pub identity: Option<String>,
    /// Up to when it knows things: `2024-06`.
    pub cutoff: Option<String>,
    /// Today, `2025-06-28`; the library has no clock.
    pub date: Option<String>,
    /// How hard it is to think.
    pub effort: Option<ReasoningEffort>,
    /// The channels that it may write on.
    pub channels: Vec<Channel>,
}

/// As the package `openai-harmony` has it, without a date.
impl Default for HarmonySystem {
    fn default() -> Self {
        let identity = "You are ChatGPT, a large language model trained by OpenAI.";
        Self {
            identity: Some(identity.to_owned()),
            cutoff: Some("2024-06".to_owned()),
            date: None,
            effort: Some(ReasoningEffort::default()),
            channels: Channel::ALL.to_vec(),
        }
    }
}

impl HarmonySystem {
    /// The text of the message; `has_tools` says whether the developer offers functions.
    pub fn text(&self, has_tools: bool) -> String {
        let line = |label: &str, value: &Option<String>| {
            value.as_ref().map(|value| format!("{label}{value}"))
        };
        let top = [
            line("", &self.identity),
            line("Knowledge cutoff: ", &self.cutoff),
            line("Current date: ", &self.date),
        ];
        let top: Vec<String> = top.into_iter().flatten().collect();
        let mut sections = Vec::new();
        if !top.is_empty() {
            sections.push(top.join("\n"));
        }
        if let Some(effort) = self.effort {
            sections.push(format!("Reasoning: {}", effort.as_str()));
        }
        if !self.channels.is_empty() {
            let names: Vec<_> = self.channels.iter().map(|c| c.as_str()).collect();
            let tools = match has_tools {
                true => "\nCalls to these tools must go to the commentary channel: 'functions'.",
                false => "",
            };
            sections.push(format!(
                "# Valid channels: {}. Channel must be included for every message.{tools}",
                names.join(", ")
            ));
        }
        sections.join("\n\n")
    }
}

/// Puts the head of a Harmony prompt before a conversation that has none: the system message, then
/// one message of the developer that has the instructions with which the conversation begins, from
/// the system or the developer, and the tools. Later instructions are the developer's, too.
pub fn with_harmony_head(
    messages: &[Message],
    system: &HarmonySystem,
    tools: Option<&ToolDefinitions>,
) -> Vec<Message> {
    let is_instruction = |m: &&Message| matches!(m.role, Role::System | Role::Developer);
    let leading: Vec<&Message> = messages.iter().take_while(is_instruction).collect();
    let section = tools.and_then(|tools| tools.section(Format::Harmony));
    let mut head = vec![Message::new(Role::System, system.text(section.is_some()))];
    let mut sections = Vec::new();
    if !leading.is_empty() {
        let bodies: Vec<&str> = leading.iter().map(|m| m.body.as_str()).collect();
        sections.push(instructions(&bodies.join("\n\n")));
    }
    sections.extend(section);
    if !sections.is_empty() {
        head.push(Message {
            span: leading
                .first()
                .map_or_else(Default::default, |first| first.span),
            ..Message::new(Role::Developer, sections.join("\n\n"))
        });
    }
    let rest = messages[leading.len()..].iter().map(|message| {
        if !is_instruction(&message) {
            return message.clone();
        }
        Message {
            span: message.span,
            ..Message::new(Role::Developer, instructions(&message.body))
        }
    });
    head.extend(rest);
    head
}

fn instructions(text: &str) -> String {
    format!("# Instructions\n\n{text}")
}

/// Leaves out of a conversation the analysis that a Harmony prompt does not show: where the
/// assistant's last word is an answer, all that came before its first answer. That is the rule of the
/// package `openai-harmony`; [`normalise_history`](super::normalise_history) has that of OpenChatML 2.2.
pub fn without_old_analysis(messages: &[Message]) -> Vec<Message> {
    let is_final = |message: &Message| message.channel == Some(Channel::Final);
    let last = messages.iter().rfind(|m| m.role == Role::Assistant);
    let first_final = messages.iter().position(is_final);
    let end = match (last.is_some_and(is_final), first_final) {
        (true, Some(first)) => first,
        _ => 0,
    };
    let old = |(index, message): &(usize, &Message)| {
        *index < end && message.channel == Some(Channel::Analysis)
    };
    let kept = messages.iter().enumerate().filter(|entry| !old(entry));
    kept.map(|(_, message)| message.clone()).collect()
}
