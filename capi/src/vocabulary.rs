//! Vocabularies: `mw_vocabulary`.

use super::error::{MwError, ask, make};
use super::failure::Failure;
use super::options::{Options, options};
use super::pointer::{free, slice};
use super::text::MwText;
use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::Formats;
use maskwright::session::Engine;
use maskwright::vocab::{Vocabulary, VocabularyBuilder};

/// `mw_vocabulary`.
///
/// Beside the engine are the formats that constraints over it were asked for.
pub(super) struct MwVocabulary(pub(super) Engine, pub(super) Formats);

/// `mw_token`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct MwToken {
    id: u32,
    /// `enum mw_token_kind`.
    kind: i32,
    bytes: MwText,
}

/// `mw_vocabulary_options`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct MwVocabularyOptions {
    size: usize,
    tokens: *const MwToken,
    token_count: usize,
    end_tokens: *const u32,
    end_token_count: usize,
    logits: usize,
    cache_bytes: usize,
    constraint_bytes: usize,
}

// SAFETY: it begins with its size, and numbers and pointers may be zero.
unsafe impl Options for MwVocabularyOptions {}

/// [`MwVocabularyOptions`], read.
#[derive(Default)]
struct Given<'a> {
    tokens: &'a [MwToken],
    end_tokens: Vec<TokenId>,
    logits: Option<usize>,
    limits: Limits,
}

impl Given<'_> {
    /// # Safety
    /// The host's: the options, and what they point to, can be read.
    unsafe fn read(pointer: *const MwVocabularyOptions) -> Result<Self, Failure> {
        // SAFETY: as above.
        let (given, tokens, end_tokens) = unsafe {
            let given = options(pointer, "options")?;
            (
                given,
                slice(given.tokens, given.token_count, "options.tokens")?,
                slice(
                    given.end_tokens,
                    given.end_token_count,
                    "options.end_tokens",
                )?,
            )
        };
        let mut limits = Limits::default();
        if given.cache_bytes != 0 {
            limits.mask_bytes = given.cache_bytes;
        }
        if given.constraint_bytes != 0 {
            limits.engine_bytes = given.constraint_bytes;
        }
        Ok(Self {
            tokens,
            end_tokens: end_tokens.iter().map(|&id| TokenId::new(id)).collect(),
            logits: (given.logits != 0).then_some(given.logits),
            limits,
        })
    }

    /// # Safety
    /// As [`Given::read`]; NULL are the defaults.
    unsafe fn read_optional(pointer: *const MwVocabularyOptions) -> Result<Self, Failure> {
        match pointer.is_null() {
            true => Ok(Self::default()),
            // SAFETY: as above.
            false => unsafe { Self::read(pointer) },
        }
    }

    /// Adds the tokens to those of `builder`, and builds.
    ///
    /// # Safety
    /// The host's: the tokens' bytes can be read.
    unsafe fn build(self, mut builder: VocabularyBuilder) -> Result<MwVocabulary, Failure> {
        for token in self.tokens {
            let id = TokenId::new(token.id);
            match token.kind {
                0 => {
                    // SAFETY: as above.
                    let bytes = unsafe { token.bytes.bytes("token.bytes")? };
                    builder.ordinary(id, bytes)?
                }
                1 => {
                    // SAFETY: as above.
                    let name = unsafe { token.bytes.read("token.bytes")? };
                    builder.special(id, name.unwrap_or_default())?
                }
                2 => builder.ordinary(id, &[])?,
                kind => {
                    let message = format!("token {} has the unknown kind {kind}", token.id);
                    return Err(Failure::invalid(message));
                }
            };
        }
        for id in self.end_tokens {
            builder.end_token(id);
        }
        if let Some(logits) = self.logits {
            builder.logits(logits);
        }
        Ok(MwVocabulary::new(builder.build()?, &self.limits))
    }
}

impl MwVocabulary {
    fn new(vocabulary: Vocabulary, limits: &Limits) -> Self {
        Self(Engine::with_limits(vocabulary, limits), Formats::default())
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_vocabulary_new(
    options: *const MwVocabularyOptions,
    out: *mut *mut MwVocabulary,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: the host's, here and in all functions of this interface.
    unsafe {
        make(out, error, || {
            Given::read(options)?.build(VocabularyBuilder::new())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_vocabulary_from_tokenizer_json(
    tokenizer: MwText,
    config: MwText,
    options: *const MwVocabularyOptions,
    out: *mut *mut MwVocabulary,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_vocabulary_new`.
    unsafe {
        make(out, error, || {
            let given = Given::read_optional(options)?;
            if !given.tokens.is_empty() {
                let message = "`options.tokens` must be empty: the tokenizer has the tokens";
                return Err(Failure::invalid(message));
            }
            let tokenizer = required(tokenizer, "tokenizer")?;
            let config = config.read("config")?.map(str::as_bytes);
            let mut vocabulary = Vocabulary::from_tokenizer_json(tokenizer, config)?
                .with_end_tokens(&given.end_tokens)?;
            if let Some(logits) = given.logits {
                vocabulary = vocabulary.with_logits(logits)?;
            }
            Ok(MwVocabulary::new(vocabulary, &given.limits))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_vocabulary_from_tiktoken(
    ranks: MwText,
    options: *const MwVocabularyOptions,
    out: *mut *mut MwVocabulary,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_vocabulary_new`.
    unsafe {
        make(out, error, || {
            let given = Given::read_optional(options)?;
            let mut builder = VocabularyBuilder::new();
            builder.tiktoken(required(ranks, "ranks")?)?;
            given.build(builder)
        })
    }
}

/// The bytes of a text that must not be absent.
///
/// # Safety
/// As [`MwText::read`].
unsafe fn required<'a>(text: MwText, name: &str) -> Result<&'a [u8], Failure> {
    // SAFETY: as above.
    let text = unsafe { text.read(name)? };
    text.map(str::as_bytes).ok_or_else(|| Failure::null(name))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_vocabulary_free(vocabulary: *mut MwVocabulary) {
    // SAFETY: as in `mw_vocabulary_new`.
    unsafe { free(vocabulary) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_constraint_bytes(vocabulary: *const MwVocabulary) -> usize {
    // SAFETY: as in `mw_vocabulary_new`.
    unsafe { ask(vocabulary, 0, |it| it.0.constraint_bytes()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_mask_words(vocabulary: *const MwVocabulary) -> usize {
    // SAFETY: as in `mw_vocabulary_new`.
    unsafe { ask(vocabulary, 0, |it| it.0.vocabulary().mask_words()) }
}
