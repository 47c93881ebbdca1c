//! `maskwright maskbench`: MaskBench, with figures that can be held against another engine's.

mod engine;
mod llguidance;
mod maskwright;
mod measure;
mod report;
mod slowest;

use std::io::Write;
use std::num::NonZeroUsize;

use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::formats::Formats;
use super::output::stdout;
use super::spelling::Spelling;
use super::suite::{Case, Instance, Suite};
use super::verdict::Verdict;
use super::vocabulary::{self, Tokenise, Tokens};
use ::maskwright::base::TokenId;
use ::maskwright::front::json_schema::SchemaConfig;
use engine::Engine;
use measure::{Bench, Sequence};
use slowest::Slowest;

/// Run MaskBench: compile each schema, then mask and accept its instances token by token.
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright maskbench maskbench-dev.jsonl.zst --engine both --json"
)]
pub(crate) struct Options {
    #[command(flatten)]
    suite: Suite,
    /// The vocabulary: o200k_harmony, or the path of a tiktoken rank file or of a tokenizer.json
    #[arg(long, default_value = vocabulary::DEFAULT, value_name = "NAME|PATH")]
    vocab: String,
    /// Which engine to run; twice, or `both`, to compare two in one run
    #[arg(long = "engine", value_enum, default_value = "maskwright")]
    engines: Vec<Choice>,
    /// For our own engine
    #[command(flatten)]
    spelling: Spelling,
    /// What `format` does, for our own engine
    #[arg(long, value_enum, default_value = "assert")]
    formats: Formats,
    /// How often each instance is run: once cold, the others warm
    #[arg(long, default_value = "2", value_name = "N")]
    passes: NonZeroUsize,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// List the N slowest masks of our own engine instead, each schema by itself: the least processor time of three
    /// engines that have seen no other
    #[arg(long, value_name = "N", conflicts_with_all = ["engines", "passes", "json"])]
    slowest: Option<NonZeroUsize>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    Maskwright,
    Llguidance,
    Both,
}

/// Runs the benchmark and prints its report.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let tokens = Tokens::load(&options.vocab)?;
    if let Some(most) = options.slowest {
        return slowest(options, &tokens, most);
    }
    let tokeniser = tokens.tokeniser()?;
    let mut bench = Bench::new(
        engines(options, &tokens)?,
        options.passes.get(),
        tokens.vocabulary().len(),
    );
    let mut taken = 0;
    options.suite.each(&mut |case| {
        bench.run(&case, &sequences(&case, tokeniser.as_ref(), tokens.end()));
        taken += 1;
        Ok(format!("{taken} schemas"))
    })?;
    let results = bench.finish();
    let mut out = stdout();
    match options.json {
        true => writeln!(out, "{:#}", report::json(&results))?,
        false => write!(out, "{}", report::text(&results))?,
    }
    Ok(Verdict::Good)
}

fn slowest(options: &Options, tokens: &Tokens, most: NonZeroUsize) -> Result<Verdict, Failure> {
    let tokeniser = tokens.tokeniser()?;
    let mut slowest = Slowest::new(tokens, config(options), most.get());
    let mut taken = 0;
    options.suite.each(&mut |case| {
        slowest.run(&case, &sequences(&case, tokeniser.as_ref(), tokens.end()));
        taken += 1;
        Ok(format!("{taken} schemas"))
    })?;
    slowest.write(&mut stdout())?;
    Ok(Verdict::Good)
}

fn config(options: &Options) -> SchemaConfig {
    SchemaConfig {
        formats: options.formats.rule(),
        ..options.spelling.config()
    }
}

fn engines(options: &Options, tokens: &Tokens) -> Result<Vec<Box<dyn Engine>>, Failure> {
    let both = [Choice::Maskwright, Choice::Llguidance];
    let choices = options.engines.iter().flat_map(|choice| match choice {
        Choice::Both => &both[..],
        one => std::slice::from_ref(one),
    });
    let mut engines: Vec<Box<dyn Engine>> = Vec::new();
    for choice in choices {
        match choice {
            Choice::Llguidance => engines.push(Box::new(llguidance::Llguidance::new(tokens)?)),
            Choice::Maskwright | Choice::Both => {
                engines.push(Box::new(maskwright::Maskwright::new(
                    tokens,
                    config(options),
                )));
            }
        }
    }
    match engines.len() {
        1 | 2 => Ok(engines),
        count => Err(Failure::new(format!(
            "{count} engines; one or two can be run"
        ))),
    }
}

fn sequences(case: &Case, tokeniser: &dyn Tokenise, end: TokenId) -> Vec<Sequence> {
    let sequence = |instance: &Instance| {
        let mut tokens = tokeniser.tokenise(&instance.text);
        tokens.push(end);
        Sequence {
            tokens,
            valid: instance.valid,
        }
    };
    case.instances.iter().map(sequence).collect()
}
