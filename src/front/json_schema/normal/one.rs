//! Exactly one of several sets: where two have members in common, those are left out.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::branches::{branches, branching};
use super::factor::within_limits;
use super::{Normaliser, is_filled};
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::{ArrayId, NameId, ObjectId, ObjectSet, SetId};

/// So many single values cost as much to compare as one part of a set: they are numbers by then.
const LITERALS_PER_PART: usize = 8;
/// How many pairs of branches may have to be intersected.
const PAIRS: usize = 1 << 15;
/// Up to so many branches are compared one by one.
const SEVERAL: usize = 8;
/// So many items of two arrays are compared, as discriminators stand first.
const ITEMS: u32 = 4;

/// A branch of a `oneOf`.
#[derive(Clone)]
struct Branch {
    /// Its values, as far as something around it allows them.
    within: Arc<Alternatives>,
    /// What is not allowed to the others: its values, whatever is around it. `None` where they were not made.
    whole: Option<Arc<Alternatives>>,
}

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
        let mut branches = Vec::with_capacity(members.len());
        for &member in members {
            let whole = self.normalise(member)?;
            branches.push(Branch {
                within: whole.clone(),
                whole: Some(whole),
            });
        }
        self.one_of(branches, origin)
    }

    /// The members of `all` that are of exactly one of some sets.
    pub(super) fn one_within(
        &mut self,
        all: &Alternatives,
        members: &[SetId],
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        if members.iter().any(|&member| self.is_in_parts(member)) {
            let narrow = self.narrow_branches(all, members, origin);
            let one = narrow.and_then(|branches| self.one_of(branches, origin));
            if let Some(one) = within_limits(one.map(Some))? {
                return Ok(one);
            }
        }
        let mut branches = Vec::with_capacity(members.len());
        for &member in members {
            branches.push(self.branch(all, member, origin)?);
        }
        self.one_of(branches, origin)
    }

    /// Branches of which those that are "exactly one of" themselves are made within `all`, and not whole first:
    /// what tells theirs apart may be demanded by `all` alone.
    fn narrow_branches(
        &mut self,
        all: &Alternatives,
        members: &[SetId],
        origin: ValueId,
    ) -> Result<Vec<Branch>, SchemaError> {
        let mut branches = Vec::with_capacity(members.len());
        for &member in members {
            branches.push(match self.is_in_parts(member) {
                true => Branch {
                    within: Arc::new(self.beside(all, &[member], origin)?),
                    whole: None,
                },
                false => self.branch(all, member, origin)?,
            });
        }
        Ok(branches)
    }

    /// Whether `set` is "exactly one of", perhaps with more, and is not made yet.
    fn is_in_parts(&self, set: SetId) -> bool {
        let sets = &self.model.sets;
        let is_made = is_filled(&self.model.alternatives, sets.resolve(set).index());
        !is_made && (branches(sets, set).is_some() || branching(sets, set).is_some())
    }

    fn branch(
        &mut self,
        all: &Alternatives,
        member: SetId,
        origin: ValueId,
    ) -> Result<Branch, SchemaError> {
        let whole = self.normalise(member)?;
        Ok(Branch {
            within: Arc::new(self.intersect(all, &whole, origin)?),
            whole: Some(whole),
        })
    }

    fn one_of(
        &mut self,
        branches: Vec<Branch>,
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let branches = self.only_objects(branches)?;
        if let Some(one) = self.one_of_values(&branches, origin)? {
            return Ok(one);
        }
        let rivals = self.rivals(&branches, origin)?;
        let others = match rivals.iter().all(|own| own.len() + 1 == branches.len()) {
            true => self.without_others(&branches, origin)?,
            false => None,
        };
        let mut complements: Vec<Option<Alternatives>> = vec![None; branches.len()];
        let mut one = Alternatives::default();
        for (index, branch) in branches.iter().enumerate() {
            let mut alone = (*branch.within).clone();
            if let Some(others) = &others {
                alone = self.intersect(&alone, &others[index], origin)?;
            } else {
                for &rival in &rivals[index] {
                    if branches[rival].whole.is_none() {
                        alone = self.without(alone, &branches[rival].within, origin)?;
                        continue;
                    }
                    let complement = match complements[rival].take() {
                        Some(known) => known,
                        None => self.cut_off(&branches[rival], origin)?,
                    };
                    alone = self.intersect(&alone, &complement, origin)?;
                    complements[rival] = Some(complement);
                }
            }
            self.unite(&mut one, &alone);
            self.check_count(&one, origin)?;
        }
        Ok(one)
    }

    /// What is not in a branch, as far as something around it allows it, and perhaps more.
    fn cut_off(&mut self, branch: &Branch, origin: ValueId) -> Result<Alternatives, SchemaError> {
        let Some(whole) = &branch.whole else {
            return self.complement(&branch.within, origin);
        };
        let outside = self.complement(whole, origin);
        outside.or_else(|_| self.complement(&branch.within, origin))
    }

    /// The values that stand in exactly one branch, where there are many branches, all of single values. `None`
    /// where they are not.
    fn one_of_values(
        &mut self,
        branches: &[Branch],
        origin: ValueId,
    ) -> Result<Option<Alternatives>, SchemaError> {
        let all = || branches.iter().map(|branch| &branch.within);
        if branches.len() <= SEVERAL || all().any(|all| all.unions() > 0) {
            return Ok(None);
        }
        let values: usize = all().map(|all| all.literals.len() + 1).sum();
        self.charge(values.div_ceil(LITERALS_PER_PART), origin)?;
        let equality = self.model.sets.equality(&self.model.document);
        let literals = || all().flat_map(|all| all.literals.iter().copied());
        let mut times: FxHashMap<_, u32> = FxHashMap::default();
        for value in literals() {
            *times.entry(equality.number(value)).or_default() += 1;
        }
        let once = |has: fn(&Alternatives) -> bool| all().filter(|all| has(all)).count() == 1;
        Ok(Some(Alternatives {
            null: once(|all| all.null),
            falsity: once(|all| all.falsity),
            truth: once(|all| all.truth),
            literals: literals()
                .filter(|&value| times[&equality.number(value)] == 1)
                .collect(),
            ..Alternatives::default()
        }))
    }

    /// For each branch those that it may have values in common with.
    fn rivals(
        &mut self,
        branches: &[Branch],
        origin: ValueId,
    ) -> Result<Vec<Vec<usize>>, SchemaError> {
        let mut rivals: Vec<Vec<usize>> = vec![Vec::new(); branches.len()];
        let mut pairs = 0;
        let told = self.told_by_value(branches)?;
        for i in 0..branches.len() {
            let literals = |branch: &Branch| branch.within.literals.len() + 1;
            let partners = partners(told.as_deref(), i, branches.len());
            let others = partners.iter().map(|&partner| literals(&branches[partner]));
            let own = literals(&branches[i]) * (partners.len() + 1);
            self.charge(
                1 + partners.len() / 2 + (own + others.sum::<usize>()) / LITERALS_PER_PART,
                origin,
            )?;
            for j in partners {
                let (one, other) = (&branches[i].within, &branches[j].within);
                if self.are_apart(one, other, 0)? {
                    continue;
                }
                pairs += 1;
                LimitError::check(
                    "pairs of branches of a oneOf that may overlap",
                    pairs,
                    PAIRS,
                )
                .map_err(|source| self.limit(origin, source))?;
                if !self.intersect(one, other, origin)?.is_void() {
                    rivals[i].push(j);
                    rivals[j].push(i);
                }
            }
        }
        Ok(rivals)
    }

    /// For each of many branches what is in none of the others, by what is in none before it and in none behind it. `None` where
    /// that could be more than a set of each type.
    fn without_others(
        &mut self,
        branches: &[Branch],
        origin: ValueId,
    ) -> Result<Option<Vec<Alternatives>>, SchemaError> {
        if branches.len() <= SEVERAL {
            return Ok(None);
        }
        let any = (*self.normalise(SetId::ANY)?).clone();
        let mut complements = Vec::with_capacity(branches.len());
        for branch in branches {
            let complement = self.cut_off(branch, origin)?;
            let is_simple = complement.literals.is_empty()
                && complement.numbers.len() <= 1
                && complement.strings.len() <= 1
                && complement.arrays.len() <= 1
                && complement.objects.len() <= 1;
            if !is_simple {
                return Ok(None);
            }
            complements.push(complement);
        }
        let mut before = vec![any.clone()];
        for complement in &complements[..branches.len() - 1] {
            let last = &before[before.len() - 1];
            before.push(self.intersect(last, complement, origin)?);
        }
        let mut behind = any;
        for (others, complement) in before.iter_mut().zip(&complements).rev() {
            *others = self.intersect(others, &behind, origin)?;
            behind = self.intersect(&behind, complement, origin)?;
        }
        Ok(Some(before))
    }

    /// The objects of branches of which two have all values that are no objects, so that no such value is of exactly
    /// one: conditions on properties alone are such. All of the branches where that is not seen.
    fn only_objects(&mut self, mut branches: Vec<Branch>) -> Result<Vec<Branch>, SchemaError> {
        let others = |all: &Alternatives| Alternatives {
            objects: Default::default(),
            ..all.clone()
        };
        let every_other = others(&*self.normalise(SetId::ANY)?);
        let all = || branches.iter().map(|branch| &branch.within);
        let of_every_other = all().filter(|all| others(all) == every_other);
        let is_plain = all().all(|all| all.literals.is_empty());
        if of_every_other.count() < 2 || !is_plain {
            return Ok(branches);
        }
        for branch in &mut branches {
            branch.within = Arc::new(Alternatives {
                objects: branch.within.objects.clone(),
                ..Alternatives::default()
            });
        }
        branches.retain(|branch| !branch.within.is_void());
        Ok(branches)
    }

    /// Where all branches are of objects alone, and there is a property that all of these demand and that has but a
    /// few values in each: the pairs of branches that share one, ascending. `None` where there is no such
    /// property.
    fn told_by_value(
        &mut self,
        branches: &[Branch],
    ) -> Result<Option<Vec<(usize, usize)>>, SchemaError> {
        let of_objects = |branch: &Branch| {
            let all = &*branch.within;
            let objects = Alternatives {
                objects: all.objects.clone(),
                ..Alternatives::default()
            };
            *all == objects && !all.objects.is_empty()
        };
        if branches.len() < 3 || !branches.iter().all(of_objects) {
            return Ok(None);
        }
        let all = branches.iter().flat_map(|branch| &branch.within.objects);
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
        branches: &[Branch],
    ) -> Result<Option<Vec<(usize, usize)>>, SchemaError> {
        let mut by_value: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (index, branch) in branches.iter().enumerate() {
            for &id in &branch.within.objects {
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
        let arrays = of_a.len() - 2;
        if (0..arrays).any(|kind| of_a[kind] && of_b[kind]) {
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
        for &x in &a.arrays {
            for &y in &b.arrays {
                if x == y || depth == DEPTH || !self.are_arrays_apart(x, y, depth)? {
                    return Ok(false);
                }
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

    /// Whether no length is of both sets, or an item that one of them demands has values in one of them only.
    fn are_arrays_apart(
        &mut self,
        a: ArrayId,
        b: ArrayId,
        depth: u32,
    ) -> Result<bool, SchemaError> {
        let (of_a, of_b) = (self.model.array(a).clone(), self.model.array(b).clone());
        if of_a.most < of_b.least || of_b.most < of_a.least {
            return Ok(true);
        }
        for index in 0..of_a.least.max(of_b.least).min(ITEMS) as usize {
            if self.are_values_apart(of_a.item(index), of_b.item(index), depth)? {
                return Ok(true);
            }
        }
        Ok(false)
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
            if self.are_values_apart(x, y, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether two sets are seen to have nothing in common, that stand so deep in others.
    fn are_values_apart(&mut self, x: SetId, y: SetId, depth: u32) -> Result<bool, SchemaError> {
        if x == SetId::NEVER || y == SetId::NEVER {
            return Ok(true);
        }
        if !self.is_within_sight(x) || !self.is_within_sight(y) {
            return Ok(false);
        }
        let (x, y) = (self.normalise(x)?, self.normalise(y)?);
        self.are_apart(&x, &y, depth + 1)
    }
}
