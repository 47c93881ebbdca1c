//! The tokens inside a rule by their measures, for positions that bound it.

use std::sync::OnceLock;

use super::representation::Row;
use crate::base::{LimitError, TokenId};

/// Cut rows are kept for measures below this.
const CUT_ROWS: usize = 64;

/// A token by its measure.
type Measured = (u32, TokenId);

/// The measures of the tokens inside a rule.
#[derive(Debug)]
pub(super) struct Measures {
    /// The tokens, by descending measure.
    inside: Box<[Measured]>,
    cuts: Box<[OnceLock<Row>]>,
}

impl Measures {
    pub(super) fn new(
        tokens: impl Iterator<Item = TokenId>,
        mut measure: impl FnMut(TokenId) -> Result<usize, LimitError>,
    ) -> Result<Self, LimitError> {
        let mut buckets: Vec<Vec<TokenId>> = Vec::new();
        for token in tokens {
            let measure = measure(token)?;
            if buckets.len() <= measure {
                buckets.resize(measure + 1, Vec::new());
            }
            buckets[measure].push(token);
        }
        let inside = buckets.iter().enumerate().rev();
        Ok(Self {
            inside: inside
                .flat_map(|(m, b)| b.iter().map(move |&t| (m as u32, t)))
                .collect(),
            cuts: (0..CUT_ROWS).map(|_| OnceLock::new()).collect(),
        })
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
