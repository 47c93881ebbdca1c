//! `maskwright schema`: what a JSON Schema compiles to, and what in it is probably not meant.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anstyle::{AnsiColor, Style};
use clap::Args;
use maskwright::front::json_schema::{self, Report, SchemaConfig, SchemaError};
use maskwright::front::schema_lint::{Warning, lint_compiled};
use maskwright::grammar::Grammar;
use maskwright::session::ConstraintConfig;
use serde_json::{Value, json};

use super::bytes;
use super::failure::Failure;
use super::formats::Formats;
use super::generator::{Generator, Outcome, Spent, Turn, classes};
use super::input::Named;
use super::judge::Judge;
use super::output::{Output, WARNING, stdout};
use super::sampler::SamplerConfig;
use super::source::{conflict_at, lower_schema, schema_failure};
use super::spelling::Spelling;
use super::validator::SchemaJudge;
use super::verdict::Verdict;

/// The most bytes of a sample.
const LONGEST: usize = 2000;
/// How many warnings of one lint are shown.
const WARNINGS_OF_A_LINT: usize = 10;

/// Show what a JSON Schema compiles to, with samples, or all that it is refused for, and warn of what
/// is probably not meant.
///
/// Exits with 0 if it is exact, with 1 if it is refused, with 2 if it is malformed. Warnings change
/// nothing.
#[derive(Args)]
#[command(after_help = "Example:\n  maskwright schema person.schema.json --json")]
pub(crate) struct Options {
    /// The schema, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    spelling: Spelling,
    /// What `format` does
    #[arg(long, value_enum, default_value = "assert")]
    formats: Formats,
    /// How many samples
    #[arg(long, default_value = "3", value_name = "N")]
    count: usize,
    /// The seed of the sampler
    #[arg(long, default_value = "1", value_name = "N")]
    seed: u64,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Compiles the schema, samples from it, and looks for what is not meant.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let schema = Named::read(&options.file)?;
    let config = SchemaConfig {
        formats: options.formats.rule(),
        ..options.spelling.config()
    };
    let begin = Instant::now();
    let compiled = json_schema::compile_or_faults(&schema.text, &config);
    let read_in = begin.elapsed();
    let warnings = lint_compiled(&schema.text, compiled.as_ref().ok(), &config)
        .map_err(|error| schema_failure(&error, &schema, "#"))?;
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(faults) => return refused(&faults, &schema, &warnings, options),
    };
    let begin = Instant::now();
    let grammar = lower_schema(&compiled, &schema, &config)?;
    let compile_us = (read_in + begin.elapsed()).as_secs_f64() * 1e6;
    let (judge, not_judged) = match SchemaJudge::new(&schema, options.formats, &config) {
        Ok(judge) => (Judge::Schema(judge), None),
        Err(failure) => (Judge::Nobody, Some(failure.line())),
    };
    let found = Found {
        compile_us,
        rules: grammar.rule_count(),
        report: compiled.report(),
        samples: samples(grammar, &schema, &judge, options)?,
        not_judged,
        warnings,
    };
    let mut out = stdout();
    match options.json {
        true => writeln!(out, "{}", found.json())?,
        false => found.show(&schema, &mut out)?,
    }
    Ok(match found.samples.iter().any(is_bad) {
        true => Verdict::Bad,
        false => Verdict::Good,
    })
}

/// What was found of a schema that compiles.
struct Found {
    compile_us: f64,
    rules: usize,
    report: Report,
    samples: Vec<Turn>,
    /// Why the judge cannot use the schema.
    not_judged: Option<String>,
    warnings: Vec<Warning>,
}

impl Found {
    fn json(&self) -> Value {
        let samples: Vec<Value> = self.samples.iter().map(sample_json).collect();
        json!({
            "verdict": "exact",
            "rules": self.rules,
            "sets": self.report.sets,
            "compile_us": self.compile_us.round(),
            "unknown_formats": self.report.unknown_formats,
            "unknown_content": self.report.unknown_content,
            "warnings": warnings_json(&self.warnings),
            "samples": samples,
            "not_judged": self.not_judged,
        })
    }

