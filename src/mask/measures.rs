//! The tokens inside a rule by their measures, for positions that bound it.

use std::cmp::Reverse;
use std::sync::OnceLock;

use super::representation::Row;
use crate::base::TokenId;

/// Cut rows are kept for measures below this.
const CUT_ROWS: usize = 64;

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
    pub(super) fn sorted(mut self) -> Self {
        self.inside
            .sort_unstable_by_key(|&(measure, token)| (Reverse(measure), token));
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
