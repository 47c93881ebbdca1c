//! One parameter, as a format writes it: an automaton with a place for the name and one for the value.

use std::sync::{Arc, OnceLock};

use crate::base::{ControlId, LimitError, Limits, RuleId};
use crate::front::json_schema::values::Types;
use crate::grammar::Edge;
use crate::regular::Dfa;

/// How the value of a parameter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueForm {
    /// A string as it is; anything else as JSON. What reads as JSON that the schema allows is no string.
    Raw,
    /// A string as it is, and nothing else.
    String,
    /// Any value as JSON.
    Json,
    /// Any value as a literal of Python.
    Python,
    /// Any value: strings between marks as they are, arrays and objects as JSON but for the values in them, and the
    /// members of objects as parameters.
    Nested,
    /// As JSON, and no string.
    Other,
    /// As JSON, and neither a string nor made of other values.
    Scalar,
    /// A string as it is; null, booleans and numbers as JSON. What reads as one of them that the schema allows is no
    /// string.
    Plain,
    /// The members of an object, as parameters again.
    Members,
    /// The items of an array, one by one.
    Elements,
    /// A value of one type, as JSON.
    Typed(JsonType),
}

/// The types that an attribute may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonType {
    Null,
    Boolean,
    Number,
    Array,
    Object,
}

impl ValueForm {
    /// Whether strings are written as they are.
    pub(crate) fn has_raw_strings(self) -> bool {
        matches!(self, Self::Raw | Self::String | Self::Plain)
    }

    /// Whether the value is made of others, each in a form of its own.
    pub(super) fn is_composite(self) -> bool {
        matches!(self, Self::Members | Self::Elements)
    }

    /// The types of what is written as JSON.
    pub(super) fn json_types(self) -> Types {
        let scalars = Types::NULL.union(Types::BOOLEAN).union(Types::NUMBER);
        let others = scalars.union(Types::ARRAY).union(Types::OBJECT);
        match self {
            Self::Json | Self::Python | Self::Nested => Types::ALL,
            Self::Raw | Self::Other => others,
            Self::String | Self::Members | Self::Elements => Types::NONE,
            Self::Scalar | Self::Plain => scalars,
            Self::Typed(JsonType::Null) => Types::NULL,
            Self::Typed(JsonType::Boolean) => Types::BOOLEAN,
            Self::Typed(JsonType::Number) => Types::NUMBER,
            Self::Typed(JsonType::Array) => Types::ARRAY,
            Self::Typed(JsonType::Object) => Types::OBJECT,
        }
    }
}

/// A position in a parameter.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormNode {
    pub(crate) edges: Vec<Edge<u32>>,
    pub(crate) controls: Vec<(ControlId, u32)>,
    /// Calls to the rule of white space.
    pub(crate) calls: Vec<(RuleId, u32)>,
    /// Where the name leads.
    pub(crate) name: Option<u32>,
    /// Where the value leads, by its form: the index among [`ParameterForm::forms`].
    pub(crate) values: Vec<(usize, u32)>,
    /// Where the name leads that stands behind the value once more.
    pub(crate) again: Option<u32>,
    pub(crate) ends: bool,
}

impl FormNode {
    /// Where one is after anything but the name and the value.
    fn others(&self) -> impl Iterator<Item = u32> + '_ {
        let edges = self.edges.iter().map(|edge| edge.to);
        let controls = self.controls.iter().map(|&(_, to)| to);
        edges
            .chain(controls)
            .chain(self.calls.iter().map(|&(_, to)| to))
            .chain(self.again)
    }
}

/// What of a parameter has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Nothing,
    Name,
    Value,
}

/// A set of forms, by their indices.
pub(super) type Forms = u32;

/// How parameters are written.
#[derive(Debug)]
pub(crate) struct ParameterForm {
    pub(super) nodes: Box<[FormNode]>,
    pub(super) forms: Vec<ValueForm>,
    /// What stands between two parameters.
    pub(super) separator: Box<[u8]>,
    /// The names that can be written.
    pub(super) names: Dfa,
    /// What no string written as it is has in it.
    forbidden: Vec<String>,
    /// The texts that have nothing of that, when they were asked for.
    ///
    /// PERF: made for each string of each tool, they are five sixths of compiling 128 tools (`perf` over `accept`).
    texts: OnceLock<Arc<Dfa>>,
    /// What strings stand between, where values are [`ValueForm::Nested`].
    pub(super) quote: Option<ControlId>,
    /// An item of an array, where values are [`ValueForm::Elements`]: as a parameter, without a name.
    pub(super) elements: Box<[FormNode]>,
    /// By node of those, the forms of values that may still come.
    pub(super) elements_ahead: Box<[Forms]>,
    /// By node, what has been read there.
    pub(super) read: Box<[Part]>,
    /// By node, the forms of values that may still come.
    pub(super) ahead: Box<[Forms]>,
}

/// What is fixed of a parameter's form.
#[derive(Debug)]
pub(crate) struct FormParts {
    pub(crate) nodes: Box<[FormNode]>,
    pub(crate) forms: Vec<ValueForm>,
    pub(crate) separator: Box<[u8]>,
    pub(crate) names: Dfa,
    pub(crate) forbidden: Vec<String>,
    /// What strings stand between, where values are [`ValueForm::Nested`].
    pub(crate) quote: Option<ControlId>,
    /// An item of an array, where values are [`ValueForm::Elements`].
    pub(crate) elements: Box<[FormNode]>,
}

