//! The yardstick: llguidance, with the options of its own benchmarks.

use std::sync::Arc;
use std::time::Instant;

use llguidance::api::TopLevelGrammar;
use llguidance::earley::SlicedBiasComputer;
use llguidance::{Matcher, ParserFactory};
use maskwright::base::TokenId;
use maskwright::vocab::Vocabulary;
use toktrie::{InferenceCapabilities, TokEnv, TokRxInfo, TokTrie, TokenizerEnv};

use super::engine::{Compiled, Engine, Refusal, Run};
use crate::failure::Failure;
use crate::vocabulary::{Tokenise, Tokens};

/// llguidance with its vocabulary.
pub(crate) struct Llguidance {
    factory: ParserFactory,
    vocab_ms: f64,
}

impl Llguidance {
    pub(crate) fn new(tokens: &Tokens) -> Result<Self, Failure> {
        let tokeniser = tokens.tokeniser()?;
        let words = words(tokens.vocabulary());
        let start = Instant::now();
        let environment: TokEnv = Arc::new(Environment::new(&words, tokens.end(), tokeniser));
        let mut factory = ParserFactory::new(
            &environment,
            InferenceCapabilities::default(),
            &SlicedBiasComputer::general_slices(),
        )
        .map_err(|e| Failure::new(format!("llguidance cannot use this vocabulary: {e}")))?;
        factory.quiet();
        Ok(Self {
            factory,
            vocab_ms: start.elapsed().as_secs_f64() * 1e3,
        })
    }
}

impl Engine for Llguidance {
    fn name(&self) -> &'static str {
        "llguidance"
    }

    fn vocab_ms(&self) -> f64 {
        self.vocab_ms
    }

    fn compile(&self, schema: &str) -> Result<Box<dyn Compiled>, Refusal> {
        let parser = TopLevelGrammar::from_tagged_str("json_schema", schema)
            .and_then(|grammar| self.factory.create_parser(grammar))
            .map_err(|e| Refusal {
                reason: reason(&first_line(e)),
            })?;
        Ok(Box::new(Pristine(Matcher::new(Ok(parser)))))
    }
}

/// The kind of refusal: the message up to what it quotes from the schema.
fn reason(message: &str) -> String {
    let quote = [" '", " /", ": #", "  ("]
        .iter()
        .filter_map(|quote| message.find(quote))
        .min();
    message[..quote.unwrap_or(message.len())].to_owned()
}

/// A matcher at the start. Clones share its lexer's states, so later runs profit from earlier ones; in its own benchmarks,
/// which copy deeply, they do not.
struct Pristine(Matcher);

impl Compiled for Pristine {
    fn start(&self) -> Result<Box<dyn Run + '_>, String> {
        Ok(Box::new(Running(self.0.clone())))
    }
}

struct Running(Matcher);

impl Run for Running {
    fn mask(&mut self, row: &mut [u32]) -> Result<(), String> {
        let mask = self.0.compute_mask_or_eos().map_err(first_line)?;
        row.copy_from_slice(&mask.as_slice()[..row.len()]);
        Ok(())
    }

    fn accept(&mut self, token: TokenId) -> Result<(), String> {
        // A matcher with nothing left to match stops, and would refuse the end token it has allowed.
        if self.0.is_stopped() && !self.0.is_error() && self.is_end(token) {
            return Ok(());
        }
        self.0.consume_token(token.get()).map_err(first_line)
    }
}

impl Running {
    fn is_end(&self, token: TokenId) -> bool {
        let environment = self.0.tok_env();
        environment.is_ok_and(|e| e.tok_trie().eos_tokens().contains(&token.get()))
    }
}

/// An error without the dump of the parser that follows it.
fn first_line(error: impl std::fmt::Display) -> String {
    error
        .to_string()
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

struct Environment {
    trie: TokTrie,
    tokeniser: Arc<dyn Tokenise>,
}

impl Environment {
    fn new(words: &[Vec<u8>], end: TokenId, tokeniser: Arc<dyn Tokenise>) -> Self {
        let info = TokRxInfo::new(words.len() as u32, end.get());
        Self {
            trie: TokTrie::from(&info, words),
            tokeniser,
        }
    }
}

/// The bytes of each id; a special token's are its name, marked as such.
fn words(vocabulary: &Vocabulary) -> Vec<Vec<u8>> {
    let word = |id| match vocabulary.special_name(id) {
        Some(name) => [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat(),
        None => vocabulary.bytes(id).unwrap_or_default().to_vec(),
    };
    (0..vocabulary.len())
        .map(TokenId::from_usize)
        .map(word)
        .collect()
}

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<toktrie::TokenId> {
        self.trie.tokenize_with_greedy_fallback(bytes, |text| {
            self.tokeniser
                .tokenise(text)
                .into_iter()
                .map(TokenId::get)
                .collect()
        })
    }
}
