//! The keywords of one subschema that only mean something together, before they are.

use std::ops::Index;

use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::number_set::Integrality;
use crate::front::json_schema::reader::ValueId;

/// Where the keywords of a subschema have their values.
pub(super) struct Parts {
    pub(super) integrality: Integrality,
    values: [Option<ValueId>; Keyword::COUNT],
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            integrality: Integrality::default(),
            values: [None; Keyword::COUNT],
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
    }

    /// Whether a keyword for numbers is among them.
    pub(super) fn have_numbers(&self) -> bool {
        use Keyword::{ExclusiveMaximum, ExclusiveMinimum, Maximum, Minimum, MultipleOf};
        let numbers = [
            Minimum,
            Maximum,
            MultipleOf,
            ExclusiveMinimum,
            ExclusiveMaximum,
        ];
        numbers.iter().any(|&keyword| self[keyword].is_some())
    }
}
