//! `maskwright generate`: turns sampled under the mask, and judged.

use std::io::Write;
use std::num::NonZeroUsize;

use clap::Args;
use maskwright::session::Constraint;
use serde_json::json;

use super::failure::Failure;
use super::generator::{Generator, Outcome, Spent, Turn, classes};
use super::judge::Judge;
use super::output::{Output, stdout, warn};
use super::paint::{BodyStart, Painter};
use super::sampler::{Manner, SamplerConfig};
use super::source::{DefaultTools, Source, SourceOptions};
use super::statistics::Histogram;
use super::verdict::Verdict;

/// Sample turns under the mask with a seeded sampler, and have each one judged.
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright generate --tools tools.json --tool-choice required --seed 7 --count 3"
)]
pub(crate) struct Options {
    #[command(flatten)]
    source: SourceOptions,
    /// The seed of the sampler
    #[arg(long, default_value = "1", value_name = "N")]
    seed: u64,
    /// How many turns
    #[arg(long, default_value = "8", value_name = "N")]
    count: NonZeroUsize,
    /// The most tokens of a turn, its end token included: within them it ends
    #[arg(long, default_value = "300", value_name = "N")]
    max_tokens: NonZeroUsize,
    /// 0 takes the likeliest kind of token, 1 draws by weight, more evens the weights out
    #[arg(long, default_value = "1", value_name = "T", allow_negative_numbers = true, value_parser = temperature)]
    temperature: f64,
    /// Print a JSON object a turn: text, tokens, valid (null: nothing judges it), error
    #[arg(long)]
    json: bool,
}

fn temperature(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("expected a number that is not negative".to_owned()),
    }
}

/// What to try next, said where nothing was asked for.
const NEXT: &str = "Try next: maskwright explain --text '<|channel|>' says what may come there and why; \
    --help lists the other commands.";

/// Generates the turns, and says what else there is.
pub(crate) fn demonstrate(options: &Options) -> Result<Verdict, Failure> {
    let verdict = run(options)?;
    if !options.json {
        writeln!(stdout(), "{NEXT}")?;
    }
    Ok(verdict)
}

/// Generates the turns.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let (source, tokens) = options.source.read(DefaultTools::Example)?;
    let constraint = source.compile(&tokens)?;
    warn_of_what_is_lacking(&constraint);
    let judge = Judge::new(&source)?;
    let classes = classes(constraint.vocabulary());
    let config = SamplerConfig {
        temperature: options.temperature,
        manner: Manner::Plain,
        ..SamplerConfig::new(options.seed, options.max_tokens.get())
    };
    let start = source.session(&constraint)?;
    let generator = Generator::new(start, &judge, &classes, config, Spent::Ended);
    let mut generator = generator.with_words(&source.schemas(), []);
    match options.json {
        true => print_json(&mut generator, options.count),
        false => print(&mut generator, options.count, (&judge, body_start(&source))),
    }
}

/// Without a token of its own a control token is text like any other, which a model may not expect; without
/// one for a byte, texts with that byte are never written.
fn warn_of_what_is_lacking(constraint: &Constraint) {
    let controls: Vec<_> = constraint.spelt_controls().collect();
    if !controls.is_empty() {
        let controls = controls.join(", ");
        warn(format_args!(
            "the vocabulary has no special token {controls}: spelt in ordinary tokens"
        ));
    }
    let bytes = constraint.unspelt_bytes();
    if !bytes.is_empty() {
        let hex = |(lo, hi)| match lo == hi {
            true => format!("0x{lo:02X}"),
            false => format!("0x{lo:02X} to 0x{hi:02X}"),
        };
        let bytes = bytes.ranges().map(hex).collect::<Vec<_>>().join(", ");
        warn(format_args!(
            "the vocabulary has no single-byte token for {bytes}: texts that need one are left out"
        ));
    }
}

fn body_start(source: &Source) -> BodyStart {
    match source.controls() {
        controls if controls.iter().any(|control| control == "<|message|>") => {
            BodyStart::Control("<|message|>")
        }
        [] => BodyStart::Start,
        _ => BodyStart::Line,
    }
}

/// How many turns came out how.
#[derive(Default)]
struct Tally {
    turns: usize,
    tokens: usize,
    valid: usize,
    invalid: usize,
    unfinished: usize,
}

impl Tally {
    fn count(&mut self, turn: &Turn) {
        self.turns += 1;
        self.tokens += turn.tokens;
        match turn.outcome {
            Outcome::Valid | Outcome::NotJudged => self.valid += 1,
            Outcome::Unfinished => self.unfinished += 1,
            Outcome::Invalid(_) => self.invalid += 1,
        }
    }

    fn verdict(&self) -> Verdict {
        if self.invalid == 0 {
            Verdict::Good
        } else {
            Verdict::Bad
        }
    }
}

fn print_json(generator: &mut Generator<'_>, count: NonZeroUsize) -> Result<Verdict, Failure> {
    let mut out = stdout();
    let mut tally = Tally::default();
    for _ in 0..count.get() {
        let turn = generator.turn(&mut |_, _| Ok(()))?;
        tally.count(&turn);
        let (valid, error) = counted(&turn.outcome).verdict();
        writeln!(
            out,
            "{}",
            json!({"text": turn.text, "tokens": turn.tokens, "valid": valid, "error": error})
        )?;
        out.flush()?;
    }
    Ok(tally.verdict())
}

fn print(
    generator: &mut Generator<'_>,
    count: NonZeroUsize,
    (judge, body_start): (&Judge, BodyStart),
) -> Result<Verdict, Failure> {
    let mut out = stdout();
    let mut tally = Tally::default();
    for _ in 0..count.get() {
        let mut painter = Painter::new(&mut out, body_start);
        let turn = generator.turn(&mut |vocabulary, token| match vocabulary.bytes(token) {
            Some(bytes) => painter.text(bytes),
            None => painter.control(vocabulary.special_name(token).unwrap_or_default()),
        })?;
        painter.finish()?;
        tally.count(&turn);
        show_outcome(&turn, &mut out)?;
    }
    let Tally {
        turns,
        tokens,
        valid,
        invalid,
        unfinished,
    } = tally;
    writeln!(
        out,
        "{turns} turns, {tokens} tokens: {valid} valid, {invalid} invalid, {unfinished} unfinished ({}); {}",
        judge.name(),
        mask_figures(&generator.masks),
    )?;
    Ok(tally.verdict())
}

/// As what an outcome counts: that there is no judge is said once, at the end.
fn counted(outcome: &Outcome) -> &Outcome {
    match outcome {
        Outcome::NotJudged => &Outcome::Valid,
        outcome => outcome,
    }
}

fn show_outcome(turn: &Turn, out: &mut Output) -> std::io::Result<()> {
    let dim = out.style(anstyle::Style::new().dimmed());
    let (colour, verdict) = counted(&turn.outcome).shown();
    let style = out.style(colour.on_default());
    write!(out, "{dim}  {} tokens: {dim:#}", turn.tokens)?;
    writeln!(out, "{style}{verdict}{style:#}\n")
}

fn mask_figures(masks: &Histogram) -> String {
    match masks.summary(1e-3) {
        Some(us) => format!(
            "mask p50 {:.1} µs, p99 {:.1} µs, max {:.1} µs",
            us.p50, us.p99, us.max
        ),
        None => "no masks".to_owned(),
    }
}
