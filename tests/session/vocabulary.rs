//! What a vocabulary lacks, has twice, or has beyond its tokens, and which of its tokens end a text.

use maskwright::base::{ByteSet, Limits, TokenId};
use maskwright::check::{CheckConfig, drive};
use maskwright::front::chat::{ChatOptions, Format, compile};
use maskwright::front::json_schema::Whitespace;
use maskwright::grammar::Grammar;
use maskwright::session::{Constraint, ConstraintConfig, ConstraintError, Engine, SessionError};
use maskwright::vocab::{Vocabulary, VocabularyBuilder};

use super::{constraint, grammar};

const ENDS: [u32; 2] = [400, 402];

/// All bytes but `without`; `ab` twice; two end tokens, another special token, and holes between.
fn vocabulary(without: &[u8], ends: &[u32]) -> Vocabulary {
    let mut builder = VocabularyBuilder::new();
    for byte in (0..=255u8).filter(|byte| !without.contains(byte)) {
        let id = TokenId::new(u32::from(byte));
        builder.ordinary(id, &[byte]).unwrap();
    }
    for id in [300, 302] {
        builder.ordinary(TokenId::new(id), b"ab").unwrap();
    }
    for (id, name) in [(400, "<end>"), (401, "<call>"), (402, "<stop>")] {
        builder.special(TokenId::new(id), name).unwrap();
    }
    for &id in ends {
        builder.end_token(TokenId::new(id));
    }
    builder.build().unwrap()
}

/// ABNF, from its rule `a`; `<end>`, `<call>` and `<stop>` are control tokens.
fn abnf(source: &str) -> Grammar {
    let limits = Limits::default();
    let controls = ["<end>", "<call>", "<stop>"];
    let format = Format::parse("a", source, &controls, &limits).unwrap();
    compile(&format, "a", &ChatOptions::default()).unwrap()
}

fn json(schema: &str) -> Grammar {
    grammar(schema, Whitespace::Compact, Limits::default())
}

fn over(vocabulary: Vocabulary, grammar: Grammar) -> Constraint {
    let config = ConstraintConfig::default();
    Engine::new(vocabulary)
        .constraint(grammar, &config)
        .unwrap()
}

/// The ids in the mask after `text`, a byte a token.
fn allowed_after(constraint: &Constraint, text: &str) -> Vec<u32> {
    let mut session = constraint.session();
    for byte in text.bytes() {
        session.accept(TokenId::new(u32::from(byte))).unwrap();
    }
    let mut row = vec![0; constraint.vocabulary().mask_words()];
    session.mask(&mut row).unwrap();
    let bits = 0..32 * row.len() as u32;
    bits.filter(|id| row[*id as usize / 32] >> (id % 32) & 1 == 1)
        .collect()
}

/// A grammar, the bytes that the vocabulary lacks, its end tokens, and what is told.
type Lack<'a> = (Grammar, &'a [u8], &'a [u32], ConstraintConfig, &'a str);

