//! A structural tag, in JSON, and choices through it.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use maskwright::front::structural_tag::{StructuralTagConfig, compile};
use maskwright_fuzz::{drive_written, limits, split};

static CONFIG: LazyLock<StructuralTagConfig> = LazyLock::new(|| {
    let mut config = StructuralTagConfig::default();
    config.schemas.limits = limits().clone();
    config
});

fuzz_target!(|data: &[u8]| {
    let (text, choices) = split(data);
    if let Ok(grammar) = compile(&text, &CONFIG) {
        drive_written(&text, grammar, choices);
    }
});
