//! ABNF text, and choices through what it means.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::{FUZZER, hold};

fuzz_target!(|data: &[u8]| hold(FUZZER.abnf(data)));
