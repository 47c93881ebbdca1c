//! From the members of a schema object to a typed schema.
//!
//! Each subschema is read once in each scope in which it is reached. Keywords that mean something by
//! themselves are applied at once; those that only mean something together are put into `parts` first, and
//! then read type by type (`number`, `array`, `object`, `content`). Conditions become unions of
//! conjunctions, and what `unevaluated` keywords ask for becomes a union over the cases of what other
//! keywords evaluate. A fault is noted and reading goes on, so that a caller hears of all of them.

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::SmallVec;

use self::parts::Parts;
use super::cycles::check_cycles;
use super::draft::Draft;
use super::error::Faults;
use super::formats::Format;
use super::keyword::Keyword;
use super::number::Decimal;
use super::number_set::Integrality;
use super::reader::{Document, Kind, ValueId};
use super::refs::{Context, References, Target};
use super::schema::{Places, Schema, Sets};
use super::values::{CountedPattern, Language, LanguageId, SetId, StringSet, Types};
use super::{Content, Formats, SchemaConfig, SchemaError, pointer};
use crate::base::{Limits, SmallMap};
use crate::regular::{Dfa, Dialect, Pattern, PatternError, Told};

mod array;
mod content;
mod early;
mod number;
mod object;
mod parts;
mod unevaluated;

/// How deep schemas are read within each other; what is deeper is read later, as what references lead to is.
const DEEP: usize = 24;

/// Reads the root of `document`, and all that it reaches, into typed schemas.
///
/// # Errors
/// The faults of all keywords, each as far as it is read.
pub(super) fn read(
    document: &Document,
    references: References,
    config: &SchemaConfig,
) -> Result<(Box<Sets>, SetId), Faults> {
    let context = references.start();
    let mut keywords = Keywords {
        document,
        draft: context.dialect.draft,
        context,
        references,
        limits: &config.limits,
        formats: config.formats,
        content: config.content,
        regex: config.regex,
        sets: Sets::new(document.root(), &config.limits),
        literals: SmallMap::default(),
        patterns: SmallMap::default(),
        key_patterns: SmallMap::default(),
        known_formats: SmallMap::default(),
        pending: Vec::new(),
        depth: 0,
        faults: None,
    };
    let root = keywords.reached().unwrap_or_else(|fault| {
        keywords.note(fault);
        SetId::ANY
    });
    match keywords.faults {
        None => Ok((keywords.sets, root)),
        Some(faults) => Err(faults),
    }
}

/// The strings of a format, as a union; nothing where it asserts nothing.
type FormatStrings = SmallVec<[StringSet; 2]>;

struct Keywords<'d> {
    document: &'d Document,
    references: References,
    /// What the schema at hand is read by.
    context: Context,
    /// The draft of `context`.
    draft: Draft,
    limits: &'d Limits,
    formats: Formats,
    content: Content,
    regex: Dialect,
    sets: Box<Sets>,
    literals: SmallMap<&'d str, ValueId>,
    /// Patterns by their spelling; those that allow all text have no language.
    patterns: SmallMap<&'d str, StringSet>,
    /// The same for patterns of keys, which have bounds of their own on no length.
    key_patterns: SmallMap<&'d str, Option<LanguageId>>,
    /// The strings of each format.
    known_formats: SmallMap<Cow<'d, str>, FormatStrings>,
    /// Targets of references, to be read.
    pending: Vec<Target>,
    /// How many schemas are being read, each within the one before.
    depth: usize,
    faults: Option<Faults>,
}

impl<'d> Keywords<'d> {
    #[cold]
    fn malformed(&self, value: ValueId, reason: &str) -> SchemaError {
        let key = self
            .document
            .key(value)
            .and_then(|key| self.document.string(key));
        let keyword = key.unwrap_or(Cow::Borrowed("schema"));
        SchemaError::malformed(keyword, pointer::of(self.document, value), reason)
    }

