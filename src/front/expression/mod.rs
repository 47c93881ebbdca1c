//! Rules as expressions: what grammars in EBNF and in Lark come to, and the way from there to a grammar.
//!
//! A front reads its text into a table of [`Rule`]s. [`lower`] makes rules of a grammar of them: each an
//! automaton, small ones in the place of their calls. [`Rules::regular`] makes an automaton of an
//! expression that no rule recurs in, for what takes one: intersections, complements, shortest matches.

mod lower;
mod regular;
mod rules;
mod splice;

use std::sync::Arc;

pub(crate) use lower::{Refused, lower};
pub(crate) use regular::{Irregular, substrings};
pub(crate) use rules::Rules;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::base::{LimitError, Span, define_id};
use crate::grammar::Control;
use crate::regular::Dfa;

/// How deep groups may be nested, whatever else is allowed: readers go down them by recursion, and so does what is made of
/// their rules.
pub(crate) const MOST_NESTED: usize = 64;

/// What a byte of a grammar costs: words, a tree, and what is looked up of them.
pub(crate) const STEPS_PER_BYTE: usize = 32;

/// Refuses an element of a rule that more quantifiers follow than anybody means, for each nests what stands before it.
pub(crate) fn repeated(quantifiers: usize) -> Result<(), LimitError> {
    LimitError::check("quantifiers of one element", quantifiers, 4)
}

define_id! {
    /// A rule of a table.
    pub(crate) RuleIndex
}

define_id! {
    /// A rule that stands outside of the table.
    pub(crate) ForeignIndex
}

/// A rule: a name for its expression.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) name: String,
    /// Where the name stands.
    pub(crate) span: Span,
    pub(crate) body: Expression,
}

/// Which texts may stand in a place.
#[derive(Clone, Debug)]
pub(crate) enum Expression {
    /// These, one after the other; of none, the empty text.
    Sequence(Vec<Expression>),
    /// One of these; of none, no text at all.
    Choice(Vec<Expression>),
    /// The body, from `min` to `max` times; without `max` as often as one likes.
    Repeat {
        body: Box<Expression>,
        min: u32,
        max: Option<u32>,
    },
    /// Whatever a rule of the table stands for.
    Rule(RuleIndex),
    /// This text.
    Text(Box<str>),
    /// One character of a set.
    Set(ClassUnicode),
    /// A text that an automaton accepts.
    Regular(Arc<Dfa>),
    /// A token.
    Control(Control),
    /// What a rule produces that is no rule of the table.
    Foreign(ForeignIndex),
}

impl Expression {
    /// The empty text.
    pub(crate) fn empty() -> Self {
        Self::Sequence(Vec::new())
    }

    /// Any one character.
    pub(crate) fn any() -> Self {
        Self::range('\0', char::MAX)
    }

    /// One character from `first` to `last`.
    pub(crate) fn range(first: char, last: char) -> Self {
        Self::Set(ClassUnicode::new([ClassUnicodeRange::new(first, last)]))
    }

    /// `items` one after the other; one alone stands for itself.
    pub(crate) fn sequence(mut items: Vec<Self>) -> Self {
        match items.pop() {
            Some(only) if items.is_empty() => only,
            Some(last) => {
                items.push(last);
                Self::Sequence(items)
            }
            None => Self::empty(),
        }
    }

    /// `items` as alternatives; one alone stands for itself.
    pub(crate) fn choice(mut items: Vec<Self>) -> Self {
        match items.pop() {
            Some(only) if items.is_empty() => only,
            Some(last) => {
                items.push(last);
                Self::Choice(items)
            }
            None => Self::Choice(items),
        }
    }

    /// From `min` to `max` times `self`.
    pub(crate) fn repeated(self, min: u32, max: Option<u32>) -> Self {
        match (min, max) {
            (_, Some(0)) => Self::empty(),
            (1, Some(1)) => self,
            _ => Self::Repeat {
                body: Box::new(self),
                min,
                max,
            },
        }
    }

    /// This text, letters of either case being equal.
    pub(crate) fn folded(text: &str) -> Self {
        let fold = |letter| {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(letter, letter)]);
            class.case_fold_simple();
            Self::Set(class)
        };
        Self::sequence(text.chars().map(fold).collect())
    }

    /// The expressions directly under this one.
    pub(crate) fn children(&self) -> &[Self] {
        match self {
            Self::Sequence(items) | Self::Choice(items) => items,
            Self::Repeat { body, .. } => std::slice::from_ref(body),
            _ => &[],
        }
    }

    /// Calls `visit` for each rule that is named.
    pub(crate) fn rules(&self, visit: &mut impl FnMut(RuleIndex)) {
        if let Self::Rule(rule) = self {
            visit(*rule);
        }
        for child in self.children() {
            child.rules(visit);
        }
    }
}
