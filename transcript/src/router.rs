//! Tool calls on their way: dispatched by recipient, tracked by id, answered, late or cancelled.
//!
//! The router runs nothing and knows no clock: the caller runs tools, and says what time it is,
//! in milliseconds from any beginning of its own.

use std::collections::BTreeMap;

use super::calls::{body, short_name};
use super::config::{ArgumentValidator, BodyDeadlines};
use super::error::ErrorCode;
use super::message::{Call, Message, Part, PartKind, Role};
use super::reply::{ReplyEnvelope, ReplyError};
use super::stream::StreamEvent;
use crate::span::Span;

/// How calls are routed.
#[derive(Clone, Default)]
pub struct RouterConfig<'a> {
    /// How long a tool may take that is told nothing else; `None` is as long as it likes.
    pub deadline_ms: Option<u64>,
    /// Whether calls may say their deadline.
    pub body_deadlines: BodyDeadlines,
    /// The judge of call arguments.
    pub arguments: Option<&'a dyn ArgumentValidator>,
}

/// What a tool gets: the body addressed to it, and nothing of the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dispatch {
    /// The id of the call; the router's own where the format has none.
    pub call_id: String,
    /// What the route was registered for.
    pub tool: String,
    /// The full name that was called.
    pub recipient: String,
    /// The arguments, or the code.
    pub body: String,
    /// When the answer is late.
    pub deadline: Option<u64>,
}

/// An answered call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Answer {
    /// The id of the call.
    pub call_id: String,
    /// The full name that was called.
    pub recipient: String,
    /// What came back.
    pub reply: ReplyEnvelope,
}

/// What went wrong with a call. [`std::fmt::Display`] is for logs, [`ToolError::safe_text`] for
/// users.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: call {call_id:?} of {recipient:?}: {detail}")]
pub struct ToolError {
    code: ErrorCode,
    call_id: String,
    recipient: String,
    span: Span,
    detail: String,
}

impl ToolError {
    /// The code, for logs.
    pub fn code(&self) -> ErrorCode {
        self.code
    }

    /// The id of the call.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The full name that was called.
    pub fn recipient(&self) -> &str {
        &self.recipient
    }

    /// Where the arguments of the call stand in their text, or the reply that no call waits for;
    /// empty for a message by hand, and where there is neither.
    pub fn span(&self) -> Span {
        self.span
    }

    /// A sentence that is safe to show: it quotes neither arguments nor what a tool said.
    pub fn safe_text(&self) -> &'static str {
        self.code.safe_text()
    }

    /// The reply that tells the model.
    pub fn to_reply(&self) -> ReplyEnvelope {
        ReplyEnvelope {
            ok: false,
            content: None,
            error: Some(ReplyError {
                code: self.code,
                message: self.safe_text().to_owned(),
            }),
            provenance: None,
        }
    }
}

/// What a tool answers, as a message says it.
struct Reply<'m> {
    is_tool: bool,
    id: Option<&'m str>,
    name: Option<&'m str>,
    body: &'m str,
    span: Span,
}

impl<'m> Reply<'m> {
    /// The outputs that a message holds, or the message as one.
    fn all(message: &'m Message) -> Vec<Self> {
        let whole = || Self {
            is_tool: message.role == Role::Tool,
            id: message.call_id.as_deref(),
            name: message.name.as_deref(),
            body: &message.body,
            span: message.span,
        };
        let output = |part: &'m Part| match &part.kind {
            PartKind::Output { tool } => Some(Self {
                name: Some(tool),
                body: &part.text,
                span: part.span,
                ..whole()
            }),
            _ => None,
        };
        let outputs: Vec<Self> = message.parts.iter().filter_map(output).collect();
        match outputs.is_empty() {
            true => vec![whole()],
            false => outputs,
        }
    }
}

/// What has become of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Open { deadline: Option<u64> },
    Answered,
    Late,
    Cancelled,
}

#[derive(Clone, Debug)]
struct Tracked {
    recipient: String,
    /// Where its arguments stand.
    span: Span,
    /// In which order it was dispatched.
    order: usize,
    status: Status,
}

