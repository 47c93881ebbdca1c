//! The way into `c_abi/calls.c`, which calls the C interface as its header declares it.

use maskwright_capi as _;

unsafe extern "C" {
    fn maskwright_fuzz_calls(data: *const u8, length: usize);
}

/// Makes the calls that an input says.
pub fn calls(data: &[u8]) {
    // SAFETY: the bytes are there for as long as the call lasts, and it keeps none of them.
    unsafe { maskwright_fuzz_calls(data.as_ptr(), data.len()) }
}
