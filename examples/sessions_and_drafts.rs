//! One step of a server: the masks of many sequences and of their drafts, in one call.
//!
//! `cargo run --features batch --example sessions_and_drafts`

use maskwright::batch::{Job, fill_masks};
use maskwright::{Constraint, Engine, SchemaConfig, Session, TokenId, VocabularyBuilder};

const SCHEMA: &str = r#"{"type": "array", "items": {"type": "boolean"}, "maxItems": 4}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary.ordinary(TokenId::new(byte.into()), &[byte])?;
    }
    let end = TokenId::new(256);
    vocabulary.special(end, "<end>")?.end_token(end);
    let engine = Engine::new(vocabulary.build()?);
    let constraint = Constraint::from_json_schema(&engine, SCHEMA, &SchemaConfig::default())?;

    let mut sessions: Vec<Session> = (0..3).map(|_| constraint.session()).collect();
    let drafts = [tokens("[true,"), tokens("[yes]"), tokens("[]")];

    // A row for the place before each token of a draft, and one behind the last.
    let words = engine.vocabulary().mask_words();
    let rows = drafts
        .iter()
        .map(|draft| vec![0u32; (draft.len() + 1) * words]);
    let mut rows: Vec<Vec<u32>> = rows.collect();
    let parts = sessions.iter().zip(&drafts).zip(&mut rows);
    let mut jobs: Vec<Job> = parts
        .map(|((session, draft), rows)| Job {
            session,
            draft,
            rows,
        })
        .collect();
    let taken = fill_masks(&mut jobs);

    for ((session, draft), taken) in sessions.iter_mut().zip(&drafts).zip(taken) {
        let taken = taken?;
        for &token in &draft[..taken] {
            session.accept(token)?;
        }
        println!("{} tokens of {} may be accepted", taken, draft.len());

        // Sequences part and go back at no cost.
        let fork = session.fork();
        session.rollback(taken)?;
        println!(
            "rolled back to {}, its fork still has {}",
            session.len(),
            fork.len()
        );
    }
    Ok(())
}

fn tokens(text: &str) -> Vec<TokenId> {
    text.bytes().map(|byte| TokenId::new(byte.into())).collect()
}
