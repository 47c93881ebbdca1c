//! Values that are made of parameters again, and items that are written as those are, however deep.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::form::Forms;
use super::lowering::Parameters;
use super::{ParameterForm, ValueForm, ValueRules};
use crate::base::RuleId;
use crate::front::json_schema::emptiness::array_has_member;
use crate::front::json_schema::error::SchemaError;
use crate::front::json_schema::evaluate::types as types_of;
use crate::front::json_schema::lower::array::ArrayBody;
use crate::front::json_schema::lower::lead::{Lead, Spaces};
use crate::front::json_schema::lower::lowered::Lowered;
use crate::front::json_schema::lower::union::UnionBody;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::shape::ArrayProgress;
use crate::front::json_schema::values::{SetId, Types};
use crate::grammar::{ImplicitBody, Node, Words};

/// The rules of the values, by set and form.
type Values = Arc<FxHashMap<SetId, ValueRules>>;

/// The rules of a set that are declared before they are defined, since they call each other.
struct Declared {
    set: SetId,
    members: Option<RuleId>,
    elements: Option<RuleId>,
}

impl Parameters<'_, '_> {
    /// The rules of all values that the root reaches.
    pub(super) fn composite(&mut self) -> Result<(Arc<Lowered>, Values), SchemaError> {
        let model = self.lowering.model.clone();
        let mut rules: Vec<Option<RuleId>> = vec![None; model.alternatives.len()];
        let mut values = FxHashMap::default();
        let mut declared = Vec::new();
        for &set in model.reached.iter().filter(|&&set| model.inhabited(set)) {
            let Some(all) = model.alternatives(set) else {
                continue;
            };
            let of_set = self.declare(set, all)?;
            let by_form = self.by_form(all, &of_set)?;
            rules[set.index()] = by_form.iter().flatten().next().copied();
            if rules[set.index()].is_none() && set != model.root {
                let reason = "no value of it can be written as this format writes parameters";
                return Err(self.refuse(model.sets.origin(set), "type", reason));
            }
            values.insert(set, by_form);
            declared.push(of_set);
        }
        let lowered = self.lowering.lowered(Spaces::None, rules);
        let values = Arc::new(values);
        for of_set in declared {
            let Some(all) = model.alternatives(of_set.set) else {
                continue;
            };
            if let Some(rule) = of_set.members {
                self.members(rule, (of_set.set, all), &lowered, &values)?;
            }
            if let Some(rule) = of_set.elements {
                self.elements(rule, all, &lowered, &values);
            }
        }
        Ok((lowered, values))
    }

    fn declare(&mut self, set: SetId, all: &Alternatives) -> Result<Declared, SchemaError> {
        let model = self.lowering.model.clone();
        let origin = model.sets.origin(set);
        let composite = Types::ARRAY.union(Types::OBJECT);
        let is_composite = |value: &&_| composite.meets(types_of(&model.document, **value));
        // Of the whole arguments, that is said elsewhere.
        if set != model.root && all.literals.iter().any(|value| is_composite(&value)) {
            let reason = "arrays and objects cannot be listed where their parts are written one by one; list those";
            return Err(self.refuse(origin, "enum", reason));
        }
        let is_unique = |&array: &_| model.array_shape(array).unique.is_some();
        if all.arrays.iter().any(is_unique) {
            let reason = "items cannot be told apart where they are written one by one";
            return Err(self.refuse(origin, "uniqueItems", reason));
        }
        let has_member = |&array: &_| array_has_member(&model, array, |set| model.inhabited(set));
        let has_elements = all.arrays.iter().any(has_member);
        Ok(Declared {
            set,
            members: (!all.objects.is_empty()).then(|| self.lowering.declare("members")),
            elements: has_elements.then(|| self.lowering.declare("elements")),
        })
    }

    /// The rules of a set, by form.
    fn by_form(
        &mut self,
        all: &Alternatives,
        of_set: &Declared,
    ) -> Result<ValueRules, SchemaError> {
        let forms = self.form.forms.clone();
        let rules = forms.into_iter().map(|form| match form {
            ValueForm::Members => Ok(of_set.members.into_iter().collect()),
            ValueForm::Elements => Ok(of_set.elements.into_iter().collect()),
            form => self.value(of_set.set, all, form),
        });
        rules.collect()
    }