/// Routes the calls of one conversation.
///
/// ```
/// use maskwright_transcript::{Format, ParserConfig, RouterConfig, ToolRouter, parse};
///
/// let text = "<|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>{}<|call|>\
///             <|start|>tool to=assistant call_id=a name=functions.f<|message|>{\"ok\":true}<|end|>";
/// let transcript = parse(text, &ParserConfig::transcript(Format::OpenChatMl22))?;
/// let [call, reply] = transcript.messages() else { return Ok(()) };
///
/// let mut router = ToolRouter::new(RouterConfig::default());
/// router.route("functions.*", "my functions");
/// for call in call.calls() {
///     let dispatch = router.dispatch(&call, 0)?;
///     assert_eq!((dispatch.tool.as_str(), dispatch.body.as_str()), ("my functions", "{}"));
/// }
/// assert!(router.answer(reply, 12)?.reply.ok);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct ToolRouter<'a> {
    config: RouterConfig<'a>,
    routes: Vec<(String, String)>,
    calls: BTreeMap<String, Tracked>,
}

impl<'a> ToolRouter<'a> {
    /// A router without routes.
    pub fn new(config: RouterConfig<'a>) -> Self {
        Self {
            config,
            ..Self::default()
        }
    }

    /// Routes calls of a full name, or of all that begin as a pattern like `browser.*` does, to
    /// what the caller calls `tool`. Of several routes the longest counts.
    pub fn route(&mut self, pattern: impl Into<String>, tool: impl Into<String>) {
        self.routes.push((pattern.into(), tool.into()));
    }

    /// Sends a call on its way at time `now`. Calls may be open side by side.
    ///
    /// # Errors
    ///
    /// `E-TOOL-UNKNOWN` where no route takes it, `E-CALL-SCHEMA` where its id was used before or
    /// its arguments are not valid. Such a call is not open.
    pub fn dispatch(&mut self, call: &Call<'_>, now: u64) -> Result<Dispatch, ToolError> {
        let call_id = match call.id {
            Some(id) => id.to_owned(),
            None => self.own_id(),
        };
        let error = |code, detail: &str| ToolError {
            code,
            call_id: call_id.clone(),
            recipient: call.recipient.to_owned(),
            span: call.span,
            detail: detail.to_owned(),
        };
        if self.calls.contains_key(&call_id) {
            return Err(error(ErrorCode::CallSchema, "its id was used before"));
        }
        let unknown = || error(ErrorCode::ToolUnknown, "no route takes it");
        let tool = self.tool(call.recipient).ok_or_else(unknown)?.to_owned();
        let judge = self.config.arguments;
        let said = (call.recipient, call.arguments);
        let (body, own) = body(self.config.body_deadlines, judge, said);
        if let Some(judge) = self.config.arguments {
            let judged = judge.validate(call.recipient, &body);
            judged.map_err(|reason| error(ErrorCode::CallSchema, &reason))?;
        }
        let allowed = own.or(self.config.deadline_ms);
        let deadline = allowed.map(|allowed| now.saturating_add(allowed));
        let tracked = Tracked {
            recipient: call.recipient.to_owned(),
            span: call.span,
            order: self.calls.len(),
            status: Status::Open { deadline },
        };
        self.calls.insert(call_id.clone(), tracked);
        Ok(Dispatch {
            call_id,
            tool,
            recipient: call.recipient.to_owned(),
            body: body.into_owned(),
            deadline,
        })
    }

    /// Takes the reply of a tool that arrives at time `now`. It answers the call whose id it
    /// echoes; without an id, the first open call of the tool that it names. The first output of
    /// a message that holds several counts: see [`ToolRouter::answers`].
    ///
    /// # Errors
    ///
    /// `E-REPLY-UNMATCHED` where no call waits for it, `E-TOOL-TIMEOUT` where it is late,
    /// `E-TOOL-CANCELLED` where its call was cancelled.
    pub fn answer(&mut self, reply: &Message, now: u64) -> Result<Answer, ToolError> {
        let first = Reply::all(reply).remove(0);
        self.take(&first, now)
    }

    /// The same of each output that a message holds, in order: a message of OpenChatML 0.1 may
    /// hold several, any other is one.
    pub fn answers(&mut self, reply: &Message, now: u64) -> Vec<Result<Answer, ToolError>> {
        let replies = Reply::all(reply);
        replies.iter().map(|reply| self.take(reply, now)).collect()
    }

