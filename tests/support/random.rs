//! Numbers that look random and are the same each time (Marsaglia, "Xorshift RNGs", 2003).

/// A seed that is not zero.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number below `bound`, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as usize % bound
    }
}
