//! The lowering of the parameters of one tool.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::around::Around;
use super::values::{automaton, of_types, raw_texts};
use super::{ParameterForm, ParametersBody, ValueForm, ValueRules};
use crate::base::{LimitError, Limits, RuleId};
use crate::front::json_schema::error::SchemaError;
use crate::front::json_schema::lower::fresh::{Callers, Edge, FreshText};
use crate::front::json_schema::lower::json_rules::JsonRules;
use crate::front::json_schema::lower::lead::Lead;
use crate::front::json_schema::lower::lowered::Lowered;
use crate::front::json_schema::lower::lowering::Lowering;
use crate::front::json_schema::lower::object::{ObjectBody, OtherRules, Plan, Writable};
use crate::front::json_schema::lower::raw::{Bounds, RawBody};
use crate::front::json_schema::lower::union::UnionBody;
use crate::front::json_schema::model::{Alternatives, Model};
use crate::front::json_schema::pointer;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::shape::{ENOUGH, Others};
use crate::front::json_schema::values::{ObjectId, SetId, StringSet};
use crate::grammar::{Delimiters, GrammarBuilder, Refusal};
use crate::regular::{Dfa, PatternErrorKind};

/// Lowers the objects of `model`, as parameters of this form, and gives their rule.
///
/// # Errors
/// What cannot be written in this form, with its place, and limits.
pub(crate) fn lower_parameters(
    model: &Arc<Model>,
    form: &Arc<ParameterForm>,
    rules: &mut JsonRules,
    limits: &Limits,
    builder: &mut GrammarBuilder,
) -> Result<RuleId, SchemaError> {
    let around = Around {
        nodes: &form.nodes,
        separator: &form.separator,
        builder,
    };
    let mut parameters = Parameters {
        around_names: around.names(),
        form,
        limits,
        lowering: Lowering::new(model, rules, builder),
    };
    let (lowered, values) = match form.quote {
        Some(quote) => parameters.nested(quote)?,
        None if form.is_composite() => parameters.composite()?,
        None => {
            let sets = parameters.lowering.sets(&model.reached);
            let values = Arc::new(parameters.values()?);
            (parameters.lowering.define(sets), values)
        }
    };
    parameters.objects(&lowered, &values)
}

pub(super) struct Parameters<'a, 'm> {
    pub(super) form: &'a Arc<ParameterForm>,
    /// What stands around the names.
    around_names: Delimiters,
    limits: &'a Limits,
    pub(super) lowering: Lowering<'m>,
}

impl Parameters<'_, '_> {
    fn model(&self) -> &Arc<Model> {
        self.lowering.model
    }

    pub(super) fn refuse(&self, place: ValueId, keyword: &str, reason: &str) -> SchemaError {
        let pointer = pointer::of(&self.model().document, place);
        SchemaError::unsupported(keyword, pointer, reason)
    }

    fn root_objects(&self) -> Result<Vec<ObjectId>, SchemaError> {
        let model = self.model();
        let all = model.alternatives(model.root);
        let all = all.expect("the root is among the sets that it reaches");
        if !all.literals.is_empty() {
            let reason = "whole objects cannot be listed where parameters are written one by one; \
                          list the values of each property";
            return Err(self.refuse(model.sets.origin(model.root), "enum", reason));
        }
        Ok(all.objects.to_vec())
    }

    /// By set of the values of parameters, their rules.
    fn values(&mut self) -> Result<FxHashMap<SetId, ValueRules>, SchemaError> {
        let model = self.model().clone();
        let mut values = FxHashMap::default();
        for id in self.root_objects()? {
            for set in model.object_shape(id).sets() {
                let all = model.alternatives(set).filter(|_| model.inhabited(set));
                if let Some(all) = all.filter(|_| !values.contains_key(&set)) {
                    let forms = self.form.forms.clone();
                    let rules = forms.into_iter().map(|form| self.value(set, all, form));
                    values.insert(set, rules.collect::<Result<_, _>>()?);
                }
            }
        }
        Ok(values)
    }

    /// The rules of values of a set in one form.
    pub(super) fn value(
        &mut self,
        set: SetId,
        all: &Alternatives,
        form: ValueForm,
    ) -> Result<Vec<RuleId>, SchemaError> {
        let part = of_types(all, form.json_types(), &self.model().document);
        let mut rules = self.lowering.alternatives(&part, Lead::Bare).into_vec();
        if form.has_raw_strings() {
            rules.extend(self.raw_strings(set, all, form)?);
        }
        Ok(rules)
    }

