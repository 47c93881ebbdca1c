//! Objects in normal form.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::classes::Classes;
use super::{Normaliser, Operation};
use crate::base::graph::reachable;
use crate::base::{LimitError, Members, union};
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::shape::Hits;
use crate::front::json_schema::values::ObjectId;
use crate::front::json_schema::values::{
    KeyClass, Literal, NameId, ObjectKeywords, ObjectSet, Property, SetId,
};

/// How many clauses an object may have whose properties are counted.
const COUNTED_CLAUSES: usize = 12;

impl Normaliser<'_> {
    /// What the keywords for objects of one subschema allow.
    pub(super) fn object_of(
        &mut self,
        keywords: &ObjectKeywords,
        origin: ValueId,
    ) -> Result<Option<ObjectId>, SchemaError> {
        let sets = &self.model.sets;
        let mut classes = Classes::new(sets.resolve(keywords.additional));
        let mut properties = keywords.properties.clone();
        for property in &mut properties {
            property.set = sets.resolve(property.set);
        }
        if !keywords.patterns.is_empty() || keywords.names != SetId::ANY {
            self.patterns(keywords, &mut classes, &mut properties, origin)?;
        }
        self.add_object(
            ObjectSet {
                properties,
                required: keywords.required.clone(),
                additional: classes.rest,
                classes: classes.classes,
                least: keywords.least,
                most: keywords.most,
                clauses: Vec::new(),
                implications: keywords.implications.clone(),
            },
            origin,
        )
    }

    /// Applies `patternProperties` and `propertyNames`.
    fn patterns(
        &mut self,
        keywords: &ObjectKeywords,
        classes: &mut Classes,
        properties: &mut [Property],
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        self.foresee_classes(&keywords.patterns, origin)?;
        for &(language, set) in &keywords.patterns {
            let set = self.model.sets.resolve(set);
            let language = match language {
                Some(language) => language,
                None => self.all_text(origin),
            };
            // The first pattern that a key matches takes it out of the additional ones.
            self.refine(classes, language, origin, |this, before| {
                before.map_or(set, |before| this.model.sets.both(before, set))
            })?;
            for property in properties.iter_mut() {
                if self.speaks(language, property.name) {
                    property.set = self.model.sets.both(property.set, set);
                }
            }
        }
        // Among keys that a pattern matches the additional ones are no more: nor are names.
        if keywords.names != SetId::ANY
            && let Some(names) = self.language_of(keywords.names, origin)?
        {
            if self.is_narrow(names) {
                self.keep_only(classes, names)?;
            } else {
                let all = self.all_text(origin);
                let others = self.derive(Operation::Difference, all, names)?;
                self.refine(classes, others, origin, |_, _| SetId::NEVER)?;
            }
            for property in properties.iter_mut() {
                if !self.speaks(names, property.name) {
                    property.set = SetId::NEVER;
                }
            }
        }
        Ok(())
    }

    /// The number of a set of objects; `None` where it is seen to be empty.
    pub(super) fn add_object(
        &mut self,
        mut set: ObjectSet,
        origin: ValueId,
    ) -> Result<Option<ObjectId>, SchemaError> {
        self.charge(size(&set), origin)?;
        self.spell_out(&mut set);
        let implied = set.implications.iter().flat_map(|&(a, b)| [a, b]);
        let literals = set.clauses.iter().flatten();
        let literals = literals.filter_map(|literal| match literal {
            &(Literal::Lacks(name) | Literal::Bears(name, _)) => Some(name),
            Literal::Other(..) => None,
        });
        let names = set.required.iter().copied().chain(implied).chain(literals);
        let named = Named::of(&set.properties);
        // A name may stand in several places.
        let unnamed = union(names.filter(|&name| named.get(name).is_none()));
        let unnamed: Vec<Property> = unnamed
            .into_iter()
            .map(|name| Property {
                name,
                set: self.unnamed_value_in(&set, name),
            })
            .collect();
        set.properties.extend(unnamed);
        self.charge(looked_up(&set), origin)?;
        self.name_others(&mut set, origin)?;
        let set = self.settle(set, origin)?;
        Ok(set.map(|set| ObjectId::new(self.model.objects.intern(Arc::new(set)).0)))
    }

    /// Makes clauses speak of the names that their languages have, and of few keys by name. Where there are no
    /// other keys, that is all they can speak of.
    fn name_others(&mut self, set: &mut ObjectSet, origin: ValueId) -> Result<(), SchemaError> {
        for index in 0..set.clauses.len() {
            for literal in std::mem::take(&mut set.clauses[index]) {
                let Literal::Other(language, of) = literal else {
                    set.clauses[index].push(literal);
                    continue;
                };
                let named = set.properties.iter();
                let named = named.filter(|property| self.speaks(language, property.name));
                let named = named.map(|property| Literal::Bears(property.name, of));
                set.clauses[index].extend(named);
                if is_closed(set) {
                    continue;
                }
                let rest = self.without_names(language, &set.properties, origin)?;
                match self.few(rest) {
                    None => set.clauses[index].push(Literal::Other(rest, of)),
                    Some(members) => {
                        for &name in members.iter() {
                            let own = self.value_in(set, name);
                            set.properties.push(Property { name, set: own });
                            set.clauses[index].push(Literal::Bears(name, of));
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Draws the plain conclusions from an object set; `None` where it is seen to be empty.
    fn settle(
        &mut self,
        mut set: ObjectSet,
        origin: ValueId,
    ) -> Result<Option<ObjectSet>, SchemaError> {
        if set.has_conditions() && !self.settle_conditions(&mut set, origin)? {
            return Ok(None);
        }
        let mut impossible = set.properties.iter().filter(|p| p.set == SetId::NEVER);
        let required = Members::of(&set.required);
        if impossible.any(|property| required.have(property.name)) {
            return Ok(None);
        }
        let needed = set.required.len();
        if needed >= set.least as usize {
            set.least = 0;
        }
        if is_closed(&set) {
            let possible = set.properties.iter().filter(|p| p.set != SetId::NEVER);
            let possible = possible.count();
            if possible < set.least as usize {
                return Ok(None);
            }
            if possible <= set.most as usize {
                set.most = u32::MAX;
            }
        }
        // How few properties fulfil all clauses is searched for.
        let (clauses, most) = match set.least > 0 || set.most < u32::MAX {
            true => (
                "clauses of an object whose properties are counted",
                COUNTED_CLAUSES,
            ),
            false => ("clauses of an object", Hits::MOST),
        };
        LimitError::check(clauses, set.clauses.len(), most)
            .map_err(|source| self.limit(origin, source))?;
        let fits = set.most == u32::MAX || needed <= set.most as usize;
        Ok((fits && set.least <= set.most).then_some(set))
    }

    /// Draws the conclusions from implications and clauses, as long as there are any; `false` where one cannot hold.
    fn settle_conditions(
        &mut self,
        set: &mut ObjectSet,
        origin: ValueId,
    ) -> Result<bool, SchemaError> {
        let said = |set: &ObjectSet| {
            let literals: usize = set.clauses.iter().map(|clause| clause.len() + 1).sum();
            (set.required.len(), set.implications.len(), literals)
        };
        loop {
            let before = said(set);
            settle_implications(set);
            self.charge(size(set) + looked_up(set), origin)?;
            if !self.settle_clauses(set)? {
                return Ok(false);
            }
            if before == said(set) {
                break;
            }
        }
        set.implications.sort_unstable();
        set.implications.dedup();
        Ok(true)
    }

    /// Drops what cannot hold from the clauses, and clauses that hold; `false` where one cannot.
    fn settle_clauses(&mut self, set: &mut ObjectSet) -> Result<bool, SchemaError> {
        for mut clause in std::mem::take(&mut set.clauses) {
            clause.sort_unstable();
            clause.dedup();
            let mut left = Vec::with_capacity(clause.len());
            let mut holds = false;
            for &literal in &clause {
                match literal {
                    Literal::Lacks(name) => {
                        holds |= set.property(name) == Some(SetId::NEVER)
                            || clause.contains(&Literal::Bears(name, SetId::ANY));
                        if !set.required.contains(&name) {
                            left.push(literal);
                        }
                    }
                    Literal::Bears(name, of) => {
                        let own = set.property(name).unwrap_or(SetId::ANY);
                        let both = self.model.sets.both(own, of);
                        holds |= both == own && set.required.contains(&name);
                        if !self.is_surely_empty(both)? {
                            left.push(literal);
                        }
                    }
                    Literal::Other(..) if is_closed(set) => {}
                    Literal::Other(..) => left.push(literal),
                }
            }
            match left.as_slice() {
                _ if holds => {}
                [] => return Ok(false),
                &[Literal::Lacks(name)] => forbid(set, name),
                &[Literal::Bears(name, of)] => {
                    require(set, name);
                    for property in &mut set.properties {
                        if property.name == name {
                            property.set = self.model.sets.both(property.set, of);
                        }
                    }
                }
                _ if set.clauses.contains(&left) => {}
                _ => set.clauses.push(left),
            }
        }
        Ok(true)
    }

    pub(super) fn both_objects(
        &mut self,
        a: ObjectId,
        b: ObjectId,
        origin: ValueId,
    ) -> Result<Option<ObjectId>, SchemaError> {
        if a == b {
            return Ok(Some(a));
        }
        let (a, b) = (self.model.object(a).clone(), self.model.object(b).clone());
        self.charge(size(&a) + size(&b), origin)?;
        let [of_a, of_b] = [&a, &b].map(|set| Classes::of(set));
        let mut properties = Vec::with_capacity(a.properties.len() + b.properties.len());
        let required = union(a.required.iter().chain(&b.required).copied());
        let [in_a, in_b] = [&a, &b].map(|set| Named::of(&set.properties));
        for &Property { name, set } in &a.properties {
            let other = in_b.get(name);
            properties.push((
                name,
                set,
                other.unwrap_or_else(|| self.unnamed_value_in(&b, name)),
            ));
        }
        for &Property { name, set } in &b.properties {
            if in_a.get(name).is_none() {
                properties.push((name, self.unnamed_value_in(&a, name), set));
            }
        }
        let is_required = Members::of(&required);
        let mut merged = Vec::with_capacity(properties.len());
        for (name, left, right) in properties {
            let mut set = self.model.sets.both(left, right);
            if set != left && set != right && self.is_surely_empty(set)? {
                set = SetId::NEVER;
            }
            if set == SetId::NEVER && is_required.have(name) {
                return Ok(None);
            }
            merged.push(Property { name, set });
        }
        let classes = match (a.classes.is_empty(), b.classes.is_empty()) {
            (true, true) => Classes::new(self.model.sets.both(of_a.rest, of_b.rest)),
            _ => self.both_classes(&of_a, &of_b, origin)?,
        };
        self.add_object(
            ObjectSet {
                properties: merged,
                required,
                additional: classes.rest,
                classes: classes.classes,
                least: a.least.max(b.least),
                most: a.most.min(b.most),
                clauses: [&a.clauses[..], &b.clauses].concat(),
                implications: [&a.implications[..], &b.implications].concat(),
            },
            origin,
        )
    }

    /// The objects that are not in `set`: at least one of what it says does not hold.
    pub(super) fn object_complement(
        &mut self,
        set: &ObjectSet,
        origin: ValueId,
    ) -> Result<Vec<ObjectId>, SchemaError> {
        let mut clause: Vec<Literal> = set.required.iter().map(|&n| Literal::Lacks(n)).collect();
        for &Property { name, set } in &set.properties {
            clause.push(Literal::Bears(name, self.model.sets.not(set)));
        }
        let mut classes = set.classes.clone();
        if set.additional != SetId::ANY {
            classes.push(KeyClass {
                language: self.rest_language(&set.classes, origin)?,
                set: set.additional,
            });
        }
        for class in classes {
            let language = self.without_names(class.language, &set.properties, origin)?;
            clause.push(Literal::Other(language, self.model.sets.not(class.set)));
        }
        clause.retain(|literal| {
            !matches!(
                literal,
                Literal::Bears(_, SetId::NEVER) | Literal::Other(_, SetId::NEVER)
            )
        });
        let mut parts = vec![ObjectSet {
            clauses: vec![clause],
            ..ObjectSet::ANY
        }];
        for &(name, needed) in &set.implications {
            let mut part = ObjectSet::ANY;
            forbid(&mut part, needed);
            require(&mut part, name);
            parts.push(part);
        }
        for clause in &set.clauses {
            parts.push(self.none_of(clause, origin)?);
        }
        if let Some(below) = set.least.checked_sub(1) {
            parts.push(ObjectSet {
                most: below,
                ..ObjectSet::ANY
            });
        }
        if set.most < u32::MAX {
            parts.push(ObjectSet {
                least: set.most + 1,
                ..ObjectSet::ANY
            });
        }
        let mut ids = Vec::new();
        for part in parts {
            ids.extend(self.add_object(part, origin)?);
        }
        Ok(ids)
    }

    /// The objects of which no part of `clause` holds.
    fn none_of(&mut self, clause: &[Literal], origin: ValueId) -> Result<ObjectSet, SchemaError> {
        let mut none = ObjectSet::ANY;
        let mut classes = Classes::new(SetId::ANY);
        for &literal in clause {
            match literal {
                Literal::Lacks(name) => require(&mut none, name),
                Literal::Bears(name, of) => {
                    let not = self.model.sets.not(of);
                    let own = none.properties.iter_mut().find(|p| p.name == name);
                    match own {
                        Some(property) => property.set = self.model.sets.both(property.set, not),
                        None => none.properties.push(Property { name, set: not }),
                    }
                }
                Literal::Other(language, of) => {
                    let not = self.model.sets.not(of);
                    self.refine(&mut classes, language, origin, |this, before| {
                        before.map_or(not, |before| this.model.sets.both(before, not))
                    })?;
                }
            }
        }
        none.classes = classes.classes;
        Ok(none)
    }
}

/// The sets of properties by name: looked through while they are few, hashed otherwise.
enum Named<'p> {
    Few(&'p [Property]),
    Many(FxHashMap<NameId, SetId>),
}

impl<'p> Named<'p> {
    fn of(properties: &'p [Property]) -> Self {
        match properties.len() > 32 {
            true => Self::Many(properties.iter().map(|p| (p.name, p.set)).collect()),
            false => Self::Few(properties),
        }
    }

    fn get(&self, name: NameId) -> Option<SetId> {
        match self {
            Self::Few(properties) => properties.iter().find(|p| p.name == name).map(|p| p.set),
            Self::Many(sets) => sets.get(&name).copied(),
        }
    }
}

/// How many parts an object set has.
fn size(set: &ObjectSet) -> usize {
    let clauses: usize = set.clauses.iter().map(|clause| clause.len() + 1).sum();
    let named = set.properties.len() + set.required.len() + set.implications.len();
    1 + named + set.classes.len() + clauses
}

/// How many names are looked at where those that clauses speak of are looked up.
fn looked_up(set: &ObjectSet) -> usize {
    let literals: usize = set.clauses.iter().map(Vec::len).sum();
    let named = set.properties.len() + set.required.len();
    literals.saturating_mul(1 + named / 8)
}

/// Whether all keys are named.
fn is_closed(set: &ObjectSet) -> bool {
    let mut classes = set.classes.iter();
    set.additional == SetId::NEVER && classes.all(|class| class.set == SetId::NEVER)
}

/// What goes with a required name is required; what an impossible one goes with is impossible.
fn settle_implications(set: &mut ObjectSet) {
    if set.implications.is_empty() {
        return;
    }
    let names = set.implications.iter().flat_map(|&(a, b)| [a, b]);
    let names = union(names);
    let places: FxHashMap<NameId, usize> = names.iter().copied().zip(0..).collect();
    let (mut onward, mut back) = (vec![Vec::new(); names.len()], vec![Vec::new(); names.len()]);
    for (name, needed) in &set.implications {
        let (name, needed) = (places[name], places[needed]);
        onward[name].push(needed);
        back[needed].push(name);
    }
    let place = |name: &NameId| places.get(name).copied();
    let required = reachable(set.required.iter().filter_map(place), &onward);
    let never = set.properties.iter().filter(|p| p.set == SetId::NEVER);
    let never = reachable(never.filter_map(|p| place(&p.name)), &back);
    let among = |which: &[bool]| {
        let names = names.iter().zip(which);
        names
            .filter_map(|(&name, &is)| is.then_some(name))
            .collect::<Vec<_>>()
    };
    set.required = union(set.required.drain(..).chain(among(&required)));
    for property in &mut set.properties {
        if place(&property.name).is_some_and(|place| never[place]) {
            property.set = SetId::NEVER;
        }
    }
    set.implications.retain(|(name, needed)| {
        let (name, needed) = (places[name], places[needed]);
        name != needed && !never[name] && !required[needed]
    });
}

fn require(set: &mut ObjectSet, name: NameId) {
    if !set.required.contains(&name) {
        set.required.push(name);
    }
}

fn forbid(set: &mut ObjectSet, name: NameId) {
    let own = set
        .properties
        .iter_mut()
        .find(|property| property.name == name);
    match own {
        Some(property) => property.set = SetId::NEVER,
        None => set.properties.push(Property {
            name,
            set: SetId::NEVER,
        }),
    }
}
