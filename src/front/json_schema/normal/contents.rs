//! Strings that are JSON texts: what stands in them is a set of values again.

use super::Normaliser;
use crate::base::graph;
use crate::front::json_schema::model::Model;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::{Extent, Language, SetId, StringId, StringSet, Wider};
use crate::front::json_schema::{SchemaError, pointer};
use crate::regular::Dfa;

/// How deep JSON texts may stand in strings of JSON texts: a backslash of the innermost is 2 to this power of them in
/// the outermost.
const DEEPEST: usize = 4;

/// What a text begins with that is no JSON, or all of it.
const NO_JSON: &str = r#"[ \t\n\r]*(?:[^ \t\n\r\[{"\-0-9tfn][^]*)?"#;

impl Normaliser<'_> {
    /// A set of JSON texts, which nothing else is asked of.
    pub(super) fn add_content(
        &mut self,
        mut set: StringSet,
        origin: ValueId,
    ) -> Result<Option<StringId>, SchemaError> {
        // Each has a character.
        if set.least <= 1 {
            set.least = 0;
        }
        if set.content == Some(SetId::NEVER) || set.most == 0 {
            return Ok(None);
        }
        if set.is_bounded() || set.language.is_some() {
            let reason = "it cannot be asserted together with a length, a pattern, a format or an encoding of the same string";
            return Err(self.refuse_content(origin, reason));
        }
        Ok(Some(StringId::new(self.model.strings.intern(set).0)))
    }

    /// Strings that surely are no JSON texts of `content`: those of other values, and such as begin as no JSON does.
    pub(super) fn outside_content(
        &mut self,
        content: SetId,
        origin: ValueId,
    ) -> Result<[StringSet; 2], SchemaError> {
        let dfa = Dfa::regex_full(NO_JSON, self.limits).map_err(|error| {
            let pointer = pointer::of(&self.model.document, origin);
            SchemaError::unsupported("contentMediaType", pointer, error)
        })?;
        let mut language = Language::new(dfa, origin);
        language.extent = Extent::Narrower {
            wider: Wider::Pattern("[^]*"),
            most: u32::MAX,
        };
        let language = Some(self.model.sets.add_language(language));
        let others = self.model.sets.not(content);
        Ok([
            StringSet {
                language,
                ..StringSet::ANY
            },
            StringSet {
                content: Some(others),
                ..StringSet::ANY
            },
        ])
    }

    pub(super) fn refuse_content(&self, origin: ValueId, reason: &'static str) -> SchemaError {
        let document = &self.model.document;
        let keyword = document.get(origin, "contentMediaType");
        let pointer = pointer::of(document, keyword.unwrap_or(origin));
        SchemaError::unsupported("contentMediaType", pointer, reason)
    }

    /// Whether the JSON texts in strings can be written: they end somewhere, and no two of them must differ.
    pub(super) fn check_contents(&self) -> Result<(), SchemaError> {
        let model = &*self.model;
        let strings = model.strings.items();
        if strings.iter().all(|strings| strings.content.is_none()) {
            return Ok(());
        }
        if let Some(set) = told_apart(model) {
            let origin = model.sets.origin(set);
            let reason = "items that differ in JSON within their strings cannot be told apart";
            return Err(self.refuse_content(origin, reason));
        }
        match too_deep(model) {
            Some(set) => {
                let reason = "JSON stands in strings of JSON in strings more than four deep, or without an end";
                Err(self.refuse_content(model.sets.origin(set), reason))
            }
            None => Ok(()),
        }
    }
}

/// A set of JSON texts among what items are told apart by.
fn told_apart(model: &Model) -> Option<SetId> {
    let alternatives = model
        .reached
        .iter()
        .filter_map(|&set| model.alternatives(set));
    let arrays = alternatives.flat_map(|all| &all.arrays);
    let unique = arrays.filter(|&&id| model.array_shape(id).unique.is_some());
    let items = unique.flat_map(|&id| {
        let set = model.array(id);
        set.prefix.iter().chain([&set.rest]).copied()
    });
    let items: Vec<SetId> = items.map(|item| model.sets.resolve(item)).collect();
    let mut within = model.all_parts(items).into_iter();
    within.find(|&set| model.contents(set).next().is_some())
}

/// A set of JSON texts that have too many others in them.
fn too_deep(model: &Model) -> Option<SetId> {
    let mut edges = vec![Vec::new(); model.alternatives.len()];
    let mut is_reached = vec![false; edges.len()];
    for &set in &model.reached {
        is_reached[set.index()] = true;
        let parts = model.parts(set).chain(model.contents(set));
        edges[set.index()].extend(parts.map(SetId::index));
    }
    let mut depths = vec![0; edges.len()];
    // What others lead to comes first.
    for component in graph::components(&edges) {
        let mut deepest = 0;
        let reached = component.iter().filter(|&&set| is_reached[set]);
        for set in reached.map(|&set| SetId::from_usize(set)) {
            let of_parts = model.parts(set).map(|part| depths[part.index()]);
            let of_contents = model.contents(set).map(|part| depths[part.index()] + 1);
            deepest = of_parts.chain(of_contents).fold(deepest, usize::max);
            let mut contents = model.contents(set);
            if deepest > DEEPEST || contents.any(|part| component.contains(&part.index())) {
                return Some(set);
            }
        }
        component.iter().for_each(|&set| depths[set] = deepest);
    }
    None
}
