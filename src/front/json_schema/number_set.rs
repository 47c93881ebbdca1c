//! Sets of numbers: an algebra that intersections and complements do not lead out of.

use super::grain::Grain;
use super::grid::{DIGITS_OF_DOUBLES, Grid};
use super::number::{DOUBLE_DIGITS, Decimal, GREATEST_DOUBLE};
use super::step::Step;
use crate::base::LimitError;

/// Which numbers count, as `type` says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Integrality {
    #[default]
    Any,
    /// Numbers without a fraction, however they are spelt.
    Integer,
    /// Numbers spelt without fraction and exponent: draft 4's integers.
    Digits,
}

/// Which spellings of a number count. Draft 4 tells 1 from 1.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Spelling {
    #[default]
    Any,
    /// Those without fraction and exponent.
    Digits,
    /// Those of integers with a fraction or an exponent.
    Other,
}

/// One end of an interval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Bound {
    pub(crate) value: Decimal,
    pub(crate) inclusive: bool,
}

/// The numbers between two bounds that a grain has, in some spellings.
///
/// INVARIANT: where spellings are told apart, the grain has integers only.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct NumberSet {
    least: Option<Bound>,
    most: Option<Bound>,
    grain: Grain,
    spelling: Spelling,
    /// Whether a schema calls the members integers. It makes no difference to which numbers they are, and some to
    /// how they are spelt.
    is_called_integer: bool,
}

/// The members of a set that are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Bounds, members themselves.
    pub(crate) least: Option<Decimal>,
    pub(crate) most: Option<Decimal>,
    /// `None` where all numbers between the bounds count.
    pub(crate) grid: Option<Grid>,
    pub(crate) spelling: Spelling,
    pub(crate) is_called_integer: bool,
}

impl NumberSet {
    fn empty() -> Self {
        let bound = |text| {
            Some(Bound {
                value: Decimal::parse(text),
                inclusive: true,
            })
        };
        Self {
            least: bound("1"),
            most: bound("0"),
            ..Self::default()
        }
    }

    /// The numbers that a `type` allows.
    pub(crate) fn of_type(integrality: Integrality) -> Self {
        let (grain, spelling) = match integrality {
            Integrality::Any => (Grain::Any, Spelling::Any),
            Integrality::Integer => (Grain::integers(), Spelling::Any),
            Integrality::Digits => (Grain::integers(), Spelling::Digits),
        };
        Self {
            grain,
            spelling,
            is_called_integer: integrality == Integrality::Integer,
            ..Self::default()
        }
    }

    /// The one number that is spelt `raw`, in all its spellings.
    #[cfg(test)]
    pub(crate) fn of_literal(raw: &str) -> Self {
        let bound = Bound {
            value: Decimal::parse(raw),
            inclusive: true,
        };
        Self {
            least: Some(bound.clone()),
            most: Some(bound),
            ..Self::default()
        }
    }

    /// What is left of all numbers without `values`: the gaps between them, as normalised sets.
    pub(crate) fn without(mut values: Vec<Decimal>) -> Vec<Self> {
        values.sort_unstable();
        values.dedup();
        let bound = |value| Bound {
            value,
            inclusive: false,
        };
        let mut least = None;
        let mut gaps = Vec::with_capacity(values.len() + 1);
        for value in values {
            let next = Some(bound(value));
            gaps.push((std::mem::replace(&mut least, next.clone()), next));
        }
        gaps.push((least, None));
        let gap = |(least, most)| Self {
            least,
            most,
            ..Self::default()
        };
        gaps.into_iter()
            .map(|ends| gap(ends).normalised())
            .collect()
    }

    pub(crate) fn multiples_of(step: Step) -> Self {
        Self {
            grain: Grain::multiples_of(step),
            ..Self::default()
        }
    }

    /// Raises the lower bound.
    pub(crate) fn at_least(&mut self, bound: Bound) {
        let tighter = |old: &Bound| (&old.value, !old.inclusive) < (&bound.value, !bound.inclusive);
        if self.least.as_ref().is_none_or(tighter) {
            self.least = Some(bound);
        }
    }

    /// Lowers the upper bound.
    pub(crate) fn at_most(&mut self, bound: Bound) {
        let tighter = |old: &Bound| (&bound.value, bound.inclusive) < (&old.value, old.inclusive);
        if self.most.as_ref().is_none_or(tighter) {
            self.most = Some(bound);
        }
    }

