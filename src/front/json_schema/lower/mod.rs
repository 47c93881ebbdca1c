//! From normal forms to rules: one small body per distinct set of values, made when visited.

mod array;
mod key;
mod literal;
mod number;
mod object;
mod pattern;
mod spelling;
mod string;
mod union;

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use self::array::ArrayBody;
use self::key::KeyBody;
use self::literal::LiteralBody;
use self::number::NumberBody;
use self::object::{ObjectBody, Plan};
use self::pattern::PatternBody;
use self::spelling::{Escapes, Forbidden, state};
use self::string::StringBody;
use self::union::UnionBody;
use super::normal::{Alternatives, ArrayId, Model, NumberId, ObjectId, StringId};
use super::values::{ArraySet, NumberSet, ObjectSet, SetId, StringSet};
use super::{CompiledSchema, SchemaConfig, SchemaError, Whitespace};
use crate::base::RuleId;
use crate::grammar::{GrammarBuilder, ImplicitBody, Node, Words};
use crate::regular::Lengths;

/// The first words of descriptions: one per kind of body.
mod tag {
    pub(super) const STRING: u32 = 0x4a53_0001;
    pub(super) const KEY: u32 = 0x4a53_0002;
    pub(super) const PATTERN: u32 = 0x4a53_0003;
    pub(super) const NUMBER: u32 = 0x4a53_0004;
    pub(super) const LITERAL: u32 = 0x4a53_0005;
    pub(super) const ARRAY: u32 = 0x4a53_0006;
    pub(super) const OBJECT: u32 = 0x4a53_0007;
    pub(super) const UNION: u32 = 0x4a53_0008;
}

/// White space inside a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Spaces {
    None,
    Any,
}

impl Spaces {
    fn edges(self, node: &mut Node<Words>, to: &Words) {
        if self == Self::Any {
            node.range(b'\t', b'\n', to.clone());
            node.byte(b'\r', to.clone());
            node.byte(b' ', to.clone());
        }
    }
}

/// White space before a value: part of its rule, so that a rule's masks cover it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Lead {
    Bare,
    Spaced,
}

impl Lead {
    fn edges(self, node: &mut Node<Words>, to: &Words) {
        if self == Self::Spaced {
            Spaces::Any.edges(node, to);
        }
    }

    /// Where a string begins.
    fn start(self) -> u32 {
        match self {
            Self::Bare => state::BARE,
            Self::Spaced => state::LEAD,
        }
    }
}

/// What the bodies of one schema share.
#[derive(Debug)]
struct Lowered {
    model: Arc<Model>,
    forbidden: Arc<Forbidden>,
    whitespace: Spaces,
    /// Per set of values, its rule where it stands inside another value.
    rules: Vec<Option<RuleId>>,
}

impl Lowered {
    fn rule(&self, set: SetId) -> RuleId {
        self.rules[set.index()].expect("sets that have members have rules")
    }
}

/// The rules that all schemas of one grammar share: strings, numbers, any value.
///
/// One is made per [`GrammarBuilder`], and its rules belong to that builder alone.
///
/// ```
/// use maskwright::base::Limits;
/// use maskwright::front::json_schema::{JsonRules, SchemaConfig, compile};
/// use maskwright::grammar::GrammarBuilder;
/// let config = SchemaConfig::default();
/// let mut builder = GrammarBuilder::new(Limits::default());
/// let mut rules = JsonRules::new(&config)?;
/// let person = compile(r#"{"type": "object", "properties": {"age": {"minimum": 0}}}"#, &config)?;
/// let root = person.lower_into(&mut rules, &mut builder);
/// let grammar = builder.finish(root)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct JsonRules {
    whitespace: Spaces,
    forbidden: Arc<Forbidden>,
    /// The schema of all values.
    any: CompiledSchema,
    leaves: FxHashMap<Leaf, RuleId>,
}

/// A rule that no schema is needed for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Leaf {
    Key,
    String(Lead, u32, u32),
    Number(Lead, NumberSet),
    Words(Lead, [bool; 3]),
    Value(Lead),
    Array(Lead),
    Object(Lead),
}

impl JsonRules {
    /// No rules yet.
    ///
    /// # Errors
    /// A forbidden text that is empty or has a backslash in it: no escape can replace it.
    pub fn new(config: &SchemaConfig) -> Result<Self, SchemaError> {
        if config
            .forbidden
            .iter()
            .any(|text| text.is_empty() || text.contains('\\'))
        {
            return Err(SchemaError::malformed(
                "forbidden",
                "#".to_owned(),
                "must name texts that are not empty and have no backslash",
            ));
        }
        Ok(Self {
            whitespace: match config.whitespace {
                Whitespace::Compact => Spaces::None,
                Whitespace::Json => Spaces::Any,
            },
            forbidden: Arc::new(Forbidden::new(&config.forbidden)),
            any: CompiledSchema::any(config)?,
            leaves: FxHashMap::default(),
        })
    }

    /// The rule of any JSON value, without white space around it.
    pub fn value(&mut self, builder: &mut GrammarBuilder) -> RuleId {
        self.any_value(Lead::Bare, builder)
    }

    /// The rule of any JSON object, without white space around it.
    pub fn object(&mut self, builder: &mut GrammarBuilder) -> RuleId {
        self.any_value(Lead::Bare, builder);
        self.leaves[&Leaf::Object(Lead::Bare)]
    }

    /// How values begin inside another value.
    fn inner_lead(&self) -> Lead {
        match self.whitespace {
            Spaces::None => Lead::Bare,
            Spaces::Any => Lead::Spaced,
        }
    }

