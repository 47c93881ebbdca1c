//! A `tokenizer.json`, after a zero byte its `tokenizer_config.json`, and a constraint over what they say.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright::vocab::Vocabulary;
use maskwright_fuzz::{split, use_vocabulary};

fuzz_target!(|data: &[u8]| {
    let (tokenizer, config) = split(data);
    let config = (!config.is_empty()).then_some(config);
    use_vocabulary(Vocabulary::from_tokenizer_json(
        tokenizer.as_bytes(),
        config,
    ));
});
