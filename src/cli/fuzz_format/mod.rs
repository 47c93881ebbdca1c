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
use super::generate::{Generator, Outcome, Turn, classes, scripts};
use super::judge::{Judge, TranscriptJudge};
use super::sampler::{Classes, Sampler};
use super::source::{ASSISTANT_TURN, Source, built_in_source};
use super::statistics::Histogram;
use super::verdict::Verdict;
use super::vocabulary::{self, Tokens};

/// How many turns may be cut off for each that is wanted, before generating gives up.
const PATIENCE: usize = 4;

/// Generate turns of a format under many requests, have each judged, and compare parser and
/// automaton on mutants of them: one byte or one token changed.
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

/// A request, ready to be generated from.
struct Case {
    constraint: Constraint,
    judge: Judge,
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
    let cases = requests::requests(&options.format)?
        .into_iter()
        .map(|request| {
            let source = built_in_source(&options.format, request)?;
            Case::new(&source, &tokens)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let classes = classes(&cases[0].constraint);
    let count = options.count.get();
    let mut mutator = Mutator::new(options.seed, tokens.vocabulary());
    let mut tally = Tally::default();
    for (index, case) in cases.iter().enumerate() {
        let share = |total: usize| total * (index + 1) / cases.len() - total * index / cases.len();
        case.run(
            options,
            &classes,
            (share(count), share(options.mutants)),
            options.seed + index as u64,
            &mut mutator,
            &mut tally,
        )?;
    }
    tally.report(options, cases.len())
}

impl Case {
    fn new(source: &Source, tokens: &Tokens) -> Result<Self, Failure> {
        let name = source.format_name();
        Ok(Self {
            constraint: source.compile(tokens)?,
            judge: Judge::Transcript(TranscriptJudge::new(name, ASSISTANT_TURN, &source.request)?),
        })
    }

    /// Generates so many complete turns, and so many mutants of them.
    fn run(
        &self,
        options: &Options,
        classes: &Classes,
        (count, mutants): (usize, usize),
        seed: u64,
        mutator: &mut Mutator<'_>,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let max_tokens = options.max_tokens.get();
        let mut generator = Generator {
            start: self.constraint.session(),
            judge: &self.judge,
            scripts: scripts(&self.constraint),
            sampler: Sampler::new(classes, seed, 1.0, max_tokens),
            max_tokens,
            masks: Histogram::default(),
        };
        let (mut complete, mut tried) = (0, 0);
        while complete < count && tried < count * PATIENCE {
            tried += 1;
            let turn = generator.turn(&mut |_, _| Ok(()))?;
            if tally.count(&turn) {
                continue;
            }
            if options.json {
                let ids: Vec<u32> = turn.ids.iter().map(|id| id.get()).collect();
                writeln!(
                    anstream::stdout(),
                    "{}",
                    json!({"text": turn.text, "ids": ids})
                )?;
            }
            let share = mutants * (complete + 1) / count - mutants * complete / count;
            complete += 1;
            let Judge::Transcript(judge) = &self.judge else {
                continue;
            };
            for _ in 0..share {
                mutator.compare(&turn.ids, &self.constraint, judge, &mut tally.mutants)?;
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
            Outcome::Valid => {}
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
            false => writeln!(anstream::stdout(), "{summary}")?,
        }
        let enough = self.complete >= options.count.get();
        let good = self.refused + self.invalid + mutants.disagreements == 0 && enough;
        Ok(if good { Verdict::Good } else { Verdict::Bad })
    }
}
