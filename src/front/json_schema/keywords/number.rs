//! The keywords for numbers.

use super::Keywords;
use super::parts::Parts;
use crate::base::LimitError;
use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::number_set::{Bound, NumberSet};
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::step::Step;
use crate::front::json_schema::{SchemaError, pointer};

impl Keywords<'_> {
    /// What the keywords for numbers of the schema at `place` allow.
    #[inline(never)]
    pub(super) fn number(
        &self,
        parts: &Parts,
        place: ValueId,
    ) -> Result<Option<Box<NumberSet>>, SchemaError> {
        let mut set = NumberSet::of_type(parts.integrality);
        let limit = |place| pointer::limit(self.document, place);
        if let Some(value) = parts[Keyword::MultipleOf] {
            let step = Step::new(&self.positive(value)?).map_err(limit(value))?;
            let multiples = NumberSet::multiples_of(step);
            let both = set.intersect(&multiples).and_then(NumberSet::checked);
            set = both.map_err(limit(value))?;
        }
        let mut exclusive = [false; 2];
        let flags = [
            parts[Keyword::ExclusiveMinimum],
            parts[Keyword::ExclusiveMaximum],
        ];
        for (side, flag) in flags.into_iter().enumerate() {
            let Some(flag) = flag else { continue };
            // A flag up to draft 4, and a bound since; each means what it says whatever the draft.
            match self.document.kind(flag) {
                Kind::True => exclusive[side] = true,
                Kind::False => {}
                _ => self.bound(&mut set, side, flag, false)?,
            }
        }
        for (side, value) in [parts[Keyword::Minimum], parts[Keyword::Maximum]]
            .into_iter()
            .enumerate()
        {
            if let Some(value) = value {
                self.bound(&mut set, side, value, !exclusive[side])?;
            }
        }
        if set == NumberSet::default() {
            return Ok(None);
        }
        let set = set.checked().map_err(limit(place))?;
        Ok(Some(Box::new(set)))
    }

    /// A number greater than zero.
    fn positive(&self, value: ValueId) -> Result<Decimal, SchemaError> {
        let number = match self.document.kind(value) {
            Kind::Number => Decimal::parse(self.document.raw(value)),
            _ => Decimal::default(),
        };
        match number > Decimal::default() {
            true => Ok(number),
            false => Err(self.malformed(value, "must be a number greater than 0")),
        }
    }

    /// Applies a lower (side 0) or upper (side 1) bound.
    fn bound(
        &self,
        set: &mut NumberSet,
        side: usize,
        value: ValueId,
        inclusive: bool,
    ) -> Result<(), SchemaError> {
        /// No number that is generated reaches 10^310, nor has a bound more digits than this.
        const DIGITS: usize = 400;
        if self.document.kind(value) != Kind::Number {
            return Err(self.malformed(value, "must be a number"));
        }
        let mut bound = Decimal::parse(self.document.raw(value));
        let far = bound.point > 310;
        if far && bound.negative == (side == 0) {
            return Ok(());
        }
        if far {
            bound = Decimal {
                point: 310,
                digits: smallvec::smallvec![1],
                ..bound
            };
        }
        let digits = bound
            .digits
            .len()
            .saturating_add_signed(-bound.point.min(0) as isize);
        LimitError::check("digits of a bound", digits, DIGITS)
            .map_err(pointer::limit(self.document, value))?;
        let bound = Bound {
            value: bound,
            inclusive,
        };
        match side {
            0 => set.at_least(bound),
            _ => set.at_most(bound),
        }
        Ok(())
    }
}
