//! What is known of states that are alike but for bounds serves each of them: a session among others has the masks that one has
//! which is the first of its grammar.

use maskwright::session::Session;

use super::{Random, WORDS, constraint, engine, mask};

/// Strings that are counted: by themselves, among others, with a pattern, in several ways at once, and in objects.
const SCHEMAS: [&str; 8] = [
    r#"{"type": "string", "maxLength": 7}"#,
    r#"{"type": "string", "minLength": 3, "maxLength": 40}"#,
    r#"{"type": "string", "pattern": "^[a-z0-9 ]{2,12}$"}"#,
    r#"{"type": "string", "pattern": "^(?:[ab]{1,9}|[a-z]{4,6})$", "minLength": 2}"#,
    r#"{"anyOf": [{"type": "string", "maxLength": 9}, {"type": "string", "pattern": "^[a-z]{3,20}$"}, {"type": "integer"}]}"#,
    r#"{"type": "object", "properties": {"a": {"type": "string", "maxLength": 6}, "name": {"type": "string", "minLength": 1, "maxLength": 12}},
        "required": ["a", "name"], "additionalProperties": false}"#,
    r#"{"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 5}, "minItems": 2}"#,
    r#"{"type": "object", "additionalProperties": {"type": "string", "maxLength": 5}, "propertyNames": {"maxLength": 4}}"#,
];

/// A session of its own grammar that has accepted what `like` has, and has as many tokens left.
fn alone(schema: &str, like: &Session) -> Session {
    let mut session = constraint(&engine(&WORDS, &[]), schema).session();
    for &token in &like.tokens() {
        session.accept(token).unwrap();
    }
    session.deadline(like.tokens_left().unwrap()).unwrap();
    session
}

#[test]
fn a_state_among_others_that_are_alike_has_the_masks_of_its_own() {
    let mut random = Random(0x51_7C_C1_B7);
    for schema in SCHEMAS {
        let constraint = constraint(&engine(&WORDS, &[]), schema);
        for _ in 0..6 {
            let mut session = constraint.session();
            let needed = session.tokens_needed().unwrap();
            session.deadline(needed + random.below(20)).unwrap();
            while !session.has_ended() {
                let needed = session.tokens_needed().unwrap();
                let allowed = mask(&session);
                // What was reserved before may be nearer to the end than what is found here.
                if session.tokens_left() > Some(needed) {
                    assert_eq!(mask(&alone(schema, &session)), allowed, "{schema}");
                }
                session.accept(random.pick(&allowed)).unwrap();
            }
        }
    }
}
