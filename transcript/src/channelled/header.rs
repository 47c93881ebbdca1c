//! The grammar of message headers.

use super::rules::{Attribute, Rules};
use crate::calls::{is_id_char, is_role_char, is_role_of_tool, is_visible, unknown_tool};
use crate::config::TypeRule;
use crate::control::ControlToken;
use crate::error::{ErrorCode, TranscriptError};
use crate::message::{Channel, HeaderForm, Intent, RecipientPlace, Role, TypeGap};
use crate::source::{Cursor, Next, Word};
use crate::span::Span;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spanned<T> {
    pub(super) value: T,
    pub(super) span: Span,
}

/// A header, from after `<|start|>` through `<|message|>`.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) role: Role,
    pub(super) name: Option<Spanned<String>>,
    pub(super) recipient: Option<Spanned<String>>,
    pub(super) call_id: Option<Spanned<String>>,
    pub(super) channel: Option<Spanned<Channel>>,
    pub(super) intent: Option<Spanned<Intent>>,
    pub(super) content_type: Option<Spanned<String>>,
    pub(super) constrain: Option<Spanned<String>>,
    pub(super) form: HeaderForm,
    /// The role, where that is a name that nothing says is a tool's.
    pub(super) unknown_role: Option<Span>,
    pub(super) span: Span,
}

impl Header {
    /// What the type of the body is said to be: by `<|constrain|>`, else by the hint.
    pub(super) fn body_type(&self) -> Option<&Spanned<String>> {
        self.constrain.as_ref().or(self.content_type.as_ref())
    }

    pub(super) fn has_json_body(&self) -> bool {
        self.constrain
            .as_ref()
            .is_some_and(|constrain| constrain.value == "json")
    }
}

/// Where a header is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeaderStart {
    /// Before the role.
    Role,
    /// After the role `assistant`.
    AssistantRole,
}

/// Reads a header through its `<|message|>`.
pub(super) fn read_header(
    cursor: &mut Cursor<'_>,
    rules: &Rules<'_>,
    start: HeaderStart,
) -> Result<Header, TranscriptError> {
    let begin = cursor.at;
    let header = Header {
        role: Role::Assistant,
        name: None,
        recipient: None,
        call_id: None,
        channel: None,
        intent: None,
        content_type: None,
        constrain: None,
        form: HeaderForm::default(),
        unknown_role: None,
        span: Span::new(begin, begin),
    };
    let mut reader = Reader {
        cursor,
        rules,
        header,
        part: Part::Start,
        seen: Vec::new(),
    };
    if start == HeaderStart::Role {
        reader.role()?;
    }
    let (mut token, mut span) = reader.rest_of_part()?;
    if token == ControlToken::Channel {
        reader.channel()?;
        (token, span) = reader.rest_of_part()?;
    }
    if token == ControlToken::Constrain {
        reader.constrain()?;
        (token, span) = reader.rest_of_part()?;
    }
    if token != ControlToken::Message {
        return Err(reader.misplaced(token, span));
    }
    let mut header = reader.header;
    header.span = Span::new(begin, span.end);
    check_whole(&header, rules, span)?;
    Ok(header)
}

/// What only the whole header shows.
fn check_whole(header: &Header, rules: &Rules<'_>, message: Span) -> Result<(), TranscriptError> {
    if header.role == Role::Assistant && header.channel.is_none() && rules.needs_channels() {
        let error = TranscriptError::new(
            ErrorCode::ParseChannelMissing,
            message,
            "an assistant message without a channel",
        );
        return Err(
            error.with_hint("<|channel|>analysis, <|channel|>commentary or <|channel|>final")
        );
    }
    if let (Some(span), None) = (header.unknown_role, &header.recipient) {
        let error = TranscriptError::header(span, "an unknown role");
        return Err(error.with_hint("the role of a tool's reply is its name, and to= is due"));
    }
    if header.role == Role::Tool && header.name.is_none() {
        let error = TranscriptError::header(header.span, "a tool's reply without the tool's name");
        return Err(error.with_hint(rules.dialect.tool_name_hint));
    }
    Ok(())
}

/// The parts of a header that control tokens set apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Start,
    Channel,
    Constrain,
}

struct Reader<'c, 's> {
    cursor: &'c mut Cursor<'s>,
    rules: &'c Rules<'c>,
    header: Header,
    part: Part,
    /// The attributes read so far.
    seen: Vec<Attribute>,
}

