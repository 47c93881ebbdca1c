//! Sets of texts that share what they have in common with the sets that they were made from.

use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Bound;
use std::sync::{Arc, Mutex, Weak};

use rpds::RedBlackTreeSetSync;
use rustc_hash::FxHasher;

use crate::base::lock;

/// A set of texts. A copy costs a counter, and a set with one text more a number of steps that is the logarithm of
/// its size.
#[derive(Clone, Default)]
pub(crate) struct Texts(Option<Arc<Inner>>);

struct Inner {
    texts: RedBlackTreeSetSync<Text>,
    /// A number that sets of other texts hardly ever have.
    hash: u64,
    /// The length of the longest one.
    longest: usize,
    /// The set that this one was made from by adding a text, and that text, if it was made so.
    before: Option<(Weak<Inner>, Text)>,
    /// The set that was made last with one text more, and that text.
    ///
    /// PERF: the same text is added again whenever a walk comes by; whether two sets that were made apart are equal
    /// takes as many steps as they have texts.
    next: Mutex<Option<(Text, Weak<Inner>)>>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Text(Arc<[u8]>);

impl Borrow<[u8]> for Text {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

impl Texts {
    /// Whether there is no text.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// How many texts there are.
    pub(crate) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |inner| inner.texts.size())
    }

    /// Whether `text` is one of them.
    pub(crate) fn contains(&self, text: &[u8]) -> bool {
        let inner = self.0.as_ref();
        inner.is_some_and(|inner| inner.texts.contains(text))
    }

    /// How many bytes the longest has.
    pub(crate) fn longest(&self) -> usize {
        self.0.as_ref().map_or(0, |inner| inner.longest)
    }

    /// Whether `text` begins with one of them.
    pub(crate) fn has_beginning_of(&self, text: &[u8]) -> bool {
        let Some(inner) = &self.0 else {
            return false;
        };
        let mut beginning = text;
        loop {
            // A beginning of the text that is before it is one of what it has in common with the last before it.
            let until = (Bound::Unbounded, Bound::Included(beginning));
            let Some(last) = inner.texts.range::<[u8], _>(until).next_back() else {
                return false;
            };
            let pairs = last.0.iter().zip(beginning);
            let common = pairs.take_while(|(one, other)| one == other).count();
            if common == last.0.len() {
                return true;
            }
            beginning = &beginning[..common];
        }
    }

    /// These texts and `text`.
    pub(crate) fn with(&self, text: &[u8]) -> Self {
        let Some(inner) = &self.0 else {
            let texts = RedBlackTreeSetSync::new_sync().insert(Text(text.into()));
            return Self::of(texts, hash(text), text.len());
        };
        let mut next = lock(&inner.next);
        if let Some((added, made)) = &*next
            && *added.0 == *text
            && let Some(made) = made.upgrade()
        {
            return Self(Some(made));
        }
        if inner.texts.contains(text) {
            return self.clone();
        }
        let text = Text(text.into());
        let hash = inner.hash.wrapping_add(hash(&text.0));
        let made = Arc::new(Inner {
            texts: inner.texts.insert(text.clone()),
            hash,
            longest: inner.longest.max(text.0.len()),
            before: Some((Arc::downgrade(inner), text.clone())),
            next: Mutex::default(),
        });
        *next = Some((text, Arc::downgrade(&made)));
        Self(Some(made))
    }

    fn of(texts: RedBlackTreeSetSync<Text>, hash: u64, longest: usize) -> Self {
        Self(Some(Arc::new(Inner {
            texts,
            hash,
            longest,
            before: None,
            next: Mutex::default(),
        })))
    }

    /// The set that this one was made from by adding a text, if anybody still holds it, and that text.
    pub(crate) fn before(&self) -> Option<(Self, &[u8])> {
        let (before, text) = self.0.as_ref()?.before.as_ref()?;
        Some((Self(Some(before.upgrade()?)), &text.0))
    }

