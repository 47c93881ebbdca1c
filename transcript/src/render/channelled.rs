//! Harmony and OpenChatML 2.2.

use super::options::{Ending, RenderError};
use super::rendered::Writer;
use super::text::{Refusal, any_name, call_id, escaped, header_value, json, refusal, role_name};
use crate::calls::{PYTHON, check_json};
use crate::config::SpeltControls;
use crate::control::ControlToken;
use crate::format::Format;
use crate::message::{Channel, Intent, Message, RecipientPlace, Role, TypeGap};

/// Neither format has a base model's own tokens.
const NO_SEQUENCE: [&str; 2] = ["", ""];

pub(super) fn write(messages: &[Message], out: &mut Writer<'_>) -> Result<(), RenderError> {
    let is_document = out.options.format == Format::OpenChatMl22;
    if is_document {
        out.text(&out.options.header.to_yaml());
    }
    for (index, message) in messages.iter().enumerate() {
        if index > 0 && is_document {
            out.text("\n");
        }
        write_message(message, out).map_err(|(code, reason)| RenderError {
            index,
            code,
            reason,
        })?;
    }
    if out.options.ending == Ending::Prompt {
        if is_document && !messages.is_empty() {
            out.text("\n");
        }
        out.control(ControlToken::Start);
        out.text("assistant");
    }
    Ok(())
}

fn write_message(message: &Message, out: &mut Writer<'_>) -> Result<(), Refusal> {
    out.control(ControlToken::Start);
    match out.options.format {
        Format::Harmony => harmony_header(message, out)?,
        _ => openchatml_header(message, out)?,
    }
    out.control(ControlToken::Message);
    match out.options.format {
        Format::Harmony => harmony_body(message, out)?,
        _ => openchatml_body(message, out)?,
    }
    out.control(message.terminator.token());
    Ok(())
}

fn harmony_header(message: &Message, out: &mut Writer<'_>) -> Result<(), Refusal> {
    match (message.role, &message.name) {
        (Role::Tool, Some(name)) => out.text(role_name(name)?),
        (Role::Tool, None) => return Err(refusal("a tool's reply without the tool's name")),
        (_, Some(_)) => return Err(refusal("Harmony has no name=")),
        (role, None) => out.text(role.as_str()),
    }
    if message.call_id.is_some() {
        return Err(refusal("Harmony has no call_id="));
    }
    let implied = message.channel == Some(Channel::Commentary) && message.recipient.is_none();
    if message.intent.is_some() && !(implied && message.intent == Some(Intent::Preamble)) {
        return Err(refusal("Harmony has no intent="));
    }
    let to = match &message.recipient {
        Some(recipient) => format!(" to={}", any_name("to=", recipient)?),
        None => String::new(),
    };
    let after_channel =
        message.form.recipient == RecipientPlace::Channel && message.channel.is_some();
    if !after_channel {
        out.text(&to);
    }
    write_channel(message, out);
    if after_channel {
        out.text(&to);
    }
    match (&message.constrain, &message.content_type) {
        (Some(constrain), None) => {
            if message.form.gap == TypeGap::Space {
                out.text(" ");
            }
            out.control(ControlToken::Constrain);
            out.text(header_value("a type", constrain)?);
        }
        (None, Some(name)) => out.text(&format!(" {}", header_value("a type", name)?)),
        (Some(_), Some(_)) => return Err(refusal("Harmony has one type")),
        (None, None) => {}
    }
    Ok(())
}

/// The attributes in their canonical order; `to=` in the start header.
fn openchatml_header(message: &Message, out: &mut Writer<'_>) -> Result<(), Refusal> {
    out.text(message.role.as_str());
    if message.role == Role::Tool && message.name.is_none() {
        return Err(refusal("a tool's reply without name="));
    }
    let mut attribute = |key: &str, value: Option<&str>| {
        let value = value.map(|value| header_value(key, value)).transpose()?;
        if let Some(value) = value {
            out.text(&format!(" {key}={value}"));
        }
        Ok(())
    };
    attribute("to", message.recipient.as_deref())?;
    let id = message.call_id.as_deref().map(call_id).transpose()?;
    attribute("call_id", id)?;
    attribute("name", message.name.as_deref())?;
    attribute("intent", message.intent.map(Intent::as_str))?;
    attribute("content_type", message.content_type.as_deref())?;
    write_channel(message, out);
    if let Some(constrain) = &message.constrain {
        out.control(ControlToken::Constrain);
        out.text(header_value("a type", constrain)?);
    }
    Ok(())
}

fn write_channel(message: &Message, out: &mut Writer<'_>) {
    if let Some(channel) = message.channel {
        out.control(ControlToken::Channel);
        out.text(channel.as_str());
    }
}

/// Text that spells a control token is text: its piece says so. JSON has an escape, but prompts are what the model's own
/// renderer writes.
fn harmony_body(message: &Message, out: &mut Writer<'_>) -> Result<(), Refusal> {
    let says_json = message
        .constrain
        .as_deref()
        .or(message.content_type.as_deref())
        == Some("json");
    let options = out.options;
    let may_spell = options.ending == Ending::Prompt && options.spelt == SpeltControls::Text;
    if !may_spell && (says_json || takes_json(message)) && check_json(&message.body).is_ok() {
        out.text(&json(&message.body, Format::Harmony, NO_SEQUENCE)?);
        return Ok(());
    }
    out.said(&message.body)
}

fn takes_json(message: &Message) -> bool {
    let to_tool = message.recipient.as_deref().is_some_and(|to| to != PYTHON);
    message.role == Role::Assistant && to_tool
}

/// Control tokens escaped. A text that ends in `<` would escape its terminator, so that its end
/// goes into a literal block.
fn openchatml_body(message: &Message, out: &mut Writer<'_>) -> Result<(), Refusal> {
    let text = message.body.trim_end_matches('<');
    let end = &message.body[text.len()..];
    out.text(&escaped(text));
    if end.is_empty() {
        return Ok(());
    }
    if message.constrain.as_deref() == Some("json") {
        return Err(refusal("a body of JSON that ends in `<`"));
    }
    out.control(ControlToken::Literal);
    out.text(end);
    out.control(ControlToken::EndLiteral);
    Ok(())
}