    fn show(&self, schema: &Named, out: &mut Output) -> io::Result<()> {
        let green = out.style(AnsiColor::Green.on_default().bold());
        let (sets, rules, compile_us) = (self.report.sets, self.rules, self.compile_us);
        writeln!(
            out,
            "{green}exact{green:#}: {sets} sets of values, {rules} rules, compiled in {compile_us:.0} µs"
        )?;
        for turn in &self.samples {
            let (colour, verdict) = turn.outcome.shown();
            let style = out.style(colour.on_default());
            writeln!(out, "{style}{verdict}{style:#}: {}", turn.text)?;
        }
        for name in &self.report.unknown_content {
            let yellow = out.style(WARNING);
            writeln!(out, "{yellow}not asserted{yellow:#}: content `{name}`")?;
        }
        if let Some(reason) = &self.not_judged {
            let yellow = out.style(WARNING);
            writeln!(out, "{yellow}not judged{yellow:#}: {reason}")?;
        }
        show_warnings(&self.warnings, schema, out)
    }
}

/// Tells all that speaks against a schema that does not compile. Its first fault decides whether it is
/// refused, or bad input.
fn refused(
    faults: &[SchemaError],
    schema: &Named,
    warnings: &[Warning],
    options: &Options,
) -> Result<Verdict, Failure> {
    let first = faults.first().expect("what does not compile has a fault");
    if !is_well_formed(first) {
        let shown = shown(faults, schema);
        let failures = shown.iter().map(|fault| failure(fault, schema, warnings));
        let more = faults.len() - shown.len();
        let more = (more > 0).then(|| Failure::new(format!("there are {more} more faults")));
        let all = failures.chain(more).reduce(Failure::also);
        return Err(all.expect("there is the first"));
    }
    let mut out = stdout();
    if options.json {
        let mut line = fault_json(first);
        line["verdict"] = "refused".into();
        line["faults"] = faults.iter().map(fault_json).collect();
        line["warnings"] = warnings_json(warnings).into();
        writeln!(out, "{line}")?;
    } else {
        let red = out.style(AnsiColor::Red.on_default().bold());
        let shown = shown(faults, schema);
        for fault in shown {
            writeln!(out, "{red}refused{red:#}: {fault}")?;
            if let Some(excerpt) = fault.excerpt() {
                writeln!(out, "{excerpt}")?;
            }
            if let Some(hint) = hint(fault, &schema.text) {
                writeln!(out, "hint: {hint}")?;
            }
        }
        if faults.len() > shown.len() {
            writeln!(out, "there are {} more faults", faults.len() - shown.len())?;
        }
        show_warnings(warnings, schema, &mut out)?;
    }
    Ok(Verdict::Bad)
}

/// The faults that are shown to people: a hundred, or fewer of a long text, each of which takes a look at all of it.
fn shown<'f>(faults: &'f [SchemaError], schema: &Named) -> &'f [SchemaError] {
    const MOST: usize = 100;
    const BYTES: usize = 32 << 20;
    let most = (BYTES / schema.text.len().max(1)).clamp(1, MOST);
    &faults[..faults.len().min(most)]
}

/// What is at odds, where no value satisfies a schema.
fn hint(fault: &SchemaError, document: &str) -> Option<String> {
    match fault {
        SchemaError::Unsatisfiable { pointer } => conflict_at(document, pointer),
        _ => None,
    }
}

/// Whether the schema is one, though it is not taken. Other faults are bad input.
fn is_well_formed(fault: &SchemaError) -> bool {
    matches!(
        fault,
        SchemaError::Unsupported { .. }
            | SchemaError::Unsatisfiable { .. }
            | SchemaError::Limit { .. }
    )
}

/// A fault as bad input; a warning of the same place helps with it.
fn failure(fault: &SchemaError, schema: &Named, warnings: &[Warning]) -> Failure {
    let failure = schema_failure(fault, schema, "#");
    let at = |warning: &&Warning| Some(warning.pointer.as_str()) == fault.pointer();
    match warnings.iter().find(at) {
        Some(warning) => failure.hint(&warning.hint),
        None => failure,
    }
}

