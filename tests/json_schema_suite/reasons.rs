//! Why tests of the published suite are not passed: `tests/data/json_schema_suite.toml`.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// Each reason with the tests that it is for.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    /// The drafts, by their folders; all where there are none.
    #[serde(default)]
    drafts: Vec<String>,
    /// The file below the draft.
    file: String,
    /// What the description of the group, or of group and test, begins with.
    tests: Vec<String>,
    why: String,
}

/// All reasons, and what was asked of them.
pub(crate) struct Reasons {
    reasons: Vec<Reason>,
    used: RefCell<BTreeSet<(usize, usize)>>,
    unexplained: RefCell<BTreeSet<String>>,
}

impl Reasons {
    pub(crate) fn read(text: &str) -> Self {
        #[derive(serde::Deserialize)]
        struct All {
            reason: Vec<Reason>,
        }
        let All { reason: reasons } = toml::from_str(text).unwrap();
        Self {
            reasons,
            used: RefCell::default(),
            unexplained: RefCell::default(),
        }
    }

    /// Why `test`, which is `group: test` of the file `path`, is not passed.
    pub(crate) fn why(&self, path: &str, test: &str) -> &str {
        let (draft, file) = path.split_once('/').unwrap();
        for (index, reason) in self.reasons.iter().enumerate() {
            let drafts = &reason.drafts;
            if reason.file != file || !(drafts.is_empty() || drafts.iter().any(|d| d == draft)) {
                continue;
            }
            let begins = reason
                .tests
                .iter()
                .position(|begin| test.starts_with(begin));
            if let Some(begin) = begins {
                self.used.borrow_mut().insert((index, begin));
                return &reason.why;
            }
        }
        let unexplained = format!("{path}: {test}: not passed, and no reason is given");
        self.unexplained.borrow_mut().insert(unexplained);
        "no reason is given"
    }

    /// The tests that have no reason, and the reasons that no test has, of those asked for so far.
    pub(crate) fn faults(&self) -> Vec<String> {
        let mut faults: Vec<String> = self.unexplained.borrow().iter().cloned().collect();
        for (index, reason) in self.reasons.iter().enumerate() {
            for (begin, tests) in reason.tests.iter().enumerate() {
                if !self.used.borrow().contains(&(index, begin)) {
                    let file = &reason.file;
                    faults.push(format!("{file}: {tests}: a reason for what is passed"));
                }
            }
        }
        faults
    }
}
