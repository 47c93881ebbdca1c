//! Strings that are JSON texts: the rules of what stands in them, each of their characters spelt as strings have it.

use std::sync::Arc;

use super::escaped::EscapedBody;
use super::json_rules::JsonRules;
use super::lead::{Lead, Spaces};
use super::lowering::Lowering;
use super::spelling::state;
use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::model::Model;
use crate::front::json_schema::values::SetId;
use crate::grammar::{GrammarBuilder, Hints, ImplicitBody, KeyWriter, Node, Words};

/// Lowers `model` within a string, and gives the rule of the strings that are JSON texts of its root.
pub(crate) fn lower_in_string(
    model: &Arc<Model>,
    rules: &mut JsonRules,
    builder: &mut GrammarBuilder,
) -> RuleId {
    let rule = Lowering::new(model, rules, builder).content(model.root, Lead::Bare);
    rule.expect("the root has members")
}

impl Lowering<'_> {
    /// The rule of the strings that are JSON texts of `content`; none where no value is.
    pub(super) fn content(&mut self, content: SetId, lead: Lead) -> Option<RuleId> {
        let content = self.model.sets.resolve(content);
        if !self.model.inhabited(content) {
            return None;
        }
        let known = self.contents.get(&content).copied();
        let inner = known.unwrap_or_else(|| self.text(content));
        self.contents.insert(content, inner);
        let body = ContentBody {
            begin: Begin::Quoted(lead),
            inner,
        };
        Some(self.rule("JSON string", Arc::new(body)))
    }

    /// The rule of the JSON texts of `content`, as strings have them, without the quotes.
    fn text(&mut self, content: SetId) -> RuleId {
        let first = self.builder.declared();
        let (model, escapes) = (self.model, self.json.escapes());
        let reached = model.all_parts(vec![content]);
        let mut inner = Lowering::new(model, self.json.within(), self.builder);
        let sets = inner.sets(&reached);
        let value = sets[content.index()].expect("content that is written has members");
        inner.define(sets);
        let spaces = match inner.json.inner_lead() {
            Lead::Spaced => Spaces::Any,
            Lead::Bare => Spaces::None,
        };
        let body = ContentBody {
            begin: Begin::Plain(spaces),
            inner: value,
        };
        let text = inner.rule("JSON text", Arc::new(body));
        self.builder
            .wrap(first, |body| Arc::new(EscapedBody::new(body, escapes)));
        text
    }
}

/// What stands around a JSON text.
#[derive(Clone, Copy, Debug)]
enum Begin {
    /// Quotes.
    Quoted(Lead),
    /// Nothing, but for white space behind it.
    Plain(Spaces),
}

/// A JSON text, with or without quotes around it. Positions are states of a string.
#[derive(Debug)]
struct ContentBody {
    begin: Begin,
    inner: RuleId,
}

impl ImplicitBody for ContentBody {
    fn start(&self, _args: &Words) -> Words {
        match self.begin {
            Begin::Quoted(lead) => Words::from([lead.start()]),
            Begin::Plain(_) => Words::from([state::BODY]),
        }
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        /// Behind the text.
        const BEHIND: u32 = state::END + 1;
        match (words[0], self.begin) {
            (state::LEAD | state::BARE, _) => {
                if words[0] == state::LEAD {
                    Lead::Spaced.edges(node, words);
                }
                node.byte(b'"', Words::from([state::BODY]));
            }
            (state::BODY, _) => node.call(self.inner, Words::from([BEHIND])),
            (BEHIND, Begin::Quoted(_)) => node.byte(b'"', Words::from([state::END])),
            (_, Begin::Plain(spaces)) => {
                spaces.edges(node, words);
                node.end();
            }
            _ => node.end(),
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for ContentBody {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::CONTENT);
        match self.begin {
            Begin::Quoted(lead) => {
                key.word(0);
                key.word(lead.start());
            }
            Begin::Plain(spaces) => {
                key.word(1);
                spaces.describe(key);
            }
        }
        key.rule(self.inner);
        true
    }
}
