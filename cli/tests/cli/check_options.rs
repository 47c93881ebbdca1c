//! Each option of a request of OpenChatML 2.2 changes what `check` says of some text, and what `accept` says
//! with it: tests/data/check_options.toml.

use std::collections::BTreeSet;

use serde::Deserialize;

use super::{TOOLS, lines, maskwright, path, refusal, text, tiny};

const SCHEMA: &str =
    r#"{"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]}"#;

#[derive(Deserialize)]
struct Suite {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    option: Vec<String>,
    /// Options that both have.
    #[serde(default)]
    base: Vec<String>,
    start: Option<String>,
    text: String,
    without: String,
    with: String,
    /// Of an option that is refused.
    #[serde(default)]
    error: String,
}

fn cases() -> Vec<Case> {
    let suite = include_str!("../../../tests/data/check_options.toml");
    toml::from_str::<Suite>(suite).expect("cases").case
}

impl Case {
    /// The options, the names of files for the words that stand for them.
    fn options(&self, asked: bool) -> Vec<String> {
        let option = self.option.iter().filter(|_| asked);
        let file = |word: &String| match word.as_str() {
            "TOOLS" => path("options.tools.json", TOOLS),
            "SCHEMA" => path("options.schema.json", SCHEMA),
            _ => word.clone(),
        };
        let start = ["--start", self.start.as_deref().unwrap_or("assistant-turn")];
        let start = start.iter().map(|word| (*word).to_owned());
        self.base
            .iter()
            .chain(option)
            .map(file)
            .chain(start)
            .collect()
    }

    fn row(&self) -> String {
        serde_json::json!({"text": self.text.trim_start_matches('\n')}).to_string()
    }

    /// What `check` says: valid, a code, or what is wrong with the options.
    fn check(&self, asked: bool) -> String {
        let options = self.options(asked);
        let options = options.iter().map(String::as_str);
        let check = ["check", "--format", "openchatml-2.2", "--jsonl"];
        let command: Vec<&str> = check.into_iter().chain(options).collect();
        let output = maskwright(&command, &self.row());
        if output.status.code() == Some(2) {
            return refusal(&command, &self.row());
        }
        let answer = lines(&text(&output.stdout)).remove(0);
        answer["code"].as_str().unwrap_or("valid").to_owned()
    }

    /// Whether `accept` says that a turn is complete.
    fn accept(&self, asked: bool) -> bool {
        let options = self.options(asked);
        let options = options.iter().map(String::as_str);
        let vocabulary = tiny();
        let accept = [
            "accept",
            "--format",
            "openchatml-2.2",
            "--jsonl",
            "--vocab",
            &vocabulary,
        ];
        let command: Vec<&str> = accept.into_iter().chain(options).collect();
        let output = maskwright(&command, &self.row());
        let answer = lines(&text(&output.stdout)).remove(0);
        answer["complete"] == true
    }
}

#[test]
fn each_option_changes_a_verdict_or_is_refused() {
    for case in cases() {
        assert_ne!(case.without, case.with, "{}", case.name);
        assert_eq!(case.check(false), case.without, "{}", case.name);
        let with = case.check(true);
        match case.with.as_str() {
            "refused" => assert!(with.contains(&case.error), "{}: {with}", case.name),
            verdict => assert_eq!(with, verdict, "{}", case.name),
        }
    }
}

/// The automaton says of each turn what the parser does.
#[test]
fn accept_agrees_on_each_option() {
    let turns = cases()
        .into_iter()
        .filter(|case| case.start.is_none() && case.with != "refused");
    for case in turns {
        assert_eq!(case.accept(false), case.without == "valid", "{}", case.name);
        assert_eq!(
            case.accept(true),
            case.with == "valid",
            "{}: with",
            case.name
        );
    }
}

/// No option of `check` is without a case, but for those that say what is read, how, and by whom.
#[test]
fn every_option_has_a_case() {
    let help = text(&maskwright(&["check", "--help"], "").stdout);
    let words = help.lines().map(str::trim_start);
    let words = words.filter(|line| line.starts_with('-'));
    let options =
        words.filter_map(|line| line.split([' ', ',']).find(|word| word.starts_with("--")));
    let options: BTreeSet<&str> = options.collect();
    let of_input = [
        "--format",
        "--grammar",
        "--lead",
        "--patterns",
        "--start",
        "--jsonl",
        "--help",
    ];
    let cases = cases();
    let tested = cases.iter().map(|case| case.option[0].as_str());
    let tested: BTreeSet<&str> = tested.chain(of_input).collect();
    assert_eq!(options, tested);
}
