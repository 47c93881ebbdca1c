//! From text to rules' tokens: words by `logos`, rules by indentation, pragmas from comments.

use std::ops::Range;

use logos::Logos;

use super::error::{AbnfErrorKind, AbnfWarningKind, Fault, Faults};
use crate::base::Span;

/// The words of RFC 5234, section 4, and RFC 7405, section 2.2.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    #[token("\u{feff}")]
    ByteOrderMark,
    #[regex(r"[ \t]+")]
    Blank,
    #[regex(r"\r?\n")]
    Newline,
    #[regex(r";[^\r\n]*", allow_greedy = true)]
    Comment,
    #[regex(r"[A-Za-z][A-Za-z0-9\-]*")]
    Name,
    #[token("=")]
    Defines,
    #[token("=/")]
    Extends,
    #[token("/")]
    Slash,
    #[token("(")]
    GroupStart,
    #[token(")")]
    GroupEnd,
    #[token("[")]
    OptionStart,
    #[token("]")]
    OptionEnd,
    #[token("*")]
    Star,
    #[regex(r"[0-9]+")]
    Number,
    /// `%x41-5A`, checked when parsed.
    #[regex(r"%[bBdDxX][0-9A-Za-z.\-]*")]
    Value,
    /// With its quotes and its `%s` or `%i`.
    #[regex(r#"(%[sSiI])?"[^"\r\n]*""#)]
    Text,
    /// With its angle brackets.
    #[regex(r"<[^>\r\n]*>")]
    Prose,
    #[regex(r#"(%[sSiI])?"[^"\r\n]*"#)]
    OpenText,
    #[regex(r"<[^>\r\n]*")]
    OpenProse,
    /// Anything else.
    Unknown,
}

/// A word and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// A text cut into the words of its rules; white space, comments and blank lines are gone.
#[derive(Debug, Default)]
pub(super) struct Layout {
    words: Vec<Word>,
    starts: Vec<usize>,
    /// The column of the first rule, from 0, tabs reaching to multiples of 8.
    indentation: Option<usize>,
    /// The text begins with the pragma `; @bytes`.
    pub(super) bytes: bool,
    pub(super) warnings: Vec<Fault<AbnfWarningKind>>,
}

impl Layout {
    /// The words of each rule, in order.
    pub(super) fn rules(&self) -> impl Iterator<Item = &[Word]> {
        let ends = self
            .starts
            .iter()
            .skip(1)
            .copied()
            .chain([self.words.len()]);
        self.starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| &self.words[start..end])
    }

    /// Cuts `source`. All rules begin in the column of the first one; deeper lines continue the
    /// rule above (RFC 5234, section 2.2).
    pub(super) fn of(source: &str, faults: &mut Faults) -> Self {
        let mut layout = Self::default();
        let mut indentation = Some(0);
        for (token, range) in Token::lexer(source).spanned() {
            let span = Span::new(range.start, range.end);
            match token.unwrap_or(Token::Unknown) {
                Token::ByteOrderMark if span.start == 0 => {}
                Token::Newline => indentation = Some(0),
                Token::Blank => indentation = indentation.map(|_| width(&source[range])),
                Token::Comment => layout.comment(&source[range.clone()], range),
                token => {
                    if let Some(column) = indentation.take() {
                        layout.line(column, span, faults);
                    }
                    layout.words.push(Word { token, span });
                }
            }
        }
        layout
    }

    /// A line with words begins in `column`.
    fn line(&mut self, column: usize, span: Span, faults: &mut Faults) {
        let expected = *self.indentation.get_or_insert(column);
        if column > expected {
            return;
        }
        if column < expected {
            let kind = AbnfErrorKind::Indentation {
                expected: expected + 1,
                found: column + 1,
            };
            faults.push(Fault::new(kind, span).hint("indent all rules alike"));
        }
        self.starts.push(self.words.len());
    }

    /// `; @bytes` above the first rule says that numbers are bytes.
    fn comment(&mut self, text: &str, range: Range<usize>) {
        let pragma = text.trim_start_matches(';').trim();
        if !pragma.starts_with('@') {
            return;
        }
        if pragma == "@bytes" && self.starts.is_empty() {
            self.bytes = true;
            return;
        }
        let kind = AbnfWarningKind::IdlePragma {
            text: pragma.to_owned(),
        };
        let fault = Fault::new(kind, Span::new(range.start, range.end));
        self.warnings
            .push(fault.hint("the only pragma is `; @bytes`, above the first rule"));
    }
}

/// How far `blank`, at the start of a line, indents.
fn width(blank: &str) -> usize {
    blank.bytes().fold(0, |column, byte| match byte {
        b'\t' => (column / 8 + 1) * 8,
        _ => column + 1,
    })
}
