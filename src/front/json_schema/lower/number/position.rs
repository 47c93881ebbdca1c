//! Positions within a number, and their words.

use std::cmp::Ordering;

use super::interval::Compared;
use super::residue::Residue;
use crate::grammar::{Node, Words};

/// Where in a number one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Phase {
    Lead,
    /// After `-`.
    Sign,
    /// After a leading zero, which no digit follows.
    Zero,
    Whole,
    Point,
    Fraction,
    /// After the point of a number whose fraction is zero.
    ZeroPoint,
    /// After a member: zeros may follow.
    Zeros,
    /// After the point of a number without bounds, and in its fraction.
    FreePoint,
    FreeFraction,
    /// After the one digit of a mantissa that is before the point, after the point, and beyond.
    Mantissa,
    MantissaPoint,
    MantissaFraction,
    /// After `e`, and in the digits of an exponent: their words are other ones.
    Exponent,
    Magnitude,
}

impl Phase {
    const ALL: [Self; 15] = [
        Self::Lead,
        Self::Sign,
        Self::Zero,
        Self::Whole,
        Self::Point,
        Self::Fraction,
        Self::ZeroPoint,
        Self::Zeros,
        Self::FreePoint,
        Self::FreeFraction,
        Self::Mantissa,
        Self::MantissaPoint,
        Self::MantissaFraction,
        Self::Exponent,
        Self::Magnitude,
    ];

    /// The phase of a position.
    pub(super) fn read(words: &[u32]) -> Self {
        Self::ALL[(words[0] & 0xFF) as usize]
    }
}

/// A position, its words taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) phase: Phase,
    pub(super) negative: bool,
    /// Digits read of the integer part, of the fraction, or of a mantissa; which exponents may follow.
    pub(super) count: u32,
    pub(super) compared: Compared,
    pub(super) residue: Residue,
}

impl At {
    /// A position that nothing is remembered at but its phase and a count.
    pub(super) fn phase(phase: Phase, count: u32) -> Self {
        Self {
            phase,
            negative: false,
            count,
            compared: Compared {
                least: Ordering::Equal,
                most: Ordering::Equal,
            },
            residue: Residue::SETTLED,
        }
    }

    pub(super) fn read(words: &[u32]) -> Self {
        let bits = |at: u32, count: u32| words[0] >> at & ((1 << count) - 1);
        let ordering = |at: u32| match bits(at, 2) {
            0 => Ordering::Less,
            1 => Ordering::Equal,
            _ => Ordering::Greater,
        };
        Self {
            phase: Phase::read(words),
            negative: bits(8, 1) != 0,
            count: words[1],
            compared: Compared {
                least: ordering(10),
                most: ordering(12),
            },
            residue: Residue {
                value: u64::from(words[2]) | u64::from(words[3]) << 32,
                places: bits(14, 8),
                left: bits(22, 8),
                settled: bits(9, 1) != 0,
            },
        }
    }

    pub(super) fn words(self) -> Words {
        let ordering = |ordering: Ordering| (ordering as i8 + 1) as u32;
        let Residue {
            value,
            places,
            left,
            settled,
        } = self.residue;
        let first = self.phase as u32
            | u32::from(self.negative) << 8
            | u32::from(settled) << 9
            | ordering(self.compared.least) << 10
            | ordering(self.compared.most) << 12
            | places << 14
            | left << 22;
        Words::from([first, self.count, value as u32, (value >> 32) as u32])
    }
}

/// Adds an edge for each digit that leads somewhere.
pub(super) fn edges(node: &mut Node<Words>, to: impl Fn(u8) -> Option<Words>) {
    // Neighbours that lead to the same position are one edge.
    let mut joins = false;
    for digit in 0..=9 {
        let next = to(digit);
        let is_some = next.is_some();
        match (next, node.edges.last_mut()) {
            (Some(next), Some(edge)) if joins && edge.to == next => edge.hi = b'0' + digit,
            (Some(next), _) => node.byte(b'0' + digit, next),
            (None, _) => {}
        }
        joins = is_some;
    }
}
