//! From text to words: strings and classes whole, with their quotes and brackets.

use logos::{Lexer, Logos};

use crate::base::Span;

/// The words of llama.cpp's GBNF, of XGrammar's EBNF and of W3C's (XML 1.0, section 6).
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip(r"[ \t\r\n\u{feff}]+"))]
#[logos(skip(r"/\*([^*]|\*+[^*/])*\*+/"))]
#[logos(skip(r"//[^\r\n]*", allow_greedy = true))]
pub(super) enum Token {
    /// `#x41`, or else a comment, which is passed over.
    #[token("#", number_sign)]
    Character,
    #[regex(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")]
    Name,
    #[token("::=")]
    Defines,
    #[token("|")]
    Bar,
    #[token("(")]
    GroupStart,
    #[token("(=")]
    LookAhead,
    #[token(")")]
    GroupEnd,
    #[token("*")]
    Star,
    #[token("+")]
    Plus,
    #[token("?")]
    Question,
    #[token(".")]
    Dot,
    #[token(",")]
    Comma,
    #[token("=")]
    Equals,
    /// `{2}`, `{2,}`, `{2,3}`, `{,3}`, and `{2, -1}` as XGrammar prints `{2,}`.
    #[regex(r"\{[ \t]*[0-9]*[ \t]*(,[ \t]*([0-9]*|-1)[ \t]*)?\}")]
    Count,
    #[regex(r#""([^"\\]|\\.)*""#)]
    #[regex(r#"'([^'\\]|\\.)*'"#)]
    Text,
    #[regex(r"\[([^\]\\]|\\.)*\]")]
    Class,
    /// `<[7]>`, `<|name|>`, either after `!`.
    #[regex(r"!?<[^<>\r\n]+>")]
    Control,
    #[regex(r#""([^"\\]|\\.)*"#)]
    #[regex(r#"'([^'\\]|\\.)*"#)]
    OpenText,
    #[regex(r"\[([^\]\\]|\\.)*")]
    OpenClass,
    #[regex(r"!?<[^<>\r\n]*")]
    OpenControl,
    #[token("/*")]
    OpenComment,
    /// Anything else.
    Unknown,
}

/// A word and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// The words of `source`.
pub(super) fn words(source: &str) -> Vec<Word> {
    let words = Token::lexer(source).spanned();
    words
        .map(|(token, range)| Word {
            token: token.unwrap_or(Token::Unknown),
            span: Span::new(range.start, range.end),
        })
        .collect()
}

/// `#x` and hexadecimal digits is a character; with anything else `#` begins a comment.
fn number_sign(lexer: &mut Lexer<'_, Token>) -> logos::FilterResult<(), ()> {
    match character(lexer.remainder()) {
        Some(length) => {
            lexer.bump(length);
            logos::FilterResult::Emit(())
        }
        None => {
            let rest = lexer.remainder();
            lexer.bump(rest.find(['\r', '\n']).unwrap_or(rest.len()));
            logos::FilterResult::Skip
        }
    }
}

/// How long `x41` is at the beginning of `rest`, if it is there and nothing is joined to it.
pub(super) fn character(rest: &str) -> Option<usize> {
    let digits = rest.strip_prefix('x')?;
    let end = digits.find(|c: char| !c.is_ascii_hexdigit());
    let end = end.unwrap_or(digits.len());
    let joined = digits[end..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (end > 0 && !joined).then_some(1 + end)
}
