//! Grains: which numbers count, as to what they are multiples of.

use super::number::Decimal;
use super::step::{DIGITS_TOGETHER, Step};
use crate::base::LimitError;

/// Numbers by what they are multiples of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Grain {
    /// All of them.
    #[default]
    Any,
    /// Those that need more places: no multiples of `10^-places`.
    Finer(u32),
    /// The multiples of `step` that are multiples of no step of `except`.
    ///
    /// INVARIANT: those are multiples of `step`, ascending, none a multiple of another, and their
    /// least common multiple is a step too.
    Multiple { step: Step, except: Vec<Step> },
}

/// After how many units, of the last place of `step`, its multiples and those of `others`, which are
/// multiples of it, repeat.
///
/// # Errors
/// A number of more than 18 digits.
pub(crate) fn period(step: Step, others: &[Step]) -> Result<u128, LimitError> {
    let together = others.iter().try_fold(step, |all, other| all.lcm(*other))?;
    let period = together.units(step.places());
    let digits = period.ilog10() as usize + 1;
    let what = "digits of several multipleOf together";
    LimitError::check(what, digits, DIGITS_TOGETHER)?;
    Ok(period)
}

impl Grain {
    pub(crate) fn multiples_of(step: Step) -> Self {
        Self::Multiple {
            step,
            except: Vec::new(),
        }
    }

    /// All integers and no other number.
    pub(crate) fn integers() -> Self {
        Self::multiples_of(Step::ONE)
    }

    /// Multiples of `step` that are multiples of no other.
    fn multiples_except(
        step: Step,
        others: impl Iterator<Item = Step>,
    ) -> Result<Self, LimitError> {
        let mut except = others
            .map(|other| other.lcm(step))
            .collect::<Result<Vec<Step>, LimitError>>()?;
        except.sort_by_key(|except| except.units(Step::PLACES));
        let mut apart: Vec<Step> = Vec::new();
        for step in except {
            if !apart.iter().any(|&less| step.is_multiple_of(less)) {
                apart.push(step);
            }
        }
        period(step, &apart)?;
        Ok(Self::Multiple {
            step,
            except: apart,
        })
    }

    /// Whether no number is one of it.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::Multiple { step, except } if except.contains(step))
    }

    pub(crate) fn contains(&self, value: &Decimal) -> bool {
        match self {
            Self::Any => true,
            Self::Finer(places) => !Step::power(*places).divides(value),
            Self::Multiple { step, except } => {
                step.divides(value) && !except.iter().any(|except| except.divides(value))
            }
        }
    }

    /// The numbers of both.
    ///
    /// # Errors
    /// A common multiple of their steps that has too many digits.
    pub(crate) fn intersect(&self, other: &Self) -> Result<Self, LimitError> {
        Ok(match (self, other) {
            (Self::Any, grain) | (grain, Self::Any) => grain.clone(),
            (Self::Finer(a), Self::Finer(b)) => Self::Finer(*a.max(b)),
            (Self::Finer(places), Self::Multiple { step, except })
            | (Self::Multiple { step, except }, Self::Finer(places)) => {
                let coarse = [Step::power(*places)];
                Self::multiples_except(*step, except.iter().copied().chain(coarse))?
            }
            (
                Self::Multiple { step, except },
                Self::Multiple {
                    step: other_step,
                    except: others,
                },
            ) => {
                let both = except.iter().chain(others).copied();
                Self::multiples_except(step.lcm(*other_step)?, both)?
            }
        })
    }

    /// Grains that have no number in common, and together all that this one has not.
    pub(crate) fn complement(&self) -> Vec<Self> {
        match self {
            Self::Any => Vec::new(),
            Self::Finer(places) => vec![Self::multiples_of(Step::power(*places))],
            Self::Multiple { step, except } => {
                let places = step.places();
                let mut grains = vec![Self::Finer(places)];
                if *step != Step::power(places) {
                    grains.push(Self::Multiple {
                        step: Step::power(places),
                        except: vec![*step],
                    });
                }
                // Multiples of one of the exceptions, but of none before it.
                for (index, &first) in except.iter().enumerate() {
                    let before = except[..index].iter().copied();
                    let grain = Self::multiples_except(first, before);
                    grains.push(grain.expect("its steps divide a common multiple known to be one"));
                }
                grains
            }
        }
    }
}
