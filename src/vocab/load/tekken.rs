//! Mistral's `tekken.json`: ranks with bytes in Base64, special tokens before them.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::base::{LimitError, TokenId};
use crate::vocab::builder::VocabularyBuilder;
use crate::vocab::error::{Position, VocabError, VocabErrorKind};
use crate::vocab::tokens::MAX_LOGITS;
use crate::vocab::vocabulary::Vocabulary;

/// What errors call the file.
const FILE: &str = "tekken.json";
/// The token that ends a generation.
const END: &str = "</s>";
/// The special tokens of files that do not list them, by their ids; fillers follow.
const SPECIALS: [&str; 14] = [
    "<unk>",
    "<s>",
    END,
    "[INST]",
    "[/INST]",
    "[AVAILABLE_TOOLS]",
    "[/AVAILABLE_TOOLS]",
    "[TOOL_RESULTS]",
    "[/TOOL_RESULTS]",
    "[TOOL_CALLS]",
    "[IMG]",
    "<pad>",
    "[IMG_BREAK]",
    "[IMG_END]",
];

impl Vocabulary {
    /// The vocabulary of a `tekken.json`, as Mistral's models have it. The special tokens have the first ids,
    /// and `</s>` is the end token.
    ///
    /// # Errors
    ///
    /// With the place, if the file is malformed or gives an id twice.
    pub fn from_tekken(json: &[u8]) -> Result<Self, VocabError> {
        let malformed = |message: String| VocabError::from(VocabErrorKind::Malformed(message));
        let file: Value =
            serde_json::from_slice(json).map_err(|error| malformed(error.to_string()))?;
        let at = |error: VocabError, path: &[&str]| {
            error.at(FILE, Position::pointer(path.iter().copied()))
        };
        let number = |value: &Value, path: &[&str]| {
            let number = value
                .as_u64()
                .and_then(|number| usize::try_from(number).ok());
            number.ok_or_else(|| at(malformed("expected a whole number".to_owned()), path))
        };
        let config = &file["config"];
        let specials = number(
            &config["default_num_special_tokens"],
            &["config", "default_num_special_tokens"],
        )?;
        let size = number(
            &config["default_vocab_size"],
            &["config", "default_vocab_size"],
        )?;
        LimitError::check("logits of a vocabulary", size.max(specials), MAX_LOGITS)?;
        let mut builder = VocabularyBuilder::new();
        let mut named = BTreeSet::new();
        match file["special_tokens"].as_array() {
            Some(listed) => {
                for (index, token) in listed.iter().enumerate() {
                    let index = index.to_string();
                    let id = number(&token["rank"], &["special_tokens", &index, "rank"])?;
                    let name = token["token_str"].as_str().unwrap_or_default();
                    named.insert(id);
                    builder
                        .special_or_alias(TokenId::from_usize(id), name)
                        .map_err(|error| at(error, &["special_tokens", &index]))?;
                }
            }
            None => {
                for (id, name) in SPECIALS.iter().enumerate() {
                    named.insert(id);
                    builder.special_or_alias(TokenId::from_usize(id), name)?;
                }
            }
        }
        for id in (0..specials).filter(|id| !named.contains(id)) {
            builder.special_or_alias(TokenId::from_usize(id), &format!("<SPECIAL_{id}>"))?;
        }
        let vocab = file["vocab"].as_array().ok_or_else(|| {
            at(
                malformed("expected an array of ranked tokens".to_owned()),
                &["vocab"],
            )
        })?;
        for (index, token) in vocab.iter().enumerate() {
            let index = index.to_string();
            let rank = number(&token["rank"], &["vocab", &index, "rank"])?;
            if rank >= size.saturating_sub(specials) {
                continue;
            }
            let text = token["token_bytes"].as_str().unwrap_or_default();
            let bytes = STANDARD.decode(text).map_err(|error| {
                let message = format!("expected bytes in Base64: {error}");
                at(malformed(message), &["vocab", &index, "token_bytes"])
            })?;
            builder
                .ordinary(TokenId::from_usize(rank + specials), &bytes)
                .map_err(|error| at(error, &["vocab", &index]))?;
        }
        if let Some(end) = builder.special_id(END) {
            builder.end_token(end);
        }
        builder.build()
    }
}
