//! What sessions do under a deadline: masks, validation, rollback, forks and forced tokens say the same.

use maskwright::base::TokenId;
use maskwright::session::{Engine, Session, SessionError};
use maskwright::vocab::VocabularyBuilder;

use super::{END, Random, WORDS, constraint, engine, mask, tokens};

const SCHEMA: &str = r#"{"type": "object", "properties": {"name": {"type": "string"}, "tags": {"type": "array",
    "items": {"enum": ["ab", "abc", 12]}, "minItems": 1}}, "required": ["name", "tags"]}"#;

fn session() -> Session {
    constraint(&engine(&WORDS, &[]), SCHEMA).session()
}

#[test]
fn a_deadline_that_is_too_near_says_which_is_not() {
    let mut session = session();
    let error = session.deadline(3).unwrap_err();
    let SessionError::Deadline { given: 3, needed } = error else {
        panic!("{error}");
    };
    assert_eq!(needed, session.way_out().unwrap().len() + 1);
    assert_eq!(session.tokens_left(), None, "nothing has changed");
    session.deadline(needed).unwrap();
    for token in session.way_out().unwrap() {
        let needed = session.fork().deadline(0).unwrap_err();
        let left = session.tokens_left().unwrap();
        assert_eq!(
            needed,
            SessionError::Deadline {
                given: 0,
                needed: left
            }
        );
        assert!(mask(&session).contains(&token));
        session.accept(token).unwrap();
    }
    assert!(session.is_finished() && session.tokens_left() == Some(1));
    assert_eq!(mask(&session), [END]);
    session.accept(END).unwrap();
    assert!(session.has_ended() && session.tokens_left() == Some(0));
}

