//! Sets of tokens, few or many.

use rustc_hash::FxHashSet;

use crate::base::TokenId;
use crate::vocab::row;

/// Tokens: a list, or a row where that takes less room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TokenSet {
    /// Each of them once.
    Few(Vec<TokenId>),
    Row(Box<[u32]>),
}

impl Default for TokenSet {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl TokenSet {
    /// These tokens of a vocabulary of so many ids, each of them once.
    pub(super) fn new(tokens: Vec<TokenId>, ids: usize) -> Self {
        if tokens.len() <= row::words(ids) {
            return Self::Few(tokens);
        }
        let mut row = row::empty(ids);
        tokens
            .iter()
            .for_each(|&token| row::insert(&mut row, token));
        Self::Row(row)
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Few(tokens) => tokens.is_empty(),
            Self::Row(row) => row.iter().all(|&word| word == 0),
        }
    }

    pub(super) fn contains(&self, token: TokenId) -> bool {
        match self {
            Self::Few(tokens) => tokens.contains(&token),
            Self::Row(row) => row::contains(row, token),
        }
    }

    pub(super) fn iter(&self) -> Box<dyn Iterator<Item = TokenId> + '_> {
        match self {
            Self::Few(tokens) => Box::new(tokens.iter().copied()),
            Self::Row(row) => Box::new(row::tokens(row)),
        }
    }

    /// Those that are in `other` as well, a row of the same vocabulary.
    pub(super) fn within(&self, other: &[u32]) -> Self {
        match self {
            Self::Few(tokens) => {
                let tokens = tokens.iter().copied();
                Self::Few(
                    tokens
                        .filter(|&token| row::contains(other, token))
                        .collect(),
                )
            }
            Self::Row(row) => Self::Row(row.iter().zip(other).map(|(a, b)| a & b).collect()),
        }
    }

    /// Takes out those of `other`.
    pub(super) fn remove(&mut self, other: &[TokenId]) {
        match self {
            Self::Few(tokens) => {
                let other: FxHashSet<TokenId> = other.iter().copied().collect();
                tokens.retain(|token| !other.contains(token));
            }
            Self::Row(row) => other.iter().for_each(|&token| row::remove(row, token)),
        }
    }

    /// Adds those of `other`, of which none is here.
    pub(super) fn add(&mut self, other: Self) {
        match (&mut *self, other) {
            (Self::Few(tokens), Self::Few(others)) => tokens.extend(others),
            (Self::Row(row), other) => other.insert_into(row),
            (Self::Few(tokens), Self::Row(mut row)) => {
                tokens
                    .iter()
                    .for_each(|&token| row::insert(&mut row, token));
                *self = Self::Row(row);
            }
        }
    }

    /// Adds them to a row of the same vocabulary.
    pub(super) fn insert_into(&self, row: &mut [u32]) {
        match self {
            Self::Few(tokens) => tokens.iter().for_each(|&token| row::insert(row, token)),
            Self::Row(own) => row::union(row, own),
        }
    }

    /// How many bytes it takes besides its own size.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Few(tokens) => size_of_val(&**tokens),
            Self::Row(row) => size_of_val(&**row),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    const IDS: usize = 96;

    fn set(tokens: &BTreeSet<u32>) -> TokenSet {
        TokenSet::new(tokens.iter().copied().map(TokenId::new).collect(), IDS)
    }

    fn ids(set: &TokenSet) -> BTreeSet<u32> {
        set.iter().map(TokenId::get).collect()
    }

    fn tokens() -> impl Strategy<Value = BTreeSet<u32>> {
        proptest::collection::btree_set(0..IDS as u32, 0..8)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn sets_are_sets_in_either_form(one in tokens(), other in tokens()) {
            let (a, b) = (set(&one), set(&other));
            prop_assert_eq!(matches!(a, TokenSet::Few(_)), one.len() <= IDS / 32);
            prop_assert_eq!((ids(&a), a.is_empty()), (one.clone(), one.is_empty()));
            prop_assert!((0..IDS as u32).all(|id| a.contains(TokenId::new(id)) == one.contains(&id)));
            let mut row = row::empty(IDS);
            b.insert_into(&mut row);
            prop_assert_eq!(ids(&a.within(&row)), &one & &other);
            let mut left = a.clone();
            left.remove(&b.iter().collect::<Vec<_>>());
            prop_assert_eq!(ids(&left), &one - &other);
            left.add(b);
            prop_assert_eq!(ids(&left), &one | &other);
        }
    }
}
