//! From words to rules, each name a rule's number.

mod macros;
mod options;

use rustc_hash::FxHashMap;

use super::characters::{Characters, number};
use super::error::{EbnfErrorKind, EbnfWarningKind, Fault, Faults};
use super::lexer::{Token, Word, words};
use crate::base::{LimitError, Limits, Span, TokenId, nearest, quoted};
use crate::front::expression::{Expression, MOST_NESTED, Rule, RuleIndex, Rules, repeated};
use crate::grammar::{Control, TokenName};

/// A text, read.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) rules: Rules,
    pub(super) warnings: Vec<Fault<EbnfWarningKind>>,
}

/// Reads `source`. What is wrong goes to `faults`; then the rules are none.
pub(super) fn parse(source: &str, limits: &Limits, faults: &mut Faults) -> Parsed {
    let words = words(source);
    let mut parser = Parser {
        source,
        words: &words,
        at: 0,
        depth: limits.depth.min(MOST_NESTED),
        limits,
        names: FxHashMap::default(),
        rules: Vec::new(),
        mentions: Vec::new(),
        lazy: Vec::new(),
        warnings: Vec::new(),
        faults,
    };
    parser.names();
    parser.definitions();
    parser.finish()
}

/// What a rule's options ask for.
#[derive(Clone, Copy, Debug, Default)]
struct RuleOptions {
    /// That the shortest matches alone count, and where it says so.
    lazy: Option<Span>,
}

/// A rule, known by its name.
struct Slot {
    name: String,
    span: Span,
    /// How often it is defined.
    defined: usize,
    body: Expression,
}

struct Parser<'a> {
    source: &'a str,
    words: &'a [Word],
    at: usize,
    depth: usize,
    limits: &'a Limits,
    names: FxHashMap<&'a str, RuleIndex>,
    rules: Vec<Slot>,
    /// Names in bodies.
    mentions: Vec<(RuleIndex, Span)>,
    /// Rules whose shortest matches alone count.
    lazy: Vec<(RuleIndex, Span)>,
    warnings: Vec<Fault<EbnfWarningKind>>,
    faults: &'a mut Faults,
}

type Read<T> = Result<T, Fault>;

impl<'a> Parser<'a> {
    /// Notes which rules are defined, in their order.
    fn names(&mut self) {
        for at in 0..self.words.len() {
            if self.begins_rule(at) {
                let span = self.words[at].span;
                let rule = self.intern(span);
                let slot = &mut self.rules[rule.index()];
                slot.defined += 1;
                if slot.defined == 1 {
                    slot.span = span;
                    continue;
                }
                if !self.faults.has_room() {
                    continue;
                }
                let first = slot.span.line_column(self.source);
                let name = slot.name.clone();
                let kind = EbnfErrorKind::DuplicateRule { name, first };
                self.faults.push(
                    Fault::new(kind, span).hint("alternatives of one rule are separated by `|`"),
                );
            }
        }
    }

    /// Whether a rule's definition begins with the word at `at`: its name, options, `::=`.
    fn begins_rule(&self, at: usize) -> bool {
        let token = |at: usize| self.words.get(at).map(|word| word.token);
        token(at) == Some(Token::Name)
            && match token(at + 1) {
                Some(Token::Defines) => true,
                Some(Token::Class) => token(at + 2) == Some(Token::Defines),
                _ => false,
            }
    }

    fn intern(&mut self, span: Span) -> RuleIndex {
        let name = &self.source[span.start..span.end];
        let new = RuleIndex::from_usize(self.rules.len());
        let rule = *self.names.entry(name).or_insert(new);
        if rule == new {
            self.rules.push(Slot {
                name: name.to_owned(),
                span,
                defined: 0,
                body: Expression::empty(),
            });
        }
        rule
    }

    fn definitions(&mut self) {
        while self.at < self.words.len() {
            if let Err(fault) = self.definition() {
                self.faults.push(fault);
                while self.at < self.words.len() && !self.begins_rule(self.at) {
                    self.at += 1;
                }
            }
        }
    }

