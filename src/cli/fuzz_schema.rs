//! `maskwright fuzz-schema`: instances of many schemas, sampled under their masks, and each one judged.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use maskwright::base::TokenId;
use maskwright::front::json_schema::SchemaConfig;
use maskwright::session::{ConstraintConfig, Engine};
use maskwright::vocab::Vocabulary;
use serde_json::{Value, json};

use super::bytes;
use super::failure::Failure;
use super::formats::Formats;
use super::generate::{Generator, Outcome, classes};
use super::input::Named;
use super::judge::Judge;
use super::maskbench::suite::{self, Case};
use super::sampler::{Classes, Sampler};
use super::source::compile_schema;
use super::spelling::Spelling;
use super::statistics::{Histogram, peak_rss_mb};
use super::validator::SchemaJudge;
use super::verdict::Verdict;
use super::vocabulary::{Tokens, longest_tokens};

/// How many instances may be cut off for each that is wanted, before a schema is left.
const PATIENCE: usize = 4;
/// Invalid instances shown to people; JSON has them all.
const SHOWN: usize = 20;

/// Sample instances of many schemas under their masks, and have each one judged by another
/// validator.
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright fuzz-schema maskbench-dev.jsonl.zst --count 50 --json"
)]
pub(crate) struct Options {
    /// A directory of MaskBench files, or a file of them one a line; plain or zstd
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
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
    /// The most tokens of an instance
    #[arg(long, default_value = "1000", value_name = "N")]
    max_tokens: NonZeroUsize,
    #[command(flatten)]
    spelling: Spelling,
    /// What `format` does
    #[arg(long, value_enum, default_value = "assert")]
    formats: Formats,
    /// Take only the first N schemas
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Take only the schemas whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// What came of it all.
#[derive(Default)]
struct Tally {
    schemas: usize,
    /// The schemas that were sampled from.
    sampled: usize,
    refused: usize,
    /// Schemas that the judge cannot use, with what it says.
    unjudged: Vec<(String, String)>,
    /// Schemas of which fewer instances than asked for came to their end, with how many did.
    short: Vec<(String, usize)>,
    instances: usize,
    tokens: usize,
    unfinished: usize,
    invalid: Vec<Invalid>,
}

/// An instance that is not valid.
struct Invalid {
    case: String,
    /// The keyword that it fails, with the format where it is that.
    keyword: String,
    error: String,
    text: String,
}

/// Samples from all schemas.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let files = suite::files(&options.paths)?;
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
        tally: Tally::default(),
    };
    let begin = Instant::now();
    let progress = ProgressBar::new(suite::total_bytes(&files)).with_style(style());
    for file in &files {
        suite::read(file, &progress, &mut |case| {
            if options
                .limit
                .is_some_and(|limit| run.tally.schemas >= limit)
            {
                return Ok(false);
            }
            let part = options.filter.as_ref();
            if part.is_none_or(|part| case.name.contains(part)) {
                run.case(&case)?;
                let tally = &run.tally;
                progress.set_message(format!(
                    "{} schemas, {} instances, {} invalid",
                    tally.schemas,
                    tally.instances,
                    tally.invalid.len()
                ));
            }
            Ok(true)
        })?;
    }
    progress.finish_and_clear();
    let mut out = anstream::stdout().lock();
    match options.json {
        true => writeln!(
            out,
            "{:#}",
            run.tally.json(options, begin.elapsed().as_secs_f64())
        )?,
        false => run.tally.show(options, &mut out)?,
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
        let judge = match SchemaJudge::new(&schema, self.options.formats) {
            Ok(judge) => Judge::Schema(judge),
            Err(error) => {
                tally.unjudged.push((schema.name, error.line()));
                return Ok(());
            }
        };
        tally.sampled += 1;
        let (count, max_tokens) = (self.options.count.get(), self.options.max_tokens.get());
        let mut generator = Generator {
            start: constraint.session(),
            judge: &judge,
            scripts: required_names(&schema.text, self.engine.vocabulary()),
            // No two schemas get the same choices.
            sampler: Sampler::new(
                self.classes,
                self.options.seed.wrapping_add(tally.schemas as u64),
                1.0,
                max_tokens,
            ),
            max_tokens,
            masks: Histogram::default(),
        };
        let (mut complete, mut cut) = (0, 0);
        while complete < count && cut < count * PATIENCE {
            let turn = generator.turn(&mut |_, _| Ok(()))?;
            match turn.outcome {
                Outcome::Unfinished => {
                    cut += 1;
                    continue;
                }
                Outcome::Valid => {}
                Outcome::Invalid(error) => {
                    let Judge::Schema(judge) = &judge else {
                        continue;
                    };
                    tally.invalid.push(Invalid {
                        case: schema.name.clone(),
                        keyword: judge.failed(&turn.text).unwrap_or_default(),
                        error,
                        text: turn.text,
                    });
                }
            }
            complete += 1;
            tally.tokens += turn.tokens;
        }
        tally.instances += complete;
        tally.unfinished += cut;
        if complete < count {
            tally.short.push((schema.name, complete));
        }
        Ok(())
    }
}

