//! What came of sampling from many schemas.

use std::collections::BTreeMap;
use std::io::Write;

use serde_json::{Value, json};

use crate::statistics::peak_rss_mb;

/// Invalid instances shown to people; JSON has them all.
const SHOWN: usize = 20;

/// What came of it all.
#[derive(Default)]
pub(super) struct Tally {
    /// How many instances of each schema were asked for, and the seed.
    pub(super) count: usize,
    pub(super) seed: u64,
    pub(super) schemas: usize,
    /// The schemas that were sampled from.
    pub(super) sampled: usize,
    pub(super) refused: usize,
    /// Schemas that the judge cannot use, with what it says.
    pub(super) unjudged: Vec<(String, String)>,
    pub(super) instances: usize,
    /// Instances that are unlike the others of their schema.
    pub(super) distinct: usize,
    pub(super) tokens: usize,
    pub(super) invalid: Vec<Invalid>,
}

/// An instance that is not valid.
pub(super) struct Invalid {
    pub(super) case: String,
    /// The keyword that it fails, with the format where it is that.
    pub(super) keyword: String,
    pub(super) error: String,
    pub(super) text: String,
}

impl Tally {
    /// What came of it so far, for the progress bar.
    pub(super) fn line(&self) -> String {
        let (schemas, instances) = (self.schemas, self.instances);
        let invalid = self.invalid.len();
        format!("{schemas} schemas, {instances} instances, {invalid} invalid")
    }

    /// How many invalid instances there are by keyword.
    pub(super) fn by_keyword(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for invalid in &self.invalid {
            *counts.entry(invalid.keyword.as_str()).or_default() += 1;
        }
        counts
    }

    pub(super) fn json(&self, seconds: f64) -> Value {
        let invalid = self.invalid.iter().map(|invalid| {
            json!({
                "file": invalid.case,
                "keyword": invalid.keyword,
                "error": invalid.error,
                "text": invalid.text,
            })
        });
        let unjudged = self
            .unjudged
            .iter()
            .map(|(case, why)| json!({"file": case, "error": why}));
        json!({
            "count": self.count,
            "seed": self.seed,
            "schemas": self.schemas,
            "sampled": self.sampled,
            "refused": self.refused,
            "instances": self.instances,
            "distinct": self.distinct,
            "tokens": self.tokens,
            "invalid": self.invalid.len(),
            "by_keyword": self.by_keyword(),
            "unjudged": unjudged.collect::<Vec<_>>(),
            "failures": invalid.collect::<Vec<_>>(),
            "seconds": seconds.round(),
            "rss_mb": peak_rss_mb().map(f64::round),
        })
    }

    pub(super) fn show(&self, out: &mut impl Write) -> std::io::Result<()> {
        for invalid in self.invalid.iter().take(SHOWN) {
            writeln!(
                out,
                "{}: {}\n  {}",
                invalid.case, invalid.error, invalid.text
            )?;
        }
        for (keyword, count) in self.by_keyword() {
            writeln!(out, "invalid by `{keyword}`: {count}")?;
        }
        for (case, why) in &self.unjudged {
            writeln!(out, "not judged: {case}: {why}")?;
        }
        writeln!(
            out,
            "{} schemas, {} refused, {} not judged; {} sampled: {} instances, {} of them distinct, {} tokens, {} invalid",
            self.schemas,
            self.refused,
            self.unjudged.len(),
            self.sampled,
            self.instances,
            self.distinct,
            self.tokens,
            self.invalid.len(),
        )
    }
}
