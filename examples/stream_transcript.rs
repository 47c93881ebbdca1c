//! What a model wrote, read while it comes: the events that a user interface shows.
//!
//! `cargo run --example stream_transcript`

use maskwright_transcript::{
    Audience, EventStream, Format, ParserConfig, Piece, StreamEvent, view,
};

/// The pieces of a turn as tokens would bring them; the caller says which are control tokens.
const TURN: &[(&str, bool)] = &[
    ("<|start|>", true),
    ("assistant", false),
    ("<|channel|>", true),
    ("analysis", false),
    ("<|message|>", true),
    ("The user ", false),
    ("greets me.", false),
    ("<|end|>", true),
    ("<|start|>", true),
    ("assistant", false),
    ("<|channel|>", true),
    ("final", false),
    ("<|message|>", true),
    ("Good ", false),
    ("morning!", false),
    ("<|return|>", true),
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = ParserConfig::transcript(Format::Harmony);
    let mut stream = EventStream::new("turn-1", Format::Harmony.controls(), &config);
    for &(text, is_control) in TURN {
        let piece = match is_control {
            true => Piece::special(text),
            false => Piece::Text(text.as_bytes()),
        };
        for event in stream.push(piece)? {
            if let StreamEvent::Delta { text, .. } = &event {
                print!("{text}|");
            }
        }
    }
    println!();
    let transcript = stream.finish()?;
    for shown in view(transcript.messages(), Audience::User) {
        println!("{:?}: {}", shown.role, shown.text);
    }
    Ok(())
}
