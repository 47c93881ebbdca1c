//! `maskwright generate`: turns sampled under the mask, and judged.

use std::io::Write;
use std::num::NonZeroUsize;
use std::time::Instant;

use clap::Args;
use maskwright::base::TokenId;
use maskwright::session::{Constraint, Session};
use maskwright::vocab::Vocabulary;
use serde_json::json;

use super::failure::Failure;
use super::judge::{Judge, TextEnd};
use super::output::{stdout, warn};
use super::paint::{BodyStart, Painter};
use super::sampler::{Classes, Kind, Sampler, SamplerConfig, Scripts};
use super::source::{DefaultTools, Source, SourceOptions};
use super::statistics::Histogram;
use super::verdict::Verdict;
use super::words::words;

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
    /// The most tokens of a turn
    #[arg(long, default_value = "300", value_name = "N")]
    max_tokens: NonZeroUsize,
    /// 0 takes the likeliest kind of token, 1 draws by weight, more evens the weights out
    #[arg(long, default_value = "1", value_name = "T", allow_negative_numbers = true, value_parser = temperature)]
    temperature: f64,
    /// Print a JSON object a turn: text, tokens, valid (null: cut off at --max-tokens), error
    #[arg(long)]
    json: bool,
}

fn temperature(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value >= 0.0 => Ok(value),
        _ => Err("expected a number that is not negative".to_owned()),
    }
}

/// Generates the turns.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let (source, tokens) = options.source.read(DefaultTools::Example)?;
    let constraint = source.compile(&tokens)?;
    warn_of_what_is_lacking(&constraint);
    let judge = Judge::new(&source)?;
    let classes = classes(constraint.vocabulary());
    let max_tokens = options.max_tokens.get();
    let config = SamplerConfig {
        temperature: options.temperature,
        ..SamplerConfig::new(options.seed, max_tokens)
    };
    let mut generator = Generator {
        start: source.session(&constraint)?,
        judge: &judge,
        sampler: Sampler::new(&classes, config),
        scripts: Scripts {
            controls: spelt_controls(&constraint),
            ..words(&source.schemas(), [], constraint.vocabulary())
        },
        max_tokens,
        spent: Spent::Cut,
        masks: Histogram::default(),
    };
    match options.json {
        true => print_json(&mut generator, options.count),
        false => print(&mut generator, options.count, body_start(&source)),
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

/// The control tokens that the vocabulary lacks, in ordinary tokens.
pub(crate) fn spelt_controls(constraint: &Constraint) -> Vec<Vec<TokenId>> {
    let spell = |name: &str| constraint.vocabulary().longest_tokens(name.as_bytes());
    constraint.spelt_controls().map(spell).collect()
}

/// The vocabulary as the sampler sees it.
pub(crate) fn classes(vocabulary: &Vocabulary) -> Classes {
    Classes::new(vocabulary.len(), |id| match vocabulary.bytes(id) {
        Some(bytes) => Kind::Text(bytes),
        None if vocabulary.end_tokens().contains(&id) => Kind::End,
        None => Kind::Control,
    })
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

/// Turns one after the other.
pub(crate) struct Generator<'a> {
    /// Where each turn begins.
    pub(crate) start: Session,
    pub(crate) judge: &'a Judge,
    pub(crate) sampler: Sampler<'a>,
    pub(crate) scripts: Scripts,
    pub(crate) max_tokens: usize,
    pub(crate) spent: Spent,
    /// How long the masks took, in nanoseconds.
    pub(crate) masks: Histogram,
}

/// What becomes of a turn that has spent its tokens.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spent {
    /// It is left unfinished.
    Cut,
    /// It is led to its end; it goes on for as long as that takes.
    Led,
}

/// A turn that was generated.
pub(crate) struct Turn {
    pub(crate) text: String,
    pub(crate) tokens: usize,
    /// Its tokens, without the end token.
    pub(crate) ids: Vec<TokenId>,
    pub(crate) outcome: Outcome,
}

/// What became of a turn.
pub(crate) enum Outcome {
    Valid,
    Unfinished,
    Invalid(String),
}

