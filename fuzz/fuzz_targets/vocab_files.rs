//! The other files that vocabularies come in, by the first byte: GGUF, SentencePiece's model, Tekken; and a constraint.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright::vocab::{VocabError, Vocabulary};
use maskwright_fuzz::{pick, use_vocabulary};

type Read = fn(&[u8]) -> Result<Vocabulary, VocabError>;

const READERS: [Read; 3] = [
    Vocabulary::from_gguf,
    Vocabulary::from_sentence_piece,
    Vocabulary::from_tekken,
];

fuzz_target!(|data: &[u8]| {
    let (read, file) = pick(data, &READERS);
    use_vocabulary(read(&file));
});
