//! `maskwright fuzz-format`: turns of a format under many requests, judged, and their mutants, on
//! which parser and automaton must agree.

mod mutants;
mod requests;

use std::io::Write;
use std::num::NonZeroUsize;

use clap::Args;
use maskwright::session::Constraint;
use serde_json::json;

use self::mutants::{Agreement, Mutator, SHOWN};
use super::failure::Failure;
use super::generator::{Generator, Outcome, Spent, Turn, classes};
use super::judge::{Judge, TranscriptJudge};
use super::output::stdout;
use super::sampler::{Classes, SamplerConfig};
use super::source::{ASSISTANT_TURN, Source, built_in_source};
use super::verdict::Verdict;
use super::vocabulary::{self, Tokens};

/// So many turns share a constraint: what it remembers of their ids goes with it.
const BATCH: usize = 50;
/// How many turns may be cut off for each that is wanted, before generating gives up.
const PATIENCE: usize = 20;

/// Generate turns of a format under many requests, have each judged, and compare parser and
/// automaton on mutants of them: one byte or one token changed, added or taken away.
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright fuzz-format --format harmony --count 10000 --mutants 100000"
)]
pub(crate) struct Options {
    /// The chat format
    #[arg(long, value_name = "NAME", default_value = "harmony")]
    format: String,
    /// The vocabulary: o200k_harmony, or the path of a tiktoken rank file or of a tokenizer.json
    #[arg(long, default_value = vocabulary::DEFAULT, value_name = "NAME|PATH")]
    vocab: String,
    /// How many complete turns
    #[arg(long, default_value = "1000", value_name = "N")]
    count: NonZeroUsize,
    /// How many mutants of them
    #[arg(long, default_value = "0", value_name = "N")]
    mutants: usize,
    /// The seed
    #[arg(long, default_value = "1", value_name = "N")]
    seed: u64,
    /// The most tokens of a turn
    #[arg(long, default_value = "300", value_name = "N")]
    max_tokens: NonZeroUsize,
    /// Print each turn as a JSON object, text and token ids, for other judges; the summary goes to
    /// stderr
    #[arg(long)]
    json: bool,
}

/// What came of it all.
#[derive(Default)]
struct Tally {
    complete: usize,
    tokens: usize,
    unfinished: usize,
    /// Turns that the parser refused, and those whose JSON does not validate.
    refused: usize,
    invalid: usize,
    mutants: Agreement,
}

/// Runs the format through all its requests.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let tokens = Tokens::load(&options.vocab)?;
    let classes = classes(tokens.vocabulary());
    let mut run = Run {
        options,
        tokens: &tokens,
        classes: &classes,
        mutator: Mutator::new(options.seed, tokens.vocabulary()),
        seed: options.seed,
        tally: Tally::default(),
    };
    let requests = requests::requests(&options.format)?;
    let count = requests.len();
    for (index, request) in requests.into_iter().enumerate() {
        let share = |total: usize| total * (index + 1) / count - total * index / count;
        let source = built_in_source(&options.format, request)?;
        run.request(&source, share(options.count.get()), share(options.mutants))?;
    }
    run.tally.report(options, count)
}

/// The run through all requests.
struct Run<'a> {
    options: &'a Options,
    tokens: &'a Tokens,
    classes: &'a Classes,
    mutator: Mutator<'a>,
    /// The seed of the next sampler.
    seed: u64,
    tally: Tally,
}

impl Run<'_> {
    /// Generates so many complete turns of a request, and so many mutants of them.
    fn request(&mut self, source: &Source, turns: usize, mutants: usize) -> Result<(), Failure> {
        let name = source.format_name();
        let judge = TranscriptJudge::new(name, ASSISTANT_TURN, &source.request)?;
        let judge = Judge::Transcript(Box::new(judge));
        for begun in (0..turns).step_by(BATCH) {
            let ended = turns.min(begun + BATCH);
            let share = mutants * ended / turns - mutants * begun / turns;
            let constraint = source.compile(self.tokens)?;
            self.batch(&constraint, &judge, ended - begun, share)?;
        }
        Ok(())
    }

    fn batch(
        &mut self,
        constraint: &Constraint,
        judge: &Judge,
        turns: usize,
        mutants: usize,
    ) -> Result<(), Failure> {
        self.seed += 1;
        let config = SamplerConfig::new(self.seed, self.options.max_tokens.get());
        let start = constraint.session();
        let mut generator = Generator::new(start, judge, self.classes, config, Spent::Cut);
        let (mut complete, mut tried) = (0, 0);
        while complete < turns && tried < turns * PATIENCE {
            tried += 1;
            let turn = generator.turn(&mut |_, _| Ok(()))?;
            if self.tally.count(&turn) {
                continue;
            }
            if self.options.json {
                let ids: Vec<u32> = turn.ids.iter().map(|id| id.get()).collect();
                let row = json!({"text": turn.text, "ids": ids});
                writeln!(stdout(), "{row}")?;
            }
            let share = mutants * (complete + 1) / turns - mutants * complete / turns;
            complete += 1;
            let Judge::Transcript(judge) = judge else {
                continue;
            };
            for _ in 0..share {
                let agreement = &mut self.tally.mutants;
                self.mutator
                    .compare(&turn.ids, constraint, judge, agreement)?;
            }
        }
        Ok(())
    }
}

impl Tally {
    /// Counts a turn; says whether it is left aside, being cut off.
    fn count(&mut self, turn: &Turn) -> bool {
        match &turn.outcome {
            Outcome::Unfinished => {
                self.unfinished += 1;
                return true;
            }
            Outcome::Valid | Outcome::NotJudged => {}
            Outcome::Invalid(error) => {
                let of_json = ["E-CALL-SCHEMA", "E-RESPONSE-SCHEMA", "E-BODY-CONSTRAINT"];
                match of_json.iter().any(|code| error.starts_with(code)) {
                    true => self.invalid += 1,
                    false => self.refused += 1,
                }
                if self.invalid + self.refused <= SHOWN {
                    eprintln!("{error}\n  {}", turn.text);
                }
            }
        }
        self.complete += 1;
        self.tokens += turn.tokens;
        false
    }

    fn report(&self, options: &Options, requests: usize) -> Result<Verdict, Failure> {
        let mutants = &self.mutants;
        for disagreement in mutants.shown.iter() {
            eprintln!("{disagreement}");
        }
        let summary = format!(
            "{} over {}: {} turns of {requests} requests, {} tokens ({} more cut off): \
             {} refused, {} with invalid JSON; {} mutants, {} of them good: {} disagreements, \
             {} other spellings of JSON",
            options.format,
            options.vocab.rsplit('/').next().unwrap_or_default(),
            self.complete,
            self.tokens,
            self.unfinished,
            self.refused,
            self.invalid,
            mutants.compared,
            mutants.accepted,
            mutants.disagreements,
            mutants.spellings,
        );
        match options.json {
            true => eprintln!("{summary}"),
            false => writeln!(stdout(), "{summary}")?,
        }
        let enough = self.complete >= options.count.get();
        let good = self.refused + self.invalid + mutants.disagreements == 0 && enough;
        Ok(if good { Verdict::Good } else { Verdict::Bad })
    }
}
