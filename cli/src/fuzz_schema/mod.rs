//! `maskwright fuzz-schema`: instances of many schemas, sampled under their masks, and each one judged.

use std::collections::HashSet;
use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;

use clap::Args;
use maskwright::front::json_schema::SchemaConfig;
use maskwright::session::{Constraint, ConstraintConfig, Engine};

use crate::bytes;
use crate::failure::Failure;
use crate::formats::Formats;
use crate::generator::{Generator, Outcome, Spent, classes};
use crate::input::Named;
use crate::judge::Judge;
use crate::output::stdout;
use crate::sampler::{Classes, SamplerConfig};
use crate::source::compile_schema;
use crate::spelling::Spelling;
use crate::suite::{Case, Suite};
use crate::validator::SchemaJudge;
use crate::verdict::Verdict;
use crate::vocabulary::Tokens;

mod tally;

use tally::{Invalid, Tally};

/// An instance gets up to so many tokens before it is led to its end.
const FREE: usize = 300;

/// Sample instances of many schemas under their masks, and have each one judged by another
/// validator.
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright fuzz-schema maskbench-dev.jsonl.zst --count 50 --json"
)]
pub(crate) struct Options {
    #[command(flatten)]
    suite: Suite,
    /// The vocabulary: o200k_harmony, or the path of a tiktoken rank file or of a tokenizer.json
    /// [default: single bytes]
    #[arg(long, value_name = "NAME|PATH")]
    vocab: Option<String>,
    /// How many instances of each schema
    #[arg(long, default_value = "50", value_name = "N")]
    count: NonZeroUsize,
    /// The seed
    #[arg(long, default_value = "1", value_name = "N")]
    seed: u64,
    /// From so many tokens on an instance takes a shortest way to its end
    #[arg(long, default_value = "5000", value_name = "N")]
    max_tokens: NonZeroUsize,
    #[command(flatten)]
    spelling: Spelling,
    /// What `format` does
    #[arg(long, value_enum, default_value = "assert")]
    formats: Formats,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Samples from all schemas.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let engine = match &options.vocab {
        Some(vocab) => Tokens::load(vocab)?.engine().clone(),
        None => bytes::engine()?,
    };
    let classes = classes(engine.vocabulary());
    let mut run = Run {
        options,
        engine: &engine,
        classes: &classes,
        config: SchemaConfig {
            formats: options.formats.rule(),
            ..options.spelling.config()
        },
        tally: Tally {
            count: options.count.get(),
            seed: options.seed,
            ..Tally::default()
        },
    };
    let begin = Instant::now();
    options.suite.each(&mut |case| {
        run.case(&case)?;
        Ok(run.tally.line())
    })?;
    let mut out = stdout();
    match options.json {
        true => writeln!(out, "{:#}", run.tally.json(begin.elapsed().as_secs_f64()))?,
        false => run.tally.show(&mut out)?,
    }
    Ok(match run.tally.invalid.is_empty() {
        true => Verdict::Good,
        false => Verdict::Bad,
    })
}

/// The run through all schemas.
struct Run<'a> {
    options: &'a Options,
    engine: &'a Engine,
    classes: &'a Classes,
    config: SchemaConfig,
    tally: Tally,
}

impl Run<'_> {
    fn case(&mut self, case: &Case) -> Result<(), Failure> {
        let tally = &mut self.tally;
        tally.schemas += 1;
        let schema = Named {
            name: case.name.clone(),
            text: case.schema.clone(),
        };
        let Ok(grammar) = compile_schema(&schema, &self.config) else {
            tally.refused += 1;
            return Ok(());
        };
        let constraint = self
            .engine
            .constraint(grammar, &ConstraintConfig::default());
        let constraint = constraint.map_err(|error| Failure::new(error.to_string()))?;
        let judge = match SchemaJudge::new(&schema, self.options.formats, &self.config) {
            Ok(judge) => judge,
            Err(error) => {
                tally.unjudged.push((schema.name, error.line()));
                return Ok(());
            }
        };
        let judge = Judge::Schema(judge);
        self.sample(case, &constraint, &judge)
    }

    /// Samples instances of a schema.
    fn sample(
        &mut self,
        case: &Case,
        constraint: &Constraint,
        judge: &Judge,
    ) -> Result<(), Failure> {
        let tally = &mut self.tally;
        tally.sampled += 1;
        let max_tokens = self.options.max_tokens.get();
        // No two schemas get the same choices.
        let seed = self.options.seed.wrapping_add(tally.schemas as u64);
        let config = SamplerConfig {
            budget: 0..=FREE.min(max_tokens),
            ..SamplerConfig::new(seed, max_tokens)
        };
        let start = constraint.session();
        let generator = Generator::new(start, judge, self.classes, config, Spent::Led);
        let valid = case.instances.iter().filter(|instance| instance.valid);
        let valid = valid.map(|instance| instance.text.as_str());
        let mut generator = generator.with_words(&case.schema, valid);
        let mut texts = HashSet::new();
        for _ in 0..self.options.count.get() {
            let turn = generator.turn(&mut |_, _| Ok(()))?;
            if let (Outcome::Invalid(error), Judge::Schema(judge)) = (turn.outcome, judge) {
                tally.invalid.push(Invalid {
                    case: case.name.clone(),
                    keyword: judge.failed(&turn.text).unwrap_or_default(),
                    error,
                    text: turn.text.clone(),
                });
            }
            tally.tokens += turn.tokens;
            texts.insert(turn.text);
        }
        tally.instances += self.options.count.get();
        tally.distinct += texts.len();
        Ok(())
    }
}
