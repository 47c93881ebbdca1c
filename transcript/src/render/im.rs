//! ChatML, OpenChatML 0.1 and InternLM2.

use super::options::{Ending, RenderError};
use super::rendered::Writer;
use super::text::{Refusal, any_name, arguments, header_value, json, next_spelling, refusal};
use crate::calls::{PYTHON, short_name};
use crate::control::ControlToken;
use crate::format::Format;
use crate::json::Json;
use crate::message::{Message, Part, PartKind, Role, Thought};

pub(super) fn write(messages: &[Message], out: &mut Writer<'_>) -> Result<(), RenderError> {
    let is_sequence = out.options.format == Format::OpenChatMl01;
    if is_sequence {
        out.control(ControlToken::SequenceStart);
        out.text("\n");
    }
    for (index, message) in messages.iter().enumerate() {
        if index > 0 {
            out.text("\n");
        }
        write_message(message, out).map_err(|(code, reason)| RenderError {
            index,
            code,
            reason,
        })?;
    }
    if out.options.ending == Ending::Prompt {
        if !messages.is_empty() {
            out.text("\n");
        }
        out.control(ControlToken::ImStart);
        out.text("assistant");
    } else if is_sequence {
        if !messages.is_empty() {
            out.text("\n");
        }
        out.control(ControlToken::SequenceEnd);
    }
    Ok(())
}

fn write_message(message: &Message, out: &mut Writer<'_>) -> Result<(), Refusal> {
    let format = out.options.format;
    let has_channels = message.channel.is_some()
        || message.recipient.is_some()
        || message.call_id.is_some()
        || message.intent.is_some()
        || message.constrain.is_some();
    if has_channels {
        let reason = format!(
            "{} has no channels, recipients, ids or types",
            format.name()
        );
        return Err(refusal(reason));
    }
    out.control(ControlToken::ImStart);
    out.text(role(message.role, format)?);
    write_name(message, out)?;
    out.text("\n");
    write_body(message, out)?;
    out.control(ControlToken::ImEnd);
    Ok(())
}

fn role(role: Role, format: Format) -> Result<&'static str, Refusal> {
    match (role, format) {
        (Role::System | Role::User | Role::Assistant, _) => Ok(role.as_str()),
        (Role::Tool, Format::OpenChatMl01) => Ok("tool"),
        (Role::Tool, Format::InternLm2) => Ok("environment"),
        _ => {
            let reason = format!("{} has no role {}", format.name(), role.as_str());
            Err(refusal(reason))
        }
    }
}

fn write_name(message: &Message, out: &mut Writer<'_>) -> Result<(), Refusal> {
    let Some(name) = &message.name else {
        return Ok(());
    };
    out.text(" name=");
    let token = ControlToken::from_spelling(name);
    match token.filter(|token| out.options.format.controls().contains(*token)) {
        Some(token @ (ControlToken::Plugin | ControlToken::Interpreter)) => out.control(token),
        _ if out.options.format == Format::OpenChatMl01 => out.text(any_name("name=", name)?),
        _ => out.text(header_value("name=", name)?),
    }
    Ok(())
}

fn write_body(message: &Message, out: &mut Writer<'_>) -> Result<(), Refusal> {
    let format = out.options.format;
    let (start, end) = (&out.options.sequence_start, &out.options.sequence_end);
    let sequence = [start.as_str(), end.as_str()];
    if message.parts.is_empty() {
        out.said(&message.body)?;
    } else if message.role == Role::System && format == Format::OpenChatMl01 {
        // What a system message shows of calls and thoughts is no structure of its own.
        write_shown(&message.body, out, sequence);
    } else {
        for part in &message.parts {
            match format {
                Format::OpenChatMl01 => openchatml_part(part, out, sequence)?,
                Format::InternLm2 => internlm2_part(part, out, sequence)?,
                _ => return Err(refusal(format!("{} has no parts", format.name()))),
            }
        }
    }
    // A line feed before the end only frames the body: OpenChatML 0.1 writes it, InternLM2 where
    // the body itself ends in one.
    let ends_in_text = match message.parts.last() {
        None => message.body.ends_with('\n'),
        Some(part) => part.kind == PartKind::Text && part.text.ends_with('\n'),
    };
    if format == Format::OpenChatMl01 || (format == Format::InternLm2 && ends_in_text) {
        out.text("\n");
    }
    Ok(())
}

