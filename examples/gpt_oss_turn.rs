//! A turn of gpt-oss: Harmony over the model's own vocabulary, with the tools of a request. Random
//! tokens stand in for the model.
//!
//! `cargo run --release --example gpt_oss_turn`

use maskwright::{ChatOptions, Constraint, Engine, Format, Limits, TokenId, ToolChoice, ToolSet};
use maskwright::{Vocabulary, VocabularyBuilder};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limits = Limits::default();
    let engine = Engine::new(vocabulary()?); // Once per model.

    // Once per request.
    let harmony = Format::built_in("harmony", &limits)?.ok_or("harmony comes along")?;
    let mut options = ChatOptions::default();
    options.tools = ToolSet::parse(include_str!("tools.json"), &limits)?;
    options.tool_choice = ToolChoice::Required;
    let constraint = Constraint::from_format(&engine, &harmony, &options)?;

    // Once per sequence.
    let mut session = constraint.session();
    let mut mask = vec![0u32; engine.vocabulary().mask_words()];
    let mut seed = 7u64;
    while !session.is_finished() {
        // A turn that grows too long is led to its end, which is never far.
        let token = if session.len() < 200 {
            session.mask(&mut mask)?;
            sample(&mask, &mut seed)
        } else {
            session.way_out()?[0]
        };
        session.accept(token)?;
        let vocabulary = engine.vocabulary();
        let bytes = vocabulary.bytes(token).unwrap_or_default();
        match vocabulary.special_name(token) {
            Some(name) => print!("{name}"),
            None => print!("{}", String::from_utf8_lossy(bytes)),
        }
    }
    println!();
    Ok(())
}

/// `o200k_harmony`, from the ranks that the crate `tiktoken-rs` carries.
fn vocabulary() -> Result<Vocabulary, Box<dyn std::error::Error>> {
    let ranks = tiktoken_rs::o200k_base()?;
    let mut builder = VocabularyBuilder::o200k_harmony();
    for id in 0..199_998 {
        builder.ordinary(TokenId::new(id), &ranks.decode_bytes(&[id])?)?;
    }
    Ok(builder.build()?)
}

fn sample(mask: &[u32], seed: &mut u64) -> TokenId {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let allowed: Vec<usize> = (0..mask.len() * 32)
        .filter(|&id| mask[id / 32] >> (id % 32) & 1 == 1)
        .collect();
    TokenId::from_usize(allowed[(*seed >> 33) as usize % allowed.len()])
}
