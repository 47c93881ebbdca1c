//! Unions of many branches.

use maskwright::front::json_schema::{PropertyOrder, SchemaConfig};

use super::judge;
use super::machine::{accepts, machine};

/// Branches that a constant tells apart compile whatever their number, also where the property is declared, demanded
/// or given a type beside them.
#[test]
fn many_branches_are_told_apart_by_a_constant() {
    let branches = |count: usize, more: &str, required: &str| {
        let branch = |i: usize| {
            let properties = format!(r#""kind":{{"const":"v{i}"}},"p{i}":{{"type":"integer"}}"#);
            format!(r#"{{{more}"properties":{{{properties}}},"required":[{required}"p{i}"]}}"#)
        };
        (0..count).map(branch).collect::<Vec<_>>().join(",")
    };
    let values: Vec<String> = (0..600).map(|i| format!("\"v{i}\"")).collect();
    let values = values.join(",");
    let (inside, outside) = (
        branches(600, r#""type":"object","#, r#""kind","#),
        branches(600, "", ""),
    );
    let schemas = [
        r#"{"oneOf":[INSIDE]}"#,
        r#"{"type":"object","required":["kind"],"oneOf":[OUTSIDE]}"#,
        r#"{"type":"object","properties":{"kind":{"enum":[VALUES]}},"required":["kind"],"oneOf":[OUTSIDE]}"#,
        r#"{"oneOf":[OUTSIDE],"type":"object","properties":{"kind":{"type":"string"}},"required":["kind"]}"#,
        r#"{"properties":{"kind":{"type":"string"}},"required":["kind"],"oneOf":[OUTSIDE]}"#,
        // Parts of a conjunction stand beside each other, wherever they are written.
        r#"{"allOf":[{"type":"object","required":["kind"]},{"oneOf":[OUTSIDE]}]}"#,
        r##"{"allOf":[{"$ref":"#/$defs/base"},{"$ref":"#/$defs/all"}],
            "$defs":{"base":{"type":"object","required":["kind"]},"all":{"title":"All","oneOf":[OUTSIDE]}}}"##,
        r#"{"type":"object","required":["kind"],"allOf":[{"oneOf":[OUTSIDE],"properties":{"kind":{"type":"string"}}}]}"#,
        r#"{"type":"object","required":["kind"],"oneOf":[OUTSIDE],
            "if":{"properties":{"kind":{"const":"v7"}}},"then":{"properties":{"more":{"type":"string"}}}}"#,
    ];
    let schemas = schemas.map(|schema| {
        let schema = schema.replace("INSIDE", &inside);
        schema
            .replace("OUTSIDE", &outside)
            .replace("VALUES", &values)
    });
    for schema in schemas {
        let place = &schema[..schema.len().min(90)];
        let machine = machine(&schema, &SchemaConfig::default()).unwrap();
        assert!(accepts(&machine, r#"{"kind":"v7","p7":1}"#), "{place}");
        assert!(!accepts(&machine, r#"{"kind":"v8","p7":1}"#), "{place}");
        assert!(!accepts(&machine, r#"{"kind":"v600","p7":1}"#), "{place}");
        assert!(!accepts(&machine, "1"), "{place}");
    }
}

/// The same of constants, of arrays by their first items or lengths, and of names of which one must be there: each text is
/// accepted where the other validator takes it.
#[test]
fn many_branches_of_which_one_must_hold() {
    let list = |count: usize, branch: &dyn Fn(usize) -> String| {
        (0..count).map(branch).collect::<Vec<_>>().join(",")
    };
    let constants = list(4000, &|i| format!(r#"{{"const":"v{}"}}"#, i % 3999));
    let mixed = list(40, &|i| {
        format!(r#"{{"const":{i}}},{{"enum":["v{i}","v{}"]}}"#, i + 1)
    });
    let tuples = list(300, &|i| {
        format!(r#"{{"prefixItems":[{{"const":"k{i}"}},{{"minimum":{i}}}],"minItems":2}}"#)
    });
    let lengths = list(40, &|i| {
        format!(r#"{{"minItems":{},"maxItems":{}}}"#, 2 * i, 2 * i + 1)
    });
    let names = list(100, &|i| format!(r#"{{"required":["p{i}"]}}"#));
    let properties = list(100, &|i| format!(r#""p{i}":{{"type":"integer"}}"#));
    let closed = format!(r#""additionalProperties":false,"properties":{{{properties}}}"#);
    let cases = [
        (
            format!(r#"{{"oneOf":[{constants}]}}"#),
            vec![r#""v0""#, r#""v7""#, r#""v3999""#, "7"],
        ),
        (
            format!(
                r#"{{"oneOf":[{mixed},{{"type":"null"}},{{"enum":[null,true,{{"k":1}}]}},{{"const":{{"k":1.0}}}}]}}"#
            ),
            vec![
                "7",
                r#""v0""#,
                r#""v1""#,
                r#""v40""#,
                "null",
                "true",
                "false",
                r#"{"k":1}"#,
            ],
        ),
        (
            format!(r#"{{"type":"array","oneOf":[{tuples}]}}"#),
            vec![
                r#"["k7",7]"#,
                r#"["k7",6]"#,
                r#"["k7"]"#,
                r#"["k300",400]"#,
                r#"["k7","",1]"#,
            ],
        ),
        (
            format!(r#"{{"type":"array","oneOf":[{lengths}]}}"#),
            vec!["[]", "[1]", "[1,2,3]", "1"],
        ),
        (
            format!(r#"{{"type":"object",{closed},"oneOf":[{names}]}}"#),
            vec![
                "{}",
                r#"{"p7":1}"#,
                r#"{"p7":1,"p8":1}"#,
                r#"{"p99":""}"#,
                r#"{"q":1}"#,
                "1",
            ],
        ),
        (
            format!(r#"{{"oneOf":[{names},{{"type":"string"}}]}}"#),
            vec![
                "{}",
                r#"{"p7":1}"#,
                r#"{"p7":1,"p8":1}"#,
                r#"{"q":1}"#,
                "1",
                r#""s""#,
            ],
        ),
    ];
    for (schema, texts) in cases {
        let place = &schema[..schema.len().min(90)];
        let machine = machine(&schema, &SchemaConfig::default()).unwrap();
        for text in texts {
            assert_eq!(
                accepts(&machine, text),
                judge(&schema, text),
                "{place}: {text}"
            );
        }
    }
}

/// Branches of branches are told apart by what is demanded outside of all of them, even if one says nothing of it.
#[test]
fn branches_of_branches_are_told_apart_from_outside() {
    let branches = (0..14).map(|i| {
        let kinds = format!(
            r#"{{"properties":{{"kind":{{"const":"a{i}"}}}}}},{{"properties":{{"kind":{{"const":"b{i}"}},"q":{{"type":"integer"}}}}}}"#
        );
        format!(r#"{{"properties":{{"p{i}":{{"type":"string"}}}},"oneOf":[{kinds}]}}"#)
    });
    let branches = branches.collect::<Vec<_>>().join(",");
    let any_kind = r#"{"oneOf":[{"properties":{"kind":{"const":"w"},"n":{"type":"integer"}}},{"properties":{"text":{"type":"string"}}}]}"#;
    let kinds = (0..14).map(|i| format!(r#""a{i}","b{i}""#));
    let kinds = kinds.collect::<Vec<_>>().join(",");
    let schema = format!(
        r#"{{"required":["kind","text"],"oneOf":[{{"properties":{{"kind":{{"not":{{"enum":["w",{kinds}]}}}}}}}},
            {{"oneOf":[{branches},{any_kind}]}}]}}"#
    );
    let config = SchemaConfig {
        order: PropertyOrder::Any,
        ..SchemaConfig::default()
    };
    let machine = machine(&schema, &config).unwrap();
    let mut accepted = 0;
    for kind in [r#""a3""#, r#""b3""#, r#""w""#, r#""other""#, "1"] {
        for text in [r#""""#, "1"] {
            for more in [
                "",
                r#","p3":"""#,
                r#","p3":1"#,
                r#","q":1"#,
                r#","q":"""#,
                r#","n":1"#,
                r#","n":"""#,
                r#","p3":1,"q":"""#,
            ] {
                let object = format!(r#"{{"kind":{kind},"text":{text}{more}}}"#);
                let is_valid = judge(&schema, &object);
                assert_eq!(accepts(&machine, &object), is_valid, "{object}");
                accepted += usize::from(is_valid);
            }
        }
    }
    assert!((20..60).contains(&accepted), "{accepted}");
    for text in ["{}", "1", "null", r#"{"text":""}"#, r#"{"kind":"a3"}"#] {
        assert_eq!(accepts(&machine, text), judge(&schema, text), "{text}");
    }
}
