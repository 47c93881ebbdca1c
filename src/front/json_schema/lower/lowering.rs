//! The lowering of one schema: a rule per set of values that has members.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::array::ArrayBody;
use super::json_rules::JsonRules;
use super::key::KeyBody;
use super::lead::Lead;
use super::lowered::Lowered;
use super::object::{ObjectBody, Plan};
use super::pattern::PatternBody;
use super::union::UnionBody;
use crate::base::RuleId;
use crate::front::json_schema::emptiness::{array_has_member, object_has_member};
use crate::front::json_schema::model::{
    Alternatives, ArrayId, Model, NumberId, ObjectId, StringId,
};
use crate::front::json_schema::values::{ArraySet, ObjectSet, SetId, StringSet};
use crate::grammar::{GrammarBuilder, ImplicitBody};
use crate::regular::Lengths;

/// Lowers `model` and gives the rule of its root, without white space around it.
pub(crate) fn lower(
    model: &Arc<Model>,
    rules: &mut JsonRules,
    builder: &mut GrammarBuilder,
) -> RuleId {
    let inner = rules.inner_lead();
    let mut lowering = Lowering {
        model,
        json: rules,
        builder,
        known: FxHashMap::default(),
        pending: Vec::new(),
    };
    let count = model.alternatives.len();
    let sets = (0..count).map(SetId::from_usize).map(|set| {
        let live = model.alternatives(set).filter(|_| model.inhabited(set))?;
        Some(lowering.set(set, live, inner))
    });
    let sets: Vec<Option<RuleId>> = sets.collect();
    let root = match (inner, model.alternatives(model.root)) {
        (Lead::Spaced, Some(all)) => lowering.set(model.root, all, Lead::Bare),
        _ => sets[model.root.index()].expect("the root has members"),
    };
    lowering.define(sets);
    root
}

/// More code points than tokens mostly have.
const FAR: u32 = 128;

struct Lowering<'a> {
    model: &'a Arc<Model>,
    json: &'a mut JsonRules,
    builder: &'a mut GrammarBuilder,
    known: FxHashMap<(Composite, Lead), RuleId>,
    /// Rules that were declared and are still to be defined.
    pending: Vec<(RuleId, Composite, Lead)>,
}

/// A body that needs the rules of other sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Composite {
    Array(ArrayId),
    Object(ObjectId),
}

impl Lowering<'_> {
    /// The rule of a set that has members.
    fn set(&mut self, set: SetId, all: &Alternatives, lead: Lead) -> RuleId {
        if set == SetId::ANY {
            return self.json.any_value(lead, self.builder);
        }
        let mut rules: Vec<RuleId> = Vec::new();
        let words = [all.null, all.falsity, all.truth];
        if !all.literals.is_empty() {
            let body = self
                .json
                .literals(lead, words, self.model.clone(), all.literals.clone());
            rules.push(self.rule("literal", Arc::new(body)));
        } else if words.contains(&true) {
            rules.push(self.json.words(lead, words, self.builder));
        }
        for &id in &all.strings {
            rules.push(self.string(id, lead));
        }
        for &id in &all.numbers {
            rules.push(self.number(id, lead));
        }
        for &id in &all.arrays {
            rules.extend(self.array(id, lead));
        }
        for &id in &all.objects {
            rules.extend(self.object(id, lead));
        }
        match rules.as_slice() {
            &[rule] => rule,
            _ => self.rule("union", Arc::new(UnionBody { rules })),
        }
    }

    fn rule(&mut self, name: &str, body: Arc<dyn ImplicitBody>) -> RuleId {
        let rule = self.builder.declare(name);
        self.builder.define_implicit(rule, body);
        rule
    }

    fn number(&mut self, id: NumberId, lead: Lead) -> RuleId {
        self.json.number(lead, self.model.number(id), self.builder)
    }

    fn string(&mut self, id: StringId, lead: Lead) -> RuleId {
        let set: StringSet = *self.model.string(id);
        match set.language {
            None => self.json.string(lead, set.least, set.most, self.builder),
            Some(language) => {
                let language = self.model.language(language);
                let forbidden = self.json.forbidden.clone();
                // Without a least length, what fits is told by the shortest way to an end. Near the
                // bound most masks would be cut, and walking costs less.
                let far = set.least == 0 && set.most >= FAR;
                let gapless = |lengths: &Arc<Lengths>| lengths.are_upward_closed();
                let cuts = far || language.lengths.iter().any(gapless);
                let unbounded = match set.is_bounded() && cuts {
                    false => None,
                    true => {
                        let any = StringSet {
                            least: 0,
                            most: u32::MAX,
                            ..set
                        };
                        let body = PatternBody::new(lead, forbidden.clone(), &any, language, None);
                        Some(self.rule("pattern", Arc::new(body)))
                    }
                };
                let body = PatternBody::new(lead, forbidden, &set, language, unbounded);
                self.rule("pattern", Arc::new(body))
            }
        }
    }

    fn array(&mut self, id: ArrayId, lead: Lead) -> Option<RuleId> {
        let array = self.model.array(id);
        if *array == ArraySet::ANY {
            return Some(self.json.any_array(lead, self.builder));
        }
        let live = array_has_member(array, |set| self.model.inhabited(set));
        live.then(|| self.composite("array", Composite::Array(id), lead))
    }

    fn object(&mut self, id: ObjectId, lead: Lead) -> Option<RuleId> {
        let object = self.model.object(id);
        if *object == ObjectSet::ANY {
            return Some(self.json.any_object(lead, self.builder));
        }
        let live = object_has_member(object, |set| self.model.inhabited(set));
        live.then(|| self.composite("object", Composite::Object(id), lead))
    }

    fn composite(&mut self, name: &str, composite: Composite, lead: Lead) -> RuleId {
        if let Some(&rule) = self.known.get(&(composite, lead)) {
            return rule;
        }
        let rule = self.builder.declare(name);
        self.known.insert((composite, lead), rule);
        self.pending.push((rule, composite, lead));
        rule
    }

    /// Defines the rules that waited for `sets` to be complete.
    fn define(&mut self, sets: Vec<Option<RuleId>>) {
        let lowered = Arc::new(Lowered {
            model: self.model.clone(),
            forbidden: self.json.forbidden.clone(),
            whitespace: self.json.whitespace,
            rules: sets,
        });
        for (rule, composite, lead) in std::mem::take(&mut self.pending) {
            let lowered = lowered.clone();
            let body: Arc<dyn ImplicitBody> = match composite {
                Composite::Array(array) => Arc::new(ArrayBody {
                    lead,
                    lowered,
                    array,
                }),
                Composite::Object(id) => Arc::new(self.object_body(lowered, id, lead)),
            };
            self.builder.define_implicit(rule, body);
        }
    }

    fn object_body(&mut self, lowered: Arc<Lowered>, id: ObjectId, lead: Lead) -> ObjectBody {
        let object = self.model.object(id);
        let value = self.model.inhabited(object.additional);
        let value = value.then(|| lowered.rule(object.additional));
        let plan = Arc::new(Plan::new(lowered, id));
        let additional = value.map(|value| {
            let plain = self.json.key(self.builder);
            let unnamed = object.properties.is_empty() && object.required.is_empty();
            let key = match unnamed {
                true => plain,
                false => {
                    let body = KeyBody {
                        forbidden: self.json.forbidden.clone(),
                        plan: plan.clone(),
                        plain,
                    };
                    self.rule("key", Arc::new(body))
                }
            };
            (key, value)
        });
        ObjectBody {
            lead,
            plan,
            additional,
        }
    }
}
