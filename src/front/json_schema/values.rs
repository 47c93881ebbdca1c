//! Sets of strings, arrays and objects: conjunctions of constraints, per type.
//!
//! Wherever one of these has parts, the parts are sets of values themselves, by their [`SetId`].

use std::sync::Arc;

use super::host_names::HostNames;
use super::reader::ValueId;
use crate::base::define_id;
use crate::regular::{Counted, Dfa, Dialect, Lengths, Nesting, Texts};

define_id! {
    /// A set of values: what a subschema, or several of them together, allows.
    pub(crate) SetId
}
define_id! {
    /// A property name.
    pub(crate) NameId
}
define_id! {
    /// A regular language that a string must belong to.
    pub(crate) LanguageId
}

define_id! {
    /// A set of numbers of a model.
    pub(crate) NumberId
}
define_id! {
    /// A [`StringSet`] of a model.
    pub(crate) StringId
}
define_id! {
    /// An [`ArraySet`] of a model.
    pub(crate) ArrayId
}
define_id! {
    /// An [`ObjectSet`] of a model.
    pub(crate) ObjectId
}

impl SetId {
    /// All values.
    pub(crate) const ANY: Self = Self::new(0);
    /// No value.
    pub(crate) const NEVER: Self = Self::new(1);
}

/// A set of the types of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Types(u8);

impl Types {
    pub(crate) const NONE: Self = Self(0);
    pub(crate) const NULL: Self = Self(1);
    pub(crate) const BOOLEAN: Self = Self(2);
    pub(crate) const NUMBER: Self = Self(4);
    pub(crate) const STRING: Self = Self(8);
    pub(crate) const ARRAY: Self = Self(16);
    pub(crate) const OBJECT: Self = Self(32);
    pub(crate) const ALL: Self = Self(63);

    pub(crate) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Strings by their number of code points and a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StringSet {
    pub(crate) least: u32,
    /// `u32::MAX` for no bound.
    pub(crate) most: u32,
    pub(crate) language: Option<LanguageId>,
    /// The strings are JSON texts of these values.
    pub(crate) content: Option<SetId>,
}

impl StringSet {
    pub(crate) const ANY: Self = Self {
        least: 0,
        most: u32::MAX,
        language: None,
        content: None,
    };

    pub(crate) fn is_bounded(&self) -> bool {
        self.least > 0 || self.most < u32::MAX
    }
}

/// How a language compares with what it stands for.
#[derive(Clone, Debug)]
pub(crate) enum Extent {
    Exact,
    /// It may lack strings, so that not all that is outside it is known to be wrong. Nor is what has
    /// more than `most` code points.
    Narrower {
        wider: Wider,
        most: u32,
    },
}

/// All strings that anybody takes for ones of a language, and some more: what is outside is none.
#[derive(Clone, Debug)]
pub(crate) enum Wider {
    Unknown,
    Pattern(&'static str),
    Language(Arc<Dfa>),
}

/// A pattern that is counted, and what it takes to make an automaton of it all the same.
#[derive(Clone, Debug)]
pub(crate) struct CountedPattern {
    pub(crate) texts: Arc<Counted>,
    pub(crate) pattern: Arc<str>,
    pub(crate) dialect: Dialect,
}

/// A language of strings.
#[derive(Clone, Debug)]
pub(crate) struct Language {
    /// Over UTF-8; never empty-handed: valid text only.
    pub(crate) dfa: Arc<Dfa>,
    /// The lengths of its strings, where a length is asked for as well.
    pub(crate) lengths: Option<Arc<Lengths>>,
    /// Where its strings nest: the automaton is one level of them then, and has no fewer strings.
    pub(crate) nesting: Option<Arc<Nesting>>,
    /// Where its strings are counted: the automaton has all strings then.
    pub(crate) counted: Option<CountedPattern>,
    /// Whether host names with A-labels belong to it besides. What is made of it lacks them.
    pub(crate) a_labels: bool,
    pub(crate) extent: Extent,
    /// The pattern, for errors.
    pub(crate) origin: ValueId,
}

impl Language {
    /// The strings that `dfa` accepts.
    pub(crate) fn new(dfa: Dfa, origin: ValueId) -> Self {
        Self {
            dfa: Arc::new(dfa),
            lengths: None,
            nesting: None,
            counted: None,
            a_labels: false,
            extent: Extent::Exact,
            origin,
        }
    }

    /// The strings of `nesting`.
    pub(crate) fn nested(nesting: Nesting, origin: ValueId) -> Self {
        let mut language = Self::new(Dfa::clone(nesting.level()), origin);
        language.nesting = Some(Arc::new(nesting));
        language
    }

    /// How its strings are read.
    pub(crate) fn texts(&self) -> Texts {
        match (&self.nesting, &self.counted) {
            (Some(nesting), _) => Texts::Nested(nesting.clone()),
            (_, Some(counted)) => Texts::Counted(counted.texts.clone()),
            (None, None) => Texts::Flat(self.dfa.clone()),
        }
    }