/// The names that objects must have, as they are spelt: a sampler that knows nothing of schemas would
/// hardly spell them, and never end an object.
fn required_names(schema: &str, vocabulary: &Vocabulary) -> Vec<Vec<TokenId>> {
    let mut names = BTreeSet::new();
    let schema: Value = serde_json::from_str(schema).unwrap_or_default();
    let mut pending = vec![&schema];
    while let Some(value) = pending.pop() {
        if let Value::Object(members) = value {
            for keyword in ["required", "dependentRequired", "dependencies"] {
                members.get(keyword).into_iter().for_each(|value| {
                    let lists = value
                        .as_object()
                        .into_iter()
                        .flat_map(|lists| lists.values());
                    let lists = lists.chain([value]).filter_map(Value::as_array);
                    names.extend(
                        lists
                            .flatten()
                            .filter(|name| name.is_string())
                            .map(Value::to_string),
                    );
                });
            }
        }
        match value {
            Value::Object(members) => pending.extend(members.values()),
            Value::Array(items) => pending.extend(items),
            _ => {}
        }
    }
    let spell = |name: &String| longest_tokens(vocabulary, name.as_bytes());
    names.iter().map(spell).collect()
}

impl Tally {
    /// How many invalid instances there are by keyword.
    fn by_keyword(&self) -> BTreeMap<&str, usize> {
        let mut counts = BTreeMap::new();
        for invalid in &self.invalid {
            *counts.entry(invalid.keyword.as_str()).or_default() += 1;
        }
        counts
    }

    fn json(&self, options: &Options, seconds: f64) -> Value {
        let invalid = self.invalid.iter().map(|invalid| {
            json!({
                "file": invalid.case,
                "keyword": invalid.keyword,
                "error": invalid.error,
                "text": invalid.text,
            })
        });
        let short = self
            .short
            .iter()
            .map(|(case, complete)| json!({"file": case, "instances": complete}));
        let unjudged = self
            .unjudged
            .iter()
            .map(|(case, why)| json!({"file": case, "error": why}));
        json!({
            "count": options.count,
            "seed": options.seed,
            "schemas": self.schemas,
            "sampled": self.sampled,
            "refused": self.refused,
            "instances": self.instances,
            "tokens": self.tokens,
            "unfinished": self.unfinished,
            "invalid": self.invalid.len(),
            "by_keyword": self.by_keyword(),
            "short": short.collect::<Vec<_>>(),
            "unjudged": unjudged.collect::<Vec<_>>(),
            "failures": invalid.collect::<Vec<_>>(),
            "seconds": seconds.round(),
            "rss_mb": peak_rss_mb().map(f64::round),
        })
    }

    fn show(&self, options: &Options, out: &mut impl Write) -> std::io::Result<()> {
        for invalid in self.invalid.iter().take(SHOWN) {
            writeln!(
                out,
                "{}: {}\n  {}",
                invalid.case, invalid.error, invalid.text
            )?;
        }
        for (keyword, count) in self.by_keyword() {
            writeln!(out, "invalid by `{keyword}`: {count}")?;
        }
        for (case, why) in &self.unjudged {
            writeln!(out, "not judged: {case}: {why}")?;
        }
        writeln!(
            out,
            "{} schemas, {} refused, {} not judged; {} sampled: {} instances, {} tokens, {} invalid; {} cut off, {} schemas with fewer than {} instances",
            self.schemas,
            self.refused,
            self.unjudged.len(),
            self.sampled,
            self.instances,
            self.tokens,
            self.invalid.len(),
            self.unfinished,
            self.short.len(),
            options.count,
        )
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:40.cyan} {percent:>3}% {msg}, {eta} left")
        .expect("the template is well-formed")
}
