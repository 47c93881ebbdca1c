//! `maskwright schema`: what a JSON Schema compiles to.

use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use maskwright::base::TokenId;
use maskwright::front::json_schema::{self, SchemaConfig, SchemaError};
use maskwright::grammar::Grammar;
use maskwright::session::{Constraint, ConstraintConfig, Engine};
use maskwright::vocab::{VocabError, VocabularyBuilder};
use serde_json::{Value, json};

use super::failure::Failure;
use super::formats::Formats;
use super::generate::{Generator, Outcome, Turn, classes};
use super::input::Named;
use super::judge::Judge;
use super::order::Order;
use super::sampler::Sampler;
use super::source::{compile_schema, schema_failure};
use super::statistics::Histogram;
use super::validator::SchemaJudge;
use super::verdict::Verdict;
use super::whitespace::Whitespace;

/// The most bytes of a sample.
const LONGEST: usize = 2000;

/// Show what a JSON Schema compiles to: exact, with samples, or refused, with the reason.
///
/// Exits with 0 if it is exact, with 1 if it is refused, with 2 if it is malformed.
#[derive(Args)]
#[command(after_help = "Example:\n  maskwright schema person.schema.json --json")]
pub(crate) struct Options {
    /// The schema, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// White space in the samples
    #[arg(long, value_enum, default_value = "json")]
    whitespace: Whitespace,
    /// What `format` does
    #[arg(long, value_enum, default_value = "assert")]
    formats: Formats,
    /// The order of properties
    #[arg(long, value_enum, default_value = "declared")]
    order: Order,
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

/// Compiles the schema, and samples from it.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let schema = Named::read(&options.file)?;
    let config = SchemaConfig {
        formats: options.formats.rule(),
        order: options.order.rule(),
        ..options.whitespace.config()
    };
    let begin = Instant::now();
    let report = match json_schema::compile(&schema.text, &config) {
        Ok(compiled) => compiled.report(),
        Err(error) => return refused(&error, &schema, options),
    };
    let grammar = compile_schema(&schema, &config)?;
    let compile_us = begin.elapsed().as_secs_f64() * 1e6;
    let rules = grammar.rule_count();
    let samples = samples(grammar, &schema, options)?;
    let bad = samples
        .iter()
        .any(|turn| matches!(turn.outcome, Outcome::Invalid(_)));
    let mut out = anstream::stdout().lock();
    if options.json {
        let instances: Vec<Value> = samples.iter().map(sample_json).collect();
        let line = json!({"verdict": "exact", "rules": rules, "compile_us": compile_us.round(), "unknown_formats": report.unknown_formats, "samples": instances});
        writeln!(out, "{line}")?;
    } else {
        writeln!(out, "exact: {rules} rules, compiled in {compile_us:.0} µs")?;
        for format in &report.unknown_formats {
            writeln!(out, "unknown format, asserts nothing: {format}")?;
        }
        for turn in &samples {
            let verdict = match &turn.outcome {
                Outcome::Valid => "valid",
                Outcome::Unfinished => "unfinished",
                Outcome::Invalid(error) => error,
            };
            writeln!(out, "{verdict}: {}", turn.text)?;
        }
    }
    Ok(if bad { Verdict::Bad } else { Verdict::Good })
}

/// A schema that is well-formed, and not taken. Other errors are bad input.
fn refused(error: &SchemaError, schema: &Named, options: &Options) -> Result<Verdict, Failure> {
    let reason = match error {
        SchemaError::Unsupported { reason, .. } => reason.clone(),
        SchemaError::Unsatisfiable { .. } => "no value satisfies it".to_owned(),
        _ => return Err(schema_failure(error, schema, "#")),
    };
    let mut out = anstream::stdout().lock();
    match options.json {
        true => {
            let line = json!({
                "verdict": "refused",
                "keyword": error.keyword(),
                "pointer": error.pointer(),
                "reason": reason,
            });
            writeln!(out, "{line}")?;
        }
        false => writeln!(out, "refused: {error}")?,
    }
    Ok(Verdict::Bad)
}

fn sample_json(turn: &Turn) -> Value {
    let (valid, error) = match &turn.outcome {
        Outcome::Valid => (Some(true), None),
        Outcome::Unfinished => (None, None),
        Outcome::Invalid(error) => (Some(false), Some(error)),
    };
    json!({"text": turn.text, "valid": valid, "error": error})
}

/// Instances, sampled over single bytes: what a schema admits does not depend on a vocabulary.
fn samples(grammar: Grammar, schema: &Named, options: &Options) -> Result<Vec<Turn>, Failure> {
    let judge = Judge::Schema(SchemaJudge::new(schema, options.formats)?);
    let constraint = over_bytes(grammar)?;
    let classes = classes(constraint.vocabulary());
    let mut generator = Generator {
        start: constraint.session(),
        scripts: Vec::new(),
        judge: &judge,
        sampler: Sampler::new(&classes, options.seed, 1.0, LONGEST),
        max_tokens: LONGEST,
        masks: Histogram::default(),
    };
    (0..options.count)
        .map(|_| generator.turn(&mut |_, _| Ok(())))
        .collect()
}

fn over_bytes(grammar: Grammar) -> Result<Constraint, Failure> {
    let vocabulary = || -> Result<_, VocabError> {
        let mut builder = VocabularyBuilder::new();
        for byte in 0..=u8::MAX {
            builder.ordinary(TokenId::new(u32::from(byte)), &[byte])?;
        }
        let end = TokenId::new(256);
        builder.special(end, "<end>")?.end_token(end);
        builder.build()
    };
    let vocabulary = vocabulary().map_err(|error| Failure::new(error.to_string()))?;
    Engine::new(vocabulary)
        .constraint(grammar, &ConstraintConfig::default())
        .map_err(|error| Failure::new(error.to_string()))
}
