//! Turns that end in their budget: every token of a mask leaves a way to the end, there is always one, and what is given
//! away is known.

#![allow(clippy::unwrap_used)]

#[path = "deadline/alike.rs"]
mod alike;
#[path = "support/cases.rs"]
mod cases;
#[path = "deadline/formats.rs"]
mod formats;
#[path = "deadline/least.rs"]
mod least;
#[path = "support/random.rs"]
mod random;
#[path = "deadline/real.rs"]
mod real;
#[path = "deadline/sessions.rs"]
mod sessions;
#[path = "deadline/turns.rs"]
mod turns;

use maskwright::base::{Limits, TokenId};
use maskwright::front::json_schema::{JsonRules, PropertyOrder, SchemaConfig, Whitespace, compile};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session};
use maskwright::vocab::VocabularyBuilder;
use random::Random;

const END: TokenId = TokenId::new(400);
/// Those of the formats' control tokens that end turns.
const ENDING: [&str; 4] = ["<|return|>", "<|call|>", "<|im_end|>", "<|end|>"];

/// The bytes, `words`, `controls` and an end token.
fn engine(words: &[&str], controls: &[String]) -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        let id = TokenId::new(u32::from(byte));
        vocabulary.ordinary(id, &[byte]).unwrap();
    }
    for (word, id) in words.iter().zip(300..) {
        let id = TokenId::new(id);
        vocabulary.ordinary(id, word.as_bytes()).unwrap();
    }
    for (control, id) in controls.iter().zip(401..) {
        let id = TokenId::new(id);
        vocabulary.special(id, control).unwrap();
        if ENDING.contains(&control.as_str()) {
            vocabulary.end_token(id);
        }
    }
    vocabulary.special(END, "<end>").unwrap();
    vocabulary.end_token(END);
    Engine::new(vocabulary.build().unwrap())
}

/// Words as they run across the rules of JSON.
const WORDS: [&str; 24] = [
    "{\"", "\":", "\":\"", "\",\"", "\"}", "},", "}}", "]}", "[]", "{}", "[[", "]]", "\":[",
    "\":{", "true", "false", "null", "name", "  ", "00", "12", "ab", "\"a\":", "abc",
];

fn schema_grammar(schema: &str, order: PropertyOrder) -> Grammar {
    let config = SchemaConfig {
        whitespace: Whitespace::Json,
        order,
        ..SchemaConfig::default()
    };
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(&config).unwrap();
    let schema = compile(schema, &config).unwrap();
    let root = schema.lower_into(&mut rules, &mut builder);
    builder.finish(root).unwrap()
}

fn constraint(engine: &Engine, schema: &str) -> Constraint {
    let grammar = schema_grammar(schema, PropertyOrder::Declared);
    let config = ConstraintConfig::default();
    engine.constraint(grammar, &config).unwrap()
}

fn mask(session: &Session) -> Vec<TokenId> {
    let mut row = vec![0; session.constraint().vocabulary().mask_words()];
    session.mask(&mut row).unwrap();
    tokens(&row)
}

fn tokens(row: &[u32]) -> Vec<TokenId> {
    let is_set = |&id: &u32| row[id as usize / 32] >> (id % 32) & 1 == 1;
    let ids = (0..row.len() as u32 * 32).filter(is_set);
    ids.map(TokenId::new).collect()
}

impl Random {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }
}
