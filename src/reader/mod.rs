//! Takes apart what a model wrote: a format's file says where the reasoning, the text and the calls are.
//!
//! A [`ReaderPlan`] is made from a format and a request, once; a [`Reader`] reads one turn, in pieces of any size or token by
//! token, and gives [`Event`]s as soon as they are certain.
//!
//! It works on the format's *skeleton*: the rules of the turn, with any JSON in the place of schemas, and for each rule its
//! role. `places` walks it: a place is a position in a rule with the positions that wait for that rule to end. `table` makes
//! an automaton of sets of places, as far as a text visits it: a step tells which byte has which role. Readers of one
//! plan use one after the other the same automaton (`tables`). Places that agree on
//! all roles so far form one *reading* (`readings`); where they come to differ, a reading splits, and what its parts do not
//! share is held back until all but one of them have died. So a reader never guesses. `settle` shows for a format that no text
//! has two readings. `assemble` makes events and a message of bytes with roles, `values` makes JSON of what is spelt otherwise,
//! `unescape` reads JSON that stands in a string, `members` says which arguments are complete while others are being written, and
//! `untold` keeps what turns out to be text should the turn break.

mod assemble;
mod certain;
mod error;
mod event;
mod members;
mod places;
mod plan;
mod readings;
mod settle;
mod table;
mod tables;
mod turn;
mod unescape;
mod untold;
mod values;

pub use certain::certain;
pub use error::{ReadError, Unsettled};
pub use event::{Event, Message, MessageCall, MessagePart};
pub use plan::ReaderPlan;
pub use turn::{Closing, Reader, ReaderConfig, Strictness};
