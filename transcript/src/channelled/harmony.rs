//! Harmony, as gpt-oss models emit it.

use super::header::Header;
use super::rules::{Attribute, CallIds, Dialect};
use crate::calls::{PYTHON, is_built_in};
use crate::config::{ParserConfig, TypeRule};
use crate::error::TranscriptError;
use crate::message::Channel;

pub(super) const DIALECT: Dialect = Dialect {
    attributes: &[Attribute::To],
    has_bare_types: true,
    is_document: false,
    implies_preambles: true,
    has_markup: false,
    call_ids: CallIds::None,
    // Generated turns need one always.
    needs_channels: false,
    // Published transcripts have it after analysis.
    returns_anywhere: true,
    tool_name_hint: "the tool's full name stands in place of the role",
};

/// The types of a generated message: JSON for function tools and structured finals, code for
/// built-in tools.
pub(super) fn check_type(
    header: &Header,
    channel: Channel,
    config: &ParserConfig<'_>,
) -> Result<(), TranscriptError> {
    let structured = channel == Channel::Final && config.response.is_some();
    let takes_json = match &header.recipient {
        Some(recipient) => !is_built_in(&recipient.value),
        None => structured,
    };
    let Some(name) = header.body_type() else {
        return match takes_json && config.types == TypeRule::Constrained {
            true => Err(
                TranscriptError::header(header.span, "JSON without its type")
                    .with_hint("<|constrain|>json"),
            ),
            false => Ok(()),
        };
    };
    let allowed: &[&str] = match &header.recipient {
        Some(recipient) if recipient.value == PYTHON => &["code"],
        Some(recipient) if is_built_in(&recipient.value) => &["json", "code"],
        Some(_) => &["json"],
        None if channel == Channel::Final => &["json"],
        None => &[],
    };
    if header.recipient.is_none() && channel == Channel::Final && header.constrain.is_none() {
        let message = "a type without <|constrain|> on an answer: parsers take it for a recipient";
        return Err(TranscriptError::header(name.span, message).with_hint("<|constrain|>json"));
    }
    if allowed.contains(&name.value.as_str()) {
        return Ok(());
    }
    let message = match allowed {
        [] => format!("the type {:?} on a message that takes none", name.value),
        _ => format!(
            "the type {:?} where {} is due",
            name.value,
            allowed.join(" or ")
        ),
    };
    Err(TranscriptError::header(name.span, message))
}
