//! A grammar in EBNF, and choices through it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright::front::ebnf::{Ebnf, ROOT};
use maskwright_fuzz::{drive_written, limits, split};

fuzz_target!(|data: &[u8]| {
    let (text, choices) = split(data);
    let Ok(grammar) = Ebnf::parse(&text, limits()) else {
        return;
    };
    grammar.warnings(ROOT);
    if let Ok(grammar) = grammar.lower(ROOT, limits()) {
        drive_written(&text, grammar, choices);
    }
});
