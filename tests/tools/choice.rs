//! Tool choices in every provider's spelling.

use maskwright::base::Limits;
use maskwright::front::chat::{ChosenTools, ParallelCalls, ToolChoice, ToolSet};
use serde::Deserialize;

const TOOLS: &str = r#"[{"name": "get_time"}, {"name": "add"}, {"name": "any"}]"#;

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

/// A choice, and what it says or the end of the error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    choice: String,
    says: Option<String>,
    error: Option<String>,
}

/// What a choice says, in a line.
fn said(chosen: &ChosenTools, tools: &ToolSet) -> String {
    let mut said = match &chosen.choice {
        ToolChoice::Auto => "auto".to_owned(),
        ToolChoice::Required => "required".to_owned(),
        ToolChoice::None => "none".to_owned(),
        ToolChoice::Named(name) => name.clone(),
    };
    if chosen.tools.len() < tools.len() {
        let names: Vec<&str> = chosen.tools.iter().map(|tool| tool.short_name()).collect();
        said += &format!(" of {}", names.join(", "));
    }
    said + match chosen.parallel_calls {
        None => "",
        Some(ParallelCalls::Forbidden) => ", one",
        Some(_) => ", several",
    }
}

#[test]
fn choices_of_all_providers_say_what_may_be_called() {
    let suite: Suite = toml::from_str(include_str!("../data/tool_choice.toml")).unwrap();
    let limits = Limits::default();
    let tools = ToolSet::parse(TOOLS, &limits).unwrap();
    for case in &suite.case {
        let found = tools.chosen(&case.choice, &limits);
        match (&found, &case.says, &case.error) {
            (Ok(chosen), Some(says), None) => {
                assert_eq!(&said(chosen, &tools), says, "{}", case.choice);
            }
            (Err(error), None, Some(expected)) => {
                let error = error.to_string();
                assert!(error.contains(expected), "{}: {error}", case.choice);
            }
            _ => panic!("{}: {found:?}", case.choice),
        }
    }
}
