//! The keywords of one subschema that only mean something together, before they are.

use std::ops::Index;

use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::number_set::Integrality;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::Types;

/// Where the keywords of a subschema have their values.
pub(super) struct Parts {
    pub(super) integrality: Integrality,
    values: [Option<ValueId>; Keyword::COUNT],
    /// The types that some keyword among them is about, and not about all.
    about: Types,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            integrality: Integrality::default(),
            values: [None; Keyword::COUNT],
            about: Types::NONE,
        }
    }
}

impl Index<Keyword> for Parts {
    type Output = Option<ValueId>;

    fn index(&self, keyword: Keyword) -> &Option<ValueId> {
        &self.values[keyword as usize]
    }
}

impl Parts {
    pub(super) fn set(&mut self, keyword: Keyword, value: ValueId) {
        self.values[keyword as usize] = Some(value);
        if keyword.about() != Types::ALL {
            self.about = self.about.union(keyword.about());
        }
    }

    /// Whether a keyword for one of these types is among them.
    pub(super) fn are_about(&self, types: Types) -> bool {
        self.about.meets(types)
    }
}
