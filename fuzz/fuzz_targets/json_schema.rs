//! JSON Schema text, and choices through what it means.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::{FUZZER, hold, judge};

fuzz_target!(|data: &[u8]| hold(FUZZER.json_schema(data, &mut judge)));
