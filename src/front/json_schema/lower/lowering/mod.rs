//! The lowering of one schema: a rule per set of values that has members.

mod reading;

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

use super::a_label::{ALabelBody, AnyLabelBody};
use super::array::ArrayBody;
use super::distinct::NumberReader;
use super::fresh::{Callers, Edge, FreshText};
use super::host_name::{self, HostNameBody};
use super::json_rules::JsonRules;
use super::key::KeyBody;
use super::lead::{Lead, Spaces};
use super::lowered::Lowered;
use super::number::NumberBody;
use super::object::{ObjectBody, OtherRules, Plan};
use super::pattern::{Like, PatternBody};
use super::spelling::Escapes;
use super::union::UnionBody;
use super::unique::{UniqueBody, UniqueNumber, UniqueText};
use crate::base::{Limits, RuleId, SmallMap};
use crate::front::json_schema::emptiness::{array_has_member, object_has_member};
use crate::front::json_schema::model::{Alternatives, Model};
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::shape::{Others, Unique, UniqueItems};
use crate::front::json_schema::values::{
    ArrayId, LanguageId, NameId, NumberId, ObjectId, StringId,
};
use crate::front::json_schema::values::{ArraySet, Language, ObjectSet, SetId, StringSet};
use crate::grammar::{GrammarBuilder, ImplicitBody, Refusal};
use crate::regular::{Dfa, Lengths, Nesting};

/// Lowers `model` and gives the rule of its root, without white space around it.
pub(crate) fn lower(
    model: &Arc<Model>,
    rules: &mut JsonRules,
    builder: &mut GrammarBuilder,
) -> RuleId {
    let inner = rules.inner_lead();
    let mut lowering = Lowering::new(model, rules, builder);
    let sets = lowering.sets(&model.reached);
    let root = match (inner, model.alternatives(model.root)) {
        (Lead::Spaced, Some(all)) => lowering.set(model.root, all, Lead::Bare),
        _ => sets[model.root.index()].expect("the root has members"),
    };
    lowering.define(sets);
    root
}

/// How texts are spelt that are told apart by that.
const ONE_WAY: (Lead, Escapes) = (Lead::Bare, Escapes::Minimal);

/// More code points than tokens mostly have.
const FAR: u32 = 128;

pub(super) struct Lowering<'a> {
    pub(super) model: &'a Arc<Model>,
    pub(super) json: &'a mut JsonRules,
    pub(super) builder: &'a mut GrammarBuilder,
    known: SmallMap<(Composite, Lead), RuleId>,
    /// The rules of JSON texts within strings, by the sets of what stands in them.
    pub(super) contents: SmallMap<SetId, RuleId>,
    /// Rules that were declared and are still to be defined.
    pending: Vec<(RuleId, Composite, Lead)>,
    /// The rules of keys, by what they are.
    keys: SmallMap<Keys, (RuleId, Arc<FreshText>)>,
}

/// Keys of no slot.
///
/// PERF: branches of a union that name the same properties read one key, not one each: four samples of 300 `if`/`then` over the
/// names of 300 properties take 0.25 s for 3.2 to 4.2, and of 300 branches of `oneOf` 0.08 for 0.17 (benches/LOG.md).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Keys {
    /// All but these, ascending, where there is no language.
    others: Box<[NameId]>,
    language: Option<LanguageId>,
    callers: Callers,
}

/// A body that needs the rules of other sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Composite {
    Array(ArrayId),
    Object(ObjectId),
}

impl<'a> Lowering<'a> {
    pub(super) fn new(
        model: &'a Arc<Model>,
        json: &'a mut JsonRules,
        builder: &'a mut GrammarBuilder,
    ) -> Self {
        Self {
            model,
            json,
            builder,
            known: SmallMap::default(),
            contents: SmallMap::default(),
            pending: Vec::new(),
            keys: SmallMap::default(),
        }
    }
}

