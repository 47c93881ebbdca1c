//! Headers: role, name, line feed.

use super::dialect::Dialect;
use crate::calls::is_visible;
use crate::config::ParserConfig;
use crate::control::ControlToken;
use crate::error::{ErrorCode, TranscriptError};
use crate::message::Role;
use crate::source::{Cursor, Next, Word};
use crate::span::Span;

/// A header, through its line feed.
pub(super) struct Header {
    pub(super) role: Role,
    pub(super) name: Option<String>,
}

/// Where a header is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderStart {
    /// Before the role.
    Role,
    /// After the role `assistant`.
    AssistantRole,
}

/// The longest name of a generated header, in characters.
const LONGEST_NAME: usize = 64;

/// Reads a header through its line feed.
pub(super) fn read_header(
    cursor: &mut Cursor<'_>,
    config: &ParserConfig<'_>,
    dialect: &Dialect,
    start: HeaderStart,
) -> Result<Header, TranscriptError> {
    let mut header = Header {
        role: match start {
            HeaderStart::Role => role(cursor, config, dialect)?,
            HeaderStart::AssistantRole => Role::Assistant,
        },
        name: None,
    };
    loop {
        let blanks = cursor.take_blanks();
        let has_blanks = blanks.start < blanks.end;
        match cursor.next()? {
            Next::End => {
                check_blanks(cursor, config, blanks, &["", " "])?;
                return Err(cursor.cut_header());
            }
            Next::Text if cursor.source.text[cursor.at..].starts_with('\n') => {
                check_blanks(cursor, config, blanks, &[""])?;
                cursor.take_line_feed();
                return Ok(header);
            }
            Next::Text if has_blanks && header.name.is_none() => {
                check_blanks(cursor, config, blanks, &[" "])?;
                if config.is_generation() && !dialect.generates_names {
                    let error = cursor.unexpected();
                    return Err(error.with_hint("a generated header ends in its line feed"));
                }
                let start = cursor.at;
                let name = name(cursor, dialect, header.role)?;
                if config.is_generation() && name.chars().count() > LONGEST_NAME {
                    let span = Span::new(start, cursor.at);
                    return Err(TranscriptError::header(
                        span,
                        "a generated name that is too long",
                    ));
                }
                header.name = Some(name);
            }
            // White space that was wrong already is what is wrong.
            Next::Text => {
                check_blanks(cursor, config, blanks, &["", " "])?;
                let error = cursor.unexpected();
                return Err(error.with_hint("a header is a role, perhaps name=, and a line feed"));
            }
            Next::Control(token, span) => {
                check_blanks(cursor, config, blanks, &["", " "])?;
                let error = TranscriptError::header(span, format!("{token} in a header"));
                return Err(error.with_hint("a header ends in a line feed"));
            }
        }
    }
}

/// In generated headers white space is canonical.
fn check_blanks(
    cursor: &Cursor<'_>,
    config: &ParserConfig<'_>,
    blanks: Span,
    allowed: &[&str],
) -> Result<(), TranscriptError> {
    if !config.is_generation() || allowed.contains(&cursor.text(blanks)) {
        return Ok(());
    }
    let error = TranscriptError::header(blanks, "white space that no canonical header has here");
    Err(error.with_hint("one space before name=, none before the line feed"))
}

fn role(
    cursor: &mut Cursor<'_>,
    config: &ParserConfig<'_>,
    dialect: &Dialect,
) -> Result<Role, TranscriptError> {
    let word = cursor.word("a role")?;
    let mut roles = dialect.roles.iter();
    let unknown = || {
        if config.is_generation() {
            let message = format!("the role {:?} in a generated turn", word.text);
            return TranscriptError::new(ErrorCode::TurnRole, word.span, message);
        }
        TranscriptError::header(word.span, format!("unknown role {:?}", word.text))
    };
    let legal = |role: &Role| !config.is_generation() || *role == Role::Assistant;
    if word.open {
        let begins = roles.any(|(name, role)| legal(role) && name.starts_with(word.text));
        return Err(match begins {
            true => cursor.cut_header(),
            false => unknown(),
        });
    }
    let found = roles.find(|(name, role)| legal(role) && *name == word.text);
    found.map(|(_, role)| *role).ok_or_else(unknown)
}

/// Takes `name=` and its value: visible characters without `<`, or a control token.
fn name(cursor: &mut Cursor<'_>, dialect: &Dialect, role: Role) -> Result<String, TranscriptError> {
    // The names of OpenChatML 0.1 are of any letters.
    let fits = |c: char| is_visible(c) && (c.is_ascii() || dialect.generates_names);
    let Word { text, span, open } = cursor.word_of("name=", fits)?;
    let Some(value) = text.strip_prefix("name=") else {
        return Err(match open && "name=".starts_with(text) {
            true => cursor.cut_header(),
            false => TranscriptError::header(span, format!("unexpected {text:?} in a header")),
        });
    };
    if open {
        return Err(cursor.cut_header());
    }
    if !value.is_empty() {
        return Ok(value.to_owned());
    }
    let token = match cursor.next()? {
        Next::End => return Err(cursor.cut_header()),
        Next::Control(token @ (ControlToken::Plugin | ControlToken::Interpreter), span)
            if dialect.has_token_names && matches!(role, Role::System | Role::Tool) =>
        {
            cursor.at = span.end;
            token
        }
        Next::Control(token, span) => {
            return Err(TranscriptError::header(span, format!("{token} is no name")));
        }
        Next::Text => return Err(TranscriptError::header(span, "name= without a value")),
    };
    Ok(token.spelling().to_owned())
}
