//! Turns that a format's file takes apart: for `check --grammar` and `convert --from`.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use maskwright::base::{LineColumn, Part};
use maskwright::front::chat::{Format, ParallelCalls};
use maskwright::reader::{
    Closing, Message, MessageCall, MessagePart, ReadError, Reader, ReaderConfig, ReaderPlan,
};
use maskwright::vocab::Vocabulary;
use maskwright_transcript::ArgumentValidator;
use serde_json::{Value, json};

use super::failure::Failure;
use super::input::Named;
use super::output::{stdout, warn};
use super::request::{Request, lacks_failure};
use super::source::{ASSISTANT_TURN, built_in, parse_format};
use super::spelling::Spelling;
use super::validator::ToolJudge;
use super::verdict::Verdict;

/// What templates end prompts in that is the beginning of a turn: a line break, the opening of thoughts, or thoughts that
/// are over.
const LEADS: [&str; 10] = [
    "\n",
    "<think>",
    "</think>",
    "<think>\n",
    "\n<think>\n",
    "<think></think>",
    "\n<think></think>",
    "\n<think>\n\n</think>\n\n",
    "<|open|>think<|sep|>",
    "<|open|>response<|sep|>",
];

/// Reads turns of one format under one request.
pub(crate) struct TurnReader {
    plan: ReaderPlan,
    judge: ToolJudge,
    /// What of each turn is there before its text.
    lead: String,
    /// Where texts are tokens.
    vocabulary: Option<Arc<Vocabulary>>,
}

/// Why a text is no turn, or none of the request.
pub(crate) struct Fault {
    /// The byte.
    pub(crate) at: usize,
    pub(crate) message: String,
    /// Whether more text might mend it.
    pub(crate) is_unfinished: bool,
}

impl TurnReader {
    /// A reader of turns from `start` on, of the format that comes along under this name, or else of that file.
    pub(crate) fn new(grammar: &str, start: &str, request: &Request) -> Result<Self, Failure> {
        let is_own = !Format::BUILT_IN.contains(&grammar);
        let format = match is_own {
            false => built_in(grammar)?,
            true => parse_format(&Named::read(Path::new(grammar))?)?,
        };
        if !format.rules().any(|rule| rule.eq_ignore_ascii_case(start)) {
            let rules: Vec<_> = format.rules().collect();
            let failure = Failure::new(format!("--start: there is no rule `{start}`"));
            return Err(failure.hint(format!("rules: {}", rules.join(", "))));
        }
        request.check_format(&format)?;
        let mut options = request.chat_options(&Spelling::default())?;
        options.regex = request.dialect;
        let plan = ReaderPlan::new(&format, start, &options);
        let plan = plan.map_err(|error| lacks_failure(&error))?;
        // Those that come along are shown to have one reading by a test.
        if is_own {
            let settled = ReaderPlan::settle(&format, start, &options);
            if let Err(unsettled) = settled.map_err(|error| lacks_failure(&error))? {
                warn(unsettled);
            }
        }
        Ok(Self {
            plan,
            judge: ToolJudge::new(&options.tools, request.dialect)?,
            lead: String::new(),
            vocabulary: None,
        })
    }

    /// A reader of all turns of a format that comes along.
    pub(crate) fn of_any_turn(name: &str, tools: Option<&Named>) -> Result<Self, Failure> {
        let request = Request {
            tools: tools.cloned(),
            parallel: ParallelCalls::Allowed,
            ..Request::default()
        };
        Self::new(name, ASSISTANT_TURN, &request)
    }

    /// The same for turns of which `lead` is there already.
    pub(crate) fn after(mut self, lead: &str) -> Result<Self, Failure> {
        let mut reader = Reader::new(&self.plan, ReaderConfig::default());
        let skipped = reader.skip(lead);
        skipped.map_err(|_| Failure::new("--lead: no turn of the format begins so"))?;
        lead.clone_into(&mut self.lead);
        Ok(self)
    }

    /// A lead behind which the text is a turn, where none is given.
    fn lead_of(&self, text: &str) -> Option<&'static str> {
        let mut leads = LEADS.into_iter().filter(|_| self.lead.is_empty());
        leads.find(|lead| self.read_behind(lead, text).is_ok())
    }

    /// The same for the tokens of a vocabulary. The token that ends a turn must be there.
    pub(crate) fn of_tokens(mut self, vocabulary: Arc<Vocabulary>) -> Self {
        self.plan = self.plan.with_vocabulary(vocabulary.clone());
        self.vocabulary = Some(vocabulary);
        self
    }

    /// What a turn says, as tokens spell it.
    pub(crate) fn read_parts<'p>(
        &self,
        parts: impl Iterator<Item = Part<'p>>,
    ) -> Result<Message, Fault> {
        let mut config = ReaderConfig::default();
        config.closing = Closing::Needed;
        let mut reader = Reader::new(&self.plan, config);
        let token = |name: &str| self.vocabulary.as_ref()?.special(name);
        let mut at = 0;
        for part in parts {
            let (fed, length) = match part {
                Part::Text(bytes) => (reader.feed_bytes(bytes), bytes.len()),
                Part::Special(name) => match token(name) {
                    Some(token) => (reader.feed_token(token), name.len()),
                    None => (reader.feed(name), name.len()),
                },
            };
            at += length;
            fed.map_err(|error| Fault::of(&error, at))?;
        }
        let (_, message) = reader.finish().map_err(|error| Fault::of(&error, at))?;
        self.judged(message, at)
    }

    /// What a turn says, its arguments judged by the schemas of the tools.
    pub(crate) fn read(&self, text: &str) -> Result<Message, Fault> {
        self.read_behind(&self.lead, text)
    }

    fn read_behind(&self, lead: &str, text: &str) -> Result<Message, Fault> {
        let mut reader = Reader::new(&self.plan, ReaderConfig::default());
        let read = reader
            .skip(lead)
            .and_then(|()| reader.feed(text))
            .and_then(|_| reader.finish());
        let (_, message) = read.map_err(|error| Fault::of(&error, text.len()))?;
        self.judged(message, text.len())
    }

    /// The message, if its arguments are valid; its text is so long.
    fn judged(&self, message: Message, length: usize) -> Result<Message, Fault> {
        for call in message.calls() {
            self.judge(call).map_err(|message| Fault {
                at: length,
                message,
                is_unfinished: false,
            })?;
        }
        Ok(message)
    }

    fn judge(&self, call: &MessageCall) -> Result<(), String> {
        let full = format!("functions.{}", call.name);
        let names = [full.as_str(), call.name.as_str()];
        let Some(name) = names.into_iter().find(|name| self.judge.has(name)) else {
            // Without tools any name is one, and some tools take text.
            return Ok(());
        };
        let judged = self.judge.validate(name, &call.arguments);
        judged.map_err(|error| format!("the arguments of `{}`: {error}", call.name))
    }
}

