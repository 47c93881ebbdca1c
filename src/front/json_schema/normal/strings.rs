//! Strings and the languages that are made of others.

use std::sync::Arc;

use super::{Normaliser, Operation};
use crate::base::LimitError;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::StringId;
use crate::front::json_schema::values::{Extent, Language, LanguageId, SetId, StringSet, Wider};
use crate::front::json_schema::{SchemaError, pointer, reader::Kind};
use crate::regular::{Dfa, Nesting, Pattern};

/// What is made of two languages.
enum Made {
    Flat(Dfa),
    Nested(Nesting),
}

impl Normaliser<'_> {
    pub(super) fn add_string(
        &mut self,
        mut set: StringSet,
        origin: ValueId,
    ) -> Result<Option<StringId>, SchemaError> {
        if set.least > set.most {
            return Ok(None);
        }
        if set.content.is_some() {
            return self.add_content(set, origin);
        }
        if self.is_implied(&set) {
            set.least = 0;
        }
        self.lift_least(&mut set, origin)?;
        if let Some(id) = set.language.filter(|_| set.is_bounded()) {
            match self.is_counted_within(id, &set) {
                None => set.language = Some(self.flat(id, set.most, origin)?),
                Some(true) => return Ok(Some(StringId::new(self.model.strings.intern(set).0))),
                Some(false) if self.model.language(id).counted.is_some() => return Ok(None),
                Some(false) => {}
            }
        }
        if let Some(id) = set.language {
            let limits = self.limits;
            if self.model.language(id).dfa.is_empty() {
                self.doubt(id, &set, origin)?;
                return Ok(None);
            }
            if let Some(nesting) = self.model.language(id).nesting.clone() {
                let rest = nesting.rest(nesting.start());
                if rest.is_none_or(|rest| rest > set.most) {
                    self.doubt(id, &set, origin)?;
                    return Ok(None);
                }
            } else if set.is_bounded() {
                let language = &mut self.model.sets.languages[id.index()];
                if language.lengths.is_none() {
                    let lengths = language.dfa.lengths(limits);
                    language.lengths = match lengths {
                        Ok(lengths) => Some(Arc::new(lengths)),
                        Err(source) => return Err(self.limit(origin, source)),
                    };
                }
                let language = &self.model.sets.languages[id.index()];
                let most = (set.most < u32::MAX).then_some(u64::from(set.most));
                let start = language.dfa.start();
                let lengths = language.lengths.as_ref();
                if !lengths.is_some_and(|l| l.can_finish(start, u64::from(set.least), most)) {
                    self.doubt(id, &set, origin)?;
                    return Ok(None);
                }
            }
        }
        Ok(Some(StringId::new(self.model.strings.intern(set).0)))
    }

    /// Whether no string of the language is shorter than the least length that is asked for.
    ///
    /// PERF: within `^(\S+\s+){0,49}\S+$` of 1 to 500 characters a mask takes 3 ms for 20, and the median of MaskBench's compiles is 0.92
    /// to 0.95 of before (benches/LOG.md).
    fn is_implied(&self, set: &StringSet) -> bool {
        let Some(id) = set.language.filter(|_| set.least > 0) else {
            return false;
        };
        let language = self.model.language(id);
        // What only some take for a member of a format may be shorter than those that all do.
        let shortest = match (&language.nesting, &language.counted) {
            _ if !matches!(language.extent, Extent::Exact) => None,
            (Some(nesting), _) => nesting.rest(nesting.start()).map(u64::from),
            (_, Some(counted)) => Some(counted.texts.shortest(counted.texts.start())),
            (None, None) => language.dfa.shortest_length().map(u64::from),
        };
        shortest.is_some_and(|shortest| shortest >= u64::from(set.least))
    }

    /// Where strings that nest have not all lengths, makes a least length a condition beside them.
    fn lift_least(&mut self, set: &mut StringSet, origin: ValueId) -> Result<(), SchemaError> {
        let Some(id) = set.language.filter(|_| set.least > 0) else {
            return Ok(());
        };
        let nesting = self.model.language(id).nesting.as_ref();
        if nesting.is_some_and(|nesting| !nesting.is_upward_closed()) {
            let long = Dfa::regex_full(&format!("[^]{{{},}}", set.least), self.limits);
            let long = long.map_err(|error| {
                let pointer = pointer::of(&self.model.document, origin);
                SchemaError::unsupported("minLength", pointer, error)
            })?;
            let long = self.intern_language(long, origin);
            set.language = Some(self.derive(Operation::Intersection, id, long)?);
            set.least = 0;
        }
        Ok(())
    }

    /// Whether a language counts strings within the bounds of `set`; `None` where it takes an automaton to
    /// tell.
    fn is_counted_within(&self, id: LanguageId, set: &StringSet) -> Option<bool> {
        /// Strings may be so few that somebody counts them.
        const SHORT: u32 = 32;
        let Some(counted) = &self.model.language(id).counted else {
            return Some(false);
        };
        let texts = &counted.texts;
        let room = u64::from(set.most - set.least);
        if set.most < SHORT || room < texts.gap() {
            return None;
        }
        let most = (set.most < u32::MAX).then_some(u64::from(set.most));
        Some(texts.can_finish(texts.start(), u64::from(set.least), most))
    }

    /// The same language, as far as strings of at most `most` code points go, told by an automaton alone where it
    /// is counted.
    fn flat(
        &mut self,
        id: LanguageId,
        most: u32,
        origin: ValueId,
    ) -> Result<LanguageId, SchemaError> {
        let language = self.model.language(id);
        let Some(counted) = &language.counted else {
            return Ok(id);
        };
        if let Some(&known) = self.flattened.get(&(id, most)) {
            return Ok(known);
        }
        let place = language.origin;
        let text = counted.pattern.clone();
        let read = Pattern::parse(&text, counted.dialect, self.limits);
        let dfa = read.and_then(|read| read.within(most).search(self.limits));
        let dfa = dfa.map_err(|error| {
            if let Some(limit) = error.out_of_work() {
                return pointer::limit(&self.model.document, place)(limit.clone());
            }
            let places = [place, origin].map(|place| pointer::of(&self.model.document, place));
            let [pointer, with] = places;
            let reason = format!("{error}, which it takes together with {with}");
            let refused = SchemaError::unsupported("pattern", pointer, reason);
            refused.showing(error.excerpt(&text))
        })?;
        let flat = self.intern_language(dfa, place);
        self.flattened.insert((id, most), flat);
        Ok(flat)
    }

    /// Notes that a set without members may have some that only some take for ones of a format.
    fn doubt(
        &mut self,
        id: LanguageId,
        set: &StringSet,
        origin: ValueId,
    ) -> Result<(), SchemaError> {
        if let Extent::Exact = self.model.language(id).extent {
            return Ok(());
        }
        let may_have = match self.wider(id, origin)? {
            None => true,
            Some(wider) => {
                let lengths = wider.lengths(self.limits);
                let lengths = lengths.map_err(|source| self.limit(origin, source))?;
                let most = (set.most < u32::MAX).then_some(u64::from(set.most));
                lengths.can_finish(wider.start(), u64::from(set.least), most)
            }
        };
        if may_have {
            self.doubtful.get_or_insert(origin);
        }
        Ok(())
    }

    pub(super) fn both_strings(
        &mut self,
        a: StringId,
        b: StringId,
        origin: ValueId,
    ) -> Result<Option<StringId>, SchemaError> {
        if a == b {
            return Ok(Some(a));
        }
        let (a, b) = (*self.model.string(a), *self.model.string(b));
        let most = a.most.min(b.most);
        let language = match (a.language, b.language) {
            (Some(a), Some(b)) if a != b => {
                let [a, b] = [self.flat(a, most, origin)?, self.flat(b, most, origin)?];
                Some(self.derive(Operation::Intersection, a.min(b), a.max(b))?)
            }
            (a, b) => a.or(b),
        };
        let content = match (a.content, b.content) {
            (Some(a), Some(b)) => Some(self.model.sets.both(a, b)),
            (a, b) => a.or(b),
        };
        let set = StringSet {
            least: a.least.max(b.least),
            most: a.most.min(b.most),
            language,
            content,
        };
        self.add_string(set, origin)
    }

    /// How what is made of two languages compares with what it stands for. What is outside of a
    /// narrower one is refused.
    fn extent_of(
        &self,
        operation: Operation,
        a: LanguageId,
        b: LanguageId,
        origin: ValueId,
    ) -> Result<Extent, SchemaError> {
        let [of_a, of_b] = [a, b].map(|id| &self.model.language(id).extent);
        let most = match (operation, of_a, of_b) {
            (_, Extent::Exact, Extent::Exact) => return Ok(Extent::Exact),
            (Operation::Difference, _, Extent::Narrower { .. }) => {
                return Err(self.unknown(origin));
            }
            (Operation::Intersection, Extent::Narrower { most, .. }, Extent::Exact)
            | (Operation::Intersection, Extent::Exact, Extent::Narrower { most, .. }) => *most,
            (
                Operation::Intersection,
                Extent::Narrower { most: one, .. },
                Extent::Narrower { most: other, .. },
            ) => *one.min(other),
            _ => u32::MAX,
        };
        let wider = match operation {
            Operation::Intersection => match (self.wider(a, origin)?, self.wider(b, origin)?) {
                (Some(a), Some(b)) => {
                    let both = a.intersect(&b, self.limits);
                    Some(Arc::new(both.map_err(|source| self.limit(origin, source))?))
                }
                (one, other) => one.or(other),
            },
            _ => None,
        };
        let wider = wider.map_or(Wider::Unknown, Wider::Language);
        Ok(Extent::Narrower { wider, most })
    }

    /// All strings that anybody takes for ones of the language, and some more; `None` where that is
    /// not known.
    fn wider(&self, id: LanguageId, origin: ValueId) -> Result<Option<Arc<Dfa>>, SchemaError> {
        let language = self.model.language(id);
        let Extent::Narrower { wider, .. } = &language.extent else {
            return Ok(Some(language.dfa.clone()));
        };
        match wider {
            Wider::Unknown => Ok(None),
            Wider::Language(dfa) => Ok(Some(dfa.clone())),
            Wider::Pattern(pattern) => match Dfa::regex_full(pattern, self.limits) {
                Ok(dfa) => Ok(Some(Arc::new(dfa))),
                Err(error) => {
                    let pointer = pointer::of(&self.model.document, origin);
                    Err(SchemaError::unsupported("format", pointer, error))
                }
            },
        }
    }

    /// Whether some strings that are not of a language may count as ones.
    pub(super) fn is_narrow(&self, id: LanguageId) -> bool {
        !matches!(self.model.language(id).extent, Extent::Exact)
    }

    pub(super) fn unknown(&self, origin: ValueId) -> SchemaError {
        SchemaError::unsupported(
            "format",
            pointer::of(&self.model.document, origin),
            "no strings are generated that only some take for ones of this format, and others are needed or cannot be told",
        )
    }

    /// The strings that surely are not of the language.
    fn outside(&mut self, id: LanguageId, origin: ValueId) -> Result<LanguageId, SchemaError> {
        let all = self.all_text(origin);
        let id = self.flat(id, u32::MAX, origin)?;
        let language = self.model.language(id);
        if matches!(language.extent, Extent::Exact) {
            return self.derive(Operation::Difference, all, id);
        }
        let key = (Operation::Difference, all, id);
        if let Some(&known) = self.derived.get(&key) {
            return Ok(known);
        }
        let place = language.origin;
        let wider = self.wider(id, place)?;
        let wider = wider.ok_or_else(|| self.unknown(place))?;
        let dfa = Dfa::utf8_text().difference(&wider, self.limits);
        let dfa = dfa.map_err(|source| self.limit(place, source))?;
        let mut outside = Language::new(dfa, place);
        outside.extent = Extent::Narrower {
            wider: Wider::Unknown,
            most: u32::MAX,
        };
        let outside = self.model.sets.add_language(outside);
        self.derived.insert(key, outside);
        Ok(outside)
    }

    /// The strings that are not in `set`.
    pub(super) fn string_complement(
        &mut self,
        set: StringSet,
        origin: ValueId,
    ) -> Result<Vec<StringId>, SchemaError> {
        let mut parts = Vec::new();
        if let Some(below) = set.least.checked_sub(1) {
            parts.push(StringSet {
                most: below,
                ..StringSet::ANY
            });
        }
        let own = set
            .language
            .map(|language| &self.model.language(language).extent);
        let is_own = matches!(own, Some(Extent::Narrower { most, .. }) if set.most >= *most);
        if set.most < u32::MAX && !is_own {
            parts.push(StringSet {
                least: set.most + 1,
                ..StringSet::ANY
            });
        }
        if let Some(language) = set.language {
            parts.push(StringSet {
                language: Some(self.outside(language, origin)?),
                ..StringSet::ANY
            });
        }
        if let Some(content) = set.content {
            parts.extend(self.outside_content(content, origin)?);
        }
        let mut ids = Vec::new();
        for part in parts {
            ids.extend(self.add_string(part, origin)?);
        }
        Ok(ids)
    }

    /// The language of the strings among the members of `set`, `None` for that of all strings.
    pub(super) fn language_of(
        &mut self,
        set: SetId,
        origin: ValueId,
    ) -> Result<Option<LanguageId>, SchemaError> {
        let names = set;
        let all = self.normalise(set)?;
        let document = &self.model.document;
        let literals: Vec<String> = all
            .literals
            .iter()
            .filter_map(|&value| document.string(value))
            .map(|text| text.into_owned())
            .collect();
        let mut language = self.of_literals(&literals, origin)?;
        for &id in &all.strings {
            let set = *self.model.string(id);
            if set.content.is_some() {
                let origin = self.model.sets.origin(names);
                return Err(self.refuse_content(origin, "keys cannot be held to be JSON"));
            }
            let mut part = match set.language {
                Some(language) => language,
                None if !set.is_bounded() => return Ok(None),
                None => self.all_text(origin),
            };
            if set.is_bounded() {
                let most = match set.most {
                    u32::MAX => String::new(),
                    most => most.to_string(),
                };
                let pattern = format!("[^]{{{},{most}}}", set.least);
                let dfa = Dfa::regex_full(&pattern, self.limits).map_err(|error| {
                    SchemaError::unsupported(
                        "propertyNames",
                        pointer::of(&self.model.document, origin),
                        error,
                    )
                })?;
                let lengths = self.intern_language(dfa, origin);
                part = self.derive(Operation::Intersection, part, lengths)?;
            }
            language = self.derive(Operation::Union, language, part)?;
        }
        let all_text = self.all_text(origin);
        Ok((language != all_text).then_some(language))
    }

    /// The language of some texts.
    pub(super) fn of_literals(
        &mut self,
        texts: &[impl AsRef<str>],
        origin: ValueId,
    ) -> Result<LanguageId, SchemaError> {
        let texts = texts.iter().map(|text| text.as_ref().as_bytes());
        let dfa = Dfa::literals(texts, self.limits);
        let dfa = dfa.map_err(|source| self.limit(origin, source))?;
        Ok(self.intern_language(dfa, origin))
    }

    /// The language of all strings.
    pub(super) fn all_text(&mut self, origin: ValueId) -> LanguageId {
        self.intern_language(Dfa::utf8_text(), origin)
    }

    /// The number of a language; equal ones have one, since automata are canonical.
    fn intern_language(&mut self, dfa: Dfa, origin: ValueId) -> LanguageId {
        let mut languages = self.model.sets.languages.iter();
        match languages.position(|language| {
            language.is_flat() && matches!(language.extent, Extent::Exact) && *language.dfa == dfa
        }) {
            Some(known) => LanguageId::from_usize(known),
            None => self.model.sets.add_language(Language::new(dfa, origin)),
        }
    }

    pub(super) fn derive(
        &mut self,
        operation: Operation,
        a: LanguageId,
        b: LanguageId,
    ) -> Result<LanguageId, SchemaError> {
        if let Some(&known) = self.derived.get(&(operation, a, b)) {
            return Ok(known);
        }
        let origin = self.model.language(b).origin;
        let key = (operation, a, b);
        let [a, b] = [
            self.flat(a, u32::MAX, origin)?,
            self.flat(b, u32::MAX, origin)?,
        ];
        if operation == Operation::Union {
            let is_nothing = |id| {
                let language = self.model.language(id);
                language.dfa.is_empty() && matches!(language.extent, Extent::Exact)
            };
            match [a, b].map(is_nothing) {
                [true, _] => return Ok(b),
                [_, true] => return Ok(a),
                _ => {}
            }
        }
        let made = self.combined(operation, a, b)?;
        let extent = self.extent_of(operation, a, b, origin)?;
        let id = match (made, &extent) {
            (Made::Flat(dfa), Extent::Exact) => self.intern_language(dfa, origin),
            (made, _) => {
                let mut language = match made {
                    Made::Flat(dfa) => Language::new(dfa, origin),
                    Made::Nested(nesting) => Language::nested(nesting, origin),
                };
                language.extent = extent;
                self.model.sets.add_language(language)
            }
        };
        self.derived.insert(key, id);
        Ok(id)
    }

    /// What is made of two languages, neither of which is counted. Where strings nest, what they share with
    /// others, and what they have besides others, is a condition beside them.
    fn combined(
        &self,
        operation: Operation,
        a: LanguageId,
        b: LanguageId,
    ) -> Result<Made, SchemaError> {
        let [left, right] = [a, b].map(|id| self.model.language(id));
        let origin = right.origin;
        let limit = |source| self.limit(origin, source);
        let apply = |a: &Dfa, b: &Dfa| match operation {
            Operation::Intersection => a.intersect(b, self.limits),
            Operation::Union => a.union(b, self.limits),
            Operation::Difference => a.difference(b, self.limits),
        };
        let (nesting, beside) = match (operation, &left.nesting, &right.nesting) {
            (_, None, None) => {
                let flat = apply(&left.dfa, &right.dfa).map_err(limit)?;
                return Ok(Made::Flat(flat));
            }
            (_, Some(one), Some(other)) if one.level() == other.level() => {
                (one, apply(one.beside(), other.beside()))
            }
            (Operation::Intersection, Some(nesting), None) => {
                (nesting, apply(nesting.beside(), &right.dfa))
            }
            (Operation::Intersection, None, Some(nesting)) => {
                (nesting, apply(nesting.beside(), &left.dfa))
            }
            (Operation::Difference, Some(nesting), None) => {
                (nesting, apply(nesting.beside(), &right.dfa))
            }
            _ => return Err(self.nested(origin)),
        };
        let beside = beside.map_err(limit)?;
        self.nested_beside(nesting.level().clone(), beside)
            .map_err(limit)
    }

    /// The strings that nest so and are of `beside`: by an automaton alone, where none of them can have a group
    /// or they are few.
    fn nested_beside(&self, level: Arc<Dfa>, beside: Dfa) -> Result<Made, LimitError> {
        /// So few strings are tried one by one.
        const FEW: usize = 1 << 12;
        let both = Nesting::new(level, Arc::new(beside), self.limits)?;
        if both.is_empty() {
            return Dfa::literals([], self.limits).map(Made::Flat);
        }
        if let Some(mut members) = both.beside().members(FEW) {
            members.retain(|text| std::str::from_utf8(text).is_ok_and(|text| both.contains(text)));
            let texts = members.iter().map(Vec::as_slice);
            return Dfa::literals(texts, self.limits).map(Made::Flat);
        }
        let flat = both.flat(self.limits)?;
        Ok(flat.map_or(Made::Nested(both), Made::Flat))
    }

    fn nested(&self, origin: ValueId) -> SchemaError {
        const REASON: &str =
            "strings of the format `regex` nest, and cannot be one set with others that do not";
        let pointer = pointer::of(&self.model.document, origin);
        SchemaError::unsupported("format", pointer, REASON)
    }

    /// The strings among some values of the document.
    pub(super) fn string_literals(&self, values: &[ValueId]) -> Vec<String> {
        let document = &self.model.document;
        let strings = values.iter().filter(|&&value| {
            matches!(
                document.kind(value),
                Kind::PlainString | Kind::EscapedString
            )
        });
        strings
            .filter_map(|&value| document.string(value))
            .map(|text| text.into_owned())
            .collect()
    }
}