    /// Whether the automaton says all of it.
    pub(crate) fn is_flat(&self) -> bool {
        self.nesting.is_none() && self.counted.is_none()
    }

    pub(crate) fn contains(&self, text: &str) -> bool {
        if let Some(counted) = &self.counted {
            return counted.texts.contains(text);
        }
        match &self.nesting {
            Some(nesting) => nesting.contains(text),
            None => {
                self.dfa.contains(text.as_bytes())
                    || self.a_labels && HostNames::new().contains(text)
            }
        }
    }
}

/// Items from some place on that belong to a set, and how many of them there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Count {
    pub(crate) set: SetId,
    /// The place of the first item that counts.
    pub(crate) from: u32,
    pub(crate) least: u32,
    /// `u32::MAX` for no bound.
    pub(crate) most: u32,
}

/// Whether items may be equal to one another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Repeats {
    #[default]
    Any,
    /// No two items are equal.
    None,
    /// Two items are.
    Some,
}

impl Repeats {
    /// What both allow; `None` where they exclude each other.
    pub(crate) fn both(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Any, repeats) | (repeats, Self::Any) => Some(repeats),
            (a, b) => (a == b).then_some(a),
        }
    }
}

/// Arrays by their items and their number.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ArraySet {
    /// The first items, by place.
    pub(crate) prefix: Vec<SetId>,
    /// All further items.
    pub(crate) rest: SetId,
    pub(crate) least: u32,
    /// `u32::MAX` for no bound.
    pub(crate) most: u32,
    pub(crate) counts: Vec<Count>,
    pub(crate) repeats: Repeats,
}

impl ArraySet {
    pub(crate) const ANY: Self = Self {
        prefix: Vec::new(),
        rest: SetId::ANY,
        least: 0,
        most: u32::MAX,
        counts: Vec::new(),
        repeats: Repeats::Any,
    };

    /// What the item at `index` may be.
    pub(crate) fn item(&self, index: usize) -> SetId {
        self.prefix.get(index).copied().unwrap_or(self.rest)
    }
}

/// A property that has a set of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Property {
    pub(crate) name: NameId,
    pub(crate) set: SetId,
}

/// Keys of a language and the set that their values belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyClass {
    pub(crate) language: LanguageId,
    pub(crate) set: SetId,
}

/// What may hold of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Literal {
    /// There is no property of this name.
    Lacks(NameId),
    /// There is, and its value is of this set.
    Bears(NameId, SetId),
    /// A key of this language that is none of the names has a value of this set.
    Other(LanguageId, SetId),
}

/// Objects by their properties, all of whose constraints hold together.
///
/// What a key's value may be is said by `properties` for the names in it, for other keys by the one
/// of `classes` that has it, and by `additional` for all that are left.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectSet {
    /// In declared order; all names that stand anywhere in the set are among them.
    pub(crate) properties: Vec<Property>,
    pub(crate) required: Vec<NameId>,
    /// No key is in two of their languages.
    pub(crate) classes: Vec<KeyClass>,
    pub(crate) additional: SetId,
    /// How many properties there are.
    pub(crate) least: u32,
    /// `u32::MAX` for no bound.
    pub(crate) most: u32,
    /// Of each of these, at least one holds.
    pub(crate) clauses: Vec<Vec<Literal>>,
    /// Where the first name is a key, so is the second.
    pub(crate) implications: Vec<(NameId, NameId)>,
}

impl ObjectSet {
    pub(crate) const ANY: Self = Self {
        properties: Vec::new(),
        required: Vec::new(),
        classes: Vec::new(),
        additional: SetId::ANY,
        least: 0,
        most: u32::MAX,
        clauses: Vec::new(),
        implications: Vec::new(),
    };

    /// Whether properties depend on each other.
    pub(crate) fn has_conditions(&self) -> bool {
        !self.clauses.is_empty() || !self.implications.is_empty()
    }

    /// The set that the property `name` has of its own.
    pub(crate) fn property(&self, name: NameId) -> Option<SetId> {
        let own = self
            .properties
            .iter()
            .find(|property| property.name == name);
        own.map(|property| property.set)
    }
}

/// What the keywords for objects of one subschema say.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectKeywords {
    /// In declared order.
    pub(crate) properties: Vec<Property>,
    pub(crate) required: Vec<NameId>,
    /// `patternProperties`: languages, `None` for that of all keys, and the sets of their values.
    pub(crate) patterns: Vec<(Option<LanguageId>, SetId)>,
    /// Where neither a property nor a pattern says more.
    pub(crate) additional: SetId,
    /// `propertyNames`.
    pub(crate) names: SetId,
    pub(crate) least: u32,
    pub(crate) most: u32,
    /// `dependentRequired`.
    pub(crate) implications: Vec<(NameId, NameId)>,
}

impl ObjectKeywords {
    pub(crate) const ANY: Self = Self {
        properties: Vec::new(),
        required: Vec::new(),
        patterns: Vec::new(),
        additional: SetId::ANY,
        names: SetId::ANY,
        least: 0,
        most: u32::MAX,
        implications: Vec::new(),
    };
}
