//! A mask applied to logits.

/// A number type that logits come in.
pub trait Logit: Copy {
    /// Minus infinity: the logit of what cannot be sampled.
    const NEVER: Self;
}

/// An IEEE 754 binary16 number, by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(pub u16);

/// A bfloat16 number, the upper half of an `f32`, by its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Bf16(pub u16);

impl Logit for f32 {
    const NEVER: Self = f32::NEG_INFINITY;
}

impl Logit for F16 {
    const NEVER: Self = Self(0xFC00);
}

impl Logit for Bf16 {
    const NEVER: Self = Self(0xFF80);
}

/// Sets the logits of all tokens that are not in `row` to minus infinity, those beyond the row
/// included. A logit's place in `logits` is its token.
///
/// ```
/// use maskwright::batch::apply_mask;
/// let mut logits = [0.5, 1.5, 2.5];
/// apply_mask(&[0b010], &mut logits);
/// assert_eq!(logits, [f32::NEG_INFINITY, 1.5, f32::NEG_INFINITY]);
/// ```
pub fn apply_mask<L: Logit>(row: &[u32], logits: &mut [L]) {
    let (masked, beyond) = logits.split_at_mut(logits.len().min(row.len() * 32));
    beyond.fill(L::NEVER);
    let mut chunks = masked.chunks_exact_mut(32);
    let mut words = row.iter();
    for (chunk, &word) in chunks.by_ref().zip(words.by_ref()) {
        // Whole words without an allowed token, and without another, are the rule.
        match word {
            0 => chunk.fill(L::NEVER),
            u32::MAX => {}
            _ => apply_word(word, chunk),
        }
    }
    if let Some(&word) = words.next() {
        apply_word(word, chunks.into_remainder());
    }
}

/// Written as a choice per logit, which compilers turn into comparisons and blends of vectors.
// PERF: `cargo bench --no-default-features --features batch --bench batch`, 199,999 logits, baseline x86-64: within a
// string 11 µs for f32 and 8 µs for 16 bits; where every other token is allowed 22 and 16 µs.
fn apply_word<L: Logit>(word: u32, logits: &mut [L]) {
    for (bit, logit) in logits.iter_mut().enumerate() {
        *logit = if word & 1 << bit == 0 {
            L::NEVER
        } else {
            *logit
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn exactly_the_tokens_of_the_row_stay(
            row in prop::collection::vec(prop_oneof![Just(0), Just(u32::MAX), any::<u32>()], 0..6),
            count in 0usize..200,
        ) {
            let allowed = |token: usize| {
                row.get(token / 32).is_some_and(|word| word >> (token % 32) & 1 == 1)
            };
            let mut singles: Vec<f32> = (0..count).map(|token| token as f32).collect();
            let mut halves: Vec<F16> = (0..count).map(|token| F16(token as u16)).collect();
            let mut brains: Vec<Bf16> = (0..count).map(|token| Bf16(token as u16)).collect();
            apply_mask(&row, &mut singles);
            apply_mask(&row, &mut halves);
            apply_mask(&row, &mut brains);
            for token in 0..count {
                let bits = token as u16;
                let stays = allowed(token);
                prop_assert_eq!(singles[token], if stays { token as f32 } else { f32::NEG_INFINITY });
                prop_assert_eq!(halves[token], F16(if stays { bits } else { 0x8000 | 0x1f << 10 }));
                prop_assert_eq!(brains[token], Bf16(if stays { bits } else { 0x8000 | 0xff << 7 }));
            }
        }
    }
}
