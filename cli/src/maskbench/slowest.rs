//! Which masks take longest where nothing is known yet: each schema by itself, over an engine that has seen no other.

use std::cmp::Reverse;
use std::io::Write;

use maskwright::base::TokenId;
use maskwright::front::json_schema::SchemaConfig;
use maskwright::vocab::Vocabulary;
use rustix::time::{ClockId, clock_gettime};

use super::engine::Engine;
use super::maskwright::Maskwright;
use super::measure::Sequence;
use crate::suite::Case;
use crate::vocabulary::Tokens;

/// A schema that would be listed is run so often, and the least time of each mask counts: whatever else the machine does
/// makes it longer only.
const ROUNDS: usize = 3;
/// So many bytes are shown of what stands before a mask.
const SHOWN: usize = 32;

/// A mask that took long.
struct Slow {
    nanos: u64,
    case: String,
    /// Which of the case's instances, from 0.
    instance: usize,
    /// The tokens before.
    before: Vec<TokenId>,
}

/// The slowest masks so far.
pub(super) struct Slowest<'t> {
    tokens: &'t Tokens,
    config: SchemaConfig,
    most: usize,
    /// The slowest first.
    found: Vec<Slow>,
    row: Vec<u32>,
}

impl<'t> Slowest<'t> {
    /// The `most` slowest masks, with one for each instance of a schema.
    pub(super) fn new(tokens: &'t Tokens, config: SchemaConfig, most: usize) -> Self {
        Self {
            tokens,
            config,
            most,
            found: Vec::new(),
            row: vec![0; tokens.vocabulary().mask_words()],
        }
    }

    /// Runs a schema's instances over engines of their own.
    pub(super) fn run(&mut self, case: &Case, sequences: &[Sequence]) {
        let Some(mut times) = self.round(case, sequences) else {
            return;
        };
        let longest = times.iter().flatten().max();
        let bar = self.found.get(self.most - 1).map_or(0, |slow| slow.nanos);
        if longest.is_none_or(|&longest| longest <= bar) {
            return;
        }
        for _ in 1..ROUNDS {
            for (least, again) in times
                .iter_mut()
                .zip(self.round(case, sequences).into_iter().flatten())
            {
                for (least, again) in least.iter_mut().zip(again) {
                    *least = again.min(*least);
                }
            }
        }
        for (instance, times) in times.iter().enumerate() {
            let slowest = times.iter().enumerate().max_by_key(|&(_, &time)| time);
            self.found.extend(slowest.map(|(at, &nanos)| Slow {
                nanos,
                case: case.name.clone(),
                instance,
                before: sequences[instance].tokens[..at].to_vec(),
            }));
        }
        self.found.sort_by_key(|slow| Reverse(slow.nanos));
        self.found.truncate(self.most);
    }

    /// The times of the masks of each instance, over one engine that has seen nothing; `None` where the schema is refused.
    fn round(&mut self, case: &Case, sequences: &[Sequence]) -> Option<Vec<Vec<u64>>> {
        let engine = Maskwright::alone(self.tokens, self.config.clone());
        let compiled = engine.compile(&case.schema).ok()?;
        let mut all = Vec::new();
        for sequence in sequences {
            let (mut run, mut times) = (compiled.start().ok()?, Vec::new());
            for &token in &sequence.tokens {
                let start = processor_time();
                let mask = run.mask(&mut self.row);
                times.push(processor_time() - start);
                if mask.and_then(|()| run.accept(token)).is_err() {
                    break;
                }
            }
            all.push(times);
        }
        Some(all)
    }

    /// Writes the list.
    pub(super) fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        writeln!(
            out,
            "{:>10}  schema, instance, token, and what stands before",
            "µs"
        )?;
        for slow in &self.found {
            let micros = slow.nanos as f64 / 1e3;
            let text = tail(self.tokens.vocabulary(), &slow.before);
            let (case, instance, at) = (&slow.case, slow.instance, slow.before.len());
            writeln!(out, "{micros:>10.1}  {case} {instance} {at} {text:?}")?;
        }
        Ok(())
    }
}

/// Processor time of this thread so far, in nanoseconds: other programs on the machine do not count.
fn processor_time() -> u64 {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64
}

/// The end of the text of some tokens.
fn tail(vocabulary: &Vocabulary, tokens: &[TokenId]) -> String {
    let bytes = tokens.iter().filter_map(|&token| vocabulary.bytes(token));
    let bytes = bytes.collect::<Vec<_>>().concat();
    String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(SHOWN)..]).into_owned()
}
