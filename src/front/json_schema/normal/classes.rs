//! Keys by class: languages that no two of share a key, each with the set of its values.

use std::sync::Arc;

use super::{Normaliser, Operation};
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::{
    Extent, KeyClass, LanguageId, NameId, ObjectSet, Property, SetId,
};

/// How many classes of keys an object may have.
const CLASSES: usize = 64;

/// Of classes with up to so many keys, each key is a property.
const FEW: usize = 32;

/// So many patterns are held against each other by single keys first, which are up to so many bytes long.
const FORESEEN: usize = 32;
const FORESEEN_KEY: usize = 256;

/// What the values of keys may be, for all keys: by class, and for those in none of them.
#[derive(Clone, Debug)]
pub(crate) struct Classes {
    pub(crate) classes: Vec<KeyClass>,
    pub(crate) rest: SetId,
}

impl Classes {
    pub(super) fn new(rest: SetId) -> Self {
        Self {
            classes: Vec::new(),
            rest,
        }
    }

    pub(crate) fn of(set: &ObjectSet) -> Self {
        Self {
            classes: set.classes.clone(),
            rest: set.additional,
        }
    }
}

impl Normaliser<'_> {
    /// Refuses patterns that are seen to make too many classes: by keys of which no two can be in one. Patterns that may match
    /// anywhere make a class for each set of them, whose automata take long to be made.
    pub(super) fn foresee_classes(
        &mut self,
        patterns: &[(Option<LanguageId>, SetId)],
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        // So many patterns have a class each, and one for each set of them.
        let enough = CLASSES.ilog2() as usize;
        if patterns.len() <= enough {
            return Ok(());
        }
        let mut keys: Vec<(SetId, String)> = Vec::new();
        for (index, &(language, set)) in patterns.iter().enumerate().take(FORESEEN) {
            let Some(key) = self.key_of(language) else {
                return Ok(());
            };
            let known = std::mem::take(&mut keys);
            let known = known.into_iter().map(|(_, known)| known);
            let together = known.flat_map(|known| {
                let (behind, before) = (known.clone() + &key, key.clone() + &known);
                [known, behind, before]
            });
            for key in together.chain([key.clone()]) {
                self.charge(index.div_ceil(8), origin)?;
                let value = self.value_by_patterns(&patterns[..=index], &key);
                let is_new = value.is_some_and(|set| keys.iter().all(|&(other, _)| other != set));
                if let Some(value) = value
                    && is_new
                    && key.len() <= FORESEEN_KEY
                {
                    keys.push((value, key));
                }
            }
            let place = self.model.sets.origin(set);
            LimitError::check("classes of keys of an object", keys.len(), CLASSES)
                .map_err(|source| self.limit(place, source))?;
        }
        Ok(())
    }

    /// A key of a language that an automaton says all of.
    fn key_of(&self, language: Option<LanguageId>) -> Option<String> {
        let Some(language) = language else {
            return Some(String::new());
        };
        let language = self.model.language(language);
        let is_exact = language.is_flat() && matches!(language.extent, Extent::Exact);
        let witness = (is_exact && !language.a_labels).then(|| language.dfa.witness())?;
        String::from_utf8(witness?).ok()
    }

    /// What the value of a key may be as far as patterns say, as classes have it; `None` where no pattern matches.
    fn value_by_patterns(
        &mut self,
        patterns: &[(Option<LanguageId>, SetId)],
        key: &str,
    ) -> Option<SetId> {
        let mut value = None;
        for &(language, set) in patterns {
            if language.is_none_or(|language| self.model.language(language).contains(key)) {
                let set = self.model.sets.resolve(set);
                value = Some(value.map_or(set, |value| self.model.sets.both(value, set)));
            }
        }
        value
    }

    /// The classes that the keys of `pattern` lie in are cut where need be, and `change` says what
    /// the values of those keys may be, by what they could be before.
    pub(super) fn refine(
        &mut self,
        all: &mut Classes,
        pattern: LanguageId,
        origin: ValueId,
        mut change: impl FnMut(&mut Self, Option<SetId>) -> SetId,
    ) -> Result<(), SchemaError> {
        let mut refined = Vec::new();
        let mut outside = pattern;
        for class in std::mem::take(&mut all.classes) {
            let inside = self.derive(Operation::Intersection, class.language, pattern)?;
            let others = self.derive(Operation::Difference, class.language, pattern)?;
            outside = self.derive(Operation::Difference, outside, class.language)?;
            let set = change(self, Some(class.set));
            for (language, set) in [(inside, set), (others, class.set)] {
                self.add_class(&mut refined, KeyClass { language, set })?;
            }
        }
        let set = change(self, None);
        self.add_class(
            &mut refined,
            KeyClass {
                language: outside,
                set,
            },
        )?;
        LimitError::check("classes of keys of an object", refined.len(), CLASSES)
            .map_err(|source| self.limit(origin, source))?;
        all.classes = refined;
        Ok(())
    }

    /// Leaves no keys but those of `names`. What is not in a narrow language cannot be told, but need not be: it has no
    /// value, as all keys that are in no class.
    pub(super) fn keep_only(
        &mut self,
        all: &mut Classes,
        names: LanguageId,
    ) -> Result<(), SchemaError> {
        let mut outside = names;
        let mut kept = Vec::new();
        for KeyClass { language, set } in std::mem::take(&mut all.classes) {
            outside = self.derive(Operation::Difference, outside, language)?;
            let language = self.derive(Operation::Intersection, language, names)?;
            self.add_class(&mut kept, KeyClass { language, set })?;
        }
        let set = std::mem::replace(&mut all.rest, SetId::NEVER);
        self.add_class(
            &mut kept,
            KeyClass {
                language: outside,
                set,
            },
        )?;
        all.classes = kept;
        Ok(())
    }

    /// Cuts the classes so that each is inside or outside of `language`.
    pub(crate) fn cut_classes(
        &mut self,
        all: &mut Classes,
        language: LanguageId,
    ) -> Result<(), SchemaError> {
        let mut parts = Vec::new();
        let mut outside = language;
        for KeyClass {
            language: class,
            set,
        } in std::mem::take(&mut all.classes)
        {
            outside = self.derive(Operation::Difference, outside, class)?;
            for operation in [Operation::Intersection, Operation::Difference] {
                let language = self.derive(operation, class, language)?;
                parts.push(KeyClass { language, set });
            }
        }
        parts.push(KeyClass {
            language: outside,
            set: all.rest,
        });
        parts.retain(|class| !self.model.language(class.language).dfa.is_empty());
        all.classes = parts;
        Ok(())
    }

    /// Whether all of one language is in another.
    pub(crate) fn is_within(
        &mut self,
        inner: LanguageId,
        outer: LanguageId,
    ) -> Result<bool, SchemaError> {
        let others = self.derive(Operation::Difference, inner, outer)?;
        Ok(self.model.language(others).dfa.is_empty())
    }

    /// Adds a class, to one with the same values if there is one.
    fn add_class(
        &mut self,
        classes: &mut Vec<KeyClass>,
        class: KeyClass,
    ) -> Result<(), SchemaError> {
        if self.model.language(class.language).dfa.is_empty() {
            return Ok(());
        }
        match classes.iter_mut().find(|other| other.set == class.set) {
            None => classes.push(class),
            Some(other) => {
                other.language = self.derive(Operation::Union, other.language, class.language)?;
            }
        }
        Ok(())
    }

    /// What the values of the keys that both speak of may be.
    pub(super) fn both_classes(
        &mut self,
        a: &Classes,
        b: &Classes,
        origin: ValueId,
    ) -> Result<Classes, SchemaError> {
        let rest = self.model.sets.both(a.rest, b.rest);
        let mut both = Classes {
            classes: Vec::new(),
            rest,
        };
        // Keys that are in no class have none either then.
        let without_value = |set| rest == SetId::NEVER && set == SetId::NEVER;
        // First as if `b` had no classes, then each of its classes over all keys of it.
        for class in &a.classes {
            let set = self.model.sets.both(class.set, b.rest);
            if !without_value(set) {
                self.add_class(&mut both.classes, KeyClass { set, ..*class })?;
            }
        }
        for class in &b.classes {
            let mut refined = Vec::new();
            let mut outside = class.language;
            let set_outside = self.model.sets.both(a.rest, class.set);
            let is_outside = !without_value(set_outside);
            for other in &a.classes {
                let language =
                    self.derive(Operation::Intersection, other.language, class.language)?;
                let set = self.model.sets.both(other.set, class.set);
                refined.push(KeyClass { language, set });
                if is_outside {
                    outside = self.derive(Operation::Difference, outside, other.language)?;
                }
            }
            if is_outside {
                refined.push(KeyClass {
                    language: outside,
                    set: set_outside,
                });
            }
            for other in &mut both.classes {
                other.language =
                    self.derive(Operation::Difference, other.language, class.language)?;
            }
            for part in refined {
                self.add_class(&mut both.classes, part)?;
            }
        }
        both.classes.retain(|class| {
            !self.model.sets.languages[class.language.index()]
                .dfa
                .is_empty()
        });
        LimitError::check("classes of keys of an object", both.classes.len(), CLASSES)
            .map_err(|source| self.limit(origin, source))?;
        Ok(both)
    }

    /// What the value of the key `name` may be.
    pub(super) fn value_in(&self, set: &ObjectSet, name: NameId) -> SetId {
        let own = set.property(name);
        own.unwrap_or_else(|| self.unnamed_value_in(set, name))
    }

    /// The same for a key without a property of its own.
    pub(super) fn unnamed_value_in(&self, set: &ObjectSet, name: NameId) -> SetId {
        let mut classes = set.classes.iter();
        let class = classes.find(|class| self.speaks(class.language, name));
        class.map_or(set.additional, |class| class.set)
    }

    /// Whether a name belongs to a language.
    pub(super) fn speaks(&self, language: LanguageId, name: NameId) -> bool {
        let mut spoken = self.spoken.borrow_mut();
        *spoken.entry((language, name)).or_insert_with(|| {
            let name = self.model.sets.name_text(name);
            self.model.language(language).contains(name)
        })
    }

    /// The texts of a language that has few.
    pub(super) fn few(&mut self, language: LanguageId) -> Option<Arc<[NameId]>> {
        if let Some(known) = self.few.get(&language) {
            return known.clone();
        }
        let members = self.model.language(language).dfa.members(FEW);
        let few = members.map(|members| {
            let texts = members.iter();
            let texts = texts.filter_map(|text| std::str::from_utf8(text).ok());
            texts.map(|text| self.model.sets.name(text)).collect()
        });
        self.few.insert(language, few.clone());
        few
    }

    /// Makes properties of the keys of classes that have few, and drops classes that say nothing.
    pub(super) fn spell_out(&mut self, set: &mut ObjectSet) {
        for class in std::mem::take(&mut set.classes) {
            if class.set == set.additional {
                continue;
            }
            let Some(members) = self.few(class.language) else {
                set.classes.push(class);
                continue;
            };
            for &name in members.iter() {
                if set.property(name).is_none() {
                    set.properties.push(Property {
                        name,
                        set: class.set,
                    });
                }
            }
        }
    }

    /// The language of the keys that are in none of `classes`.
    pub(crate) fn rest_language(
        &mut self,
        classes: &[KeyClass],
        origin: ValueId,
    ) -> Result<LanguageId, SchemaError> {
        let mut rest = self.all_text(origin);
        for class in classes {
            rest = self.derive(Operation::Difference, rest, class.language)?;
        }
        Ok(rest)
    }

    /// The keys of `language` that are none of `properties`.
    pub(crate) fn without_names(
        &mut self,
        language: LanguageId,
        properties: &[Property],
        origin: ValueId,
    ) -> Result<LanguageId, SchemaError> {
        let names: Vec<String> = properties
            .iter()
            .filter(|property| self.speaks(language, property.name))
            .map(|property| self.model.sets.name_text(property.name).to_owned())
            .collect();
        if names.is_empty() {
            return Ok(language);
        }
        let names = self.of_literals(&names, origin)?;
        self.derive(Operation::Difference, language, names)
    }
}
