//! Exponents of a range, digit by digit.

use std::ops::RangeInclusive;

use super::position::{Phase, edges};
use crate::front::json_schema::grid::Grid;
use crate::grammar::{Node, Words};

/// An exponent has so many digits at most, zeros at its beginning among them.
const DIGITS: u32 = 3;

/// The greatest magnitude of an exponent.
pub(super) const MOST: i64 = 999;

/// Numbers with this exponent below zero are doubles as any others are.
const LEAST_NORMAL: i64 = 300;

/// The exponents that numbers of a grid have: where there are steps only integers have one, and their mantissas have no
/// fraction but zero, so none is negative. What needs more than so many places has more of them if its first digit
/// comes behind these; one place is left for numbers that doubles take for greater ones, and none is so small that
/// doubles take it for zero.
pub(super) fn range(grid: Option<&Grid>) -> RangeInclusive<i64> {
    match grid.map(Grid::coarse_places) {
        None => -MOST..=MOST,
        Some(Some(places)) => -LEAST_NORMAL..=-i64::from(places) - 2,
        Some(None) => 0..=MOST,
    }
}

/// The letter before an exponent of the range, if that has any. Its ends are at most [`MOST`].
pub(super) fn letter(range: &RangeInclusive<i64>, node: &mut Node<Words>) {
    if range.is_empty() {
        return;
    }
    let end = |end: i64| end as i32 as u32;
    let words: Words = Words::from([
        Phase::Exponent as u32,
        end(*range.start()),
        end(*range.end()),
        0,
    ]);
    node.byte(b'E', words.clone());
    node.byte(b'e', words);
}

/// What follows the letter.
pub(super) fn after_letter(words: &[u32], node: &mut Node<Words>) {
    let (lowest, highest) = (words[1] as i32, words[2] as i32);
    let magnitudes = |lowest: i32, highest: i32| Magnitude {
        least: lowest.max(0) as u32,
        most: highest as u32,
        value: 0,
        count: 0,
    };
    if highest >= 0 {
        let positive = magnitudes(lowest, highest);
        node.byte(b'+', positive.words());
        positive.edges(node);
    }
    if lowest <= 0 {
        node.byte(b'-', magnitudes(-highest, -lowest).words());
    }
}

/// Digits of an exponent's magnitude, and the least and most that it may be.
#[derive(Clone, Copy)]
pub(super) struct Magnitude {
    least: u32,
    most: u32,
    value: u32,
    count: u32,
}

impl Magnitude {
    /// A magnitude that `more` digits of any kind may follow, or fewer.
    fn open(more: u32) -> Self {
        Self {
            least: 0,
            most: MOST as u32,
            value: 0,
            count: DIGITS - more,
        }
    }

    /// What may follow.
    pub(super) fn edges(self, node: &mut Node<Words>) {
        if self.count > 0 && (self.least..=self.most).contains(&self.value) {
            node.end();
        }
        if self.count < DIGITS {
            edges(node, |digit| self.after(digit).map(Self::words));
        }
    }

    /// After one more digit, if something of the range begins so.
    fn after(self, digit: u8) -> Option<Self> {
        let next = Self {
            value: self.value * 10 + u32::from(digit),
            count: self.count + 1,
            ..self
        };
        let lengths = DIGITS - next.count + 1;
        let meets = |more: u32| {
            let (first, last) = next.with_more(more);
            first <= self.most && last >= self.least
        };
        let within = |more: &u32| {
            let (first, last) = next.with_more(*more);
            first >= self.least && last <= self.most
        };
        // Mostly all exponents of some lengths are in the range, and none of the others.
        let open = (0..lengths).take_while(within).count() as u32;
        match (open, (open..lengths).any(meets)) {
            (_, true) => Some(next),
            (0, false) => None,
            (_, false) => Some(Self::open(open - 1)),
        }
    }

    /// The least and the greatest magnitude with `more` digits.
    fn with_more(self, more: u32) -> (u32, u32) {
        let width = 10u32.pow(more);
        (self.value * width, self.value * width + width - 1)
    }

    pub(super) fn read(words: &[u32]) -> Self {
        Self {
            least: words[1] & 0xFFFF,
            most: words[1] >> 16,
            value: words[2],
            count: words[3],
        }
    }

    fn words(self) -> Words {
        Words::from([
            Phase::Magnitude as u32,
            self.least | self.most << 16,
            self.value,
            self.count,
        ])
    }
}
