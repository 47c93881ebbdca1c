//! A tree of nodes to one rule: an automaton that calls the rules of schemas, patterns and grammars.

mod marks;
mod schemas;
mod tags;

use rustc_hash::FxHashMap;

use super::config::StructuralTagConfig;
use super::error::StructuralTagError as Error;
use super::node::{AnyText, Node};
use super::style::Style;
use super::text::{Found, Search, Symbol};
use crate::base::{ControlId, LimitError, RuleId};
use crate::front::ebnf::Ebnf;
use crate::front::json_schema::{JsonRules, SchemaConfig};
use crate::front::regex;
use crate::grammar::{Control, Grammar, GrammarBuilder, Nfa, NfaState, TokenName};
use crate::regular::Dialect;

/// Compiles the tree.
pub(super) fn lower(root: &Node, config: &StructuralTagConfig) -> Result<Grammar, Error> {
    let mut lowering = Lowering {
        config,
        builder: GrammarBuilder::new(config.schemas.limits.clone()),
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

/// Property order, bound on white space, what strings do not spell, the style of arguments.
type JsonKey = (bool, Option<u32>, Vec<String>, Option<Style>);

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
                let end = self.call(from, rule);
                match json.style {
                    None => end,
                    Some(_) => self.spaces(end),
                }
            }
            Node::Regex { pattern, pointer } => {
                // As XGrammar has it, `.` is any character.
                let syntax = (Dialect::Ecma, "s");
                let rule = regex::lower_flagged(&mut self.builder, pattern, syntax);
                let rule = rule.map_err(|source| Error::Regex {
                    pointer: pointer.clone(),
                    source: Box::new(source),
                })?;
                self.call(from, rule)
            }
            Node::Ebnf { grammar, pointer } => {
                let rule = Ebnf::parse(grammar, &self.config.schemas.limits)
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

    fn free_text(
        &mut self,
        mut search: Search,
        from: NfaState,
        stops: &[NfaState],
        most: Option<u32>,
    ) -> Result<NfaState, LimitError> {
        let limits = &self.config.schemas.limits;
        search.write(&mut self.nfa, from, stops, most, limits)
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

    /// Any white space, as it may stand behind parameters.
    fn spaces(&mut self, from: NfaState) -> NfaState {
        let state = self.after(from);
        for byte in *b" \t\r\n" {
            self.nfa.bytes(state, byte, byte, state);
        }
        state
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
