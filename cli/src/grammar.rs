//! `maskwright grammar`: checks a grammar in EBNF.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use maskwright::base::Limits;
use maskwright::front::ebnf::{Ebnf, ROOT};

use super::failure::Failure;
use super::input::Named;
use super::language::failures;
use super::output::{stdout, warn};
use super::verdict::Verdict;

/// Check a grammar in EBNF: show what is wrong with it and where, or what is in it.
#[derive(Args)]
#[command(after_help = "Example:\n  maskwright grammar list.gbnf --start root")]
pub(crate) struct Options {
    /// The grammar, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The rule to start from [default: root]
    #[arg(long, value_name = "RULE")]
    start: Option<String>,
}

/// Checks the file.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let text = Named::read(&options.file)?;
    let limits = Limits::default();
    let start = options.start.as_deref().unwrap_or(ROOT);
    let ebnf = Ebnf::parse(&text.text, &limits).map_err(|errors| failures(&errors, &text))?;
    ebnf.lower(start, &limits)
        .map_err(|errors| failures(&errors, &text))?;
    for warning in ebnf.warnings(start) {
        warn(warning.display(&text.name));
    }
    let rules: Vec<&str> = ebnf.rule_names().collect();
    let mut out = stdout();
    writeln!(out, "dialect: EBNF")?;
    writeln!(out, "start: {start}")?;
    writeln!(out, "rules ({}): {}", rules.len(), rules.join(", "))?;
    Ok(Verdict::Good)
}
