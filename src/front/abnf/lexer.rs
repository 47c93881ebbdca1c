//! From text to rules' tokens: words by `logos`, rules by indentation, pragmas from comments.

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
    /// The first words of lines, and the columns that these begin in.
    lines: Vec<(usize, usize)>,
    /// Pragmas: how many words stand before each, where it stands, and what else its line has.
    pragmas: Vec<(usize, Span, Line)>,
    /// The text begins with the pragma `; @bytes`.
    pub(super) bytes: bool,
    /// The rules that have a pragma `; @bytes` of their own.
    byte_rules: Vec<usize>,
    pub(super) warnings: Vec<Fault<AbnfWarningKind>>,
}

/// What a line with a comment has before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Blank,
    Words,
}

impl Layout {
    /// The words of each rule, in order, and whether its numbers are bytes.
    pub(super) fn rules(&self) -> impl Iterator<Item = (&[Word], bool)> {
        let ends = self
            .starts
            .iter()
            .skip(1)
            .copied()
            .chain([self.words.len()]);
        let rules = self.starts.iter().zip(ends).enumerate();
        rules.map(|(index, (&start, end))| {
            let bytes = self.bytes || self.byte_rules.contains(&index);
            (&self.words[start..end], bytes)
        })
    }

    /// Cuts `source`. A rule begins where a line begins with a name and `=`, in whatever column; other
    /// lines are deeper than the first rule and continue the one above (RFC 5234, section 2.2).
    pub(super) fn of(source: &str, faults: &mut Faults) -> Self {
        let mut layout = Self::default();
        let mut indentation = Some(0);
        for (token, range) in Token::lexer(source).spanned() {
            let span = Span::new(range.start, range.end);
            match token.unwrap_or(Token::Unknown) {
                Token::ByteOrderMark if span.start == 0 => {}
                Token::Newline => indentation = Some(0),
                Token::Blank => indentation = indentation.map(|_| width(&source[range])),
                Token::Comment => {
                    let line = match indentation {
                        Some(_) => Line::Blank,
                        None => Line::Words,
                    };
                    layout.comment(&source[range], span, line);
                }
                token => {
                    if let Some(column) = indentation.take() {
                        layout.lines.push((layout.words.len(), column));
                    }
                    layout.words.push(Word { token, span });
                }
            }
        }
        layout.find_rules(faults);
        layout.place_pragmas(source);
        layout
    }

    /// Finds where rules begin.
    fn find_rules(&mut self, faults: &mut Faults) {
        let Some(&(_, expected)) = self.lines.first() else {
            return;
        };
        for &(at, column) in &self.lines {
            let tokens = [at, at + 1].map(|at| self.words.get(at).map(|word| word.token));
            let defines = matches!(
                tokens,
                [Some(Token::Name), Some(Token::Defines | Token::Extends)]
            );
            if column > expected && !defines {
                continue;
            }
            if column < expected && !defines {
                let kind = AbnfErrorKind::Indentation {
                    expected: expected + 1,
                    found: column + 1,
                };
                let span = self.words[at].span;
                faults.push(Fault::new(kind, span).hint("indent what continues a rule deeper"));
            }
            self.starts.push(at);
        }
    }

    /// Keeps what looks like a pragma.
    fn comment(&mut self, text: &str, span: Span, line: Line) {
        if text.trim_start_matches(';').trim().starts_with('@') {
            self.pragmas.push((self.words.len(), span, line));
        }
    }

    /// `; @bytes` above the first rule says that all numbers are bytes; on a line of a rule, or alone above
    /// one, that those of this rule are.
    fn place_pragmas(&mut self, source: &str) {
        for (before, span, line) in std::mem::take(&mut self.pragmas) {
            let pragma = source[span.start..span.end].trim_start_matches(';').trim();
            let begun = self.starts.partition_point(|&start| start < before);
            let rule = match line {
                Line::Words => begun.checked_sub(1),
                // Within a rule it is that rule's, above one the next one's.
                Line::Blank if self.starts.get(begun) == Some(&before) => Some(begun),
                Line::Blank => begun.checked_sub(1).filter(|_| before < self.words.len()),
            };
            match (pragma, rule) {
                ("@bytes", _) if before == 0 => self.bytes = true,
                ("@bytes", Some(rule)) => self.byte_rules.push(rule),
                _ => {
                    let text = pragma.to_owned();
                    let fault = Fault::new(AbnfWarningKind::IdlePragma { text }, span);
                    self.warnings.push(fault.hint(
                        "the only pragma is `; @bytes`, above the first rule, or with the rule it is for",
                    ));
                }
            }
        }
    }
}

/// How far `blank`, at the start of a line, indents.
fn width(blank: &str) -> usize {
    blank.bytes().fold(0, |column, byte| match byte {
        b'\t' => (column / 8 + 1) * 8,
        _ => column + 1,
    })
}
