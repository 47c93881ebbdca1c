//! The command line: its subcommands, exit codes and errors.

mod failure;
mod input;
mod json;
mod maskbench;
#[cfg(test)]
mod paint;
#[cfg(test)]
mod sampler;
mod statistics;
mod vocabulary;

use std::io::ErrorKind;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use failure::Failure;

/// Token masks that make malformed chat headers and invalid tool calls impossible.
///
/// Exit codes: 0 good, 1 judged bad, 2 bad input.
#[derive(Parser)]
#[command(name = "maskwright", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Maskbench(maskbench::Options),
}

/// What a command that could do its work found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Good,
}

/// Runs the command line and gives its exit code: 0 good, 1 judged bad, 2 bad input.
pub(crate) fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Maskbench(options) => maskbench::run(&options),
    };
    match result {
        Ok(Verdict::Good) => ExitCode::SUCCESS,
        // Who reads the output has seen enough.
        Err(Failure::Output(error)) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Output(error)) => {
            anstream::eprintln!("error: cannot write the output: {error}");
            ExitCode::from(2)
        }
        Err(Failure::Input(bad)) => {
            anstream::eprint!("{}", bad.render());
            ExitCode::from(2)
        }
    }
}
