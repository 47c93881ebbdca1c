//! Sessions where `check::drive` does not look: forced tokens by a tokeniser, ways out, generations that are
//! replaced, control tokens that the grammar does not name, odd vocabularies.
#![allow(clippy::unwrap_used)]

#[path = "session/explain.rs"]
mod explain;
#[path = "session/forced.rs"]
mod forced;
#[path = "session/tenants.rs"]
mod tenants;
#[path = "session/vocabulary.rs"]
mod vocabulary;
#[path = "session/way_out.rs"]
mod way_out;

use maskwright::base::{Limits, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::front::json_schema::{JsonRules, PropertyOrder, SchemaConfig, Whitespace, compile};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::{Constraint, ConstraintConfig, Engine, Session, SessionError};
use maskwright::vocab::VocabularyBuilder;

const WORDS: [&str; 6] = ["\"hello", " big", " world", "bi", "true", "\":"];
const END: TokenId = TokenId::new(400);

/// The bytes, a few words, a special token that no grammar here names, and an end token.
fn engine() -> Engine {
    engine_within(&Limits::default())
}

fn engine_within(limits: &Limits) -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary
            .ordinary(TokenId::new(u32::from(byte)), &[byte])
            .unwrap();
    }
    for (word, id) in WORDS.iter().zip(300..) {
        vocabulary
            .ordinary(TokenId::new(id), word.as_bytes())
            .unwrap();
    }
    vocabulary.special(TokenId::new(399), "<|other|>").unwrap();
    vocabulary.special(END, "<end>").unwrap();
    vocabulary.end_token(END);
    Engine::with_limits(vocabulary.build().unwrap(), limits)
}

fn grammar(schema: &str, whitespace: Whitespace, limits: Limits) -> Grammar {
    let config = SchemaConfig {
        whitespace,
        limits: limits.clone(),
        ..SchemaConfig::default()
    };
    lowered(schema, &config, limits)
}

fn lowered(schema: &str, config: &SchemaConfig, limits: Limits) -> Grammar {
    let mut builder = GrammarBuilder::new(limits);
    let mut rules = JsonRules::new(config).unwrap();
    let root = compile(schema, config)
        .unwrap()
        .lower_into(&mut rules, &mut builder);
    builder.finish(root).unwrap()
}

fn grammar_in(schema: &str, order: PropertyOrder, limits: Limits) -> Grammar {
    let config = SchemaConfig {
        order,
        limits: limits.clone(),
        ..SchemaConfig::default()
    };
    lowered(schema, &config, limits)
}

fn constraint(schema: &str, limits: Limits) -> Constraint {
    let grammar = grammar(schema, Whitespace::Json, limits);
    engine()
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap()
}

/// The longest word first, then single bytes.
fn tokenise(mut bytes: &[u8]) -> Vec<TokenId> {
    let mut tokens = Vec::new();
    while let Some(&byte) = bytes.first() {
        let word = WORDS
            .iter()
            .zip(300u32..)
            .filter(|(w, _)| bytes.starts_with(w.as_bytes()));
        let (length, id) = word
            .map(|(word, id)| (word.len(), id))
            .max()
            .unwrap_or((1, u32::from(byte)));
        tokens.push(TokenId::new(id));
        bytes = &bytes[length..];
    }
    tokens
}

#[test]
fn generations_are_replaced_and_sessions_go_on() {
    let mut limits = Limits::default();
    limits.machine_bytes = 200 << 10;
    let constraint = constraint(r#"{"type": "array", "items": {"type": "object"}}"#, limits);
    let mut seed = 1u32;
    let mut choose = |n: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % n
    };
    // The reference walk makes many states at once: it is left out, the rest of the promise stays.
    let config = CheckConfig::default().steps(200, 80).reference_every(0);
    let mut held = 0;
    for _ in 0..20 {
        match drive(&constraint, &config, &mut choose, &mut |_| Ok(())) {
            Ok(_) => held += 1,
            // A walk that needs more states than a whole generation may have ends in a status.
            Err(violation) => assert!(
                violation.to_string().contains("bytes for states of"),
                "{violation}"
            ),
        }
    }
    assert!(held > 0, "no run went through");
}

/// Each reader finds room, though all texts together take more than a generation has.
#[test]
fn readers_begin_in_a_generation_with_room() {
    let mut limits = Limits::default();
    limits.machine_bytes = 64 << 10;
    let constraint = constraint(r#"{"type": "array", "uniqueItems": true}"#, limits);
    for number in 1000..1200 {
        let mut reader = constraint.recogniser();
        let read = format!("[{number}]")
            .bytes()
            .all(|byte| reader.byte(byte).unwrap());
        assert!(read && reader.may_end(), "{number}");
    }
}

/// Masks are the same whatever is kept of them: here hardly any is.
#[test]
fn small_caches_change_no_mask() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "string", "maxLength": 5}, "b": {"type": "number"}},
        "additionalProperties": {"type": "array", "items": {"pattern": "^x*y"}}}"#;
    let mut limits = Limits::default();
    limits.mask_bytes = 1 << 10;
    let grammar = grammar(schema, Whitespace::Json, limits.clone());
    let engine = Engine::with_limits(engine().vocabulary().clone(), &limits);
    let constraint = engine
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap();
    let mut seed = 1u32;
    let mut choose = |n: u32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) % n
    };
    let config = CheckConfig::default().steps(40, 20);
    for _ in 0..10 {
        drive(&constraint, &config, &mut choose, &mut |_| Ok(())).unwrap();
    }
}

