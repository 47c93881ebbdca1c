//! The tokens that a session has left, and a way to the end that they afford.
//!
//! A session with a deadline has always such a way: the *reserve*. A token may come if it is the next one of the reserve, or
//! if what is left after it affords a way of its own, which is then the reserve ([`Bounds`](super::bounds::Bounds)). So
//! there is a token as long as the text has not ended, whatever the bounds are: were they too large, tokens would be
//! given away, and never the end.

use std::sync::Arc;

use crate::base::TokenId;

/// The tokens that a session has left, and the ways to the end that it could afford so far.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    /// How many tokens the session has when none is left.
    until: usize,
    reserve: Option<Arc<Reserve>>,
}

/// A way to the end that the session could afford when it had so many tokens, and since then.
#[derive(Debug)]
struct Reserve {
    since: usize,
    way: Arc<[TokenId]>,
    older: Option<Arc<Reserve>>,
}

impl Drop for Reserve {
    /// One by one: dropping a long list recursively would overflow the stack.
    fn drop(&mut self) {
        let mut older = self.older.take();
        while let Some(mut reserve) = older.and_then(Arc::into_inner) {
            older = reserve.older.take();
        }
    }
}

impl Deadline {
    /// That of a session that has so many tokens when none is left.
    pub(super) fn at(until: usize) -> Self {
        Self {
            until,
            reserve: None,
        }
    }

    /// How many tokens are left to a session that has so many.
    pub(super) fn left(&self, length: usize) -> usize {
        self.until.saturating_sub(length)
    }

    /// What is left of the reserve of a session that has so many tokens.
    pub(super) fn way(&self, length: usize) -> &[TokenId] {
        let reserve = self.reserve.as_ref();
        let left = reserve.and_then(|reserve| reserve.way.get(length - reserve.since..));
        left.unwrap_or_default()
    }

    /// The same with a new reserve from so many tokens on.
    pub(super) fn with(&self, since: usize, way: Arc<[TokenId]>) -> Self {
        let older = self.reserve.clone();
        Self {
            reserve: Some(Arc::new(Reserve { since, way, older })),
            ..*self
        }
    }

    /// The same for a session that has taken back all but so many of its `tokens`.
    pub(super) fn back_at(&self, length: usize, tokens: impl Fn() -> Vec<TokenId>) -> Self {
        let mut reserve = self.reserve.clone();
        while let Some(newest) = reserve.as_ref().filter(|newest| newest.since > length) {
            let Some(older) = newest.older.clone() else {
                // From before there was a deadline the tokens taken back lead to where its first way begins.
                let way = [&tokens()[length..newest.since], &newest.way].concat();
                let first = Reserve {
                    since: length,
                    way: way.into(),
                    older: None,
                };
                reserve = Some(Arc::new(first));
                break;
            };
            reserve = Some(older);
        }
        Self { reserve, ..*self }
    }
}
