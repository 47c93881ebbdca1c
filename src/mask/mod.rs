//! Which tokens may come next.
//!
//! By definition: walk the byte trie of the tokens with the machine; a token is allowed when the walk survives its last
//! byte. That walk is `reference`, and every test of masks holds them against it. What is used instead is the union over
//! the items of a state (`compose`), and rests on six ideas. Behind each stands what masks cost without it, as
//! measured over MaskBench (`benches/LOG.md`).
//!
//! 1. **Walk** (`walk`, `places`). The trie is walked from one item. As long as the walk only steps within one body, the
//!    position says where it is, and no state of the machine is made; a place that is come to often keeps a row of where
//!    each byte leads. Everything below falls back to this.
//! 2. **Contribution** (`rule`, `suffix`). What an item's rule contributes depends on the rule alone, whoever called
//!    it: the tokens that stay inside the rule, and the suffixes of those that end it in mid-token. Only these
//!    suffixes are walked where the callers go on.
//! 3. **Slice** (`slice`). Where a whole class of characters leads on and on, as within a string, the tokens of such
//!    characters are a row of the vocabulary, and only the others are tried. Without: mean 2.6 times as long.
//! 4. **Cut** (`shadow`, `mentions`). A position that is like a simpler one but for a bound or for forbidden texts cuts the
//!    simpler one's contribution. So does a state that remembers: its mask is that of the state that forgets,
//!    less the tokens that contain what is remembered. Without shadows: 1.7 to 2.3 times; without forgetting: 2 times.
//! 5. **Memory of a vocabulary** (`shared`). Rules are told by what they say, so that contributions are shared by all grammars
//!    over one vocabulary. Without: 1.4 to 1.5 times.
//! 6. **Crossing** (`crossing`). Where a separator leads to a call, what becomes of tokens up to the callee's end depends on the
//!    separator and the callee alone, and is shared in the same way.
//!
//! A mask is kept by its state (`cache`), as a shared row plus and minus a few tokens (`representation`), or as a row of
//! its own once several states have it (`first`).

mod ahead;
mod bounded;
mod cache;
mod compose;
mod context;
mod crossing;
mod first;
mod item;
mod local;
mod measures;
mod mechanism;
mod mentions;
mod places;
mod reference;
mod representation;
mod room;
mod rule;
mod shadow;
mod shared;
mod slice;
mod suffix;
mod walk;
mod work;

pub(crate) use bounded::Bounded;
pub(crate) use cache::Masks;
pub(crate) use context::Context;
pub use mechanism::Mechanism;
pub(crate) use reference::reference;
pub(crate) use shared::RuleMasks;
pub(crate) use slice::Run;
pub(crate) use work::Work;