/// With one token left the text ends, though it might go on.
#[test]
fn the_last_token_is_an_end_token() {
    let engine = engine(&WORDS, &[]);
    let mut session = constraint(&engine, r#"{"type": "integer"}"#).session();
    session.deadline(3).unwrap();
    session.accept(TokenId::new(u32::from(b'1'))).unwrap();
    session.accept(TokenId::new(u32::from(b'2'))).unwrap();
    assert!(session.is_finished() && !session.has_ended());
    assert_eq!(mask(&session), [END]);
    assert!(!session.allows(TokenId::new(u32::from(b'3'))).unwrap());
    session.clear_deadline();
    assert!(session.allows(TokenId::new(u32::from(b'3'))).unwrap() && !session.is_finished());
}

/// More numbers can come next than ways to the end are looked for.
const DISTINCT: &str =
    r#"{"type": "array", "uniqueItems": true, "minItems": 3, "items": {"type": "integer"}}"#;

/// Masks, the definition of masks, `validate`, `accept` and `allows` agree at each step, and after a rollback all is
/// as it was.
#[test]
fn all_calls_agree() {
    for schema in [SCHEMA, DISTINCT] {
        all_calls_agree_on(&constraint(&engine(&WORDS, &[]), schema).session());
    }
}

fn all_calls_agree_on(start: &Session) {
    let needed = start.way_out().unwrap().len() + 1;
    let mut random = Random(0xDEAD_11FE);
    for turn in 0..60 {
        let mut session = start.fork();
        session.deadline(needed + turn % 25).unwrap();
        let mut masks = Vec::new();
        while !session.has_ended() {
            let allowed = mask(&session);
            assert!(!allowed.is_empty(), "a dead end");
            let mut row = vec![0; session.constraint().vocabulary().mask_words()];
            session.reference_mask(&mut row).unwrap();
            assert_eq!(tokens(&row), allowed);
            for id in 0..410 {
                let token = TokenId::new(id);
                let is_allowed = allowed.contains(&token);
                assert_eq!(session.allows(token).unwrap(), is_allowed, "token {id}");
                assert_eq!(
                    session.fork().accept(token).is_ok(),
                    is_allowed,
                    "token {id}"
                );
            }
            let token = random.pick(&allowed);
            masks.push(allowed);
            session.accept(token).unwrap();
        }
        let written = session.tokens();
        for length in (0..masks.len()).rev() {
            session.rollback(session.len() - length).unwrap();
            assert_eq!(mask(&session), masks[length]);
            assert_eq!(
                session.validate(&written[length..]).unwrap(),
                written.len() - length
            );
        }
    }
}

/// Each key of an object that must differ leads to where no other does, of those with `z` to where much is asked for.
#[test]
fn keys_that_ask_for_more_are_told_from_thousands_that_do_not() {
    let name = |index| format!("field{index}");
    let names: Vec<String> = (0..12).map(name).collect();
    let fields = names
        .iter()
        .map(|name| format!(r#""{name}": {{"const": "long {name}"}}"#));
    let schema = format!(
        r#"{{"type": "array", "uniqueItems": true, "minItems": 1, "items": {{"type": "object", "patternProperties": {{"^z":
        {{"type": "object", "properties": {{{}}}, "required": {names:?}}}}}, "additionalProperties": {{"type": "integer"}}}}}}"#,
        fields.collect::<Vec<_>>().join(", ")
    );
    let letters = || (b'k'..=b'z').map(char::from);
    let pairs = letters().flat_map(|a| letters().map(move |b| format!("{a}{b}")));
    let mut words: Vec<String> = pairs.collect();
    let longer = words
        .iter()
        .flat_map(|pair| letters().map(move |c| format!("{pair}{c}")));
    words.extend(longer.collect::<Vec<_>>());
    let session = constraint(&engine_of_many(&words), &schema).session();
    for tokens in [40, 150, 250, 400, 800] {
        let mut session = session.fork();
        session.deadline(tokens).unwrap();
        for byte in b"[{\"" {
            session.accept(TokenId::new(u32::from(*byte))).unwrap();
        }
        let allowed = mask(&session);
        let keys = words
            .iter()
            .zip(500..)
            .filter(|(word, id)| word.starts_with('z') || id % 50 == 0);
        for (word, id) in keys {
            let token = TokenId::new(id);
            let is_accepted = session.fork().accept(token).is_ok();
            assert_eq!(is_accepted, allowed.contains(&token), "{word} of {tokens}");
            match word.starts_with('z') {
                true if tokens <= 250 => assert!(!is_accepted, "{word} of {tokens}"),
                true if tokens < 800 => {}
                _ => assert!(is_accepted, "{word} of {tokens}"),
            }
        }
    }
}

/// Where letters ask for more or less as more or fewer of the texts that begin with them were read, each is in the mask where it can be
/// taken.
#[test]
fn letters_ask_for_as_much_as_was_read_with_them() {
    let schema = r#"{"type": "array", "uniqueItems": true, "items": {"type": "string", "pattern": "^[a-z]x*$"}}"#;
    let session = constraint(&engine(&[], &[]), schema).session();
    let read_with = |letter: char| match letter {
        'z' => 120,
        _ => letter as usize - 'a' as usize,
    };
    let letters = || 'a'..='z';
    let texts: Vec<String> = letters()
        .flat_map(|letter| {
            (0..read_with(letter)).map(move |more| format!("\"{letter}{}\",", "x".repeat(more)))
        })
        .collect();
    let mut session = session.fork();
    for byte in format!("[{}\"", texts.concat()).bytes() {
        session.accept(TokenId::new(u32::from(byte))).unwrap();
    }
    for left in (1..30).chain([40, 60, 100, 124, 125, 126, 200]) {
        let mut hurried = session.fork();
        if hurried.deadline(left).is_err() {
            continue;
        }
        let allowed = mask(&hurried);
        for letter in letters() {
            let token = TokenId::new(letter as u32);
            let is_accepted = hurried.fork().accept(token).is_ok();
            assert_eq!(
                is_accepted,
                allowed.contains(&token),
                "{letter} with {left} left"
            );
        }
    }
}

