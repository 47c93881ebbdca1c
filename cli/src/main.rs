//! The command line: its subcommands, exit codes and errors.

mod abnf;
mod accept;
mod auto;
mod bytes;
mod chat_text;
mod check;
mod conflict;
mod conversation;
mod convert;
mod explain;
mod failure;
mod formats;
mod fuzz_format;
mod fuzz_schema;
mod generate;
mod generator;
mod grammar;
mod input;
mod json;
mod judge;
mod language;
mod listing;
mod looks;
mod maskbench;
mod output;
mod paint;
mod plain_schema;
mod pointer;
mod reading;
mod render;
mod request;
mod rows;
mod sampler;
mod schema;
mod source;
mod spelling;
mod split;
mod statistics;
mod suite;
mod told;
mod validator;
mod verdict;
mod vocabulary;
mod words;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;
use verdict::Verdict;

/// Token masks that make malformed chat headers and invalid tool calls impossible.
///
/// Without a command: `generate` with its defaults. Exit codes: 0 good, 1 judged bad, 2 bad input.
#[derive(Parser)]
#[command(
    name = "maskwright",
    version,
    max_term_width = 100,
    args_conflicts_with_subcommands = true,
    after_help = "Example:\n  maskwright --seed 7"
)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    generate: generate::Options,
}

#[derive(Subcommand)]
enum Command {
    Generate(generate::Options),
    Accept(accept::Options),
    Check(check::Options),
    Render(render::Options),
    Convert(convert::Options),
    Schema(schema::Options),
    Explain(explain::Options),
    Abnf(abnf::Options),
    Formats(listing::Options),
    Grammar(grammar::Options),
    Maskbench(maskbench::Options),
    FuzzFormat(fuzz_format::Options),
    FuzzSchema(fuzz_schema::Options),
}

/// Runs the command line and gives its exit code: 0 good, 1 judged bad, 2 bad input.
fn main() -> ExitCode {
    let cli = Cli::parse();
    let Some(command) = cli.command else {
        return code(generate::demonstrate(&cli.generate).and_then(written));
    };
    let result = match command {
        Command::Generate(options) => generate::run(&options),
        Command::Accept(options) => accept::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Render(options) => render::run(&options),
        Command::Convert(options) => convert::run(&options),
        Command::Schema(options) => schema::run(&options),
        Command::Explain(options) => explain::run(&options),
        Command::Abnf(options) => abnf::run(&options),
        Command::Formats(options) => listing::run(&options),
        Command::Grammar(options) => grammar::run(&options),
        Command::Maskbench(options) => maskbench::run(&options),
        Command::FuzzFormat(options) => fuzz_format::run(&options),
        Command::FuzzSchema(options) => fuzz_schema::run(&options),
    };
    code(result.and_then(written))
}

/// The verdict, once all of the output is where it goes: what has no line break at its end is not there yet.
fn written(verdict: Verdict) -> Result<Verdict, Failure> {
    output::stdout().flush()?;
    Ok(verdict)
}

/// The exit code of what came of a command, whose error is shown.
fn code(result: Result<Verdict, Failure>) -> ExitCode {
    match result {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        Ok(Verdict::Bad) => ExitCode::from(1),
        Ok(Verdict::BadInput) => ExitCode::from(2),
        // Who reads the output has seen enough.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            anstream::eprintln!("error: cannot write the output: {error}");
            ExitCode::from(2)
        }
        Err(Failure::Input(bad)) => {
            anstream::eprint!("{}", bad.error());
            ExitCode::from(2)
        }
    }
}