    /// The root's set, with all that it reaches read.
    fn reached(&mut self) -> Result<SetId, SchemaError> {
        let document = self.document;
        let root = self.schema(document.root())?;
        while let Some(target) = self.pending.pop() {
            if self.sets.targets.get(&target).is_none() {
                let context = self.references.context(document, target)?;
                self.enter(context);
                let set = self.schema(target.place)?;
                self.sets.targets.insert(target, set);
            }
        }
        check_cycles(document, &self.sets)?;
        self.sets.shorten_references();
        Ok(root)
    }

    #[cold]
    fn note(&mut self, fault: SchemaError) {
        match &mut self.faults {
            Some(faults) => faults.add(fault),
            None => self.faults = Some(fault.into()),
        }
    }

    /// What was read. A fault is noted, and the rest is read all the same; limits alone end it.
    fn noted<T: Default>(&mut self, read: Result<T, SchemaError>) -> Result<T, SchemaError> {
        match read {
            Err(fault) if !matches!(fault, SchemaError::Limit { .. }) => {
                self.note(fault);
                Ok(T::default())
            }
            read => read,
        }
    }

    /// The set that the schema at `value` describes.
    fn schema(&mut self, value: ValueId) -> Result<SetId, SchemaError> {
        match self.document.kind(value) {
            Kind::True => Ok(SetId::ANY),
            Kind::False => Ok(SetId::NEVER),
            Kind::Object if self.depth == DEEP => Ok(self.later(value)),
            Kind::Object => {
                let outer = self.context;
                let context = self.references.enter(self.document, value, outer)?;
                self.enter(context);
                self.depth += 1;
                let schema = self.members(value)?;
                self.depth -= 1;
                self.enter(outer);
                let set = self.sets.add(schema, value);
                self.sets.places.push((value, set));
                Ok(set)
            }
            _ => Err(self.malformed(value, "must be a schema: an object or a boolean")),
        }
    }

