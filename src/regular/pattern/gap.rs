//! Places between code points, and the assertions that only what stands on both sides decides.

use super::ast::Assertion;

/// What came before a place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Before {
    Nothing,
    Other,
    Word,
}

impl Before {
    pub(super) const ALL: [Self; 3] = [Self::Nothing, Self::Other, Self::Word];
}

/// What comes after a place in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum After {
    End,
    Other,
    Word,
}

/// A place in the text, by what stands on both sides.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    pub(super) before: Before,
    pub(super) after: After,
}

impl Gap {
    pub(super) fn holds(self, assertion: Assertion) -> bool {
        let boundary = (self.before == Before::Word) != (self.after == After::Word);
        match assertion {
            Assertion::Start => self.before == Before::Nothing,
            Assertion::End => self.after == After::End,
            Assertion::WordBoundary => boundary,
            Assertion::NoWordBoundary => !boundary,
        }
    }
}
