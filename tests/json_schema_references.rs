//! References that cannot be followed: each with a message that says which, where and why.

#![allow(clippy::unwrap_used)]

use maskwright::front::json_schema::{SchemaConfig, SchemaDocument, compile};

/// The cases of `tests/data/json_schema_references.toml`.
#[test]
fn what_cannot_be_followed_says_so() {
    let cases: toml::Table = include_str!("data/json_schema_references.toml")
        .parse()
        .unwrap();
    let documents = cases["documents"].as_table().unwrap();
    let documents = documents.iter().map(|(uri, text)| SchemaDocument {
        uri: uri.clone(),
        text: text.as_str().unwrap().to_owned(),
    });
    let config = SchemaConfig {
        documents: documents.collect(),
        ..SchemaConfig::default()
    };
    let mut faults = Vec::new();
    for case in cases["case"].as_array().unwrap() {
        let text = |key: &str| case[key].as_str().unwrap();
        let message = match compile(text("schema"), &config) {
            Ok(_) => "compiles".to_owned(),
            Err(error) => error.to_string(),
        };
        if message != text("error") {
            faults.push(format!("{}: {message}", text("name")));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// However many documents there are, those are read that are referred to: by what they call themselves, too.
#[test]
fn documents_are_found_among_many() {
    let document = |(uri, text): (String, String)| SchemaDocument { uri, text };
    // More than may be read.
    let filler = "x".repeat(100_000);
    let others = (0..200).map(|i| {
        let text = format!(r#"{{"$id":"https://e.org/o{i}.json","description":"{filler}"}}"#);
        (format!("folder/o{i}.json"), text)
    });
    let wanted = [
        r#"{"$id":"https://e.org/a.json","type":"null"}"#,
        r#"{"id" : "https:\/\/e.org\/b.json","$schema":"http://json-schema.org/draft-04/schema#","type":"null"}"#,
        r#"{"$id":"https://e.org/c/","$defs":{"x":{"$id":"./d.json?of=b/e","type":"null"}}}"#,
        r#"{"$id":"https://e.org/f.json","$defs":{"x":{"$id":"?g","type":"null"}}}"#,
        r#"{"$id":"urn:e:h","$defs":{"x":{"$anchor":"i","type":"null"}}}"#,
    ];
    let wanted = (0..).zip(wanted);
    let wanted = wanted.map(|(i, text)| (format!("folder/z{i}.json"), text.to_owned()));
    let config = SchemaConfig {
        documents: others.chain(wanted).map(document).collect(),
        ..SchemaConfig::default()
    };
    for reference in [
        "https://e.org/a.json",
        "https://e.org/b.json",
        "https://e.org/c/d.json?of=b/e",
        "https://e.org/f.json?g",
        "urn:e:h#i",
        "folder/z0.json",
    ] {
        let schema = compile(&format!(r#"{{"$ref":"{reference}"}}"#), &config);
        assert!(schema.is_ok(), "{reference}: {}", schema.unwrap_err());
    }
    let error = compile(r#"{"$ref":"https://e.org/else.json"}"#, &config).unwrap_err();
    assert!(
        error.to_string().contains("no document is supplied"),
        "{error}"
    );
}

/// A chain of dialects, each the dialect of the next meta-schema, is followed so far and no further.
#[test]
fn endless_dialects_meet_a_limit() {
    let document = |i: usize| SchemaDocument {
        uri: format!("m{i}"),
        text: format!(r#"{{"$schema":"m{}"}}"#, i + 1),
    };
    let config = SchemaConfig {
        documents: (0..2_000).map(document).collect(),
        ..SchemaConfig::default()
    };
    let error = compile(r#"{"$schema":"m0"}"#, &config).unwrap_err();
    assert_eq!(error.pointer(), Some("#/$schema"), "{error}");
}

/// Every scope in which a schema is reached costs a reading of it: their number is limited.
#[test]
fn exploding_scopes_meet_a_limit() {
    // Each of many lists binds an item of its own, and refers to every other.
    let names: Vec<String> = (0..12).map(|i| format!("n{i}")).collect();
    let refs: Vec<String> = names
        .iter()
        .map(|name| format!(r#"{{"$ref":"{name}"}}"#))
        .collect();
    let lists = names.iter().map(|name| {
        format!(
            r#""{name}":{{"$id":"{name}","items":{{"anyOf":[{{"$dynamicRef":"base#{name}"}},{}]}},
                "$defs":{{"a":{{"$dynamicAnchor":"{name}","type":"string"}}}}}}"#,
            refs.join(",")
        )
    });
    let base = names
        .iter()
        .map(|name| format!(r#""{name}":{{"$dynamicAnchor":"{name}"}}"#));
    let schema = format!(
        r##"{{"$ref":"n0","$defs":{{{},"base":{{"$id":"base","$defs":{{{}}}}}}}}}"##,
        lists.collect::<Vec<_>>().join(","),
        base.collect::<Vec<_>>().join(",")
    );
    let error = compile(&schema, &SchemaConfig::default()).unwrap_err();
    let message = error.to_string();
    assert!(message.contains("dynamic scopes of a schema"), "{message}");
}
