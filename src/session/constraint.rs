//! A grammar over a vocabulary, shared by many sessions.

use std::sync::{Arc, PoisonError, RwLock};

use super::binding::bind;
use super::live::Live;
use super::{ConstraintError, Engine};
use crate::base::{ByteSet, LimitError, TokenId};
use crate::grammar::{Body, Control, Grammar};
use crate::machine::{Binding, StateId};
use crate::mask::{Context, reference};
use crate::vocab::Vocabulary;

/// How a constraint is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConstraintConfig {
    /// The tokens that end a text which may end. `None`: the vocabulary's end tokens, less those
    /// that the grammar itself names as control tokens, if any are left.
    pub stop_tokens: Option<Vec<TokenId>>,
}

impl ConstraintConfig {
    /// Ends texts with these tokens.
    #[must_use]
    pub fn stop_tokens(mut self, tokens: Vec<TokenId>) -> Self {
        self.stop_tokens = Some(tokens);
        self
    }
}

/// A grammar over a vocabulary. Cheap to clone, shared between threads.
#[derive(Clone, Debug)]
pub struct Constraint {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    engine: Engine,
    grammar: Arc<Grammar>,
    unspelt: ByteSet,
    binding: Arc<Binding>,
    ends: Box<[TokenId]>,
    current: RwLock<Arc<Live>>,
}

impl Engine {
    /// Runs `grammar` over the vocabulary.
    ///
    /// # Errors
    /// When the vocabulary lacks what the grammar needs: see [`ConstraintError`].
    pub fn constraint(
        &self,
        grammar: Grammar,
        config: &ConstraintConfig,
    ) -> Result<Constraint, ConstraintError> {
        Constraint::new(self.clone(), grammar, config)
    }
}

impl Constraint {
    fn new(
        engine: Engine,
        grammar: Grammar,
        config: &ConstraintConfig,
    ) -> Result<Self, ConstraintError> {
        let vocabulary = engine.vocabulary();
        let unspelt = grammar
            .bytes_read()
            .without(vocabulary.single_byte_tokens());
        let grammar = Arc::new(spelt(grammar, vocabulary)?);
        let (binding, ends) = bind(&grammar, vocabulary, config.stop_tokens.as_deref())?;
        let binding = Arc::new(binding);
        let ends = ends.into();
        let current = RwLock::new(Arc::new(Live::new(&grammar, &binding)?));
        Ok(Self {
            shared: Arc::new(Shared {
                engine,
                grammar,
                unspelt,
                binding,
                ends,
                current,
            }),
        })
    }

    /// The engine it was made with.
    pub fn engine(&self) -> &Engine {
        &self.shared.engine
    }

    /// The vocabulary it runs over.
    pub fn vocabulary(&self) -> &Vocabulary {
        self.shared.engine.vocabulary()
    }

    /// The tokens that end a text which may end.
    pub fn stop_tokens(&self) -> &[TokenId] {
        &self.shared.ends
    }

    /// The control tokens of the grammar that the vocabulary lacks: they are spelt in ordinary
    /// tokens.
    pub fn spelt_controls(&self) -> impl Iterator<Item = &str> {
        let controls = self.shared.grammar.controls();
        controls.filter_map(|(id, control)| match control {
            Control::Named(name) if !self.shared.binding.control(id).is_token() => {
                Some(name.as_str())
            }
            _ => None,
        })
    }

    /// The control tokens that the grammar names.
    pub fn controls(&self) -> impl Iterator<Item = &Control> {
        self.shared.grammar.controls().map(|(_, control)| control)
    }

    /// The bytes that the grammar reads and no single-byte token spells: texts with them are left out
    /// of what is allowed.
    pub fn unspelt_bytes(&self) -> ByteSet {
        self.shared.unspelt
    }

    pub(super) fn live(&self) -> Arc<Live> {
        self.shared
            .current
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The generation to go on with when `old` is full.
    pub(super) fn renewed(&self, old: &Arc<Live>) -> Result<Arc<Live>, LimitError> {
        let mut current = self
            .shared
            .current
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&current, old) {
            *current = Arc::new(Live::new(&self.shared.grammar, &self.shared.binding)?);
        }
        Ok(current.clone())
    }

    pub(super) fn fill(
        &self,
        live: &Live,
        state: StateId,
        row: &mut [u32],
    ) -> Result<(), LimitError> {
        let context = Context {
            generation: &live.generation,
            vocabulary: self.vocabulary(),
            rules: self.shared.engine.rules(),
            ends: &self.shared.ends,
        };
        live.masks.fill(&context, state, row)
    }

    pub(super) fn fill_by_reference(
        &self,
        live: &Live,
        state: StateId,
        row: &mut [u32],
    ) -> Result<(), LimitError> {
        reference(
            &live.generation,
            self.vocabulary(),
            &self.shared.ends,
            state,
            row,
        )
    }
}

/// The grammar with only the bytes that single-byte tokens can spell, so that whatever is live by
/// bytes is live by tokens.
fn spelt(grammar: Grammar, vocabulary: &Vocabulary) -> Result<Grammar, ConstraintError> {
    let single = vocabulary.single_byte_tokens();
    if *single == ByteSet::ALL {
        return Ok(grammar);
    }
    let spellable: [bool; 256] = std::array::from_fn(|byte| single.contains(byte as u8));
    // Bytes that occur in no UTF-8 text are missed by nobody who writes text.
    let text = |byte: &u8| !matches!(byte, 0xC0 | 0xC1 | 0xF5..);
    let bytes: Vec<u8> = (0..=255)
        .filter(|&byte| !spellable[usize::from(byte)])
        .collect();
    let missing: Vec<u8> = bytes.iter().copied().filter(text).collect();
    let implicit = grammar
        .rules()
        .find(|rule| matches!(rule.body(), Body::Implicit(_)));
    if let (false, Some(rule)) = (missing.is_empty(), implicit) {
        let rule = rule.name().to_owned();
        return Err(ConstraintError::MissingBytes {
            bytes: missing,
            rule,
        });
    }
    let unspellable = |source| ConstraintError::Unspellable { bytes, source };
    grammar.spelt_with(&spellable).map_err(unspellable)
}
