//! Values whose strings stand between marks as they are, and whose objects are parameters again, however deep.

use std::sync::Arc;

use super::lowering::Parameters;
use super::values::of_types;
use super::{ValueForm, ValueRules};
use crate::base::{ControlId, RuleId};
use crate::front::json_schema::emptiness::array_has_member;
use crate::front::json_schema::error::SchemaError;
use crate::front::json_schema::evaluate::types as types_of;
use crate::front::json_schema::lower::array::ArrayBody;
use crate::front::json_schema::lower::lead::{Lead, Spaces};
use crate::front::json_schema::lower::lowered::Lowered;
use crate::front::json_schema::lower::union::UnionBody;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::values::{ArrayId, ObjectId, SetId, Types};
use crate::grammar::{ImplicitBody, Node, Words};
use rustc_hash::FxHashMap;

/// The rules of the values, by set and for the one form that there is.
pub(super) type Values = Arc<FxHashMap<SetId, ValueRules>>;

impl Parameters<'_, '_> {
    /// The rules of all values that the root reaches. A rule a set is declared first, since they call each other.
    pub(super) fn nested(
        &mut self,
        quote: ControlId,
    ) -> Result<(Arc<Lowered>, Values), SchemaError> {
        let model = self.lowering.model.clone();
        let mut rules: Vec<Option<RuleId>> = vec![None; model.alternatives.len()];
        let mut values = FxHashMap::default();
        for &set in model.reached.iter().filter(|&&set| model.inhabited(set)) {
            let rule = self.lowering.declare("value");
            rules[set.index()] = Some(rule);
            values.insert(set, vec![vec![rule]]);
        }
        let lowered = self.lowering.lowered(Spaces::None, rules);
        let values = Arc::new(values);
        let mut objects = FxHashMap::default();
        for &set in model.reached.iter().filter(|&&set| model.inhabited(set)) {
            let Some(all) = model.alternatives(set) else {
                continue;
            };
            let mut rules = self.scalars(set, all)?;
            for text in self.raw_strings(set, all, ValueForm::String)? {
                rules.push(self.enclosed(Mark::Control(quote), text, Mark::Control(quote)));
            }
            for &array in &all.arrays {
                rules.extend(self.array(set, array, &lowered)?);
            }
            for &object in &all.objects {
                let known = objects.get(&object).copied();
                let rule = match known {
                    Some(rule) => rule,
                    None => self.braced(object, &lowered, &values)?,
                };
                objects.insert(object, rule);
                rules.extend(rule);
            }
            if rules.is_empty() {
                let origin = model.sets.origin(set);
                let reason = "no value of it can be written as this format writes parameters";
                return Err(self.refuse(origin, "type", reason));
            }
            let union = Arc::new(UnionBody::of(rules));
            self.lowering.define_declared(lowered.rule(set), union);
        }
        Ok((lowered, values))
    }

    /// The rules of what is neither a string nor made of other values.
    fn scalars(&mut self, set: SetId, all: &Alternatives) -> Result<Vec<RuleId>, SchemaError> {
        let model = self.lowering.model.clone();
        let document = &model.document;
        let composite = Types::ARRAY.union(Types::OBJECT);
        let is_composite = |value: &&_| composite.meets(types_of(document, **value));
        if all.literals.iter().any(|value| is_composite(&value)) {
            let reason = "arrays and objects cannot be listed where strings stand between marks; list their parts";
            return Err(self.refuse(model.sets.origin(set), "enum", reason));
        }
        let scalars = Types::NULL.union(Types::BOOLEAN).union(Types::NUMBER);
        let part = of_types(all, scalars, document);
        Ok(self.lowering.alternatives(&part, Lead::Bare).into_vec())
    }

    fn array(
        &mut self,
        set: SetId,
        array: ArrayId,
        lowered: &Arc<Lowered>,
    ) -> Result<Option<RuleId>, SchemaError> {
        let model = self.lowering.model.clone();
        if model.array_shape(array).unique.is_some() {
            let reason = "items cannot be told apart where strings stand between marks";
            return Err(self.refuse(model.sets.origin(set), "uniqueItems", reason));
        }
        let has_member = array_has_member(&model, array, |set| model.inhabited(set));
        Ok(has_member.then(|| {
            let body = ArrayBody::new(Lead::Bare, lowered.clone(), array);
            self.lowering.rule("array", Arc::new(body))
        }))
    }

    /// The parameters of an object, in braces.
    fn braced(
        &mut self,
        object: ObjectId,
        lowered: &Arc<Lowered>,
        values: &Values,
    ) -> Result<Option<RuleId>, SchemaError> {
        let Some(body) = self.object(object, lowered, values)? else {
            return Ok(None);
        };
        let inner = self.lowering.rule("parameters", Arc::new(body));
        Ok(Some(self.enclosed(
            Mark::Byte(b'{'),
            inner,
            Mark::Byte(b'}'),
        )))
    }

    fn enclosed(&mut self, open: Mark, inner: RuleId, close: Mark) -> RuleId {
        let body = EnclosedBody { open, inner, close };
        self.lowering.rule("enclosed", Arc::new(body))
    }
}

/// What stands on one side of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Byte(u8),
    Control(ControlId),
}

impl Mark {
    fn read(self, node: &mut Node<Words>, to: Words) {
        match self {
            Self::Byte(byte) => node.byte(byte, to),
            Self::Control(control) => node.controls.push((control, to)),
        }
    }
}

/// A rule between two marks. Positions: how many of the three were read.
#[derive(Debug)]
struct EnclosedBody {
    open: Mark,
    inner: RuleId,
    close: Mark,
}

impl ImplicitBody for EnclosedBody {
    fn start(&self, _args: &Words) -> Words {
        Words::from([0])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        match words[0] {
            0 => self.open.read(node, Words::from([1])),
            1 => node.call(self.inner, Words::from([2])),
            2 => self.close.read(node, Words::from([3])),
            _ => node.end(),
        }
    }
}
