//! The keywords of one subschema that only mean something together, before they are.

use std::ops::Index;

use smallvec::SmallVec;

use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::number_set::Integrality;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::Types;

/// Where the keywords of a subschema have their values.
pub(super) struct Parts {
    pub(super) integrality: Integrality,
    /// A bit for each keyword that is there, and in their order its value: a subschema has few.
    present: u128,
    values: SmallVec<[Option<ValueId>; 4]>,
    /// The types that some keyword among them is about, and not about all.
    about: Types,
}

const _: () = assert!(
    Keyword::COUNT <= u128::BITS as usize,
    "each has a bit of its own"
);

impl Default for Parts {
    fn default() -> Self {
        Self {
            integrality: Integrality::default(),
            present: 0,
            values: SmallVec::new(),
            about: Types::NONE,
        }
    }
}

impl Index<Keyword> for Parts {
    type Output = Option<ValueId>;

    fn index(&self, keyword: Keyword) -> &Option<ValueId> {
        match self.has(keyword) {
            true => &self.values[self.before(keyword)],
            false => &None,
        }
    }
}

impl Parts {
    pub(super) fn set(&mut self, keyword: Keyword, value: ValueId) {
        let at = self.before(keyword);
        match self.has(keyword) {
            true => self.values[at] = Some(value),
            false => self.values.insert(at, Some(value)),
        }
        self.present |= bit(keyword);
        if keyword.about() != Types::ALL {
            self.about = self.about.union(keyword.about());
        }
    }

    /// Whether a keyword for one of these types is among them.
    pub(super) fn are_about(&self, types: Types) -> bool {
        self.about.meets(types)
    }

    /// Whether one is among them that [`Keywords::beside`](super::Keywords::beside) reads.
    pub(super) fn stand_beside(&self) -> bool {
        self.present & BESIDE != 0
    }

    fn has(&self, keyword: Keyword) -> bool {
        self.present & bit(keyword) != 0
    }

    /// How many keywords there are before this one.
    fn before(&self, keyword: Keyword) -> usize {
        (self.present & (bit(keyword) - 1)).count_ones() as usize
    }
}

/// The bits of the keywords that say something beside what a schema says of each type.
const BESIDE: u128 = bit(Keyword::Format)
    | bit(Keyword::If)
    | bit(Keyword::Dependencies)
    | bit(Keyword::DependentSchemas)
    | bit(Keyword::UnevaluatedProperties)
    | bit(Keyword::UnevaluatedItems)
    | bit(Keyword::ContentEncoding)
    | bit(Keyword::ContentMediaType);

const fn bit(keyword: Keyword) -> u128 {
    1 << keyword as u32
}