impl Generator<'_> {
    /// Generates a turn, giving each token to `show`.
    pub(crate) fn turn(
        &mut self,
        show: &mut dyn FnMut(&Vocabulary, TokenId) -> std::io::Result<()>,
    ) -> Result<Turn, Failure> {
        let mut session = self.start.fork();
        let constraint = session.constraint().clone();
        let vocabulary = constraint.vocabulary();
        self.sampler.begin_turn();
        let mut row = vec![0; vocabulary.mask_words()];
        let mut way = Vec::new();
        let mut fault = None;
        while !session.is_finished() && (self.spent == Spent::Led || !self.has_spent(&session)) {
            match self.step(&mut session, &mut row, &mut way) {
                // The end token is no part of the text.
                Ok(_) if session.has_ended() => {}
                Ok(tokens) => tokens
                    .into_iter()
                    .try_for_each(|token| show(vocabulary, token))?,
                Err(error) => {
                    fault = Some(error);
                    break;
                }
            }
        }
        let (mut tokens, length) = (session.tokens(), session.len());
        if session.has_ended() {
            tokens.pop();
        }
        let end = if session.is_finished() {
            TextEnd::Reached
        } else {
            TextEnd::Cut
        };
        let outcome = match (fault, self.judge.judge(vocabulary, &tokens, end), end) {
            (Some(error), ..) | (None, Err(error), _) => Outcome::Invalid(error),
            (None, Ok(()), TextEnd::Reached) => Outcome::Valid,
            (None, Ok(()), TextEnd::Cut) => Outcome::Unfinished,
        };
        Ok(Turn {
            text: spelt(vocabulary, &tokens),
            tokens: length,
            ids: tokens,
            outcome,
        })
    }

    fn has_spent(&self, session: &Session) -> bool {
        session.len() >= self.max_tokens
    }

    /// Goes on by one token or a few, along `way` where the turn is led.
    fn step(
        &mut self,
        session: &mut Session,
        row: &mut [u32],
        way: &mut Vec<TokenId>,
    ) -> Result<Vec<TokenId>, String> {
        let has_spent = self.has_spent(session);
        let tokens = if self.spent == Spent::Cut || !has_spent && self.sampler.strays() {
            way.clear();
            self.choose(session, row)?
        } else {
            if way.is_empty() {
                *way = way_out(session)?;
            }
            let stride = match has_spent {
                true => way.len(),
                false => self.sampler.stride(way.len()).min(way.len()),
            };
            way.drain(..stride).collect()
        };
        for &token in &tokens {
            session.accept(token).map_err(|error| error.to_string())?;
        }
        Ok(tokens)
    }

    fn choose(&mut self, session: &Session, row: &mut [u32]) -> Result<Vec<TokenId>, String> {
        let start = Instant::now();
        let masked = session.mask(row);
        self.masks
            .record(u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
        masked.map_err(|error| error.to_string())?;
        let fits = |script: &[TokenId]| session.validate(script) == script.len();
        Ok(match self.sampler.recite(row, &self.scripts, fits) {
            Some(script) => script.to_vec(),
            None => vec![self.sampler.choose(row).ok_or("the mask allows no token")?],
        })
    }
}

/// The tokens of a way out; an end token where the text may end.
fn way_out(session: &Session) -> Result<Vec<TokenId>, String> {
    let mut way = session.way_out().map_err(|error| error.to_string())?;
    if way.is_empty() {
        way.extend(session.constraint().stop_tokens().first());
    }
    Ok(way)
}

fn spelt(vocabulary: &Vocabulary, tokens: &[TokenId]) -> String {
    let bytes = |&id: &TokenId| match vocabulary.bytes(id) {
        Some(bytes) => bytes,
        None => vocabulary.special_name(id).unwrap_or_default().as_bytes(),
    };
    let bytes: Vec<u8> = tokens.iter().flat_map(bytes).copied().collect();
    String::from_utf8_lossy(&bytes).into_owned()
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
            Outcome::Valid => self.valid += 1,
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
        let (valid, error) = match &turn.outcome {
            Outcome::Valid => (Some(true), None),
            Outcome::Unfinished => (None, None),
            Outcome::Invalid(error) => (Some(false), Some(error)),
        };
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
    body_start: BodyStart,
) -> Result<Verdict, Failure> {
    let mut out = stdout();
    let mut tally = Tally::default();
    let dim = out.style(anstyle::Style::new().dimmed());
    for _ in 0..count.get() {
        let mut painter = Painter::new(&mut out, body_start);
        let turn = generator.turn(&mut |vocabulary, token| match vocabulary.bytes(token) {
            Some(bytes) => painter.text(bytes),
            None => painter.control(vocabulary.special_name(token).unwrap_or_default()),
        })?;
        painter.finish()?;
        tally.count(&turn);
        write!(out, "{dim}  {} tokens: {dim:#}", turn.tokens)?;
        let (green, yellow, red) = (
            anstyle::AnsiColor::Green,
            anstyle::AnsiColor::Yellow,
            anstyle::AnsiColor::Red,
        );
        let (colour, verdict) = match &turn.outcome {
            Outcome::Valid => (green, "valid"),
            Outcome::Unfinished => (yellow, "unfinished"),
            Outcome::Invalid(error) => (red, error.as_str()),
        };
        let style = out.style(colour.on_default());
        writeln!(out, "{style}{verdict}{style:#}\n")?;
    }
    writeln!(
        out,
        "{} turns, {} tokens: {} valid, {} invalid, {} unfinished ({}); {}",
        tally.turns,
        tally.tokens,
        tally.valid,
        tally.invalid,
        tally.unfinished,
        generator.judge.name(),
        mask_figures(&generator.masks),
    )?;
    Ok(tally.verdict())
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
