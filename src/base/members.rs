//! What is in a list, whether it is short or long.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// Lists of more are hashed.
const FEW: usize = 32;

/// The members of a list: looked through while they are few, hashed otherwise.
#[derive(Debug)]
pub(crate) enum Members<'l, T> {
    Few(&'l [T]),
    Many(FxHashSet<T>),
}

impl<'l, T: Copy + Eq + Hash> Members<'l, T> {
    /// The members of `list`.
    pub(crate) fn of(list: &'l [T]) -> Self {
        match list.len() > FEW {
            true => Self::Many(list.iter().copied().collect()),
            false => Self::Few(list),
        }
    }

    /// Whether `item` is in the list.
    pub(crate) fn have(&self, item: T) -> bool {
        match self {
            Self::Few(list) => list.contains(&item),
            Self::Many(set) => set.contains(&item),
        }
    }
}

/// What is in any of these lists, each once, in the order in which it comes first.
pub(crate) fn union<T: Copy + Eq + Hash>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut all: Vec<T> = Vec::with_capacity(items.size_hint().0);
    let mut hashed: Option<FxHashSet<T>> = None;
    for item in items {
        let is_new = match &mut hashed {
            Some(known) => known.insert(item),
            None => !all.contains(&item),
        };
        if is_new {
            all.push(item);
        }
        if hashed.is_none() && all.len() > FEW {
            hashed = Some(all.iter().copied().collect());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_like_short_ones() {
        for count in [0, 1, 31, 32, 33, 100] {
            let list: Vec<u32> = (0..count).collect();
            let twice = list.iter().chain(&list).copied();
            assert_eq!(union(twice), list);
            let members = Members::of(&list);
            assert!((0..count).all(|item| members.have(item)) && !members.have(count));
        }
    }
}
