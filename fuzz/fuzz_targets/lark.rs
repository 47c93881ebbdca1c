//! A grammar in Lark, with whatever schemas are in it, and choices through it.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use maskwright::front::json_schema::SchemaConfig;
use maskwright::front::lark::{Lark, START};
use maskwright_fuzz::{drive_written, limits, split};

static CONFIG: LazyLock<SchemaConfig> = LazyLock::new(|| SchemaConfig {
    limits: limits().clone(),
    ..SchemaConfig::default()
});

fuzz_target!(|data: &[u8]| {
    let (text, choices) = split(data);
    let Ok(grammar) = Lark::parse(&text, &CONFIG) else {
        return;
    };
    grammar.warnings(START);
    if let Ok(grammar) = grammar.lower(START, &CONFIG) {
        drive_written(&text, grammar, choices);
    }
});
