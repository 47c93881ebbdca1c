//! Directives: imports, what is ignored, options of the grammar.

use super::{Parser, Read};
use crate::base::Span;
use crate::front::lark::ast::{Change, Definition, Node, NodeKind, Options, Scope};
use crate::front::lark::common;
use crate::front::lark::error::{Fault, LarkErrorKind, LarkWarningKind};
use crate::front::lark::lexer::Token;

impl Parser<'_> {
    pub(super) fn directive(&mut self, scope: &mut Scope) -> Read<()> {
        let span = self.place();
        let directive = self.slice(span).to_owned();
        self.advance();
        match directive.as_str() {
            "%ignore" => {
                let ignored = self.alternatives()?;
                scope.ignored.push(ignored);
                Ok(())
            }
            "%import" => self.import(scope),
            "%override" | "%extend" => {
                while self
                    .take(Token::Question)
                    .or_else(|| self.take(Token::Bang))
                    .is_some()
                {}
                let change = self.definition()?;
                let extends = directive == "%extend";
                scope.changes.push(Change { extends, change });
                Ok(())
            }
            "%llguidance" | "%grammar_options" => self.grammar_options(scope, span),
            _ => {
                let why = "the directives are %import, %ignore, %override, %extend, %llguidance and %grammar_options";
                Err(Self::unsupported(format!("`{directive}`"), why, span))
            }
        }
    }

    /// `common.NAME`, `common.NAME -> ALIAS`, `common (NAME, NAME)`.
    fn import(&mut self, scope: &mut Scope) -> Read<()> {
        let start = self.place();
        let library = self.name();
        if library.is_none_or(|(name, _)| name != "common") {
            let why = "there is the library `common` only";
            return Err(Self::unsupported("an import from elsewhere", why, start));
        }
        if self.take(Token::Dot).is_some() {
            let Some((name, span)) = self.name() else {
                return Err(self.unexpected("a terminal of `common`"));
            };
            let alias = match self.take(Token::Arrow) {
                None => (name.clone(), span),
                Some(_) => self.name().ok_or_else(|| self.unexpected("a name"))?,
            };
            scope.import(&name, self.imported(&name, span, alias)?);
            return Ok(());
        }
        if self.take(Token::GroupStart).is_none() {
            return Err(self.unexpected("`.` or `(`"));
        }
        loop {
            let Some((name, span)) = self.name() else {
                return Err(self.unexpected("a terminal of `common`"));
            };
            scope.import(&name, self.imported(&name, span, (name.clone(), span))?);
            if self.take(Token::Comma).is_none() {
                break;
            }
        }
        match self.take(Token::GroupEnd) {
            Some(_) => Ok(()),
            None => Err(self.unexpected("`,` or `)`")),
        }
    }

    fn imported(&self, name: &str, span: Span, alias: (String, Span)) -> Read<Definition> {
        let Some(pattern) = common::pattern(name) else {
            let kind = LarkErrorKind::Undefined {
                name: format!("common.{name}"),
            };
            return Err(Fault {
                kind,
                span,
                hint: common::hint(name),
            });
        };
        Ok(Definition {
            name: alias.0,
            span: alias.1,
            is_terminal: true,
            parameters: Vec::new(),
            options: Options::default(),
            body: Node::new(NodeKind::Pattern(pattern.to_owned()), span),
        })
    }

    /// The options of llguidance and XGrammar, as far as they say which texts belong to the grammar.
    fn grammar_options(&mut self, scope: &mut Scope, span: Span) -> Read<()> {
        let malformed = || {
            let message = "expected an object of options, as {\"ignore_once\": true}";
            Fault::new(LarkErrorKind::Json(message.to_owned()), span)
        };
        let value: serde_json::Value =
            serde_json::from_str(self.json(span)?).map_err(|_| malformed())?;
        for (option, value) in value.as_object().ok_or_else(malformed)? {
            let on = value.as_bool().ok_or_else(malformed)?;
            match (option.as_str(), on) {
                ("ignore_once", _) => scope.ignores_once = on,
                // What is ignored may stand at the beginning in any case.
                ("allow_initial_skip" | "no_forcing", _) | ("allow_invalid_utf8", false) => {
                    let option = option.clone();
                    self.warn(LarkWarningKind::IdleOption { option }, span);
                }
                _ => {
                    let why = "the options are ignore_once, allow_initial_skip and no_forcing";
                    return Err(Self::unsupported(
                        format!("the option `{option}`"),
                        why,
                        span,
                    ));
                }
            }
        }
        Ok(())
    }
}
