//! From the members of a schema object to a typed schema.

use std::borrow::Cow;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::draft::Draft;
use super::number::Decimal;
use super::number_set::{Bound, Integrality, NumberSet};
use super::reader::{Document, Kind, ValueId};
use super::schema::{Schema, Sets};
use super::step::Step;
use super::unsupported::Unsupported;
use super::values::{ArraySet, Language, LanguageId, NameId, ObjectSet, Property, SetId, Types};
use super::{SchemaError, pointer, refs};
use crate::base::{LimitError, Limits};
use crate::regular::Dfa;

/// Reads the root of `document`, and all that it reaches, into typed schemas.
pub(super) fn read(document: &Document, limits: &Limits) -> Result<(Sets, SetId), SchemaError> {
    let draft = Draft::of(document)?;
    let mut keywords = Keywords {
        document,
        draft,
        limits,
        sets: Sets::new(draft, document.root()),
        names: FxHashMap::default(),
        literals: FxHashMap::default(),
        patterns: FxHashMap::default(),
        pending: Vec::new(),
    };
    let root = keywords.schema(document.root())?;
    while let Some(target) = keywords.pending.pop() {
        if !keywords.sets.targets.contains_key(&target) {
            let set = keywords.schema(target)?;
            keywords.sets.targets.insert(target, set);
        }
    }
    refs::check_cycles(document, &keywords.sets)?;
    Ok((keywords.sets, root))
}

struct Keywords<'d> {
    document: &'d Document,
    draft: Draft,
    limits: &'d Limits,
    sets: Sets,
    names: FxHashMap<Cow<'d, str>, NameId>,
    literals: FxHashMap<&'d str, ValueId>,
    /// Patterns by their spelling; those that allow all text have no language.
    patterns: FxHashMap<&'d str, Option<LanguageId>>,
    /// Targets of `$ref`, to be read.
    pending: Vec<ValueId>,
}

/// What the array and number keywords of one schema say, before they are put together.
#[derive(Default)]
struct Parts {
    items: Option<ValueId>,
    additional_items: Option<ValueId>,
    prefix_items: Option<ValueId>,
    array_counts: Option<(u32, u32)>,
    minimum: Option<ValueId>,
    maximum: Option<ValueId>,
    exclusive_minimum: Option<ValueId>,
    exclusive_maximum: Option<ValueId>,
    multiple_of: Option<ValueId>,
    integrality: Integrality,
    properties: Option<ValueId>,
    required: Option<ValueId>,
    additional_properties: Option<ValueId>,
    unsupported: Vec<(Unsupported, ValueId)>,
}

impl<'d> Keywords<'d> {
    fn malformed(&self, value: ValueId, reason: &str) -> SchemaError {
        let key = self
            .document
            .key(value)
            .and_then(|key| self.document.string(key));
        let keyword = key.unwrap_or(Cow::Borrowed("schema"));
        SchemaError::malformed(keyword, pointer::of(self.document, value), reason)
    }

    /// The set that the schema at `value` describes.
    fn schema(&mut self, value: ValueId) -> Result<SetId, SchemaError> {
        match self.document.kind(value) {
            Kind::True => Ok(SetId::ANY),
            Kind::False => Ok(SetId::NEVER),
            Kind::Object => {
                let schema = self.members(value)?;
                Ok(self.sets.add(schema, value))
            }
            _ => Err(self.malformed(value, "must be a schema: an object or a boolean")),
        }
    }

    fn schemas(&mut self, value: ValueId) -> Result<Vec<SetId>, SchemaError> {
        let document = self.document;
        if document.kind(value) != Kind::Array {
            return Err(self.malformed(value, "must be an array of schemas"));
        }
        document
            .elements(value)
            .map(|element| self.schema(element))
            .collect()
    }

    fn members(&mut self, object: ValueId) -> Result<Schema, SchemaError> {
        let document = self.document;
        let mut schema = Schema::any();
        if self.draft < Draft::Draft201909 {
            // Its siblings are ignored in these drafts.
            if let Some(reference) = document.get(object, "$ref") {
                schema.reference = Some(self.reference(reference)?);
                return Ok(schema);
            }
        }
        let mut parts = Parts::default();
        for (key, value) in document.members(object) {
            if let Some(name) = document.string(key) {
                self.keyword(&name, value, &mut schema, &mut parts)?;
            }
        }
        schema.number = self.number(&parts, object)?.map(Box::new);
        schema.array = self.array(&parts)?.map(Box::new);
        schema.object = self.object(&parts)?.map(Box::new);
        for (keyword, value) in &parts.unsupported {
            if !keyword.says_nothing(document, object, *value, schema.types) {
                let pointer = pointer::of(document, *value);
                return Err(SchemaError::unsupported(
                    keyword.name,
                    pointer,
                    keyword.reason,
                ));
            }
        }
        Ok(schema)
    }

