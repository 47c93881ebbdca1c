//! The tokens a session has accepted, shared between forks.

use std::sync::Arc;

use crate::base::TokenId;
use crate::machine::StateId;

/// A persistent list, newest first: pushing and popping one token are O(1), and so is a copy.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    newest: Option<Arc<Link>>,
}

#[derive(Debug)]
struct Link {
    token: TokenId,
    /// The state before the token.
    before: StateId,
    length: usize,
    older: Option<Arc<Link>>,
}

impl History {
    pub(super) fn len(&self) -> usize {
        self.newest.as_ref().map_or(0, |link| link.length)
    }

    pub(super) fn newest(&self) -> Option<TokenId> {
        self.newest.as_ref().map(|link| link.token)
    }

    pub(super) fn push(&mut self, token: TokenId, before: StateId) {
        let length = self.len() + 1;
        let older = self.newest.take();
        self.newest = Some(Arc::new(Link {
            token,
            before,
            length,
            older,
        }));
    }

    /// Takes back the newest token and gives the state before it.
    pub(super) fn pop(&mut self) -> Option<StateId> {
        let newest = self.newest.take()?;
        self.newest.clone_from(&newest.older);
        Some(newest.before)
    }

    /// The tokens, oldest first.
    pub(super) fn tokens(&self) -> Vec<TokenId> {
        self.last(self.len())
    }

    /// The newest `count` tokens, oldest first.
    pub(super) fn last(&self, count: usize) -> Vec<TokenId> {
        let mut tokens = Vec::with_capacity(count);
        tokens.extend(self.links().take(count).map(|link| link.token));
        tokens.reverse();
        tokens
    }

    /// The states before the tokens, newest first, with how many tokens were accepted then.
    pub(super) fn states(&self) -> impl Iterator<Item = (usize, StateId)> {
        self.links().map(|link| (link.length - 1, link.before))
    }

    fn links(&self) -> impl Iterator<Item = &Link> {
        std::iter::successors(self.newest.as_deref(), |link| link.older.as_deref())
    }
}

impl Drop for Link {
    /// Link by link: dropping a long list recursively would overflow the stack.
    fn drop(&mut self) {
        let mut older = self.older.take();
        while let Some(mut link) = older.and_then(Arc::into_inner) {
            older = link.older.take();
        }
    }
}
