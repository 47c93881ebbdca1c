//! Batches against the same rows one by one, below and above the threshold for threads.
#![allow(clippy::unwrap_used)]

use maskwright::base::{Limits, TokenId};
use maskwright::batch::{Job, fill_masks};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile};
use maskwright::grammar::GrammarBuilder;
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session, SessionError};
use maskwright::vocab::VocabularyBuilder;
use proptest::prelude::*;

const END: u32 = 256;

fn constraint() -> Constraint {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        let id = TokenId::new(u32::from(byte));
        vocabulary.ordinary(id, &[byte]).unwrap();
    }
    let end = TokenId::new(END);
    vocabulary.special(end, "<end>").unwrap().end_token(end);
    let config = SchemaConfig::default();
    let mut builder = GrammarBuilder::new(Limits::default());
    let schema = compile(
        r#"{"type": "array", "items": {"enum": ["ab", 12]}}"#,
        &config,
    )
    .unwrap();
    let root = schema.lower_into(&mut JsonRules::new(&config).unwrap(), &mut builder);
    Engine::new(vocabulary.build().unwrap())
        .constraint(builder.finish(root).unwrap(), &ConstraintConfig::default())
        .unwrap()
}

/// What a job comes to, by the functions of a session alone.
fn one_by_one(session: &Session, draft: &[TokenId]) -> (Vec<u32>, Result<usize, SessionError>) {
    let words = session.constraint().vocabulary().mask_words();
    let mut rows = vec![0; words * (draft.len() + 1)];
    if let Err(error) = session.mask(&mut rows[..words]) {
        return (rows, Err(error));
    }
    let mut session = session.fork();
    for (index, &token) in draft.iter().enumerate() {
        if session.accept(token).is_err() {
            return (rows, Ok(index));
        }
        if session.has_ended() {
            return (rows, Ok(index + 1));
        }
        session
            .mask(&mut rows[words * (index + 1)..words * (index + 2)])
            .unwrap();
    }
    (rows, Ok(draft.len()))
}

/// Texts that often are right, sometimes whole, sometimes ended.
fn tokens() -> impl Strategy<Value = Vec<TokenId>> {
    let piece = prop::sample::select(vec!["[", "\"ab\"", "12", ",", " ", "]", "x"]);
    (prop::collection::vec(piece, 0..6), any::<bool>()).prop_map(|(pieces, ends)| {
        let bytes = pieces.concat().into_bytes();
        let mut ids: Vec<u32> = bytes.into_iter().map(u32::from).collect();
        ids.extend(ends.then_some(END));
        ids.into_iter().map(TokenId::new).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_batch_is_its_rows_one_by_one(jobs in prop::collection::vec((tokens(), tokens()), 0..100)) {
        let constraint = constraint();
        let words = constraint.vocabulary().mask_words();
        let sessions: Vec<Session> = jobs.iter().map(|(before, _)| {
            let mut session = constraint.session();
            let valid = session.validate(before).unwrap();
            before[..valid].iter().for_each(|&token| session.accept(token).unwrap());
            session
        }).collect();
        let mut rows: Vec<Vec<u32>> = jobs.iter()
            .map(|(_, draft)| vec![u32::MAX; words * (draft.len() + 1)])
            .collect();
        let mut batch: Vec<Job<'_>> = sessions.iter().zip(&jobs).zip(&mut rows)
            .map(|((session, (_, draft)), rows)| Job { session, draft, rows })
            .collect();
        let results = fill_masks(&mut batch);
        for (((session, (_, draft)), rows), result) in sessions.iter().zip(&jobs).zip(&rows).zip(results) {
            prop_assert_eq!((rows.clone(), result), one_by_one(session, draft));
        }
    }
}

#[test]
fn rows_of_another_length_are_refused_and_zeroed() {
    let session = constraint().session();
    let mut rows = [u32::MAX; 10];
    let mut jobs = [Job {
        session: &session,
        draft: &[],
        rows: &mut rows,
    }];
    let (given, needed) = (10, 9);
    let refused = SessionError::RowLength { given, needed };
    assert_eq!(fill_masks(&mut jobs), [Err(refused)]);
    assert_eq!(rows, [0; 10]);
}
