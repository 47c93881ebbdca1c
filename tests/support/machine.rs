//! Schemas as readers of texts, over a vocabulary of single bytes.

use std::sync::LazyLock;

use maskwright::base::{Limits, TokenId};
use maskwright::front::json_schema::{JsonRules, SchemaConfig, SchemaError, compile};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session};
use maskwright::vocab::VocabularyBuilder;

static ENGINE: LazyLock<Engine> = LazyLock::new(|| {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary.ordinary(token(byte), &[byte]).unwrap();
    }
    let end = TokenId::new(256);
    vocabulary.special(end, "<end>").unwrap();
    vocabulary.end_token(end);
    Engine::new(vocabulary.build().unwrap())
});

/// The token that spells `byte`.
pub(crate) fn token(byte: u8) -> TokenId {
    TokenId::new(u32::from(byte))
}

/// What reads the texts of a grammar.
pub(crate) struct Machine(Constraint);

impl Machine {
    pub(crate) fn new(grammar: Grammar) -> Self {
        let constraint = ENGINE.constraint(grammar, &ConstraintConfig::default());
        Self(constraint.unwrap())
    }

    pub(crate) fn session(&self) -> Session {
        self.0.session()
    }
}

pub(crate) fn grammar(schema: &str, config: &SchemaConfig) -> Result<Grammar, SchemaError> {
    let schema = compile(schema, config)?;
    let mut builder = GrammarBuilder::new(Limits::default());
    let mut rules = JsonRules::new(config)?;
    let root = schema.lower_into(&mut rules, &mut builder);
    Ok(builder.finish(root).expect("lowered schemas have texts"))
}

pub(crate) fn machine(schema: &str, config: &SchemaConfig) -> Result<Machine, SchemaError> {
    Ok(Machine::new(grammar(schema, config)?))
}

/// Whether the whole of `text` is accepted.
pub(crate) fn accepts(machine: &Machine, text: &str) -> bool {
    let mut reader = machine.0.recogniser();
    text.bytes().all(|byte| reader.byte(byte).unwrap()) && reader.may_end()
}

/// The session after `text`, if some text that is accepted begins so.
pub(crate) fn after(machine: &Machine, text: &str) -> Option<Session> {
    let mut session = machine.session();
    for byte in text.bytes() {
        session.accept(token(byte)).ok()?;
    }
    Some(session)
}

/// The bytes from a session to the end; empty where there is no way, or no need of one.
pub(crate) fn way_out(session: &Session) -> Vec<u8> {
    let way = session.way_out().unwrap();
    let bytes = way.iter().map(|token| u8::try_from(token.get()).unwrap());
    bytes.collect()
}

/// A text that begins so, brought to its end.
pub(crate) fn led_out(machine: &Machine, beginning: &str) -> String {
    let session = after(machine, beginning).unwrap();
    String::from_utf8([beginning.as_bytes(), &way_out(&session)].concat()).unwrap()
}