impl Fault {
    /// What is wrong with a text of so many bytes.
    fn of(error: &ReadError, length: usize) -> Self {
        Self {
            at: match error {
                ReadError::Unexpected { at }
                | ReadError::Incomplete { at }
                | ReadError::Readings { at, .. } => *at,
                _ => length,
            },
            message: said(error),
            is_unfinished: matches!(error, ReadError::Incomplete { .. }),
        }
    }
}

/// What is wrong, without its byte.
fn said(error: &ReadError) -> String {
    let text = error.to_string();
    match (error, text.split_once(": ")) {
        (ReadError::Ambiguous { .. }, _) | (_, None) => text,
        (_, Some((_, message))) => message.to_owned(),
    }
}

/// Says what a turn says, or why the text is none.
pub(crate) fn check_one(reader: &TurnReader, file: &Named) -> Result<Verdict, Failure> {
    let mut out = stdout();
    let fault = match reader.read(&file.text) {
        Ok(message) => {
            writeln!(out, "valid: {} calls", message.calls().count())?;
            for part in &message.parts {
                match part {
                    MessagePart::Reasoning(text) => writeln!(out, "reasoning: {}", json!(text))?,
                    MessagePart::Content(text) => writeln!(out, "content: {}", json!(text))?,
                    MessagePart::Call(call) => {
                        let id = call.id.as_ref().map(|id| format!(" {id}"));
                        let id = id.unwrap_or_default();
                        writeln!(out, "call {}{id}: {}", call.name, call.arguments)?;
                    }
                    _ => {}
                }
            }
            return Ok(Verdict::Good);
        }
        Err(fault) => fault,
    };
    let kind = match fault.is_unfinished {
        true => "unfinished",
        false => "invalid",
    };
    let place = LineColumn::of(&file.text, fault.at);
    writeln!(
        out,
        "{kind}: {}:{place} (byte {}): {}",
        file.name, fault.at, fault.message
    )?;
    if let Some(hint) = hint(reader, &file.text) {
        writeln!(out, "hint: {hint}")?;
    }
    Ok(Verdict::Bad)
}

/// What would make a text a turn that is none.
fn hint(reader: &TurnReader, text: &str) -> Option<String> {
    let shorter = text.strip_suffix('\n');
    if shorter.is_some_and(|shorter| reader.read(shorter).is_ok()) {
        return Some("without the line break at its end it is valid".to_owned());
    }
    let behind = |lead: &str| {
        let lead = lead.replace('\n', "\\n");
        format!("if the prompt ends in the beginning of the turn, --lead says so: behind $'{lead}'")
    };
    match (reader.lead_of(text), shorter) {
        (Some(lead), _) => Some(format!("{} it is valid", behind(lead))),
        (None, Some(shorter)) => reader.lead_of(shorter).map(|lead| {
            let behind = behind(lead);
            format!("{behind}, and without the line break at its end, it is valid")
        }),
        (None, None) => None,
    }
}

/// The same as an answer to a row.
pub(crate) fn answer(reader: &TurnReader, text: &str) -> (Value, Verdict) {
    match reader.read(text) {
        Ok(message) => {
            let answer = json!({
                "accepted": true, "complete": true, "at": text.len(), "code": null,
                "message": openai(&message),
            });
            (answer, Verdict::Good)
        }
        Err(fault) => {
            let place = LineColumn::of(text, fault.at);
            let answer = json!({
                "accepted": fault.is_unfinished, "complete": false, "at": fault.at,
                "line": place.line, "column": place.column, "code": null, "error": fault.message,
            });
            (answer, Verdict::Bad)
        }
    }
}

/// A message as OpenAI's chat interface has it. Calls without ids get `call_0`, `call_1` and so on.
pub(crate) fn openai(message: &Message) -> Value {
    let mut written = json!({"role": "assistant", "content": null});
    let (reasoning, content) = (message.reasoning(), message.content());
    if !content.is_empty() {
        written["content"] = content.into();
    }
    if !reasoning.is_empty() {
        written["reasoning_content"] = reasoning.into();
    }
    let call = |(index, call): (usize, &MessageCall)| {
        let id = call.id.clone();
        json!({
            "id": id.unwrap_or_else(|| format!("call_{index}")),
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        })
    };
    let calls: Vec<Value> = message.calls().enumerate().map(call).collect();
    if !calls.is_empty() {
        written["tool_calls"] = calls.into();
    }
    written
}