    fn keyword(
        &mut self,
        name: &str,
        value: ValueId,
        schema: &mut Schema,
        parts: &mut Parts,
    ) -> Result<(), SchemaError> {
        match name {
            "type" => (schema.types, parts.integrality) = self.types(value)?,
            "const" if self.draft > Draft::Draft4 => schema.constant = Some(self.literal(value)),
            "enum" => {
                if self.document.kind(value) != Kind::Array {
                    return Err(self.malformed(value, "must be an array"));
                }
                schema.enumeration = Some(self.literal(value));
            }
            "$ref" => schema.reference = Some(self.reference(value)?),
            "anyOf" => schema.any_of = Some(self.schemas(value)?.into_boxed_slice()),
            "allOf" => schema.all_of.extend(self.schemas(value)?),
            "oneOf" => match self.document.elements(value).count() {
                1 => schema.all_of.extend(self.schemas(value)?),
                _ => parts
                    .unsupported
                    .extend(Unsupported::find(name, self.draft).map(|u| (u, value))),
            },
            "minLength" => schema.string.least = self.count(value)?,
            "maxLength" => schema.string.most = self.count(value)?,
            "pattern" => schema.string.language = self.pattern(value)?,
            "minItems" => parts.array_counts.get_or_insert((0, u32::MAX)).0 = self.count(value)?,
            "maxItems" => parts.array_counts.get_or_insert((0, u32::MAX)).1 = self.count(value)?,
            "items" => parts.items = Some(value),
            "additionalItems" => parts.additional_items = Some(value),
            "prefixItems" => parts.prefix_items = Some(value),
            "minimum" => parts.minimum = Some(value),
            "maximum" => parts.maximum = Some(value),
            "exclusiveMinimum" => parts.exclusive_minimum = Some(value),
            "exclusiveMaximum" => parts.exclusive_maximum = Some(value),
            "multipleOf" => parts.multiple_of = Some(value),
            "properties" => parts.properties = Some(value),
            "required" => parts.required = Some(value),
            "additionalProperties" => parts.additional_properties = Some(value),
            _ => parts
                .unsupported
                .extend(Unsupported::find(name, self.draft).map(|keyword| (keyword, value))),
        }
        Ok(())
    }

    fn types(&self, value: ValueId) -> Result<(Types, Integrality), SchemaError> {
        let mut types = Types::NONE;
        let mut integers = false;
        let mut add = |name: ValueId| {
            types = types.union(match self.document.string(name).as_deref() {
                Some("null") => Types::NULL,
                Some("boolean") => Types::BOOLEAN,
                Some("number") => Types::NUMBER,
                Some("integer") => {
                    integers = true;
                    return Ok(());
                }
                Some("string") => Types::STRING,
                Some("array") => Types::ARRAY,
                Some("object") => Types::OBJECT,
                _ => return Err(self.malformed(value, "must name types of JSON")),
            });
            Ok(())
        };
        match self.document.kind(value) {
            Kind::Array => self.document.elements(value).try_for_each(&mut add)?,
            _ => add(value)?,
        }
        if !integers || types.meets(Types::NUMBER) {
            return Ok((types, Integrality::Any));
        }
        let integrality = match self.draft {
            Draft::Draft4 => Integrality::Digits,
            _ => Integrality::Integer,
        };
        Ok((types.union(Types::NUMBER), integrality))
    }

    fn literal(&mut self, value: ValueId) -> ValueId {
        *self
            .literals
            .entry(self.document.raw(value))
            .or_insert(value)
    }

    fn reference(&mut self, value: ValueId) -> Result<ValueId, SchemaError> {
        let target = refs::target(self.document, self.draft, value)?;
        self.pending.push(target);
        Ok(target)
    }

    fn count(&self, value: ValueId) -> Result<u32, SchemaError> {
        let count = match self.document.kind(value) {
            Kind::Number => Decimal::parse(self.document.raw(value)).as_count(),
            _ => None,
        };
        count.ok_or_else(|| self.malformed(value, "must be a non-negative integer"))
    }

    fn pattern(&mut self, value: ValueId) -> Result<Option<LanguageId>, SchemaError> {
        let document = self.document;
        let Some(pattern) = document.string(value) else {
            return Err(self.malformed(value, "must be a string"));
        };
        if let Some(&known) = self.patterns.get(document.raw(value)) {
            return Ok(known);
        }
        let dfa = Dfa::pattern(&pattern, self.limits).map_err(|error| {
            SchemaError::unsupported("pattern", pointer::of(document, value), error)
        })?;
        let language = (dfa != Dfa::utf8_text()).then(|| {
            self.sets.languages.push(Language {
                dfa: Arc::new(dfa),
                lengths: None,
                origin: value,
            });
            LanguageId::from_usize(self.sets.languages.len() - 1)
        });
        self.patterns.insert(document.raw(value), language);
        Ok(language)
    }

