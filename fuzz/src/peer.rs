//! llguidance over the tokens of the fuzzer's engine, and what it writes.

use std::sync::{Arc, LazyLock};

use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use maskwright::base::TokenId;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use toktrie::{InferenceCapabilities, TokEnv, TokRxInfo, TokTrie, TokenizerEnv};

use crate::FUZZER;

static FACTORY: LazyLock<ParserFactory> = LazyLock::new(|| {
    let environment: TokEnv = Arc::new(Environment(trie()));
    let factory = ParserFactory::new(&environment, InferenceCapabilities::default(), &[]);
    let mut factory = factory.expect("the vocabulary has every byte");
    factory.quiet();
    factory
});

/// A text that it writes for a schema, led by `choose`; `None` where it does not take the schema, or comes to no end.
pub fn written(
    schema: &str,
    steps: usize,
    choose: &mut dyn FnMut(usize) -> usize,
) -> Option<String> {
    let grammar = TopLevelGrammar::from_tagged_str("json_schema", schema).ok()?;
    let mut matcher = Matcher::new(Ok(FACTORY.create_parser(grammar).ok()?));
    let vocabulary = FUZZER.engine().vocabulary();
    let end = vocabulary.end_tokens()[0].get();
    let mut text = Vec::new();
    for _ in 0..steps {
        if matcher.is_stopped() {
            break;
        }
        let mask = matcher.compute_mask_or_eos().ok()?;
        let allowed: Vec<u32> = (0..=end).filter(|&token| mask.is_allowed(token)).collect();
        let token = *allowed.get(choose(allowed.len().max(1)))?;
        if token == end {
            break;
        }
        text.extend(vocabulary.bytes(TokenId::new(token)).unwrap_or_default());
        matcher.consume_token(token).ok()?;
    }
    let complete = matcher.is_accepting().ok()?;
    complete.then(|| String::from_utf8(text).ok()).flatten()
}

struct Environment(TokTrie);

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.0
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<toktrie::TokenId> {
        self.0.greedy_tokenize(bytes)
    }
}

fn trie() -> TokTrie {
    let vocabulary = FUZZER.engine().vocabulary();
    let word = |token| match vocabulary.special_name(token) {
        Some(name) => [&[TokTrie::SPECIAL_TOKEN_MARKER], name.as_bytes()].concat(),
        None => vocabulary.bytes(token).unwrap_or_default().to_vec(),
    };
    let tokens = (0..vocabulary.len()).map(TokenId::from_usize);
    let words: Vec<Vec<u8>> = tokens.map(word).collect();
    let end = vocabulary.end_tokens()[0];
    TokTrie::from(&TokRxInfo::new(words.len() as u32, end.get()), &words)
}

/// Whether an object of a JSON text has a key twice, which it may write and no constraint allows.
pub fn repeats_a_key(text: &str) -> bool {
    let members: Result<Members, _> = serde_json::from_str(text);
    members.is_ok_and(|members| members.repeated)
}

/// Whether a key stands twice in an object.
struct Members {
    repeated: bool,
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Keys)
    }
}

struct Keys;

const NONE: Members = Members { repeated: false };

impl<'de> Visitor<'de> for Keys {
    type Value = Members;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Members, E> {
        Ok(NONE)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Members, E> {
        Ok(NONE)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Members, E> {
        Ok(NONE)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Members, E> {
        Ok(NONE)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Members, E> {
        Ok(NONE)
    }

    fn visit_str<E>(self, _: &str) -> Result<Members, E> {
        Ok(NONE)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Members, A::Error> {
        let mut all = NONE;
        while let Some(item) = items.next_element::<Members>()? {
            all.repeated |= item.repeated;
        }
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members, A::Error> {
        let (mut all, mut keys) = (NONE, std::collections::HashSet::new());
        while let Some((key, value)) = members.next_entry::<String, Members>()? {
            all.repeated |= value.repeated || !keys.insert(key);
        }
        Ok(all)
    }
}
