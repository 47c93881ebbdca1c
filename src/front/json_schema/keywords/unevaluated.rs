//! `unevaluatedProperties` and `unevaluatedItems`: what other keywords leave over.
//!
//! Which keys and items are evaluated depends on which of the subschemas hold. So the values are
//! taken apart into cases: conditions under which certain keys and items are evaluated at least. What
//! is evaluated only frees from a demand, hence a case may leave out conditions that hold besides,
//! and the union over all cases is exact.

use std::hash::Hash;

use rustc_hash::FxHashSet;

use super::Keywords;
use super::parts::Parts;
use crate::base::LimitError;
use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::keyword::Keyword;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::refs::ScopeId;
use crate::front::json_schema::schema::Schema;
use crate::front::json_schema::values::{
    ArraySet, LanguageId, NameId, ObjectKeywords, Property, SetId,
};
use crate::front::json_schema::{SchemaError, pointer};

/// How many cases are told apart.
const CASES: usize = 256;
/// What each part of a case costs that is joined with another.
const STEPS_PER_PART: usize = 8;
/// How many schemas may lead to one whose cases count, each applying the next to the same value.
const WAY: usize = 64;

/// What is evaluated where some sets hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Case {
    conditions: Vec<SetId>,
    names: Vec<NameId>,
    patterns: Vec<Option<LanguageId>>,
    every_key: bool,
    /// So many items from the first one on.
    places: usize,
    every_item: bool,
    /// The items of these sets.
    contained: Vec<SetId>,
}

impl Case {
    /// What is evaluated where the conditions of both hold.
    fn and(&self, other: &Self) -> Self {
        fn join<T: Copy + Eq + Hash>(left: &[T], right: &[T]) -> Vec<T> {
            let known: FxHashSet<&T> = left.iter().collect();
            let new = right.iter().filter(|item| !known.contains(item));
            left.iter().chain(new).copied().collect()
        }
        Self {
            conditions: join(&self.conditions, &other.conditions),
            names: join(&self.names, &other.names),
            patterns: join(&self.patterns, &other.patterns),
            every_key: self.every_key || other.every_key,
            places: self.places.max(other.places),
            every_item: self.every_item || other.every_item,
            contained: join(&self.contained, &other.contained),
        }
    }

    /// How many parts it has.
    fn size(&self) -> usize {
        let named = self.names.len() + self.patterns.len();
        self.conditions.len() + named + self.contained.len()
    }

    /// Whether nothing is evaluated.
    fn is_bare(&self) -> bool {
        let conditions = self.conditions.clone();
        *self
            == Self {
                conditions,
                ..Self::default()
            }
    }
}

/// The schemas that led to one, each with the scope it was reached in.
type Way = Vec<(ValueId, ScopeId)>;

/// Whose own `unevaluated…` keywords count as evaluating what they apply to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Own {
    Counts,
    IsAsked,
}

