//! The files of a package as a tree of modules, and what imports what.

use std::collections::BTreeMap;
use std::path::Path;

use super::source::{Mention, Source, Visibility};

/// The files by their paths under `src`, such as `vocab/trie.rs`.
pub(crate) struct Tree {
    pub files: BTreeMap<String, Source>,
    /// Files by the path of their module: `vocab::trie`.
    modules: BTreeMap<Vec<String>, String>,
}

/// A file that mentions another.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub from: String,
    pub to: String,
    /// The line of `from`, from 1.
    pub line: usize,
    /// Whether a module only hands on what a file below it defines.
    pub hands_on: bool,
}

impl Tree {
    /// Reads every file under the folder `src`.
    pub(crate) fn read(src: &Path) -> Self {
        let mut texts = Vec::new();
        let mut folders = vec![src.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "rs") {
                    let name = path.strip_prefix(src).unwrap().to_str().unwrap();
                    texts.push((
                        name.replace('\\', "/"),
                        std::fs::read_to_string(&path).unwrap(),
                    ));
                }
            }
        }
        Self::parse(&texts)
    }

    /// The tree of these files; those that only tests have are left out.
    pub(crate) fn parse<S: AsRef<str>>(texts: &[(S, S)]) -> Self {
        let mut files = BTreeMap::new();
        for (name, text) in texts {
            files.insert(name.as_ref().to_owned(), Source::parse(text.as_ref()));
        }
        let for_tests: Vec<Vec<String>> = files
            .iter()
            .flat_map(|(name, source)| {
                let children = source.test_children.iter();
                children.map(|child| [module_of(name), vec![child.clone()]].concat())
            })
            .collect();
        files.retain(|name, _| {
            let module = module_of(name);
            !for_tests.iter().any(|test| module.starts_with(test))
        });
        let modules = files
            .keys()
            .map(|name| (module_of(name), name.clone()))
            .collect();
        Self { files, modules }
    }

    /// Every import between two files, each pair at its first line.
    pub(crate) fn edges(&self) -> Vec<Edge> {
        let mut edges = BTreeMap::new();
        for (from, source) in &self.files {
            let module = module_of(from);
            for mention in &source.mentions {
                let Some(to) = self.resolve(&module, &mention.path, 0) else {
                    continue;
                };
                if to == *from {
                    continue;
                }
                let below = module_of(&to).starts_with(&module);
                let hands_on = mention.visibility == Visibility::HandedOn && below;
                edges
                    .entry((from.clone(), to, hands_on))
                    .or_insert(mention.line);
            }
        }
        let edge = |((from, to, hands_on), line)| Edge {
            from,
            to,
            line,
            hands_on,
        };
        edges.into_iter().map(edge).collect()
    }

    /// The file that defines what `path` means in `module`; `None` for other crates and names.
    fn resolve(&self, module: &[String], path: &[String], depth: usize) -> Option<String> {
        let mut at = module.to_vec();
        let mut rest = path;
        while let Some((first, more)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => {
                    at.pop()?;
                }
                _ => break,
            }
            rest = more;
        }
        // A relative path begins with a module declared here.
        let relative = rest.len() == path.len();
        if relative && !self.source(&at)?.children.contains(path.first()?) {
            return None;
        }
        while let Some((segment, more)) = rest.split_first() {
            let below = [at.as_slice(), std::slice::from_ref(segment)].concat();
            if self.modules.contains_key(&below) {
                (at, rest) = (below, more);
                continue;
            }
            let import = self.import(&at, segment).filter(|_| depth < 8);
            let found = import.and_then(|import| {
                let through = [import.path.as_slice(), more].concat();
                self.resolve(&at, &through, depth + 1)
            });
            return found.or_else(|| self.modules.get(&at).cloned());
        }
        self.modules.get(&at).cloned()
    }

    fn source(&self, module: &[String]) -> Option<&Source> {
        self.files.get(self.modules.get(module)?)
    }

    /// The import by which `module` knows `name`.
    fn import(&self, module: &[String], name: &str) -> Option<&Mention> {
        let mut mentions = self.source(module)?.mentions.iter();
        mentions.find(|mention| mention.name.as_deref() == Some(name))
    }
}

/// The module that a file is: `vocab/load/mod.rs` is `vocab::load`.
pub(crate) fn module_of(file: &str) -> Vec<String> {
    let stem = file.strip_suffix(".rs").unwrap_or(file);
    let mut module: Vec<String> = stem.split('/').map(str::to_owned).collect();
    if module.last().is_some_and(|last| last == "mod") || stem == "lib" || stem == "main" {
        module.pop();
    }
    module
}

/// The cycles among `edges`: each a set of files that all reach one another, as the edges within it.
pub(crate) fn cycles(edges: &[Edge]) -> Vec<Vec<Edge>> {
    let mut next: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for edge in edges {
        next.entry(&edge.from).or_default().push(&edge.to);
    }
    let reach = |from: &str| {
        let mut seen: Vec<&str> = Vec::new();
        let mut open = vec![from];
        while let Some(at) = open.pop() {
            for &to in next.get(at).into_iter().flatten() {
                if !seen.contains(&to) {
                    seen.push(to);
                    open.push(to);
                }
            }
        }
        seen
    };
    let reached: BTreeMap<&str, Vec<&str>> = next.keys().map(|&from| (from, reach(from))).collect();
    let within = |edge: &&Edge| {
        let back = reached.get(edge.to.as_str());
        back.is_some_and(|back| back.contains(&edge.from.as_str()))
    };
    let mut groups: Vec<Vec<Edge>> = Vec::new();
    for edge in edges.iter().filter(within) {
        let together = |group: &&mut Vec<Edge>| {
            let other = group[0].from.as_str();
            let there = |a: &str, b: &str| reached.get(a).is_some_and(|r| r.contains(&b));
            there(other, &edge.from) && there(&edge.from, other)
        };
        match groups.iter_mut().find(together) {
            Some(group) => group.push(edge.clone()),
            None => groups.push(vec![edge.clone()]),
        }
    }
    groups
}
