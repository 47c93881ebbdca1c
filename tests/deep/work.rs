//! `Limits::work`: all that compiles is charged, each compile anew, and what multiplies is refused by it.

use maskwright::base::{Limits, TokenId};
use maskwright::front::abnf::{Abnf, Unbound};
use maskwright::front::chat::{ChatOptions, Format, ToolSet, compile as compile_chat};
use maskwright::front::ebnf::Ebnf;
use maskwright::front::json_schema::{JsonRules, SchemaConfig, SchemaError, compile};
use maskwright::front::lark::Lark;
use maskwright::front::regex;
use maskwright::front::schema_lint::lint;
use maskwright::front::structural_tag::{StructuralTagConfig, compile as compile_tag};
use maskwright::grammar::{Grammar, GrammarBuilder};
use maskwright::session::{ConstraintConfig, SessionError};

fn limits(work: usize) -> Limits {
    let mut limits = Limits::default();
    limits.work = work;
    limits
}

fn schemas(work: usize) -> SchemaConfig {
    SchemaConfig {
        limits: limits(work),
        ..SchemaConfig::default()
    }
}

/// A small text of each language, compiled within so many steps.
fn compiled(language: &str, work: usize) -> Result<Grammar, String> {
    fn said<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<T, String> {
        result.map_err(|error| error.to_string())
    }
    let (limits, config) = (limits(work), schemas(work));
    match language {
        "schema" => {
            let schema = said(compile(SCHEMA, &config))?;
            let mut builder = GrammarBuilder::new(limits);
            let mut rules = said(JsonRules::new(&config))?;
            let root = schema.lower_into(&mut rules, &mut builder);
            said(builder.finish(root))
        }
        "abnf" => said(
            said(Abnf::parse("a = 1*4( \"x\" / \"yy\" )\r\n", &limits))?.lower(
                "a",
                &mut Unbound,
                &limits,
            ),
        ),
        "ebnf" => {
            said(said(Ebnf::parse("root ::= [a-z]{2,9} \"!\"\n", &limits))?.lower("root", &limits))
        }
        "lark" => {
            said(said(Lark::parse("start: /[a-z]{2,9}/ \"!\"\n", &config))?.lower("start", &config))
        }
        "regex" => said(regex::compile("[a-z]{2,9}!", regex::DIALECT, &limits)),
        "tag" => {
            let tag = r#"{"type": "structural_tag", "format": {"type": "json_schema", "json_schema": {"enum": ["a", "b"]}}}"#;
            let mut config = StructuralTagConfig::default();
            config.schemas = schemas(work);
            said(compile_tag(tag, &config))
        }
        _ => {
            let format = said(Format::built_in("harmony", &Limits::default()))?;
            let tools = format!(r#"[{{"name": "f", "parameters": {SCHEMA}}}]"#);
            let mut options = ChatOptions::default();
            options.tools = said(ToolSet::parse(&tools, &Limits::default()))?;
            options.limits = limits;
            said(compile_chat(
                &format.ok_or("it comes along")?,
                "assistant-turn",
                &options,
            ))
        }
    }
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"a": {"type": "string", "pattern": "^[a-z]{3}$"}}, "required": ["a"]}"#;

#[test]
fn each_language_is_charged_and_each_compile_anew() {
    for language in ["schema", "abnf", "ebnf", "lark", "regex", "tag", "chat"] {
        let work = compiled(language, Limits::default().work).unwrap().work();
        assert!(work > 0 || language == "schema", "{language}");
        let error = compiled(language, 10).unwrap_err();
        assert!(error.contains("steps of a compile"), "{language}: {error}");
    }
    // The same configuration serves any number of compiles.
    let work = compile(SCHEMA, &SchemaConfig::default()).unwrap().work();
    let exact = schemas(work);
    for _ in 0..3 {
        assert_eq!(compile(SCHEMA, &exact).unwrap().work(), work);
    }
    let short = compile(SCHEMA, &schemas(work - 1)).unwrap_err();
    assert!(
        matches!(
            short,
            SchemaError::Limit { .. } | SchemaError::Unsupported { .. }
        ),
        "{short}"
    );
}

/// Parts joined by commas.
fn list(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(",")
}

