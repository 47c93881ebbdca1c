//! A first mask: a JSON Schema over a vocabulary of single bytes, generated one token at a time.
//!
//! `cargo run --example first_mask`

use maskwright::{Constraint, Engine, SchemaConfig, TokenId, VocabularyBuilder};

const SCHEMA: &str = r#"{
    "type": "object",
    "properties": {
        "colour": {"enum": ["red", "green", "blue"]},
        "size": {"type": "integer", "minimum": 1, "maximum": 40}
    },
    "required": ["colour", "size"],
    "additionalProperties": false
}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A real host reads the model's tokenizer: `Vocabulary::from_tokenizer_json`.
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary.ordinary(TokenId::new(byte.into()), &[byte])?;
    }
    let end = TokenId::new(256);
    vocabulary.special(end, "<end>")?.end_token(end);
    let engine = Engine::new(vocabulary.build()?);

    let constraint = Constraint::from_json_schema(&engine, SCHEMA, &SchemaConfig::default())?;
    let mut session = constraint.session();
    let mut mask = vec![0u32; engine.vocabulary().mask_words()];
    let mut text = String::new();
    while !session.is_finished() {
        session.mask(&mut mask)?;
        let allowed: Vec<u8> = (0..=255).filter(|&byte| is_set(&mask, byte)).collect();
        println!("{text:<32} may go on with {}", allowed.escape_ascii());
        let Some(&byte) = allowed.iter().rfind(|byte| !byte.is_ascii_whitespace()) else {
            break;
        };
        session.accept(TokenId::new(byte.into()))?;
        text.push(byte.into());
    }
    Ok(())
}

/// A mask is one bit a token: bit `id % 32` of word `id / 32`.
fn is_set(mask: &[u32], id: u8) -> bool {
    mask[usize::from(id) / 32] >> (id % 32) & 1 == 1
}