    fn leaf(
        &mut self,
        leaf: Leaf,
        name: &str,
        builder: &mut GrammarBuilder,
        body: impl FnOnce(&mut Self, &mut GrammarBuilder) -> Arc<dyn ImplicitBody>,
    ) -> RuleId {
        if let Some(&rule) = self.leaves.get(&leaf) {
            return rule;
        }
        let rule = builder.declare(name);
        self.leaves.insert(leaf, rule);
        let body = body(self, builder);
        builder.define_implicit(rule, body);
        rule
    }

    fn string(
        &mut self,
        lead: Lead,
        least: u32,
        most: u32,
        builder: &mut GrammarBuilder,
    ) -> RuleId {
        self.leaf(
            Leaf::String(lead, least, most),
            "string",
            builder,
            |rules, builder| {
                let bounded = least > 0 || most < u32::MAX;
                let plain = bounded.then(|| rules.string(lead, 0, u32::MAX, builder));
                Arc::new(StringBody {
                    lead,
                    escapes: Escapes::All,
                    forbidden: rules.forbidden.clone(),
                    least,
                    most,
                    plain,
                })
            },
        )
    }

    fn key(&mut self, builder: &mut GrammarBuilder) -> RuleId {
        self.leaf(Leaf::Key, "key", builder, |rules, _| {
            Arc::new(StringBody {
                lead: Lead::Bare,
                escapes: Escapes::Minimal,
                forbidden: rules.forbidden.clone(),
                least: 0,
                most: u32::MAX,
                plain: None,
            })
        })
    }

    fn number(&mut self, lead: Lead, set: &NumberSet, builder: &mut GrammarBuilder) -> RuleId {
        self.leaf(
            Leaf::Number(lead, set.clone()),
            "number",
            builder,
            |_, _| Arc::new(NumberBody::new(lead, set)),
        )
    }

    /// `null`, `false`, `true`: those of them that are asked for.
    fn words(&mut self, lead: Lead, which: [bool; 3], builder: &mut GrammarBuilder) -> RuleId {
        self.leaf(Leaf::Words(lead, which), "literal", builder, |rules, _| {
            Arc::new(rules.literals(lead, which, rules.any.model.clone(), Vec::new()))
        })
    }

    fn literals(
        &self,
        lead: Lead,
        which: [bool; 3],
        model: Arc<Model>,
        values: Vec<super::reader::ValueId>,
    ) -> LiteralBody {
        let words = ["null", "false", "true"].into_iter().zip(which);
        LiteralBody {
            lead,
            whitespace: self.whitespace,
            forbidden: self.forbidden.clone(),
            words: words
                .filter(|(_, asked)| *asked)
                .map(|(word, _)| word)
                .collect(),
            model,
            values,
            spellings: OnceLock::new(),
        }
    }

    /// The rule of any value; with it those of any array and of any object are made.
    fn any_value(&mut self, lead: Lead, builder: &mut GrammarBuilder) -> RuleId {
        if let Some(&rule) = self.leaves.get(&Leaf::Value(lead)) {
            return rule;
        }
        let inner = self.inner_lead();
        if lead != inner {
            self.any_value(inner, builder);
        }
        let value = builder.declare("value");
        let array = builder.declare("array");
        let object = builder.declare("object");
        self.leaves.insert(Leaf::Value(lead), value);
        self.leaves.insert(Leaf::Array(lead), array);
        self.leaves.insert(Leaf::Object(lead), object);
        let lowered = Arc::new(Lowered {
            model: self.any.model.clone(),
            forbidden: self.forbidden.clone(),
            whitespace: self.whitespace,
            rules: vec![self.leaves.get(&Leaf::Value(inner)).copied()],
        });
        let body = ArrayBody {
            lead,
            lowered: lowered.clone(),
            array: ArrayId::new(0),
        };
        builder.define_implicit(array, Arc::new(body));
        let body = ObjectBody {
            lead,
            additional: Some((self.key(builder), lowered.rule(SetId::ANY))),
            plan: Arc::new(Plan::new(lowered, ObjectId::new(0))),
        };
        builder.define_implicit(object, Arc::new(body));
        let string = self.string(lead, 0, u32::MAX, builder);
        let number = self.number(lead, &NumberSet::default(), builder);
        let words = self.words(lead, [true; 3], builder);
        let rules = vec![string, number, words, array, object];
        builder.define_implicit(value, Arc::new(UnionBody { rules }));
        value
    }

    fn any_array(&mut self, lead: Lead, builder: &mut GrammarBuilder) -> RuleId {
        self.any_value(lead, builder);
        self.leaves[&Leaf::Array(lead)]
    }

    fn any_object(&mut self, lead: Lead, builder: &mut GrammarBuilder) -> RuleId {
        self.any_value(lead, builder);
        self.leaves[&Leaf::Object(lead)]
    }
}

/// Spells a string as JSON, with as few escapes as there can be.
pub(super) fn spell(text: &str) -> String {
    String::from_utf8_lossy(&Forbidden::new(&[]).spell(text)).into_owned()
}

/// Lowers `model` and gives the rule of its root, without white space around it.
pub(super) fn lower(
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
                let gapless = |lengths: &Arc<Lengths>| lengths.are_upward_closed();
                let unbounded = match set.is_bounded() && language.lengths.iter().any(gapless) {
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
        let live = super::emptiness::array_has_member(array, |set| self.model.inhabited(set));
        live.then(|| self.composite("array", Composite::Array(id), lead))
    }

    fn object(&mut self, id: ObjectId, lead: Lead) -> Option<RuleId> {
        let object = self.model.object(id);
        if *object == ObjectSet::ANY {
            return Some(self.json.any_object(lead, self.builder));
        }
        let live = super::emptiness::object_has_member(object, |set| self.model.inhabited(set));
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
