//! Values that differ from others: items of arrays in which no two are equal, or some must be, whatever they are.
//!
//! The rules of this module say what value they have read: the value is their exit. They are called
//! with a [`Demand`]: the value is to be none of some values, or one of them. An array of distinct
//! items demands of each item that it be none of those before; one that must have equal items, that the last
//! that it may have be one of them, if no two are equal by then. An object or an array passes a demand
//! on to its parts: as long as it agrees with some of the values, the next part is either none of
//! the parts that these have there, or one of them, and these two are read by calls of their own. So
//! it is known, byte by byte, which of the values one still agrees with, and no position is handed
//! out from which nothing but a refused value can be completed.
//!
//! [`Readers`] has all rules of one schema and answers what a set has besides some values;
//! `member` reads a member of a set, `object` and `array` wrap the bodies that read these otherwise,
//! `number` and `texts` read scalars. Strings are read by [`FreshText`](super::fresh::FreshText):
//! its shadow is right because a string that equals one of an earlier value, which is what matters
//! later, is read by a call of its own.

mod alike;
mod array;
mod demand;
mod member;
mod number;
mod object;
mod readers;
mod texts;
mod value;

pub(super) use array::{Aim, ArrayMemory, ArrayReader, Exit};
pub(super) use member::MemberBody;
pub(super) use number::NumberReader;
pub(super) use object::{ObjectMemory, ObjectReader};
pub(super) use readers::{Readers, Scalar, SetReader};
pub(super) use texts::TextsBody;
pub(super) use value::Value;
