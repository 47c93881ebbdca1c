//! A tree of nodes to one rule: an automaton that calls the rules of schemas, patterns and grammars.

use rustc_hash::FxHashMap;

use super::config::StructuralTagConfig;
use super::error::StructuralTagError as Error;
use super::node::{AnyText, Count, Free, Json, Mark, Node, Tag, Then, Triggered};
use super::text::{Found, Search, Symbol};
use crate::base::{ControlId, LimitError, RuleId};
use crate::front::ebnf::Ebnf;
use crate::front::json_schema::{
    self, JsonRules, PropertyOrder, SchemaConfig, SpacePattern, Whitespace,
};
use crate::front::regex;
use crate::grammar::{Control, Grammar, GrammarBuilder, Nfa, NfaState, TokenName, control_name_at};

/// Compiles the tree.
pub(super) fn lower(root: &Node, config: &StructuralTagConfig) -> Result<Grammar, Error> {
    let mut lowering = Lowering {
        config,
        builder: GrammarBuilder::new(config.limits.clone()),
        nfa: Nfa::new(),
        specials: Vec::new(),
        spelt: Vec::new(),
        names: Vec::new(),
        json: Vec::new(),
        schemas: FxHashMap::default(),
    };
    lowering.find_controls(root);
    let rule = lowering.builder.declare("structural tag");
    let start = lowering.nfa.start();
    let end = lowering.whole(root, start)?;
    lowering.nfa.accept(end);
    lowering.builder.define(rule, &lowering.nfa)?;
    Ok(lowering.builder.finish(rule)?)
}

struct Lowering<'c> {
    config: &'c StructuralTagConfig,
    builder: GrammarBuilder,
    /// The automaton of the rule that is being written.
    nfa: Nfa,
    /// Those of the vocabulary's special tokens that the tag names.
    specials: Vec<String>,
    /// The control tokens that the tag names, which no free text and no string of JSON spells out.
    spelt: Vec<String>,
    /// The tokens that control tokens are.
    names: Vec<(ControlId, TokenName)>,
    /// The rules of JSON, by how it is to be spelt.
    json: Vec<(JsonKey, SchemaConfig, JsonRules)>,
    /// The rules of schemas, by the number of their spelling.
    schemas: FxHashMap<(usize, String), RuleId>,
}

/// Property order, bound on white space, what strings do not spell.
type JsonKey = (bool, Option<u32>, Vec<String>);

/// Where a node has been read, by what may follow. A state is absent where there is no such way.
#[derive(Clone, Copy, Default)]
struct Out {
    /// The end of the enclosing tag may follow.
    open: Option<NfaState>,
    /// Within free text that would have gone on to the end of the enclosing tag: only a tag that may stop without
    /// an end goes on here.
    free: Option<NfaState>,
    /// The end of the enclosing tag has been read, too.
    closed: Option<NfaState>,
}

