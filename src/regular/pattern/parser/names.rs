//! Names of groups: none stands twice where both groups may match.

use rustc_hash::FxHashSet;

use super::super::dialect::Dialect;

/// The names that a group or the whole pattern has so far.
#[derive(Debug, Default)]
pub(super) struct Names<'a> {
    /// Those of the branch that is being read.
    branch: Vec<&'a str>,
    /// Those of the branches before it.
    before: Vec<&'a str>,
}

/// The names that none to come may be.
#[derive(Debug, Default)]
pub(super) struct Taken<'a>(FxHashSet<&'a str>);

impl<'a> Taken<'a> {
    /// Takes a name for a group among `names`; whether it is free.
    pub(super) fn take(&mut self, name: &'a str, names: &mut Names<'a>) -> bool {
        names.branch.push(name);
        self.0.insert(name)
    }

    /// The next branch begins: there ECMA-262 has the names of this one again, and so has PCRE2 where branches reset
    /// the numbers of groups.
    pub(super) fn next_branch(&mut self, names: &mut Names<'a>, dialect: Dialect) {
        if matches!(dialect, Dialect::Ecma | Dialect::Pcre) {
            names.branch.iter().for_each(|name| {
                self.0.remove(name);
            });
        }
        names.before.append(&mut names.branch);
    }

    /// A group ends: its names are those of the branch around it.
    pub(super) fn end(&mut self, names: Names<'a>, around: &mut Names<'a>) {
        for name in names.before.into_iter().chain(names.branch) {
            self.0.insert(name);
            around.branch.push(name);
        }
    }
}