    /// Defines the rule of the parameters of a set's objects.
    fn members(
        &mut self,
        rule: RuleId,
        (set, all): (SetId, &Alternatives),
        lowered: &Arc<Lowered>,
        values: &Values,
    ) -> Result<(), SchemaError> {
        let mut rules = Vec::new();
        let mut nullable = false;
        for &object in &all.objects {
            if let Some(body) = self.object(object, lowered, values)? {
                nullable |= body.nullable();
                rules.push(self.lowering.rule("parameters", Arc::new(body)));
            }
        }
        if rules.is_empty() {
            let origin = self.lowering.model.sets.origin(set);
            let reason =
                "a value that is needed cannot be written as this format writes parameters";
            return Err(self.refuse(origin, "properties", reason));
        }
        let union = Arc::new(UnionBody { rules, nullable });
        self.lowering.define_declared(rule, union);
        Ok(())
    }

    /// Defines the rule of the items of a set's arrays.
    fn elements(
        &mut self,
        rule: RuleId,
        all: &Alternatives,
        lowered: &Arc<Lowered>,
        values: &Values,
    ) {
        let model = self.lowering.model.clone();
        let mut rules = Vec::new();
        let mut nullable = false;
        for &array in &all.arrays {
            if !array_has_member(&model, array, |set| model.inhabited(set)) {
                continue;
            }
            let body = ElementsBody {
                form: self.form.clone(),
                array: ArrayBody::new(Lead::Bare, lowered.clone(), array),
                values: values.clone(),
            };
            nullable |= body.nullable();
            rules.push(self.lowering.rule("elements", Arc::new(body)));
        }
        let union = Arc::new(UnionBody { rules, nullable });
        self.lowering.define_declared(rule, union);
    }
}

/// The items of an array, each as the form has it.
///
/// Positions are a node of the form, counted from 1, or 0 between two items, and the [`ArrayProgress`].
#[derive(Debug)]
struct ElementsBody {
    form: Arc<ParameterForm>,
    array: ArrayBody,
    values: Values,
}

impl ElementsBody {
    fn at(&self, node: u32, progress: &ArrayProgress) -> Words {
        let mut words = Words::from_slice(&[node, progress.items]);
        words.extend_from_slice(&progress.counted);
        words
    }

    /// The rules of an item of `set` in a form.
    fn rules(&self, set: SetId, form: usize) -> &[RuleId] {
        self.values.get(&set).map_or(&[], |rules| &rules[form])
    }

    /// Whether an item can be written in one of these forms.
    fn has_item(&self, progress: &ArrayProgress, forms: Forms) -> bool {
        self.array.items(progress).any(|(set, _)| {
            let mut all = 0..self.form.forms.len();
            all.any(|form| forms >> form & 1 == 1 && !self.rules(set, form).is_empty())
        })
    }

    /// What may come between two items.
    fn between(&self, progress: &ArrayProgress, node: &mut Node<Words>) {
        if self.array.may_end(progress) {
            node.end();
        }
        if self.has_item(progress, Forms::MAX) {
            self.form_node(0, progress, node);
        }
    }

    fn form_node(&self, at: u32, progress: &ArrayProgress, node: &mut Node<Words>) {
        let form = &self.form.elements[at as usize];
        // Behind the value nothing is ahead; before it, a form must be there for some item.
        let leads_on = |to: u32| {
            let ahead = self.form.elements_ahead[to as usize];
            ahead == 0 || self.has_item(progress, ahead)
        };
        for edge in form.edges.iter().filter(|edge| leads_on(edge.to)) {
            node.range(edge.lo, edge.hi, self.at(edge.to + 1, progress));
        }
        for &(control, to) in form.controls.iter().filter(|(_, to)| leads_on(*to)) {
            node.controls.push((control, self.at(to + 1, progress)));
        }
        for &(form, to) in &form.values {
            for (set, after) in self.array.items(progress) {
                for &rule in self.rules(set, form) {
                    node.call(rule, self.at(to + 1, &after));
                }
            }
        }
        if form.ends {
            self.between(progress, node);
        }
    }
}

impl ImplicitBody for ElementsBody {
    fn start(&self, _args: &Words) -> Words {
        self.at(0, &self.array.nothing())
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let progress = ArrayProgress {
            items: words[1],
            counted: words[2..].into(),
        };
        match words[0] {
            0 => self.between(&progress, node),
            at => self.form_node(at - 1, &progress, node),
        }
    }

    fn nullable(&self) -> bool {
        self.array.may_end(&self.array.nothing())
    }
}
