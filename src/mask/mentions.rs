//! Which tokens have a text in them, or many delimiters: those that a memory may refuse.

use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::walk::{Place, Places};
use crate::base::{LimitError, TokenId};
use crate::grammar::Memory;
use crate::machine::{Generation, Item};
use crate::vocab::Vocabulary;

/// Over this many texts, what is known is forgotten and begun afresh.
const MOST: usize = 1 << 12;

/// A text, or nothing for many delimiters, and the delimiter.
type Mention = (Box<[u8]>, u8);

/// The tokens that mention a text.
#[derive(Debug, Default)]
pub(super) struct Mentions {
    known: Mutex<FxHashMap<Mention, Arc<[TokenId]>>>,
}

impl Mentions {
    /// The tokens that `item` refuses although what it remembers is all that speaks against them.
    /// Among them may be some that it refuses anyhow.
    pub(super) fn barred(
        &self,
        generation: &Generation,
        vocabulary: &Vocabulary,
        item: Item,
        memory: &Memory,
    ) -> Result<Vec<TokenId>, LimitError> {
        let mut barred = Vec::new();
        let mut places = Places::new(generation, Place::Item(item));
        let texts = memory.texts.iter().map(|text| &**text);
        for text in texts.chain([[].as_slice()]) {
            for &token in self.of(vocabulary, memory.delimiter, text).iter() {
                let bytes = vocabulary.bytes(token).unwrap_or_default();
                let suspect = !text.is_empty() || repeats(memory, bytes);
                if suspect && places.run(bytes)? == Places::DEAD {
                    barred.push(token);
                }
            }
        }
        Ok(barred)
    }

    /// The tokens that have `text` in them, or three delimiters where it is empty.
    fn of(&self, vocabulary: &Vocabulary, delimiter: u8, text: &[u8]) -> Arc<[TokenId]> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (Box::from(text), delimiter);
        if let Some(tokens) = known().get(&key) {
            return tokens.clone();
        }
        let mentions = |token: &TokenId| {
            let bytes = vocabulary.bytes(*token).unwrap_or_default();
            match text {
                [] => bytes.iter().filter(|&&byte| byte == delimiter).count() >= 3,
                _ => bytes.windows(text.len()).any(|window| window == text),
            }
        };
        let tokens = vocabulary.slices().containing(delimiter).iter().copied();
        let tokens: Arc<[TokenId]> = tokens.filter(mentions).collect();
        let mut known = known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key, tokens.clone());
        tokens
    }
}

/// Whether some text from delimiter to delimiter comes twice in what is begun and `token`.
fn repeats(memory: &Memory, token: &[u8]) -> bool {
    let whole = [&memory.begun, token].concat();
    let delimiters = (0..whole.len()).filter(|&at| whole[at] == memory.delimiter);
    let delimiters: Vec<usize> = delimiters.collect();
    delimiters.iter().enumerate().any(|(index, &first)| {
        delimiters[index + 1..].iter().any(|&last| {
            let text = &whole[first..=last];
            whole[last..].windows(text.len()).any(|other| other == text)
        })
    })
}
