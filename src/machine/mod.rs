//! The parser, determinised lazily.
//!
//! A `Generation` holds what one grammar's machine has seen so far. Its states are interned sets
//! of items; an item is a position in a rule and an *origin*, which is itself an interned set of
//! callers, so the whole stack is inside the state's id. `advance(state, byte)` is a table look-up
//! once seen and one closure computation when not: a DFA that builds itself, exact for every
//! context-free grammar.
//!
//! The algorithm, with `W[o]` for the callers of origin `o`:
//!
//! - stepping a state moves its items over a byte, then *completes*: where a rule has ended, the
//!   rule's callers go on at their sites;
//! - interning a new set *closes* it: where an item calls a rule, that rule's start joins the
//!   items, with an origin made of all who wait for the rule here;
//! - a state can be made to *forget* (`forget`) what bodies remember, for the sake of masks;
//! - an origin is *flattened* (a caller with nothing left to do is replaced by its own callers, so
//!   tail calls cost no depth) and *knotted* (a set that only repeats one it contains is that one),
//!   so that loops come back to the same state.
//!
//! From any state there is a way to the end: `shortest` has the search over positions, `nearest` what of it is kept where
//! many items lead there, `way_out` the search over states where what was remembered is in the way.

mod adopt;
mod binding;
mod closure;
mod cost;
mod forget;
mod generation;
mod mark;
mod memory;
mod nearest;
mod node;
mod origin;
mod path;
mod position;
mod shortest;
mod state;
mod under_way;
mod way_out;
mod writer;

pub(crate) use adopt::Adoption;
pub(crate) use binding::{Binding, ControlBinding};
pub(crate) use cost::Cost;
pub(crate) use generation::Generation;
pub(crate) use memory::{Forgotten, Memories, ReadersId, Remains};
pub(crate) use node::{Exit, Inst, Pos};
pub(crate) use origin::Origin;
pub(crate) use path::Step;
pub(crate) use position::Recall;
pub(crate) use state::{Arrived, Item, StateId};

#[cfg(test)]
mod tests;