    fn definition(&mut self) -> Read<()> {
        if !self.begins_rule(self.at) {
            return Err(self.unexpected("a rule, as `name ::= …`"));
        }
        let rule = self.intern(self.words[self.at].span);
        self.at += 1;
        let mut options = RuleOptions::default();
        if let Some(span) = self.take(Token::Class) {
            options = self.options(span)?;
        }
        self.take(Token::Defines);
        let body = self.alternatives(self.depth)?;
        self.assertion()?;
        if self.at < self.words.len() && !self.begins_rule(self.at) {
            return Err(self.unexpected("an element, `|` or the next rule"));
        }
        if let Some(span) = options.lazy {
            self.lazy.push((rule, span));
        }
        self.rules[rule.index()].body = body;
        Ok(())
    }

    /// `(=…)` at the end of a rule, where XGrammar prints it: it tells masks what follows, and changes no text.
    fn assertion(&mut self) -> Read<()> {
        let start = self.at;
        let span = self.place();
        if self.take(Token::LookAhead).is_none() {
            return Ok(());
        }
        self.alternatives(self.depth.saturating_sub(1))?;
        if self.take(Token::GroupEnd).is_none() {
            return Err(self.unexpected("`)`"));
        }
        if self.at < self.words.len() && !self.begins_rule(self.at) {
            self.at = start;
            return Err(self.unexpected("an element, `|` or the next rule"));
        }
        self.warnings
            .push(Fault::new(EbnfWarningKind::IdleAssertion, span));
        Ok(())
    }

    fn alternatives(&mut self, depth: usize) -> Read<Expression> {
        let mut items = vec![self.sequence(depth)?];
        while self.take(Token::Bar).is_some() {
            items.push(self.sequence(depth)?);
        }
        Ok(Expression::choice(items))
    }

    fn sequence(&mut self, depth: usize) -> Read<Expression> {
        let mut items = Vec::new();
        while let Some(token) = self.peek() {
            if matches!(token, Token::Bar | Token::GroupEnd | Token::LookAhead)
                || self.begins_rule(self.at)
            {
                break;
            }
            let (mut item, mut counts) = (self.element(token, depth)?, 0);
            while let Some((min, max)) = self.count()? {
                counts += 1;
                repeated(counts).map_err(|error| Fault::new(error, self.place()))?;
                item = item.repeated(min, max);
            }
            items.push(item);
        }
        Ok(Expression::sequence(items))
    }

    fn element(&mut self, token: Token, depth: usize) -> Read<Expression> {
        let span = self.place();
        match token {
            Token::GroupStart => return self.group(span, depth),
            Token::Name => return self.name(span),
            Token::Text => {
                self.at += 1;
                let text = Characters::within(self.source, span, &mut self.warnings).text()?;
                return Ok(Expression::Text(text.into()));
            }
            _ => {}
        }
        let element = match token {
            Token::Class => {
                Expression::Set(Characters::within(self.source, span, &mut self.warnings).class()?)
            }
            Token::Character => self.character(span)?,
            Token::Dot => Expression::any(),
            Token::Control => Expression::Control(self.control(span)?),
            _ => return Err(self.unexpected("an element, `|` or the next rule")),
        };
        self.at += 1;
        Ok(element)
    }

    fn group(&mut self, span: Span, depth: usize) -> Read<Expression> {
        let Some(depth) = depth.checked_sub(1) else {
            let error = LimitError {
                what: "nested groups of a grammar",
                given: self.depth + 1,
                allowed: self.depth,
            };
            // What is left of the rule would meet the limit at each of its groups.
            self.at = self.words.len();
            return Err(Fault::new(error, span));
        };
        self.at += 1;
        let body = self.alternatives(depth)?;
        if self.take(Token::GroupEnd).is_none() {
            return Err(self.unexpected("`)`"));
        }
        Ok(body)
    }

    fn name(&mut self, span: Span) -> Read<Expression> {
        let name = &self.source[span.start..span.end];
        let is_defined = self.names.contains_key(name);
        let is_call = self
            .words
            .get(self.at + 1)
            .is_some_and(|next| next.token == Token::GroupStart && next.span.start == span.end);
        if !is_defined && is_call && Self::is_macro(name) {
            self.at += 1;
            return self.macro_call(name, span);
        }
        if !is_defined && name.starts_with('-') {
            let what = "a difference, `A - B`,".to_owned();
            let why = "write the alternatives that are left";
            return Err(Fault::new(EbnfErrorKind::Unsupported { what, why }, span));
        }
        self.at += 1;
        let rule = self.intern(span);
        self.mentions.push((rule, span));
        Ok(Expression::Rule(rule))
    }

