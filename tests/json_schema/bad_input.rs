//! Schemas made to explode, and what is no schema: each gets its grammar or one clear error, soon and in
//! little memory, whatever it asks for.

use maskwright::front::json_schema::SchemaConfig;

use super::kind;
use super::machine::{accepts, machine};

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(",")
}

fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

/// Name, schema, and what becomes of it: the kind of its error and the pointer, or `exact`.
fn cases() -> Vec<(&'static str, String, [&'static str; 2])> {
    let exact = ["exact", ""];
    let object = |parts: String| format!("{{\"type\":\"object\",{parts}}}");
    vec![
        // Nesting.
        ("nested items", nested(100_000, "{\"items\":", "true", "}"), ["limit", "#"]),
        ("nested allOf", nested(100_000, "{\"allOf\":[", "true", "]}"), ["limit", "#"]),
        ("nested arrays", nested(1_000_000, "[", "", "]"), ["limit", "#"]),
        ("nested and cut off", "[".repeat(1_000_000), ["limit", "#"]),
        ("a nested value", format!("{{\"const\":{}}}", nested(100_000, "[", "", "]")), ["limit", "#"]),
        ("nested not", nested(60, "{\"not\":", "{\"type\":\"null\"}", "}"), exact),
        // References.
        ("a reference to itself", "{\"$ref\":\"#\"}".to_owned(), ["unsupported", "#/$ref"]),
        ("references in a circle", "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/$defs/a\"}}}".to_owned(), ["unsupported", "#/$ref"]),
        ("a circle through not", "{\"not\":{\"$ref\":\"#\"}}".to_owned(), ["unsupported", "#/not/$ref"]),
        ("a value within itself for ever", "{\"type\":\"array\",\"items\":{\"$ref\":\"#\"},\"minItems\":1}".to_owned(), ["unsatisfiable", "#"]),
        ("a long chain of references", format!("{{\"$ref\":\"#/$defs/0\",\"$defs\":{{{},\"2000\":{{\"type\":\"null\"}}}}}}", many(2000, |i| format!("\"{i}\":{{\"$ref\":\"#/$defs/{}\"}}", i + 1))), exact),
        // Great numbers.
        ("a great maxLength", "{\"type\":\"string\",\"maxLength\":1000000000}".to_owned(), exact),
        ("a great minLength", "{\"type\":\"string\",\"minLength\":1000000000}".to_owned(), exact),
        ("a great maxLength of a pattern", "{\"type\":\"string\",\"pattern\":\"^(ab|c)*$\",\"maxLength\":1000000000,\"minLength\":999999}".to_owned(), exact),
        ("a great minItems", "{\"type\":\"array\",\"minItems\":1000000}".to_owned(), exact),
        ("a great minContains", "{\"type\":\"array\",\"contains\":{\"type\":\"null\"},\"minContains\":1000000}".to_owned(), ["limit", "#/contains"]),
        ("a great minProperties", object("\"minProperties\":1000000".to_owned()), exact),
        ("counts beyond all", "{\"maxLength\":1e400,\"minItems\":99999999999999999999}".to_owned(), exact),
        ("a great bound", "{\"type\":\"number\",\"maximum\":1e1000000000,\"minimum\":-1e1000000000}".to_owned(), exact),
        ("a small step", "{\"type\":\"number\",\"multipleOf\":1e-1000000000}".to_owned(), ["limit", "#/multipleOf"]),
        ("steps that have little in common", "{\"type\":\"number\",\"multipleOf\":999999999999989,\"allOf\":[{\"multipleOf\":999999999999947}]}".to_owned(), ["limit", "#"]),
        ("nested great counts", nested(60, "{\"type\":\"array\",\"minItems\":1000000,\"items\":", "true", "}"), exact),
        // Patterns.
        ("nested repetition", "{\"type\":\"string\",\"pattern\":\"^(((a{1,1000}){1,1000}){1,1000}){1,1000}$\"}".to_owned(), ["unsupported", "#/pattern"]),
        ("repetition of an ambiguous part", "{\"type\":\"string\",\"pattern\":\"^(a|b)*a(a|b){40}$\"}".to_owned(), ["unsupported", "#/pattern"]),
        ("a great count in a pattern", "{\"type\":\"string\",\"pattern\":\"a{1000000000}\"}".to_owned(), ["unsupported", "#/pattern"]),
        ("nested groups in a pattern", format!("{{\"type\":\"string\",\"pattern\":\"{}\"}}", nested(100_000, "(", "a", ")")), ["unsupported", "#/pattern"]),
        ("patterns that multiply", format!("{{\"allOf\":[{}]}}", many(24, |i| format!("{{\"type\":\"string\",\"pattern\":\"^([^a]*a){{{}}}[^a]*$|^.{{{}}}$\"}}", 3 * i + 2, 7 * i + 5))), ["unsupported", "#/allOf/19/pattern"]),
        ("keys that overlap", object(format!("\"patternProperties\":{{{}}}", many(400, |i| format!("\"k{i}.*x\":{{\"maxLength\":{i}}}")))), ["limit", "#/patternProperties/k6.*x"]),
        ("half of a surrogate pair", "{\"type\":\"string\",\"pattern\":\"^a\\\\udc00$\"}".to_owned(), ["unsatisfiable", "#"]),
        ("half of a surrogate pair in a branch", "{\"anyOf\":[{\"type\":\"string\",\"pattern\":\"^a\\\\udc00$\"},{\"pattern\":\"^\\\\ud83d\\\\ude00$\"}]}".to_owned(), exact),
        // Many parts.
        ("a thousand branches of allOf", format!("{{\"allOf\":[{}]}}", many(1000, |i| format!("{{\"properties\":{{\"a{i}\":{{\"maxLength\":{i}}}}},\"required\":[\"a{i}\"]}}"))), exact),
        ("a thousand branches of allOf about one thing", format!("{{\"allOf\":[{}]}}", many(1000, |i| format!("{{\"minimum\":{i}}}"))), exact),
        ("a thousand choices", format!("{{\"allOf\":[{}]}}", many(1000, |i| format!("{{\"anyOf\":[{{\"required\":[\"a{i}\"]}},{{\"required\":[\"b{i}\"]}}]}}"))), ["limit", "#"]),
        ("a thousand branches of oneOf", format!("{{\"oneOf\":[{}]}}", many(1000, |i| object(format!("\"required\":[\"a{i}\"]")))), ["limit", "#/oneOf"]),
        ("a thousand negations", format!("{{\"allOf\":[{}]}}", many(1000, |i| format!("{{\"not\":{{\"required\":[\"a{i}\",\"b{i}\"]}}}}"))), ["limit", "#"]),
        ("a huge enum", format!("{{\"enum\":[{}]}}", many(100_000, |i| format!("\"value {i}\""))), exact),
        ("a huge enum of objects", format!("{{\"enum\":[{}]}}", many(20_000, |i| format!("{{\"a\":[{i},{{}}]}}"))), exact),
        ("a huge enum that must not be", format!("{{\"not\":{{\"enum\":[{}]}}}}", many(100_000, |i| format!("\"value {i}\""))), exact),
        ("many properties", object(format!("\"properties\":{{{}}}", many(20_000, |i| format!("\"p{i}\":{{\"type\":\"string\"}}")))), exact),
        ("many dependent keys", object(format!("\"dependentRequired\":{{{}}}", many(200, |i| format!("\"a{i}\":[\"a{}\"]", (i + 1) % 200)))), exact),
        ("parts that multiply", format!("{{\"$ref\":\"#/$defs/0\",\"$defs\":{{{},\"60\":{{\"type\":\"null\"}}}}}}", many(60, |i| { let part = format!("{{\"$ref\":\"#/$defs/{}\"}}", i + 1); format!("\"{i}\":{}", object(format!("\"properties\":{{\"a\":{part},\"b\":{part}}},\"required\":[\"a\",\"b\"]"))) })), exact),
        ("many properties that hold the whole", object(format!("\"properties\":{{{}}}", many(200, |i| format!("\"p{i}\":{{\"$ref\":\"#\"}}")))), exact),
        // What is no schema.
        ("a number", "5".to_owned(), ["malformed", "#"]),
        ("a list", "[{}]".to_owned(), ["malformed", "#"]),
        ("null", "null".to_owned(), ["malformed", "#"]),
        ("a text", "\"object\"".to_owned(), ["malformed", "#"]),
        ("nothing", String::new(), ["json", ""]),
        ("more than one", "{} {}".to_owned(), ["json", ""]),
        ("what JSON is not", "{'type': None}".to_owned(), ["json", ""]),
        ("keywords of the wrong kind", "{\"properties\":[{\"type\":\"string\"}]}".to_owned(), ["malformed", "#/properties"]),
        ("a schema where there is none", "{\"properties\":{\"a\":\"string\"}}".to_owned(), ["malformed", "#/properties/a"]),
    ]
}

#[test]
fn each_gets_one_answer() {
    let mut faults = Vec::new();
    for (name, schema, expected) in cases() {
        let config = SchemaConfig::default();
        let found = match machine(&schema, &config) {
            Ok(machine) => {
                // What has been compiled can be begun.
                accepts(&machine, "{\"a0\":[[1,\"\\n\"],null]}");
                ["exact".to_owned(), String::new()]
            }
            Err(error) => {
                let text = error.to_string();
                if text.is_empty() || text.contains('\n') || text.len() > 1000 {
                    faults.push(format!("{name}: no clear error: {} bytes", text.len()));
                }
                let pointer = error.pointer().unwrap_or_default().to_owned();
                [kind(&error).to_owned(), pointer]
            }
        };
        if found != expected {
            faults.push(format!("{name}: {found:?}, expected {expected:?}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
