//! Ways out: short, allowed, and to an end, from wherever a session stands.

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::{ChatOptions, Format, compile};
use maskwright::front::json_schema::PropertyOrder;
use maskwright::session::{Constraint, ConstraintConfig, Session, SessionError};

use super::{END, constraint, engine, grammar_in};

/// The session after `text`, a byte a token.
fn after(constraint: &Constraint, text: &str) -> Session {
    let mut session = constraint.session();
    for byte in text.bytes() {
        session.accept(TokenId::new(u32::from(byte))).unwrap();
    }
    session
}

fn spelt(session: &Session, tokens: &[TokenId]) -> String {
    let vocabulary = session.constraint().vocabulary();
    let bytes = |&token: &TokenId| match vocabulary.bytes(token) {
        Some(bytes) => bytes,
        None => vocabulary.special_name(token).unwrap().as_bytes(),
    };
    let bytes: Vec<u8> = tokens.iter().flat_map(bytes).copied().collect();
    String::from_utf8(bytes).unwrap()
}

fn check(constraint: &Constraint, text: &str, expect: &str) {
    let mut session = after(constraint, text);
    let way = session.way_out().unwrap();
    assert_eq!(spelt(&session, &way), expect, "after {text}");
    for token in way {
        session.accept(token).unwrap();
    }
    assert!(session.may_end(), "{text}{expect}");
    assert_eq!(session.way_out().unwrap(), []);
    if !session.is_finished() {
        session.accept(END).unwrap();
        assert_eq!(session.way_out().unwrap(), []);
    }
}

