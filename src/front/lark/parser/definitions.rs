//! Rules and terminals: names, priorities, options, bodies.

use super::{Parser, Read};
use crate::front::lark::ast::{Definition, Node, NodeKind, Options};
use crate::front::lark::error::LarkWarningKind;
use crate::front::lark::lexer::Token;

impl Parser<'_> {
    pub(super) fn definition(&mut self) -> Read<Definition> {
        let is_terminal = self.peek() == Some(Token::Terminal);
        let Some((name, span)) = self.name() else {
            return Err(self.unexpected("a name"));
        };
        let mut parameters = Vec::new();
        match self.peek() {
            Some(Token::BraceStart) if is_terminal => {
                let why = "a rule can have parameters";
                return Err(Self::unsupported("a terminal with parameters", why, span));
            }
            Some(Token::BraceStart) => parameters = self.parameters()?,
            Some(Token::DoubleColon) => {
                if self.peek_at(1) == Some(Token::Equals) {
                    return Err(self.unexpected("`:`"));
                }
                let why = "write the rule out for each value";
                return Err(Self::unsupported(
                    "a rule with a parameter",
                    why,
                    self.place(),
                ));
            }
            _ => {}
        }
        if let Some(dot) = self.take(Token::Dot) {
            if self.take(Token::Number).is_none() {
                return Err(self.unexpected("a priority, as `NAME.2`"));
            }
            self.warn(LarkWarningKind::Priority, self.since(dot));
        }
        let mut options = Options::default();
        if self.peek() == Some(Token::OptionStart) {
            if is_terminal {
                let why = "give it to a rule that is this terminal";
                return Err(Self::unsupported(
                    "an option of a terminal",
                    why,
                    self.place(),
                ));
            }
            options = self.options()?;
        }
        if self.take(Token::Colon).is_none() {
            return Err(self.unexpected("`:`"));
        }
        Ok(Definition {
            body: self.alternatives()?,
            name,
            span,
            is_terminal,
            parameters,
            options,
        })
    }

    /// `{a, b}` behind the name of a template.
    fn parameters(&mut self) -> Read<Vec<String>> {
        self.take(Token::BraceStart);
        let mut parameters = Vec::new();
        loop {
            match self.take(Token::Rule) {
                Some(span) => parameters.push(self.slice(span).to_owned()),
                None => return Err(self.unexpected("a parameter, in small letters")),
            }
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        match self.take(Token::BraceEnd) {
            Some(_) => Ok(parameters),
            None => Err(self.unexpected("`,` or `}`")),
        }
    }

    /// `[lazy, capture="name"]`.
    fn options(&mut self) -> Read<Options> {
        let mut options = Options::default();
        self.take(Token::OptionStart);
        loop {
            if self.take(Token::OptionEnd).is_some() {
                return Ok(options);
            }
            let Some((option, span)) = self.name() else {
                return Err(self.unexpected("an option, as `lazy`"));
            };
            match option.as_str() {
                "lazy" => options.lazy = Some(span),
                "capture" | "stop_capture" | "temperature" => {
                    if self.take(Token::Equals).is_some() {
                        let value = [Token::Text, Token::Number, Token::Decimal];
                        if !value.into_iter().any(|token| self.take(token).is_some()) {
                            return Err(self.unexpected("a value"));
                        }
                    }
                    self.warn(LarkWarningKind::IdleOption { option }, span);
                }
                "stop" | "suffix" => {
                    if self.take(Token::Equals).is_none() {
                        return Err(self.unexpected("`=`"));
                    }
                    let marker = self.marker()?;
                    if options.marker.replace(marker).is_some() {
                        let why = "a rule ends with one marker";
                        return Err(Self::unsupported("`stop` beside `suffix`", why, span));
                    }
                }
                "max_tokens" => {
                    let why = "a text does not say how many tokens spell it; bound the characters, as `/(.|\\n){0,512}/`";
                    return Err(Self::unsupported("the option `max_tokens`", why, span));
                }
                "max_chars" => {
                    let why = "write the bound where it holds, as `/(.|\\n){0,512}/`";
                    return Err(Self::unsupported("the option `max_chars`", why, span));
                }
                _ => {
                    let why = "rules have the options lazy, stop, suffix, stop_capture, capture and temperature";
                    return Err(Self::unsupported(
                        format!("the option `{option}`"),
                        why,
                        span,
                    ));
                }
            }
            if self.take(Token::Comma).is_none() && self.peek() != Some(Token::OptionEnd) {
                return Err(self.unexpected("`,` or `]`"));
            }
        }
    }

    /// A string, a pattern or a terminal.
    fn marker(&mut self) -> Read<Node> {
        match self.peek() {
            Some(Token::Text | Token::Pattern | Token::Terminal) => {}
            _ => return Err(self.unexpected("a string, a pattern or a terminal")),
        }
        let marker = self.atom()?;
        match &marker.kind {
            NodeKind::Text { text, .. } if text.is_empty() => {
                let why = "the end of all text ends the grammar, too";
                Err(Self::unsupported("an empty marker", why, marker.span))
            }
            _ => Ok(marker),
        }
    }
}
