//! A vocabulary with what is computed for it, shared by all constraints over it.

use std::sync::Arc;

use super::tenants::Tenants;
use crate::base::Limits;
use crate::mask::RuleMasks;
use crate::vocab::Vocabulary;

/// A vocabulary and the rule masks over it. Cheap to clone; share one per vocabulary, so that a
/// grammar never seen before starts warm for the rules that recur.
///
/// ```
/// use maskwright::base::{Limits, TokenId};
/// use maskwright::grammar::{GrammarBuilder, Nfa};
/// use maskwright::session::{ConstraintConfig, Engine};
/// use maskwright::vocab::VocabularyBuilder;
///
/// let mut vocabulary = VocabularyBuilder::new();
/// vocabulary.ordinary(TokenId::new(0), b"y")?.ordinary(TokenId::new(1), b"n")?;
/// vocabulary.special(TokenId::new(2), "<end>")?.end_token(TokenId::new(2));
/// let engine = Engine::new(vocabulary.build()?);
///
/// let mut builder = GrammarBuilder::new(Limits::default());
/// let yes = builder.declare("yes");
/// let mut nfa = Nfa::new();
/// let end = nfa.literal(nfa.start(), b"y");
/// nfa.accept(end);
/// builder.define(yes, &nfa)?;
/// let constraint = engine.constraint(builder.finish(yes)?, &ConstraintConfig::default())?;
///
/// let mut session = constraint.session();
/// let mut mask = vec![0u32; engine.vocabulary().mask_words()];
/// session.mask(&mut mask)?;
/// assert_eq!(mask, [0b001]);
/// session.accept(TokenId::new(0))?;
/// session.mask(&mut mask)?;
/// assert_eq!(mask, [0b100]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Engine {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    vocabulary: Arc<Vocabulary>,
    rules: RuleMasks,
    tenants: Tenants,
}

impl Engine {
    /// An engine for `vocabulary`, which keeps within the defaults of [`Limits::mask_bytes`] and [`Limits::engine_bytes`].
    pub fn new(vocabulary: Vocabulary) -> Self {
        Self::with_limits(vocabulary, &Limits::default())
    }

    /// An engine for `vocabulary`, which keeps about [`Limits::mask_bytes`] of rule masks; over that, what was not asked for
    /// lately is dropped, a little at a time, and made again if it is asked for.
    ///
    /// Its constraints have about [`Limits::engine_bytes`] for their states and masks, all together. Over that, those begin
    /// anew that were not used lately: answers stay the same, and take longer until they are warm again. A session in
    /// what its constraint has left moves on with its next call. The other limits are those of grammars.
    pub fn with_limits(vocabulary: Vocabulary, limits: &Limits) -> Self {
        let rules = RuleMasks::new(limits.mask_bytes);
        let tenants = Tenants::new(limits.engine_bytes);
        Self {
            shared: Arc::new(Shared {
                vocabulary: Arc::new(vocabulary),
                rules,
                tenants,
            }),
        }
    }

    /// The vocabulary.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.shared.vocabulary
    }

    /// The vocabulary, to be kept, as by a [`ReaderPlan`](crate::reader::ReaderPlan).
    pub fn shared_vocabulary(&self) -> Arc<Vocabulary> {
        self.shared.vocabulary.clone()
    }

    /// About how many bytes the constraints have now for states and masks, which [`Limits::engine_bytes`] bounds: what
    /// sessions hold that have not moved on yet comes on top.
    pub fn constraint_bytes(&self) -> usize {
        self.shared.tenants.budget().taken()
    }

    pub(super) fn tenants(&self) -> &Tenants {
        &self.shared.tenants
    }

    pub(super) fn rules(&self) -> &RuleMasks {
        &self.shared.rules
    }
}