    /// The texts, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.from(&[])
    }

    /// The texts from `least` on, ascending.
    pub(crate) fn from(&self, least: &[u8]) -> impl Iterator<Item = &[u8]> {
        let bounds = (Bound::Included(least), Bound::Unbounded);
        let inner = self.0.iter();
        inner.flat_map(move |inner| inner.texts.range::<[u8], _>(bounds).map(|text| &*text.0))
    }

    /// Those that begin with `prefix`, ascending.
    pub(crate) fn beginning_with(&self, prefix: &[u8]) -> impl Iterator<Item = &[u8]> {
        self.from(prefix)
            .take_while(move |text| text.starts_with(prefix))
    }

    /// The first byte from `least` on that comes behind `prefix` in one of them.
    fn next_byte(&self, prefix: &[u8], least: u8) -> Option<u8> {
        let from = [prefix, &[least]].concat();
        let text = self.from(&from).next()?;
        text.strip_prefix(prefix)?.first().copied()
    }

    /// The bytes from `least` on that come behind `prefix` in them, ascending.
    pub(crate) fn next_bytes(&self, prefix: &[u8], least: u8) -> impl Iterator<Item = u8> {
        let first = self.next_byte(prefix, least);
        std::iter::successors(first, move |byte| {
            byte.checked_add(1)
                .and_then(|least| self.next_byte(prefix, least))
        })
    }

    /// About how many bytes the set takes that the one before it, with one text less, does not.
    pub(crate) fn bytes(&self) -> usize {
        const NODE: usize = 64;
        let depth = |inner: &Arc<Inner>| inner.texts.size().max(1).ilog2() as usize;
        let inner = self.0.as_ref();
        inner.map_or(0, |inner| size_of::<Inner>() + NODE * (depth(inner) + 2))
    }

    /// Whether they share what they are made of, so that they are surely equal.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    fn hash(&self) -> u64 {
        self.0.as_ref().map_or(0, |inner| inner.hash)
    }
}

/// The hash of one text; a set has the sum of those of its texts.
fn hash(text: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    text.hash(&mut hasher);
    hasher.finish()
}

impl PartialEq for Texts {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
            || (self.hash() == other.hash()
                && self.len() == other.len()
                && self.iter().eq(other.iter()))
    }
}

impl Eq for Texts {}

impl PartialOrd for Texts {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Texts {
    fn cmp(&self, other: &Self) -> Ordering {
        match self.is_same(other) {
            true => Ordering::Equal,
            false => self.iter().cmp(other.iter()),
        }
    }
}

impl Hash for Texts {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash());
    }
}

impl<T: AsRef<[u8]>> FromIterator<T> for Texts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        let mut made = RedBlackTreeSetSync::new_sync();
        let (mut sum, mut longest) = (0u64, 0);
        for text in texts {
            let text = text.as_ref();
            if !made.contains(text) {
                made.insert_mut(Text(text.into()));
                sum = sum.wrapping_add(hash(text));
                longest = longest.max(text.len());
            }
        }
        match made.is_empty() {
            true => Self(None),
            false => Self::of(made, sum, longest),
        }
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts = self.iter().map(|text| text.escape_ascii().to_string());
        f.debug_set().entries(texts).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig { failure_persistence: None, ..Default::default() })]
        #[test]
        fn a_text_begins_with_one_of_the_set_as_a_look_at_each_says(
            texts in proptest::collection::vec("[abc]{1,5}", 0..6),
            long in "[abc]{0,8}",
        ) {
            let set: Texts = texts.iter().collect();
            let each = texts.iter().any(|text| long.starts_with(text));
            proptest::prop_assert_eq!(set.has_beginning_of(long.as_bytes()), each);
        }
    }

    #[test]
    fn sets_are_what_was_added_whatever_the_order() {
        let texts: [&[u8]; 4] = [b"b", b"a", b"abc", b"b"];
        let one = texts
            .iter()
            .fold(Texts::default(), |set, text| set.with(text));
        let other: Texts = texts.iter().rev().collect();
        assert_eq!(one, other);
        assert_eq!(one.iter().collect::<Vec<_>>(), [&b"a"[..], b"abc", b"b"]);
        assert_eq!(one.len(), 3);
        assert!(one.contains(b"abc") && !one.contains(b"ab"));
        assert_eq!(one.beginning_with(b"a").count(), 2);
        let behind = |prefix: &[u8], least| one.next_bytes(prefix, least).collect::<Vec<_>>();
        assert_eq!(behind(b"a", 0), b"b");
        assert_eq!(behind(b"a", b'c'), b"");
        assert_eq!(behind(b"", 0), b"ab");
        assert_eq!(behind(b"", b'b'), b"b");
        assert_eq!((one.longest(), other.longest()), (3, 3));
        assert!(one.has_beginning_of(b"ab") && one.has_beginning_of(b"b"));
        assert!(!one.has_beginning_of(b"") && !one.has_beginning_of(b"c"));
        assert!(!Texts::default().has_beginning_of(b"a"));
        assert_ne!(one, one.with(b"c"));
        assert_eq!(one.with(b"c"), one.with(b"c"));
    }

    #[test]
    fn the_set_before_stays_as_it_was() {
        let before: Texts = [b"a"].iter().collect();
        let after = before.with(b"b");
        assert!(!before.contains(b"b") && after.contains(b"a"));
        assert!(Texts::default().is_empty() && !before.is_empty());
        assert_eq!(after.before(), Some((before, &b"b"[..])));
    }
}
