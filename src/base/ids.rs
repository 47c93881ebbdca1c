//! Index newtypes, so that a rule is never mistaken for a token.

/// Defines an id: a `u32` index into a table of its own.
macro_rules! define_id {
    ($(#[$meta:meta])* $vis:vis $name:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        $vis struct $name(u32);

        impl $crate::base::Numbered for $name {
            #[inline]
            fn number(self) -> usize {
                self.index()
            }
        }

        #[allow(dead_code)]
        impl $name {
            /// The id of the table's entry `index`.
            #[inline]
            $vis const fn new(index: u32) -> Self {
                Self(index)
            }

            /// The id of the table's entry `index`; tables are bounded well below `u32::MAX`.
            #[inline]
            $vis const fn from_usize(index: usize) -> Self {
                Self(index as u32)
            }

            /// The id as a number.
            #[inline]
            $vis const fn get(self) -> u32 {
                self.0
            }

            /// The id as an index.
            #[inline]
            $vis const fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
pub(crate) use define_id;

define_id! {
    /// A token of a vocabulary: the number that a model's logits are indexed by.
    pub TokenId
}
define_id! {
    /// A rule of a grammar.
    pub RuleId
}
define_id! {
    /// A control token that a grammar names, such as `<|start|>`.
    pub ControlId
}
