//! `maskwright grammar`: checks a grammar in EBNF or in Lark.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use maskwright::base::Limits;
use maskwright::front::ebnf::{Ebnf, ROOT};
use maskwright::front::json_schema::SchemaConfig;
use maskwright::front::lark::{Lark, START, is_lark};

use super::failure::Failure;
use super::input::Named;
use super::language::{failures, warn_of};
use super::output::stdout;
use super::verdict::Verdict;

/// Check a grammar in EBNF or Lark: show what is wrong with it and where, or what is in it.
///
/// A text without a line that has `::=` is Lark.
#[derive(Args)]
#[command(after_help = "Example:\n  maskwright grammar list.gbnf --start root")]
pub(crate) struct Options {
    /// The grammar, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The rule to start from [default: root, or start where it is Lark]
    #[arg(long, value_name = "RULE")]
    start: Option<String>,
}

/// Checks the file.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let text = Named::read(&options.file)?;
    let start = options.start.as_deref();
    match is_lark(&text.text) {
        true => lark(&text, start.unwrap_or(START)),
        false => ebnf(&text, start.unwrap_or(ROOT)),
    }
}

fn ebnf(text: &Named, start: &str) -> Result<Verdict, Failure> {
    let limits = Limits::default();
    let ebnf = Ebnf::parse(&text.text, &limits).map_err(|errors| failures(&errors, text))?;
    ebnf.lower(start, &limits)
        .map_err(|errors| failures(&errors, text))?;
    for warning in ebnf.warnings(start) {
        warn_of(&warning, text);
    }
    tell("EBNF", start, &ebnf.rule_names().collect::<Vec<_>>())
}

fn lark(text: &Named, start: &str) -> Result<Verdict, Failure> {
    let config = SchemaConfig::default();
    let lark = Lark::parse(&text.text, &config).map_err(|errors| failures(&errors, text))?;
    lark.lower(start, &config)
        .map_err(|errors| failures(&errors, text))?;
    for warning in lark.warnings(start) {
        warn_of(&warning, text);
    }
    tell("Lark", start, &lark.rule_names().collect::<Vec<_>>())
}

fn tell(dialect: &str, start: &str, rules: &[&str]) -> Result<Verdict, Failure> {
    let mut out = stdout();
    writeln!(out, "dialect: {dialect}")?;
    writeln!(out, "start: {start}")?;
    writeln!(out, "rules ({}): {}", rules.len(), rules.join(", "))?;
    Ok(Verdict::Good)
}