impl ParameterForm {
    /// Whether values are made of parameters again.
    pub(super) fn is_composite(&self) -> bool {
        self.forms.iter().any(|form| form.is_composite())
    }

    /// Whether the name stands behind the value once more: then only declared names can be written.
    pub(super) fn repeats_names(&self) -> bool {
        self.nodes.iter().any(|node| node.again.is_some())
    }

    /// Whether `null`, `false` and `true` are written as Python writes them.
    pub(crate) fn is_python(&self) -> bool {
        self.forms.contains(&ValueForm::Python)
    }

    /// What no string written as it is has in it, nor one in JSON, in plain characters.
    pub(crate) fn forbidden(&self) -> &[String] {
        &self.forbidden
    }

    /// The texts that a string written as it is may be, whatever its schema.
    ///
    /// # Errors
    /// Where the automaton of these texts meets a limit.
    pub(super) fn texts(&self, limits: &Limits) -> Result<Arc<Dfa>, LimitError> {
        if let Some(known) = self.texts.get() {
            return Ok(known.clone());
        }
        let needles: Vec<&[u8]> = self.forbidden.iter().map(|text| text.as_bytes()).collect();
        let texts = Arc::new(Dfa::text_without(&needles, limits)?);
        Ok(self.texts.get_or_init(|| texts).clone())
    }

    /// Makes what the tools of several requests share, where they do: what that takes is then counted once.
    ///
    /// # Errors
    /// As of [`Self::texts`].
    pub(crate) fn ready(&self, limits: &Limits) -> Result<(), LimitError> {
        self.texts(limits).map(drop)
    }

    /// The names that can be written.
    pub(crate) fn names(&self) -> &Dfa {
        &self.names
    }

    /// What stands between two parameters.
    pub(crate) fn separator(&self) -> &[u8] {
        &self.separator
    }

    /// Checks that each way through the automaton has one name and then one value, whose forms are told behind
    /// the name.
    ///
    /// # Errors
    /// What is wrong, for people.
    pub(crate) fn new(parts: FormParts) -> Result<Self, &'static str> {
        let nodes = &parts.nodes;
        let read = parts_read(nodes)?;
        let ahead = forms_ahead(nodes);
        let all = ahead.first().copied().unwrap_or_default();
        let is_python = |form: &ValueForm| *form == ValueForm::Python;
        if parts.forms.iter().any(is_python) && !parts.forms.iter().all(is_python) {
            return Err("values are written as Python's or as JSON's, and not as both");
        }
        let is_nested = |form: &ValueForm| *form == ValueForm::Nested;
        if parts.quote.is_some() != parts.forms.iter().any(is_nested)
            || (parts.quote.is_some() && parts.forms.len() != 1)
        {
            return Err("values whose strings stand between marks have no other form");
        }
        let elements_ahead = forms_ahead(&parts.elements);
        let needs_elements = parts.forms.contains(&ValueForm::Elements);
        if needs_elements && elements_ahead.first() != Some(&all) {
            return Err("an item of an array has a value in whichever form");
        }
        let named = nodes.iter().filter_map(|node| node.name);
        if all == 0 || named.into_iter().any(|to| ahead[to as usize] != all) {
            return Err("a parameter has its value, in whichever form, behind its name");
        }
        Ok(Self {
            read,
            ahead,
            nodes: parts.nodes,
            forms: parts.forms,
            separator: parts.separator,
            names: parts.names,
            forbidden: parts.forbidden,
            texts: OnceLock::new(),
            quote: parts.quote,
            elements: parts.elements,
            elements_ahead,
        })
    }
}

/// By node, what has been read there.
fn parts_read(nodes: &[FormNode]) -> Result<Box<[Part]>, &'static str> {
    let mut read: Vec<Option<Part>> = vec![None; nodes.len()];
    let mut open = vec![(0u32, Part::Nothing)];
    while let Some((at, part)) = open.pop() {
        match read[at as usize].replace(part) {
            Some(known) if known == part => continue,
            Some(_) => return Err("a parameter has one name, and then one value"),
            None => {}
        }
        let node = &nodes[at as usize];
        let misplaced = node.ends && part != Part::Value
            || node.name.is_some() && part != Part::Nothing
            || !node.values.is_empty() && part != Part::Name
            || node.again.is_some() && part != Part::Value;
        if misplaced {
            return Err("a parameter has one name, and then one value");
        }
        open.extend(node.others().map(|to| (to, part)));
        open.extend(node.name.map(|to| (to, Part::Name)));
        open.extend(node.values.iter().map(|&(_, to)| (to, Part::Value)));
    }
    Ok(read
        .into_iter()
        .map(|part| part.unwrap_or(Part::Nothing))
        .collect())
}

/// By node, the forms of values that may still come.
fn forms_ahead(nodes: &[FormNode]) -> Box<[Forms]> {
    let mut ahead = vec![0; nodes.len()];
    // Nodes mostly come before those that they lead to: only loops need another round.
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for (at, node) in nodes.iter().enumerate().rev() {
            let own = node
                .values
                .iter()
                .fold(0, |all, &(form, _)| all | 1 << form);
            let next = node.others().chain(node.name);
            let all = next.fold(own, |all: Forms, to| all | ahead[to as usize]);
            changed |= all != ahead[at];
            ahead[at] = all;
        }
    }
    ahead.into()
}
