//! Calls of the C interface, in any order, over a handful of handles: `c_abi/calls.c` makes and checks them.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::calls;

fuzz_target!(|data: &[u8]| calls(data));
