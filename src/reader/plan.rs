//! What the readers of one format and one request share.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::Unsettled;
use super::places::Controls;
use super::settle::settle;
use super::tables::Tables;
use crate::base::{ControlId, TokenId};
use crate::front::chat::{ChatError, ChatOptions, Detail, Format, Skeleton};
use crate::vocab::Vocabulary;

/// What the readers of one format and one request share: make it once, and of it a reader for each turn.
///
/// ```
/// use maskwright::{ChatOptions, Format, base::Limits};
/// use maskwright::reader::{Reader, ReaderConfig, ReaderPlan};
/// let format = Format::built_in("qwen3", &Limits::default())?.expect("it comes along");
/// let plan = ReaderPlan::new(&format, "assistant-turn", &ChatOptions::default())?;
/// let mut reader = Reader::new(&plan, ReaderConfig::default());
/// let turn = "\nLet me see.\n<tool_call>\n{\"name\": \"find\", \"arguments\": {\"n\": 1}}\n</tool_call><|im_end|>";
/// reader.feed(turn).expect("it is a turn of Qwen3");
/// let (_, message) = reader.finish().expect("it is complete");
/// assert_eq!(message.content(), "Let me see.");
/// let call = message.calls().next().expect("there is one");
/// assert_eq!((call.name.as_str(), call.arguments.as_str()), ("find", "{\"n\": 1}"));
/// # Ok::<(), maskwright::front::chat::ChatError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReaderPlan {
    pub(super) skeleton: Arc<Skeleton>,
    pub(super) controls: Arc<Controls>,
    pub(super) vocabulary: Option<Arc<Tokens>>,
    pub(super) tables: Arc<Tables>,
}

/// A vocabulary, and which of its tokens are control tokens of the format.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) vocabulary: Arc<Vocabulary>,
    pub(super) controls: FxHashMap<TokenId, ControlId>,
}

impl ReaderPlan {
    /// A plan for turns that begin with the rule `start` of `format`, which is mostly `assistant-turn`, for the request that
    /// `options` describes. Where no tools are given, any name is one.
    ///
    /// Control tokens are read as they are spelt. With [`Self::with_vocabulary`] they are tokens.
    ///
    /// # Errors
    /// As [`compile`](crate::front::chat::compile); what is wrong with the schemas of tools is found only where parameters
    /// are written one by one.
    pub fn new(format: &Format, start: &str, options: &ChatOptions) -> Result<Self, ChatError> {
        let skeleton = Skeleton::new(format, start, options, Detail::Exact)?;
        Ok(Self {
            skeleton: Arc::new(skeleton),
            controls: Arc::new(Controls::Spelt),
            vocabulary: None,
            tables: Arc::default(),
        })
    }

    /// The same for tokens of `vocabulary`: control tokens that it has are these tokens and no text.
    pub fn with_vocabulary(self, vocabulary: Arc<Vocabulary>) -> Self {
        let named: Vec<(ControlId, Option<TokenId>)> = self
            .skeleton
            .grammar
            .controls()
            .map(|(id, control)| (id, vocabulary.special(&control.to_string())))
            .collect();
        let is_token = named.iter().map(|(_, token)| token.is_some()).collect();
        let controls = named
            .into_iter()
            .filter_map(|(id, token)| Some((token?, id)));
        Self {
            controls: Arc::new(Controls::Tokens(is_token)),
            vocabulary: Some(Arc::new(Tokens {
                controls: controls.collect(),
                vocabulary,
            })),
            skeleton: self.skeleton,
            tables: Arc::default(),
        }
    }

    /// Shows that each text has one reading, by a test that is sufficient and not necessary: no text leads to two places
    /// that differ in what was said so far and of which both can go on to one end. Objects and arrays count as
    /// more than they are, save where both readings begin them together.
    ///
    /// # Errors
    /// What the test cannot settle, or, as the inner error, what it finds.
    pub fn settle(
        format: &Format,
        start: &str,
        options: &ChatOptions,
    ) -> Result<Result<(), Unsettled>, ChatError> {
        let skeleton = Skeleton::new(format, start, options, Detail::Outline)?;
        Ok(settle(Arc::new(skeleton)))
    }
}