#[test]
fn what_a_vocabulary_lacks_is_told() {
    let stop = |id| ConstraintConfig::default().stop_tokens(vec![TokenId::new(id)]);
    let auto = ConstraintConfig::default;
    let cases: [Lack<'_>; 6] = [
        (
            abnf("a = \"{\" \"x\""),
            b"{",
            &ENDS,
            auto(),
            "over this vocabulary, which cannot spell 0x7B: rule `a` can never end",
        ),
        (
            json(r#"{"const": {"x": 1}}"#),
            b"1x{",
            &ENDS,
            auto(),
            "no single-byte token for 0x31, 0x78, 0x7B that rule ",
        ),
        (
            json("true"),
            b"0123456789",
            &ENDS,
            auto(),
            "0x30, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37 and 2 more that rule ",
        ),
        (
            abnf("a = \"x\""),
            b"",
            &[],
            auto(),
            "the vocabulary names no end token",
        ),
        (
            abnf("a = \"x\""),
            b"",
            &ENDS,
            stop(403),
            "stop token 403 is not in the vocabulary of 403 tokens",
        ),
        (
            abnf("a = \"x\""),
            b"",
            &[],
            ConstraintConfig::default().stop_tokens(Vec::new()),
            "names no end token",
        ),
    ];
    for (grammar, without, ends, config, message) in cases {
        let engine = Engine::new(vocabulary(without, ends));
        let error = engine.constraint(grammar, &config).unwrap_err().to_string();
        assert!(error.contains(message), "{message}: {error}");
    }
    // What can be done without is done without.
    let braces = over(vocabulary(b"{", &ENDS), abnf("a = %s\"{\" / %s\"x\""));
    assert_eq!(allowed_after(&braces, ""), [u32::from(b'x')]);
    // And said: of the bytes that are missing, those that the grammar reads.
    assert_eq!(braces.unspelt_bytes(), ByteSet::from_iter(*b"{"));
    let letters = over(vocabulary(b"{", &ENDS), abnf("a = %s\"x\""));
    assert!(letters.unspelt_bytes().is_empty());
    // A control token that is none of the vocabulary's is spelt, and that can be asked for.
    let spelt = over(
        vocabulary(b"", &ENDS),
        abnf("a = <text> \"<call>\" \"<|x|>\""),
    );
    assert_eq!(spelt.spelt_controls().collect::<Vec<_>>(), ["<|x|>"]);
}

#[test]
fn json_does_without_bytes_that_it_can_do_without() {
    // No control characters but white space, no DEL, no rare lead bytes, and none that never occur.
    let rare = [
        0xC0, 0xC1, 0xE4, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xFE, 0xFF,
    ];
    let controls =
        (0..=0x7Fu8).filter(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace());
    let lacks: Vec<u8> = controls.chain(rare).collect();
    let strange: &[u8] = &[0x7F, 0xE4, 0xF0, 0xF1, 0xF2, 0xF3, 0xF4];
    let cases: [(&str, Result<&[u8], &str>); 14] = [
        (r#"{"type": "string"}"#, Ok(strange)),
        (r#"{}"#, Ok(strange)),
        (r#"{"type": "integer"}"#, Ok(&[])),
        (r#"{"enum": ["a", "\u00e9", 1]}"#, Ok(&[])),
        (r#"{"type": "string", "pattern": "^[a-z]+$"}"#, Ok(&[])),
        (r#"{"type": "string", "pattern": "^.{2,40}$"}"#, Ok(strange)),
        (r#"{"type": "string", "format": "date-time"}"#, Ok(&[])),
        (
            r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true}"#,
            Ok(strange),
        ),
        (
            r#"{"const": "a\ud83e\udd80"}"#,
            Err("0xF0, which `\"a\u{1F980}\"` needs"),
        ),
        (r#"{"enum": ["x", {"y": ["\u4e00"]}]}"#, Err("0xE4, which")),
        (
            r#"{"type": "object", "properties": {"\u4e00": {}}}"#,
            Err("0xE4, which `\"\u{4E00}\"` needs"),
        ),
        (
            r#"{"type": "string", "pattern": "^(a|b\u4e00)$"}"#,
            Err("0xE4, which a pattern needs"),
        ),
        (
            r#"{"type": "array", "items": {"type": "string", "pattern": "^[a\u4e00]$"}, "uniqueItems": true}"#,
            Err("0xE4, which a pattern"),
        ),
        (
            r#"{"type": "object", "additionalProperties": {"const": "\u4e00"}}"#,
            Err("0xE4, which"),
        ),
    ];
    for (schema, expected) in cases {
        let engine = Engine::new(vocabulary(&lacks, &ENDS));
        let made = engine.constraint(json(schema), &ConstraintConfig::default());
        match (made, expected) {
            (Ok(constraint), Ok(bytes)) => {
                let unspelt: Vec<u8> = constraint.unspelt_bytes().iter().collect();
                assert_eq!(unspelt, bytes, "{schema}");
                let config = CheckConfig::default().steps(30, 4);
                for seed in 0..20u32 {
                    let mut at = seed;
                    let mut choose = |below: u32| {
                        at = at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                        (at >> 8) % below
                    };
                    drive(&constraint, &config, &mut choose, &mut |_| Ok(())).unwrap();
                }
            }
            (Err(error), Err(message)) => {
                assert!(error.to_string().contains(message), "{schema}: {error}");
            }
            (made, _) => panic!("{schema}: {:?}", made.map(drop)),
        }
    }
}

#[test]
fn texts_end_with_the_tokens_that_are_to_end_them() {
    let ids = |ids: &[u32]| ids.iter().copied().map(TokenId::new).collect();
    let cases: [(&str, ConstraintConfig, &[u32]); 4] = [
        // The vocabulary's, less those that the grammar names.
        ("a = \"1\"", ConstraintConfig::default(), &ENDS),
        (
            "a = \"1\" / \"<stop>\"",
            ConstraintConfig::default(),
            &[400],
        ),
        (
            "a = \"1\" / \"<stop>\" \"<end>\"",
            ConstraintConfig::default(),
            &ENDS,
        ),
        // Or those that are given.
        (
            "a = \"1\"",
            ConstraintConfig::default().stop_tokens(ids(&[401, 402])),
            &[401, 402],
        ),
    ];
    for (source, config, ends) in cases {
        let engine = Engine::new(vocabulary(b"", &ENDS));
        let constraint = engine.constraint(abnf(source), &config).unwrap();
        assert_eq!(constraint.stop_tokens(), ids(ends), "{source}");
        assert_eq!(allowed_after(&constraint, "1"), ends, "{source}");
        for &end in ends {
            let mut session = constraint.session();
            session.accept(TokenId::new(u32::from(b'1'))).unwrap();
            assert!(session.may_end() && session.is_finished() && !session.has_ended());
            session.accept(TokenId::new(end)).unwrap();
            assert!(session.has_ended(), "{source}: {end}");
        }
    }
}

#[test]
fn tokens_alike_are_allowed_alike_and_holes_never() {
    let vocabulary = vocabulary(b"", &ENDS).with_logits(500).unwrap();
    let constraint = over(vocabulary, abnf("a = 1*OCTET %s\"ab\""));
    // All bytes, `ab` twice; no hole, no special token, nothing beyond.
    let all: Vec<u32> = (0..256).chain([300, 302]).collect();
    assert_eq!(allowed_after(&constraint, ""), all);
    let ended: Vec<u32> = all.iter().copied().chain(ENDS).collect();
    assert_eq!(allowed_after(&constraint, "xab"), ended);
}

#[test]
fn a_refused_token_leaves_the_session_as_it_was() {
    let constraint = constraint(r#"{"enum": [12, 13]}"#, Limits::default());
    let token = |byte: u8| TokenId::new(u32::from(byte));
    let mut session = constraint.session();
    session.accept(token(b'1')).unwrap();
    let mut before = vec![0; constraint.vocabulary().mask_words()];
    session.mask(&mut before).unwrap();
    // An ordinary token, a word, a special token, the end too early, a hole, and ids beyond.
    for id in [u32::from(b'1'), 304, 399, 400, 299, 401, u32::MAX] {
        let refused = TokenId::new(id);
        let error = SessionError::NotAllowed { token: refused };
        assert_eq!(session.accept(refused), Err(error), "{id}");
        assert!(!session.allows(refused).unwrap(), "{id}");
        assert_eq!(
            session.validate(&[refused, token(b'2')]).unwrap(),
            0,
            "{id}"
        );
        let mut after = vec![0; before.len()];
        session.mask(&mut after).unwrap();
        assert_eq!(after, before, "{id}");
        assert_eq!(session.tokens(), [token(b'1')], "{id}");
    }
    let whole = [token(b'2'), TokenId::new(400)];
    assert_eq!(session.validate(&whole).unwrap(), 2);
    assert_eq!(
        session
            .validate(&[token(b'2'), token(b'2'), token(b'2')])
            .unwrap(),
        1
    );
    for token in whole {
        session.accept(token).unwrap();
    }
    assert!(session.has_ended());
    // From the beginning, it is a new session again.
    session.reset();
    assert!(session.is_empty() && !session.has_ended() && !session.may_end());
    let (mut row, mut new) = (before.clone(), before.clone());
    session.mask(&mut row).unwrap();
    constraint.session().mask(&mut new).unwrap();
    assert_eq!(row, new);
}

/// `grammar` over the bytes and some words, where the tokens of these ids end texts.
fn stopped_by(ids: &[u32], grammar: Grammar) -> Result<Constraint, ConstraintError> {
    let stop_tokens = ids.iter().map(|&id| TokenId::new(id)).collect();
    let config = ConstraintConfig::default().stop_tokens(stop_tokens);
    Engine::new(vocabulary(b"", &ENDS)).constraint(grammar, &config)
}

#[test]
fn a_stop_token_is_never_text() {
    let text = |text: &str| text.bytes().map(u32::from).collect::<Vec<_>>();
    // `ab` is the tokens 300 and 302: the first ends texts, the second is text.
    let constraint = stopped_by(&[300, 400], json(r#"{"type": "string"}"#)).unwrap();
    let mut session = constraint.session();
    let mut row = vec![0; constraint.vocabulary().mask_words()];
    let allows = |row: &[u32], id: u32| row[id as usize / 32] >> (id % 32) & 1 == 1;
    for id in text("\"x") {
        session.accept(TokenId::new(id)).unwrap();
    }
    session.mask(&mut row).unwrap();
    assert!(!allows(&row, 300) && allows(&row, 302));
    assert!(!session.allows(TokenId::new(300)).unwrap());
    session.accept(TokenId::new(302)).unwrap();
    session.accept(TokenId::new(u32::from(b'"'))).unwrap();
    session.mask(&mut row).unwrap();
    assert!(allows(&row, 300) && allows(&row, 400) && !allows(&row, 302));
    session.accept(TokenId::new(300)).unwrap();
    assert!(session.has_ended());
}

#[test]
fn what_only_a_stop_token_spells_is_left_out_or_refused() {
    // The one token for `x` ends texts: an automaton loses the texts that have it, a schema would need to be asked.
    let constraint = stopped_by(&[u32::from(b'x')], abnf("a = 1*(\"x\" / \"y\")")).unwrap();
    assert!(constraint.unspelt_bytes().contains(b'x'));
    let x = TokenId::new(u32::from(b'x'));
    let mut session = constraint.session();
    assert!(!session.allows(x).unwrap());
    session.accept(TokenId::new(u32::from(b'y'))).unwrap();
    session.accept(x).unwrap();
    assert!(session.has_ended());

    let refused = stopped_by(&[u32::from(b'x')], json("{}")).unwrap_err();
    assert!(matches!(
        refused,
        ConstraintError::StopTokenIsText { byte: b'x', .. }
    ));
    let none = stopped_by(&[u32::from(b'x')], abnf("a = %s\"x\"")).unwrap_err();
    assert!(matches!(none, ConstraintError::Unspellable { .. }));
}

#[test]
fn texts_with_ordinary_stop_tokens_keep_the_promise() {
    for seed in 0..40u32 {
        let constraint = stopped_by(&[300, 400], json(r#"{"type": ["string", "array"]}"#)).unwrap();
        let mut at = seed;
        let mut choose = |below: u32| {
            at = at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (at >> 8) % below
        };
        let config = CheckConfig::default().steps(24, 8);
        drive(&constraint, &config, &mut choose, &mut |_| Ok(())).unwrap();
    }
}

/// Masks are right where tokens have up to 64 KiB, within one rule and across several.
#[test]
fn long_tokens_are_allowed_where_their_text_is() {
    let letters = "a".repeat(60_000);
    let fits = format!("\"{}", "a".repeat(2_000));
    let object = format!("{{\"{}\":1}}", "k".repeat(5_000));
    let unclosed = format!("{{\"{}\":1]", "k".repeat(5_000));
    let array = format!("{}1{}", "[".repeat(1_100), "]".repeat(1_100));
    let texts = [&letters, &fits, &object, &unclosed, &array];
    let mut builder = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        builder
            .ordinary(TokenId::new(u32::from(byte)), &[byte])
            .unwrap();
    }
    for (text, id) in texts.iter().zip(300..) {
        builder.ordinary(TokenId::new(id), text.as_bytes()).unwrap();
    }
    builder.special(TokenId::new(400), "<end>").unwrap();
    builder.end_token(TokenId::new(400));
    let vocabulary = builder.build().unwrap();
    let long = |constraint: &Constraint, text: &str| -> Vec<u32> {
        let mut session = constraint.session();
        for byte in text.bytes() {
            session.accept(TokenId::new(u32::from(byte))).unwrap();
        }
        let words = constraint.vocabulary().mask_words();
        let [mut row, mut reference] = [vec![0; words], vec![0; words]];
        session.mask(&mut row).unwrap();
        session.reference_mask(&mut reference).unwrap();
        assert_eq!(row, reference, "after {text}");
        let has = |id: &u32| row[*id as usize / 32] >> (id % 32) & 1 == 1;
        (300..305).filter(has).collect()
    };
    let any = over(vocabulary.clone(), json("true"));
    assert_eq!(long(&any, ""), [301, 302, 304]);
    assert_eq!(long(&any, "[\""), [300, 304]);
    let short = over(
        vocabulary,
        json(r#"{"anyOf":[{"type":"string","maxLength":2000},{"type":"object"}]}"#),
    );
    assert_eq!(long(&short, ""), [301, 302]);
    assert_eq!(long(&short, "\""), [0; 0]);
}

/// Tokens of 64 KiB, and a byte less, that begin, go on with and end a string: masks have those that the text may go on with.
#[test]
fn the_longest_tokens_are_told_apart_by_their_last_byte() {
    let letters = |count| "a".repeat(count);
    let long = [
        letters(65_536),
        letters(65_535),
        format!("\"{}", letters(65_535)),
        format!("\"{}\"", letters(65_534)),
        format!("{}\"", letters(65_535)),
        "é".repeat(32_768),
    ];
    let constraint = |schema: &str| {
        let mut builder = VocabularyBuilder::new();
        for byte in 0..=255u8 {
            let id = TokenId::new(u32::from(byte));
            builder.ordinary(id, &[byte]).unwrap();
        }
        for (id, text) in (500..).zip(&long) {
            builder.ordinary(TokenId::new(id), text.as_bytes()).unwrap();
        }
        builder.special(TokenId::new(400), "<end>").unwrap();
        builder.end_token(TokenId::new(400));
        // Each byte of a text that is counted leads to a state of its own.
        let mut limits = Limits::default();
        limits.machine_bytes = 1 << 28;
        let grammar = grammar(schema, Whitespace::Compact, limits);
        over(builder.build().unwrap(), grammar)
    };
    for (schema, before, expected) in [
        (r#"{"type":"string"}"#, "", &[502, 503][..]),
        (r#"{"type":"string"}"#, "\"", &[500, 501, 504, 505]),
        (r#"{"maxLength":65536}"#, "\"", &[500, 501, 504, 505]),
        (r#"{"maxLength":65535}"#, "\"", &[501, 504, 505]),
        (r#"{"maxLength":65535}"#, "\"a", &[505]),
        (r#"{"maxLength":65534}"#, "", &[503]),
        (r#"{"minLength":65536}"#, "\"", &[500, 501, 505]),
        (r#"{"minLength":65536}"#, "\"a", &[500, 501, 504, 505]),
        (r#"{"pattern":"^a{65536}$"}"#, "\"", &[500, 501]),
        (r#"{"pattern":"^a{65536}$"}"#, "\"a", &[501, 504]),
        (r#"{"pattern":"^(a{4})*$"}"#, "\"a", &[500, 501, 504]),
    ] {
        let schema = match schema.contains("type") {
            true => schema.to_owned(),
            false => schema.replacen('{', r#"{"type":"string","#, 1),
        };
        let constraint = constraint(&schema);
        let mut allowed = allowed_after(&constraint, before);
        allowed.retain(|&id| id >= 500);
        assert_eq!(allowed, expected, "{schema} after {before}");
        let mut session = constraint.session();
        for byte in before.bytes() {
            session.accept(TokenId::new(u32::from(byte))).unwrap();
        }
        for id in 500..506 {
            let is_allowed = session.fork().accept(TokenId::new(id)).is_ok();
            assert_eq!(is_allowed, expected.contains(&id), "{schema}: {id}");
        }
    }
}
