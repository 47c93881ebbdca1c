//! Running schemas and instances through an engine, and what is kept of it.

use std::collections::BTreeMap;
use std::time::Instant;

use maskwright::base::TokenId;

use super::engine::{Compiled, Engine};
use crate::statistics::Histogram;
use crate::suite::Case;

/// An instance as tokens, the end token included.
pub(crate) struct Sequence {
    pub(crate) tokens: Vec<TokenId>,
    pub(crate) valid: bool,
}

/// Times in nanoseconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Times {
    pub(crate) compile: Histogram,
    /// Compile and the first mask.
    pub(crate) first_mask: Histogram,
    /// Right after compiling, and then again with what was learnt.
    pub(crate) cold: PassTimes,
    pub(crate) warm: PassTimes,
}

/// The times of one pass.
#[derive(Clone, Debug, Default)]
pub(crate) struct PassTimes {
    pub(crate) mask: Histogram,
    pub(crate) accept: Histogram,
}

/// All that is known of an engine at the end.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) schemas: u64,
    pub(crate) compiled: u64,
    /// Refusals by reason.
    pub(crate) refused: BTreeMap<String, u64>,
    /// Masks of the first pass.
    pub(crate) tokens: u64,
    pub(crate) instances: u64,
    pub(crate) wrong: Vec<Wrong>,
    pub(crate) times: Times,
    /// The same times over the schemas that every engine of the run takes.
    pub(crate) common: Times,
    pub(crate) common_schemas: u64,
}

/// A verdict that differs from the label.
#[derive(Clone, Debug)]
pub(crate) struct Wrong {
    pub(crate) case: String,
    /// Which of the case's instances, from 0.
    pub(crate) instance: usize,
    pub(crate) kind: WrongKind,
    /// What the engine said, or which token it did not allow.
    pub(crate) detail: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrongKind {
    ValidRejected,
    InvalidAccepted,
}

impl WrongKind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::ValidRejected => "valid_rejected",
            Self::InvalidAccepted => "invalid_accepted",
        }
    }
}

impl Tally {
    pub(crate) fn count(&self, kind: WrongKind) -> usize {
        self.wrong.iter().filter(|wrong| wrong.kind == kind).count()
    }
}

/// Single measurements of one schema, before it is known whether every engine takes it.
#[derive(Default)]
struct Samples {
    compile: u64,
    /// From the first start to the first mask.
    first_mask: Option<u64>,
    cold: PassSamples,
    warm: PassSamples,
}

#[derive(Default)]
struct PassSamples {
    mask: Vec<u64>,
    accept: Vec<u64>,
}

/// The engines of a run with their tallies.
pub(crate) struct Bench {
    engines: Vec<(Box<dyn Engine>, Tally)>,
    /// How often each instance is run; the passes after the first are warm.
    passes: usize,
    row: Vec<u32>,
}

impl Bench {
    pub(crate) fn new(engines: Vec<Box<dyn Engine>>, passes: usize, vocabulary: usize) -> Self {
        Self {
            engines: engines
                .into_iter()
                .map(|engine| (engine, Tally::default()))
                .collect(),
            passes,
            row: vec![0; vocabulary.div_ceil(32)],
        }
    }

    /// Runs one schema through each engine in turn.
    pub(crate) fn run(&mut self, case: &Case, sequences: &[Sequence]) {
        let mut samples = Vec::new();
        for (engine, tally) in &mut self.engines {
            tally.schemas += 1;
            let mut one = OneSchema {
                case,
                sequences,
                row: &mut self.row,
                tally,
            };
            samples.push(one.run(engine.as_ref(), self.passes));
        }
        let common = samples.iter().all(Option::is_some);
        for ((_, tally), samples) in self.engines.iter_mut().zip(&samples) {
            let Some(samples) = samples else { continue };
            samples.add_to(&mut tally.times);
            if common {
                samples.add_to(&mut tally.common);
                tally.common_schemas += 1;
            }
        }
    }

