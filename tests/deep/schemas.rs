//! Schemas within each other, and chains of references.

use super::{engine, nested, on_a_small_stack, schema};

/// A chain of references: `link` makes a schema of what refers to the next one.
fn chain(count: usize, link: impl Fn(usize, &str) -> String) -> String {
    let links = (0..count).map(|i| {
        let next = format!("{{\"$ref\":\"#/$defs/{}\"}}", i + 1);
        format!("\"{i}\":{}", link(i, &next))
    });
    let links: Vec<String> = links.collect();
    let last = format!("\"{count}\":{{\"type\":\"null\"}}");
    format!(
        "{{\"$ref\":\"#/$defs/0\",\"$defs\":{{{},{last}}}}}",
        links.join(",")
    )
}

/// Keywords that hold a schema, with what stands around it.
const AROUND: [(&str, &str, &str); 23] = [
    (
        "if",
        "{\"if\":{\"type\":\"string\"},\"then\":{\"minLength\":1},\"else\":",
        "}",
    ),
    (
        "else",
        "{\"if\":{\"const\":1},\"then\":{\"const\":1},\"else\":",
        "}",
    ),
    ("oneOf", "{\"oneOf\":[{\"type\":\"string\"},", "]}"),
    (
        "oneOf beside others",
        "{\"minProperties\":1,\"oneOf\":[{\"type\":\"string\"},",
        "]}",
    ),
    (
        "oneOf in a part",
        "{\"required\":[\"a\"],\"allOf\":[{\"maxItems\":9,\"oneOf\":[true,false]},",
        "]}",
    ),
    ("anyOf", "{\"anyOf\":[{\"type\":\"string\"},", "]}"),
    ("allOf", "{\"allOf\":[{\"maxLength\":9},", "]}"),
    ("not", "{\"not\":", "}"),
    (
        "siblings",
        "{\"title\":\"\",\"maxItems\":9,\"allOf\":[",
        "]}",
    ),
    ("items", "{\"items\":", "}"),
    (
        "an item",
        "{\"type\":\"array\",\"minItems\":1,\"items\":",
        "}",
    ),
    ("prefixItems", "{\"prefixItems\":[true,", "]}"),
    ("contains", "{\"type\":\"array\",\"contains\":", "}"),
    (
        "uniqueItems",
        "{\"type\":\"array\",\"uniqueItems\":true,\"minItems\":2,\"items\":",
        "}",
    ),
    ("properties", "{\"properties\":{\"a\":", "}}"),
    (
        "a property",
        "{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":",
        "}}",
    ),
    ("additionalProperties", "{\"additionalProperties\":", "}"),
    ("patternProperties", "{\"patternProperties\":{\"^a\":", "}}"),
    ("propertyNames", "{\"propertyNames\":", "}"),
    ("dependentSchemas", "{\"dependentSchemas\":{\"a\":", "}}"),
    (
        "unevaluatedProperties",
        "{\"unevaluatedProperties\":false,\"allOf\":[",
        "]}",
    ),
    (
        "unevaluatedItems",
        "{\"unevaluatedItems\":false,\"anyOf\":[",
        ",true]}",
    ),
    ("a value", "{\"const\":[1,null],\"not\":", "}"),
];

/// Each on a small stack: it compiles, or is refused with a reason of one line.
fn check(name: &str, text: String) -> Option<String> {
    let refused = on_a_small_stack(move || schema(&engine(), &text).err());
    let is_reason =
        |error: &String| !error.is_empty() && error.len() < 4000 && !error.contains('\n');
    assert!(refused.iter().all(is_reason), "{name}: {refused:?}");
    refused
}

/// Longer than what a stack of two megabytes had room for, when these were followed by recursion.
#[test]
fn chains_of_references() {
    for (name, open, close) in AROUND {
        for count in [430, 1600] {
            let text = chain(count, |_, next| format!("{open}{next}{close}"));
            check(&format!("{name} x {count}"), text);
        }
    }
    let siblings = chain(6000, |i, next| format!("{{\"maxItems\":{i},{}", &next[1..]));
    check("$ref with siblings", siblings);
    assert_eq!(
        check("aliases", chain(6000, |_, next| next.to_owned())),
        None
    );
}

/// As deep as a text may be, and deeper.
#[test]
fn schemas_within_each_other() {
    for (name, open, close) in AROUND {
        for depth in [60, 80, 120, 200, 250] {
            let text = nested(depth, open, "{\"type\":\"null\"}", close);
            check(&format!("{name} x {depth}"), text);
        }
    }
}

/// What is read below the depth at which reading is put off means what it means above.
#[test]
fn depth_changes_no_meaning() {
    use maskwright::front::json_schema::{SchemaConfig, compile};
    for depth in [20, 24, 25, 40, 60] {
        // A double negation is none, and an odd number of them leaves what is no null.
        for (count, inner) in [
            (depth, "{\"type\":\"null\"}"),
            (depth, "false"),
            (depth, "true"),
        ] {
            let text = nested(count, "{\"not\":", inner, "}");
            let compiles = compile(&text, &SchemaConfig::default()).is_ok();
            let is_empty = matches!((inner, count % 2), ("false", 0) | ("true", 1));
            assert_eq!(compiles, !is_empty, "not x {count} {inner}");
        }
        let text = nested(depth, "{\"allOf\":[", "{\"pattern\":\"(\"}", "]}");
        let error = compile(&text, &SchemaConfig::default()).unwrap_err();
        let expected = format!("#{}/pattern", "/allOf/0".repeat(depth));
        assert_eq!(error.pointer(), Some(&*expected));
    }
}

/// Values of a schema that are nested as deep as a text may be, and are compared, judged, listed and excluded.
#[test]
fn values() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[1,{\"b\":[],\"a\":", "}]")] {
        for depth in [60, 120, 240] {
            let value = nested(
                depth / open.matches(['[', '{']).count().min(2),
                open,
                "1",
                close,
            );
            let schemas = [
                format!("{{\"const\":{value}}}"),
                format!("{{\"enum\":[{value},{value},1]}}"),
                format!("{{\"not\":{{\"const\":{value}}}}}"),
                format!("{{\"oneOf\":[{{\"const\":{value}}},{{\"enum\":[{value},2]}}]}}"),
                format!(
                    "{{\"const\":{value},\"$ref\":\"#/$defs/a\",\"$defs\":{{\"a\":{{\"items\":{{\"$ref\":\"#/$defs/a\"}},\"additionalProperties\":{{\"$ref\":\"#/$defs/a\"}}}}}}}}"
                ),
                format!(
                    "{{\"type\":\"array\",\"uniqueItems\":true,\"items\":{{\"enum\":[{value},[],{{}}]}}}}"
                ),
                format!(
                    "{{\"type\":\"array\",\"uniqueItems\":true,\"minItems\":2,\"items\":{{\"anyOf\":[{{\"const\":{value}}},{{\"type\":[\"array\",\"object\"]}}]}}}}"
                ),
                format!("{{\"default\":{value},\"examples\":[{value}],\"properties\":{{}}}}"),
            ];
            for (number, text) in schemas.into_iter().enumerate() {
                check(&format!("value {number}, {open} x {depth}"), text);
            }
        }
    }
}
