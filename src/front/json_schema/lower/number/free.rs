//! Fractions and exponents of numbers that have neither bounds nor steps.

use super::NumberBody;
use super::position::{At, Phase};
use crate::grammar::{Node, Words};

/// With an exponent of two digits, integer parts are shorter by what the exponent adds.
const DIGITS_BEFORE_EXPONENT: u32 = 200;

/// Classes of integer parts by their length: which exponents may follow.
const ONE: u32 = 1;
const SHORT: u32 = 2;
const LONG: u32 = 3;

fn class(digits: u32) -> u32 {
    match digits {
        1 => ONE,
        2..=DIGITS_BEFORE_EXPONENT => SHORT,
        _ => LONG,
    }
}

impl NumberBody {
    /// What may follow an integer part of so many digits.
    pub(super) fn free_tail(&self, digits: u32, node: &mut Node<Words>) {
        let class = class(digits);
        node.byte(b'.', At::phase(Phase::FreePoint, class).words());
        exponent(class, node);
    }

    /// What may follow in a fraction or an exponent.
    pub(super) fn free_edges(&self, at: At, node: &mut Node<Words>) {
        match at.phase {
            Phase::FreePoint => self.fraction(at.count, node),
            Phase::FreeFraction => {
                node.end();
                self.fraction(at.count, node);
                exponent(at.count, node);
            }
            Phase::More => {
                node.end();
                if at.count > 0 {
                    node.range(b'0', b'9', more(at.count - 1));
                }
            }
            // 30 to 39, and 300 to 307.
            Phase::Done if at.count == 0 => {
                node.end();
                node.byte(b'0', At::phase(Phase::Done, 1).words());
                node.range(b'1', b'9', more(0));
            }
            Phase::Done => {
                node.end();
                node.range(b'0', b'7', more(0));
            }
            _ => self.exponent_digits(at.phase, node),
        }
    }

    /// Digits of any kind, or the zeros of an integer.
    fn fraction(&self, class: u32, node: &mut Node<Words>) {
        let to = At::phase(Phase::FreeFraction, class).words();
        match self.grid {
            None => node.range(b'0', b'9', to),
            Some(_) => node.byte(b'0', to),
        }
    }

    /// Exponents: two digits, or where there is one digit before the point three, up to 307.
    fn exponent_digits(&self, phase: Phase, node: &mut Node<Words>) {
        let one = matches!(phase, Phase::ExponentOfOne | Phase::PlusOfOne);
        if matches!(phase, Phase::Exponent | Phase::ExponentOfOne) {
            let plus = if one { Phase::PlusOfOne } else { Phase::Plus };
            node.byte(b'+', At::phase(plus, 0).words());
            if self.grid.is_none() {
                node.byte(b'-', At::phase(Phase::Minus, 0).words());
            }
        }
        match (phase, one) {
            (Phase::Minus, _) => node.range(b'0', b'9', more(2)),
            (_, true) => {
                node.byte(b'0', more(1));
                node.range(b'1', b'2', more(2));
                node.byte(b'3', At::phase(Phase::Done, 0).words());
                node.range(b'4', b'9', more(1));
            }
            _ => node.range(b'0', b'9', more(1)),
        }
    }
}

/// The letter of an exponent after a number whose integer part is of this class.
fn exponent(class: u32, node: &mut Node<Words>) {
    let phase = match class {
        ONE => Phase::ExponentOfOne,
        SHORT => Phase::Exponent,
        _ => return,
    };
    let words = At::phase(phase, 0).words();
    node.byte(b'E', words.clone());
    node.byte(b'e', words);
}

/// Within an exponent that may have so many more digits.
fn more(digits: u32) -> Words {
    At::phase(Phase::More, digits).words()
}
