//! The command line's subcommands and what they share.

/// Runs the command line and gives its exit code: 0 good, 1 judged bad, 2 bad input.
pub(crate) fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
