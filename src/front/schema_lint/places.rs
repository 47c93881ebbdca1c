//! The subschemas of a document, and which of them speak of the same value.

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::front::json_schema::{
    Document, Draft, Kind, ValueId, is_reference, pointer, schemas_within,
};

/// A subschema that is an object.
pub(super) struct Place {
    pub(super) draft: Draft,
    /// Its keywords: name, value.
    pub(super) keywords: Vec<(String, ValueId)>,
    /// The schemas that this one adds to for the same value, and by what.
    pub(super) outer: Vec<(usize, Adds)>,
    /// The schemas that add to this one.
    pub(super) inner: Vec<(usize, Adds)>,
    /// Whether it refers to what is not known here.
    pub(super) refers_elsewhere: bool,
}

/// How a subschema adds to the schema around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Adds {
    /// It holds whenever the other does: `allOf`, `$ref`.
    Always,
    /// It may hold: `anyOf`, `oneOf`, `if`, `then`, `else`, what depends on a property.
    Sometimes,
    /// It must not hold.
    Never,
}

impl Adds {
    /// How the subschemas of `keyword` add to the schema it stands in; `None` where they are about parts of
    /// the value, or about none.
    fn of(keyword: &str) -> Option<Self> {
        match keyword {
            "allOf" => Some(Self::Always),
            "anyOf" | "oneOf" | "if" | "then" | "else" | "dependentSchemas" | "dependencies" => {
                Some(Self::Sometimes)
            }
            "not" => Some(Self::Never),
            _ => None,
        }
    }
}

impl Place {
    /// The value of a keyword.
    pub(super) fn get(&self, keyword: &str) -> Option<ValueId> {
        let found = self.keywords.iter().find(|(name, _)| name == keyword);
        found.map(|&(_, value)| value)
    }
}

/// All subschemas of a document, outer ones first.
pub(super) struct Places<'d> {
    pub(super) document: &'d Document,
    pub(super) all: Vec<Place>,
    by_value: FxHashMap<ValueId, usize>,
    /// Per place, whether it holds, or speaks of, what must not be.
    negated: Vec<bool>,
}

impl<'d> Places<'d> {
    pub(super) fn of(document: &'d Document, draft: Draft) -> Self {
        let mut places = Self {
            document,
            all: Vec::new(),
            by_value: FxHashMap::default(),
            negated: Vec::new(),
        };
        places.walk(document.root(), draft, None);
        // What a reference leads to may be no place yet, and holds references in its turn.
        let mut next = 0;
        while next < places.all.len() {
            places.refer(next);
            next += 1;
        }
        places.negated = negated(&places.all);
        places
    }

    fn walk(&mut self, value: ValueId, draft: Draft, outer: Option<(usize, Adds)>) {
        if self.document.kind(value) != Kind::Object || self.by_value.contains_key(&value) {
            return;
        }
        let document = self.document;
        let members = document.members(value);
        let keywords: Vec<(String, ValueId)> = members
            .map(|(key, member)| {
                (
                    document.string(key).unwrap_or_default().into_owned(),
                    member,
                )
            })
            .collect();
        let named = document
            .get(value, "$schema")
            .and_then(|name| document.string(name));
        let draft = named.and_then(|name| Draft::named(&name)).unwrap_or(draft);
        let index = self.all.len();
        self.by_value.insert(value, index);
        self.all.push(Place {
            draft,
            keywords: keywords.clone(),
            outer: Vec::new(),
            inner: Vec::new(),
            refers_elsewhere: false,
        });
        if let Some((outer, adds)) = outer {
            self.add(outer, index, adds);
        }
        for (name, member) in keywords {
            let inner = Adds::of(&name).map(|adds| (index, adds));
            for part in schemas_within(&name, document, member) {
                self.walk(part, draft, inner);
            }
        }
    }

    fn add(&mut self, outer: usize, inner: usize, adds: Adds) {
        self.all[inner].outer.push((outer, adds));
        self.all[outer].inner.push((inner, adds));
    }

