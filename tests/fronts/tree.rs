//! Random grammars as trees, written out in each notation, and which texts belong to them: decided from
//! the tree, with no code of the library.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

/// The names of the rules, the first of which is where texts begin.
pub(crate) const RULES: [&str; 3] = ["root", "other", "third"];

/// A piece of a rule.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Rule(usize),
    Text(String),
    /// One character of a range, or any but those.
    Class(char, char, bool),
    Sequence(Vec<Tree>),
    Choice(Vec<Tree>),
    Repeat(Box<Tree>, u32, Option<u32>),
}

/// Random rules.
pub(crate) fn rules() -> impl Strategy<Value = Vec<Tree>> {
    prop::collection::vec(tree(), RULES.len())
}

fn tree() -> impl Strategy<Value = Tree> {
    let texts = ["a", "b", "", "ab", "é", "\""];
    let leaf = prop_oneof![
        3 => (0..RULES.len()).prop_map(Tree::Rule),
        4 => prop::sample::select(texts.to_vec()).prop_map(|text| Tree::Text(text.to_owned())),
        1 => any::<bool>().prop_map(|negated| Tree::Class('a', 'b', negated)),
        1 => Just(Tree::Class('à', 'é', false)),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let times = [
            (0, None),
            (1, None),
            (0, Some(1)),
            (2, Some(2)),
            (0, Some(2)),
            (1, Some(3)),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(Tree::Sequence),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Tree::Choice),
            (inner, prop::sample::select(times.to_vec()))
                .prop_map(|(item, (min, max))| Tree::Repeat(Box::new(item), min, max)),
        ]
    })
}

/// A number of times, as EBNF and Lark write it.
pub(crate) fn times(min: u32, max: Option<u32>) -> String {
    match (min, max) {
        (0, None) => "*".to_owned(),
        (1, None) => "+".to_owned(),
        (0, Some(1)) => "?".to_owned(),
        (min, Some(max)) if min == max => format!("{{{min}}}"),
        (min, None) => format!("{{{min},}}"),
        (min, Some(max)) => format!("{{{min},{max}}}"),
    }
}

/// What may stand behind each text and each class, and where texts begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ignored {
    Nothing,
    Spaces,
}

type Ends = BTreeSet<usize>;

/// Whether `text` belongs to the first rule.
pub(crate) fn belongs(rules: &[Tree], ignored: Ignored, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let mut reader = Reader {
        rules,
        ignored,
        text: &text,
        ends: BTreeMap::new(),
        entered: BTreeSet::new(),
    };
    loop {
        reader.entered.clear();
        let before: usize = reader.ends.values().map(|ends| ends.len() + 1).sum();
        let starts = reader.behind(0);
        let found = starts
            .into_iter()
            .any(|start| reader.rule(0, start).contains(&text.len()));
        let after: usize = reader.ends.values().map(|ends| ends.len() + 1).sum();
        if found || before == after {
            return found;
        }
    }
}

/// For a rule and a place, where the rule may end: from below, until nothing new is found.
struct Reader<'a> {
    rules: &'a [Tree],
    ignored: Ignored,
    text: &'a [char],
    ends: BTreeMap<(usize, usize), Ends>,
    entered: BTreeSet<(usize, usize)>,
}

impl Reader<'_> {
    fn rule(&mut self, rule: usize, from: usize) -> Ends {
        let key = (rule, from);
        if self.entered.insert(key) {
            let rules = self.rules;
            let ends = self.tree(&rules[rule], from);
            self.ends.entry(key).or_default().extend(ends);
        }
        self.ends.get(&key).cloned().unwrap_or_default()
    }

    /// A place, and those that what is ignored leads to from there.
    fn behind(&self, at: usize) -> Ends {
        let spaces = self.text[at..].iter().take_while(|&&c| c == ' ').count();
        match self.ignored {
            Ignored::Nothing => Ends::from([at]),
            Ignored::Spaces => (at..=at + spaces).collect(),
        }
    }

    fn tree(&mut self, tree: &Tree, from: usize) -> Ends {
        match tree {
            Tree::Rule(rule) => self.rule(*rule, from),
            Tree::Text(text) => {
                let text: Vec<char> = text.chars().collect();
                let same = self.text[from..].starts_with(&text);
                match same {
                    true => self.behind(from + text.len()),
                    false => Ends::new(),
                }
            }
            Tree::Class(lo, hi, negated) => {
                let next = self.text.get(from);
                let takes = next.is_some_and(|c| (lo..=hi).contains(&c) != *negated);
                match takes {
                    true => self.behind(from + 1),
                    false => Ends::new(),
                }
            }
            Tree::Sequence(items) => {
                let mut at = Ends::from([from]);
                for item in items {
                    at = at.into_iter().flat_map(|at| self.tree(item, at)).collect();
                }
                at
            }
            Tree::Choice(items) => items
                .iter()
                .flat_map(|item| self.tree(item, from))
                .collect(),
            Tree::Repeat(item, min, max) => {
                let most = max.unwrap_or(self.text.len() as u32 + min + 1);
                let (mut ends, mut at) = (Ends::new(), Ends::from([from]));
                for times in 0..=most {
                    if times >= *min {
                        ends.extend(&at);
                    }
                    at = at.into_iter().flat_map(|at| self.tree(item, at)).collect();
                }
                ends
            }
        }
    }
}
