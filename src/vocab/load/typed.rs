//! Vocabularies whose pieces come with types, as SentencePiece has them: its own models, and GGUF files.

use crate::base::TokenId;
use crate::vocab::builder::VocabularyBuilder;
use crate::vocab::error::VocabError;

use super::pieces::Pieces;

/// What a piece is; the numbers are those of SentencePiece's `ModelProto`, which GGUF has too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PieceKind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

impl PieceKind {
    pub(super) fn of(number: i64) -> Option<Self> {
        Some(match number {
            1 => Self::Normal,
            2 => Self::Unknown,
            3 => Self::Control,
            4 => Self::UserDefined,
            5 => Self::Unused,
            6 => Self::Byte,
            _ => return None,
        })
    }
}

/// Adds a piece. One that the model has no use for is a hole; `is_special` says whether something gives
/// it a role.
pub(super) fn add(
    builder: &mut VocabularyBuilder,
    id: TokenId,
    piece: &str,
    kind: PieceKind,
    is_special: bool,
    pieces: &Pieces<'_>,
) -> Result<(), VocabError> {
    let mut bytes = Vec::new();
    match kind {
        _ if is_special => return builder.special_or_alias(id, piece),
        PieceKind::Unknown | PieceKind::Control => return builder.special_or_alias(id, piece),
        PieceKind::Normal | PieceKind::Byte => pieces.decode(piece, &mut bytes)?,
        PieceKind::UserDefined => pieces.decode_added(piece, &mut bytes)?,
        PieceKind::Unused => {}
    }
    builder.ordinary(id, &bytes).map(drop)
}
