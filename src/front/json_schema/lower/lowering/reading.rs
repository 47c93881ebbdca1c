//! The rules that tell what they have read, for arrays of distinct items, or of some that are equal.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Lowering, object_has_member};
use crate::base::RuleId;
use crate::front::json_schema::emptiness::array_has_member;
use crate::front::json_schema::lower::array::ArrayBody;
use crate::front::json_schema::lower::distinct::{
    Aim, ArrayMemory, ArrayReader, Exit, MemberBody, ObjectMemory, ObjectReader, Readers, Scalar,
    SetReader, TextsBody, Value,
};
use crate::front::json_schema::lower::fresh::{Callers, Edge};
use crate::front::json_schema::lower::lead::Lead;
use crate::front::json_schema::lower::lowered::Lowered;
use crate::front::json_schema::lower::number::NumberBody;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::{Kind, ValueId};
use crate::front::json_schema::values::{ArrayId, ObjectId, SetId};
use crate::grammar::{ImplicitBody, Refusal};

/// What is read so far: rules that are declared, and the sets whose readers are still to be made.
struct Reading {
    /// Who calls the rules of texts.
    callers: Callers,
    sets: FxHashMap<RuleId, SetReader>,
    /// Each with the rule that reads it otherwise, and the one that tells.
    pending: Vec<(SetId, RuleId, RuleId)>,
    declared: FxHashMap<RuleId, RuleId>,
    arrays: Vec<(RuleId, Arc<ArrayReader>)>,
    objects: Vec<(RuleId, Arc<ObjectReader>)>,
}

