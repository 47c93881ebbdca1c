//! Judges generated turns of Harmony by the published parser, strictly: JSON objects with `ids`, the
//! tokens of a turn in o200k_harmony after `<|start|>assistant`, one a line on stdin.
//!
//! The parser finds its vocabulary, `o200k_base.tiktoken`, in the directory
//! `TIKTOKEN_ENCODINGS_BASE`. Exit codes: 0 all parsed, 1 some refused, 2 bad input.

use std::io::BufRead;
use std::process::ExitCode;

use openai_harmony::chat::Role;
use openai_harmony::{HarmonyEncodingName, load_harmony_encoding};

/// How many refusals are shown.
const SHOWN: usize = 10;

fn main() -> ExitCode {
    match judge() {
        Ok((parsed, 0)) => {
            println!("{parsed} turns: all parsed by openai-harmony 0.0.8, strict");
            ExitCode::SUCCESS
        }
        Ok((parsed, refused)) => {
            println!("{} turns: {refused} refused", parsed + refused);
            ExitCode::from(1)
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn judge() -> Result<(usize, usize), Box<dyn std::error::Error>> {
    let encoding = load_harmony_encoding(HarmonyEncodingName::HarmonyGptOss)?;
    let (mut parsed, mut refused) = (0, 0);
    for line in std::io::stdin().lock().lines() {
        let row: serde_json::Value = serde_json::from_str(&line?)?;
        let ids = row["ids"].as_array().ok_or("a row without `ids`")?;
        let ids: Vec<u32> = ids
            .iter()
            .map(|id| id.as_u64().and_then(|id| u32::try_from(id).ok()))
            .collect::<Option<_>>()
            .ok_or("an id that is no token")?;
        match encoding.parse_messages_from_completion_tokens(ids, Some(Role::Assistant)) {
            Ok(_) => parsed += 1,
            Err(error) => {
                refused += 1;
                if refused <= SHOWN {
                    println!("{error}\n  {}", row["text"]);
                }
            }
        }
    }
    Ok((parsed, refused))
}
