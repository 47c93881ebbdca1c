//! Call ids end after 64 bytes, whatever tokens spell them.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, compile};
use maskwright::session::Engine;
use maskwright::vocab::Vocabulary;

use super::{archive, constraint, vocabulary};

#[test]
fn long_tokens_do_not_run_over_a_call_id() {
    // Words of up to 32 times `x`.
    let mut vocabularies = vec![vocabulary((2..=32).map(|length| vec![b'x'; length]), &[])];
    if let Some(files) = archive::files(&["o200k_base.tiktoken"]) {
        vocabularies.push(Vocabulary::o200k_harmony(&files[0]).unwrap());
    }
    let source = "assistant-turn = <call-id> \"!\"\n";
    let format = Format::parse("ids", source, &[], &Limits::default()).unwrap();
    let grammar = compile(&format, "assistant-turn", &ChatOptions::default()).unwrap();
    for vocabulary in vocabularies {
        let engine = Engine::new(vocabulary);
        let vocabulary = engine.vocabulary();
        let of = |text: &[u8]| {
            let mut all = (0..vocabulary.len()).map(TokenId::from_usize);
            all.find(|&token| vocabulary.bytes(token) == Some(text))
        };
        let runs: Vec<_> = (1..=64)
            .filter_map(|length| Some((length, of(&vec![b'x'; length])?)))
            .collect();
        assert!(runs.len() > 5, "{} tokens of x's", runs.len());
        let mut session = constraint(&engine, &grammar).session();
        session.accept(of(b"a").unwrap()).unwrap();
        let mut row = vec![0; vocabulary.mask_words()];
        for read in 1..=64 {
            session.mask(&mut row).unwrap();
            for &(length, token) in &runs {
                let masked = row[token.index() / 32] >> (token.index() % 32) & 1 == 1;
                let expected = read + length <= 64;
                assert_eq!(masked, expected, "{length} more after {read}");
                assert_eq!(
                    session.allows(token).unwrap(),
                    expected,
                    "{length} more after {read}"
                );
            }
            if read < 64 {
                session.accept(runs[0].1).unwrap();
            }
        }
    }
}
