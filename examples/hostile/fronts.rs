//! Hostile requests in the other languages of hosts, structural tags and choices, and texts that must end within so many tokens.

use crate::inputs::{Content, Inputs};
use crate::schemas::list;

/// A structural tag around a format.
fn tag(format: &str) -> String {
    format!(r#"{{"type":"structural_tag","format":{format}}}"#)
}

fn literal(text: &str) -> String {
    format!(r#"{{"type":"const_string","value":"{text}"}}"#)
}

/// Structural tags that are deep, wide or multiply, and lists of choices.
pub(crate) fn fronts(inputs: &mut Inputs) {
    inputs.class("structural tags and choices");
    let nested = |kind: &str, n: usize| {
        let open = format!(r#"{{"type":"{kind}","elements":["#);
        tag(&format!(
            "{}{}{}",
            open.repeat(n),
            literal("x"),
            "]}".repeat(n)
        ))
    };
    inputs.sizes(
        "tag-deep-sequence",
        &[100, 250, 50_000],
        Content::Tags,
        move |n| nested("sequence", n),
    );
    inputs.sizes(
        "tag-deep-or",
        &[100, 250, 50_000],
        Content::Tags,
        move |n| nested("or", n),
    );
    inputs.sizes("tag-wide-or", &[1_000, 100_000], Content::Tags, |n| {
        tag(&format!(
            r#"{{"type":"or","elements":[{}]}}"#,
            list(n, |at| literal(&format!("x{at}")))
        ))
    });
    inputs.sizes("tag-wide-sequence", &[1_000, 100_000], Content::Tags, |n| {
        tag(&format!(
            r#"{{"type":"sequence","elements":[{}]}}"#,
            list(n, |at| literal(&format!("x{at}")))
        ))
    });
    inputs.sizes("tag-stars", &[10, 100, 250], Content::Tags, |n| {
        tag(&format!(
            "{}{}{}",
            r#"{"type":"star","content":"#.repeat(n),
            literal("x"),
            "}".repeat(n)
        ))
    });
    inputs.sizes("tag-repeats", &[2, 5, 20], Content::Tags, |n| {
        tag(&format!(
            "{}{}{}",
            r#"{"type":"repeat","min":9,"max":99,"content":"#.repeat(n),
            literal("x"),
            "}".repeat(n)
        ))
    });
    inputs.sizes(
        "tag-repeat",
        &[1_000, 1_000_000, 4_000_000_000],
        Content::Tags,
        |n| {
            tag(&format!(
                r#"{{"type":"repeat","min":{n},"max":{n},"content":{}}}"#,
                literal("xy")
            ))
        },
    );
    inputs.sizes(
        "tag-chars",
        &[1_000, 100_000, 4_000_000_000],
        Content::Tags,
        |n| tag(&format!(r#"{{"type":"any_text","max_chars":{n}}}"#)),
    );
    inputs.sizes("tag-excludes", &[100, 10_000], Content::Tags, |n| {
        tag(&format!(
            r#"{{"type":"any_text","excludes":[{}]}}"#,
            list(n, |at| format!("\"x{at}y\""))
        ))
    });
    inputs.sizes(
        "tag-exclude-long",
        &[1_000, 100_000, 3_000_000],
        Content::Tags,
        |n| {
            tag(&format!(
                r#"{{"type":"any_text","excludes":["{}"]}}"#,
                "xy".repeat(n / 2)
            ))
        },
    );
    inputs.sizes("tag-triggers", &[100, 3_000], Content::Tags, |n| {
        let tags = list(n, |at| {
            format!(r#"{{"begin":"<f{at}>","content":{{"type":"json_schema","json_schema":{{"type":"object"}}}},"end":"</f{at}>"}}"#)
        });
        let triggers = list(n, |at| format!("\"<f{at}>\""));
        tag(&format!(r#"{{"type":"triggered_tags","triggers":[{triggers}],"tags":[{tags}]}}"#))
    });
    inputs.sizes("tag-trigger", &[100, 3_000], Content::Tags, |n| {
        let tags = list(n, |at| {
            format!(r#"{{"begin":"<f{at}>","content":{{"type":"regex","pattern":"a{{1,{at}}}"}},"end":"</f>"}}"#)
        });
        tag(&format!(r#"{{"type":"triggered_tags","triggers":["<f"],"tags":[{tags}]}}"#))
    });
    inputs.sizes("tag-within", &[2, 20, 200], Content::Tags, |n| {
        let open =
            r#"{"type":"triggered_tags","triggers":["<a"],"tags":[{"begin":"<a>","content":"#;
        tag(&format!(
            "{}{}{}",
            open.repeat(n),
            r#"{"type":"any_text"}"#,
            r#","end":"</a>"}]}"#.repeat(n)
        ))
    });
    inputs.sizes("tag-separated", &[10, 1_000, 30_000], Content::Tags, |n| {
        let tags = list(n, |at| {
            format!(r#"{{"begin":"<f{at}>","content":{{"type":"any_text"}},"end":"</f>"}}"#)
        });
        tag(&format!(
            r#"{{"type":"tags_with_separator","separator":",","tags":[{tags}]}}"#
        ))
    });
    inputs.sizes("tag-regexes", &[10, 100], Content::Tags, |n| {
        let parts = list(n, |at| {
            format!(
                r#"{{"type":"regex","pattern":"(a|b)*a(a|b){{{}}}{at}"}}"#,
                10 + at % 4
            )
        });
        tag(&format!(r#"{{"type":"or","elements":[{parts}]}}"#))
    });
    inputs.sizes("tag-schemas", &[10, 1_000], Content::Tags, |n| {
        let parts = list(n, |at| {
            format!(r#"{{"type":"json_schema","json_schema":{{"type":"object","properties":{{"a{at}":{{"type":"string","pattern":"^a.{{{at}}}b$"}}}}}}}}"#)
        });
        tag(&format!(r#"{{"type":"or","elements":[{parts}]}}"#))
    });
    inputs.sizes("tag-xml", &[10, 300, 3_000], Content::Tags, |n| {
        let properties = list(n, |at| format!(r#""p{at}":{{"type":"string","minLength":{at}}}"#));
        let required = list(n, |at| format!("\"p{at}\""));
        tag(&format!(
            r#"{{"type":"json_schema","style":"qwen_xml","json_schema":{{"type":"object","properties":{{{properties}}},"required":[{required}]}}}}"#
        ))
    });
    inputs.sizes("tag-grammars", &[10, 300], Content::Tags, |n| {
        let parts = list(n, |at| {
            format!(r#"{{"type":"grammar","grammar":"root ::= \"a\" root? \"{at}\""}}"#)
        });
        tag(&format!(r#"{{"type":"or","elements":[{parts}]}}"#))
    });
    inputs.sizes(
        "choices",
        &[1_000, 100_000, 1_000_000],
        Content::Choice,
        |n| {
            format!(
                "[{}]",
                list(n, |at| format!("\"choice {}\"", at * 7919 % 1_000_003))
            )
        },
    );
    inputs.sizes(
        "choice-long",
        &[1_000_000, 15_000_000],
        Content::Choice,
        |n| format!("[\"{}\",\"y\"]", "x".repeat(n)),
    );
    inputs.sizes("choices-alike", &[100, 3_000], Content::Choice, |n| {
        format!("[{}]", list(n, |at| format!("\"{}\"", "x".repeat(at + 1))))
    });
    inputs.sizes(
        "choices-malformed",
        &[1_000_000, 15_000_000],
        Content::Choice,
        |n| "[".repeat(n),
    );
}

/// Schemas whose texts are to end within a budget of tokens.
pub(crate) fn deadlines(inputs: &mut Inputs) {
    inputs.class("deadlines");
    inputs.sizes("due-required", &[20, 300, 2_000], Content::Deadline, |n| {
        let properties = list(n, |at| {
            format!(r#""k{at}":{{"type":"object","required":["a","b"]}}"#)
        });
        let required = list(n, |at| format!("\"k{at}\""));
        format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{required}]}}"#)
    });
    inputs.sizes("due-deep", &[10, 100, 250], Content::Deadline, |n| {
        format!(
            "{}{}{}",
            r#"{"type":"object","required":["a"],"properties":{"a":"#.repeat(n),
            r#"{"type":"string"}"#,
            "}}".repeat(n)
        )
    });
    inputs.sizes("due-any", &[1], Content::Deadline, |_| "true".into());
    inputs.sizes("due-union", &[10, 100, 300], Content::Deadline, |n| {
        let branches = list(n, |at| {
            format!(r##"{{"type":"object","properties":{{"t":{{"const":"{at}"}},"k{at}":{{"$ref":"#"}}}},"required":["t","k{at}"]}}"##)
        });
        format!(r#"{{"anyOf":[{{"type":"null"}},{branches}]}}"#)
    });
    inputs.sizes(
        "due-string",
        &[20, 1_000, 100_000],
        Content::Deadline,
        |n| format!(r#"{{"type":"string","pattern":"^[\\p{{L}}\\p{{N}} ]*$","minLength":{n}}}"#),
    );
    inputs.sizes("due-items", &[20, 1_000, 100_000], Content::Deadline, |n| {
        format!(r#"{{"type":"array","items":{{"type":"integer"}},"minItems":{n}}}"#)
    });
    inputs.sizes("due-unique", &[20, 200, 1_000], Content::Deadline, |n| {
        format!(
            r#"{{"type":"array","items":{{"type":"string"}},"uniqueItems":true,"minItems":{n}}}"#
        )
    });
    inputs.sizes("due-numbers", &[5, 40, 200], Content::Deadline, |n| {
        format!(
            r#"{{"type":"array","items":{{"type":"integer"}},"uniqueItems":true,"minItems":{n}}}"#
        )
    });
    inputs.sizes("due-objects", &[2, 5, 40], Content::Deadline, |n| {
        let item = r#"{"type":"object","properties":{"id":{"type":"integer"}},"required":["id"]}"#;
        format!(r#"{{"type":"array","items":{item},"uniqueItems":true,"minItems":{n}}}"#)
    });
    inputs.sizes("due-keys", &[20, 200, 1_000], Content::Deadline, |n| {
        format!(r#"{{"type":"object","minProperties":{n}}}"#)
    });
    inputs.sizes(
        "due-multiples",
        &[7, 9_999, 99_999_999],
        Content::Deadline,
        |n| {
            format!(
                r#"{{"type":"array","items":{{"type":"integer","multipleOf":{n}}},"minItems":20}}"#
            )
        },
    );
    inputs.sizes("due-enum", &[1_000, 100_000], Content::Deadline, |n| {
        format!(
            r#"{{"type":"array","items":{{"enum":[{}]}},"minItems":30}}"#,
            list(n, |at| format!("\"value {}\"", at * 7919 % 1_000_003))
        )
    });
    inputs.sizes("due-clauses", &[5, 20, 60], Content::Deadline, |n| {
        let clauses = list(n, |at| {
            format!(r#"{{"anyOf":[{{"required":["a{at}"]}},{{"required":["b{at}"]}}]}}"#)
        });
        format!(r#"{{"type":"object","allOf":[{clauses}]}}"#)
    });
}