fn fault_json(fault: &SchemaError) -> Value {
    let reason = match fault {
        SchemaError::Unsupported { reason, .. } | SchemaError::Malformed { reason, .. } => {
            reason.clone()
        }
        SchemaError::Unsatisfiable { .. } => "no value satisfies it".to_owned(),
        SchemaError::Limit { source, .. } => source.to_string(),
        _ => fault.to_string(),
    };
    let (keyword, pointer) = (fault.keyword(), fault.pointer());
    match fault.excerpt() {
        None => json!({"keyword": keyword, "pointer": pointer, "reason": reason}),
        Some(excerpt) => {
            json!({"keyword": keyword, "pointer": pointer, "reason": reason, "excerpt": excerpt})
        }
    }
}

fn show_warnings(warnings: &[Warning], schema: &Named, out: &mut Output) -> io::Result<()> {
    let yellow = out.style(WARNING);
    let dim = out.style(Style::new().dimmed());
    let mut by_lint: BTreeMap<&str, usize> = BTreeMap::new();
    for (warning, count) in counted(warnings) {
        let shown = by_lint.entry(warning.lint.name()).or_default();
        *shown += 1;
        if *shown > WARNINGS_OF_A_LINT {
            continue;
        }
        let Warning {
            lint,
            pointer,
            message,
            hint,
            ..
        } = warning;
        let place = schema.place_of(pointer);
        let more = match count {
            1 => String::new(),
            count => format!(", and in {} more places", count - 1),
        };
        writeln!(
            out,
            "{yellow}warning{yellow:#}: {place}{pointer}: {message}{more}"
        )?;
        writeln!(out, "  {dim}hint: {hint} [{lint}]{dim:#}")?;
    }
    for (lint, count) in by_lint {
        if let Some(more @ 1..) = count.checked_sub(WARNINGS_OF_A_LINT) {
            writeln!(
                out,
                "{yellow}warning{yellow:#}: {}: {more} more of the kind [{lint}]: `--json` lists all",
                schema.name
            )?;
        }
    }
    Ok(())
}

/// Warnings that say the same, each with the first of its places and how many there are.
fn counted(warnings: &[Warning]) -> Vec<(&Warning, usize)> {
    let mut kinds: Vec<(&Warning, usize)> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    for warning in warnings {
        let index = *known
            .entry((warning.lint, &warning.message))
            .or_insert(kinds.len());
        match kinds.get_mut(index) {
            Some((_, count)) => *count += 1,
            None => kinds.push((warning, 1)),
        }
    }
    kinds
}

fn warnings_json(warnings: &[Warning]) -> Vec<Value> {
    let warning = |(warning, count): (&Warning, usize)| {
        json!({
            "count": count,
            "lint": warning.lint.name(),
            "pointer": warning.pointer,
            "message": warning.message,
            "hint": warning.hint,
        })
    };
    counted(warnings).into_iter().map(warning).collect()
}

fn sample_json(turn: &Turn) -> Value {
    let (valid, error) = turn.outcome.verdict();
    json!({"text": turn.text, "valid": valid, "error": error})
}

/// Instances, sampled over single bytes, up to the first that is bad: where one meets a limit, so do the others.
fn samples(
    grammar: Grammar,
    schema: &Named,
    judge: &Judge,
    options: &Options,
) -> Result<Vec<Turn>, Failure> {
    let constraint = bytes::engine()?
        .constraint(grammar, &ConstraintConfig::default())
        .map_err(|error| Failure::new(error.to_string()))?;
    let classes = classes(constraint.vocabulary());
    let config = SamplerConfig::new(options.seed, LONGEST);
    let generator = Generator::new(constraint.session(), judge, &classes, config, Spent::Led);
    let mut generator = generator.with_words(&schema.text, []);
    let mut turns = Vec::new();
    while turns.len() < options.count && !turns.last().is_some_and(is_bad) {
        turns.push(generator.turn(&mut |_, _| Ok(()))?);
    }
    Ok(turns)
}

fn is_bad(turn: &Turn) -> bool {
    matches!(turn.outcome, Outcome::Invalid(_))
}