impl Lowering<'_> {
    /// Defines the rules of arrays whose items are told apart by their values.
    pub(super) fn define_distinct(
        &mut self,
        lowered: &Arc<Lowered>,
        arrays: Vec<(RuleId, ArrayId, Lead)>,
    ) {
        let mut reading = Reading {
            callers: match self.model.has_repeated_items() {
                true => Callers::Repeating,
                false => Callers::Exact,
            },
            sets: FxHashMap::default(),
            pending: Vec::new(),
            declared: FxHashMap::default(),
            arrays: Vec::new(),
            objects: Vec::new(),
        };
        for (rule, array, lead) in arrays {
            let aim = self.aim(array, Exit::Plain);
            let reader = self.array_reader(lowered, array, lead, aim, &mut reading);
            reading.arrays.push((rule, reader));
        }
        while let Some((set, plain, rule)) = reading.pending.pop() {
            let all = self.model.alternatives(self.model.sets.resolve(set));
            let all = all.cloned().unwrap_or_default();
            let reader = self.set_reader(lowered, &all, rule, &mut reading);
            reading.sets.insert(plain, reader);
        }
        let texts = self.rule("text", Arc::new(TextsBody));
        let readers = Arc::new(Readers {
            forbidden: self.json.forbidden.clone(),
            texts,
            sets: reading.sets,
        });
        for (plain, rule) in reading.declared {
            let body = MemberBody {
                lead: self.json.inner_lead(),
                readers: readers.clone(),
                set: plain,
            };
            self.builder.define_implicit(rule, Arc::new(body));
        }
        for (rule, reader) in reading.arrays {
            let readers = readers.clone();
            self.builder
                .define_implicit(rule, Arc::new(ArrayMemory { reader, readers }));
        }
        for (rule, reader) in reading.objects {
            let readers = readers.clone();
            self.builder
                .define_implicit(rule, Arc::new(ObjectMemory { reader, readers }));
        }
    }

    /// Sees to it that members of `set` can be read.
    fn read_set(&mut self, lowered: &Lowered, set: SetId, reading: &mut Reading) {
        let plain = lowered.rule(set);
        reading.declared.entry(plain).or_insert_with(|| {
            let rule = self.builder.declare("member");
            reading.pending.push((set, plain, rule));
            rule
        });
    }

    fn aim(&self, array: ArrayId, exit: Exit) -> Aim {
        let repeats = self.model.array(array).repeats;
        Aim { repeats, exit }
    }

    fn array_reader(
        &mut self,
        lowered: &Arc<Lowered>,
        array: ArrayId,
        lead: Lead,
        aim: Aim,
        reading: &mut Reading,
    ) -> Arc<ArrayReader> {
        let (set, shape) = (self.model.array(array), self.model.array_shape(array));
        for item in shape.all(set) {
            if self.model.inhabited(item) {
                self.read_set(lowered, item, reading);
            }
        }
        let inner = ArrayBody::new(lead, lowered.clone(), array);
        Arc::new(ArrayReader { inner, aim })
    }

    fn object_reader(
        &mut self,
        lowered: &Arc<Lowered>,
        object: ObjectId,
        reading: &mut Reading,
    ) -> Arc<ObjectReader> {
        let shape = self.model.object_shape(object).clone();
        for set in shape.sets() {
            if self.model.inhabited(set) {
                self.read_set(lowered, set, reading);
            }
        }
        let others = shape.others.iter();
        let usable = others.filter(|others| {
            let mut choices = others.choices.iter();
            choices.any(|choice| self.model.inhabited(choice.set))
        });
        let classes = usable.map(|others| others.keys).collect();
        let inner = self.object_body(lowered.clone(), object, Lead::Bare, reading.callers);
        Arc::new(ObjectReader { inner, classes })
    }

    /// How the members of a set are read by `rule`.
    fn set_reader(
        &mut self,
        lowered: &Arc<Lowered>,
        all: &Alternatives,
        rule: RuleId,
        reading: &mut Reading,
    ) -> SetReader {
        let mut reader = SetReader {
            rule,
            scalars: Vec::new(),
            literals: Vec::new(),
            compounds: Vec::new(),
        };
        self.add_literals(all, &mut reader, reading.callers);
        for &id in &all.strings {
            let (text, refusal) = self.one_spelling(id);
            let text = self.fresh(text, Edge::Quoted, refusal, reading.callers);
            reader.scalars.push((text.rule, Scalar::Text(text.fresh)));
        }
        for &id in &all.numbers {
            let inner = Arc::new(NumberBody::new(Lead::Bare, self.model.number(id).clone()));
            self.add_number(inner, &mut reader, reading.callers);
        }
        for &id in &all.arrays {
            if array_has_member(self.model, id, |set| self.model.inhabited(set)) {
                let aim = self.aim(id, Exit::Value);
                let array = self.array_reader(lowered, id, Lead::Bare, aim, reading);
                let rule = self.builder.declare("array");
                reading.arrays.push((rule, array.clone()));
                reader.compounds.push((rule, array));
            }
        }
        for &id in &all.objects {
            if object_has_member(self.model, id, |set| self.model.inhabited(set)) {
                let object = self.object_reader(lowered, id, reading);
                let rule = self.builder.declare("object");
                reading.objects.push((rule, object.clone()));
                reader.compounds.push((rule, object));
            }
        }
        reader
    }

    fn add_number(
        &mut self,
        inner: Arc<dyn ImplicitBody>,
        reader: &mut SetReader,
        callers: Callers,
    ) {
        let (rule, number) = self.fresh_number(inner, callers);
        reader.scalars.push((rule, Scalar::Number(number)));
    }

    /// Words and strings as texts, numbers by their values, arrays and objects one by one.
    fn add_literals(&mut self, all: &Alternatives, reader: &mut SetReader, callers: Callers) {
        let document = &self.model.document;
        let of = |kinds: &[Kind]| -> Vec<ValueId> {
            let literals = all.literals.iter().copied();
            literals
                .filter(|&value| kinds.contains(&document.kind(value)))
                .collect()
        };
        let texts = of(&[Kind::PlainString, Kind::EscapedString]);
        let (numbers, compounds) = (of(&[Kind::Number]), of(&[Kind::Array, Kind::Object]));
        let body = |this: &mut Self, words, values| {
            let model = this.model.clone();
            let spaces = (Lead::Bare, this.json.spaces(this.builder));
            Arc::new(this.json.literals(spaces, words, model, values))
        };
        let words = [all.null, all.falsity, all.truth];
        if words.contains(&true) || !texts.is_empty() {
            let text = body(self, words, texts);
            let text = self.fresh(text, Edge::Open, Refusal::Beginning, Callers::Exact);
            reader.scalars.push((text.rule, Scalar::Text(text.fresh)));
        }
        if !numbers.is_empty() {
            let body = body(self, [false; 3], numbers);
            self.add_number(body, reader, callers);
        }
        for value in compounds {
            let body = body(self, [false; 3], vec![value]);
            let rule = self.rule("literal", body);
            let value = Value::of_document(&self.model.document, value);
            reader.literals.push((rule, value));
        }
    }
}