/// Hundreds of texts that must differ are a few bytes long each.
#[test]
fn ways_out_through_many_distinct_texts_are_found() {
    for (schema, longest) in [
        (
            r#"{"type": "array", "items": {"type": "string"}, "uniqueItems": true, "minItems": 800}"#,
            6 * 800,
        ),
        (r#"{"type": "object", "minProperties": 800}"#, 9 * 800),
        (
            r#"{"type": "array", "items": {"type": "string", "pattern": "^[a-z]*$"}, "uniqueItems": true, "minItems": 600}"#,
            6 * 600,
        ),
        (
            r#"{"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "minItems": 60}"#,
            4 * 60,
        ),
        (
            r#"{"type": "array", "items": {"type": "integer"}, "uniqueItems": true, "minItems": 200}"#,
            5 * 200,
        ),
    ] {
        let constraint = constraint(schema, Limits::default());
        let mut session = constraint.session();
        let way = session.way_out().unwrap();
        assert!(way.len() <= longest, "{schema}: {}", way.len());
        for token in way {
            session.accept(token).unwrap();
        }
        assert!(session.may_end(), "{schema}");
    }
}

#[test]
fn ways_out_of_schemas_are_short() {
    let person = r#"{"type": "object", "required": ["name", "pets"], "properties": {
        "name": {"type": "string", "minLength": 2}, "age": {"type": "integer"},
        "pets": {"type": "array", "minItems": 1, "items": {"enum": ["cat", "elephant"]}}}}"#;
    let list = r##"{"anyOf": [{"type": "null"}, {"type": "array", "items": {"$ref": "#"}, "minItems": 2}]}"##;
    let distinct =
        r#"{"type": "array", "items": {"type": "number"}, "uniqueItems": true, "minItems": 3}"#;
    let objects = r#"{"type": "array", "uniqueItems": true, "minItems": 2, "items": {"type": "object",
        "properties": {"a": {"type": "boolean"}}, "additionalProperties": false}}"#;
    let names = r#"{"type": "object", "minProperties": 2, "propertyNames": {"pattern": "^[ab]$"}}"#;
    for (schema, text, expect) in [
        (r#"{"type": "integer"}"#, "", "0"),
        (r#"{"type": "integer"}"#, "-", "0"),
        (r#"{"type": "integer", "minimum": 100}"#, "", "100"),
        (r#"{"type": "integer"}"#, "12", ""),
        (r#"{"type": "string"}"#, "\"a\\", "\"\""),
        (r#"{"const": "hello big"}"#, "", "\"hello big\""),
        (person, "", r#"{"name":"  ","pets":["cat"]}"#),
        (person, r#"{"name":"Zo","#, r#""pets":["cat"]}"#),
        (person, r#"{"name":"Zo","pets":["e"#, r#"lephant"]}"#),
        (list, "[[", "null,null],null]"),
        (distinct, "", "[0,1,2]"),
        (distinct, "[0.0,", "1,2]"),
        (objects, "", r#"[{},{"a":true}]"#),
        (objects, r#"[{"a":true},"#, "{}]"),
        (
            r#"{"type": "object", "minProperties": 3}"#,
            "",
            r#"{"":0," ":0,"!":0}"#,
        ),
        (names, "", r#"{"a":0,"b":0}"#),
        (names, r#"{"b":1,"#, r#""a":0}"#),
    ] {
        check(&constraint(schema, Limits::default()), text, expect);
    }
}

/// A way through characters of which many take several bytes is no search through their bytes.
#[test]
fn letters_of_one_byte_are_the_way_through_letters() {
    let mut limits = Limits::default();
    limits.work = 400_000;
    let schema = r#"{"type": "string", "pattern": "^[\\p{L}\\p{N} ]{200,1000}$"}"#;
    let constraint = constraint(schema, limits);
    check(&constraint, "", &format!("\"{}\"", " ".repeat(200)));
    check(&constraint, "\"abc", &format!("{}\"", " ".repeat(197)));
}

/// Of many objects the one is taken whose end is nearest, be that in the first round of the search or the last.
#[test]
fn the_nearest_of_many_is_taken() {
    for least in [3, 40, 600] {
        let branch = |at: usize| {
            let length = least + 70 * (11 - at);
            format!(
                r#"{{"type": "object", "properties": {{"kind": {{"const": "k{at}"}}, "v": {{"type": "string", "minLength": {length}}}}},
                "required": ["kind", "v"], "additionalProperties": false}}"#
            )
        };
        let branches: Vec<String> = (0..12).map(branch).collect();
        let schema = format!(
            r#"{{"type": "array", "minItems": 1, "items": {{"anyOf": [{}]}}}}"#,
            branches.join(", ")
        );
        let constraint = constraint(&schema, Limits::default());
        let rest = format!("ind\":\"k11\",\"v\":\"{}\"}}]", " ".repeat(least));
        check(&constraint, "", &format!("[{{\"k{rest}"));
        check(&constraint, "[{\"k", &rest);
    }
}

#[test]
fn control_tokens_are_on_the_way() {
    let source = r#"a = *%s"x" ( call / 9%s"y" ) end
call = other %s"z" other
other = %s"<|other|>"
end = %s"abc" other
"#;
    let limits = Limits::default();
    let format = Format::parse("a", source, &["<|other|>"], &limits).unwrap();
    let grammar = compile(&format, "a", &ChatOptions::default()).unwrap();
    let constraint = engine()
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap();
    check(&constraint, "xx", "<|other|>z<|other|>abc<|other|>");
}

/// A number that must be a multiple of so much has more beginnings than can be looked through; a key
/// that asks for none is found all the same.
#[test]
fn wide_values_are_left_aside() {
    let schema = r#"{"type": "object", "minProperties": 1, "maxProperties": 1, "patternProperties":
        {"^a?$": {"type": "integer", "multipleOf": 999999999989, "minimum": 1}}}"#;
    check(&constraint(schema, Limits::default()), "", r#"{" ":0}"#);
}

/// Which digits make a number a multiple is worked out, not searched for: there are too many beginnings for that.
#[test]
fn ways_out_of_multiples_are_short() {
    let but_not = r#"{"type": "number", "multipleOf": 8721, "not": {"anyOf": [{"multipleOf": 2},
        {"multipleOf": 6.5}, {"multipleOf": 5}, {"multipleOf": 7}, {"multipleOf": 11}, {"multipleOf": 37}]}}"#;
    let keys = r#"{"type": "object", "required": ["xyz"], "patternProperties": {
        "x": {"allOf": [{"multipleOf": 13.5}, {"multipleOf": 23}, {"multipleOf": 4.125}]},
        "y": {"not": {"anyOf": [{"multipleOf": 17}, {"multipleOf": 3.5}]}}, "z": {"maximum": -50000}}}"#;
    let each = r#"{"type": "array", "items": {"multipleOf": 99999989}}"#;
    let apart = r#"{"type": "array", "uniqueItems": true, "minItems": 3, "items": {"type": "integer", "multipleOf": 999983}}"#;
    let mut limits = Limits::default();
    limits.machine_bytes = 2 << 20;
    for (schema, text, expect) in [
        (but_not, "12345", "70923"),
        (r#"{"type": "number", "multipleOf": 0.0077}"#, "1.", "54"),
        (
            r#"{"type": "number", "multipleOf": 1234.567}"#,
            "1",
            "234567",
        ),
        (r#"{"type": "number", "multipleOf": 97.25}"#, "-31", "12"),
        (each, "[12345678", "6419752]"),
        (
            r#"{"type": "integer", "multipleOf": 999999999989}"#,
            "1",
            "999999999978",
        ),
        (apart, "[0,", "999983,-999983]"),
        (apart, "[1999966,1999", "9660,0]"),
        (keys, r#"{"xyz":-"#, "54648}"),
        (keys, r#"{"xy":1"#, r#"3662,"xyz":-54648}"#),
    ] {
        check(&constraint(schema, limits.clone()), text, expect);
    }
}

/// Of many properties in any order the required ones are on the way, whichever are there already.
#[test]
fn many_properties_in_any_order_are_little_work() {
    let names: Vec<String> = (0..55).map(|n| format!("\"property {n}\"")).collect();
    let properties: Vec<String> = names
        .iter()
        .map(|n| format!("{n}: {{\"type\": \"boolean\"}}"))
        .collect();
    let schema = format!(
        r#"{{"type": "object", "properties": {{{}}}, "required": [{}], "additionalProperties": false}}"#,
        properties.join(", "),
        names.join(", ")
    );
    let mut limits = Limits::default();
    limits.machine_bytes = 8 << 20;
    let grammar = grammar_in(&schema, PropertyOrder::Any, limits);
    let constraint = engine()
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap();
    let rest = |there: usize| {
        let rest = (0..55).filter(|&n| n != there);
        let rest: Vec<String> = rest.map(|n| format!("{}:true", names[n])).collect();
        rest.join(",") + "}"
    };
    check(&constraint, "{\"property 7\":true,", &rest(7));
    check(
        &constraint,
        "{\"property 54\":tr",
        &format!("ue,{}", rest(54)),
    );
}

/// Hundreds of required properties, whose names begin alike, have a way out in either order, and a deadline.
#[test]
fn hundreds_of_required_properties_have_a_way_out() {
    let names: Vec<String> = (0..400)
        .map(|n| format!("\"service.v1.Kind{n:03}\""))
        .collect();
    let value = r#"{"type": "object", "properties": {"a": {"type": "string", "minLength": 2}, "b": {"type": "null"}},
        "required": ["a", "b"]}"#;
    let properties: Vec<String> = names
        .iter()
        .map(|name| format!("{name}: {value}"))
        .collect();
    let schema = format!(
        r#"{{"type": "object", "properties": {{{}}}, "required": [{}]}}"#,
        properties.join(", "),
        names.join(", ")
    );
    let members: Vec<String> = names
        .iter()
        .map(|name| format!("{name}:{{\"a\":\"  \",\"b\":null}}"))
        .collect();
    for order in [PropertyOrder::Declared, PropertyOrder::Any] {
        let grammar = grammar_in(&schema, order, Limits::default());
        let constraint = engine()
            .constraint(grammar, &ConstraintConfig::default())
            .unwrap();
        let mut session = after(&constraint, "{");
        let way = session.way_out().unwrap();
        assert_eq!(spelt(&session, &way), members.join(",") + "}");
        session.deadline(way.len() + 1).unwrap();
        for token in way {
            session.accept(token).unwrap();
        }
        assert!(session.may_end());
    }
}

/// What an object still needs is found among many properties where clauses bind some of them, too.
#[test]
fn what_is_required_is_found_where_clauses_bind_properties() {
    let properties: Vec<String> = (0..120)
        .map(|n| format!(r#""option.{n:03}": {{"type": ["string", "boolean"]}}"#))
        .collect();
    let required: Vec<String> = (5..120)
        .step_by(9)
        .map(|n| format!("\"option.{n:03}\""))
        .collect();
    let schema = format!(
        r#"{{"type": "object", "additionalProperties": false, "properties": {{{}}}, "required": [{}],
            "dependentRequired": {{"option.010": ["option.020"]}},
            "if": {{"properties": {{"option.100": {{"const": true}}}}}}, "then": {{"properties": {{"option.007": false}}}}}}"#,
        properties.join(", "),
        required.join(", ")
    );
    for order in [PropertyOrder::Declared, PropertyOrder::Any] {
        let grammar = grammar_in(&schema, order, Limits::default());
        let constraint = engine()
            .constraint(grammar, &ConstraintConfig::default())
            .unwrap();
        for (text, needed) in [
            (r#"{"#, 14),
            (r#"{"option.005":"","option.007":"","#, 14),
            (r#"{"option.005":"","option.010":tr"#, 15),
        ] {
            let mut session = after(&constraint, text);
            let way = session
                .way_out()
                .unwrap_or_else(|e| panic!("{order:?} {text} {e}"));
            let longest = needed * r#""option.000":"","#.len();
            assert!(way.len() <= longest, "{order:?} {text}: {}", way.len());
            for token in way {
                session.accept(token).unwrap();
            }
            assert!(session.may_end(), "{order:?} {text}");
        }
    }
}

#[test]
fn an_end_that_is_too_far_is_a_limit() {
    let mut limits = Limits::default();
    limits.machine_bytes = 1 << 20;
    let schema = r#"{"type": "string", "minLength": 100000}"#;
    let session = constraint(schema, limits).session();
    let error = session.way_out();
    assert!(matches!(error, Err(SessionError::Limit(_))), "{error:?}");
}
