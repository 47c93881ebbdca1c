//! ChatML's message list: texts, and control tokens as objects.

use crate::interchange::InterchangeError;
use crate::json::Json;
use crate::source::Piece;

/// Reads ChatML's message list: an array of texts and of objects `{"token": name}`.
///
/// # Errors
///
/// Why it is none, and which item.
pub fn read_token_list(json: &str) -> Result<Vec<TokenListItem>, InterchangeError> {
    let whole = |reason: String| InterchangeError::new("#", reason);
    let list = Json::parse(json).map_err(|error| whole(format!("not JSON: {error}")))?;
    let items = list
        .items()
        .ok_or_else(|| whole("expected an array".to_owned()))?;
    let item = |(index, item): (usize, &Json)| match (item, item.members(), item.get("token")) {
        (Json::String(text), ..) => Ok(TokenListItem::Text(text.clone())),
        (_, [_], Some(Json::String(name))) => Ok(TokenListItem::Token(name.clone())),
        _ => {
            let reason = "expected a text, or {\"token\": …}";
            Err(InterchangeError::new(format!("#/{index}"), reason))
        }
    };
    items.iter().enumerate().map(item).collect()
}

/// An item of ChatML's message list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenListItem {
    /// Text, in which nothing is a control token.
    Text(String),
    /// A control token, by its name.
    Token(String),
}

impl TokenListItem {
    /// As a parser takes it.
    pub fn piece(&self) -> Piece<'_> {
        match self {
            Self::Text(text) => Piece::Text(text.as_bytes()),
            Self::Token(name) => Piece::special(name),
        }
    }
}
