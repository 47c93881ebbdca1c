//! Choices through fixed constraints.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::{FUZZER, hold, judge};

fuzz_target!(|data: &[u8]| hold(FUZZER.choices(data, &mut judge)));