    /// The members of both sets, normalised.
    ///
    /// # Errors
    /// Steps that have no common multiple of few enough digits.
    pub(crate) fn intersect(&self, other: &Self) -> Result<Self, LimitError> {
        let mut both = self.clone();
        other
            .least
            .iter()
            .for_each(|bound| both.at_least(bound.clone()));
        other
            .most
            .iter()
            .for_each(|bound| both.at_most(bound.clone()));
        both.grain = self.grain.intersect(&other.grain)?;
        both.is_called_integer |= other.is_called_integer;
        both.spelling = match (self.spelling, other.spelling) {
            (Spelling::Any, spelling) | (spelling, Spelling::Any) => spelling,
            (a, b) if a == b => a,
            _ => return Ok(Self::empty()),
        };
        Ok(both.normalised())
    }

    /// Sets that have no member in common, and together all numbers that are no members of this
    /// one. None of the members of some may be written: see [`Self::is_empty`].
    pub(crate) fn complement(&self) -> Vec<Self> {
        if self.interval_is_empty() {
            return vec![Self::default()];
        }
        let below = self.least.as_ref().map(|least| Self {
            most: Some(least.outside()),
            ..Self::default()
        });
        let above = self.most.as_ref().map(|most| Self {
            least: Some(most.outside()),
            ..Self::default()
        });
        let others = self.grain.complement().into_iter().map(|grain| Self {
            grain,
            spelling: Spelling::Any,
            is_called_integer: false,
            ..self.clone()
        });
        let spelling = match self.spelling {
            Spelling::Any => None,
            Spelling::Digits => Some(Spelling::Other),
            Spelling::Other => Some(Spelling::Digits),
        };
        let spelt = spelling.map(|spelling| Self {
            spelling,
            is_called_integer: false,
            ..self.clone()
        });
        let sets = below.into_iter().chain(above).chain(others).chain(spelt);
        sets.map(Self::normalised).collect()
    }

    /// The same set, mostly given as its equals are: with bounds that are members.
    pub(crate) fn normalised(mut self) -> Self {
        if let Grain::Multiple { step, except } = &self.grain {
            if self.grain.is_empty() {
                return Self::empty();
            }
            let grid = Grid::all(*step, except);
            if let Some(least) = &mut self.least {
                least.round(&grid, |value, inclusive| grid.ceiling(value, inclusive));
            }
            if let Some(most) = &mut self.most {
                most.round(&grid, |value, inclusive| grid.floor(value, inclusive));
            }
        }
        if self.interval_is_empty() {
            return Self::empty();
        }
        if let (Some(least), Some(most)) = (&self.least, &self.most)
            && least == most
        {
            if !self.grain.contains(&least.value) {
                return Self::empty();
            }
            // A double of more digits may be no longer what the grain says of the number.
            let digits = i64::from(DOUBLE_DIGITS);
            let few = least.value.point.max(least.value.digits.len() as i64) <= digits;
            if few && self.spelling == Spelling::Any {
                self.grain = Grain::Any;
            }
        }
        self
    }

    /// The set, normalised.
    ///
    /// # Errors
    /// It has members, but all have more digits than are written.
    pub(crate) fn checked(self) -> Result<Self, LimitError> {
        let set = self.normalised();
        match set.is_unwritten() {
            true => Err(Self::too_many_digits()),
            false => Ok(set),
        }
    }

    /// Whether this normalised set has members, and all have more digits than are written.
    pub(crate) fn is_unwritten(&self) -> bool {
        self.is_empty() && *self != Self::empty()
    }

    /// What is said where all members have more digits than are written.
    pub(crate) fn too_many_digits() -> LimitError {
        LimitError {
            what: "digits of a number between the bounds",
            given: DOUBLE_DIGITS as usize + 1,
            allowed: DOUBLE_DIGITS as usize,
        }
    }

    fn interval_is_empty(&self) -> bool {
        let (Some(least), Some(most)) = (&self.least, &self.most) else {
            return false;
        };
        let inclusive = least.inclusive && most.inclusive;
        least.value > most.value || (least.value == most.value && !inclusive)
    }

    /// Whether members count in some spellings only.
    pub(crate) fn tells_spellings(&self) -> bool {
        self.spelling != Spelling::Any
    }

    /// Whether no member of this normalised set is written.
    pub(crate) fn is_empty(&self) -> bool {
        self.written().is_none()
    }