    fn take(&mut self, reply: &Reply<'_>, now: u64) -> Result<Answer, ToolError> {
        let name = reply.name.unwrap_or_default();
        let error = |code, call_id: &str, span, detail: &str| ToolError {
            code,
            call_id: call_id.to_owned(),
            recipient: name.to_owned(),
            span,
            detail: detail.to_owned(),
        };
        let unmatched =
            |id: &str, detail| Err(error(ErrorCode::ReplyUnmatched, id, reply.span, detail));
        let id = match reply.id {
            Some(id) => Some(id.to_owned()),
            None => self.first_open(name),
        };
        let Some(id) = id.filter(|_| reply.is_tool) else {
            return unmatched("", "no open call is of this tool");
        };
        let Some(call) = self.calls.get_mut(&id) else {
            return unmatched(&id, "no call has this id");
        };
        // A reply may say the bare name, or by its id alone what it answers, as the parser takes it.
        let is_named = |name| call.recipient == name || short_name(&call.recipient) == name;
        if !reply.name.is_none_or(is_named) {
            return unmatched(&id, "the call of this id is of another tool");
        }
        let late = |span| error(ErrorCode::ToolTimeout, &id, span, "the reply is late");
        match call.status {
            Status::Open { deadline } if deadline.is_some_and(|deadline| now > deadline) => {
                call.status = Status::Late;
                Err(late(call.span))
            }
            Status::Open { .. } => {
                call.status = Status::Answered;
                Ok(Answer {
                    call_id: id,
                    recipient: call.recipient.clone(),
                    reply: ReplyEnvelope::read(reply.body),
                })
            }
            Status::Answered => unmatched(&id, "the call was answered before"),
            Status::Late => Err(late(call.span)),
            Status::Cancelled => Err(error(
                ErrorCode::ToolCancelled,
                &id,
                call.span,
                "the call was cancelled",
            )),
        }
    }

    /// Closes the calls whose deadline is before `now`, and says which.
    pub fn expire(&mut self, now: u64) -> Vec<ToolError> {
        let mut late = Vec::new();
        for (id, call) in &mut self.calls {
            let Status::Open {
                deadline: Some(deadline),
            } = call.status
            else {
                continue;
            };
            if now > deadline {
                call.status = Status::Late;
                late.push(ToolError {
                    code: ErrorCode::ToolTimeout,
                    call_id: id.clone(),
                    recipient: call.recipient.clone(),
                    span: call.span,
                    detail: "the deadline has passed".to_owned(),
                });
            }
        }
        late
    }

    /// When the next open call is late.
    pub fn next_deadline(&self) -> Option<u64> {
        let deadline = |call: &Tracked| match call.status {
            Status::Open { deadline } => deadline,
            _ => None,
        };
        self.calls.values().filter_map(deadline).min()
    }

    /// Cancels an open call, and gives the event that tells its tool.
    ///
    /// # Errors
    ///
    /// `E-REPLY-UNMATCHED` where no open call has the id.
    pub fn cancel(&mut self, call_id: &str, reason: &str) -> Result<StreamEvent, ToolError> {
        let call = self.calls.get_mut(call_id);
        match call.filter(|call| matches!(call.status, Status::Open { .. })) {
            Some(call) => {
                call.status = Status::Cancelled;
                Ok(StreamEvent::ToolCancel {
                    call_id: call_id.to_owned(),
                    reason: reason.to_owned(),
                })
            }
            None => Err(ToolError {
                code: ErrorCode::ReplyUnmatched,
                call_id: call_id.to_owned(),
                recipient: String::new(),
                span: Span::default(),
                detail: "no open call has this id".to_owned(),
            }),
        }
    }

    /// The ids of the open calls, in the order of their dispatch.
    pub fn open_calls(&self) -> Vec<&str> {
        let is_open = |(_, call): &(&String, &Tracked)| matches!(call.status, Status::Open { .. });
        let mut open: Vec<_> = self.calls.iter().filter(is_open).collect();
        open.sort_by_key(|(_, call)| call.order);
        open.into_iter().map(|(id, _)| id.as_str()).collect()
    }

    fn first_open(&self, recipient: &str) -> Option<String> {
        let mut open = self.open_calls().into_iter();
        let called = |id: &str| self.calls[id].recipient.as_str();
        let found = open.find(|id| called(id) == recipient || short_name(called(id)) == recipient);
        found.map(str::to_owned)
    }

    fn own_id(&self) -> String {
        let mut ids = (self.calls.len()..).map(|n| format!("call_{n}"));
        let is_free = |id: &String| !self.calls.contains_key(id);
        ids.find(is_free).unwrap_or_default()
    }

    fn tool(&self, recipient: &str) -> Option<&str> {
        let takes = |(pattern, _): &&(String, String)| match pattern.strip_suffix('*') {
            Some(prefix) => recipient.starts_with(prefix),
            None => pattern == recipient,
        };
        let routes = self.routes.iter().filter(takes);
        let longest = routes.max_by_key(|(pattern, _)| pattern.len());
        longest.map(|(_, tool)| tool.as_str())
    }
}
