//! What is linted, and tools.

use crate::inputs::{Content, Inputs};
use crate::schemas::{chain, enumeration, laughs, list};

/// What the linter looks at.
pub(crate) fn linting(inputs: &mut Inputs) {
    inputs.class("linting");
    inputs.sizes("lint-enum", &[1_000, 10_000, 100_000], Content::Lint, |n| {
        format!(
            r#"{{"type":"string","pattern":"^v[0-9]*7$","enum":[{}]}}"#,
            list(n, |at| format!(r#""v{at}""#))
        )
    });
    inputs.sizes("lint-required", &[1_000, 100_000], Content::Lint, |n| {
        format!(
            r#"{{"type":"object","required":[{}]}}"#,
            list(n, |at| format!(r#""r{at}""#))
        )
    });
    inputs.sizes("lint-patterns", &[10, 100, 500], Content::Lint, |n| {
        let patterns = list(n, |at| format!(r#""^.*{at}.*a":{{"minimum":{at}}}"#));
        let properties = list(n, |at| format!(r#""{at}a{at}":{{"minimum":{at}}}"#));
        format!(r#"{{"type":"object","patternProperties":{{{patterns}}},"properties":{{{properties}}}}}"#)
    });
    inputs.sizes("lint-names", &[1_000, 10_000], Content::Lint, |n| {
        let properties = list(n, |at| format!(r#""propertyName{at}":{{"typo{at}":1}}"#));
        format!(
            r#"{{"type":"object","properties":{{{properties}}},"required":[{}]}}"#,
            list(n, |at| format!(r#""propertyNam{at}""#))
        )
    });
    inputs.sizes(
        "lint-required-chain",
        &[1_000, 10_000],
        Content::Lint,
        |n| chain(n, r#"{"allOf":[@],"required":["a"]}"#),
    );
    inputs.sizes("lint-closed-chain", &[1_000, 10_000], Content::Lint, |n| {
        chain(
            n,
            r#"{"allOf":[@],"properties":{"a":{}},"additionalProperties":false}"#,
        )
    });
    inputs.sizes("lint-chain", &[1_000, 10_000], Content::Lint, |n| {
        chain(n, r#"{"allOf":[@]}"#)
    });
    inputs.sizes("lint-anyOf", &[100, 1_000], Content::Lint, |n| {
        format!(
            r#"{{"anyOf":[{}]}}"#,
            list(n, |at| format!(
                r#"{{"type":"object","properties":{{"p":{{"maxLength":{at}}}}}}}"#
            ))
        )
    });
}

/// Tools, and what stands in them.
pub(crate) fn tools(inputs: &mut Inputs) {
    inputs.class("tools");
    inputs.sizes(
        "tools-many",
        &[1_000, 10_000, 100_000],
        Content::Tools,
        |n| {
            format!(
                "[{}]",
                list(n, |at| format!(
                    r#"{{"name":"t{at}","parameters":{{"type":"object"}}}}"#
                ))
            )
        },
    );
    inputs.sizes("tools-schemas", &[100, 1_000, 10_000], Content::Tools, |n| {
        format!("[{}]", list(n, |at| format!(r#"{{"name":"t{at}","parameters":{{"type":"object","properties":{{"p{at}":{{"type":"string","maxLength":{at}}}}}}}}}"#)))
    });
    inputs.sizes("tools-patterns", &[10, 100], Content::Tools, |n| {
        format!("[{}]", list(n, |at| format!(r#"{{"name":"t{at}","parameters":{{"type":"object","properties":{{"p":{{"type":"string","pattern":"a.{{10}}{at}$"}}}}}}}}"#)))
    });
    inputs.sizes(
        "tools-long-name",
        &[1_000, 1_000_000, 10_000_000],
        Content::Tools,
        |n| {
            format!(
                r#"[{{"name":"{}","parameters":{{"type":"object"}}}}]"#,
                "n".repeat(n)
            )
        },
    );
    inputs.sizes("tools-enum", &[20_000, 100_000], Content::Tool, |n| {
        format!(
            r#"{{"type":"object","properties":{{"a":{}}}}}"#,
            enumeration(0, n)
        )
    });
    inputs.sizes("tools-same-names", &[1_000, 50_000], Content::Tools, |n| {
        format!(
            "[{}]",
            list(n, |at| format!(
                r#"{{"name":"t{}","parameters":{{"type":"object"}}}}"#,
                at / 2
            ))
        )
    });
    inputs.sizes("tools-laughs", &[30], Content::Tool, |n| laughs(n, "allOf"));
    inputs.sizes("tools-required", &[10_000, 100_000], Content::Tool, |n| {
        format!(
            r#"{{"type":"object","required":[{}]}}"#,
            list(n, |at| format!(r#""r{at}""#))
        )
    });
}