/// However often somebody asks a session that stays where it is, what it answers is what its mask says.
#[test]
fn answers_do_not_wear_out() {
    let mut limits = Limits::default();
    limits.machine_bytes = 48 << 10;
    let schema = r#"{"type": "object", "additionalProperties": {"type": "integer"}}"#;
    let constraint = constraint(schema, limits);
    let mut session = constraint.session();
    session.accept(TokenId::new(u32::from(b'{'))).unwrap();
    session.accept(TokenId::new(u32::from(b'"'))).unwrap();
    let mut row = vec![0; constraint.vocabulary().mask_words()];
    session.mask(&mut row).unwrap();
    let tokens = (0..256).chain(300..306).map(TokenId::new);
    let is_allowed = |token: TokenId| row[token.index() / 32] >> (token.index() % 32) & 1 == 1;
    let allowed: Vec<TokenId> = tokens.clone().filter(|&token| is_allowed(token)).collect();
    for &first in &allowed {
        let mut fork = session.fork();
        assert_eq!(fork.accept(first), Ok(()), "{first:?}");
        // Other keys, and other states, behind each.
        let draft: Vec<TokenId> = [first]
            .into_iter()
            .chain(tokenise(b"ab\": 1, \"cd"))
            .collect();
        for token in tokens.clone().step_by(7) {
            assert_eq!(
                session.allows(token).unwrap(),
                is_allowed(token),
                "{token:?} after {first:?}"
            );
        }
        if first.index() < 256 && (first.index() as u8).is_ascii_alphanumeric() {
            assert_eq!(session.validate(&draft).unwrap(), draft.len(), "{first:?}");
        }
        let mut again = vec![0; row.len()];
        session.mask(&mut again).unwrap();
        assert_eq!(again, row);
        assert!(session.way_out().is_ok() && session.forced_bytes().is_ok());
    }
}

/// A session that moves to a fresh generation again and again is like one that never does, forwards
/// and back, though its states take more room than a generation has.
#[test]
fn states_are_taken_along() {
    let schema = r##"{"type": "object", "required": ["id"], "properties": {"list": {"items": {"$ref": "#"}}}}"##;
    let mut limits = Limits::default();
    let roomy = constraint(schema, limits.clone());
    limits.machine_bytes = 64 << 10;
    let tight = constraint(schema, limits);
    let text = r#"{"one": 1, "two": {"a": [[], {"b": "c"}], "b": {}}, "list": [{"x": 1, "y": 2, "id": 3}, {"id": 4, "three":
        {"four": [5, "six"]}}], "seven": "eight", "id": null, "nine": 10, "eleven": {"twelve": "thirteen"}}"#;
    let words = roomy.vocabulary().mask_words();
    let mut rows = [vec![0; words], vec![0; words]];
    let mut same = |a: &Session, b: &Session| {
        let [one, other] = &mut rows;
        let masked = (a.mask(one), b.mask(other));
        assert_eq!(masked, (Ok(()), Ok(())), "after {} tokens", a.len());
        assert_eq!(one, other, "after {} tokens", a.len());
    };
    let mut sessions = [roomy.session(), tight.session()];
    for token in tokenise(text.as_bytes()) {
        same(&sessions[0], &sessions[1]);
        sessions
            .iter_mut()
            .for_each(|session| session.accept(token).unwrap());
    }
    assert!(sessions.iter().all(Session::may_end));
    for count in [1, 2, 30, 60, 1] {
        sessions
            .iter_mut()
            .for_each(|session| session.rollback(count).unwrap());
        same(&sessions[0], &sessions[1]);
    }
    sessions.iter_mut().for_each(Session::reset);
    same(&sessions[0], &sessions[1]);
}

#[test]
fn what_follows_the_end_is_refused_and_harms_nothing() {
    let mut session = constraint("{\"const\": true}", Limits::default()).session();
    session.accept(TokenId::new(304)).unwrap();
    assert!(session.is_finished() && !session.has_ended());
    session.accept(END).unwrap();
    for token in [END, TokenId::new(304), TokenId::new(9_999)] {
        assert_eq!(session.accept(token), Err(SessionError::Ended));
    }
    session.rollback(1).unwrap();
    assert!(session.allows(END).unwrap() && !session.allows(TokenId::new(304)).unwrap());
    assert_eq!(
        session.rollback(2),
        Err(SessionError::Rollback {
            asked: 2,
            accepted: 1
        })
    );
}

#[test]
fn a_special_token_that_the_grammar_does_not_name_comes_nowhere() {
    let constraint = constraint("{\"type\": \"string\"}", Limits::default());
    let mut recogniser = constraint.recogniser();
    assert!(recogniser.byte(b'"').unwrap());
    assert!(!recogniser.control("<|other|>").unwrap());
    assert!(
        recogniser.control("<|unknown|>").unwrap(),
        "it is text like any other"
    );
}
