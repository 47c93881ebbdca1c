//! Hostile JSON Schemas.

use crate::inputs::{Content, Input, Inputs};

/// The smallest of them, for a first try.
pub(crate) fn example() -> Input {
    let content = Content::Schema(Box::new(|| reference_chain(1_000)));
    Input {
        class: "references",
        name: "example".into(),
        content,
    }
}

/// `count` parts with a separator between them.
pub(crate) fn list(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect::<Vec<_>>().join(",")
}

fn reference_chain(length: usize) -> String {
    let links = list(length, |at| {
        format!(r##""d{at}":{{"$ref":"#/$defs/d{}"}}"##, at + 1)
    });
    format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{links},"d{length}":{{"type":"null"}}}}}}"##)
}

/// A chain of definitions, each of which holds the next one as `link` says, with `@` in its place.
pub(crate) fn chain(length: usize, link: &str) -> String {
    let links = list(length, |at| {
        format!(
            r#""d{at}":{}"#,
            link.replace('@', &format!(r##"{{"$ref":"#/$defs/d{}"}}"##, at + 1))
        )
    });
    format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{links},"d{length}":{{"type":"null"}}}}}}"##)
}

/// Definitions that each refer twice to the next one, under `keyword`.
pub(crate) fn laughs(depth: usize, keyword: &str) -> String {
    let links = list(depth, |at| {
        let next = at + 1;
        format!(
            r##""d{at}":{{"{keyword}":[{{"$ref":"#/$defs/d{next}"}},{{"$ref":"#/$defs/d{next}"}}]}}"##
        )
    });
    format!(
        r##"{{"$ref":"#/$defs/d0","$defs":{{{links},"d{depth}":{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}}}}}}}}"##
    )
}