    /// `#x41`.
    fn character(&mut self, span: Span) -> Read<Expression> {
        let line = self.source[..span.start].rfind('\n').map_or(0, |at| at + 1);
        if self.source[line..span.start].trim().is_empty() {
            let text = self.source[span.start..span.end].to_owned();
            let kind = EbnfWarningKind::CharacterOrComment { text };
            self.warnings.push(Fault::new(kind, span));
        }
        let hex = &self.source[span.start + 2..span.end];
        let character = number(hex, self.source, span)?;
        Ok(Expression::Text(character.to_string().into()))
    }

    /// `<[7]>`, `<|name|>`, and either after `!`.
    fn control(&mut self, span: Span) -> Read<Control> {
        let written = &self.source[span.start..span.end];
        let (token, is_negated) = match written.strip_prefix('!') {
            Some(token) => (token, true),
            None => (written, false),
        };
        let inside = token
            .strip_prefix("<[")
            .and_then(|rest| rest.strip_suffix("]>"));
        let token = match inside {
            None => TokenName::Text(token.to_owned()),
            Some(id) => match id.trim().parse() {
                Ok(id) => TokenName::Id(TokenId::new(id)),
                Err(_) => {
                    let found = format!("`{written}`");
                    let expected = "a token's number, as `<[7]>`";
                    return Err(Fault::new(EbnfErrorKind::Syntax { expected, found }, span));
                }
            },
        };
        Ok(match is_negated {
            true => Control::Except(vec![token]),
            false => Control::OneOf(vec![token]),
        })
    }

    /// How often the element before is repeated, if that is said.
    fn count(&mut self) -> Read<Option<(u32, Option<u32>)>> {
        let span = self.place();
        let count = match self.peek() {
            Some(Token::Star) => (0, None),
            Some(Token::Plus) => (1, None),
            Some(Token::Question) => (0, Some(1)),
            Some(Token::Count) => self.bounds(span)?,
            _ => return Ok(None),
        };
        self.at += 1;
        Ok(Some(count))
    }

    /// `{2}`, `{2,}`, `{2,3}`, `{,3}`.
    fn bounds(&mut self, span: Span) -> Read<(u32, Option<u32>)> {
        let inside = &self.source[span.start + 1..span.end - 1];
        // Counts beyond u32 meet the limits like any other large count.
        let number = |digits: &str| digits.parse().unwrap_or(u32::MAX);
        let (min, max) = match inside.split_once(',') {
            None => (inside.trim(), inside.trim()),
            Some((min, max)) => (min.trim(), max.trim()),
        };
        if min.is_empty() && max.is_empty() {
            return Err(self.unexpected("a number of times, as `{2,3}`"));
        }
        let least = if min.is_empty() { 0 } else { number(min) };
        // XGrammar prints `-1` where there is no bound.
        let most = (!max.is_empty() && max != "-1").then(|| number(max));
        if let Some(max) = most.filter(|&max| max < least) {
            let kind = EbnfErrorKind::ReversedRepetition { min: least, max };
            return Err(Fault::new(kind, span).hint("write the smaller number first"));
        }
        Ok((least, most))
    }

    fn finish(mut self) -> Parsed {
        if !self.rules.iter().any(|slot| slot.defined > 0) {
            let end = Span::new(self.source.len(), self.source.len());
            let hint = "a rule looks like: root ::= \"hello\" | \"hi\"";
            self.faults
                .push(Fault::new(EbnfErrorKind::NoRules, end).hint(hint));
        }
        for &(rule, span) in &self.mentions {
            if self.rules[rule.index()].defined == 0 && self.faults.has_room() {
                self.faults.push(undefined(&self.rules, rule, span));
            }
        }
        let rules = std::mem::take(&mut self.rules)
            .into_iter()
            .map(|slot| Rule {
                name: slot.name,
                span: slot.span,
                body: slot.body,
            });
        let mut rules = Rules::new(rules.collect());
        for &(rule, span) in &self.lazy {
            if let Err(fault) = self.make_lazy(&mut rules, rule, span) {
                self.faults.push(fault);
            }
        }
        Parsed {
            rules,
            warnings: self.warnings,
        }
    }

