//! The tokens inside a rule by their measures, for positions that bound it.

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::representation::Row;
use crate::base::TokenId;

/// Cut rows are kept for measures below this.
const CUT_ROWS: usize = 64;

/// Measures below this are few enough to be counted.
const COUNTED: u32 = 1 << 12;

/// A token by its measure.
type Measured = (u32, TokenId);

/// The measures of the tokens inside a rule.
#[derive(Debug)]
pub(super) struct Measures {
    /// The tokens, by descending measure once sorted.
    inside: Vec<Measured>,
    cuts: Box<[OnceLock<Row>]>,
}

impl Default for Measures {
    fn default() -> Self {
        let cuts = (0..CUT_ROWS).map(|_| OnceLock::new()).collect();
        Self {
            inside: Vec::new(),
            cuts,
        }
    }
}

impl Measures {
    pub(super) fn add(&mut self, token: TokenId, measure: u32) {
        self.inside.push((measure, token));
    }

    /// With every token in its place, which splitting needs.
    ///
    /// PERF: there can be as many as the vocabulary has, and the measures are small numbers: so they are counted.
    pub(super) fn sorted(mut self) -> Self {
        let greatest = self.inside.iter().map(|&(measure, _)| measure).max();
        let Some(greatest) = greatest.filter(|&measure| measure < COUNTED) else {
            self.inside
                .sort_unstable_by_key(|&(measure, token)| (Reverse(measure), token));
            return self;
        };
        let rank = |measure: u32| (greatest - measure) as usize;
        let mut places = vec![0; greatest as usize + 2];
        for &(measure, _) in &self.inside {
            places[rank(measure) + 1] += 1;
        }
        for index in 1..places.len() {
            places[index] += places[index - 1];
        }
        let mut sorted = self.inside.clone();
        for &measured in &self.inside {
            let place: &mut usize = &mut places[rank(measured.0)];
            sorted[*place] = measured;
            *place += 1;
        }
        self.inside = sorted;
        self
    }

    /// The tokens that measure more than `most`, and the others.
    pub(super) fn split(&self, most: u32) -> (&[Measured], &[Measured]) {
        let above = self.inside.partition_point(|&(measure, _)| measure > most);
        self.inside.split_at(above)
    }

    /// The row of the tokens that measure at most `most`, made by `make` where it is not kept.
    pub(super) fn cut_row(&self, most: u32, make: impl FnOnce() -> Row) -> Row {
        match self.cuts.get(most as usize) {
            Some(kept) => kept.get_or_init(make).clone(),
            None => make(),
        }
    }
}