fn dynamic_web(resources: usize) -> String {
    let parts = list(resources, |at| {
        let next = list(3, |step| {
            format!(
                r#""p{step}":{{"$ref":"r{}"}}"#,
                (at * (step + 2) + step + 1) % resources
            )
        });
        format!(
            r##""r{at}":{{"$id":"r{at}","$dynamicAnchor":"n","type":"object","properties":{{"v":{{"$dynamicRef":"#n"}},{next}}}}}"##
        )
    });
    format!(r#"{{"$id":"http://x.test/","$ref":"r0","$defs":{{{parts}}}}}"#)
}

fn dynamic_names(anchors: usize) -> String {
    let parts = list(anchors, |at| {
        let mine = list(anchors, |name| {
            format!(r#""a{name}":{{"$dynamicAnchor":"n{name}","type":"object"}}"#)
        });
        let next = list(anchors, |name| {
            format!(r##""p{name}":{{"$dynamicRef":"#n{name}"}}"##)
        });
        format!(
            r#""r{at}":{{"$id":"r{at}","$defs":{{{mine}}},"properties":{{{next},"o":{{"$ref":"r{}"}}}}}}"#,
            (at + 1) % anchors
        )
    });
    format!(r#"{{"$id":"http://x.test/","$ref":"r0","$defs":{{{parts}}}}}"#)
}

/// An object of `n` properties, required and true or false, of which 64 threes each have one that is as said.
fn threes(n: usize) -> String {
    let mut seed = n;
    let mut draw = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % below
    };
    let threes: Vec<String> = (0..64)
        .map(|_| {
            let parts: Vec<String> = (0..3)
                .map(|_| {
                    format!(
                        r#"{{"properties":{{"p{}":{{"const":{}}}}}}}"#,
                        draw(n),
                        draw(2) == 0
                    )
                })
                .collect();
            format!(r#"{{"anyOf":[{}]}}"#, parts.join(","))
        })
        .collect();
    format!(
        r#"{{"type":"object","properties":{{{}}},"required":[{}],"allOf":[{}]}}"#,
        list(n, |at| format!(r#""p{at}":{{"type":"boolean"}}"#)),
        list(n, |at| format!(r#""p{at}""#)),
        threes.join(",")
    )
}

/// References on and on, to and fro.
pub(crate) fn references(inputs: &mut Inputs) {
    inputs.class("chains and webs of references");
    inputs.sizes(
        "ref-chain",
        &[1_000, 10_000, 100_000, 300_000],
        Content::Schema,
        reference_chain,
    );
    inputs.sizes("anchors", &[1_000, 50_000], Content::Schema, |n| {
        let all = list(n, |at| {
            format!(r#""d{at}":{{"$anchor":"a{at}","const":{at}}}"#)
        });
        let parts = list(n, |at| format!(r##"{{"$ref":"#a{at}"}}"##));
        format!(r#"{{"anyOf":[{parts}],"$defs":{{{all}}}}}"#)
    });
    inputs.sizes("if-else-chain", &[700, 8_000], Content::Schema, |n| {
        chain(n, r#"{"if":{"properties":{"a":{"const":1}},"required":["a"]},"then":{"required":["b"]},"else":@}"#)
    });
    inputs.sizes("ref-chain-tool", &[100_000], Content::Tool, reference_chain);
    inputs.sizes(
        "items-chain",
        &[1_000, 10_000, 50_000, 200_000],
        Content::Schema,
        |n| chain(n, r#"{"items":@}"#),
    );
    inputs.sizes(
        "properties-chain",
        &[10_000, 50_000],
        Content::Schema,
        |n| chain(n, r#"{"properties":{"a":@}}"#),
    );
    inputs.sizes("required-chain", &[10_000, 50_000], Content::Schema, |n| {
        chain(
            n,
            r#"{"type":"object","properties":{"a":@},"required":["a"]}"#,
        )
    });
    inputs.sizes(
        "allOf-chain",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| chain(n, r#"{"allOf":[@]}"#),
    );
    inputs.sizes(
        "anyOf-chain",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| chain(n, r#"{"anyOf":[@,{"type":"null"}]}"#),
    );
    inputs.sizes(
        "anyOf-numbers-chain",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| {
            chain(
                n,
                r#"{"anyOf":[@,{"type":"array","items":{"type":"null"},"maxItems":3}]}"#,
            )
        },
    );
    inputs.sizes(
        "oneOf-chain",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| chain(n, r#"{"oneOf":[@,{"type":"string"}]}"#),
    );
    inputs.sizes(
        "not-chain",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| chain(n, r#"{"not":@}"#),
    );
    inputs.sizes(
        "not-anyOf-chain",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| chain(n, r#"{"not":{"anyOf":[@]}}"#),
    );
    inputs.sizes("if-chain", &[1_000, 10_000, 50_000], Content::Schema, |n| {
        chain(n, r#"{"if":{"type":"object"},"else":@}"#)
    });
    inputs.sizes(
        "siblings-chain",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| {
            let links = list(n, |at| {
                format!(
                    r##""d{at}":{{"$ref":"#/$defs/d{}","minLength":{at}}}"##,
                    at + 1
                )
            });
            format!(r##"{{"$ref":"#/$defs/d0","$defs":{{{links},"d{n}":{{"type":"string"}}}}}}"##)
        },
    );
    inputs.sizes(
        "allOf-side",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| {
            format!(
                r#"{{"allOf":[{}]}}"#,
                list(n, |at| format!(
                    r#"{{"properties":{{"p{at}":{{"type":"null"}}}}}}"#
                ))
            )
        },
    );
    inputs.sizes(
        "anyOf-side",
        &[1_000, 10_000, 50_000],
        Content::Schema,
        |n| {
            format!(
                r#"{{"anyOf":[{}]}}"#,
                list(n, |at| format!(
                    r#"{{"type":"array","minItems":{at},"items":{{"const":{at}}}}}"#
                ))
            )
        },
    );
    inputs.sizes("anyOf-objects", &[100, 1_000, 10_000], Content::Schema, |n| {
        format!(r#"{{"anyOf":[{}]}}"#, list(n, |at| format!(r#"{{"type":"object","properties":{{"p{at}":{{"type":"null"}}}},"required":["p{at}"]}}"#)))
    });
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let text: fn(usize) -> String = match keyword {
            "allOf" => |n| laughs(n, "allOf"),
            "anyOf" => |n| laughs(n, "anyOf"),
            _ => |n| laughs(n, "oneOf"),
        };
        inputs.sizes(
            &format!("laughs-{keyword}"),
            &[10, 30, 100, 1_000],
            Content::Schema,
            text,
        );
    }
    inputs.sizes("laughs-properties", &[20, 1_000], Content::Schema, |n| {
        chain(
            n,
            r#"{"type":"object","properties":{"a":@,"b":@},"required":["a","b"]}"#,
        )
    });
    inputs.sizes("laughs-tuple", &[20, 1_000], Content::Schema, |n| {
        chain(n, r#"{"type":"array","prefixItems":[@,@],"minItems":2}"#)
    });
    inputs.sizes(
        "dynamic-web",
        &[10, 30, 100, 1_000],
        Content::Schema,
        dynamic_web,
    );
    inputs.sizes("dynamic-web-tool", &[30, 100], Content::Tool, dynamic_web);
    inputs.sizes(
        "dynamic-names",
        &[5, 10, 30, 60],
        Content::Schema,
        dynamic_names,
    );
    inputs.sizes(
        "unevaluated-chain",
        &[1_000, 10_000],
        Content::Schema,
        |n| {
            chain(
                n,
                r#"{"type":"object","allOf":[@],"unevaluatedProperties":false}"#,
            )
        },
    );
}

pub(crate) fn enumeration(from: usize, count: usize) -> String {
    format!(
        r#"{{"enum":[{}]}}"#,
        list(count, |at| format!(r#""v{}""#, from + at))
    )
}

fn objects(count: usize) -> String {
    list(count, |at| {
        format!(r#"{{"k{at}":{at},"l{}":[{at}]}}"#, at % 7)
    })
}

/// Sets of values that overlap, and many names.
pub(crate) fn sets(inputs: &mut Inputs) {
    inputs.class("sets of values that overlap");
    inputs.sizes("threes", &[15, 40, 60], Content::Schema, threes);
    inputs.sizes("not-array", &[1_000, 30_000], Content::Schema, |n| {
        format!(
            r#"{{"not":{{"const":[{}]}}}}"#,
            list(n, |at| at.to_string())
        )
    });
    inputs.sizes("oneOf-enums", &[5, 20, 46, 200], Content::Schema, |n| {
        format!(
            r#"{{"oneOf":[{}]}}"#,
            list(n, |at| enumeration(at * 100, 500))
        )
    });
    inputs.sizes("oneOf-enums-objects", &[5, 20, 60], Content::Schema, |n| {
        format!(
            r#"{{"oneOf":[{}]}}"#,
            list(n, |_| format!(r#"{{"enum":[{}]}}"#, objects(n)))
        )
    });
    inputs.sizes("anyOf-enums", &[20, 200], Content::Schema, |n| {
        format!(
            r#"{{"anyOf":[{}]}}"#,
            list(n, |at| enumeration(at * 100, 500))
        )
    });
    inputs.sizes(
        "allOf-enums",
        &[1_000, 20_000, 100_000],
        Content::Schema,
        |n| {
            format!(
                r#"{{"allOf":[{},{}]}}"#,
                enumeration(0, n),
                enumeration(n / 2, n)
            )
        },
    );
    inputs.sizes(
        "allOf-enums-numbers",
        &[1_000, 20_000, 100_000],
        Content::Schema,
        |n| {
            let numbers =
                |from: usize| format!(r#"{{"enum":[{}]}}"#, list(n, |at| (from + at).to_string()));
            format!(r#"{{"allOf":[{},{}]}}"#, numbers(0), numbers(n / 2))
        },
    );
    inputs.sizes(
        "allOf-enums-objects",
        &[100, 1_000, 5_000],
        Content::Schema,
        |n| {
            format!(
                r#"{{"allOf":[{{"enum":[{0}]}},{{"enum":[{0}]}}]}}"#,
                objects(n)
            )
        },
    );
    inputs.sizes("not-enum-objects", &[10, 60, 500], Content::Schema, |n| {
        format!(r#"{{"not":{{"enum":[{}]}}}}"#, objects(n))
    });
    inputs.sizes("not-enum-strings", &[1_000, 20_000], Content::Schema, |n| {
        format!(r#"{{"not":{}}}"#, enumeration(0, n))
    });
    inputs.sizes(
        "not-enum-numbers",
        &[100, 1_000, 20_000],
        Content::Schema,
        |n| {
            format!(
                r#"{{"type":"number","not":{{"enum":[{}]}}}}"#,
                list(n, |at| format!("{}.{at}", at * 7))
            )
        },
    );
    inputs.sizes("enum", &[20_000, 100_000, 500_000], Content::Schema, |n| {
        enumeration(0, n)
    });
    inputs.sizes("enum-objects", &[1_000, 20_000], Content::Schema, |n| {
        format!(r#"{{"enum":[{}]}}"#, objects(n))
    });
    inputs.sizes(
        "required",
        &[1_000, 10_000, 100_000],
        Content::Schema,
        |n| {
            format!(
                r#"{{"type":"object","required":[{}]}}"#,
                list(n, |at| format!(r#""r{at}""#))
            )
        },
    );
    inputs.sizes("required-closed", &[1_000, 10_000, 50_000], Content::Schema, |n| {
        let names = list(n, |at| format!(r#""r{at}""#));
        let properties = list(n, |at| format!(r#""r{at}":{{"type":"integer"}}"#));
        format!(r#"{{"type":"object","properties":{{{properties}}},"required":[{names}],"additionalProperties":false}}"#)
    });
    inputs.sizes(
        "properties",
        &[1_000, 10_000, 100_000],
        Content::Schema,
        |n| {
            format!(
                r#"{{"type":"object","properties":{{{}}}}}"#,
                list(n, |at| format!(r#""p{at}":{{"maxLength":{at}}}"#))
            )
        },
    );
    inputs.sizes(
        "dependent",
        &[10, 60, 1_000, 20_000],
        Content::Schema,
        |n| {
            let needs = list(n, |at| format!(r#""d{at}":["d{}"]"#, (at + 1) % n));
            format!(r#"{{"type":"object","dependentRequired":{{{needs}}}}}"#)
        },
    );
    inputs.sizes("impossible", &[1_000, 20_000], Content::Schema, |n| {
        let needs = list(n, |at| format!(r#""d{}":["d{}"]"#, n - at, n - at - 1));
        format!(
            r#"{{"type":"object","properties":{{"d0":false}},"dependentRequired":{{{needs}}}}}"#
        )
    });
    inputs.sizes("pattern-properties", &[10, 40, 200], Content::Schema, |n| {
        let patterns = list(n, |at| format!(r#""^.*{at}.*a":{{"minimum":{at}}}"#));
        format!(r#"{{"type":"object","patternProperties":{{{patterns}}}}}"#)
    });
    inputs.sizes("multiples", &[10, 40, 200], Content::Schema, |n| {
        format!(
            r#"{{"type":"integer","allOf":[{}]}}"#,
            list(n, |at| format!(
                r#"{{"not":{{"multipleOf":{}}}}}"#,
                2 * at + 3
            ))
        )
    });
    inputs.sizes("oneOf-multiples", &[10, 40, 200], Content::Schema, |n| {
        format!(
            r#"{{"oneOf":[{}]}}"#,
            list(n, |at| format!(r#"{{"multipleOf":{}}}"#, 2 * at + 3))
        )
    });
    inputs.sizes("oneOf-types", &[10, 40, 300], Content::Schema, |n| {
        format!(
            r#"{{"oneOf":[{}]}}"#,
            list(n, |at| format!(
                r#"{{"type":"object","properties":{{"p{at}":{{"type":"string"}}}}}}"#
            ))
        )
    });
    inputs.sizes("oneOf-enums-numbers", &[20, 100], Content::Schema, |n| {
        let numbers = |from: usize| list(500, |at| (from + at).to_string());
        format!(
            r#"{{"oneOf":[{}]}}"#,
            list(n, |at| format!(r#"{{"enum":[{}]}}"#, numbers(at * 10)))
        )
    });
    inputs.sizes("oneOf-consts", &[1_000, 20_000], Content::Schema, |n| {
        format!(
            r#"{{"oneOf":[{}]}}"#,
            list(n, |at| format!(r#"{{"const":{}}}"#, at / 2))
        )
    });
    inputs.sizes("anyOf-not", &[10, 100, 1_000], Content::Schema, |n| {
        format!(
            r#"{{"not":{{"anyOf":[{}]}}}}"#,
            list(n, |at| format!(r#"{{"required":["a{at}","b{at}"]}}"#))
        )
    });
    inputs.sizes(
        "dependentSchemas",
        &[10, 100, 1_000],
        Content::Schema,
        |n| {
            let all = list(n, |at| {
                format!(
                    r#""d{at}":{{"properties":{{"d{}":{{"minimum":{at}}}}}}}"#,
                    (at + 1) % n
                )
            });
            format!(r#"{{"type":"object","dependentSchemas":{{{all}}}}}"#)
        },
    );
    inputs.sizes("propertyNames", &[10, 100, 1_000], Content::Schema, |n| {
        let all = list(n, |at| {
            format!(r#"{{"propertyNames":{{"pattern":"a{at}|b"}}}}"#)
        });
        format!(r#"{{"type":"object","allOf":[{all}]}}"#)
    });
    inputs.sizes("prefixItems", &[1_000, 50_000], Content::Schema, |n| {
        format!(
            r#"{{"type":"array","prefixItems":[{}],"minItems":{n}}}"#,
            list(n, |at| format!(r#"{{"const":{at}}}"#))
        )
    });
    inputs.sizes("long-text", &[100_000, 7_000_000], Content::Schema, |n| {
        format!(r#"{{"const":"{}"}}"#, "x".repeat(n))
    });
    inputs.sizes(
        "long-number",
        &[1_000, 100_000, 1_000_000],
        Content::Schema,
        |n| {
            format!(
                r#"{{"type":"number","minimum":1{0},"multipleOf":0.{0}1}}"#,
                "0".repeat(n)
            )
        },
    );
    inputs.sizes("far-multiples", &[9, 30, 300], Content::Schema, |n| {
        format!(
            r#"{{"type":"integer","multipleOf":{0}7,"minimum":{0}8,"maximum":{0}3{0}}}"#,
            "9".repeat(n)
        )
    });
    inputs.sizes("contains", &[10, 40, 300], Content::Schema, |n| {
        format!(
            r#"{{"type":"array","allOf":[{}]}}"#,
            list(n, |at| format!(r#"{{"contains":{{"const":{at}}}}}"#))
        )
    });
    inputs.sizes("if-then", &[10, 40, 300], Content::Schema, |n| {
        let parts = list(n, |at| format!(r#"{{"if":{{"properties":{{"a":{{"const":{at}}}}}}},"then":{{"required":["b{at}"]}}}}"#));
        format!(r#"{{"type":"object","allOf":[{parts}]}}"#)
    });
}
