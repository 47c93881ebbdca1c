//! What the fuzz targets share: one fuzzer a process, the judge of JSON, and how an input is taken apart.
//!
//! `docs/testing.md` says how they are run. A target is a file in `fuzz_targets/`, and its first line says what it does.

mod calls;
mod differential;
mod instances;
mod judge;
mod peer;
mod pieces;
mod schemas;
mod vocabulary;

use std::sync::LazyLock;

use maskwright::base::Limits;
use maskwright::check::fuzz::{Fuzzer, Outcome};
use maskwright::check::{Encoding, Run, Violation};
use maskwright::grammar::Grammar;

pub use calls::calls;
pub use differential::{Reader, agreement};
pub use instances::instances;
pub use judge::{Verdict, judge, verdict};
pub use peer::{repeats_a_key, written};
pub use pieces::Input;
pub use schemas::{Keywords, schema};
pub use vocabulary::use_vocabulary;

/// The fuzzer, with an engine that all inputs of a run share.
pub static FUZZER: LazyLock<Fuzzer> = LazyLock::new(Fuzzer::new);

/// Ends the run where a promise does not hold.
pub fn hold(outcome: Result<Outcome, Violation>) {
    if let Err(violation) = outcome {
        panic!("{violation}");
    }
}

/// Drives a grammar of texts in UTF-8 by choices; `judge` is given each text that is complete.
pub fn drive(grammar: Grammar, choices: &[u8], judge: &mut dyn FnMut(&str) -> Result<(), String>) {
    let mut of_run = |run: &Run| {
        let text = std::str::from_utf8(&run.text).map_err(|error| error.to_string())?;
        judge(text).map_err(|reason| format!("{text:?}: {reason}"))
    };
    hold(FUZZER.grammar(grammar, Encoding::Utf8, choices, &mut of_run));
}

/// Drives what a grammar in `text` says. One that names tokens may say any of them, also a part of a character.
pub fn drive_written(text: &str, grammar: Grammar, choices: &[u8]) {
    let text = text.to_ascii_lowercase();
    let names_tokens = ["token", "<["].iter().any(|name| text.contains(name));
    let encoding = match names_tokens {
        true => Encoding::Bytes,
        false => Encoding::Utf8,
    };
    hold(FUZZER.grammar(grammar, encoding, choices, &mut |_| Ok(())));
}

/// The limits that inputs are compiled within.
pub fn limits() -> &'static Limits {
    FUZZER.limits()
}

/// The text up to the first zero byte, and what is behind it.
pub fn split(data: &[u8]) -> (String, &[u8]) {
    let end = data
        .iter()
        .position(|&byte| byte == 0)
        .unwrap_or(data.len());
    let text = String::from_utf8_lossy(&data[..end]).into_owned();
    (text, data.get(end + 1..).unwrap_or_default())
}

/// The first byte, as one of `of`, and the rest; of an empty input the first.
pub fn pick<T: Copy>(data: &[u8], of: &[T]) -> (T, Vec<u8>) {
    match data {
        [first, rest @ ..] => (of[usize::from(*first) % of.len()], rest.to_vec()),
        [] => (of[0], Vec::new()),
    }
}
