//! Sets of strings, arrays and objects: conjunctions of constraints, per type.
//!
//! Wherever one of these has parts, the parts are sets of values themselves, by their [`SetId`].

use std::sync::Arc;

use super::reader::ValueId;
use crate::base::define_id;
use crate::regular::{Dfa, Lengths};

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
}

impl StringSet {
    pub(crate) const ANY: Self = Self {
        least: 0,
        most: u32::MAX,
        language: None,
    };

    pub(crate) fn is_bounded(&self) -> bool {
        self.least > 0 || self.most < u32::MAX
    }
}

/// A language of strings.
#[derive(Clone, Debug)]
pub(crate) struct Language {
    /// Over UTF-8; never empty-handed: valid text only.
    pub(crate) dfa: Arc<Dfa>,
    /// The lengths of its strings, where a length is asked for as well.
    pub(crate) lengths: Option<Arc<Lengths>>,
    /// The pattern, for errors.
    pub(crate) origin: ValueId,
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
}

impl ArraySet {
    pub(crate) const ANY: Self = Self {
        prefix: Vec::new(),
        rest: SetId::ANY,
        least: 0,
        most: u32::MAX,
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

/// Objects by their properties.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ObjectSet {
    /// In declared order.
    pub(crate) properties: Vec<Property>,
    pub(crate) required: Vec<NameId>,
    /// The values of all other properties.
    pub(crate) additional: SetId,
}

impl ObjectSet {
    pub(crate) const ANY: Self = Self {
        properties: Vec::new(),
        required: Vec::new(),
        additional: SetId::ANY,
    };

    /// What the property `name` may be.
    pub(crate) fn property(&self, name: NameId) -> SetId {
        let own = self
            .properties
            .iter()
            .find(|property| property.name == name);
        own.map_or(self.additional, |property| property.set)
    }
}
