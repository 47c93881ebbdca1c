//! The JSON-Schema-Test-Suite, instance by instance, and a small suite of our own in the same layout.
//!
//! The suite is the folder that `JSON_SCHEMA_TEST_SUITE` names, or else `jsts.tar.zst` among the data
//! under `MASKWRIGHT_DATA` (default `../shared`); where the default is absent, the test says so and our
//! own suite is left. What passes and what does not, and why, is committed as
//! `tests/data/json_schema_suite.md`: any difference fails, and so does what is not passed without a
//! reason, and a reason without need. `MASKWRIGHT_REWRITE=1` writes it anew.

#![allow(clippy::unwrap_used)]

#[path = "json_schema_suite/files.rs"]
mod files;
#[path = "json_schema_suite/json.rs"]
mod json;
#[path = "json_schema_suite/reasons.rs"]
mod reasons;
#[path = "json_schema_suite/table.rs"]
mod table;
#[path = "json_schema_suite/verdict.rs"]
mod verdict;

use std::path::{Path, PathBuf};

use files::Files;
use reasons::Reasons;
use table::Table;
use verdict::{Judge, Verdict};

fn data(path: &str) -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.join("tests/data").join(path)
}

fn run(files: &Files) -> Table {
    let mut judge = Judge::new(files.remotes());
    let mut table = Table::default();
    for (path, text) in files.tests() {
        table.add(path, judge.file(path, text));
    }
    table
}

#[test]
fn our_own_suite_passes() {
    let mut faults = Vec::new();
    let files = Files::in_folder(&data("json_schema_suite"));
    let mut count = 0;
    for (path, text) in files.tests() {
        for group in Judge::new(files.remotes()).file(path, text) {
            let tests = group.tests.iter();
            count += tests.clone().count();
            let failed = tests.filter(|(_, verdict)| *verdict != Verdict::Passed);
            faults.extend(
                failed
                    .map(|(test, verdict)| format!("{path}: {}: {test}: {verdict:?}", group.name)),
            );
        }
    }
    assert!(count > 0 && faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn the_table_is_true() {
    let Some(files) = Files::published() else {
        return;
    };
    let reasons = std::fs::read_to_string(data("json_schema_suite.toml")).unwrap();
    let reasons = Reasons::read(&reasons);
    let found = run(&files).page(&reasons);
    let path = data("json_schema_suite.md");
    if std::env::var_os("MASKWRIGHT_REWRITE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let only = |these: &str, others: &str, sign: char| -> Vec<String> {
        let others: std::collections::HashSet<&str> = others.lines().collect();
        let lines = these.lines().filter(|line| !others.contains(line));
        lines.map(|line| format!("{sign} {line}")).collect()
    };
    let differences = [only(&known, &found, '-'), only(&found, &known, '+')].concat();
    assert!(
        known == found,
        "{} lines of tests/data/json_schema_suite.md differ (`MASKWRIGHT_REWRITE=1` writes it anew):\n{}",
        differences.len(),
        differences.join("\n")
    );
    let faults = reasons.faults();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
