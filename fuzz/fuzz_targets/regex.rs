//! A pattern in one of the dialects, and choices through it. The crate `regex` judges what Rust's dialect writes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright::front::regex::compile;
use maskwright::regular::Dialect;
use maskwright_fuzz::{drive, limits, pick, split};

const DIALECTS: [Dialect; 4] = [Dialect::Ecma, Dialect::Python, Dialect::Pcre, Dialect::Rust];

fuzz_target!(|data: &[u8]| {
    let (pattern, rest) = split(data);
    let (dialect, choices) = pick(rest, &DIALECTS);
    let Ok(grammar) = compile(&pattern, dialect, limits()) else {
        return;
    };
    let judge = (dialect == Dialect::Rust)
        .then(|| whole(&pattern))
        .flatten();
    drive(grammar, &choices, &mut |text| match &judge {
        Some(judge) if !judge.is_match(text) => Err(format!("`{pattern}` does not match it")),
        _ => Ok(()),
    });
});

/// The crate's automaton of whole texts; `None` where a comment could hide what is put around the pattern.
fn whole(pattern: &str) -> Option<regex::Regex> {
    let is_plain = !(pattern.contains('#') || pattern.contains("(?"));
    is_plain
        .then(|| regex::Regex::new(&format!(r"\A(?:{pattern})\z")).ok())
        .flatten()
}
