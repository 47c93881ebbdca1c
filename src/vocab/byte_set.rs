//! A set of bytes, as 256 bits.

/// A set of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteSet([u64; 4]);

impl ByteSet {
    /// The set without a byte.
    pub const EMPTY: Self = Self([0; 4]);

    /// Adds `byte`.
    pub fn insert(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Whether `byte` is in the set.
    pub fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// How many bytes the set has.
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has no byte.
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// The bytes, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.0
            .iter()
            .zip([0u8, 64, 128, 192])
            .flat_map(|(&word, base)| {
                let mut rest = word;
                std::iter::from_fn(move || {
                    let bit = rest.trailing_zeros() as u8;
                    (rest != 0).then(|| {
                        rest &= rest - 1;
                        base + bit
                    })
                })
            })
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::EMPTY;
        bytes.into_iter().for_each(|byte| set.insert(byte));
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_its_own() {
        for byte in 0..=u8::MAX {
            let set = ByteSet::from_iter([byte]);
            assert_eq!(set.iter().collect::<Vec<_>>(), [byte]);
            assert_eq!((set.len(), set.is_empty()), (1, false));
        }
        assert!(ByteSet::EMPTY.is_empty());
        assert_eq!(ByteSet::from_iter(0..=255).len(), 256);
    }
}
