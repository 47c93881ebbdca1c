//! XGrammar's macros: `Regex("…")`, `Substring("…")`, `Token(7)`, `ExcludeToken(7)`. Others are refused.

use std::sync::Arc;

use super::{Parser, Read};
use crate::base::{Span, TokenId};
use crate::front::ebnf::characters::Characters;
use crate::front::ebnf::error::{EbnfErrorKind, Fault};
use crate::front::ebnf::lexer::Token;
use crate::front::expression::{Expression, substrings};
use crate::grammar::{Control, TokenName};
use crate::regular::{Dialect, Pattern};

const KNOWN: [&str; 6] = [
    "Regex",
    "Substring",
    "Token",
    "ExcludeToken",
    "TagDispatch",
    "TokenTagDispatch",
];

impl Parser<'_> {
    pub(super) fn is_macro(name: &str) -> bool {
        KNOWN.contains(&name)
    }

    /// What follows the name of a macro, which stands at `span`.
    pub(super) fn macro_call(&mut self, name: &str, span: Span) -> Read<Expression> {
        match name {
            "Regex" => self.regex(),
            "Substring" => self.substring(),
            "Token" => Ok(Expression::Control(Control::OneOf(self.tokens()?))),
            "ExcludeToken" => Ok(Expression::Control(Control::Except(self.tokens()?))),
            _ => {
                let what = format!("`{name}(…)`");
                let why = "free text with tags in it is a structural tag";
                Err(Fault::new(EbnfErrorKind::Unsupported { what, why }, span))
            }
        }
    }

    /// `("pattern")`, `("pattern", flags="is", json_string=false)`. Without flags `.` is any character.
    fn regex(&mut self) -> Read<Expression> {
        self.take(Token::GroupStart);
        let place = self.place();
        let pattern = self.string()?;
        let mut flags = "s".to_owned();
        while self.take(Token::Comma).is_some() {
            let option = self.place();
            let name = self
                .take(Token::Name)
                .filter(|_| self.take(Token::Equals).is_some());
            match name.map(|name| &self.source[name.start..name.end]) {
                Some("flags") => flags = self.flags()?,
                Some("json_string") if self.is_false() => {}
                Some("json_string") => {
                    let what = "`json_string=true`".to_owned();
                    let why = "leave out of the pattern what a string in JSON must escape";
                    let kind = EbnfErrorKind::Unsupported { what, why };
                    return Err(Fault::new(kind, option));
                }
                _ => {
                    let what = "an option of `Regex(…)`".to_owned();
                    let why = "it has the options flags and json_string";
                    let kind = EbnfErrorKind::Unsupported { what, why };
                    return Err(Fault::new(kind, option));
                }
            }
        }
        self.end()?;
        let dfa = Pattern::parse_flagged(&pattern, Dialect::Ecma, &flags, self.limits)
            .and_then(|pattern| pattern.whole(self.limits));
        // The place is that of the string: with escapes in it, that within the pattern tells little.
        let dfa = dfa.map_err(|error| Fault::new(error.kind, place))?;
        Ok(Expression::Regular(Arc::new(dfa)))
    }

    /// `"is"`: flags of a pattern.
    fn flags(&mut self) -> Read<String> {
        let place = self.place();
        let flags = self.string()?;
        match flags.chars().find(|flag| !"isu".contains(*flag)) {
            None => Ok(flags.replace('u', "")),
            Some(flag) => {
                let what = format!("the flag `{flag}`");
                let why = "patterns have the flags i, s and u here";
                Err(Fault::new(EbnfErrorKind::Unsupported { what, why }, place))
            }
        }
    }

    /// Takes `false`, if it stands here.
    fn is_false(&mut self) -> bool {
        let span = self.place();
        let found = &self.source[span.start..span.end] == "false";
        self.at += usize::from(found);
        found
    }

    /// `("chunk", …)`: any of the chunks that stand next to each other.
    fn substring(&mut self) -> Read<Expression> {
        let name = self.place();
        self.take(Token::GroupStart);
        let mut chunks = Vec::new();
        while self.peek() != Some(Token::GroupEnd) {
            chunks.push(self.string()?);
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        self.end()?;
        let chunks = chunks.iter().map(String::as_str);
        let dfa = substrings(chunks, self.limits).map_err(|error| Fault::new(error, name))?;
        Ok(Expression::Regular(Arc::new(dfa)))
    }

    /// `(7, 8)`.
    fn tokens(&mut self) -> Read<Vec<TokenName>> {
        self.take(Token::GroupStart);
        let mut tokens = Vec::new();
        loop {
            let span = self.place();
            let id = self.source[span.start..span.end].parse();
            match (self.peek(), id) {
                (Some(Token::Name), Ok(id)) => tokens.push(TokenName::Id(TokenId::new(id))),
                _ => return Err(self.unexpected("a token's number")),
            }
            self.take(Token::Name);
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        self.end()?;
        Ok(tokens)
    }

    fn string(&mut self) -> Read<String> {
        match self.take(Token::Text) {
            Some(span) => Characters::within(self.source, span, &mut self.warnings).text(),
            None => Err(self.unexpected("a string")),
        }
    }

    fn end(&mut self) -> Read<()> {
        match self.take(Token::GroupEnd) {
            Some(_) => Ok(()),
            None => Err(self.unexpected("`,` or `)`")),
        }
    }
}
