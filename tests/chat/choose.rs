//! Which format a model writes, told by its vocabulary and its chat template.

use std::collections::BTreeSet;

use maskwright::base::Limits;
use maskwright::front::chat::{Choice, Format};

fn names(case: &toml::Value, key: &str) -> Vec<String> {
    let listed = case.get(key).and_then(|listed| listed.as_array());
    let listed = listed.into_iter().flatten();
    listed.map(|name| name.as_str().unwrap().into()).collect()
}

#[test]
fn a_model_says_what_it_writes() {
    let cases: toml::Table = include_str!("../data/choice.toml").parse().unwrap();
    for case in cases["case"].as_array().unwrap() {
        let tokens: BTreeSet<String> = names(case, "tokens").into_iter().collect();
        let template = case.get("template").and_then(|text| text.as_str());
        let found = match template {
            Some(template) if tokens.is_empty() => Format::for_template(template),
            template => Format::for_model(|name| tokens.contains(name), template),
        };
        let one = case.get("one").and_then(|name| name.as_str());
        let (is_one, found) = match &found {
            Choice::One(name) => (true, vec![*name]),
            Choice::Several(names) => (false, names.clone()),
            Choice::None => (false, Vec::new()),
        };
        let expected = match one {
            Some(name) => vec![name.to_owned()],
            None => names(case, "several"),
        };
        assert_eq!(found, expected, "{}", case["name"]);
        assert_eq!(is_one, one.is_some(), "{}", case["name"]);
        let Some(one) = one else { continue };
        let format = Format::built_in(one, &Limits::default());
        let format = format.unwrap().expect("it comes along");
        let flags = format.flags_for_model(|name| tokens.contains(name), template);
        let flags: Vec<_> = flags.into_iter().collect();
        assert_eq!(flags, names(case, "flags"), "{}", case["name"]);
    }
}