    /// Goes on reading by `context`.
    fn enter(&mut self, context: Context) {
        self.context = context;
        self.draft = context.dialect.draft;
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

    /// The schemas of an array that must not be empty.
    fn some_schemas(&mut self, value: ValueId) -> Result<Vec<SetId>, SchemaError> {
        let sets = self.schemas(value)?;
        match sets.is_empty() {
            true => Err(self.malformed(value, "must be an array of schemas, not an empty one")),
            false => Ok(sets),
        }
    }

    /// What the schema object says. Its faults are noted, and only limits are errors.
    fn members(&mut self, object: ValueId) -> Result<Schema, SchemaError> {
        let document = self.document;
        let mut schema = Schema::any();
        if self.draft.references_stand_alone()
            && let Some(reference) = document.get(object, "$ref")
        {
            let target = self.reference(reference).map(Some);
            schema.reference = self.noted(target)?;
            return Ok(schema);
        }
        let (mut parts, dialect) = (Parts::default(), self.context.dialect);
        for (key, value) in document.members(object) {
            let keyword = document.string(key).and_then(|name| Keyword::find(&name));
            // It is only asked beside an array of `items`, which means what it did whatever the draft.
            let is_read =
                |&keyword: &Keyword| dialect.has(keyword) || keyword == Keyword::AdditionalItems;
            if let Some(keyword) = keyword.filter(is_read) {
                let read = self.keyword(keyword, value, &mut schema, &mut parts);
                self.noted(read)?;
            }
        }
        if self.draft == Draft::OpenApi30 {
            self.nullable(object, &mut schema);
        }
        self.own(&parts, object, &mut schema)?;
        if parts.stand_beside() {
            self.beside(&parts, object, &mut schema)?;
        }
        Ok(schema)
    }

    /// What the keywords for numbers, arrays and objects say, where there are any.
    ///
    /// PERF: this, and what else of [`Keywords`] is never inlined, has a frame of its own, which is mostly not on the stack while
    /// schemas within are read: of the lines that no cache of 512 KB has, a compile writes 247 instead of 346 (benches/LOG.md).
    #[inline(never)]
    fn own(
        &mut self,
        parts: &Parts,
        object: ValueId,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        if parts.integrality != Integrality::Any || parts.are_about(Types::NUMBER) {
            let number = self.number(parts, object);
            schema.number = self.noted(number)?;
        }
        if parts.are_about(Types::ARRAY) {
            let array = self.array(parts);
            schema.array = self.noted(array)?;
        }
        if parts.are_about(Types::OBJECT) {
            let keywords = self.object(parts);
            schema.object = self.noted(keywords)?;
        }
        Ok(())
    }

    /// What formats, conditions, dependents, `unevaluated` and contents say, which stand beside all else.
    #[inline(never)]
    fn beside(
        &mut self,
        parts: &Parts,
        object: ValueId,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        if let Some(format) = parts[Keyword::Format].filter(|_| schema.types.meets(Types::STRING)) {
            let strings = self.format(format);
            let strings = self.noted(strings)?;
            self.add_format(format, &strings, schema);
        }
        let condition = self.condition(parts, object, schema);
        self.noted(condition)?;
        if parts.are_about(Types::OBJECT) {
            let dependents = self.dependents(parts, schema);
            self.noted(dependents)?;
        }
        if parts.are_about(Types::OBJECT.union(Types::ARRAY)) {
            let unevaluated = self.unevaluated(parts, object, schema);
            self.noted(unevaluated)?;
        }
        let content = self.content(parts, schema);
        self.noted(content)
    }

    #[inline(never)]
    fn keyword(
        &mut self,
        keyword: Keyword,
        value: ValueId,
        schema: &mut Schema,
        parts: &mut Parts,
    ) -> Result<(), SchemaError> {
        match keyword {
            Keyword::Type if self.draft == Draft::Draft3 => {
                self.early_type(value, schema, parts)?
            }
            Keyword::Disallow => self.disallow(value, schema)?,
            Keyword::Extends => self.extends(value, schema)?,
            Keyword::DivisibleBy => parts.set(Keyword::MultipleOf, value),
            Keyword::Type => (schema.types, parts.integrality) = self.types(value)?,
            Keyword::Const => schema.constant = Some(self.literal(value)),
            Keyword::Enum => {
                if self.document.kind(value) != Kind::Array {
                    return Err(self.malformed(value, "must be an array"));
                }
                schema.enumeration = Some(self.literal(value));
            }
            Keyword::Ref | Keyword::RecursiveRef | Keyword::DynamicRef => {
                let target = self.reference(value)?;
                let behind = schema.all_of.len();
                schema.places.reference = match parts[Keyword::Properties] {
                    None => Places::reference_before_own(behind),
                    Some(_) => Places::reference_behind_own(behind),
                };
                if let Some(other) = schema.reference.replace(target) {
                    let mut alone = Schema::any();
                    alone.reference = Some(other);
                    schema.all_of.push(self.sets.add(alone, value));
                }
            }
            Keyword::AnyOf => {
                let sets = self.some_schemas(value)?;
                schema.all_of.push(self.sets.any(sets, value));
            }
            Keyword::OneOf => {
                let sets = self.some_schemas(value)?;
                schema.all_of.push(self.sets.one(sets, value));
            }
            Keyword::AllOf => schema.all_of.extend(self.some_schemas(value)?),
            Keyword::Not => {
                let set = self.schema(value)?;
                schema.all_of.push(self.sets.not(set));
            }
            Keyword::MinLength => {
                let least = self.count(value)?;
                schema.string.least = schema.string.least.max(least);
            }
            Keyword::MaxLength => {
                let most = self.count(value)?;
                schema.string.most = schema.string.most.min(most);
            }
            Keyword::Pattern => {
                let strings = self.pattern(value)?;
                schema.string.language = strings.language;
                schema.string.least = schema.string.least.max(strings.least);
                schema.string.most = schema.string.most.min(strings.most);
            }
            other => {
                if other == Keyword::Properties {
                    schema.places.own = Places::own_behind(schema.all_of.len());
                }
                parts.set(other, value);
            }
        }
        Ok(())
    }

    /// `if`, `then` and `else`.
    fn condition(
        &mut self,
        parts: &Parts,
        object: ValueId,
        schema: &mut Schema,
    ) -> Result<(), SchemaError> {
        let Some(condition) = parts[Keyword::If] else {
            return Ok(());
        };
        let [then, otherwise] = [parts[Keyword::Then], parts[Keyword::Else]]
            .map(|part| part.map_or(Ok(SetId::ANY), |value| self.schema(value)));
        let (then, otherwise) = (then?, otherwise?);
        if (then, otherwise) != (SetId::ANY, SetId::ANY) {
            let met = self.schema(condition)?;
            let unmet = self.sets.not(met);
            let sets = vec![
                self.all(&[met, then], object),
                self.all(&[unmet, otherwise], object),
            ];
            schema.all_of.push(self.sets.any(sets, object));
        }
        Ok(())
    }

    /// What all of `sets` have in common, references in them not being read yet.
    fn all(&mut self, sets: &[SetId], origin: ValueId) -> SetId {
        let members = sets.iter().copied().filter(|&set| set != SetId::ANY);
        let members: SmallVec<[SetId; 1]> = members.collect();
        match members.as_slice() {
            [] => SetId::ANY,
            _ if members.contains(&SetId::NEVER) => SetId::NEVER,
            &[set] => set,
            _ => self.sets.add(
                Schema {
                    all_of: members,
                    ..Schema::any()
                },
                origin,
            ),
        }
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
        let integrality = match self.draft.tells_spellings() {
            true => Integrality::Digits,
            false => Integrality::Integer,
        };
        Ok((types.union(Types::NUMBER), integrality))
    }

    fn literal(&mut self, value: ValueId) -> ValueId {
        let raw = self.document.raw(value);
        if let Some(&known) = self.literals.get(&raw) {
            return known;
        }
        self.literals.insert(raw, value);
        value
    }

    fn reference(&mut self, value: ValueId) -> Result<Target, SchemaError> {
        let scope = self.context.scope;
        let target = self.references.target(self.document, value, scope)?;
        self.pending.push(target);
        Ok(target)
    }

    /// The schema at `place`, to be read in the scope at hand when its turn comes.
    fn deferred(&mut self, place: ValueId) -> Target {
        let scope = self.context.scope;
        let target = Target { place, scope };
        self.pending.push(target);
        target
    }

    /// The set of the subschema at `value`, which is read when its turn comes, as what references lead to is.
    fn later(&mut self, value: ValueId) -> SetId {
        let reference = Some(self.deferred(value));
        let schema = Schema {
            reference,
            ..Schema::any()
        };
        self.sets.add(schema, value)
    }

    fn count(&self, value: ValueId) -> Result<u32, SchemaError> {
        let count = match self.document.kind(value) {
            Kind::Number => Decimal::parse(self.document.raw(value)).as_count(),
            _ => None,
        };
        count.ok_or_else(|| self.malformed(value, "must be a non-negative integer"))
    }

    /// The strings that a pattern matches.
    fn pattern(&mut self, value: ValueId) -> Result<StringSet, SchemaError> {
        let document = self.document;
        if let Some(&known) = self.patterns.get(&document.raw(value)) {
            return Ok(known);
        }
        let (text, read) = self.read_pattern(value)?;
        let bounded = read.bounded(self.limits);
        let bounded = bounded.map_err(|error| self.refused(value, &text, &error))?;
        let language = match bounded.texts {
            Told::Automaton(dfa) => (dfa != Dfa::utf8_text()).then(|| Language::new(dfa, value)),
            Told::Counted(counted) => {
                let mut language = Language::new(Dfa::utf8_text(), value);
                language.counted = Some(CountedPattern {
                    texts: Arc::new(counted),
                    pattern: text.into(),
                    dialect: self.regex,
                });
                Some(language)
            }
        };
        let strings = StringSet {
            least: bounded.least,
            most: bounded.most,
            language: language.map(|language| self.sets.add_language(language)),
            content: None,
        };
        self.check_languages(value)?;
        self.patterns.insert(document.raw(value), strings);
        Ok(strings)
    }

    /// Whether all languages so far are not too large together.
    fn check_languages(&self, value: ValueId) -> Result<(), SchemaError> {
        let within = self.sets.check_languages(self.limits);
        within.map_err(|source| SchemaError::Limit {
            pointer: pointer::of(self.document, value),
            source,
        })
    }

    /// The keys that a pattern matches, `None` for all.
    fn key_pattern(&mut self, value: ValueId) -> Result<Option<LanguageId>, SchemaError> {
        let document = self.document;
        if let Some(&known) = self.key_patterns.get(&document.raw(value)) {
            return Ok(known);
        }
        let (text, read) = self.read_pattern(value)?;
        let dfa = read.search(self.limits);
        let dfa = dfa.map_err(|error| self.refused(value, &text, &error))?;
        let language =
            (dfa != Dfa::utf8_text()).then(|| self.sets.add_language(Language::new(dfa, value)));
        self.check_languages(value)?;
        self.key_patterns.insert(document.raw(value), language);
        Ok(language)
    }

    fn read_pattern(&self, value: ValueId) -> Result<(Cow<'d, str>, Pattern), SchemaError> {
        let Some(text) = self.document.string(value) else {
            return Err(self.malformed(value, "must be a string"));
        };
        let read = Pattern::parse(&text, self.regex, self.limits);
        let read = read.map_err(|error| self.refused(value, &text, &error))?;
        Ok((text, read))
    }

    #[cold]
    fn refused(&self, value: ValueId, pattern: &str, error: &PatternError) -> SchemaError {
        if let Some(limit) = error.out_of_work() {
            return pointer::limit(self.document, value)(limit.clone());
        }
        let pointer = pointer::of(self.document, value);
        SchemaError::unsupported("pattern", pointer, error).showing(error.excerpt(pattern))
    }

    /// Leaves of the strings of `schema` those of a format, which is asked for at `place`.
    fn add_format(&mut self, place: ValueId, strings: &[StringSet], schema: &mut Schema) {
        match strings {
            [] => {}
            [only] if schema.string.language.is_none() => {
                schema.string.language = only.language;
                schema.string.most = schema.string.most.min(only.most);
            }
            _ => {
                let sets = strings.iter().map(|&string| {
                    let others = Schema::any();
                    self.sets.add(Schema { string, ..others }, place)
                });
                let sets = sets.collect();
                schema.all_of.push(self.sets.any(sets, place));
            }
        }
    }

    fn format(&mut self, value: ValueId) -> Result<FormatStrings, SchemaError> {
        let Some(name) = self.document.string(value) else {
            return Err(self.malformed(value, "must be a string"));
        };
        if self.formats == Formats::Ignore {
            return Ok(FormatStrings::new());
        }
        if let Some(known) = self.known_formats.get(&name) {
            return Ok(known.clone());
        }
        let mut parts = FormatStrings::new();
        for format in Format::find(&name, self.draft) {
            let language = format.language(value, self.limits);
            let language = language.map_err(pointer::limit(self.document, value))?;
            parts.push(StringSet {
                least: 0,
                most: format.most,
                language: Some(self.sets.add_language(language)),
                content: None,
            });
        }
        if parts.is_empty() {
            self.sets.unknown_formats.insert(name.to_string());
        }
        self.known_formats.insert(name, parts.clone());
        Ok(parts)
    }
}
