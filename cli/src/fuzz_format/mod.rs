//! `maskwright fuzz-format`: turns of a format under many requests, judged and read back, and their mutants, on which
//! parser, automaton and reader must agree.

mod mutants;
mod readings;
mod requests;

use std::io::Write;
use std::num::NonZeroUsize;

use clap::Args;
use maskwright::front::chat::{BuiltIn, ToolChoice};
use maskwright::session::Constraint;
use serde_json::json;

use self::mutants::{Agreement, Mutator};
use self::readings::{Readings, SHOWN};
use super::failure::Failure;
use super::generator::{Generator, Outcome, Spent, Turn, classes};
use super::judge::Judge;
use super::output::stdout;
use super::reading::TurnReader;
use super::request::Request;
use super::sampler::{Classes, SamplerConfig};
use super::source::{ASSISTANT_TURN, Source, built_in_source};
use super::verdict::Verdict;
use super::vocabulary::{self, Tokens};

/// So many turns share a constraint: what it remembers of their ids goes with it.
const BATCH: usize = 50;
/// How many turns may be cut off for each that is wanted, before generating gives up.
const PATIENCE: usize = 20;

/// Generate turns of a format under many requests, have each judged and read back, and compare parser, automaton and
/// reader on mutants of them: one byte or one token changed, added or taken away.
///
/// Formats without a parser of their own are judged by the reader alone: it reads each turn, and their arguments are
/// valid by the schemas of their tools.
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
    readings: Readings,
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
    let framed = ["internlm2", "openchatml-0.1"];
    run.tally.readings.frames_end = framed.contains(&options.format.as_str());
    let requests = requests::requests(&options.format)?;
    let count = requests.len();
    for (index, request) in requests.into_iter().enumerate() {
        let share = |total: usize| total * (index + 1) / count - total * index / count;
        let source = built_in_source(&options.format, request)?;
        run.request(&source, share(options.count.get()), share(options.mutants))?;
    }
    run.tally.report(options, count)
}

/// The request, in which no tools means that none may be called.
fn as_offered(request: &Request) -> Request {
    let mut offered = request.clone();
    let built_ins = &request.told.built_ins;
    let has_none = [built_ins.python, built_ins.browser] == [BuiltIn::Absent; 2];
    if request.tools.is_none() && has_none {
        offered.tool_choice = ToolChoice::None;
    }
    offered
}

/// Who looks at the turns of a request.
struct Judges {
    judge: Judge,
    reader: TurnReader,
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
        let judges = Judges {
            judge: Judge::new(source)?,
            reader: TurnReader::new(name, ASSISTANT_TURN, &as_offered(&source.request))?
                .of_tokens(self.tokens.shared_vocabulary()),
        };
        for begun in (0..turns).step_by(BATCH) {
            let ended = turns.min(begun + BATCH);
            let share = mutants * ended / turns - mutants * begun / turns;
            let constraint = source.compile(self.tokens)?;
            self.batch(&constraint, &judges, ended - begun, share)?;
        }
        Ok(())
    }

    fn batch(
        &mut self,
        constraint: &Constraint,
        judges: &Judges,
        turns: usize,
        mutants: usize,
    ) -> Result<(), Failure> {
        self.seed += 1;
        let config = SamplerConfig::new(self.seed, self.options.max_tokens.get());
        let start = constraint.session();
        let Judges { judge, reader } = judges;
        // What a parser judges may be cut off too.
        let spent = match judge {
            Judge::Nobody => Spent::Led,
            _ => Spent::Cut,
        };
        let vocabulary = self.tokens.vocabulary();
        let mut generator = Generator::new(start, judge, self.classes, config, spent);
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
            let parts = turn.ids.iter().filter_map(|&id| vocabulary.part(id));
            let Judge::Transcript(judge) = judge else {
                self.tally.readings.take(reader, parts);
                continue;
            };
            let parsed = judge.parse_parts(vocabulary, parts.clone());
            self.tally.readings.compare(reader, parts, &parsed);
            for _ in 0..share {
                let (agreement, readings) = (&mut self.tally.mutants, &mut self.tally.readings);
                let judges = (judge.as_ref(), reader);
                self.mutator
                    .compare(&turn.ids, constraint, judges, (agreement, readings))?;
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
        let readings = &self.readings;
        for disagreement in mutants.shown.iter().chain(&readings.shown) {
            eprintln!("{disagreement}");
        }
        let summary = format!(
            "{} over {}: {} turns of {requests} requests, {} tokens ({} more cut off): \
             {} refused, {} with invalid JSON; {} mutants, {} of them good: {} disagreements, \
             {} other spellings of JSON; {} turns and mutants for the reader, {} read, {} calls: {} differences, \
             {} that only the request forbids",
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
            readings.compared,
            readings.read,
            readings.calls,
            readings.differences,
            readings.unasked,
        );
        match options.json {
            true => eprintln!("{summary}"),
            false => writeln!(stdout(), "{summary}")?,
        }
        let enough = self.complete >= options.count.get();
        let wrong = self.refused + self.invalid + mutants.disagreements + readings.differences;
        let good = wrong == 0 && enough;
        Ok(if good { Verdict::Good } else { Verdict::Bad })
    }
}
