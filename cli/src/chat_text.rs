//! A text of a chat format in a file: as it is, or as a list of texts and token objects.

use maskwright::base::{LineColumn, Part};
use maskwright_transcript::{
    ControlToken, ParserConfig, SpeltControls, TokenListItem, Transcript, TranscriptError, parse,
    parse_pieces, read_token_list,
};

use super::failure::Failure;
use super::input::Named;

/// A text in a file, and how its control tokens are told from their spellings.
pub(crate) struct ChatText<'f> {
    file: &'f Named,
    /// The items of a list, in which only token objects are control tokens. None where the file is the text.
    items: Option<Vec<TokenListItem>>,
}

impl<'f> ChatText<'f> {
    /// What a file has, where no text begins as a list does.
    pub(crate) fn of(file: &'f Named) -> Result<Self, Failure> {
        let list = file.text.trim_start().strip_prefix('[');
        let begins = list.is_some_and(|rest| rest.trim_start().starts_with(['"', '{', ']']));
        let items = begins.then(|| read_token_list(&file.text)).transpose();
        match items {
            Ok(items) => Ok(Self { file, items }),
            Err(error) => Err(file.failure_at(error.to_string(), &error.pointer)),
        }
    }

    /// The same where a text may begin in any way: only a list with a token object is one.
    pub(crate) fn of_any(file: &'f Named) -> Self {
        let is_token = |item: &TokenListItem| matches!(item, TokenListItem::Token(_));
        let items = read_token_list(&file.text).ok();
        Self {
            file,
            items: items.filter(|items| items.iter().any(is_token)),
        }
    }

    /// The parts of a list. None where the file is the text.
    pub(crate) fn parts(&self) -> Option<impl Iterator<Item = Part<'_>>> {
        let items = self.items.as_ref()?.iter();
        Some(items.map(|item| match item {
            TokenListItem::Text(text) => Part::Text(text.as_bytes()),
            TokenListItem::Token(name) => Part::Special(name),
        }))
    }

    /// Whether places in the text are places in the file.
    pub(crate) fn is_text(&self) -> bool {
        self.items.is_none()
    }

    /// Parses all of it.
    pub(crate) fn parse(&self, config: &ParserConfig<'_>) -> Result<Transcript, TranscriptError> {
        let Some(items) = &self.items else {
            return parse(&self.file.text, config);
        };
        let all = ControlToken::ALL.into_iter().collect();
        let config = ParserConfig {
            spelt: SpeltControls::Text,
            ..config.clone()
        };
        parse_pieces(items.iter().map(TokenListItem::piece), all, &config)
    }

    /// Parses history. One line feed at the end of a text is the file's.
    pub(crate) fn parse_history(&self, config: &ParserConfig<'_>) -> Result<Transcript, Failure> {
        let read = match self.file.text.strip_suffix('\n') {
            Some(text) if self.is_text() => parse(text, config),
            _ => self.parse(config),
        };
        read.map_err(|error| {
            let message = format!("{}: {}", error.code(), error.message());
            let failure = match self.item_at(error.span().start) {
                Some(item) => self.file.failure_at(message, &format!("#/{item}")),
                None => (self.file).failure(message, error.span().start..error.span().end),
            };
            match error.hint() {
                Some(hint) => failure.hint(hint),
                None => failure,
            }
        })
    }

    /// Where byte `at` of the text stands in the file.
    pub(crate) fn place(&self, at: usize) -> String {
        let name = &self.file.name;
        match self.item_at(at) {
            Some(item) => format!("{name}: #/{item}"),
            None => format!("{name}:{}", LineColumn::of(&self.file.text, at)),
        }
    }

    /// The item of a list in which byte `at` of all items together stands; the last one for what comes after.
    fn item_at(&self, at: usize) -> Option<usize> {
        let items = self.items.as_ref()?;
        let mut end = 0;
        let ends = items.iter().map(|item| {
            end += match item {
                TokenListItem::Text(text) | TokenListItem::Token(text) => text.len(),
            };
            end
        });
        let before = ends.take_while(|&end| end <= at).count();
        Some(before.min(items.len().saturating_sub(1)))
    }
}
