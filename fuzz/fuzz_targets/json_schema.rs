//! JSON Schema text, and choices through what it means.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::{FUZZER, judge};

fuzz_target!(|data: &[u8]| {
    if let Err(violation) = FUZZER.json_schema(data, &mut judge) {
        panic!("{violation}");
    }
});
