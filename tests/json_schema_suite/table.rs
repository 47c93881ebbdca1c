//! What passes and what does not, as a page of Markdown.

use std::collections::BTreeMap;
use std::fmt;

use super::verdict::{Group, Verdict};

/// What was found, by part of the suite and draft.
#[derive(Default)]
pub(crate) struct Table(BTreeMap<(Part, String), Vec<File>>);

struct File {
    name: String,
    groups: Vec<Group>,
}

impl File {
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
        let (part, name) = match file.strip_prefix("optional/") {
            None => (Part::Required, file),
            Some(file) => match file.strip_prefix("format/") {
                None => (Part::Optional, file),
                Some(file) => (Part::Formats, file),
            },
        };
        let files = self.0.entry((part, draft.to_owned())).or_default();
        files.push(File {
            name: name.to_owned(),
            groups,
        });
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "# The JSON-Schema-Test-Suite\n")?;
        writeln!(
            out,
            "Written by `MASKWRIGHT_REWRITE=1 cargo test --test json_schema_suite`, and held to by that test.\n\
             Properties may come in any order. *Failed*: what is valid is refused, or what is invalid\n\
             accepted. *Refused*: the schema does not compile.\n"
        )?;
        writeln!(out, "| part | draft | passed | failed | refused |")?;
        writeln!(out, "|---|---|---|---|---|")?;
        for ((part, draft), files) in &self.0 {
            let counts = Counts::of(files.iter().flat_map(File::verdicts));
            writeln!(out, "| {} | {draft} | {counts}", part.name())?;
        }
        for ((part, draft), files) in &self.0 {
            writeln!(out, "\n## {draft}, {}\n", part.name())?;
            writeln!(out, "| file | passed | failed | refused |")?;
            writeln!(out, "|---|---|---|---|")?;
            for file in files {
                writeln!(out, "| {} | {}", file.name, Counts::of(file.verdicts()))?;
            }
            writeln!(out)?;
            for file in files {
                let mut groups = file.groups.iter();
                groups.try_for_each(|group| not_passed(out, &file.name, group))?;
            }
        }
        Ok(())
    }
}

/// A line for each test of a group that is not passed, or one for all where it does not compile.
fn not_passed(out: &mut fmt::Formatter<'_>, file: &str, group: &Group) -> fmt::Result {
    let name = &group.name;
    for (test, verdict) in &group.tests {
        let fault = match verdict {
            Verdict::Passed => continue,
            Verdict::Accepts => "accepted",
            Verdict::Refuses => "refused",
            Verdict::Error(error) => {
                return writeln!(out, "- {file}: {name}: {error}");
            }
        };
        writeln!(out, "- {file}: {name}: {test}: {fault}")?;
    }
    Ok(())
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