impl<'s> Reader<'_, 's> {
    fn role(&mut self) -> Result<(), TranscriptError> {
        let word = self.word("a role")?;
        if self.rules.config.is_generation() {
            return self.generated_role(word);
        }
        if word.open {
            return Err(self.cut_or_else(self.is_name(word.text), || unknown_role(word)));
        }
        self.header.role = match word.text {
            "system" => Role::System,
            "developer" => Role::Developer,
            "user" => Role::User,
            "assistant" => {
                if self.rules.dialect.has_bare_types {
                    // Some published prompts of Harmony end in a line break.
                    self.cursor.take_line_feed();
                }
                Role::Assistant
            }
            "tool" => Role::Tool,
            name if self.is_name(name) => {
                if !self.is_tool_role(name) {
                    self.header.unknown_role = Some(word.span);
                }
                self.header.name = Some(spanned(name.to_owned(), word.span));
                Role::Tool
            }
            _ => return Err(unknown_role(word)),
        };
        if self.rules.allows_role(word.text) {
            return Ok(());
        }
        let message = format!("the document header has no role {:?}", word.text);
        Err(TranscriptError::header(word.span, message).with_hint("see its capabilities"))
    }

    /// Takes a word. Harmony's deployed parsers read one up to white space or a control token, whatever it is of.
    fn word(&mut self, what: &str) -> Result<Word<'s>, TranscriptError> {
        match self.rules.dialect.has_bare_types {
            true => self.cursor.word_of(what, is_visible),
            false => self.cursor.word(what),
        }
    }

    /// Whether a role can be a tool's name.
    fn is_name(&self, name: &str) -> bool {
        match self.rules.dialect.has_bare_types {
            true => name.chars().all(is_role_char),
            false => name.chars().all(|c| is_id_char(c) || c == '.'),
        }
    }

    /// A turn holds messages of the assistant only.
    fn generated_role(&self, word: Word<'_>) -> Result<(), TranscriptError> {
        let other = || {
            let message = format!("the role {:?} in a generated turn", word.text);
            TranscriptError::new(ErrorCode::TurnRole, word.span, message)
                .with_hint("a turn holds messages of the assistant only")
        };
        match word.text {
            text if word.open => Err(self.cut_or_else("assistant".starts_with(text), other)),
            "assistant" => Ok(()),
            _ => Err(other()),
        }
    }

    /// Whether a role is known to be a tool's name: a namespace says so, or the tools given.
    fn is_tool_role(&self, name: &str) -> bool {
        let tools = self.rules.config.tools.as_ref();
        is_role_of_tool(name) || tools.is_some_and(|tools| tools.contains(name))
    }

    fn channel(&mut self) -> Result<(), TranscriptError> {
        self.part = Part::Channel;
        let word = self.cursor.word("a channel")?;
        let unknown = || {
            TranscriptError::header(word.span, format!("unknown channel {:?}", word.text))
                .with_hint("analysis, commentary or final")
        };
        if word.open {
            let begins = Channel::ALL
                .iter()
                .any(|c| c.as_str().starts_with(word.text));
            return Err(self.cut_or_else(begins, unknown));
        }
        let channel = Channel::ALL.into_iter().find(|c| c.as_str() == word.text);
        let channel = channel.ok_or_else(unknown)?;
        if !self.rules.allows_channel(channel) {
            let message = format!("the document header has no channel {:?}", word.text);
            return Err(
                TranscriptError::header(word.span, message).with_hint("see its capabilities")
            );
        }
        self.header.channel = Some(spanned(channel, word.span));
        Ok(())
    }

    fn constrain(&mut self) -> Result<(), TranscriptError> {
        self.part = Part::Constrain;
        let bare = self.header.content_type.as_ref();
        if let Some(first) = bare.filter(|_| self.rules.dialect.has_bare_types) {
            let message = format!("the type {:?} stands before already", first.value);
            return Err(TranscriptError::header(self.cursor.next_char(), message));
        }
        let word = self.cursor.word("a type")?;
        if self.rules.dialect.has_bare_types {
            self.deployed_type(word)?;
        }
        if word.open {
            return Err(self.cut());
        }
        self.header.constrain = Some(spanned(word.text.to_owned(), word.span));
        Ok(())
    }

    /// Reads white space and attributes through the control token that ends the part.
    fn rest_of_part(&mut self) -> Result<(ControlToken, Span), TranscriptError> {
        loop {
            let space = self.cursor.take_blanks();
            match self.cursor.next()? {
                Next::End => {
                    self.check_space(space, &["", " "])?;
                    return Err(self.cut());
                }
                Next::Control(token, span) => {
                    let optional = self.rules.dialect.has_bare_types
                        && self.part == Part::Channel
                        && token == ControlToken::Constrain;
                    self.check_space(space, if optional { &["", " "] } else { &[""] })?;
                    self.rules.check_token(token, span)?;
                    let deployed = self.rules.dialect.has_bare_types;
                    if deployed && token == ControlToken::Constrain && space.start == space.end {
                        self.header.form.gap = TypeGap::Nothing;
                    }
                    self.cursor.at = span.end;
                    return Ok((token, span));
                }
                Next::Text if space.start == space.end || self.part == Part::Constrain => {
                    self.check_space(space, &["", " "])?;
                    return Err(self.unexpected());
                }
                Next::Text => {
                    self.check_space(space, &[" "])?;
                    self.attribute()?;
                }
            }
        }
    }

    /// In generated headers white space is canonical.
    fn check_space(&self, space: Span, allowed: &[&str]) -> Result<(), TranscriptError> {
        if !self.rules.config.is_generation() || allowed.contains(&self.cursor.text(space)) {
            return Ok(());
        }
        Err(
            TranscriptError::header(space, "white space that no canonical header has here")
                .with_hint("one space before an attribute, none before a control token"),
        )
    }

    fn attribute(&mut self) -> Result<(), TranscriptError> {
        let word = self.word("an attribute")?;
        let Some((key, value)) = word.text.split_once('=') else {
            return self.bare_word(word);
        };
        let unknown = || TranscriptError::header(word.span, format!("unknown attribute {key:?}"));
        let mut attributes = self.rules.dialect.attributes.iter().copied();
        let attribute = attributes
            .find(|attribute| attribute.key() == key)
            .ok_or_else(unknown)?;
        self.check_place(attribute, word.span)?;
        let start = word.span.start + key.len() + 1;
        let value = Word {
            text: value,
            span: Span::new(start, word.span.end),
            open: word.open,
        };
        if value.text.is_empty() && !value.open {
            return Err(TranscriptError::header(
                word.span,
                format!("{key}= without a value"),
            ));
        }
        self.value(attribute, value)
    }

    /// A word without `=`: the beginning of an attribute, or Harmony's type after the channel.
    fn bare_word(&mut self, word: Word<'s>) -> Result<(), TranscriptError> {
        let begins = |attribute: &Attribute| {
            let key = format!("{}=", attribute.key());
            key.starts_with(word.text) && self.has_place(*attribute)
        };
        if word.open && self.rules.dialect.attributes.iter().any(begins) {
            return Err(self.cut());
        }
        if !self.rules.dialect.has_bare_types || self.part != Part::Channel {
            let message = format!("unexpected {:?} in a header", word.text);
            return Err(TranscriptError::header(word.span, message));
        }
        if self.header.content_type.is_some() {
            let message = format!("unexpected {:?} after the type", word.text);
            return Err(TranscriptError::header(word.span, message));
        }
        if self.rules.config.is_generation() && self.rules.config.types == TypeRule::Constrained {
            return Err(TranscriptError::header(
                word.span,
                "a type without <|constrain|> before it",
            )
            .with_hint("<|constrain|>json"));
        }
        self.deployed_type(word)?;
        if word.open {
            return Err(self.cut());
        }
        self.seen.push(Attribute::ContentType);
        self.header.content_type = Some(spanned(word.text.to_owned(), word.span));
        Ok(())
    }

    /// Checks a type of Harmony: when generated, one of those that models are trained to emit.
    fn deployed_type(&self, word: Word<'_>) -> Result<(), TranscriptError> {
        let known = if !self.rules.config.is_generation() {
            word.text
                .chars()
                .all(|c| is_id_char(c) || "./+".contains(c))
        } else if word.open {
            ["json", "code"]
                .iter()
                .any(|name| name.starts_with(word.text))
        } else {
            ["json", "code"].contains(&word.text)
        };
        if known {
            return Ok(());
        }
        Err(
            TranscriptError::header(word.span, format!("{:?} is no type", word.text))
                .with_hint("after the channel come to=, a type, <|constrain|> or <|message|>"),
        )
    }

    /// Each attribute once over both parts; in canonical order and place when generated.
    fn check_place(&mut self, attribute: Attribute, span: Span) -> Result<(), TranscriptError> {
        let key = attribute.key();
        if self.seen.contains(&attribute) {
            return Err(TranscriptError::header(
                span,
                format!("{key}= stands before already"),
            ));
        }
        let bare_types = self.rules.dialect.has_bare_types;
        let generation = self.rules.config.is_generation();
        if (bare_types || generation) && self.seen.last().is_some_and(|&last| last > attribute) {
            return Err(
                TranscriptError::header(span, format!("{key}= comes too late"))
                    .with_hint("to, call_id, name, intent, content_type: in this order"),
            );
        }
        if !self.has_place(attribute) {
            return Err(
                TranscriptError::header(span, format!("{key}= after the channel"))
                    .with_hint("it belongs right after the role"),
            );
        }
        self.seen.push(attribute);
        Ok(())
    }

    /// Whether an attribute may stand in this part: name and id of a call belong to the start
    /// (OpenChatML 2.2 §6), where generated headers have all.
    fn has_place(&self, attribute: Attribute) -> bool {
        let in_start = matches!(attribute, Attribute::Name | Attribute::CallId)
            || (self.rules.config.is_generation() && !self.rules.dialect.has_bare_types);
        self.part == Part::Start || !in_start
    }

    fn value(&mut self, attribute: Attribute, value: Word<'s>) -> Result<(), TranscriptError> {
        match attribute {
            Attribute::To => self.check_recipient(value)?,
            Attribute::CallId => check_call_id(value)?,
            Attribute::Intent => return self.intent(value),
            Attribute::Name | Attribute::ContentType => {}
        }
        if value.open {
            return Err(self.cut());
        }
        let text = Some(spanned(value.text.to_owned(), value.span));
        match attribute {
            Attribute::To => {
                self.header.recipient = text;
                if self.rules.dialect.has_bare_types && self.part == Part::Channel {
                    self.header.form.recipient = RecipientPlace::Channel;
                }
            }
            Attribute::CallId => self.header.call_id = text,
            Attribute::Name => self.header.name = text,
            Attribute::Intent | Attribute::ContentType => self.header.content_type = text,
        }
        Ok(())
    }

    /// In a generated turn every recipient is a tool's name, a cut one the beginning of one. In
    /// history only calls are judged, and only `<|call|>` makes a call.
    fn check_recipient(&self, value: Word<'_>) -> Result<(), TranscriptError> {
        let config = self.rules.config;
        let Some(tools) = config.tools.as_ref().filter(|_| config.is_generation()) else {
            return Ok(());
        };
        let known = if value.open {
            tools.has_prefix(value.text)
        } else {
            tools.contains(value.text)
        };
        if known {
            Ok(())
        } else {
            Err(unknown_tool(value.text, value.span))
        }
    }

    fn intent(&mut self, value: Word<'_>) -> Result<(), TranscriptError> {
        let unknown = || {
            TranscriptError::header(value.span, format!("unknown intent {:?}", value.text))
                .with_hint("preamble, status or debug")
        };
        if value.open {
            let begins = Intent::ALL
                .iter()
                .any(|i| i.as_str().starts_with(value.text));
            return Err(self.cut_or_else(begins, unknown));
        }
        let intent = Intent::ALL.into_iter().find(|i| i.as_str() == value.text);
        self.header.intent = Some(spanned(intent.ok_or_else(unknown)?, value.span));
        Ok(())
    }

    fn cut(&self) -> TranscriptError {
        self.cursor.cut_header()
    }

    /// The input ends in a word: cut off if the word is good so far, else malformed.
    fn cut_or_else(
        &self,
        is_prefix: bool,
        malformed: impl FnOnce() -> TranscriptError,
    ) -> TranscriptError {
        if is_prefix { self.cut() } else { malformed() }
    }

    fn unexpected(&self) -> TranscriptError {
        let error = self.cursor.unexpected();
        match self.cursor.text(error.span()) {
            "\n" => error.with_hint("a header is one line, up to <|message|>"),
            _ => error,
        }
    }

    fn misplaced(&self, token: ControlToken, span: Span) -> TranscriptError {
        let what = match (token, self.part) {
            (ControlToken::Start, _) => "a second <|start|> in one header".to_owned(),
            (ControlToken::Channel, Part::Channel) => {
                "a second <|channel|> in one header".to_owned()
            }
            _ => format!("{token} in a header"),
        };
        TranscriptError::header(span, what).with_hint("<|message|> is due")
    }
}

fn unknown_role(word: Word<'_>) -> TranscriptError {
    TranscriptError::header(word.span, format!("unknown role {:?}", word.text))
}

fn check_call_id(value: Word<'_>) -> Result<(), TranscriptError> {
    if value.text.len() <= 64 && value.text.chars().all(is_id_char) {
        return Ok(());
    }
    Err(
        TranscriptError::header(value.span, format!("{:?} is no call id", value.text))
            .with_hint("1 to 64 letters, digits, `_` or `-`"),
    )
}

fn spanned<T>(value: T, span: Span) -> Spanned<T> {
    Spanned { value, span }
}
