//! What llguidance writes for a schema, and `jsonschema` calls valid, the constraint reads: in any order and spelling.
//!
//! Not held against us are texts that its approximations let through, which the judge refuses, keys that come twice, and
//! spellings that are left out by intention: of numbers with exponents and many digits, and of characters in escapes.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::{Keywords, Reader, Verdict, repeats_a_key, schema, verdict, written};

const STEPS: usize = 40;

fuzz_target!(|data: &[u8]| {
    let mut input = Unstructured::new(data);
    let Ok(schema) = schema(&mut input, Keywords::Plain) else {
        return;
    };
    let text = schema.to_string();
    let Some(reader) = Reader::new(&text) else {
        return;
    };
    for _ in 0..3 {
        let mut choose = |below: usize| input.int_in_range(0..=below - 1).unwrap_or_default();
        let Some(written) = written(&text, STEPS, &mut choose) else {
            return;
        };
        let Ok(instance) = serde_json::from_str(&written) else {
            continue;
        };
        let is_valid = verdict(&schema, &instance) == Verdict::Valid;
        let is_plain = !repeats_a_key(&written) && is_spelt_plainly(&written);
        if is_valid && is_plain && reader.reads(&written) == Some(false) {
            panic!("{text}: {written:?} is valid");
        }
    }
});

/// Whether a JSON text has neither escapes nor numbers with exponents or many digits.
fn is_spelt_plainly(text: &str) -> bool {
    let is_number = |c: char| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '+' | '-');
    let mut words = text.split(|c: char| !is_number(c));
    let has_exponent =
        |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains(['e', 'E']);
    !text.contains('\\')
        && words.all(|word| word.len() < 16 && !has_exponent(word.trim_start_matches('-')))
}
