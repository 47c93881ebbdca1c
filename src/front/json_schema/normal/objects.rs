//! Objects in normal form.

use super::classes::Classes;
use super::{Normaliser, Operation};
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::ObjectId;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::{
    KeyClass, NameId, ObjectKeywords, ObjectSet, Property, SetId,
};

/// How many constraints that some key satisfies an object may have.
const WITNESSES: usize = 8;

impl Normaliser<'_> {
    /// What the keywords for objects of one subschema allow.
    pub(super) fn object_of(
        &mut self,
        keywords: &ObjectKeywords,
        origin: ValueId,
    ) -> Result<Vec<ObjectId>, SchemaError> {
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
                witnesses: Vec::new(),
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
        properties: &mut Vec<Property>,
        origin: ValueId,
    ) -> Result<(), SchemaError> {
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
                let name = self.model.sets.name_text(property.name);
                if self.model.language(language).dfa.contains(name.as_bytes()) {
                    property.set = self.model.sets.both(property.set, set);
                }
            }
        }
        // Among keys that a pattern matches the additional ones are no more: nor are names.
        if keywords.names != SetId::ANY
            && let Some(names) = self.language_of(keywords.names, origin)?
        {
            let all = self.all_text(origin);
            let others = self.derive(Operation::Difference, all, names)?;
            self.refine(classes, others, origin, |_, _| SetId::NEVER)?;
            for property in properties.iter_mut() {
                let name = self.model.sets.name_text(property.name);
                if !self.model.language(names).dfa.contains(name.as_bytes()) {
                    property.set = SetId::NEVER;
                }
            }
        }
        Ok(())
    }

    /// The sets that the members of `set` belong to, each in normal form; none where it is seen to
    /// be empty.
    pub(super) fn add_object(
        &mut self,
        mut set: ObjectSet,
        origin: ValueId,
    ) -> Result<Vec<ObjectId>, SchemaError> {
        self.spell_out(&mut set);
        let mut names = Vec::new();
        let implied = set.implications.iter().flat_map(|(a, b)| [a, b]);
        for &name in set.required.iter().chain(implied) {
            if set.property(name).is_none() && !names.contains(&name) {
                names.push(name);
            }
        }
        for name in names {
            let own = self.value_in(&set, name);
            set.properties.push(Property { name, set: own });
        }
        let mut ids = Vec::new();
        let witnesses = std::mem::take(&mut set.witnesses);
        LimitError::check("properties that must exist", witnesses.len(), WITNESSES)
            .map_err(|source| self.limit(origin, source))?;
        self.place_witnesses(set, &witnesses, &mut ids, origin)?;
        Ok(ids)
    }

    /// Tells apart which of the properties bear witness, and where none does.
    fn place_witnesses(
        &mut self,
        set: ObjectSet,
        witnesses: &[KeyClass],
        ids: &mut Vec<ObjectId>,
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        let Some((&witness, others)) = witnesses.split_first() else {
            if let Some(set) = self.settle(set) {
                let id = ObjectId::new(self.model.objects.intern(set).0);
                if !ids.contains(&id) {
                    ids.push(id);
                }
            }
            return Ok(());
        };
        for index in 0..set.properties.len() {
            let Property { name, set: own } = set.properties[index];
            let dfa = &self.model.language(witness.language).dfa;
            if dfa.contains(self.model.sets.name_text(name).as_bytes()) {
                let mut bearing = set.clone();
                bearing.properties[index].set = self.model.sets.both(own, witness.set);
                require(&mut bearing, name);
                if !self.is_surely_empty(bearing.properties[index].set)? {
                    self.place_witnesses(bearing, others, ids, origin)?;
                }
            }
        }
        let language = self.without_names(witness.language, &set.properties, origin)?;
        let members = self.model.language(language).dfa.members(32);
        match members {
            None => {
                let mut set = set;
                set.witnesses.push(KeyClass {
                    language,
                    ..witness
                });
                self.place_witnesses(set, others, ids, origin)
            }
            Some(members) => {
                for key in members
                    .iter()
                    .filter_map(|key| std::str::from_utf8(key).ok())
                {
                    let name = self.model.sets.name(key);
                    let own = self.value_in(&set, name);
                    let own = self.model.sets.both(own, witness.set);
                    let mut bearing = set.clone();
                    bearing.properties.push(Property { name, set: own });
                    require(&mut bearing, name);
                    self.place_witnesses(bearing, others, ids, origin)?;
                }
                Ok(())
            }
        }
    }

    /// Draws the plain conclusions from an object set; `None` where it is seen to be empty.
    fn settle(&self, mut set: ObjectSet) -> Option<ObjectSet> {
        // What goes with a required name is required; what goes with an impossible one is not.
        loop {
            let before = (set.required.len(), set.implications.len());
            for (name, needed) in std::mem::take(&mut set.implications) {
                let never = |name| set.property(name) == Some(SetId::NEVER);
                if set.required.contains(&name) {
                    require(&mut set, needed);
                } else if never(needed) {
                    forbid(&mut set, name);
                } else if name != needed && !never(name) && !set.required.contains(&needed) {
                    set.implications.push((name, needed));
                }
            }
            if before == (set.required.len(), set.implications.len()) {
                break;
            }
        }
        set.implications.sort_unstable();
        set.implications.dedup();
        let impossible = |name: &NameId| set.property(*name) == Some(SetId::NEVER);
        if set.required.iter().any(impossible) {
            return None;
        }
        let needed = set.required.len() + usize::from(!set.witnesses.is_empty());
        if needed >= set.least as usize {
            set.least = 0;
        }
        let closed = set.additional == SetId::NEVER
            && set.classes.iter().all(|class| class.set == SetId::NEVER);
        if closed {
            if !set.witnesses.is_empty() {
                return None;
            }
            let possible = set
                .properties
                .iter()
                .filter(|p| p.set != SetId::NEVER)
                .count();
            if possible < set.least as usize {
                return None;
            }
            if possible <= set.most as usize {
                set.most = u32::MAX;
            }
        }
        let fits = set.most == u32::MAX || needed <= set.most as usize;
        (fits && set.least <= set.most).then_some(set)
    }

    pub(super) fn both_objects(
        &mut self,
        a: ObjectId,
        b: ObjectId,
        origin: ValueId,
    ) -> Result<Vec<ObjectId>, SchemaError> {
        if a == b {
            return Ok(vec![a]);
        }
        let (a, b) = (self.model.object(a).clone(), self.model.object(b).clone());
        let [of_a, of_b] = [&a, &b].map(Classes::of);
        let mut properties = Vec::with_capacity(a.properties.len() + b.properties.len());
        let mut required = a.required.clone();
        required.extend(b.required.iter().filter(|name| !a.required.contains(name)));
        for &Property { name, set } in &a.properties {
            properties.push((name, set, self.value_in(&b, name)));
        }
        for &Property { name, set } in &b.properties {
            if a.property(name).is_none() {
                properties.push((name, self.value_in(&a, name), set));
            }
        }
        let mut merged = Vec::with_capacity(properties.len());
        for (name, left, right) in properties {
            let mut set = self.model.sets.both(left, right);
            if set != left && set != right && self.is_surely_empty(set)? {
                set = SetId::NEVER;
            }
            if set == SetId::NEVER && required.contains(&name) {
                return Ok(Vec::new());
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
                witnesses: [a.witnesses, b.witnesses].concat(),
                implications: [a.implications, b.implications].concat(),
            },
            origin,
        )
    }

    /// The objects that are not in `set`.
    pub(super) fn object_complement(
        &mut self,
        set: &ObjectSet,
        origin: ValueId,
    ) -> Result<Vec<ObjectId>, SchemaError> {
        let mut parts = Vec::new();
        for &name in &set.required {
            let mut part = ObjectSet::ANY;
            forbid(&mut part, name);
            parts.push(part);
        }
        for &Property { name, set } in &set.properties {
            let other = self.model.sets.not(set);
            if other != SetId::NEVER {
                let mut part = ObjectSet::ANY;
                part.properties.push(Property { name, set: other });
                require(&mut part, name);
                parts.push(part);
            }
        }
        let mut counterparts = set.classes.clone();
        if set.additional != SetId::ANY {
            counterparts.push(KeyClass {
                language: self.rest_language(&set.classes, origin)?,
                set: set.additional,
            });
        }
        for class in counterparts {
            let other = self.model.sets.not(class.set);
            let language = self.without_names(class.language, &set.properties, origin)?;
            if other != SetId::NEVER {
                parts.push(ObjectSet {
                    witnesses: vec![KeyClass {
                        language,
                        set: other,
                    }],
                    ..ObjectSet::ANY
                });
            }
        }
        for witness in &set.witnesses {
            parts.push(ObjectSet {
                classes: vec![KeyClass {
                    language: witness.language,
                    set: self.model.sets.not(witness.set),
                }],
                ..ObjectSet::ANY
            });
        }
        for &(name, needed) in &set.implications {
            let mut part = ObjectSet::ANY;
            forbid(&mut part, needed);
            part.properties.push(Property {
                name,
                set: SetId::ANY,
            });
            require(&mut part, name);
            parts.push(part);
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
            ids.append(&mut self.add_object(part, origin)?);
        }
        Ok(ids)
    }
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
