//! The bound beside the least number of tokens, found breadth first over sessions.

use maskwright::session::Session;

use super::{Random, WORDS, constraint, engine, mask};

/// Sessions looked at before the search is given up.
const LOOKED_AT: usize = 20_000;

/// The least number of tokens to the end, the end token included; `None` where it is not found soon.
fn least(session: &Session) -> Option<usize> {
    let mut row = vec![session.fork()];
    let mut looked_at = 0;
    for count in 1.. {
        if row.iter().any(Session::may_end) {
            return Some(count);
        }
        let mut next = Vec::new();
        for session in row {
            for token in mask(&session) {
                let mut fork = session.fork();
                fork.accept(token).unwrap();
                next.push(fork);
                looked_at += 1;
                if looked_at > LOOKED_AT {
                    return None;
                }
            }
        }
        row = next;
    }
    None
}

#[test]
fn bounds_are_near_what_is_least() {
    let schemas = [
        r#"{"type": "boolean"}"#,
        r#"{"enum": ["a", "abc", 12, null]}"#,
        r#"{"type": "array", "items": {"const": 1}, "minItems": 2}"#,
        r#"{"type": "array", "items": {"enum": [true, []]}}"#,
        r#"{"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"], "additionalProperties": false}"#,
        r#"{"type": "object", "properties": {"a": {"enum": ["ab", "12"]}, "b": {"const": []}}, "required": ["b"], "additionalProperties": false}"#,
        r#"{"type": "array", "items": {"enum": [0, 12, true]}, "uniqueItems": true, "minItems": 2}"#,
        r##"{"anyOf": [{"const": 0}, {"type": "array", "items": {"$ref": "#"}, "minItems": 1, "maxItems": 1}]}"##,
    ];
    let engine = engine(&WORDS, &[]);
    let mut random = Random(0xDEAD_11FE);
    let (mut exact, mut given, mut states) = (0, 0, 0);
    for schema in schemas {
        let constraint = constraint(&engine, schema);
        for _ in 0..20 {
            let mut session = constraint.session();
            for _ in 0..random.below(6) {
                if session.is_finished() {
                    break;
                }
                let allowed = mask(&session);
                session.accept(random.pick(&allowed)).unwrap();
            }
            if session.has_ended() {
                continue;
            }
            let Some(least) = least(&session) else {
                continue;
            };
            let needed = session.tokens_needed().unwrap();
            assert!(needed >= least, "{schema}: {needed} tokens, not {least}");
            exact += least;
            given += needed - least;
            states += 1;
        }
    }
    assert!(states > 80, "{states} states only");
    eprintln!("{states} states: {exact} tokens at least, {given} more by the bound");
    assert!(
        given * 10 <= exact,
        "{given} tokens of {exact} are given away"
    );
}