    /// Follows the references of a place.
    fn refer(&mut self, index: usize) {
        let (document, draft) = (self.document, self.all[index].draft);
        let keywords = &self.all[index].keywords;
        let references = keywords
            .iter()
            .filter(|(name, _)| is_reference(name, draft));
        let targets: Vec<Option<ValueId>> = references
            .map(|&(_, value)| {
                let reference = document.string(value)?;
                let fragment = reference.strip_prefix('#')?;
                pointer::resolve(document, document.root(), fragment)
            })
            .collect();
        for target in targets {
            if let Some(target) = target {
                self.walk(target, draft, None);
            }
            match target.and_then(|target| self.by_value.get(&target).copied()) {
                Some(inner) => self.add(index, inner, Adds::Always),
                None => self.all[index].refers_elsewhere = true,
            }
        }
    }

    /// The number of the subschema that stands there.
    pub(super) fn at(&self, value: ValueId) -> Option<usize> {
        self.by_value.get(&value).copied()
    }

    /// The text of a string.
    pub(super) fn text(&self, value: ValueId) -> Option<String> {
        self.document.string(value).map(Cow::into_owned)
    }

    /// The names of an object's members, with their values.
    pub(super) fn members(&self, object: Option<ValueId>) -> Vec<(String, ValueId)> {
        let members = object
            .into_iter()
            .flat_map(|object| self.document.members(object));
        members
            .filter_map(|(key, value)| Some((self.text(key)?, value)))
            .collect()
    }

    /// Whether a place holds, or speaks of, what must not be.
    pub(super) fn is_negated(&self, index: usize) -> bool {
        self.negated[index]
    }

    /// A place, and those that it adds to by what is `taken`, and those that these add to.
    pub(super) fn around(&self, index: usize, taken: impl Fn(Adds) -> bool) -> Vec<usize> {
        self.reach(vec![index], |place| &place.outer, taken)
    }

    /// The places within some that speak of the same value: those that always hold, and with
    /// [`Adds::Sometimes`] those that may.
    pub(super) fn within(&self, around: &[usize], most: Adds) -> Vec<usize> {
        let taken = |adds| adds == Adds::Always || adds == most;
        let mut found = self.reach(around.to_vec(), |place| &place.inner, taken);
        found.drain(..around.len());
        found
    }

    /// Some places, which are distinct, and those that they lead to, each once.
    fn reach(
        &self,
        mut found: Vec<usize>,
        next: impl Fn(&Place) -> &[(usize, Adds)],
        taken: impl Fn(Adds) -> bool,
    ) -> Vec<usize> {
        let mut is_found: FxHashSet<usize> = found.iter().copied().collect();
        let mut at = 0;
        while at < found.len() {
            let others = next(&self.all[found[at]]).iter();
            let others = others.filter(|&&(other, adds)| taken(adds) && is_found.insert(other));
            found.extend(others.map(|&(other, _)| other));
            at += 1;
        }
        found
    }

    /// Per place, the number of the group of places that speak of the same value.
    pub(super) fn groups(&self) -> Vec<usize> {
        let mut groups = vec![usize::MAX; self.all.len()];
        for first in 0..groups.len() {
            let mut pending = vec![first];
            while let Some(index) = pending.pop() {
                if groups[index] == usize::MAX {
                    groups[index] = first;
                    let place = &self.all[index];
                    pending.extend(
                        place
                            .outer
                            .iter()
                            .chain(&place.inner)
                            .map(|&(other, _)| other),
                    );
                }
            }
        }
        groups
    }
}

/// Which places add to others by way of one that must not hold.
fn negated(all: &[Place]) -> Vec<bool> {
    let begins = |place: &Place| place.outer.iter().any(|&(_, adds)| adds == Adds::Never);
    let mut negated: Vec<bool> = all.iter().map(begins).collect();
    let mut pending: Vec<usize> = (0..all.len()).filter(|&place| negated[place]).collect();
    while let Some(place) = pending.pop() {
        for &(inner, _) in &all[place].inner {
            if !std::mem::replace(&mut negated[inner], true) {
                pending.push(inner);
            }
        }
    }
    negated
}
