//! The schemas of a format's requests, compiled: most requests bring those that the one before brought.

use std::sync::{Mutex, MutexGuard};

use rustc_hash::FxHashMap;

use crate::base::lock;
use crate::front::json_schema::{CompiledSchema, SchemaConfig, SchemaError, compile};

/// What all that is kept may weigh, in steps of compiling it and bytes of its texts; over that it is dropped.
const MOST: usize = 1 << 20;
/// What weighs more by itself is not kept.
const HEAVIEST: usize = 1 << 16;

/// Schemas that were compiled in one way.
///
/// PERF: 128 tools that an earlier request brought take Harmony 385 µs for 1,209, MiniMax M2 1,234 for 2,162 (benches/LOG.md, "Formats").
#[derive(Debug)]
pub(super) struct KeptSchemas {
    config: SchemaConfig,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    compiled: FxHashMap<Box<str>, CompiledSchema>,
    weight: usize,
}

impl KeptSchemas {
    /// None yet, to be compiled as `config` says.
    pub(super) fn new(config: &SchemaConfig) -> Self {
        Self {
            config: config.clone(),
            known: Mutex::default(),
        }
    }

    /// Whether they are compiled as `config` says.
    pub(super) fn are_of(&self, config: &SchemaConfig) -> bool {
        self.config == *config
    }

    /// The schema `text`. Its work counts for the compile that `config` belongs to, which says the same as that of the
    /// others, as if it were compiled anew.
    pub(super) fn compile(
        &self,
        text: &str,
        config: &SchemaConfig,
    ) -> Result<CompiledSchema, SchemaError> {
        let kept = self.known().compiled.get(text).cloned();
        if let Some(kept) = kept {
            let charged = config.limits.charge(kept.work());
            charged.map_err(|source| SchemaError::Limit {
                pointer: "#".to_owned(),
                source,
            })?;
            return Ok(kept);
        }
        let compiled = compile(text, config)?;
        let weight = compiled.work().saturating_add(text.len());
        if weight <= HEAVIEST {
            let mut known = self.known();
            if known.weight + weight > MOST {
                *known = Known::default();
            }
            if known
                .compiled
                .insert(text.into(), compiled.clone())
                .is_none()
            {
                known.weight += weight;
            }
        }
        Ok(compiled)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        // A schema is compiled before it is kept.
        lock(&self.known)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::Limits;

    /// What compiling may cost, for a compile that begins here.
    fn config(work: usize) -> SchemaConfig {
        let limits = Limits {
            work,
            ..Limits::default()
        };
        SchemaConfig {
            limits: limits.begin(),
            ..SchemaConfig::default()
        }
    }

    #[test]
    fn a_kept_schema_counts_as_one_that_is_compiled() {
        let text = r#"{"properties": {"a": {"type": "integer"}}}"#;
        let fresh = config(1 << 20);
        let kept = KeptSchemas::new(&fresh);
        kept.compile(text, &fresh).unwrap();
        let steps = fresh.limits.spent();
        let again = config(1 << 20);
        assert!(kept.are_of(&again) && !kept.are_of(&config(1)));
        kept.compile(text, &again).unwrap();
        assert_eq!(again.limits.spent(), steps);
        // So it is refused where there is no work left for it.
        let few = config(steps * 3 / 2);
        kept.compile(text, &few).unwrap();
        assert!(kept.compile(text, &few).is_err());
        for _ in 0..2 {
            assert!(kept.compile(r#"{"type": 1}"#, &fresh).is_err());
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let kept = KeptSchemas::new(&SchemaConfig::default());
        let mut dropped = false;
        for number in 0..20_000 {
            let before = kept.known().compiled.len();
            let text = format!(r#"{{"const": {number}}}"#);
            kept.compile(&text, &config(1 << 20)).unwrap();
            let known = kept.known();
            assert!(known.weight <= MOST && known.compiled.contains_key(&*text));
            dropped |= known.compiled.len() < before;
        }
        assert!(dropped);
        let long = format!(r#"{{"const": "{}"}}"#, "a".repeat(HEAVIEST));
        kept.compile(&long, &config(1 << 20)).unwrap();
        assert!(!kept.known().compiled.contains_key(&*long));
    }
}
