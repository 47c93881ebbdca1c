//! Hugging Face's `tokenizer.json`, with the `tokenizer_config.json` beside it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::base::TokenId;
use crate::vocab::builder::VocabularyBuilder;
use crate::vocab::error::{Position, VocabError, VocabErrorKind};
use crate::vocab::vocabulary::Vocabulary;

use super::json::{self, Added, Config, FILE, Tokenizer};
use super::pieces::Pieces;

/// What errors call the second file; the first is [`FILE`].
const CONFIG_FILE: &str = "tokenizer_config.json";

impl Vocabulary {
    /// The vocabulary of a Hugging Face tokenizer: byte-level BPE, or SentencePiece (BPE or Unigram) with or
    /// without byte fallback.
    ///
    /// `tokenizer` is the text of `tokenizer.json`; `config` that of `tokenizer_config.json`, whose
    /// `added_tokens_decoder` overrides the first file's names and kinds, and which names the
    /// end tokens (`eos_token`; `eos_token_id`, as `generation_config.json` has it, is read too).
    /// Without it there are no end tokens: see [`with_end_tokens`](Self::with_end_tokens).
    ///
    /// Special are the added tokens flagged so, the model's unknown token, and those that the
    /// configuration gives a role. An added token not flagged so is text.
    ///
    /// # Errors
    ///
    /// With the file and the place in it, if one is malformed, of another kind, gives an id twice, or names
    /// an end token that is not there.
    pub fn from_tokenizer_json(
        tokenizer: &[u8],
        config: Option<&[u8]>,
    ) -> Result<Self, VocabError> {
        let tokenizer: Tokenizer<'_> = json::read(tokenizer, FILE)?;
        let config = match config {
            Some(config) => json::read(config, CONFIG_FILE)?,
            None => Config::default(),
        };
        if !tokenizer.has_model() {
            let missing =
                VocabErrorKind::Malformed("expected a model with a vocabulary".to_owned());
            return Err(VocabError::from(missing).at(FILE, Position::pointer(["model"])));
        }
        let mut builder = VocabularyBuilder::new();
        add_tokens(&mut builder, &tokenizer, &config)?;
        add_end_tokens(&mut builder, &config)?;
        builder.build().map_err(|error| match error.kind() {
            VocabErrorKind::NoTokens => error.at(FILE, Position::pointer(["model", "vocab"])),
            _ => error.at(CONFIG_FILE, Position::pointer(["eos_token_id"])),
        })
    }
}

fn add_tokens(
    builder: &mut VocabularyBuilder,
    tokenizer: &Tokenizer<'_>,
    config: &Config<'_>,
) -> Result<(), VocabError> {
    let pieces = Pieces::of(tokenizer)?;
    let added = added_tokens(tokenizer, config)?;
    let special = Roles::of(tokenizer, config);
    let mut bytes = Vec::new();
    for (piece, id) in &tokenizer.model.vocab.0 {
        let id = TokenId::new(*id);
        if added.contains_key(&id) {
            continue;
        }
        let done = if special.contains(id, piece) {
            builder.special_or_alias(id, piece)
        } else {
            pieces
                .decode(piece, &mut bytes)
                .map_err(|error| VocabErrorKind::from(error).into())
                .and_then(|()| builder.ordinary(id, &bytes).map(drop))
        };
        done.map_err(|error| error.at(FILE, Position::pointer(["model", "vocab", piece])))?;
    }
    for (
        id,
        Placed {
            token,
            file,
            position,
        },
    ) in added
    {
        let done = if token.special || special.contains(id, &token.content) {
            builder.special_or_alias(id, &token.content)
        } else {
            pieces
                .decode_added(&token.content, &mut bytes)
                .map_err(|error| VocabErrorKind::from(error).into())
                .and_then(|()| builder.ordinary(id, &bytes).map(drop))
        };
        done.map_err(|error| error.at(file, position))?;
    }
    Ok(())
}

/// An added token and where it stands.
struct Placed<'a> {
    token: &'a Added<'a>,
    file: &'static str,
    position: Position,
}

/// The added tokens of both files by id; the configuration has the last word.
fn added_tokens<'a>(
    tokenizer: &'a Tokenizer<'_>,
    config: &'a Config<'_>,
) -> Result<BTreeMap<TokenId, Placed<'a>>, VocabError> {
    let mut added = BTreeMap::new();
    for (index, token) in tokenizer.added_tokens.iter().enumerate() {
        let position = Position::pointer(["added_tokens", &index.to_string()]);
        let Some(id) = token.id else {
            let missing = VocabErrorKind::Malformed("expected the added token's id".to_owned());
            return Err(VocabError::from(missing).at(FILE, position));
        };
        let id = TokenId::new(id);
        if added.contains_key(&id) {
            return Err(VocabError::from(VocabErrorKind::DuplicateId(id)).at(FILE, position));
        }
        added.insert(
            id,
            Placed {
                token,
                file: FILE,
                position,
            },
        );
    }
    for token in &config.added_tokens {
        if let Some(id) = token.id {
            let position = Position::pointer(["added_tokens_decoder", &id.to_string()]);
            added.insert(
                TokenId::new(id),
                Placed {
                    token,
                    file: CONFIG_FILE,
                    position,
                },
            );
        }
    }
    Ok(added)
}

/// The tokens that are special by their role.
struct Roles<'a> {
    names: BTreeSet<&'a str>,
    ids: BTreeSet<TokenId>,
}

impl<'a> Roles<'a> {
    fn of(tokenizer: &'a Tokenizer<'_>, config: &'a Config<'_>) -> Self {
        let names = config.special.iter().chain(&config.eos_token.0);
        let ids = config.eos_token_id.0.iter().chain(&tokenizer.model.unk_id);
        Self {
            names: names
                .chain(&tokenizer.model.unk_token)
                .map(Cow::as_ref)
                .collect(),
            ids: ids.map(|&id| TokenId::new(id)).collect(),
        }
    }

    fn contains(&self, id: TokenId, name: &str) -> bool {
        self.ids.contains(&id) || self.names.contains(name)
    }
}

fn add_end_tokens(builder: &mut VocabularyBuilder, config: &Config<'_>) -> Result<(), VocabError> {
    for name in &config.eos_token.0 {
        let Some(id) = builder.special_id(name) else {
            let unknown = VocabErrorKind::UnknownName(name.to_string());
            return Err(VocabError::from(unknown).at(CONFIG_FILE, Position::pointer(["eos_token"])));
        };
        builder.end_token(id);
    }
    for &id in &config.eos_token_id.0 {
        builder.end_token(TokenId::new(id));
    }
    Ok(())
}
