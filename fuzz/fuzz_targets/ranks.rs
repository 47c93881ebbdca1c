//! A tiktoken rank file, and a constraint over what it says.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright::base::TokenId;
use maskwright::vocab::Vocabulary;
use maskwright_fuzz::use_vocabulary;

fuzz_target!(|data: &[u8]| {
    let end = TokenId::new(1 << 12);
    use_vocabulary(Vocabulary::from_tiktoken(data, &[("<end>", end)], &[end]));
});
