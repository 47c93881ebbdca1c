//! Exactly one of several sets: where two have members in common, those are left out.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::Normaliser;
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::{NameId, ObjectId, ObjectSet, SetId};

/// So many single values cost as much to compare as one part of a set: they are numbers by then.
const LITERALS_PER_PART: usize = 8;
/// How many pairs of branches may have to be intersected.
const PAIRS: usize = 1 << 15;

/// The branches behind `branch` that may overlap with it: those that it stands `together` with, where that is told.
fn partners(together: Option<&[(usize, usize)]>, branch: usize, count: usize) -> Vec<usize> {
    let Some(together) = together else {
        return (branch + 1..count).collect();
    };
    let from = together.partition_point(|&pair| pair < (branch, branch + 1));
    let own = together[from..]
        .iter()
        .take_while(|&&(first, _)| first == branch);
    own.map(|&(_, second)| second).collect()
}

impl Normaliser<'_> {
    pub(super) fn one(
        &mut self,
        members: &[SetId],
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let mut branches: Vec<Arc<Alternatives>> = Vec::with_capacity(members.len());
        for &member in members {
            branches.push(self.normalise(member)?);
        }
        self.one_of(&branches, origin)
    }

    /// The members of `all` that are of exactly one of some sets.
    pub(super) fn one_within(
        &mut self,
        all: &Alternatives,
        members: &[SetId],
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let mut branches = Vec::with_capacity(members.len());
        for &member in members {
            let member = self.normalise(member)?;
            branches.push(Arc::new(self.intersect(all, &member, origin)?));
        }
        self.one_of(&branches, origin)
    }

    fn one_of(
        &mut self,
        branches: &[Arc<Alternatives>],
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let objects = self.only_objects(branches)?;
        let branches = objects.as_deref().unwrap_or(branches);
        let mut rivals: Vec<Vec<usize>> = vec![Vec::new(); branches.len()];
        let mut pairs = 0;
        let told = self.told_by_value(branches)?;
        for i in 0..branches.len() {
            let literals = |all: &Alternatives| all.literals.len() + 1;
            let partners = partners(told.as_deref(), i, branches.len());
            let others = partners.iter().map(|&partner| literals(&branches[partner]));
            let own = literals(&branches[i]) * (partners.len() + 1);
            self.charge(
                1 + partners.len() / 2 + (own + others.sum::<usize>()) / LITERALS_PER_PART,
                origin,
            )?;
            for j in partners {
                if self.are_apart(&branches[i], &branches[j], 0)? {
                    continue;
                }
                pairs += 1;
                LimitError::check(
                    "pairs of branches of a oneOf that may overlap",
                    pairs,
                    PAIRS,
                )
                .map_err(|source| self.limit(origin, source))?;
                if !self
                    .intersect(&branches[i], &branches[j], origin)?
                    .is_void()
                {
                    rivals[i].push(j);
                    rivals[j].push(i);
                }
            }
        }
        let mut complements: Vec<Option<Alternatives>> = vec![None; branches.len()];
        let mut one = Alternatives::default();
        for (branch, rivals) in branches.iter().zip(&rivals) {
            let mut alone = (**branch).clone();
            for &rival in rivals {
                let complement = match complements[rival].take() {
                    Some(known) => known,
                    None => self.complement(&branches[rival], origin)?,
                };
                alone = self.intersect(&alone, &complement, origin)?;
                complements[rival] = Some(complement);
            }
            self.unite(&mut one, &alone);
            self.check_count(&one, origin)?;
        }
        Ok(one)
    }

    /// The objects of branches of which two have all values that are no objects, so that no such value is of exactly
    /// one: conditions on properties alone are such. `None` where that is not seen.
    fn only_objects(
        &mut self,
        branches: &[Arc<Alternatives>],
    ) -> Result<Option<Vec<Arc<Alternatives>>>, SchemaError> {
        let others = |all: &Alternatives| Alternatives {
            objects: Default::default(),
            ..all.clone()
        };
        let every_other = others(&*self.normalise(SetId::ANY)?);
        let of_every_other = branches.iter().filter(|all| others(all) == every_other);
        let is_plain = branches.iter().all(|all| all.literals.is_empty());
        if of_every_other.count() < 2 || !is_plain {
            return Ok(None);
        }
        let objects = branches.iter().map(|all| {
            Arc::new(Alternatives {
                objects: all.objects.clone(),
                ..Alternatives::default()
            })
        });
        Ok(Some(objects.filter(|all| !all.is_void()).collect()))
    }

    /// Where all branches are of objects alone, and there is a property that all of these demand and that has but a
    /// few values in each: the pairs of branches that share one, ascending. `None` where there is no such
    /// property.
    fn told_by_value(
        &mut self,
        branches: &[Arc<Alternatives>],
    ) -> Result<Option<Vec<(usize, usize)>>, SchemaError> {
        let of_objects = |all: &Arc<Alternatives>| {
            let objects = Alternatives {
                objects: all.objects.clone(),
                ..Alternatives::default()
            };
            **all == objects && !all.objects.is_empty()
        };
        if branches.len() < 3 || !branches.iter().all(of_objects) {
            return Ok(None);
        }
        let all = branches.iter().flat_map(|branch| &branch.objects);
        let all: Vec<Arc<ObjectSet>> = all.map(|&id| self.model.object(id).clone()).collect();
        let mut names = all[0].required.clone();
        names.retain(|name| all.iter().all(|object| object.required.contains(name)));
        for name in names {
            if let Some(told) = self.told_by(name, branches)? {
                return Ok(Some(told));
            }
        }
        Ok(None)
    }

    fn told_by(
        &mut self,
        name: NameId,
        branches: &[Arc<Alternatives>],
    ) -> Result<Option<Vec<(usize, usize)>>, SchemaError> {
        let mut by_value: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (index, branch) in branches.iter().enumerate() {
            for &id in &branch.objects {
                let object = self.model.object(id).clone();
                let value = self.value_in(&object, name);
                if value != SetId::NEVER && !self.is_within_sight(value) {
                    return Ok(None);
                }
                let values = self.normalise(value)?;
                let texts = values.literals.iter().map(|&literal| {
                    self.model
                        .document
                        .string(literal)
                        .map(|text| text.into_owned())
                });
                let Some(texts) = texts.collect::<Option<Vec<String>>>() else {
                    return Ok(None);
                };
                let strings = Alternatives {
                    literals: values.literals.clone(),
                    ..Alternatives::default()
                };
                if *values != strings {
                    return Ok(None);
                }
                for text in texts {
                    let branches = by_value.entry(text).or_default();
                    if branches.last() != Some(&index) {
                        branches.push(index);
                    }
                }
            }
        }
        let mut together = Vec::new();
        for branches in by_value.values() {
            for (place, &one) in branches.iter().enumerate() {
                together.extend(branches[place + 1..].iter().map(|&other| (one, other)));
            }
        }
        together.sort_unstable();
        together.dedup();
        Ok(Some(together))
    }

    /// Whether two sets of alternatives are seen to have nothing in common, without making anything
    /// new; `false` says nothing.
    fn are_apart(
        &mut self,
        a: &Alternatives,
        b: &Alternatives,
        depth: u32,
    ) -> Result<bool, SchemaError> {
        /// Discriminators stand near the top.
        const DEPTH: u32 = 3;
        let has = |all: &Alternatives| {
            [
                all.null,
                all.falsity,
                all.truth,
                !all.numbers.is_empty(),
                !all.strings.is_empty(),
                !all.arrays.is_empty(),
                !all.objects.is_empty(),
            ]
        };
        let (of_a, of_b) = (has(a), has(b));
        let objects = of_a.len() - 1;
        if (0..objects).any(|kind| of_a[kind] && of_b[kind]) {
            return Ok(false);
        }
        if !a.literals.is_empty() || !b.literals.is_empty() {
            let compound = |all: [bool; 7]| all[3..].contains(&true);
            if compound(of_a) && !b.literals.is_empty() || compound(of_b) && !a.literals.is_empty()
            {
                return Ok(false);
            }
            let b = self.literals_of(&b.literals);
            if a.literals.iter().any(|&value| b.have(value)) {
                return Ok(false);
            }
        }
        for &x in &a.objects {
            for &y in &b.objects {
                if x == y || depth == DEPTH || !self.are_objects_apart(x, y, depth)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a property that one of the sets demands has values in one of them only.
    fn are_objects_apart(
        &mut self,
        a: ObjectId,
        b: ObjectId,
        depth: u32,
    ) -> Result<bool, SchemaError> {
        let (of_a, of_b) = (self.model.object(a).clone(), self.model.object(b).clone());
        for &name in of_a.required.iter().chain(&of_b.required) {
            let [x, y] = [&of_a, &of_b].map(|set| self.value_in(set, name));
            if x == SetId::NEVER || y == SetId::NEVER {
                return Ok(true);
            }
            if !self.is_within_sight(x) || !self.is_within_sight(y) {
                continue;
            }
            let (x, y) = (self.normalise(x)?, self.normalise(y)?);
            if self.are_apart(&x, &y, depth + 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
