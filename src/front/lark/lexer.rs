//! From text to words: strings and patterns whole, line breaks where they end something.

use logos::Logos;

use crate::base::Span;

/// The words of Lark's grammars, with those of llguidance.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(skip(r"[ \t\f\u{feff}]+"))]
#[logos(skip(r"(#|//)[^\r\n]*", allow_greedy = true))]
#[logos(skip(r"\\[ \t]*\r?\n"))]
pub(super) enum Token {
    #[regex(r"\r?\n|\r")]
    Newline,
    #[regex(r"_*[a-z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*")]
    Rule,
    #[regex(r"_*[A-Z][A-Za-z0-9_]*(-[A-Za-z0-9_]+)*")]
    Terminal,
    #[regex(r"[+-]?[0-9]+")]
    Number,
    #[regex(r"[0-9]+\.[0-9]+")]
    Decimal,
    #[regex(r#""([^"\\\r\n]|\\.)*"i?"#)]
    Text,
    #[regex(r"/([^/\\\r\n*]|\\.)([^/\\\r\n]|\\.)*/[a-z]*")]
    // With the flag `x` it may have line breaks.
    #[regex(r"/([^/\\*]|\\.)([^/\\]|\\.)*/[imsu]*x[imsux]*")]
    Pattern,
    #[regex(r"<[^<>\s]+>")]
    Control,
    #[regex(r"%[a-z_]+")]
    Directive,
    #[regex(r"@[A-Za-z0-9_-]+")]
    Reference,
    #[token(":")]
    Colon,
    #[token("::")]
    DoubleColon,
    #[token(",")]
    Comma,
    #[token(".")]
    Dot,
    #[token("..")]
    DotDot,
    #[token("->")]
    Arrow,
    #[token("(")]
    GroupStart,
    #[token(")")]
    GroupEnd,
    #[token("{")]
    BraceStart,
    #[token("}")]
    BraceEnd,
    #[token("[")]
    OptionStart,
    #[token("]")]
    OptionEnd,
    #[token("~")]
    Tilde,
    #[token("*")]
    Star,
    #[token("+")]
    Plus,
    #[token("?")]
    Question,
    #[token("!")]
    Bang,
    #[token("|")]
    Bar,
    #[token("&")]
    And,
    #[token("=")]
    Equals,
    #[regex(r#""([^"\\\r\n]|\\.)*"#)]
    OpenText,
    #[regex(r"/([^/\\\r\n*]|\\.)([^/\\\r\n]|\\.)*")]
    OpenPattern,
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
///
/// JSON stands in grammars, too, behind `%json` and the like. Its words are none of the grammar's, and a `#` in it
/// begins no comment, so `json_end` says where it ends that begins at a place.
pub(super) fn words(source: &str, json_end: impl Fn(&str) -> usize) -> Vec<Word> {
    let mut words = Vec::new();
    let mut lexer = Token::lexer(source);
    while let Some(token) = lexer.next() {
        let range = lexer.span();
        let span = Span::new(range.start, range.end);
        let token = token.unwrap_or(Token::Unknown);
        words.push(Word { token, span });
        if token == Token::Directive && takes_json(lexer.slice()) {
            lexer.bump(json_end(lexer.remainder()));
        }
    }
    words
}

/// Whether JSON follows a directive.
pub(super) fn takes_json(directive: &str) -> bool {
    matches!(
        directive,
        "%json" | "%regex" | "%llguidance" | "%grammar_options"
    )
}