    /// What the keywords for numbers of the schema at `place` allow.
    fn number(&self, parts: &Parts, place: ValueId) -> Result<Option<NumberSet>, SchemaError> {
        let mut set = NumberSet::of_type(parts.integrality);
        let limit = |place: ValueId| {
            move |source: LimitError| SchemaError::Limit {
                pointer: pointer::of(self.document, place),
                source,
            }
        };
        if let Some(value) = parts.multiple_of {
            let step = Step::new(&self.positive(value)?).map_err(limit(value))?;
            let multiples = NumberSet::multiples_of(step);
            set = set.intersect(&multiples).map_err(limit(value))?;
        }
        let mut exclusive = [false; 2];
        let flags = [parts.exclusive_minimum, parts.exclusive_maximum];
        for (side, flag) in flags.into_iter().enumerate() {
            let Some(flag) = flag else { continue };
            match (self.draft, self.document.kind(flag)) {
                (Draft::Draft4, Kind::True) => exclusive[side] = true,
                (Draft::Draft4, Kind::False) => {}
                (Draft::Draft4, _) => return Err(self.malformed(flag, "must be a boolean")),
                _ => self.bound(&mut set, side, flag, false)?,
            }
        }
        for (side, value) in [parts.minimum, parts.maximum].into_iter().enumerate() {
            if let Some(value) = value {
                self.bound(&mut set, side, value, !exclusive[side])?;
            }
        }
        if set == NumberSet::default() {
            return Ok(None);
        }
        set.checked().map_err(limit(place)).map(Some)
    }

    /// A number greater than zero.
    fn positive(&self, value: ValueId) -> Result<Decimal, SchemaError> {
        let number = match self.document.kind(value) {
            Kind::Number => Decimal::parse(self.document.raw(value)),
            _ => Decimal::default(),
        };
        match number > Decimal::default() {
            true => Ok(number),
            false => Err(self.malformed(value, "must be a number greater than 0")),
        }
    }

    /// Applies a lower (side 0) or upper (side 1) bound.
    fn bound(
        &self,
        set: &mut NumberSet,
        side: usize,
        value: ValueId,
        inclusive: bool,
    ) -> Result<(), SchemaError> {
        /// No number that is generated reaches 10^310, nor has a bound more digits than this.
        const DIGITS: usize = 400;
        if self.document.kind(value) != Kind::Number {
            return Err(self.malformed(value, "must be a number"));
        }
        let mut bound = Decimal::parse(self.document.raw(value));
        let far = bound.point > 310;
        if far && bound.negative == (side == 0) {
            return Ok(());
        }
        if far {
            bound = Decimal {
                point: 310,
                digits: smallvec::smallvec![1],
                ..bound
            };
        }
        let digits = bound
            .digits
            .len()
            .saturating_add_signed(-bound.point.min(0) as isize);
        LimitError::check("digits of a bound", digits, DIGITS).map_err(|source| {
            SchemaError::Limit {
                pointer: pointer::of(self.document, value),
                source,
            }
        })?;
        let bound = Bound {
            value: bound,
            inclusive,
        };
        match side {
            0 => set.at_least(bound),
            _ => set.at_most(bound),
        }
        Ok(())
    }

    fn array(&mut self, parts: &Parts) -> Result<Option<ArraySet>, SchemaError> {
        let mut set = ArraySet::ANY;
        if let Some((least, most)) = parts.array_counts {
            (set.least, set.most) = (least, most);
        }
        if self.draft >= Draft::Draft202012 {
            if let Some(prefix) = parts.prefix_items {
                set.prefix = self.schemas(prefix)?;
            }
            if let Some(items) = parts.items {
                set.rest = self.schema(items)?;
            }
        } else if let Some(items) = parts.items {
            if self.document.kind(items) == Kind::Array {
                set.prefix = self.schemas(items)?;
                if let Some(rest) = parts.additional_items {
                    set.rest = self.schema(rest)?;
                }
            } else {
                set.rest = self.schema(items)?;
            }
        }
        Ok((set != ArraySet::ANY).then_some(set))
    }

    fn object(&mut self, parts: &Parts) -> Result<Option<ObjectSet>, SchemaError> {
        let document = self.document;
        let mut set = ObjectSet::ANY;
        if let Some(properties) = parts.properties {
            if document.kind(properties) != Kind::Object {
                return Err(self.malformed(properties, "must be an object of schemas"));
            }
            for (key, value) in document.members(properties) {
                let property = Property {
                    name: self.name(key),
                    set: self.schema(value)?,
                };
                set.properties.push(property);
            }
        }
        if let Some(required) = parts.required {
            if document.kind(required) != Kind::Array {
                return Err(self.malformed(required, "must be an array of property names"));
            }
            for name in document.elements(required) {
                if document.string(name).is_none() {
                    return Err(self.malformed(required, "must be an array of property names"));
                }
                let name = self.name(name);
                if !set.required.contains(&name) {
                    set.required.push(name);
                }
            }
        }
        if let Some(additional) = parts.additional_properties {
            set.additional = self.schema(additional)?;
        }
        Ok((set != ObjectSet::ANY).then_some(set))
    }

    /// The name that is spelt by the string `value`.
    fn name(&mut self, value: ValueId) -> NameId {
        let text = self.document.string(value).unwrap_or_default();
        let next = NameId::from_usize(self.sets.names.len());
        *self.names.entry(text).or_insert_with(|| {
            self.sets.names.push(value);
            next
        })
    }
}
