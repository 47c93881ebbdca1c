//! Which tokens may come next.
//!
//! By definition: walk the byte trie of the tokens with the machine; a token is allowed when the
//! walk survives its last byte. That walk is `reference`, the oracle of every test. What is used
//! instead is a union over the items of a state:
//!
//! - what an item's *rule* contributes depends on the rule alone (`rule`): the tokens that stay
//!   inside it, and the tokens that end it in mid-token, with their suffixes. It is kept per
//!   vocabulary, keyed by the rule's content, and shared by all grammars;
//! - the suffixes are tried in the state that follows the rule (`compose`, `ending`);
//! - where what follows leads over a separator to a call, what becomes of tokens up to the
//!   callee's end depends on the way there and the callee alone (`passage`, `crossing`): it is kept by
//!   content as well;
//! - a position that loops on a whole class of characters takes the class's slice (`absorb`);
//! - a position that is like a simpler one cuts the simpler one's mask (`shadow`);
//! - the rest is walked.
//!
//! A state's mask is remembered (`cache`) as a shared row plus and minus a few tokens (`Mask`); it serves all
//! states, of any grammar, that no token can tell from this one (`outlines`, `sight`).

mod absorb;
mod bounded;
mod cache;
mod compose;
mod content;
mod contents;
mod context;
mod crossing;
mod crossings;
mod ending;
mod measures;
mod mentions;
mod passage;
mod places;
mod reference;
mod representation;
mod room;
mod rule;
mod rule_cache;
mod runs;
mod shadow;
mod shared_rules;
mod suffix;
mod walk;

pub(crate) use cache::Masks;
pub(crate) use context::Context;
pub(crate) use reference::reference;
pub(crate) use shared_rules::RuleMasks;