    /// The rules of the strings of a set, written as they are.
    pub(super) fn raw_strings(
        &mut self,
        set: SetId,
        all: &Alternatives,
        form: ValueForm,
    ) -> Result<Vec<RuleId>, SchemaError> {
        let model = self.model().clone();
        let document = &model.document;
        let origin = model.sets.origin(set);
        let texts = all
            .literals
            .iter()
            .filter_map(|&value| document.string(value));
        let texts: Vec<_> = texts.collect();
        if all.strings.is_empty() && texts.is_empty() {
            return Ok(Vec::new());
        }
        let limit = pointer::limit(document, origin);
        let allowed =
            raw_texts(self.form, form, all, document, self.limits).map_err(
                |error| match error {
                    PatternErrorKind::Limit(error) => limit(error),
                    error => self.refuse(origin, "type", &error.to_string()),
                },
            )?;
        let mut rules = Vec::new();
        if !texts.is_empty() {
            let listed = texts.iter().map(|text| text.as_bytes());
            let listed = listed.filter(|text| allowed.contains(text));
            let listed = Dfa::literals(listed, self.limits).map_err(&limit)?;
            rules.extend(
                self.raw(&StringSet::ANY, Arc::new(listed))
                    .map_err(&limit)?,
            );
        }
        for &id in &all.strings {
            let strings = *model.string(id);
            if strings.content.is_some() {
                let reason =
                    "JSON is asserted within quotes only, not in a string written as it is";
                return Err(self.refuse(origin, "contentMediaType", reason));
            }
            let texts = match strings.language {
                None => allowed.clone(),
                Some(language) => {
                    let language = self.language(model.language(language))?;
                    Arc::new(language.intersect(&allowed, self.limits).map_err(&limit)?)
                }
            };
            rules.extend(self.raw(&strings, texts).map_err(&limit)?);
        }
        Ok(rules)
    }

    /// The automaton of a language.
    fn language(
        &self,
        language: &crate::front::json_schema::values::Language,
    ) -> Result<Arc<Dfa>, SchemaError> {
        let refuse = |reason: &str| self.refuse(language.origin, "pattern", reason);
        match automaton(language, self.limits) {
            Ok(Some(automaton)) => Ok(automaton),
            Ok(None) => Err(refuse(
                "texts that nest cannot be told from what closes a string written as it is",
            )),
            Err(error) => Err(refuse(&format!("in a string written as it is: {error}"))),
        }
    }

    /// The rule of the texts within the bounds of `set`, where there are any.
    fn raw(&mut self, set: &StringSet, texts: Arc<Dfa>) -> Result<Option<RuleId>, LimitError> {
        if texts.is_empty() {
            return Ok(None);
        }
        let mut body = RawBody {
            texts,
            bounds: None,
            lengths: None,
        };
        if !set.is_bounded() {
            return Ok(Some(self.lowering.rule("raw text", Arc::new(body))));
        }
        let lengths = Arc::new(body.texts.lengths(self.limits)?);
        body.lengths = Some(lengths.clone());
        let unbounded = lengths.are_upward_closed().then(|| {
            let any = RawBody {
                texts: body.texts.clone(),
                bounds: None,
                lengths: Some(lengths),
            };
            self.lowering.rule("raw text", Arc::new(any))
        });
        body.bounds = Some(Bounds {
            least: set.least,
            most: set.most,
            unbounded,
        });
        let has_text = body.has_text();
        Ok(has_text.then(|| self.lowering.rule("raw text", Arc::new(body))))
    }

    /// The rule of the parameters of all objects.
    fn objects(
        &mut self,
        lowered: &Arc<Lowered>,
        values: &Arc<FxHashMap<SetId, ValueRules>>,
    ) -> Result<RuleId, SchemaError> {
        let mut bodies = Vec::new();
        for id in self.root_objects()? {
            bodies.extend(self.object(id, lowered, values)?);
        }
        let root = self.model().sets.origin(self.model().root);
        let nullable = bodies.iter().any(crate::grammar::ImplicitBody::nullable);
        let mut rules = Vec::new();
        for body in bodies {
            rules.push(self.lowering.rule("parameters", Arc::new(body)));
        }
        match rules.as_slice() {
            [] => Err(self.refuse(
                root,
                "properties",
                "a value that is needed cannot be written as this format writes parameters",
            )),
            &[rule] => Ok(rule),
            _ => Ok(self
                .lowering
                .rule("parameters", Arc::new(UnionBody { rules, nullable }))),
        }
    }