fn write_shown(body: &str, out: &mut Writer<'_>, sequence: [&str; 2]) {
    let mut rest = body;
    while let Some((at, spelling)) = next_spelling(rest, out.options.format, sequence) {
        out.text(&rest[..at]);
        match ControlToken::from_spelling(&spelling) {
            Some(token) => out.control(token),
            None => out.text(&spelling),
        }
        rest = &rest[at + spelling.len()..];
    }
    out.text(rest);
}

fn openchatml_part(part: &Part, out: &mut Writer<'_>, sequence: [&str; 2]) -> Result<(), Refusal> {
    let format = out.options.format;
    match &part.kind {
        PartKind::Text => out.said(&part.text)?,
        PartKind::Thought(thought) => {
            let (start, end) = markers(*thought);
            out.control(start);
            out.said(&part.text)?;
            out.control(end);
            out.text("\n");
        }
        PartKind::Call { recipient } => {
            let arguments = arguments(&part.text, format, sequence)?;
            let name = Json::from(short_name(recipient));
            out.control(ControlToken::FunctionCall);
            out.text(&format!(
                "\n{{\"arguments\": {arguments}, \"name\": {name}}}"
            ));
        }
        PartKind::Output { tool } => {
            let content = json(&part.text, format, sequence)?;
            let name = Json::from(short_name(tool));
            out.control(ControlToken::FunctionOutput);
            out.text(&format!("\n{{\"name\": {name}, \"content\": {content}}}"));
        }
        PartKind::ThoughtFlag(thought) => out.control(match thought {
            Thought::Reflect => ControlToken::Reflect,
            Thought::Introspect => ControlToken::Introspect,
            Thought::Reason => ControlToken::Reason,
        }),
        PartKind::FunctionList => {
            out.control(ControlToken::FunctionList);
            out.text("\n");
            out.said(&part.text)?;
        }
    }
    Ok(())
}

fn markers(thought: Thought) -> (ControlToken, ControlToken) {
    match thought {
        Thought::Reflect => (ControlToken::StartReflect, ControlToken::EndReflect),
        Thought::Introspect => (ControlToken::StartIntrospect, ControlToken::EndIntrospect),
        Thought::Reason => (ControlToken::StartReason, ControlToken::EndReason),
    }
}

fn internlm2_part(part: &Part, out: &mut Writer<'_>, sequence: [&str; 2]) -> Result<(), Refusal> {
    let format = out.options.format;
    match &part.kind {
        PartKind::Text => out.said(&part.text)?,
        PartKind::Call { recipient } if recipient == PYTHON => {
            if part.text.contains("\n```") || part.text.starts_with("```") {
                return Err(refusal("code with a fence in it"));
            }
            out.control(ControlToken::ActionStart);
            out.control(ControlToken::Interpreter);
            let code = &part.text;
            let line_feed = if code.is_empty() { "" } else { "\n" };
            out.text("\n```python\n");
            out.said(code)?;
            out.text(&format!("{line_feed}```"));
            out.control(ControlToken::ActionEnd);
        }
        PartKind::Call { recipient } => {
            let parameters = arguments(&part.text, format, sequence)?;
            let name = Json::from(short_name(recipient));
            out.control(ControlToken::ActionStart);
            out.control(ControlToken::Plugin);
            out.text(&format!(
                "\n{{\"name\": {name}, \"parameters\": {parameters}}}"
            ));
            out.control(ControlToken::ActionEnd);
        }
        _ => return Err(refusal("InternLM2 has text and one action")),
    }
    Ok(())
}
