//! Schemas at random.

#[path = "cases.rs"]
mod cases;

pub(crate) use cases::cases;

use proptest::prelude::*;

/// Names of properties in schemas and instances.
pub(crate) const NAMES: [&str; 5] = ["a", "ab", "b", "c", "x1"];

/// Another judge of `schema`, formats asserted.
pub(crate) fn validator(schema: &str) -> jsonschema::Validator {
    // To the crate only `\n` ends a line.
    let schema = schema.replace("^.$", r"^[^\\n\\r\\u2028\\u2029]$");
    let schema = serde_json::from_str(&schema).unwrap();
    let options = jsonschema::options().should_validate_formats(true);
    options.build(&schema).unwrap()
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just(r#"{"type":"string"}"#.to_owned()),
        (0u32..3, 0u32..4).prop_map(|(a, b)| format!(
            r#"{{"type":"string","minLength":{a},"maxLength":{}}}"#,
            a + b
        )),
        Just(r#"{"type":"string","pattern":"^[a-c]+$"}"#.to_owned()),
        Just(r#"{"pattern":"a|é"}"#.to_owned()),
        // With no character to spare, or a few.
        (1u32..4, 0u32..3).prop_map(|(count, spare)| format!(
            r#"{{"type":"string","pattern":"[a-c]{{{count}}}","maxLength":{}}}"#,
            count + spare
        )),
        Just(r#"{"type":["integer","null"]}"#.to_owned()),
        (-25i32..25, 0i32..30).prop_map(|(a, b)| format!(
            r#"{{"type":"integer","minimum":{a},"maximum":{}}}"#,
            a + b
        )),
        (-25i32..25, 1i32..30).prop_map(|(a, b)| {
            let (a, b) = (f64::from(a) / 4.0, f64::from(a + b) / 4.0);
            format!(r#"{{"type":"number","exclusiveMinimum":{a},"maximum":{b}}}"#)
        }),
        (-25i32..25, 1i32..30, 1u32..9).prop_map(|(a, b, step)| {
            let (a, b, step) = (
                f64::from(a) / 4.0,
                f64::from(a + b) / 4.0,
                f64::from(step) / 4.0,
            );
            format!(r#"{{"type":"number","minimum":{a},"maximum":{b},"multipleOf":{step}}}"#)
        }),
        Just(r#"{"enum":["a","ab",1,null,[1]]}"#.to_owned()),
        Just(r#"{"type":["string","integer"],"format":"date"}"#.to_owned()),
        Just(r#"{"enum":[{"a":1},2,[],["a",1]]}"#.to_owned()),
        Just(r#"{"const":2}"#.to_owned()),
        Just(r#"{"type":["array","object"]}"#.to_owned()),
    ]
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(&NAMES[..])
}

fn pattern() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["^a", "b", "^x[0-9]$", "^.$", "c|1"])
}

/// The keywords of an object, each there or not.
fn object(inner: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let member = |keyword: &'static str, value: BoxedStrategy<String>| {
        prop::option::weighted(0.25, value)
            .prop_map(move |value| value.map(|value| format!(r#""{keyword}":{value}"#)))
            .boxed()
    };
    let names = prop::collection::vec(name().prop_map(|n| format!("\"{n}\"")), 1..3);
    let names = names
        .prop_map(|names| format!("[{}]", names.join(",")))
        .boxed();
    let names = names.prop_filter("distinct", |n| !n.contains(','));
    let of = |key: BoxedStrategy<&'static str>, value: BoxedStrategy<String>| {
        prop::collection::btree_map(key, value, 1..3)
            .prop_map(|map| {
                let members = map.iter().map(|(key, value)| format!(r#""{key}":{value}"#));
                format!("{{{}}}", members.collect::<Vec<_>>().join(","))
            })
            .boxed()
    };
    let number = || (0u32..3).prop_map(|n| n.to_string()).boxed();
    let members = vec![
        member("properties", of(name().boxed(), inner.clone().boxed())),
        member(
            "patternProperties",
            of(pattern().boxed(), inner.clone().boxed()),
        ),
        member("additionalProperties", inner.clone().boxed()),
        member("propertyNames", leaf().boxed()),
        member("required", names.clone().boxed()),
        member("minProperties", number()),
        member(
            "maxProperties",
            (0u32..4).prop_map(|n| n.to_string()).boxed(),
        ),
        member("dependentRequired", of(name().boxed(), names.boxed())),
        member(
            "dependentSchemas",
            of(name().boxed(), inner.clone().boxed()),
        ),
        member("unevaluatedProperties", inner.boxed()),
    ];
    members.prop_map(|members| {
        let members: Vec<String> = members.into_iter().flatten().collect();
        format!(
            r#"{{"type":"object"{}}}"#,
            members.iter().map(|m| format!(",{m}")).collect::<String>()
        )
    })
}

/// The keywords of an array, each there or not.
fn array(inner: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = String> {
    let member = |keyword: &'static str, value: BoxedStrategy<String>| {
        prop::option::weighted(0.3, value)
            .prop_map(move |value| value.map(|value| format!(r#""{keyword}":{value}"#)))
            .boxed()
    };
    let number = |most: u32| (0..most).prop_map(|n| n.to_string()).boxed();
    let prefix = prop::collection::vec(inner.clone(), 1..3);
    let members = vec![
        member(
            "prefixItems",
            prefix.prop_map(|p| format!("[{}]", p.join(","))).boxed(),
        ),
        member("items", inner.clone().boxed()),
        member("contains", inner.clone().boxed()),
        member("minContains", number(3)),
        member("maxContains", number(3)),
        member("minItems", number(3)),
        member("maxItems", number(4)),
        member(
            "uniqueItems",
            any::<bool>().prop_map(|unique| unique.to_string()).boxed(),
        ),
        member("unevaluatedItems", inner.boxed()),
    ];
    members.prop_map(|members| {
        let members: Vec<String> = members.into_iter().flatten().collect();
        format!(
            r#"{{"type":"array"{}}}"#,
            members.iter().map(|m| format!(",{m}")).collect::<String>()
        )
    })
}

/// A schema of all keywords, at random.
pub(crate) fn schema() -> impl Strategy<Value = String> {
    leaf().prop_recursive(3, 14, 3, |inner| {
        let several = |keyword: &'static str| {
            let branches = prop::collection::vec(inner.clone(), 1..4);
            branches.prop_map(move |b| format!(r#"{{"{keyword}":[{}]}}"#, b.join(",")))
        };
        prop_oneof![
            3 => object(inner.clone()),
            2 => array(inner.clone()),
            1 => several("anyOf"),
            1 => several("allOf"),
            1 => several("oneOf"),
            1 => inner.clone().prop_map(|s| format!(r#"{{"not":{s}}}"#)),
            1 => (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!(r#"{{"if":{a},"then":{b},"else":{c}}}"#)),
            1 => (inner.clone(), inner.clone(), inner)
                .prop_map(|(a, b, c)| format!(r#"{{"allOf":[{a}],"anyOf":[{b},{c}],"unevaluatedProperties":{a},"unevaluatedItems":{b}}}"#)),
        ]
    })
}

/// Which items of an array are equal.
fn equality() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        3 => Just(r#""uniqueItems":true"#),
        1 => Just(r#""uniqueItems":false"#),
        1 => Just(r#""not":{"uniqueItems":true}"#),
    ]
}

/// A schema of arrays of distinct items, few of which there are or many, or of equal ones.
pub(crate) fn distinct() -> impl Strategy<Value = String> {
    let few = prop_oneof![
        Just(r#"{"enum":[1,2,{"a":1}]}"#.to_owned()),
        Just(r#"{"type":"boolean"}"#.to_owned()),
        Just(r#"{"type":"integer","minimum":0,"maximum":2}"#.to_owned()),
        Just(r#"{"type":"number","multipleOf":0.25,"minimum":0,"maximum":1}"#.to_owned()),
        Just(r#"{"type":["null","string"],"pattern":"^a?b?$"}"#.to_owned()),
    ];
    let part = prop_oneof![3 => few, 1 => leaf()];
    let items = prop_oneof![
        (prop::collection::btree_map(name(), part.clone(), 1..3), any::<bool>(), prop::option::of(name())).prop_map(|(of, open, required)| {
            let members = of.iter().map(|(key, value)| format!(r#""{key}":{value}"#));
            let members = members.collect::<Vec<_>>().join(",");
            let required = required.map(|name| format!("\"{name}\"")).unwrap_or_default();
            format!(r#"{{"type":"object","properties":{{{members}}},"additionalProperties":{open},"required":[{required}]}}"#)
        }),
        (part.clone(), 0u32..3, equality()).prop_map(|(items, most, equality)| {
            format!(r#"{{"type":"array","items":{items},"maxItems":{most},{equality}}}"#)
        }),
        part.clone(),
    ];
    let contains = prop::option::weighted(0.2, part);
    let most = prop::option::weighted(0.3, 2u32..4);
    let items = prop::collection::vec(items, 1..3);
    (items, 0u32..3, most, equality(), contains).prop_map(|(items, least, most, equality, contains)| {
        let contains = contains.map(|set| format!(r#","contains":{set}"#)).unwrap_or_default();
        let most = most.map(|most| format!(r#","maxItems":{most}"#)).unwrap_or_default();
        format!(r#"{{"type":"array","items":{{"anyOf":[{}]}},"minItems":{least}{most},{equality}{contains}}}"#, items.join(","))
    })
}

/// Conditions on the values of one property, some of which nothing but they name.
fn discriminated() -> impl Strategy<Value = String> {
    const VALUES: [&str; 6] = [r#""x""#, r#""y""#, r#""z""#, r#""ab""#, r#""a""#, "1"];
    let values = prop::sample::subsequence(VALUES.to_vec(), 4..=6).prop_shuffle();
    let branch = (leaf(), name(), any::<(bool, bool, bool, bool)>());
    let branches = prop::collection::vec(branch, 6);
    let (own, kind) = (leaf(), name());
    (values, branches, own, kind, any::<bool>()).prop_map(|(values, branches, own, kind, demanded)| {
        let demanded = if demanded { format!(r#""required":["{kind}"],"#) } else { String::new() };
        let conditions = values.iter().zip(branches).map(|(value, branch)| {
            let (set, name, (is_required, is_object, is_list, is_needed)) = branch;
            let test = match is_list {
                true => format!(r#"{{"enum":[{value}]}}"#),
                false => format!(r#"{{"const":{value}}}"#),
            };
            let required = if is_required { format!(r#","required":["{kind}"]"#) } else { String::new() };
            let object = if is_object { r#","type":"object""# } else { "" };
            let needed = if is_needed { format!(r#","required":["{name}"]"#) } else { String::new() };
            format!(
                r#"{{"if":{{"properties":{{"{kind}":{test}}}{required}{object}}},"then":{{"properties":{{"{name}":{set}}}{needed}}}}}"#
            )
        });
        let conditions = conditions.collect::<Vec<_>>().join(",");
        format!(r#"{{"properties":{{"c":{own}}},{demanded}"allOf":[{conditions}]}}"#)
    })
}

/// Objects under several conditions that hold side by side.
pub(crate) fn conditions() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        2 => prop::sample::select(vec![r#""x""#, r#""y""#, "1", "null"])
            .prop_map(|value| format!(r#"{{"const":{value}}}"#)),
        1 => Just(r#"{"enum":["x","y","z"]}"#.to_owned()),
        1 => Just(r#"{"type":"string"}"#.to_owned()),
        1 => Just(r#"{"pattern":"x|y"}"#.to_owned()),
        1 => Just("false".to_owned()),
        1 => leaf(),
    ];
    let members = prop::collection::btree_map(name(), value, 0..3);
    let names = prop::collection::btree_set(name(), 0..3);
    let part = (members, names).prop_map(|(members, names)| {
        let members = members
            .iter()
            .map(|(key, value)| format!(r#""{key}":{value}"#));
        let names = names.iter().map(|name| format!(r#""{name}""#));
        let (members, names): (Vec<_>, Vec<_>) = (members.collect(), names.collect());
        format!(
            r#"{{"properties":{{{}}},"required":[{}]}}"#,
            members.join(","),
            names.join(",")
        )
    });
    let part = part.boxed();
    let condition = prop_oneof![
        3 => (part.clone(), part.clone()).prop_map(|(a, b)| format!(r#"{{"if":{a},"then":{b}}}"#)),
        1 => (part.clone(), part.clone(), part.clone())
            .prop_map(|(a, b, c)| format!(r#"{{"if":{a},"then":{b},"else":{c}}}"#)),
        2 => (name(), part.clone()).prop_map(|(a, b)| format!(r#"{{"dependentSchemas":{{"{a}":{b}}}}}"#)),
        1 => (part.clone(), part.clone()).prop_map(|(a, b)| format!(r#"{{"anyOf":[{a},{b}]}}"#)),
        1 => (part.clone(), part.clone()).prop_map(|(a, b)| format!(r#"{{"not":{{"allOf":[{a},{b}]}}}}"#)),
    ];
    let conditions = prop::collection::vec(condition, 3..9);
    let bounds = prop_oneof![
        4 => Just(""),
        1 => Just(r#","additionalProperties":false"#),
        1 => Just(r#","maxProperties":3"#),
        1 => Just(r#","minProperties":2"#),
    ];
    let side_by_side = (part, conditions, bounds).prop_map(|(own, conditions, bounds)| {
        let own = &own[1..own.len() - 1];
        let all = conditions.join(",");
        format!(r#"{{"type":"object",{own}{bounds},"allOf":[{all}]}}"#)
    });
    prop_oneof![2 => side_by_side, 1 => discriminated()]
}
