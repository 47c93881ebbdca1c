//! A grammar over a vocabulary, shared by many sessions.

use std::sync::Arc;

use super::binding::bind;
use super::current::Current;
use super::live::Live;
use super::retired::Retired;
use super::{ConstraintError, Engine};
use crate::base::{ByteSet, LimitError, TokenId};
use crate::grammar::{Body, Control, Grammar, Needed};
use crate::machine::{Item, StateId};
use crate::mask::{Context, Mechanism, Work, reference};
use crate::vocab::{TokenKind, Vocabulary, row};

/// How a constraint is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConstraintConfig {
    /// The tokens that end a text which may end, and are no part of a text, unless the grammar itself names them. `None`: the vocabulary's end tokens, less those
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
    unspelt: ByteSet,
    ends: Box<[TokenId]>,
    /// Those of the ends that are ordinary tokens.
    ordinary_ends: Box<[TokenId]>,
    current: Arc<Current>,
    retired: Retired,
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
        let stop_tokens = config.stop_tokens.as_deref();
        let ordinary_ends =
            stop_tokens.map_or_else(Box::default, |tokens| ordinary_tokens(vocabulary, tokens));
        let single = match ordinary_ends.is_empty() {
            true => *vocabulary.single_byte_tokens(),
            false => spelling_bytes(vocabulary, &ordinary_ends),
        };
        let (grammar, unspelt) = match single == ByteSet::ALL {
            true => (grammar, ByteSet::EMPTY),
            false => spelt(grammar, vocabulary, &single)?,
        };
        let grammar = Arc::new(grammar);
        let (binding, ends) = bind(&grammar, vocabulary, stop_tokens)?;
        let binding = Arc::new(binding.without(single.complement()));
        let ends = ends.into();
        let budget = engine.tenants().budget().clone();
        let current = Arc::new(Current::new(grammar, binding, budget)?);
        engine.tenants().add(&current);
        Ok(Self {
            shared: Arc::new(Shared {
                engine,
                unspelt,
                ends,
                ordinary_ends,
                current,
                retired: Retired::default(),
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
        let current = &self.shared.current;
        let controls = current.grammar().controls();
        controls.filter_map(|(id, control)| match control {
            Control::Named(name) if !current.binding().control(id).is_token() => {
                Some(name.as_str())
            }
            _ => None,
        })
    }

    /// The control tokens that the grammar names.
    pub fn controls(&self) -> impl Iterator<Item = &Control> {
        let grammar = self.shared.current.grammar();
        grammar.controls().map(|(_, control)| control)
    }

    /// Whether `token` is an ordinary token that ends texts: then it spells no part of a text.
    pub(super) fn is_ordinary_end(&self, token: TokenId) -> bool {
        self.shared.ordinary_ends.contains(&token)
    }

    /// The ordinary tokens that end texts.
    pub(super) fn ordinary_ends(&self) -> impl Iterator<Item = TokenId> {
        self.shared.ordinary_ends.iter().copied()
    }

    /// The bytes that the grammar reads and no single-byte token spells, or only one that ends texts: texts with them
    /// are left out of what is allowed.
    pub fn unspelt_bytes(&self) -> ByteSet {
        self.shared.unspelt
    }

    pub(super) fn live(&self) -> Live {
        self.shared.current.live()
    }

    /// The generation to go on with when `old` is to be left: one that is not.
    pub(super) fn renewed(&self, old: &Live) -> Result<Live, LimitError> {
        let (live, retired) = self.shared.current.renewed(old)?;
        if let Some(retired) = retired {
            retired.retire();
            self.shared.retired.push(retired);
        }
        Ok(live)
    }

    /// Where so many steps were worked, drops a little of the generations that were left, and keeps the engine's budget.
    pub(super) fn tidy(&self, worked: usize) {
        if worked > 0 {
            self.shared.retired.drop_some(worked);
            self.shared.engine.tenants().tidy(worked);
        }
    }

    pub(super) fn fill(
        &self,
        live: &Live,
        state: StateId,
        row: &mut [u32],
    ) -> Result<(), LimitError> {
        let began = live.generation.worked();
        let work = Work::on(&live.generation);
        let filled = live.masks().fill(&self.context(live, &work), state, row);
        self.tidy(live.generation.worked().wrapping_sub(began));
        filled?;
        self.gate(live, state, row)
    }

    /// How the tokens of `item` come into masks.
    pub(super) fn mechanism(&self, live: &Live, item: Item) -> Result<Mechanism, LimitError> {
        let work = Work::on(&live.generation);
        live.masks().mechanism(&self.context(live, &work), item)
    }

    fn context<'a>(&'a self, live: &'a Live, work: &'a Work<'a>) -> Context<'a> {
        Context {
            generation: &live.generation,
            vocabulary: self.vocabulary(),
            rules: self.shared.engine.rules(),
            ends: &self.shared.ends,
            work,
        }
    }

    /// Leaves the ordinary tokens that end texts where they do, or where the grammar names them, and takes them away
    /// where they would be text.
    fn gate(&self, live: &Live, state: StateId, row: &mut [u32]) -> Result<(), LimitError> {
        let generation = &live.generation;
        for &token in &self.shared.ordinary_ends {
            let named = generation.advance_token(state, token)? != StateId::DEAD;
            match named || generation.state(state).accepting {
                true => row::insert(row, token),
                false => row::remove(row, token),
            }
        }
        Ok(())
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
        )?;
        self.gate(live, state, row)
    }
}

/// Those of the tokens that are ordinary ones.
fn ordinary_tokens(vocabulary: &Vocabulary, tokens: &[TokenId]) -> Box<[TokenId]> {
    let known = tokens.iter().copied();
    let known = known.filter(|token| token.index() < vocabulary.len());
    let ordinary = known.filter(|&token| vocabulary.kind(token) == TokenKind::Ordinary);
    ordinary.collect()
}

/// The bytes that a token of one byte spells which may be text.
fn spelling_bytes(vocabulary: &Vocabulary, ordinary_ends: &[TokenId]) -> ByteSet {
    let single = *vocabulary.single_byte_tokens();
    let lost = ordinary_ends.iter().filter_map(|&token| {
        let &[byte] = vocabulary.bytes(token)? else {
            return None;
        };
        let node = vocabulary.trie().find(&[byte])?;
        let mut same = vocabulary.trie().tokens(node).iter();
        same.all(|token| ordinary_ends.contains(token))
            .then_some(byte)
    });
    let mut gone = ByteSet::new();
    lost.for_each(|byte| gone.insert_range(byte, byte));
    single.without(&gone)
}

/// The grammar with only the bytes that single-byte tokens can spell, so that whatever is live by
/// bytes is live by tokens; and the bytes that it read and reads no more.
fn spelt(
    grammar: Grammar,
    vocabulary: &Vocabulary,
    single: &ByteSet,
) -> Result<(Grammar, ByteSet), ConstraintError> {
    let unspelt = grammar.bytes_read().without(single);
    check_missing(&grammar, vocabulary, single)?;
    let spellable: [bool; 256] = std::array::from_fn(|byte| single.contains(byte as u8));
    let bytes = single.complement().iter().collect();
    let unspellable = |source| ConstraintError::Unspellable { bytes, source };
    let grammar = grammar.spelt_with(&spellable).map_err(unspellable)?;
    Ok((grammar, unspelt))
}

/// Whether the bodies that are made when visited can do without the bytes that are not in `single`.
fn check_missing(
    grammar: &Grammar,
    vocabulary: &Vocabulary,
    single: &ByteSet,
) -> Result<(), ConstraintError> {
    let missing = single.complement().intersect(&TEXT);
    let mut implicit = grammar.rules().filter_map(|rule| match rule.body() {
        Body::Implicit(body) => Some((rule.name().to_owned(), body)),
        Body::Automaton(_) => None,
    });
    let Some((rule, first)) = implicit.next() else {
        return Ok(());
    };
    // What rules contribute to masks is shared by all grammars over a vocabulary, so it must lack the same bytes.
    let of_stop = missing.intersect(vocabulary.single_byte_tokens());
    if let Some(byte) = of_stop.iter().next() {
        return Err(ConstraintError::StopTokenIsText { byte, rule });
    }
    if has_gap(&missing) {
        let bytes = missing.iter().collect();
        return Err(ConstraintError::MissingBytes { bytes, rule });
    }
    for (rule, body) in std::iter::once((rule, first)).chain(implicit) {
        if let Some(Needed { byte, text }) = body.hints().needs(&missing) {
            let text = text.map_or_else(|| "a pattern".to_owned(), |text| format!("`{text}`"));
            return Err(ConstraintError::TextNeedsByte { byte, text, rule });
        }
    }
    Ok(())
}

/// The bytes that occur in UTF-8 text: others are missed by nobody who writes text.
const TEXT: ByteSet = ByteSet::range(0x00, 0xBF).union(&ByteSet::range(0xC2, 0xF4));

/// Whether texts may come to where nothing leads on without the `missing` bytes: where one of ASCII that is printed, or is white space, is
/// among them, or no byte is left that goes on with a character of several.
fn has_gap(missing: &ByteSet) -> bool {
    const PRINTED: ByteSet = ByteSet::range(b' ', b'~')
        .union(&ByteSet::range(b'\t', b'\n'))
        .union(&ByteSet::range(b'\r', b'\r'));
    /// What follows a first byte (Unicode, table 3-7).
    const SECOND: [(u8, u8, u8); 5] = [
        (0xC2, 0x80, 0xBF),
        (0xE0, 0xA0, 0xBF),
        (0xED, 0x80, 0x9F),
        (0xF0, 0x90, 0xBF),
        (0xF4, 0x80, 0x8F),
    ];
    let is_gap = |&(lead, lo, hi): &(u8, u8, u8)| {
        let is_read = lead == 0xC2 || !missing.contains(lead);
        is_read && ByteSet::range(lo, hi).without(missing).is_empty()
    };
    !missing.intersect(&PRINTED).is_empty() || SECOND.iter().any(is_gap)
}
