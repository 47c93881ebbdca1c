//! The strings of a tag as bytes and control tokens, and what free text must not have.

use super::Lowering;
use crate::front::structural_tag::node::{Mark, Node, Tag, Then};
use crate::front::structural_tag::style::Style;
use crate::front::structural_tag::text::{Found, Search, Symbol};
use crate::grammar::{Control, TokenName, control_name_at};

impl Lowering<'_> {
    /// A search for what free text must not have: these strings, and the control tokens that the tag names.
    pub(super) fn search(&self, excludes: &[String]) -> Search {
        let mut search = Search::new(&self.config.schemas.limits);
        for string in excludes.iter().chain(&self.spelt) {
            let bytes: Vec<Symbol> = string.bytes().map(Symbol::Byte).collect();
            search.insert(&bytes, Found::Never);
        }
        search
    }

    pub(super) fn mark(&mut self, mark: &Mark) -> Vec<Symbol> {
        match mark {
            Mark::Text(text) => self.symbols(text),
            Mark::Token(token) => vec![self.token(token)],
        }
    }

    pub(super) fn token(&mut self, token: &TokenName) -> Symbol {
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
    pub(super) fn names(&self, mark: &[Symbol]) -> Vec<TokenName> {
        let named = |symbol: &Symbol| {
            let mut names = self.names.iter();
            let found = names.find(|&&(id, _)| Symbol::Control(id) == *symbol);
            found.map(|(_, name)| name.clone())
        };
        mark.iter().filter_map(named).collect()
    }

    /// `text` as bytes and control tokens.
    pub(super) fn symbols(&mut self, text: &str) -> Vec<Symbol> {
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

    pub(super) fn find_controls(&mut self, root: &Node) {
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

/// The texts of a tree that stand outside of schemas, patterns and grammars, and those around parameters.
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
        Node::Json(json) => {
            for text in json.style.map(Style::texts).unwrap_or_default() {
                texts.push(text);
            }
        }
        Node::AnyText(_)
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