impl Lowering<'_> {
    /// The rules of those of `reached` that have members, where they stand inside another value.
    pub(super) fn sets(&mut self, reached: &[SetId]) -> Vec<Option<RuleId>> {
        let (model, inner) = (self.model, self.json.inner_lead());
        let mut sets: Vec<Option<RuleId>> = vec![None; model.alternatives.len()];
        for &set in reached {
            if let Some(all) = model.alternatives(set).filter(|_| model.inhabited(set)) {
                sets[set.index()] = Some(self.set(set, all, inner));
            }
        }
        sets
    }

    /// The rule of a set that has members.
    fn set(&mut self, set: SetId, all: &Alternatives, lead: Lead) -> RuleId {
        if set == SetId::ANY {
            return self.json.any_value(lead, self.model, self.builder);
        }
        let rules = self.alternatives(all, lead);
        match rules.as_slice() {
            &[rule] => rule,
            _ => {
                let rules = rules.into_vec();
                self.rule("union", Arc::new(UnionBody::of(rules)))
            }
        }
    }

    /// The rules of alternatives; none where they have no member.
    pub(super) fn alternatives(&mut self, all: &Alternatives, lead: Lead) -> SmallVec<[RuleId; 4]> {
        let mut rules: SmallVec<[RuleId; 4]> = SmallVec::new();
        let words = [all.null, all.falsity, all.truth];
        let (literals, texts) = self.literals(all, lead);
        rules.extend(texts);
        if !literals.is_empty() {
            let spaces = self.json.spaces(self.builder);
            let model = self.model.clone();
            let body = self.json.literals((lead, spaces), words, model, literals);
            rules.push(self.rule("literal", Arc::new(body)));
        } else if words.contains(&true) {
            rules.push(self.json.words(lead, words, self.model, self.builder));
        }
        for &id in &all.strings {
            rules.extend(match self.model.string(id).content {
                Some(content) => self.content(content, lead),
                None => Some(self.string(id, lead)),
            });
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
        rules
    }

    /// The single values that are spelt out in one way, and the rule of the strings among them that have
    /// all escapes: these are a language.
    fn literals(&mut self, all: &Alternatives, lead: Lead) -> (Vec<ValueId>, Option<RuleId>) {
        let (literals, escapes) = (all.literals.to_vec(), self.json.escapes());
        if escapes == Escapes::Minimal {
            return (literals, None);
        }
        let document = &self.model.document;
        let texts: Vec<_> = literals
            .iter()
            .filter_map(|&value| document.string(value))
            .collect();
        let language = Dfa::literals(texts.iter().map(|text| text.as_bytes()), &Limits::default());
        let Ok(language) = language else {
            return (literals, None);
        };
        if language.is_empty() {
            return (literals, None);
        }
        let language = Language::new(language, document.root());
        let others = literals
            .into_iter()
            .filter(|&value| document.string(value).is_none());
        let others = others.collect();
        let forbidden = self.json.forbidden.clone();
        let (any, like) = (&StringSet::ANY, Like::default());
        let body = PatternBody::new((lead, escapes), forbidden, any, &language, like);
        (others, Some(self.rule("literal", Arc::new(body))))
    }

    pub(super) fn rule(&mut self, name: &'static str, body: Arc<dyn ImplicitBody>) -> RuleId {
        let rule = self.declare(name);
        self.define_declared(rule, body);
        rule
    }

    pub(super) fn declare(&mut self, name: &'static str) -> RuleId {
        self.builder.declare(name)
    }

    pub(super) fn define_declared(&mut self, rule: RuleId, body: Arc<dyn ImplicitBody>) {
        self.builder.define_implicit(rule, body);
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
                let spelt = (lead, self.json.escapes());
                let mut like = self.json.like(spelt.1, language, self.builder);
                let any = StringSet {
                    least: 0,
                    most: u32::MAX,
                    ..set
                };
                if language.counted.is_some() {
                    let body = PatternBody::new(spelt, forbidden.clone(), &any, language, like);
                    like.freed = Some(self.rule("pattern", Arc::new(body.of_repetitions())));
                }
                // Without a least length, what fits is told by the shortest way to an end. Near the
                // bound most masks would be cut, and walking costs less.
                let far = set.least == 0 && set.most >= FAR;
                let gapless = |lengths: &Arc<Lengths>| lengths.are_upward_closed();
                let nested = |nesting: &Arc<Nesting>| nesting.is_upward_closed();
                let cuts = far
                    || language.lengths.iter().any(gapless)
                    || language.nesting.iter().any(nested);
                let unbounded = match set.is_bounded() && cuts {
                    false => None,
                    true => {
                        let body = PatternBody::new(spelt, forbidden.clone(), &any, language, like);
                        Some(self.rule("pattern", Arc::new(body)))
                    }
                };
                let like = Like { unbounded, ..like };
                let body = PatternBody::new(spelt, forbidden, &set, language, like);
                let plain = self.rule("pattern", Arc::new(body));
                match language.a_labels {
                    false => plain,
                    true => self.with_a_labels(plain, &set, lead),
                }
            }
        }
    }

    /// The rule `plain`, and the host names with A-labels within the bounds of `set`.
    fn with_a_labels(&mut self, plain: RuleId, set: &StringSet, lead: Lead) -> RuleId {
        let in_names = |byte: u8| byte.is_ascii_alphanumeric() || b".-".contains(&byte);
        let shortest = "xn--zca".len() as u32;
        let forbidden = self.json.forbidden.has_text_of(in_names);
        if set.least > shortest || set.most < host_name::SHORTEST || forbidden {
            return plain;
        }
        let any = self.rule("any label", Arc::new(AnyLabelBody));
        let labels = OnceLock::new();
        let label = self.rule("A-label", Arc::new(ALabelBody { any, labels }));
        let names = |most, unbounded| HostNameBody {
            lead,
            names: OnceLock::new(),
            most,
            label,
            unbounded,
        };
        let unbounded = self.rule("host name", Arc::new(names(u32::MAX, None)));
        let bounded = self.rule("host name", Arc::new(names(set.most, Some(unbounded))));
        let rules = vec![plain, bounded];
        self.rule("union", Arc::new(UnionBody::of(rules)))
    }

    fn array(&mut self, id: ArrayId, lead: Lead) -> Option<RuleId> {
        let model = self.model;
        if *model.array(id) == ArraySet::ANY {
            return Some(self.json.any_array(lead, model, self.builder));
        }
        let live = array_has_member(model, id, |set| model.inhabited(set));
        live.then(|| self.composite("array", Composite::Array(id), lead))
    }

    fn object(&mut self, id: ObjectId, lead: Lead) -> Option<RuleId> {
        let model = self.model;
        if **model.object(id) == ObjectSet::ANY {
            return Some(self.json.any_object(lead, model, self.builder));
        }
        let live = object_has_member(model, id, |set| model.inhabited(set));
        live.then(|| self.composite("object", Composite::Object(id), lead))
    }

    fn composite(&mut self, name: &'static str, composite: Composite, lead: Lead) -> RuleId {
        if let Some(&rule) = self.known.get(&(composite, lead)) {
            return rule;
        }
        let rule = self.builder.declare(name);
        self.known.insert((composite, lead), rule);
        self.pending.push((rule, composite, lead));
        rule
    }

    /// What bodies share whose parts are written by these rules of sets.
    pub(super) fn lowered(&self, whitespace: Spaces, rules: Vec<Option<RuleId>>) -> Arc<Lowered> {
        Arc::new(Lowered {
            model: self.model.clone(),
            forbidden: self.json.forbidden.clone(),
            whitespace,
            order: self.json.order,
            rules,
        })
    }

    /// Defines the rules that waited for `sets` to be complete.
    pub(super) fn define(&mut self, sets: Vec<Option<RuleId>>) -> Arc<Lowered> {
        let spaces = self.json.spaces(self.builder);
        let lowered = self.lowered(spaces, sets);
        let mut told_apart = Vec::new();
        for (rule, composite, lead) in std::mem::take(&mut self.pending) {
            let lowered = lowered.clone();
            let body: Arc<dyn ImplicitBody> = match composite {
                Composite::Array(array) => match &self.model.array_shape(array).unique {
                    Some(Unique::Scalars(items)) => Arc::new(self.unique(items, array, lead)),
                    Some(Unique::Values | Unique::Repeated) => {
                        told_apart.push((rule, array, lead));
                        continue;
                    }
                    None => Arc::new(ArrayBody::new(lead, lowered, array)),
                },
                Composite::Object(id) => {
                    Arc::new(self.object_body(lowered, id, lead, Callers::Forgetful))
                }
            };
            self.builder.define_implicit(rule, body);
        }
        if !told_apart.is_empty() {
            self.define_distinct(&lowered, told_apart);
        }
        lowered
    }

    /// The body of arrays whose items are distinct.
    fn unique(&mut self, items: &UniqueItems, array: ArrayId, lead: Lead) -> UniqueBody {
        let set = self.model.array(array);
        let mut texts: Vec<(Arc<dyn ImplicitBody>, Refusal)> = Vec::new();
        for &id in &items.strings {
            texts.push(self.one_spelling(id));
        }
        let whitespace = self.json.spaces(self.builder);
        let literals = |words, values| {
            let model = self.model.clone();
            self.json
                .literals((Lead::Bare, whitespace), words, model, values)
        };
        let none = [false; 3];
        if !items.texts.is_empty() {
            let body = Arc::new(literals(none, items.texts.clone()));
            texts.push((body, Refusal::Beginning));
        }
        let mut values: Vec<Arc<dyn ImplicitBody>> = Vec::new();
        for &value in &items.values {
            values.push(Arc::new(literals(none, vec![value])));
        }
        for index in (0..3).filter(|&index| items.words[index]) {
            let mut words = none;
            words[index] = true;
            values.push(Arc::new(literals(words, Vec::new())));
        }
        let values: Vec<RuleId> = values
            .into_iter()
            .map(|body| self.rule("literal", body))
            .collect();
        let callers = match items.number {
            None => Callers::Forgetful,
            Some(_) => Callers::Exact,
        };
        let texts: Vec<UniqueText> = texts
            .into_iter()
            .map(|(inner, refusal)| self.fresh(inner, Edge::Quoted, refusal, callers))
            .collect();
        let number = items.number.map(|(id, count)| {
            let inner = NumberBody::new(Lead::Bare, self.model.number(id).clone());
            let (rule, reader) = self.fresh_number(Arc::new(inner), callers);
            UniqueNumber {
                reader,
                count,
                rule,
            }
        });
        UniqueBody {
            lead,
            whitespace,
            least: set.least,
            most: set.most.min(items.total.unwrap_or(u32::MAX)),
            texts,
            number,
            values,
        }
    }

    /// The body of strings of a set, each spelt in one way only.
    fn one_spelling(&mut self, id: StringId) -> (Arc<dyn ImplicitBody>, Refusal) {
        let string = *self.model.string(id);
        let Some(language) = string.language else {
            let (least, most) = (string.least, string.most);
            let body = self.json.string_body(least, most, self.builder);
            return (Arc::new(body), refusal(None, &string));
        };
        let language = self.model.language(language);
        let body = self.one_way(&string, language);
        (Arc::new(body), refusal(Some(language), &string))
    }

    fn one_way(&mut self, set: &StringSet, language: &Language) -> PatternBody {
        let like = self.json.like(ONE_WAY.1, language, self.builder);
        PatternBody::new(ONE_WAY, self.json.forbidden.clone(), set, language, like)
    }

    /// The rule of the texts of `inner` that are not in use yet.
    fn fresh(
        &mut self,
        inner: Arc<dyn ImplicitBody>,
        edge: Edge,
        refusal: Refusal,
        callers: Callers,
    ) -> UniqueText {
        let plain = self.rule("item", inner.clone());
        let fresh = Arc::new(FreshText::new(inner, plain, edge, refusal, callers));
        let rule = self.rule("fresh item", fresh.clone());
        UniqueText { fresh, rule }
    }

    /// The rule of the numbers of `inner` that are not in use yet.
    fn fresh_number(
        &mut self,
        inner: Arc<dyn ImplicitBody>,
        callers: Callers,
    ) -> (RuleId, Arc<NumberReader>) {
        let plain = self.rule("number", inner.clone());
        let reader = Arc::new(NumberReader::new(inner, plain, callers));
        (self.rule("fresh number", reader.clone()), reader)
    }

    /// The body of an object set, for `callers` of its keys.
    fn object_body(
        &mut self,
        lowered: Arc<Lowered>,
        id: ObjectId,
        lead: Lead,
        callers: Callers,
    ) -> ObjectBody {
        let plan = Arc::new(Plan::new(lowered.clone(), id));
        let mut others = Vec::new();
        for (class, other) in plan.shape.others.iter().enumerate() {
            let choices = other.choices.iter();
            let values = choices
                .filter(|choice| self.model.inhabited(choice.set))
                .map(|&choice| (lowered.rule(choice.set), choice));
            let values: SmallVec<_> = values.collect();
            if !values.is_empty() {
                let (key, keys) = self.keys(other, &plan, callers);
                others.push(OtherRules {
                    class,
                    key,
                    keys,
                    values,
                });
            }
        }
        ObjectBody { lead, plan, others }
    }

    /// The keys of no slot that are not in use yet, with their rule.
    fn keys(
        &mut self,
        other: &Others,
        plan: &Arc<Plan>,
        callers: Callers,
    ) -> (RuleId, Arc<FreshText>) {
        let slots = plan.shape.slots.iter();
        if other.keys.is_none() && slots.len() == 0 && callers == Callers::Forgetful {
            return self.json.fresh_key(self.builder);
        }
        let mut names: Vec<NameId> = match other.keys {
            None => slots.map(|slot| slot.name).collect(),
            Some(_) => Vec::new(),
        };
        names.sort_unstable();
        let keys = Keys {
            others: names.into(),
            language: other.keys,
            callers,
        };
        if let Some(known) = self.keys.get(&keys) {
            return known.clone();
        }
        let made = self.make_keys(other, plan, callers);
        self.keys.insert(keys, made.clone());
        made
    }

    fn make_keys(
        &mut self,
        other: &Others,
        plan: &Arc<Plan>,
        callers: Callers,
    ) -> (RuleId, Arc<FreshText>) {
        let forbidden = self.json.forbidden.clone();
        let (inner, refusal): (Arc<dyn ImplicitBody>, _) = match other.keys {
            None => {
                let body = KeyBody {
                    forbidden,
                    plan: plan.clone(),
                    plain: self.json.key(self.builder),
                };
                (Arc::new(body), Refusal::Whole)
            }
            Some(keys) => {
                let language = self.model.language(keys);
                let any = &StringSet::ANY;
                let body = self.one_way(any, language);
                (Arc::new(body), refusal(Some(language), any))
            }
        };
        let plain = self.rule("key", inner.clone());
        let fresh = FreshText::new(inner, plain, Edge::Quoted, refusal, callers);
        let fresh = Arc::new(fresh);
        (self.rule("fresh key", fresh.clone()), fresh)
    }
}

/// When a string of `language` within the bounds of `set` is refused that was read before.
fn refusal(language: Option<&Language>, set: &StringSet) -> Refusal {
    let endless = language.is_none_or(|language| language.is_flat() && language.dfa.is_endless());
    match endless && set.most == u32::MAX {
        true => Refusal::Whole,
        false => Refusal::Beginning,
    }
}
