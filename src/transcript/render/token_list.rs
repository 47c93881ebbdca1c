//! ChatML's message list: texts, and control tokens as objects.

use crate::transcript::json::Json;
use crate::transcript::source::Piece;

/// Reads ChatML's message list: an array of texts and of objects `{"token": name}`.
///
/// # Errors
///
/// Why it is none, and which item.
pub fn read_token_list(json: &str) -> Result<Vec<TokenListItem>, String> {
    let list = Json::parse(json).map_err(|error| format!("not JSON: {error}"))?;
    let items = list.items().ok_or("not an array")?;
    let item = |(index, item): (usize, &Json)| match item {
        Json::String(text) => Ok(TokenListItem::Text(text.clone())),
        Json::Object(members) if members.len() == 1 => match item.get("token") {
            Some(Json::String(name)) => Ok(TokenListItem::Token(name.clone())),
            _ => Err(format!("item {index} is no {{\"token\": …}}")),
        },
        _ => Err(format!("item {index} is neither a text nor a token")),
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
