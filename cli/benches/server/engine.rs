//! Both engines over the same vocabulary, as the rows ask them.

use std::sync::Arc;

use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::{Matcher, ParserFactory};
use maskwright::base::Limits;
use maskwright::vocab::{Vocabulary, VocabularyBuilder};
use maskwright::{Constraint, Engine, SchemaConfig, Session, TokenId};
use tiktoken_rs::CoreBPE;
use toktrie::{InferenceCapabilities, TokEnv, TokRxInfo, TokTrie, TokenizerEnv};

/// Ordinary tokens of o200k, and the token that ends a text.
const ORDINARY: u32 = 199_998;
const END: u32 = 200_002;

/// What both engines and the rows need to write texts.
pub(crate) struct Tokens {
    bpe: CoreBPE,
    vocabulary: Vocabulary,
}

impl Tokens {
    pub(crate) fn new() -> Self {
        let bpe = tiktoken_rs::o200k_harmony().unwrap();
        let mut vocabulary = VocabularyBuilder::new();
        for id in 0..ORDINARY {
            let bytes = bpe.decode_bytes(&[id]).unwrap();
            vocabulary.ordinary(TokenId::new(id), &bytes).unwrap();
        }
        for (name, id) in [
            ("<|endoftext|>", 199_999),
            ("<|return|>", END),
            ("<|constrain|>", 200_003),
            ("<|channel|>", 200_005),
            ("<|start|>", 200_006),
            ("<|end|>", 200_007),
            ("<|message|>", 200_008),
            ("<|call|>", 200_012),
        ] {
            vocabulary.special(TokenId::new(id), name).unwrap();
        }
        vocabulary.end_token(TokenId::new(END));
        let vocabulary = vocabulary.build().unwrap();
        Self { bpe, vocabulary }
    }

    pub(crate) fn of(&self, text: &str) -> Vec<u32> {
        self.bpe.encode_ordinary(text)
    }

    pub(crate) fn words(&self) -> usize {
        self.vocabulary.mask_words()
    }

    /// Our engine, with so many bytes for its cache.
    pub(crate) fn ours(&self, cache_bytes: Option<usize>) -> Engine {
        let mut limits = Limits::default();
        limits.mask_bytes = cache_bytes.unwrap_or(limits.mask_bytes);
        Engine::with_limits(self.vocabulary.clone(), &limits)
    }

    pub(crate) fn theirs(&self) -> Llguidance {
        let word = |id| match self.vocabulary.special_name(id) {
            Some(name) => [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat(),
            None => self.vocabulary.bytes(id).unwrap_or_default().to_vec(),
        };
        let ids = (0..self.vocabulary.len()).map(TokenId::from_usize);
        let words: Vec<Vec<u8>> = ids.map(word).collect();
        let info = TokRxInfo::new(words.len() as u32, END);
        let trie = TokTrie::from(&info, &words);
        let bpe = self.bpe.clone();
        let environment: TokEnv = Arc::new(Environment { trie, bpe });
        let slices = SlicedBiasComputer::general_slices();
        let capabilities = InferenceCapabilities::default();
        let mut factory = ParserFactory::new(&environment, capabilities, &slices).unwrap();
        factory.quiet();
        Llguidance(factory)
    }
}

struct Environment {
    trie: TokTrie,
    bpe: CoreBPE,
}

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<toktrie::TokenId> {
        let tokens = |text: &str| self.bpe.encode_ordinary(text);
        self.trie.tokenize_with_greedy_fallback(bytes, tokens)
    }
}

/// An engine as the rows ask it.
pub(crate) trait Peer: Sync {
    fn name(&self) -> &'static str;

    /// Compiles a schema; `None` where that is refused.
    fn compile(&self, schema: &str) -> Option<Box<dyn Compiled>>;
}

pub(crate) trait Compiled: Send {
    /// A sequence at its beginning.
    fn run(&self) -> Box<dyn Run>;
}

pub(crate) trait Run: Send {
    fn mask(&mut self, row: &mut [u32]);

    /// Whether the token was taken.
    fn accept(&mut self, token: u32) -> bool;
}

impl Peer for Engine {
    fn name(&self) -> &'static str {
        "maskwright"
    }

    fn compile(&self, schema: &str) -> Option<Box<dyn Compiled>> {
        let compiled = Constraint::from_json_schema(self, schema, &SchemaConfig::default());
        Some(Box::new(compiled.ok()?))
    }
}

impl Compiled for Constraint {
    fn run(&self) -> Box<dyn Run> {
        Box::new(self.session())
    }
}

impl Run for Session {
    fn mask(&mut self, row: &mut [u32]) {
        Session::mask(self, row).unwrap();
    }

    fn accept(&mut self, token: u32) -> bool {
        Session::accept(self, TokenId::new(token)).is_ok()
    }
}

/// The yardstick.
pub(crate) struct Llguidance(ParserFactory);

impl Peer for Llguidance {
    fn name(&self) -> &'static str {
        "llguidance"
    }

    fn compile(&self, schema: &str) -> Option<Box<dyn Compiled>> {
        let grammar = TopLevelGrammar::from_tagged_str("json_schema", schema).ok()?;
        let parser = self.0.create_parser(grammar).ok()?;
        Some(Box::new(Pristine(Matcher::new(Ok(parser)))))
    }
}

struct Pristine(Matcher);

impl Compiled for Pristine {
    fn run(&self) -> Box<dyn Run> {
        Box::new(Running(self.0.clone()))
    }
}

struct Running(Matcher);

impl Run for Running {
    fn mask(&mut self, row: &mut [u32]) {
        let mask = self.0.compute_mask_or_eos().unwrap();
        let length = row.len().min(mask.as_slice().len());
        row[..length].copy_from_slice(&mask.as_slice()[..length]);
    }

    fn accept(&mut self, token: u32) -> bool {
        self.0.consume_token(token).is_ok()
    }
}
