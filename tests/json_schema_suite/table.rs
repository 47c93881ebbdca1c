//! What passes and what does not, as a page of Markdown.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::reasons::Reasons;
use super::verdict::{Group, Verdict};

/// What was found, by part of the suite and draft.
#[derive(Default)]
pub(crate) struct Table(BTreeMap<(Part, String), Vec<File>>);

struct File {
    /// Such as `draft7/optional/format/date.json`.
    path: String,
    groups: Vec<Group>,
}

impl File {
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn verdicts(&self) -> impl Iterator<Item = &Verdict> {
        let tests = self.groups.iter().flat_map(|group| &group.tests);
        tests.map(|(_, verdict)| verdict)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Required,
    Formats,
    Optional,
}

/// How many tests ended how.
#[derive(Clone, Copy, Default)]
struct Counts {
    passed: usize,
    failed: usize,
    errors: usize,
}

impl Counts {
    fn of<'t>(tests: impl Iterator<Item = &'t Verdict>) -> Self {
        let mut counts = Self::default();
        for verdict in tests {
            *match verdict {
                Verdict::Passed => &mut counts.passed,
                Verdict::Accepts | Verdict::Refuses => &mut counts.failed,
                Verdict::Error(_) => &mut counts.errors,
            } += 1;
        }
        counts
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            errors,
        } = self;
        write!(out, "{passed} | {failed} | {errors} |")
    }
}

impl Table {
    /// Adds a file by its path, such as `draft7/optional/format/date.json`.
    pub(crate) fn add(&mut self, path: &str, groups: Vec<Group>) {
        let (draft, file) = path.split_once('/').unwrap();
        let part = match file.strip_prefix("optional/") {
            None => Part::Required,
            Some(file) if file.starts_with("format/") => Part::Formats,
            Some(_) => Part::Optional,
        };
        let files = self.0.entry((part, draft.to_owned())).or_default();
        files.push(File {
            path: path.to_owned(),
            groups,
        });
    }

    /// The page, with the reasons of what is not passed.
    pub(crate) fn page(&self, reasons: &Reasons) -> String {
        let mut page = self.to_string();
        for ((part, draft), files) in &self.0 {
            writeln!(page, "\n## {draft}, {}\n", part.name()).unwrap();
            page += "| file | passed | failed | refused |\n|---|---|---|---|\n";
            for file in files {
                let counts = Counts::of(file.verdicts());
                writeln!(page, "| {} | {counts}", file.name()).unwrap();
            }
            let mut by_reason: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for file in files {
                for group in &file.groups {
                    not_passed(file, group, reasons, &mut by_reason);
                }
            }
            for (why, tests) in by_reason {
                writeln!(page, "\n{why}\n").unwrap();
                tests
                    .iter()
                    .for_each(|test| writeln!(page, "- {test}").unwrap());
            }
        }
        page
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "# The JSON-Schema-Test-Suite\n")?;
        writeln!(
            out,
            "Written by `MASKWRIGHT_REWRITE=1 cargo test --test json_schema_suite`, and held to by that test;\n\
             the reasons are those of `json_schema_suite.toml`, each of which some test must need.\n\
             Properties may come in any order. *Failed*: what is valid is refused, or what is invalid\n\
             accepted. *Refused*: the schema does not compile.\n"
        )?;
        writeln!(out, "| part | draft | passed | failed | refused |")?;
        writeln!(out, "|---|---|---|---|---|")?;
        for ((part, draft), files) in &self.0 {
            let counts = Counts::of(files.iter().flat_map(File::verdicts));
            writeln!(out, "| {} | {draft} | {counts}", part.name())?;
        }
        Ok(())
    }
}

/// Adds what is not passed of a group to the others, by reason: all of it in one where it does not
/// compile.
fn not_passed<'r>(
    file: &File,
    group: &Group,
    reasons: &'r Reasons,
    by_reason: &mut BTreeMap<&'r str, Vec<String>>,
) {
    let name = &group.name;
    for (test, verdict) in &group.tests {
        let test = format!("{name}: {test}");
        let (said, fault) = match verdict {
            Verdict::Passed => continue,
            Verdict::Accepts => (&test, "accepted"),
            Verdict::Refuses => (&test, "refused"),
            Verdict::Error(error) => (name, error.as_str()),
        };
        let why = reasons.why(&file.path, &test);
        let tests = by_reason.entry(why).or_default();
        let line = format!("{}: {said}: {fault}", file.name());
        if tests.last() != Some(&line) {
            tests.push(line);
        }
    }
}

impl Part {
    fn name(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::Formats => "optional formats",
            Self::Optional => "optional",
        }
    }
}
