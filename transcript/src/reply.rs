//! What a tool gives back: the envelope that OpenChatML 2.2 §8.2 recommends, or anything else.

use super::calls::members;
use super::error::ErrorCode;
use super::json::Json;

/// Where a result comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provenance {
    /// `source`
    pub source: Option<String>,
    /// `timestamp`
    pub timestamp: Option<String>,
    /// `checksum`
    pub checksum: Option<String>,
}

/// A failure as a tool tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplyError {
    /// The code: one of the taxonomy that the tool names, else [`ErrorCode::ToolFailed`].
    pub code: ErrorCode,
    /// What the tool says of it; for logs, not for users.
    pub message: String,
}

/// The body of a tool's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplyEnvelope {
    /// `ok`; a body that is no envelope is a result.
    pub ok: bool,
    /// `content` as JSON text, or the whole body if that is no envelope.
    pub content: Option<String>,
    /// `error`: a code, a message, or an object of `code` and `message`.
    pub error: Option<ReplyError>,
    /// `provenance`
    pub provenance: Option<Provenance>,
}

impl ReplyEnvelope {
    /// Reads the body of a reply.
    pub fn read(body: &str) -> Self {
        Self::envelope(body).unwrap_or_else(|| Self {
            ok: true,
            content: Some(body.to_owned()),
            error: None,
            provenance: None,
        })
    }

    /// An object with a boolean `ok`.
    fn envelope(body: &str) -> Option<Self> {
        let object = Json::parse(body).ok()?;
        let ok = object.get("ok")?.bool()?;
        let places = members(body).ok()?;
        let content = places.iter().find(|(key, _)| key == "content");
        let content = content.map(|(_, span)| body[span.start..span.end].to_owned());
        let error = object.get("error").map(error);
        let unnamed = || ReplyError {
            code: ErrorCode::ToolFailed,
            message: String::new(),
        };
        Some(Self {
            ok,
            content: content.filter(|content| content != "null"),
            error: if ok {
                error
            } else {
                Some(error.unwrap_or_else(unnamed))
            },
            provenance: object.get("provenance").map(provenance),
        })
    }

    /// The envelope as JSON text.
    pub fn to_json(&self) -> String {
        let content = self.content.as_deref();
        let content = content.map(|text| Json::parse(text).unwrap_or_else(|_| text.into()));
        let error = self.error.as_ref().map(|error| {
            Json::object([
                ("code", error.code.as_str().into()),
                ("message", error.message.as_str().into()),
            ])
        });
        let provenance = self.provenance.as_ref().map(|provenance| {
            Json::object([
                ("source", Json::optional(provenance.source.as_deref())),
                ("timestamp", Json::optional(provenance.timestamp.as_deref())),
                ("checksum", Json::optional(provenance.checksum.as_deref())),
            ])
        });
        Json::object([
            ("ok", Json::Bool(self.ok)),
            ("content", content.unwrap_or(Json::Null)),
            ("error", error.unwrap_or(Json::Null)),
            ("provenance", provenance.unwrap_or(Json::Null)),
        ])
        .to_string()
    }
}

fn error(value: &Json) -> ReplyError {
    let text = |key: &str| value.get(key).and_then(Json::str);
    let (code, message) = match value.str() {
        Some(text) => (Some(text), text),
        None => (text("code"), text("message").unwrap_or_default()),
    };
    ReplyError {
        code: code
            .and_then(ErrorCode::from_name)
            .unwrap_or(ErrorCode::ToolFailed),
        message: message.to_owned(),
    }
}

fn provenance(value: &Json) -> Provenance {
    let text = |key: &str| value.get(key).and_then(Json::str).map(str::to_owned);
    Provenance {
        source: text("source"),
        timestamp: text("timestamp"),
        checksum: text("checksum"),
    }
}
