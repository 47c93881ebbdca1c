//! ABNF text, and choices through what it means.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::FUZZER;

fuzz_target!(|data: &[u8]| {
    if let Err(violation) = FUZZER.abnf(data) {
        panic!("{violation}");
    }
});
