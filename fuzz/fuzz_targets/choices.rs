//! Choices through fixed constraints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::{FUZZER, judge};

fuzz_target!(|data: &[u8]| {
    if let Err(violation) = FUZZER.choices(data, &mut judge) {
        panic!("{violation}");
    }
});