#[test]
fn what_multiplies_is_refused_by_work() {
    let config = schemas(1 << 22);
    let properties = list(2_000, |at| {
        format!(r#"{{"properties":{{"p{at}":{{"type":"null"}}}}}}"#)
    });
    let blown_up = list(20, |at| {
        format!(r#""p{at}":{{"not":{{"pattern":"^.*a.{{12}}{at}$"}}}}"#)
    });
    // What each of two leaves over is compared: so many names, and none of them alike.
    let named = |letter: char| {
        let names = list(2_000, |at| format!(r#""{letter}{at}":{{"type":"null"}}"#));
        format!(r#"{{"anyOf":[{{"properties":{{{names}}}}},{{"minProperties":1}}]}}"#)
    };
    let left_over = list(8, |at| named(char::from(b'a' + at as u8)));
    for text in [
        format!(r#"{{"type":"object","allOf":[{left_over}],"unevaluatedProperties":false}}"#),
        format!(r#"{{"allOf":[{properties}]}}"#),
        format!(r#"{{"type":"object","properties":{{{blown_up}}}}}"#),
    ] {
        let error = compile(&text, &config).unwrap_err().to_string();
        assert!(error.contains("steps of a compile"), "{error}");
    }
}

#[test]
fn long_chains_take_steps_in_proportion() {
    let chain = |length: usize| {
        let links = list(length, |at| {
            let next = at + 1;
            format!(
                r##""d{at}":{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d{next}"}}}},"required":["a"]}}"##
            )
        });
        format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{links},"d{length}":{{"type":"null"}}}}}}"##)
    };
    let work = |length| {
        compile(&chain(length), &SchemaConfig::default())
            .unwrap()
            .work()
    };
    let (short, long) = (work(500), work(5_000));
    assert!(long < 11 * short, "{short} and {long}");
}

#[test]
fn answers_are_limited_and_harm_nothing() {
    let mut builder = GrammarBuilder::new(limits(20_000));
    let config = SchemaConfig::default();
    let text = r#"{"type":"array","minItems":100000,"items":{"type":"null"}}"#;
    let mut rules = JsonRules::new(&config).unwrap();
    let root = compile(text, &config)
        .unwrap()
        .lower_into(&mut rules, &mut builder);
    let grammar = builder.finish(root).unwrap();
    let constraint = super::engine()
        .constraint(grammar, &ConstraintConfig::default())
        .unwrap();
    let session = constraint.session();
    let mut mask = vec![0; constraint.vocabulary().mask_words()];
    session.mask(&mut mask).unwrap();
    let before = mask.clone();
    assert!(
        matches!(session.way_out(), Err(SessionError::Limit(error)) if error.what == "steps of one answer")
    );
    session.mask(&mut mask).unwrap();
    assert_eq!(mask, before);
}

#[test]
fn a_token_is_limited_and_harms_nothing() {
    let objects = list(400, |at| {
        format!(
            r#"{{"type":"object","properties":{{"p{at}":{{"type":"null"}}}},"required":["p{at}"]}}"#
        )
    });
    let config = SchemaConfig::default();
    let compiled = compile(&format!(r#"{{"anyOf":[{objects}]}}"#), &config).unwrap();
    let engine = super::engine();
    let constraint = |work| {
        let mut builder = GrammarBuilder::new(limits(work));
        let mut rules = JsonRules::new(&config).unwrap();
        let root = compiled.lower_into(&mut rules, &mut builder);
        let grammar = builder.finish(root).unwrap();
        engine.constraint(grammar, &ConstraintConfig::default())
    };
    let text: Vec<TokenId> = b"{\"p7\":null".map(|byte| TokenId::new(byte.into())).into();
    let mut session = constraint(Limits::default().work).unwrap().session();
    for &token in &text {
        assert!(session.allows(token).unwrap());
        session.accept(token).unwrap();
    }
    // As much as it takes to begin, and less than a key.
    let least = (1..)
        .map(|steps| constraint(4_000 * steps))
        .find_map(Result::ok);
    let mut session = least.unwrap().session();
    let limited =
        |error| matches!(error, SessionError::Limit(error) if error.what == "steps of one answer");
    let met = text.iter().position(|&token| match session.accept(token) {
        Ok(()) => false,
        Err(error) => limited(error),
    });
    let met = met.expect("the limit is met");
    assert_eq!(session.tokens(), &text[..met]);
    assert!(limited(session.fork().validate(&text[met..]).unwrap_err()));
    assert_eq!(session.tokens(), &text[..met]);
}

/// Rules that lead to each other by their beginnings, each with an end of its own: text `b`s, `d` with the number of a rule, `c`s.
fn ring(rules: usize) -> String {
    let rule = |at: usize| {
        let next = (at + 1) % rules;
        format!("r{at} = [ \"b\" ] r{next} \"c\" / \"d{at}.\"\n")
    };
    format!("a = r0\n{}", (0..rules).map(rule).collect::<String>())
}

/// Each rule of a ring has very many callers. As many `c`s belong to a text as rules were entered.
#[test]
fn many_callers_are_told_apart() {
    let limits = Limits::default();
    let (rules, engine) = (40, super::engine());
    let abnf = Abnf::parse(&ring(rules), &limits).unwrap();
    let grammar = abnf.lower("a", &mut Unbound, &limits).unwrap();
    let constraint = engine.constraint(grammar, &ConstraintConfig::default());
    let constraint = constraint.unwrap();
    for (begun, rule, entered) in [
        (0, 0, 0),
        (1, 0, 0),
        (3, 3, 3),
        (4, 3, 3),
        (4, 3, 43),
        (0, 39, 39),
        (0, 39, 38),
        (41, 1, 41),
        (42, 1, 41),
        (5, 30, 70),
        (5, 30, 71),
        (70, 30, 70),
    ] {
        let text = format!("{}d{rule}.{}", "b".repeat(begun), "c".repeat(entered));
        let mut session = constraint.session();
        let mut bytes = text.bytes().map(|byte| TokenId::new(byte.into()));
        let read = bytes.all(|token| session.accept(token).is_ok());
        let belongs = entered % rules == rule && begun <= entered;
        assert_eq!(read && session.may_end(), belongs, "{text}");
    }
}

#[test]
fn very_many_callers_meet_a_limit() {
    let refused = super::abnf(&super::engine(), &ring(1_000)).unwrap_err();
    assert!(refused.contains("allowed"), "{refused}");
}

/// It looks at what stands around and in a schema as long as there is work left.
#[test]
fn the_linter_ends() {
    let links = list(10_000, |at| {
        let next = at + 1;
        format!(
            r##""d{at}":{{"allOf":[{{"$ref":"#/$defs/d{next}"}}],"properties":{{"a":{{}}}},"additionalProperties":false}}"##
        )
    });
    let text =
        format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{links},"d10000":{{"type":"null"}}}}}}"##);
    assert!(lint(&text, &SchemaConfig::default()).is_ok());
}
