//! What the tokens inside a rule measure, and which of them a bound leaves.

use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

use super::representation::Row;
use crate::base::TokenId;
use crate::vocab::{More, Vocabulary, row};

/// Where a bound takes more tokens away than this, or leaves more, a row is made of what it leaves.
const MOST_LISTED: usize = 1024;
/// What bounds leave is kept for those below this.
const CUTS: usize = 64;
/// Measures below this are few enough to be counted.
const COUNTED: u32 = 1 << 12;

/// A token by its measure.
type Measured = (u32, TokenId);

/// What a bound leaves of the tokens inside a rule.
#[derive(Clone, Debug)]
pub(super) enum Cut {
    /// All but these.
    But(Arc<[TokenId]>),
    /// These.
    Row(Row),
    /// These.
    Few(Arc<[TokenId]>),
}

impl Cut {
    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::But(list) | Self::Few(list) => size_of_val(&**list),
            Self::Row(row) => size_of_val(&**row),
        }
    }
}

/// The measures of the tokens inside a rule; those that are not measured fit.
#[derive(Debug, Default)]
pub(super) struct Measures {
    /// The tokens of the class that the position absorbs, of which each character measures one, and the rest of where
    /// they lead.
    slice: Option<(Row, u32)>,
    /// The other tokens, by descending measure once sorted.
    others: Vec<Measured>,
    cuts: OnceLock<Box<[OnceLock<Cut>]>>,
}

impl Measures {
    /// Of no tokens but those of a slice and the rest of where they lead, if there is one.
    pub(super) fn of(slice: Option<(Row, u32)>) -> Self {
        Self {
            slice,
            ..Self::default()
        }
    }

    /// Adds a token that is not of the slice.
    pub(super) fn add(&mut self, token: TokenId, measure: u32) {
        self.others.push((measure, token));
    }

    /// With every token in its place, which cutting needs.
    ///
    /// PERF: there can be as many as the vocabulary has, and the measures are small numbers: so they are counted.
    pub(super) fn sorted(mut self) -> Self {
        let greatest = self.others.iter().map(|&(measure, _)| measure).max();
        let Some(greatest) = greatest.filter(|&measure| measure < COUNTED) else {
            self.others
                .sort_unstable_by_key(|&(measure, token)| (Reverse(measure), token));
            return self;
        };
        let rank = |measure: u32| (greatest - measure) as usize;
        let mut places = vec![0; greatest as usize + 2];
        for &(measure, _) in &self.others {
            places[rank(measure) + 1] += 1;
        }
        for index in 1..places.len() {
            places[index] += places[index - 1];
        }
        let mut sorted = self.others.clone();
        for &measured in &self.others {
            let place: &mut usize = &mut places[rank(measured.0)];
            sorted[*place] = measured;
            *place += 1;
        }
        self.others = sorted;
        self
    }

    /// How many bytes they take, without what bounds leave.
    pub(super) fn bytes(&self) -> usize {
        self.others.capacity() * size_of::<Measured>() + CUTS * size_of::<OnceLock<Cut>>()
    }

    /// What is left of the tokens inside, in a row or few, that measure at most `most`; `grew` is told how many bytes are
    /// kept besides.
    pub(super) fn cut(
        &self,
        vocabulary: &Vocabulary,
        inside: Option<&Row>,
        most: u32,
        grew: impl FnOnce(usize),
    ) -> Cut {
        let cuts = self
            .cuts
            .get_or_init(|| (0..CUTS).map(|_| OnceLock::new()).collect());
        let Some(kept) = cuts.get(most as usize) else {
            return self.make_cut(vocabulary, inside, most);
        };
        let make = || {
            let cut = self.make_cut(vocabulary, inside, most);
            grew(cut.bytes());
            cut
        };
        kept.get_or_init(make).clone()
    }

    fn make_cut(&self, vocabulary: &Vocabulary, inside: Option<&Row>, most: u32) -> Cut {
        let above = (self.others).partition_point(|&(measure, _)| measure > most);
        let (cut, below) = self.others.split_at(above);
        let tokens = |some: &[Measured]| some.iter().map(|&(_, token)| token).collect::<Vec<_>>();
        let Some(row) = inside else {
            return Cut::Few(tokens(below).into());
        };
        let cut = match self.cut_of_slice(vocabulary, most) {
            Gone::Few(mut few) => {
                few.extend(tokens(cut));
                if few.len() <= MOST_LISTED {
                    return Cut::But(few.into());
                }
                let mut cut = row::empty(vocabulary.len()).into_vec();
                few.iter().for_each(|&token| row::insert(&mut cut, token));
                cut
            }
            Gone::Row(mut gone) => {
                for &(_, token) in cut {
                    row::insert(&mut gone, token);
                }
                gone
            }
        };
        if row::count(&cut) <= MOST_LISTED {
            return Cut::But(row::tokens(&cut).collect());
        }
        let mut left = row.to_vec();
        row::subtract(&mut left, &cut);
        match row::count(&left) <= MOST_LISTED {
            true => Cut::Few(row::tokens(&left).collect()),
            false => Cut::Row(left.into()),
        }
    }

    /// The tokens of the slice that measure more than `most`.
    fn cut_of_slice(&self, vocabulary: &Vocabulary, most: u32) -> Gone {
        let Some((slice, rest)) = &self.slice else {
            return Gone::Few(Vec::new());
        };
        let Some(chars) = most.checked_sub(*rest) else {
            return Gone::Row(slice.to_vec());
        };
        match vocabulary.slices().more(chars) {
            More::Row(longer) => {
                let both = slice.iter().zip(longer).map(|(one, other)| one & other);
                Gone::Row(both.collect())
            }
            More::List(longer) => {
                let tokens = longer.iter().map(|&(_, token)| token);
                Gone::Few(
                    tokens
                        .filter(|&token| row::contains(slice, token))
                        .collect(),
                )
            }
        }
    }
}

/// Tokens that a bound takes away.
enum Gone {
    Few(Vec<TokenId>),
    Row(Vec<u32>),
}