    /// The members of this normalised set that are written, if any is.
    pub(crate) fn written(&self) -> Option<Written> {
        let mut grid = match &self.grain {
            Grain::Any => None,
            Grain::Finer(places) => Some(Grid::finer(*places)),
            Grain::Multiple { step, except } => Some(Grid::written(*step, except)),
        };
        if let (Spelling::Other, Some(grid)) = (self.spelling, &mut grid) {
            // A double does not say how a great integer was spelt.
            grid.digits = DOUBLE_DIGITS;
        }
        // Great numbers may be written without a fraction only.
        let great = |value: &Decimal| value.point > i64::from(DOUBLE_DIGITS);
        let mut least = self.least.as_ref().map(|bound| match bound.within(true) {
            least if great(&least) => least.ceiling(),
            least => least,
        });
        let mut most = self.most.as_ref().map(|bound| match bound.within(false) {
            most if great(&most) => most.floor(),
            most => most,
        });
        if let Some(grid) = &grid {
            // As much is above zero as below.
            grid.ceiling(&Decimal::default(), true)?;
            if let Some(least) = &mut least {
                *least = grid.ceiling(least, true)?;
            }
            if let Some(most) = &mut most {
                *most = grid.floor(most, true)?;
            }
        }
        // Beyond are numbers of too many digits.
        let far = |value: &Decimal| value.point > i64::from(DIGITS_OF_DOUBLES);
        let beyond = |bound: &Option<Decimal>, negative: bool| {
            let far = bound.as_ref().filter(|value| far(value));
            far.is_some_and(|value| value.negative == negative)
        };
        let empty = beyond(&least, false)
            || beyond(&most, true)
            || matches!((&least, &most), (Some(least), Some(most)) if least > most);
        let near = |bound: Decimal| match far(&bound) {
            true => near_to_far(bound),
            false => Some(bound),
        };
        least = least.and_then(near);
        most = most.and_then(near);
        (!empty).then_some(Written {
            least,
            most,
            grid,
            spelling: self.spelling,
            is_called_integer: self.is_called_integer,
        })
    }

    /// Whether the number that is spelt `raw` is a member.
    pub(crate) fn contains(&self, raw: &str) -> bool {
        let value = Decimal::parse(raw);
        let digits = !raw.contains(['.', 'e', 'E']);
        let spelt = match self.spelling {
            Spelling::Any => true,
            Spelling::Digits => digits,
            Spelling::Other => !digits,
        };
        let above = |bound: &Bound| match bound.inclusive {
            true => bound.value <= value,
            false => bound.value < value,
        };
        let below = |bound: &Bound| match bound.inclusive {
            true => value <= bound.value,
            false => value < bound.value,
        };
        spelt
            && self.least.as_ref().is_none_or(above)
            && self.most.as_ref().is_none_or(below)
            && self.grain.contains(&value)
    }
}

/// What bounds those numbers of few enough digits that are nearer to zero than a number of more:
/// nothing, where no double is beyond that.
fn near_to_far(bound: Decimal) -> Option<Decimal> {
    let within_doubles = bound.magnitude() <= Decimal::parse(GREATEST_DOUBLE);
    within_doubles.then(|| Decimal {
        digits: smallvec::smallvec![9; DOUBLE_DIGITS as usize],
        point: i64::from(DIGITS_OF_DOUBLES),
        ..bound
    })
}

impl Bound {
    /// The bound of what is on its other side.
    fn outside(&self) -> Self {
        Self {
            value: self.value.clone(),
            inclusive: !self.inclusive,
        }
    }

    /// Moves the bound to the next number of the grid, as `next` finds it.
    ///
    /// An exclusive bound of many digits stays: doubles take it for a number close by, and what is
    /// written must not be that one.
    fn round(&mut self, grid: &Grid, next: impl Fn(&Decimal, bool) -> Option<Decimal>) {
        /// Digits of an integer that 64 bits hold.
        const DIGITS: i64 = 18;
        let value = &self.value;
        let few = match value.is_integer() {
            true => value.point <= DIGITS,
            false => value.digits.len() <= DOUBLE_DIGITS as usize,
        };
        let in_reach = grid.is_integers() || value.point <= DIGITS;
        if in_reach
            && (few || self.inclusive)
            && let Some(value) = next(value, self.inclusive)
        {
            *self = Self {
                value,
                inclusive: true,
            };
        }
    }

    /// The number that is written closest to a lower bound, or to an upper one.
    ///
    /// What reads it mostly holds numbers in doubles, where a number very close to a bound is that
    /// bound. So members differ from a bound that is none by the next double as programs write it, and from
    /// zero by a normal one.
    fn within(&self, above: bool) -> Decimal {
        let value = &self.value;
        if self.inclusive {
            return value.clone();
        }
        if value.is_zero() {
            return Decimal {
                negative: !above,
                digits: smallvec::smallvec![1],
                point: -299,
            };
        }
        let double = value.to_double();
        let next = match above {
            true => double.next_up(),
            false => double.next_down(),
        };
        match next.is_finite() {
            true => Decimal::parse(&format!("{next:e}")),
            // No double is beyond.
            false => Decimal {
                point: value.point.max(i64::from(DIGITS_OF_DOUBLES) + 2),
                ..value.clone()
            },
        }
    }
}