impl Keywords<'_> {
    /// Adds what the keywords of the schema at `object` demand of what is not evaluated.
    pub(super) fn unevaluated(
        &mut self,
        parts: &Parts,
        object: ValueId,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        let keywords = [
            parts[Keyword::UnevaluatedProperties],
            parts[Keyword::UnevaluatedItems],
        ];
        let [keys, items] = keywords.map(|value| value.map(|value| self.schema(value)));
        let (keys, items) = (keys.transpose()?, items.transpose()?);
        if keys.is_none_or(|set| set == SetId::ANY) && items.is_none_or(|set| set == SetId::ANY) {
            return Ok(());
        }
        let cases = self.cases(object, Own::IsAsked, &mut Vec::new())?;
        for (keys, items) in [(keys, None), (None, items)] {
            if (keys, items) == (None, None) {
                continue;
            }
            let sets = cases.iter().map(|case| {
                let demand = self.demand(case, keys, items, object);
                let both: Vec<SetId> = case.conditions.iter().copied().chain([demand]).collect();
                self.all(&both, object)
            });
            let sets = sets.collect();
            schema.all_of.push(self.sets.any(sets, object));
        }
        Ok(())
    }

    /// The values whose keys and items that are not evaluated belong to these sets.
    fn demand(
        &mut self,
        case: &Case,
        keys: Option<SetId>,
        items: Option<SetId>,
        origin: ValueId,
    ) -> SetId {
        let mut schema = Schema::any();
        if let Some(additional) = keys.filter(|_| !case.every_key) {
            let free = |&name| Property {
                name,
                set: SetId::ANY,
            };
            schema.object = Some(Box::new(ObjectKeywords {
                properties: case.names.iter().map(free).collect(),
                patterns: case
                    .patterns
                    .iter()
                    .map(|&pattern| (pattern, SetId::ANY))
                    .collect(),
                additional,
                ..ObjectKeywords::ANY
            }));
        }
        if let Some(items) = items.filter(|_| !case.every_item) {
            let sets = case.contained.iter().copied().chain([items]).collect();
            schema.array = Some(Box::new(ArraySet {
                prefix: vec![SetId::ANY; case.places],
                rest: self.sets.any(sets, origin),
                ..ArraySet::ANY
            }));
        }
        self.sets.add(schema, origin)
    }

    /// The cases of the schema at `value`, which is reached by way of `path`.
    fn cases(
        &mut self,
        value: ValueId,
        own: Own,
        path: &mut Way,
    ) -> Result<Vec<Case>, SchemaError> {
        // Schemas that lead back to themselves are refused elsewhere.
        let way = (value, self.context.scope);
        if self.document.kind(value) != Kind::Object || path.contains(&way) {
            return Ok(vec![Case::default()]);
        }
        LimitError::check(
            "schemas within each other that may evaluate",
            path.len() + 1,
            WAY,
        )
        .map_err(|source| SchemaError::Limit {
            pointer: pointer::of(self.document, value),
            source,
        })?;
        path.push(way);
        let outer = self.context;
        let context = self.references.enter(self.document, value, outer)?;
        self.enter(context);
        let cases = self.cases_within(value, own, path);
        self.enter(outer);
        path.pop();
        cases
    }

    fn cases_within(
        &mut self,
        value: ValueId,
        own: Own,
        path: &mut Way,
    ) -> Result<Vec<Case>, SchemaError> {
        let document = self.document;
        let mut parts = Parts::default();
        let mut in_place: Vec<(Keyword, ValueId)> = Vec::new();
        let dialect = self.context.dialect;
        for (key, member) in document.members(value) {
            let keyword = document.string(key).and_then(|name| Keyword::find(&name));
            let keyword = keyword.filter(|&keyword| dialect.has(keyword));
            match keyword {
                None => {}
                Some(
                    keyword @ (Keyword::AllOf
                    | Keyword::AnyOf
                    | Keyword::OneOf
                    | Keyword::Ref
                    | Keyword::RecursiveRef
                    | Keyword::DynamicRef),
                ) => in_place.push((keyword, member)),
                Some(keyword) => parts.set(keyword, member),
            }
        }
        let mut cases = vec![self.own_case(&parts, own)?];
        for (keyword, member) in in_place {
            self.in_place(keyword, member, &mut cases, path)?;
        }
        self.conditional_cases(&parts, &mut cases, value, path)?;
        Ok(cases)
    }

    /// Multiplies `cases` by those of a keyword that applies schemas to the same value.
    fn in_place(
        &mut self,
        keyword: Keyword,
        member: ValueId,
        cases: &mut Vec<Case>,
        path: &mut Way,
    ) -> Result<(), SchemaError> {
        let document = self.document;
        let mut branches = document.elements(member);
        let origin = document.parent(member).unwrap_or(member);
        match keyword {
            Keyword::OneOf => {
                let mut all = Vec::new();
                for branch in branches {
                    all.append(&mut self.branch(branch, path)?);
                }
                self.multiply(cases, &all, origin)
            }
            Keyword::AnyOf => branches.try_for_each(|branch| {
                let mut others = self.branch(branch, path)?;
                others.push(Case::default());
                self.multiply(cases, &others, origin)
            }),
            Keyword::AllOf => branches.try_for_each(|branch| {
                let others = self.cases(branch, Own::Counts, path)?;
                self.multiply(cases, &others, origin)
            }),
            _ => {
                let target = self.reference(member)?;
                let outer = self.context;
                let context = self.references.context(document, target)?;
                self.enter(context);
                let others = self.cases(target.place, Own::Counts, path);
                self.enter(outer);
                self.multiply(cases, &others?, origin)
            }
        }
    }

    /// What the keywords of one schema evaluate by themselves.
    fn own_case(&mut self, parts: &Parts, own: Own) -> Result<Case, SchemaError> {
        let document = self.document;
        let mut case = Case::default();
        for (key, _) in parts[Keyword::Properties]
            .into_iter()
            .flat_map(|value| document.members(value))
        {
            case.names.push(self.name(key));
        }
        for (key, _) in parts[Keyword::PatternProperties]
            .into_iter()
            .flat_map(|value| document.members(value))
        {
            case.patterns.push(self.key_pattern(key)?);
        }
        let nested = own == Own::Counts;
        case.every_key = parts[Keyword::AdditionalProperties].is_some()
            || (nested && parts[Keyword::UnevaluatedProperties].is_some());
        case.every_item = nested && parts[Keyword::UnevaluatedItems].is_some();
        match (parts[Keyword::PrefixItems], parts[Keyword::Items]) {
            (None, Some(items)) if document.kind(items) == Kind::Array => {
                case.places = document.elements(items).count();
                case.every_item |= parts[Keyword::AdditionalItems].is_some();
            }
            (prefix, items) => {
                case.places = prefix.map_or(0, |prefix| document.elements(prefix).count());
                case.every_item |= items.is_some();
            }
        }
        if self.draft >= Draft::Draft202012
            && let Some(contains) = parts[Keyword::Contains]
        {
            case.contained.push(self.later(contains));
        }
        Ok(case)
    }

    /// The cases of the subschema at `value`, which may or may not hold.
    fn branch(&mut self, value: ValueId, path: &mut Way) -> Result<Vec<Case>, SchemaError> {
        // What is asked for here may stand within what it has.
        let set = self.later(value);
        let mut cases = self.cases(value, Own::Counts, path)?;
        for case in &mut cases {
            case.conditions.push(set);
        }
        Ok(cases)
    }

    /// The cases of `if` and of what depends on a key.
    fn conditional_cases(
        &mut self,
        parts: &Parts,
        cases: &mut Vec<Case>,
        origin: ValueId,
        path: &mut Way,
    ) -> Result<(), SchemaError> {
        if let Some(condition) = parts[Keyword::If] {
            let mut met = self.branch(condition, path)?;
            if let Some(then) = parts[Keyword::Then] {
                let then = self.cases(then, Own::Counts, path)?;
                self.multiply(&mut met, &then, origin)?;
            }
            let mut unmet = match parts[Keyword::Else] {
                Some(otherwise) => self.cases(otherwise, Own::Counts, path)?,
                None => vec![Case::default()],
            };
            let set = self.later(condition);
            let not = self.sets.not(set);
            unmet.iter_mut().for_each(|case| case.conditions.push(not));
            met.append(&mut unmet);
            self.multiply(cases, &met, origin)?;
        }
        for (key, value) in self.dependent_schemas(parts) {
            let [_, present] = self.presence(key);
            let mut others = self.cases(value, Own::Counts, path)?;
            others
                .iter_mut()
                .for_each(|case| case.conditions.push(present));
            others.push(Case::default());
            self.multiply(cases, &others, origin)?;
        }
        Ok(())
    }

    /// Replaces `cases` by those of both lists together.
    fn multiply(
        &self,
        cases: &mut Vec<Case>,
        others: &[Case],
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        // A case that evaluates nothing needs no condition, as it frees from no demand.
        let others = others.iter().map(|case| match case.is_bare() {
            true => Case::default(),
            false => case.clone(),
        });
        let others: Vec<Case> = others.collect();
        let mut product: Vec<Case> = Vec::new();
        for case in cases.iter() {
            for other in &others {
                let parts = case.size() + other.size() + product.len();
                self.limits
                    .charge(STEPS_PER_PART * parts)
                    .map_err(pointer::limit(self.document, origin))?;
                let both = case.and(other);
                if !product.contains(&both) {
                    product.push(both);
                }
            }
            LimitError::check("cases of unevaluated values", product.len(), CASES)
                .map_err(pointer::limit(self.document, origin))?;
        }
        *cases = product;
        Ok(())
    }
}