impl Lowering<'_> {
    /// Reads `node` where no end of a tag follows it directly.
    fn whole(&mut self, node: &Node, from: NfaState) -> Result<NfaState, Error> {
        let out = self.node(node, from, &[])?;
        let end = self.join([out.open, out.free, out.closed]);
        // Where a node has no text, nothing leads to this state.
        Ok(end.unwrap_or_else(|| self.nfa.state()))
    }

    /// Reads `node`; free text at its end stops at the first of `until`.
    fn node(&mut self, node: &Node, from: NfaState, until: &[Vec<Symbol>]) -> Result<Out, Error> {
        let open = match node {
            Node::Const(text) => {
                let symbols = self.symbols(text);
                self.path(from, &symbols)
            }
            Node::Json(json) => {
                let rule = self.json(json)?;
                self.call(from, rule)
            }
            Node::Regex { pattern, pointer } => {
                let rule = regex::lower_into(&mut self.builder, pattern);
                let rule = rule.map_err(|source| Error::Regex {
                    pointer: pointer.clone(),
                    source: Box::new(source),
                })?;
                self.call(from, rule)
            }
            Node::Ebnf { grammar, pointer } => {
                let rule = Ebnf::parse(grammar, &self.config.limits)
                    .and_then(|ebnf| ebnf.lower_into(&mut self.builder, "root"));
                let rule = rule.map_err(|source| Error::Ebnf {
                    pointer: pointer.clone(),
                    source: Box::new(source),
                })?;
                self.call(from, rule)
            }
            Node::AnyText(text) => return self.any_text(text, from, until),
            Node::Sequence(elements) => return self.sequence(elements, from, until),
            Node::Or(elements) => return self.or(elements, from, until),
            Node::Repeat {
                content,
                least,
                most,
            } => return self.repeat(content, (*least, *most), from, until),
            Node::Tag(tag) => {
                let symbols = self.mark(&tag.begin);
                let begun = self.path(from, &symbols);
                self.within_tag(tag, begun)?
            }
            Node::Triggered(triggered) => return self.triggered(triggered, from, until),
            Node::Separated {
                tags,
                separator,
                count,
            } => return self.separated(tags, separator, *count, from),
            Node::Token(token) => {
                let symbol = self.token(token);
                self.path(from, &[symbol])
            }
            Node::TokensBut {
                excluded,
                least,
                most,
            } => self.tokens_but(excluded, (*least, *most), from)?,
        };
        Ok(Out {
            open: Some(open),
            ..Out::default()
        })
    }

    fn any_text(
        &mut self,
        text: &AnyText,
        from: NfaState,
        until: &[Vec<Symbol>],
    ) -> Result<Out, Error> {
        let closed = self.nfa.state();
        let mut search = self.search(&text.excludes);
        for end in until {
            search.insert(end, Found::Stop(0));
        }
        let start = self.after(from);
        let free = self.free_text(search, start, &[closed], text.most_characters)?;
        Ok(Out {
            open: None,
            free: Some(free),
            closed: (!until.is_empty()).then_some(closed),
        })
    }

    fn sequence(
        &mut self,
        elements: &[Node],
        from: NfaState,
        until: &[Vec<Symbol>],
    ) -> Result<Out, Error> {
        let Some((last, others)) = elements.split_last() else {
            return Ok(Out {
                open: Some(from),
                ..Out::default()
            });
        };
        let mut at = from;
        for element in others {
            at = self.whole(element, at)?;
        }
        self.node(last, at, until)
    }

    fn or(
        &mut self,
        elements: &[Node],
        from: NfaState,
        until: &[Vec<Symbol>],
    ) -> Result<Out, Error> {
        let mut outs = Vec::new();
        for element in elements {
            outs.push(self.node(element, from, until)?);
        }
        Ok(Out {
            open: self.join(outs.iter().map(|out| out.open)),
            free: self.join(outs.iter().map(|out| out.free)),
            closed: self.join(outs.iter().map(|out| out.closed)),
        })
    }

    fn repeat(
        &mut self,
        content: &Node,
        (least, most): (u32, Option<u32>),
        from: NfaState,
        until: &[Vec<Symbol>],
    ) -> Result<Out, Error> {
        if (least, most) == (0, Some(1)) {
            let out = self.node(content, from, until)?;
            return Ok(Out {
                open: self.join([out.open, Some(from)]),
                ..out
            });
        }
        let rule = self.rule(content)?;
        let open = self.repeated(from, (least, most), |lowering, at| lowering.call(at, rule));
        Ok(Out {
            open: Some(open),
            ..Out::default()
        })
    }

    /// So many rounds, at least and at most.
    fn repeated(
        &mut self,
        from: NfaState,
        (least, most): (u32, Option<u32>),
        mut round: impl FnMut(&mut Self, NfaState) -> NfaState,
    ) -> NfaState {
        let mut at = from;
        for _ in 0..least {
            at = round(self, at);
        }
        let Some(most) = most else {
            let again = self.after(at);
            let to = round(self, again);
            self.nfa.empty(to, again);
            return again;
        };
        let end = self.nfa.state();
        for _ in least..most {
            self.nfa.empty(at, end);
            at = round(self, at);
        }
        self.nfa.empty(at, end);
        end
    }

    /// The content of a tag and its end, from behind its beginning.
    fn within_tag(&mut self, tag: &Tag, begun: NfaState) -> Result<NfaState, Error> {
        let ends: Vec<Vec<Symbol>> = tag.ends.iter().map(|end| self.mark(end)).collect();
        let (empty, ends): (Vec<_>, Vec<_>) = ends.into_iter().partition(Vec::is_empty);
        let out = self.node(&tag.content, begun, &ends)?;
        let to = self.nfa.state();
        if let Some(open) = out.open {
            for end in &ends {
                let at = self.path(open, end);
                self.nfa.empty(at, to);
            }
        }
        let without_end = [out.open, out.free]
            .into_iter()
            .filter(|_| !empty.is_empty());
        for at in without_end.chain([out.closed]).flatten() {
            self.nfa.empty(at, to);
        }
        Ok(to)
    }

    /// Free text in which triggers begin something.
    fn triggered(
        &mut self,
        triggered: &Triggered,
        from: NfaState,
        until: &[Vec<Symbol>],
    ) -> Result<Out, Error> {
        let count = triggered.count;
        let marks: Vec<Vec<Symbol>> = triggered
            .triggers
            .iter()
            .map(|trigger| self.mark(&trigger.mark))
            .collect();
        let (free, done) = (self.nfa.state(), self.nfa.state());
        let mut stops = Vec::new();
        for (trigger, mark) in triggered.triggers.iter().zip(&marks) {
            let found = self.nfa.state();
            stops.push(found);
            if count.must() {
                let at = self.path(from, mark);
                self.nfa.empty(at, found);
            }
            self.behind_trigger(&trigger.then, mark, found, done)?;
        }
        if count.again() {
            self.nfa.empty(done, free);
        }
        if !count.must() {
            self.nfa.empty(from, free);
        }
        let open = (!count.again()).then_some(done);
        if count == Count::One {
            return Ok(Out {
                open,
                ..Out::default()
            });
        }
        let out = self.between(&triggered.free, &marks, stops, free, until)?;
        Ok(Out {
            open: self.join([open, out.open]),
            ..out
        })
    }

    /// What stands before and between the things that triggers begin, from `free` on.
    fn between(
        &mut self,
        kind: &Free,
        marks: &[Vec<Symbol>],
        mut stops: Vec<NfaState>,
        free: NfaState,
        until: &[Vec<Symbol>],
    ) -> Result<Out, Error> {
        match kind {
            Free::TextBut(excludes) => {
                let closed = self.nfa.state();
                let mut search = self.search(excludes);
                for (number, mark) in marks.iter().enumerate() {
                    search.insert(mark, Found::Stop(number));
                }
                for end in until {
                    search.insert(end, Found::Stop(stops.len()));
                }
                stops.push(closed);
                Ok(Out {
                    open: None,
                    free: Some(self.free_text(search, free, &stops, None)?),
                    closed: (!until.is_empty()).then_some(closed),
                })
            }
            Free::TokensBut(excluded) => {
                let mut excluded = excluded.clone();
                for (mark, &stop) in marks.iter().zip(&stops) {
                    let at = self.path(free, mark);
                    self.nfa.empty(at, stop);
                    excluded.extend(self.names(mark));
                }
                for end in until {
                    excluded.extend(self.names(end));
                }
                let other = self.builder.control_for(Control::Except(excluded));
                self.nfa.control(free, other, free);
                Ok(Out {
                    open: Some(free),
                    ..Out::default()
                })
            }
        }
    }

    /// What may follow a trigger that has been read.
    fn behind_trigger(
        &mut self,
        then: &Then,
        trigger: &[Symbol],
        found: NfaState,
        done: NfaState,
    ) -> Result<(), Error> {
        match then {
            Then::Node(node) => {
                let to = self.whole(node, found)?;
                self.nfa.empty(to, done);
            }
            Then::Tags(tags) => {
                for tag in tags {
                    let begin = self.mark(&tag.begin);
                    let Some(rest) = begin.strip_prefix(trigger) else {
                        return Err(Error::Conflict {
                            pointer: tag.pointer.clone(),
                            reason: "the trigger ends within a special token of the tag's `begin`"
                                .to_owned(),
                        });
                    };
                    let begun = self.path(found, rest);
                    let to = self.within_tag(tag, begun)?;
                    self.nfa.empty(to, done);
                }
            }
        }
        Ok(())
    }

    fn separated(
        &mut self,
        tags: &[Tag],
        separator: &str,
        count: Count,
        from: NfaState,
    ) -> Result<Out, Error> {
        let (first, done) = (self.after(from), self.nfa.state());
        for tag in tags {
            let begin = self.mark(&tag.begin);
            let begun = self.path(first, &begin);
            let to = self.within_tag(tag, begun)?;
            self.nfa.empty(to, done);
        }
        if count.again() {
            let separator = self.symbols(separator);
            let next = self.path(done, &separator);
            self.nfa.empty(next, first);
        }
        let none = (!count.must()).then_some(from);
        Ok(Out {
            open: self.join([Some(done), none]),
            ..Out::default()
        })
    }

    fn tokens_but(
        &mut self,
        excluded: &[TokenName],
        bounds: (u32, Option<u32>),
        from: NfaState,
    ) -> Result<NfaState, Error> {
        let control = Control::Except(excluded.to_vec());
        let control = self.builder.control_for(control);
        Ok(self.repeated(from, bounds, |lowering, at| {
            let to = lowering.nfa.state();
            lowering.nfa.control(at, control, to);
            to
        }))
    }

    /// A rule of its own for `node`.
    fn rule(&mut self, node: &Node) -> Result<RuleId, Error> {
        let rule = self.builder.declare("repeated");
        let outer = std::mem::take(&mut self.nfa);
        let start = self.nfa.start();
        let end = self.whole(node, start)?;
        self.nfa.accept(end);
        let nfa = std::mem::replace(&mut self.nfa, outer);
        self.builder.define(rule, &nfa)?;
        Ok(rule)
    }

    /// The rule of a JSON value.
    fn json(&mut self, json: &Json) -> Result<RuleId, Error> {
        let refused = |source| Error::Schema {
            pointer: json.pointer.clone(),
            source: Box::new(source),
        };
        let key = (json.any_order, json.most_space, json.excludes.clone());
        let known = self.json.iter().position(|(known, ..)| *known == key);
        let number = match known {
            Some(number) => number,
            None => {
                let config = self.schema_config(json).map_err(refused)?;
                let rules = JsonRules::new(&config).map_err(refused)?;
                self.json.push((key, config, rules));
                self.json.len() - 1
            }
        };
        if let Some(&rule) = self.schemas.get(&(number, json.schema.clone())) {
            return Ok(rule);
        }
        let (_, config, rules) = &mut self.json[number];
        let schema = json_schema::compile(&json.schema, config).map_err(refused)?;
        let rule = schema.lower_into(rules, &mut self.builder);
        self.schemas.insert((number, json.schema.clone()), rule);
        Ok(rule)
    }

    fn schema_config(&self, json: &Json) -> Result<SchemaConfig, json_schema::SchemaError> {
        let config = self.config;
        let whitespace = match json.most_space {
            None => config.whitespace.clone(),
            Some(0) => Whitespace::Compact,
            Some(most) => {
                let pattern = format!("[ \\t\\n\\r]{{0,{most}}}");
                Whitespace::Pattern(SpacePattern::new(&pattern, &config.limits)?)
            }
        };
        let order = match json.any_order {
            true => PropertyOrder::Any,
            false => config.order,
        };
        Ok(SchemaConfig {
            whitespace,
            order,
            escapes: config.escapes,
            forbidden: [&self.spelt[..], &json.excludes[..]].concat(),
            limits: config.limits.clone(),
            ..SchemaConfig::default()
        })
    }

    /// A search for what free text must not have: these strings, and the control tokens that the tag names.
    fn search(&self, excludes: &[String]) -> Search {
        let mut search = Search::new();
        for string in excludes.iter().chain(&self.spelt) {
            let bytes: Vec<Symbol> = string.bytes().map(Symbol::Byte).collect();
            search.insert(&bytes, Found::Never);
        }
        search
    }

    fn free_text(
        &mut self,
        mut search: Search,
        from: NfaState,
        stops: &[NfaState],
        most: Option<u32>,
    ) -> Result<NfaState, LimitError> {
        search.link();
        let allowed = self.config.limits.automaton_states;
        search.write(&mut self.nfa, from, stops, most, allowed)
    }

    fn mark(&mut self, mark: &Mark) -> Vec<Symbol> {
        match mark {
            Mark::Text(text) => self.symbols(text),
            Mark::Token(token) => vec![self.token(token)],
        }
    }

    fn token(&mut self, token: &TokenName) -> Symbol {
        let control = Control::OneOf(vec![token.clone()]);
        self.control(control, token.clone())
    }

    fn control(&mut self, control: Control, name: TokenName) -> Symbol {
        let id = self.builder.control_for(control);
        if self.names.iter().all(|&(known, _)| known != id) {
            self.names.push((id, name));
        }
        Symbol::Control(id)
    }

    /// The tokens that a mark names.
    fn names(&self, mark: &[Symbol]) -> Vec<TokenName> {
        let named = |symbol: &Symbol| {
            let mut names = self.names.iter();
            let found = names.find(|&&(id, _)| Symbol::Control(id) == *symbol);
            found.map(|(_, name)| name.clone())
        };
        mark.iter().filter_map(named).collect()
    }

    /// `text` as bytes and control tokens.
    fn symbols(&mut self, text: &str) -> Vec<Symbol> {
        let mut symbols = Vec::new();
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match control_at(rest, &self.specials) {
                Some(name) => {
                    let (control, token) = (name.to_owned(), name.to_owned());
                    let symbol = self.control(Control::Named(control), TokenName::Text(token));
                    symbols.push(symbol);
                    name.len()
                }
                None => {
                    let length = first.len_utf8();
                    symbols.extend(rest[..length].bytes().map(Symbol::Byte));
                    length
                }
            };
            rest = &rest[length..];
        }
        symbols
    }

    fn find_controls(&mut self, root: &Node) {
        let mut texts = Vec::new();
        collect(root, &mut texts);
        let occurs = |special: &&String| {
            !special.is_empty() && texts.iter().any(|text| text.contains(special.as_str()))
        };
        self.specials = self
            .config
            .specials
            .iter()
            .filter(occurs)
            .cloned()
            .collect();
        for text in texts {
            let starts = text.char_indices().map(|(at, _)| &text[at..]);
            for control in starts.filter_map(|rest| control_at(rest, &self.specials)) {
                if !self.spelt.iter().any(|known| known == control) {
                    self.spelt.push(control.to_owned());
                }
            }
        }
    }

    fn path(&mut self, from: NfaState, symbols: &[Symbol]) -> NfaState {
        let mut at = from;
        for &symbol in symbols {
            let to = self.nfa.state();
            match symbol {
                Symbol::Byte(byte) => self.nfa.bytes(at, byte, byte, to),
                Symbol::Control(control) => self.nfa.control(at, control, to),
            }
            at = to;
        }
        at
    }

    fn call(&mut self, from: NfaState, rule: RuleId) -> NfaState {
        let to = self.nfa.state();
        self.nfa.call(from, rule, to);
        to
    }

    /// A state of its own right after `from`, for a loop.
    fn after(&mut self, from: NfaState) -> NfaState {
        let state = self.nfa.state();
        self.nfa.empty(from, state);
        state
    }

    /// One state for several; none for none.
    fn join(&mut self, states: impl IntoIterator<Item = Option<NfaState>>) -> Option<NfaState> {
        let states: Vec<NfaState> = states.into_iter().flatten().collect();
        match states[..] {
            [] => None,
            [state] => Some(state),
            _ => {
                let joined = self.nfa.state();
                for state in states {
                    self.nfa.empty(state, joined);
                }
                Some(joined)
            }
        }
    }
}