    fn peek(&self) -> Option<Token> {
        self.words.get(self.at).map(|word| word.token)
    }

    fn take(&mut self, token: Token) -> Option<Span> {
        let word = self.words.get(self.at).filter(|word| word.token == token)?;
        self.at += 1;
        Some(word.span)
    }

    /// Where the next word stands, or the end of the text.
    fn place(&self) -> Span {
        let end = Span::new(self.source.len(), self.source.len());
        self.words.get(self.at).map_or(end, |word| word.span)
    }

    /// The fault that something other than `expected` comes next.
    fn unexpected(&self, expected: &'static str) -> Fault {
        let span = self.place();
        let text = &self.source[span.start..span.end];
        let open = |expected, within, at| {
            Fault::new(
                EbnfErrorKind::Unterminated { expected, within },
                Span::new(at, at + 1),
            )
        };
        match self.peek() {
            Some(Token::OpenText) if text.starts_with('"') => open("`\"`", "text", span.start),
            Some(Token::OpenText) => open("`'`", "text", span.start),
            Some(Token::OpenClass) => open("`]`", "text", span.start),
            Some(Token::OpenControl) => open("`>`", "line", span.start),
            Some(Token::OpenComment) => open("`*/`", "text", span.start),
            Some(Token::LookAhead) => {
                let what = "an assertion about what follows, `(=…)`,".to_owned();
                let why = "only the end of a rule can have it, where it changes no text; leave it out where the grammar says the same";
                Fault::new(EbnfErrorKind::Unsupported { what, why }, span)
            }
            Some(token) => {
                let found = quoted(text);
                let fault = Fault::new(EbnfErrorKind::Syntax { expected, found }, span);
                match hint(token, text) {
                    Some(hint) => fault.hint(hint),
                    None => fault,
                }
            }
            None => {
                let found = "the end of the text".to_owned();
                Fault::new(EbnfErrorKind::Syntax { expected, found }, span)
            }
        }
    }
}

/// In longer names the parts between dots are not looked up.
const LONGEST_DOTTED: usize = 64;

/// The fault that no rule has this name.
fn undefined(rules: &[Slot], rule: RuleIndex, span: Span) -> Fault {
    let name = rules[rule.index()].name.clone();
    let defined = || {
        rules
            .iter()
            .filter(|slot| slot.defined > 0)
            .map(|slot| slot.name.as_str())
    };
    let are_defined =
        |mut parts: std::str::Split<'_, char>| parts.all(|part| defined().any(|name| name == part));
    let is_short = name.len() <= LONGEST_DOTTED;
    let hint = match is_short && name.contains('.') && are_defined(name.split('.')) {
        true => {
            Some("any character is ` . `, with spaces around it: names may have dots".to_owned())
        }
        false => nearest(&name, defined()).map(|near| format!("did you mean `{near}`?")),
    };
    Fault {
        kind: EbnfErrorKind::UndefinedRule { name },
        span,
        hint,
    }
}

/// What someone who wrote `text` here may have meant.
fn hint(token: Token, text: &str) -> Option<&'static str> {
    Some(match (token, text.chars().next()?) {
        (Token::Defines, _) => "a rule is a name, `::=` and what it stands for",
        (Token::Star | Token::Plus | Token::Question | Token::Count, _) => {
            "there is nothing before it that could be repeated"
        }
        (Token::GroupEnd, _) => "no group is open",
        (Token::Equals, _) | (_, ':') => "rules are defined with `::=`",
        (_, '/') => "alternatives are separated by `|`; a pattern is Regex(\"…\")",
        (_, ';') => "rules end where the next one begins, without a mark",
        (Token::Comma, _) => "elements stand one after the other, without a mark",
        (_, '“' | '”' | '‘' | '’') => "strings are quoted with `\"`",
        (Token::Control, '<') => "names of rules stand without angle brackets: `name ::= …`",
        (_, '{' | '}') => "a number of times is `{2,3}`; groups stand in parentheses",
        (_, '%') => "this looks like Lark, whose rules are `name: …`",
        (_, '\u{a0}') => "this is a no-break space; use an ordinary one",
        _ => return None,
    })
}
