//! The definition of a mask, as slow as it is plain.

use crate::base::LimitError;
use crate::machine::{Generation, StateId};
use crate::vocab::{Vocabulary, row};

use super::compose::specials;
use super::walk;

/// Writes the mask of `state` by walking the whole trie.
pub(crate) fn reference(
    generation: &Generation,
    vocabulary: &Vocabulary,
    ends: &[crate::base::TokenId],
    state: StateId,
    out: &mut [u32],
) -> Result<(), LimitError> {
    out.fill(0);
    let trie = vocabulary.trie();
    walk::plainly(generation, trie, state, |node| {
        for &token in trie.tokens(node) {
            row::insert(out, token);
        }
    })?;
    specials(generation, ends, state, |token| row::insert(out, token));
    Ok(())
}