/// The bytes, an end token, and many words.
fn engine_of_many(words: &[String]) -> Engine {
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        let id = TokenId::new(u32::from(byte));
        vocabulary.ordinary(id, &[byte]).unwrap();
    }
    for (word, id) in words.iter().zip(500..) {
        vocabulary
            .ordinary(TokenId::new(id), word.as_bytes())
            .unwrap();
    }
    vocabulary.special(END, "<end>").unwrap().end_token(END);
    Engine::new(vocabulary.build().unwrap())
}

/// What was taken back from before the deadline was set is on the way, too.
#[test]
fn a_rollback_to_before_the_deadline_keeps_it() {
    let mut session = session();
    let way = session.way_out().unwrap();
    for &token in &way[..2] {
        session.accept(token).unwrap();
    }
    session.deadline(way.len() - 1).unwrap();
    session.rollback(2).unwrap();
    assert_eq!(session.tokens_left(), Some(way.len() + 1));
    assert_eq!(session.validate(&way).unwrap(), way.len());
}

#[test]
fn forced_tokens_keep_the_deadline() {
    let mut session = session();
    let needed = session.way_out().unwrap().len() + 1;
    session.deadline(needed).unwrap();
    let alone = session.forced_tokens(None).unwrap();
    assert_eq!(session.validate(&alone).unwrap(), alone.len());
    let bytes = &mut |bytes: &[u8]| bytes.iter().map(|&b| TokenId::new(u32::from(b))).collect();
    let forced = session.forced_tokens(Some(bytes)).unwrap();
    assert_eq!(session.validate(&forced).unwrap(), forced.len());
}

/// The rows of a draft are the masks behind its tokens, and it is cut where the deadline refuses one.
#[cfg(feature = "batch")]
#[test]
fn drafts_keep_the_deadline() {
    use maskwright::batch::{Job, fill_masks};

    let mut session = session();
    let way = session.way_out().unwrap();
    session.deadline(way.len() + 2).unwrap();
    let space = TokenId::new(u32::from(b' '));
    let draft = [way[0], space, way[1], space, way[2]];
    let words = session.constraint().vocabulary().mask_words();
    let mut rows = vec![0; words * (draft.len() + 1)];
    let job = Job {
        session: &session,
        draft: &draft,
        rows: &mut rows,
    };
    let accepted = fill_masks(&mut [job]).remove(0).unwrap();
    assert_eq!(accepted, session.validate(&draft).unwrap());
    assert!(
        (1..draft.len()).contains(&accepted),
        "{accepted} of the draft"
    );
    for (place, row) in rows.chunks(words).enumerate() {
        match place <= accepted {
            true => assert_eq!(tokens(row), mask(&session)),
            false => assert!(row.iter().all(|&word| word == 0)),
        }
        if place < accepted {
            session.accept(draft[place]).unwrap();
        }
    }
}

/// A way is looked for once for all tokens that end a key, though each key is remembered: what is kept does not grow with
/// the tokens.
#[test]
fn tokens_that_end_a_key_share_a_way() {
    let keys = (0..20).map(|at| format!("k{at}"));
    let (properties, required): (Vec<String>, Vec<String>) = keys
        .map(|key| {
            let object = r#"{"type": "object", "required": ["a", "b"]}"#;
            (format!(r#""{key}": {object}"#), format!(r#""{key}""#))
        })
        .unzip();
    let (properties, required) = (properties.join(", "), required.join(", "));
    let schema = format!(
        r#"{{"type": "object", "properties": {{{properties}}}, "required": [{required}]}}"#
    );
    let words: Vec<String> = (10..99).map(|end| format!("{end}\"")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let bytes = |words: &[&str]| {
        let engine = engine(words, &[]);
        let mut session = constraint(&engine, &schema).session();
        session.deadline(2_000).unwrap();
        for &byte in b"{\"x" {
            session.accept(TokenId::new(u32::from(byte))).unwrap();
        }
        let allowed = mask(&session).len();
        assert!(allowed > words.len());
        engine.constraint_bytes()
    };
    let (few, many) = (bytes(&words[..8]), bytes(&words));
    assert!(many < few / 2 * 3, "{few} and {many} bytes");
}
