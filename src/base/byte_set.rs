//! Sets of bytes.

/// A set of bytes, as 256 bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The empty set.
    pub(crate) const EMPTY: Self = Self([0; 4]);
    /// All bytes.
    pub(crate) const ALL: Self = Self([u64::MAX; 4]);

    /// The empty set.
    pub(crate) const fn new() -> Self {
        Self::EMPTY
    }

    /// The bytes from `lo` to `hi`, both included; empty where `lo > hi`.
    pub(crate) const fn range(lo: u8, hi: u8) -> Self {
        let mut set = Self::EMPTY;
        set.insert_range(lo, hi);
        set
    }

    /// Adds `byte`.
    pub(crate) const fn insert(&mut self, byte: u8) {
        self.0[(byte >> 6) as usize] |= 1 << (byte & 63);
    }

    /// Adds the bytes from `lo` to `hi`, both included.
    pub(crate) const fn insert_range(&mut self, lo: u8, hi: u8) {
        if lo > hi {
            return;
        }
        let (first, last) = ((lo >> 6) as usize, (hi >> 6) as usize);
        let mut word = first;
        while word <= last {
            let from = if word == first { lo & 63 } else { 0 };
            let to = if word == last { hi & 63 } else { 63 };
            self.0[word] |= (u64::MAX >> (63 - (to - from))) << from;
            word += 1;
        }
    }

    /// Whether `byte` is a member.
    pub const fn contains(&self, byte: u8) -> bool {
        self.0[(byte >> 6) as usize] >> (byte & 63) & 1 == 1
    }

    /// The number of members.
    pub const fn len(&self) -> usize {
        let [a, b, c, d] = self.0;
        (a.count_ones() + b.count_ones() + c.count_ones() + d.count_ones()) as usize
    }

    /// Whether there is no member.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of either set.
    pub(crate) const fn union(&self, other: &Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a | e, b | f, c | g, d | h])
    }

    /// The bytes of both sets.
    pub(crate) const fn intersect(&self, other: &Self) -> Self {
        let ([a, b, c, d], [e, f, g, h]) = (self.0, other.0);
        Self([a & e, b & f, c & g, d & h])
    }

    /// The bytes of this set that are none of `other`.
    pub(crate) const fn without(&self, other: &Self) -> Self {
        self.intersect(&other.complement())
    }

    /// The bytes that are no members.
    pub(crate) const fn complement(&self) -> Self {
        let [a, b, c, d] = self.0;
        Self([!a, !b, !c, !d])
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + use<> {
        let words = self.0.into_iter().zip([0u8, 64, 128, 192]);
        words.flat_map(|(mut word, first)| {
            std::iter::from_fn(move || {
                let bit = word.trailing_zeros() as u8;
                (word != 0).then(|| {
                    word &= word - 1;
                    first + bit
                })
            })
        })
    }

    /// The members as maximal ranges `(lo, hi)`, both ends included, ascending.
    pub fn ranges(&self) -> impl Iterator<Item = (u8, u8)> + use<> {
        let set = *self;
        let mut from = 0;
        std::iter::from_fn(move || {
            let lo = set.first_from(from, true)?;
            let end = set.first_from(lo, false).unwrap_or(256);
            from = end;
            Some((lo as u8, (end - 1) as u8))
        })
    }

    /// The bytes from `lo` to `hi` as ranges, ascending, each member alone in one.
    pub(crate) fn cut(&self, lo: u8, hi: u8) -> Vec<(u8, u8)> {
        let members = self.intersect(&Self::range(lo, hi));
        let others = Self::range(lo, hi).without(self);
        let alone = members.iter().map(|byte| (byte, byte));
        let mut parts: Vec<(u8, u8)> = alone.chain(others.ranges()).collect();
        parts.sort_unstable();
        parts
    }

    /// The first byte from `from` on whose membership is `member`.
    fn first_from(&self, from: u16, member: bool) -> Option<u16> {
        (from..256).find(|&byte| self.contains(byte as u8) == member)
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::new();
        for byte in bytes {
            set.insert(byte);
        }
        set
    }
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut set = f.debug_set();
        for (lo, hi) in self.ranges() {
            set.entry(&format_args!("{lo:02X}-{hi:02X}"));
        }
        set.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::ByteSet;

    #[test]
    fn ranges_are_maximal_and_reach_both_ends() {
        let set: ByteSet = [0, 1, 2, 63, 64, 200, 254, 255].into_iter().collect();
        let ranges: Vec<_> = set.ranges().collect();
        assert_eq!(ranges, [(0, 2), (63, 64), (200, 200), (254, 255)]);
        assert_eq!(set.len(), 8);
        assert_eq!(
            set.iter().collect::<Vec<_>>(),
            [0, 1, 2, 63, 64, 200, 254, 255]
        );
        assert_eq!(ByteSet::ALL.ranges().collect::<Vec<_>>(), [(0, 255)]);
        assert_eq!(ByteSet::EMPTY.ranges().count(), 0);
    }

    #[test]
    fn algebra() {
        let lower = ByteSet::range(b'a', b'z');
        let vowels: ByteSet = b"aeiou".iter().copied().collect();
        let consonants = lower.intersect(&vowels.complement());
        assert_eq!(consonants.len(), 21);
        assert_eq!(consonants.union(&vowels), lower);
    }
}
