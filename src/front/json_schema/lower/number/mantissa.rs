//! Mantissas, digit by digit: numbers that have one digit before the point, not zero, and mostly
//! an exponent.
//!
//! They are read beside the same digits of a number without exponent.

use super::position::{At, Phase, edges};
use super::scientific::Scientific;
use super::side::Side;
use super::{Members, exponent};
use crate::grammar::{Node, Words};

impl Members {
    /// The digit before the point.
    pub(super) fn first_of_mantissa(&self, side: &Side, negative: bool, node: &mut Node<Words>) {
        let Some(scientific) = &side.scientific else {
            return;
        };
        let before = At {
            negative,
            ..At::phase(Phase::Sign, 0)
        };
        edges(node, |digit| match digit {
            0 => None,
            _ => self.after_digit(scientific, before, Phase::Mantissa, digit),
        });
    }

    /// What may follow in a mantissa.
    pub(super) fn mantissa(&self, side: &Side, at: At, node: &mut Node<Words>) {
        let Some(scientific) = &side.scientific else {
            return;
        };
        if at.phase == Phase::Mantissa {
            let phase = Phase::MantissaPoint;
            node.byte(b'.', At { phase, ..at }.words());
        } else {
            edges(node, |digit| {
                self.after_digit(scientific, at, Phase::MantissaFraction, digit)
            });
        }
        if at.phase != Phase::MantissaPoint {
            let ended = scientific.after_mantissa(at.compared, at.count);
            exponent::letter(&scientific.exponents(ended), node);
        }
        // Without bounds, numbers without an exponent are read here too.
        if at.phase == Phase::MantissaFraction && side.free {
            node.end();
        }
    }

    /// After one more digit, if a member begins so.
    fn after_digit(
        &self,
        scientific: &Scientific,
        at: At,
        phase: Phase,
        digit: u8,
    ) -> Option<Words> {
        let compared = scientific.after_digit(at.compared, at.count, digit);
        let count = at.count + 1;
        let whole = self.grid.as_ref().is_some_and(|grid| !grid.dense);
        if whole && phase == Phase::MantissaFraction && digit > 0 {
            return None;
        }
        // An integer's mantissa goes on with zeros only, which are as good as its end.
        let mantissa = match whole {
            true => scientific.after_mantissa(compared, count),
            false => compared,
        };
        let next = At {
            phase,
            count: count.min(scientific.digits(compared)),
            compared,
            ..at
        };
        (!scientific.exponents(mantissa).is_empty()).then(|| next.words())
    }
}