    pub(crate) fn finish(self) -> Vec<(Box<dyn Engine>, Tally)> {
        self.engines
    }
}

/// One schema on its way through one engine.
struct OneSchema<'a> {
    case: &'a Case,
    sequences: &'a [Sequence],
    row: &'a mut [u32],
    tally: &'a mut Tally,
}

impl OneSchema<'_> {
    fn run(&mut self, engine: &dyn Engine, passes: usize) -> Option<Samples> {
        let mut samples = Samples::default();
        let start = Instant::now();
        let compiled = engine.compile(&self.case.schema);
        samples.compile = nanos(start);
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(refusal) => {
                *self.tally.refused.entry(refusal.reason).or_default() += 1;
                return None;
            }
        };
        self.tally.compiled += 1;
        let mut wrong = vec![None; self.sequences.len()];
        for pass in 0..passes {
            for (instance, sequence) in self.sequences.iter().enumerate() {
                let verdict = self.drive(compiled.as_ref(), &sequence.tokens, pass, &mut samples);
                if let Some(found) = self.judge(instance, &verdict) {
                    wrong[instance] = Some(found);
                }
            }
        }
        if samples.first_mask.is_none() {
            samples.first_mask = self.first_mask(compiled.as_ref());
        }
        self.tally.instances += self.sequences.len() as u64;
        self.tally.tokens += samples.cold.mask.len() as u64;
        self.tally.wrong.extend(wrong.into_iter().flatten());
        Some(samples)
    }

    /// Masks and accepts each token; an error says which was not allowed.
    fn drive(
        &mut self,
        compiled: &dyn Compiled,
        tokens: &[TokenId],
        pass: usize,
        samples: &mut Samples,
    ) -> Result<(), String> {
        let into = if pass == 0 {
            &mut samples.cold
        } else {
            &mut samples.warm
        };
        let begin = Instant::now();
        let mut run = compiled.start()?;
        for (at, &token) in tokens.iter().enumerate() {
            let start = Instant::now();
            run.mask(self.row)?;
            into.mask.push(nanos(start));
            samples.first_mask.get_or_insert_with(|| nanos(begin));
            if self.row[token.index() / 32] >> (token.index() % 32) & 1 == 0 {
                return Err(format!("token {at} ({}) is not allowed", token.get()));
            }
            let start = Instant::now();
            run.accept(token)?;
            into.accept.push(nanos(start));
        }
        Ok(())
    }

    /// The time from a start to the first mask, for a schema without instances.
    fn first_mask(&mut self, compiled: &dyn Compiled) -> Option<u64> {
        let begin = Instant::now();
        compiled
            .start()
            .and_then(|mut run| run.mask(self.row))
            .ok()?;
        Some(nanos(begin))
    }

    fn judge(&self, instance: usize, verdict: &Result<(), String>) -> Option<Wrong> {
        let (kind, detail) = match (self.sequences[instance].valid, verdict) {
            (true, Err(detail)) => (WrongKind::ValidRejected, detail.clone()),
            (false, Ok(())) => (WrongKind::InvalidAccepted, String::new()),
            _ => return None,
        };
        Some(Wrong {
            case: self.case.name.clone(),
            instance,
            kind,
            detail,
        })
    }
}

fn nanos(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl Samples {
    fn add_to(&self, times: &mut Times) {
        times.compile.record(self.compile);
        if let Some(first_mask) = self.first_mask {
            times.first_mask.record(self.compile + first_mask);
        }
        self.cold.add_to(&mut times.cold);
        self.warm.add_to(&mut times.warm);
    }
}

impl PassSamples {
    fn add_to(&self, times: &mut PassTimes) {
        self.mask.iter().for_each(|&ns| times.mask.record(ns));
        self.accept.iter().for_each(|&ns| times.accept.record(ns));
    }
}