    /// The parameters of one object, where it has a member that can be written.
    pub(super) fn object(
        &mut self,
        id: ObjectId,
        lowered: &Arc<Lowered>,
        values: &Arc<FxHashMap<SetId, ValueRules>>,
    ) -> Result<Option<ParametersBody>, SchemaError> {
        let model = self.model().clone();
        let shape = model.object_shape(id);
        let is_written = |set: &SetId| {
            let rules = values.get(set);
            rules.is_some_and(|rules| rules.iter().any(|rules| !rules.is_empty()))
        };
        let mut writable = Writable {
            sets: values.keys().copied().filter(is_written).collect(),
            classes: vec![false; shape.others.len()],
        };
        let mut classes = Vec::new();
        let others = shape.others.iter().enumerate();
        for (class, other) in others.filter(|_| !self.form.repeats_names()) {
            if other
                .choices
                .iter()
                .any(|choice| writable.sets.contains(&choice.set))
            {
                let names = self.other_names(id, other)?;
                writable.classes[class] = names.is_some();
                classes.extend(names.map(|names| (class, names)));
            }
        }
        self.check_names(id, &writable)?;
        let others = classes.into_iter().map(|(class, names)| {
            let choices = shape.others[class].choices.iter();
            let choices = choices.filter(|choice| writable.sets.contains(&choice.set));
            let values: SmallVec<_> = choices
                .map(|&choice| (lowered.rule(choice.set), choice))
                .collect();
            let (key, keys) = self.names(names);
            OtherRules {
                class,
                key,
                keys,
                values,
            }
        });
        let others = others.collect();
        let plan = Arc::new(Plan::of_parameters(lowered.clone(), id, writable));
        if !plan.has_member() {
            return Ok(None);
        }
        Ok(Some(ParametersBody {
            form: self.form.clone(),
            object: ObjectBody {
                lead: Lead::Bare,
                plan,
                others,
            },
            values: values.clone(),
        }))
    }

    /// Refuses names of properties that cannot be written.
    fn check_names(&self, id: ObjectId, writable: &Writable) -> Result<(), SchemaError> {
        let model = self.model();
        for slot in &model.object_shape(id).slots {
            let name = model.sets.name_text(slot.name);
            let mut choices = slot.choices.iter();
            let comes = choices.any(|choice| writable.sets.contains(&choice.set));
            if comes && !self.form.names.contains(name.as_bytes()) {
                let reason =
                    format!("the name {name:?} cannot be written as this format writes parameters");
                let place = model.sets.origin(model.root);
                return Err(self.refuse(place, "properties", &reason));
            }
        }
        Ok(())
    }

    /// The names of a class of keys of no slot that can be written, if there are any.
    fn other_names(&self, id: ObjectId, other: &Others) -> Result<Option<Dfa>, SchemaError> {
        let model = self.model();
        let place = model.sets.origin(model.root);
        let limit = pointer::limit(&model.document, place);
        let all = &self.form.names;
        let names = match other.keys {
            None => {
                let slots = model.object_shape(id).slots.iter();
                let mut slots: Vec<_> = slots
                    .map(|slot| model.sets.name_text(slot.name).as_bytes())
                    .collect();
                slots.sort_unstable();
                let slots = Dfa::literals(slots, self.limits).map_err(&limit)?;
                all.difference(&slots, self.limits).map_err(&limit)?
            }
            Some(keys) => {
                let keys = self.language(model.language(keys))?;
                let names = all.intersect(&keys, self.limits).map_err(&limit)?;
                let is_few = names.count(ENOUGH).is_some();
                if is_few && !keys.is_subset(all, self.limits).map_err(&limit)? {
                    let reason = "some of the names that it allows cannot be written as this \
                                  format writes parameters";
                    return Err(self.refuse(place, "propertyNames", reason));
                }
                names
            }
        };
        Ok((!names.is_empty()).then_some(names))
    }

    /// The rule of names that are not in use yet.
    fn names(&mut self, names: Dfa) -> (RuleId, Arc<FreshText>) {
        let refusal = match names.is_endless() {
            true => Refusal::Whole,
            false => Refusal::Beginning,
        };
        let inner = Arc::new(RawBody {
            texts: Arc::new(names),
            bounds: None,
            lengths: None,
        });
        let plain = self.lowering.rule("name", inner.clone());
        let edge = Edge::Between(self.around_names);
        let fresh = FreshText::new(inner, plain, edge, refusal, Callers::Forgetful);
        let fresh = Arc::new(fresh);
        (self.lowering.rule("fresh name", fresh.clone()), fresh)
    }
}
