//! Hostile JSON Schemas whose cost is in patterns and lengths, or comes when they are read on.

use crate::inputs::{Content, Inputs};
use crate::schemas::list;

/// Patterns, formats and lengths that multiply.
pub(crate) fn patterns(inputs: &mut Inputs) {
    inputs.class("patterns and lengths that multiply");
    inputs.sizes("subsets", &[10, 30, 100], Content::Schema, |n| {
        let parts = list(n, |at| {
            format!(
                r#"{{"minLength":{at},"maxLength":{},"pattern":"a{{{at}}}"}}"#,
                2 * n - at
            )
        });
        format!(r#"{{"type":"string","anyOf":[{parts}]}}"#)
    });
    inputs.sizes("subsets-oneOf", &[5, 10, 30], Content::Schema, |n| {
        let parts = list(n, |at| {
            format!(r#"{{"type":"string","minLength":{at},"pattern":"a{{{at}}}"}}"#)
        });
        format!(r#"{{"oneOf":[{parts}]}}"#)
    });
    inputs.sizes("not-patterns", &[1, 10, 40, 200], Content::Schema, |n| {
        let parts = list(n, |at| {
            format!(r#""p{at}":{{"not":{{"pattern":"^.*a.{{12}}{at}$"}}}}"#)
        });
        format!(r#"{{"type":"object","properties":{{{parts}}}}}"#)
    });
    inputs.sizes("blow-up", &[8, 14, 20, 100, 10_000], Content::Schema, |n| {
        format!(r#"{{"type":"string","pattern":"a.{{{n}}}b$"}}"#)
    });
    inputs.sizes("all-patterns", &[3, 6, 20, 100], Content::Schema, |n| {
        let parts = list(n, |at| {
            format!(
                r#"{{"pattern":"[a-z]{{{}}}{}"}}"#,
                at + 1,
                (b'a' + (at % 26) as u8) as char
            )
        });
        format!(r#"{{"type":"string","allOf":[{parts}]}}"#)
    });
    inputs.sizes("nested-repeats", &[10, 100, 1_000], Content::Schema, |n| {
        format!(r#"{{"type":"string","pattern":"^((a{{1,{n}}}){{1,{n}}}){{1,{n}}}$"}}"#)
    });
    inputs.sizes("classes", &[10, 100, 2_000], Content::Schema, |n| {
        format!(
            r#"{{"type":"string","pattern":"^({})$"}}"#,
            r"[\\p{L}\\p{N}]".repeat(n)
        )
    });
    inputs.sizes("total", &[300, 6_000], Content::Schema, |n| {
        format!(r#"{{"type":"string","pattern":"^([^a]|a[^b]|ab){{0,{n}}}$"}}"#)
    });
    inputs.sizes("look-aheads", &[5, 20, 100], Content::Schema, |n| {
        let looks: String = (0..n).map(|at| format!("(?!.*{at}.{{3}}x)")).collect();
        format!(r#"{{"type":"string","pattern":"^{looks}.*$"}}"#)
    });
    inputs.sizes(
        "alternation",
        &[1_000, 20_000, 200_000],
        Content::Schema,
        |n| {
            let words: Vec<String> = (0..n).map(|at| format!("w{at}")).collect();
            format!(r#"{{"type":"string","pattern":"^({})$"}}"#, words.join("|"))
        },
    );
    inputs.sizes("formats", &[1], Content::Schema, |_| {
        let names = [
            "email",
            "idn-email",
            "hostname",
            "idn-hostname",
            "uri",
            "iri",
            "uri-template",
            "regex",
            "date-time",
            "duration",
            "ipv6",
            "json-pointer",
        ];
        let parts = list(names.len(), |at| {
            format!(r#"{{"not":{{"format":"{}"}}}}"#, names[at])
        });
        format!(r#"{{"type":"string","allOf":[{parts}]}}"#)
    });
    inputs.sizes("format-pairs", &[1], Content::Schema, |_| {
        let names = ["email", "hostname", "uri", "iri", "uri-template", "regex", "duration", "ipv6"];
        let parts = list(64, |at| format!(r#""p{at}":{{"type":"string","allOf":[{{"format":"{}"}},{{"format":"{}"}},{{"minLength":{at}}}]}}"#, names[at % 8], names[at / 8]));
        format!(r#"{{"type":"object","properties":{{{parts}}}}}"#)
    });
    inputs.sizes(
        "regex",
        &[10, 1_000, 60_000, 1_000_000],
        Content::Regex,
        |n| "(a|b)?".repeat(n),
    );
    inputs.sizes("regex-groups", &[100, 256, 100_000], Content::Regex, |n| {
        format!("{}a{}", "(".repeat(n), ")*".repeat(n))
    });
    inputs.sizes(
        "regex-literal",
        &[60_000, 1_000_000, 10_000_000],
        Content::Regex,
        |n| "x".repeat(n),
    );
}

/// What compiles at once and may cost much at each token.
pub(crate) fn running(inputs: &mut Inputs) {
    inputs.class("counts that running meets");
    inputs.sizes(
        "minItems",
        &[10_000, 1_000_000, 1_000_000_000],
        Content::Schema,
        |n| format!(r#"{{"type":"array","minItems":{n},"items":{{"type":"integer"}}}}"#),
    );
    inputs.sizes("minItems-strings", &[10_000, 1_000_000], Content::Schema, |n| format!(r#"{{"type":"array","minItems":{n},"items":{{"type":"string","pattern":"^[a-z]+$"}}}}"#));
    inputs.sizes("minProperties", &[10_000, 1_000_000], Content::Schema, |n| format!(r#"{{"type":"object","minProperties":{n},"additionalProperties":{{"type":"integer"}}}}"#));
    inputs.sizes("uniqueItems", &[10, 200, 10_000], Content::Schema, |n| {
        format!(
            r#"{{"type":"array","uniqueItems":true,"minItems":{n},"items":{{"type":"integer"}}}}"#
        )
    });
    inputs.sizes("uniqueItems-strings", &[200, 10_000], Content::Schema, |n| format!(r#"{{"type":"array","uniqueItems":true,"minItems":{n},"items":{{"type":"string"}}}}"#));
    inputs.sizes("uniqueItems-objects", &[200, 10_000], Content::Schema, |n| format!(r#"{{"type":"array","uniqueItems":true,"minItems":{n},"items":{{"type":"object","properties":{{"a":{{"type":"integer"}}}}}}}}"#));
    inputs.sizes("uniqueItems-tiny", &[10, 300], Content::Schema, |n| format!(r#"{{"type":"array","uniqueItems":true,"minItems":3,"items":{{"type":"number","exclusiveMinimum":0,"maximum":1e-{n}}}}}"#));
    inputs.sizes("uniqueItems-bounded", &[10, 1_000], Content::Schema, |n| format!(r#"{{"type":"array","uniqueItems":true,"minItems":{n},"items":{{"type":"integer","minimum":0,"maximum":{n}}}}}"#));
    inputs.sizes(
        "minLength",
        &[1_000, 1_000_000_000, 1_000_000_000_000_000_000],
        Content::Schema,
        |n| format!(r#"{{"type":"string","minLength":{n},"pattern":"^[a-z ]*$"}}"#),
    );
    inputs.sizes(
        "minLength-plain",
        &[1_000_000_000_000_000_000],
        Content::Schema,
        |n| format!(r#"{{"type":"string","minLength":{n}}}"#),
    );
    inputs.sizes("contains-count", &[10, 1_000, 1_000_000], Content::Schema, |n| format!(r#"{{"type":"array","contains":{{"type":"integer"}},"minContains":{n},"maxContains":{}}}"#, n * 2));
    inputs.sizes("keys", &[1_000, 5_000], Content::Schema, |n| {
        let properties = list(n, |at| format!(r#""p{at}":{{}}"#));
        format!(
            r#"{{"type":"object","properties":{{{properties}}},"minProperties":{}}}"#,
            n / 2
        )
    });
    inputs.sizes("ambiguous", &[3, 10, 60, 1_000], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| format!("a =/ r{at}\r\nr{at} = a a / \"x\"\r\n"))
            .collect();
        format!("a = \"x\"\r\n{rules}")
    });
    inputs.sizes("left-recursion", &[10, 300, 3_000], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at} = r{} \"b\" / \"c{at}\"\r\n", (at + 1) % n))
            .collect();
        format!("a = r0\r\n{rules}")
    });
    inputs.sizes(
        "hidden-left-recursion",
        &[10, 100, 1_000],
        Content::Abnf,
        |n| {
            let rules: String = (0..n)
                .map(|at| format!("r{at} = [ \"b\" ] r{} \"c\" / \"d{at}\"\r\n", (at + 1) % n))
                .collect();
            format!("a = r0\r\n{rules}")
        },
    );
    inputs.sizes("mutual", &[30, 300, 1_000], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| {
                format!(
                    "r{at} = [ r{} ] [ r{} ] \"c{at}\"\r\n",
                    (at + 1) % n,
                    (at * 7 + 3) % n
                )
            })
            .collect();
        format!("a = r0\r\n{rules}")
    });
    inputs.sizes("mutual-dense", &[30, 100, 300], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| {
                let all: Vec<String> = (0..n).map(|to| format!("r{to} \"{}\"", to % 10)).collect();
                format!("r{at} = \"c{at}\" / {}\r\n", all.join(" / "))
            })
            .collect();
        format!("a = r0\r\n{rules}")
    });
    inputs.sizes(
        "counted",
        &[1_000, 100_000, 10_000_000],
        Content::Abnf,
        |n| format!("a = {n}*{}( \"x\" / \"yy\" )\r\n", n * 2),
    );
}