/// The control token that `text` begins with: the longest of `specials`, or a name such as `<|end|>`.
fn control_at<'t>(text: &'t str, specials: &[String]) -> Option<&'t str> {
    let special = specials
        .iter()
        .filter(|special| text.starts_with(special.as_str()))
        .map(String::len)
        .max();
    special
        .map(|length| &text[..length])
        .or_else(|| control_name_at(text))
}

/// The texts of a tree that stand outside of schemas, patterns and grammars.
fn collect<'n>(node: &'n Node, texts: &mut Vec<&'n str>) {
    match node {
        Node::Const(text) => texts.push(text),
        Node::Sequence(nodes) | Node::Or(nodes) => {
            nodes.iter().for_each(|node| collect(node, texts));
        }
        Node::Repeat { content, .. } => collect(content, texts),
        Node::Tag(tag) => collect_tag(tag, texts),
        Node::Separated {
            tags, separator, ..
        } => {
            texts.push(separator);
            tags.iter().for_each(|tag| collect_tag(tag, texts));
        }
        Node::Triggered(triggered) => {
            for trigger in &triggered.triggers {
                collect_mark(&trigger.mark, texts);
                match &trigger.then {
                    Then::Node(node) => collect(node, texts),
                    Then::Tags(tags) => tags.iter().for_each(|tag| collect_tag(tag, texts)),
                }
            }
        }
        Node::Token(TokenName::Text(text)) => texts.push(text),
        Node::Json(_)
        | Node::AnyText(_)
        | Node::Regex { .. }
        | Node::Ebnf { .. }
        | Node::Token(TokenName::Id(_))
        | Node::TokensBut { .. } => {}
    }
}

fn collect_tag<'n>(tag: &'n Tag, texts: &mut Vec<&'n str>) {
    collect_mark(&tag.begin, texts);
    tag.ends.iter().for_each(|end| collect_mark(end, texts));
    collect(&tag.content, texts);
}

fn collect_mark<'n>(mark: &'n Mark, texts: &mut Vec<&'n str>) {
    match mark {
        Mark::Text(text) | Mark::Token(TokenName::Text(text)) => texts.push(text),
        Mark::Token(TokenName::Id(_)) => {}
    }
}
