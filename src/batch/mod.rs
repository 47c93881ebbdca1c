//! What hosts do by the batch: masks of many sessions, and of the rows of a draft, on several
//! threads, and masks applied to logits.
//!
//! The only layer that has threads. They are those of the pool that rayon is in: the pool of the
//! process, or the one whose `install` the caller is in.

mod fill;
mod logits;
mod pool;

pub use fill::{Job, fill_masks};
pub use logits::{Bf16, F16, Logit, apply_mask};
pub use pool::{ForkedOff, PoolOwner};
