//! The rules that all schemas of one grammar share: strings, numbers, any value.

use std::sync::{Arc, OnceLock};

use smallvec::smallvec;

use super::array::ArrayBody;
use super::fresh::{Callers, Edge, FreshText};
use super::lead::{Lead, SpaceBody, Spaces};
use super::literal::LiteralBody;
use super::lowered::Lowered;
use super::number::{NumberBody, PlainNumber};
use super::object::{ObjectBody, OtherRules, Plan};
use super::pattern::{Like, PatternBody};
use super::spelling::{Escapes, Forbidden};
use super::string::StringBody;
use super::union::UnionBody;
use crate::base::{RuleId, SmallMap};
use crate::front::json_schema::config::{self, Numbers, PropertyOrder, SchemaConfig, Whitespace};
use crate::front::json_schema::error::SchemaError;
use crate::front::json_schema::model::Model;
use crate::front::json_schema::normal;
use crate::front::json_schema::number_set::NumberSet;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::shape::{Choice, Hits};
use crate::front::json_schema::space::SpacePattern;
use crate::front::json_schema::values::{Language, SetId, StringSet};
use crate::grammar::{GrammarBuilder, ImplicitBody, Refusal};
use crate::regular::Dfa;

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
    whitespace: Whitespace,
    escapes: config::Escapes,
    numbers: Numbers,
    /// How `null`, `false` and `true` are written.
    words: [&'static str; 3],
    pub(super) order: PropertyOrder,
    pub(super) forbidden: Arc<Forbidden>,
    leaves: SmallMap<Leaf, RuleId>,
    fresh_key: Option<(RuleId, Arc<FreshText>)>,
    /// The rules of what is written within strings.
    within: Option<Box<JsonRules>>,
}

/// A rule that no schema is needed for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Leaf {
    Space,
    Key,
    Text(Escapes),
    String(Lead, u32, u32),
    Number(Lead, Arc<NumberSet>),
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
            whitespace: config.whitespace.clone(),
            escapes: config.escapes,
            numbers: config.numbers,
            words: ["null", "false", "true"],
            order: config.order,
            forbidden: Arc::new(Forbidden::new(&config.forbidden)),
            leaves: SmallMap::default(),
            fresh_key: None,
            within: None,
        })
    }

    /// The same with the words of Python, and with those escapes alone that mean the same in both: in Python a
    /// backslash before a slash is a character of the text.
    pub(crate) fn of_python(self) -> Self {
        Self {
            words: ["None", "False", "True"],
            escapes: config::Escapes::Minimal,
            ..self
        }
    }

    /// The rules of what is written within strings so.
    pub(super) fn within(&mut self) -> &mut Self {
        let within = self.within.take().unwrap_or_else(|| {
            Box::new(Self {
                whitespace: self.whitespace.clone(),
                escapes: self.escapes,
                numbers: self.numbers,
                words: self.words,
                order: self.order,
                forbidden: self.forbidden.clone(),
                leaves: SmallMap::default(),
                fresh_key: None,
                within: None,
            })
        });
        self.within.insert(within)
    }

    /// The rule of any JSON value, without white space around it.
    pub fn value(&mut self, builder: &mut GrammarBuilder) -> RuleId {
        let known = self.leaves.get(&Leaf::Value(Lead::Bare)).copied();
        known.unwrap_or_else(|| self.any_value(Lead::Bare, &self.all_values(), builder))
    }

    /// The rule of any JSON object, without white space around it.
    pub fn object(&mut self, builder: &mut GrammarBuilder) -> RuleId {
        let known = self.leaves.get(&Leaf::Object(Lead::Bare)).copied();
        known.unwrap_or_else(|| self.any_object(Lead::Bare, &self.all_values(), builder))
    }

    /// The schema of all values.
    fn all_values(&self) -> Arc<Model> {
        let config = SchemaConfig {
            order: self.order,
            ..SchemaConfig::default()
        };
        let model = normal::read("true", &config);
        model.expect("`true` is a schema, and within the default limits")
    }

    /// How values begin inside another value.
    pub(super) fn inner_lead(&self) -> Lead {
        match self.whitespace {
            Whitespace::Compact | Whitespace::Pretty | Whitespace::Pattern(_) => Lead::Bare,
            Whitespace::Json => Lead::Spaced,
        }
    }

    /// White space inside values.
    pub(super) fn spaces(&mut self, builder: &mut GrammarBuilder) -> Spaces {
        match &self.whitespace {
            Whitespace::Compact => return Spaces::None,
            Whitespace::Json => return Spaces::Any,
            Whitespace::Pretty | Whitespace::Pattern(_) => {}
        }
        let body = |rules: &mut Self, _: &mut GrammarBuilder| -> Arc<dyn ImplicitBody> {
            Arc::new(SpaceBody(match &rules.whitespace {
                Whitespace::Pattern(pattern) => pattern.language().clone(),
                _ => SpacePattern::pretty().language().clone(),
            }))
        };
        Spaces::Rule(self.leaf(Leaf::Space, "white space", builder, body))
    }

    /// The escapes of strings of which more is asked than their length.
    pub(super) fn escapes(&self) -> Escapes {
        match self.escapes {
            config::Escapes::Minimal | config::Escapes::Free => Escapes::Minimal,
            config::Escapes::All => Escapes::All,
        }
    }

    fn leaf(
        &mut self,
        leaf: Leaf,
        name: &'static str,
        builder: &mut GrammarBuilder,
        body: impl FnOnce(&mut Self, &mut GrammarBuilder) -> Arc<dyn ImplicitBody>,
    ) -> RuleId {
        if let Some(&rule) = self.leaves.get(&leaf) {
            return rule;
        }
        let rule = self.declare(leaf, name, builder);
        let body = body(self, builder);
        builder.define_implicit(rule, body);
        rule
    }

    /// Declares the rule of a leaf.
    fn declare(&mut self, leaf: Leaf, name: &'static str, builder: &mut GrammarBuilder) -> RuleId {
        let rule = builder.declare(name);
        self.leaves.insert(leaf, rule);
        rule
    }

    pub(super) fn string(
        &mut self,
        lead: Lead,
        least: u32,
        most: u32,
        builder: &mut GrammarBuilder,
    ) -> RuleId {
        let escapes = match self.escapes {
            config::Escapes::Minimal => Escapes::Minimal,
            config::Escapes::Free | config::Escapes::All => Escapes::All,
        };
        // What is forbidden has an escape, though it be one that no text needs.
        let few = escapes == Escapes::Minimal && !self.forbidden.is_empty();
        self.leaf(
            Leaf::String(lead, least, most),
            "string",
            builder,
            |rules, builder| {
                let bounded = least > 0 || most < u32::MAX;
                let plain = bounded.then(|| rules.string(lead, 0, u32::MAX, builder));
                let forbidden = rules.forbidden.clone();
                if few {
                    let set = StringSet {
                        least,
                        most,
                        ..StringSet::ANY
                    };
                    let language = all_text();
                    let like = Like {
                        unbounded: plain,
                        ..Like::default()
                    };
                    let body = PatternBody::new((lead, escapes), forbidden, &set, &language, like);
                    return Arc::new(body);
                }
                Arc::new(StringBody {
                    lead,
                    escapes,
                    forbidden,
                    least,
                    most,
                    plain,
                })
            },
        )
    }

    /// What strings of `language`, so spelt, are like that are of any length.
    pub(super) fn like(
        &mut self,
        escapes: Escapes,
        language: &Language,
        builder: &mut GrammarBuilder,
    ) -> Like {
        // Who cannot begin in any way can hardly go on in any, without an end to the asking.
        let first = language.dfa.ranges(language.dfa.start());
        let ascii: usize = first
            .take_while(|(lo, ..)| lo.is_ascii())
            .map(|(lo, hi, _)| usize::from(hi.min(0x7F) - lo) + 1)
            .sum();
        if ascii < 0x80 || !language.is_flat() {
            return Like::default();
        }
        let rule = self.leaf(Leaf::Text(escapes), "text", builder, |rules, _| {
            let (spelt, forbidden) = ((Lead::Bare, escapes), rules.forbidden.clone());
            let (any, text) = (&StringSet::ANY, all_text());
            Arc::new(PatternBody::new(
                spelt,
                forbidden,
                any,
                &text,
                Like::default(),
            ))
        });
        Like {
            text: Some(rule),
            ..Like::default()
        }
    }

    /// The rule of any key.
    pub(super) fn key(&mut self, builder: &mut GrammarBuilder) -> RuleId {
        self.leaf(Leaf::Key, "key", builder, |rules, _| {
            Arc::new(rules.any_key_body())
        })
    }

    /// Any key that is not in use yet, with its rule.
    pub(super) fn fresh_key(&mut self, builder: &mut GrammarBuilder) -> (RuleId, Arc<FreshText>) {
        if let Some(known) = &self.fresh_key {
            return known.clone();
        }
        let plain = self.key(builder);
        let inner = Arc::new(self.any_key_body());
        let fresh = FreshText::new(
            inner,
            plain,
            Edge::Quoted,
            Refusal::Whole,
            Callers::Forgetful,
        );
        let fresh = Arc::new(fresh);
        let rule = builder.declare("fresh key");
        builder.define_implicit(rule, fresh.clone());
        self.fresh_key.insert((rule, fresh)).clone()
    }

    fn any_key_body(&self) -> StringBody {
        StringBody {
            lead: Lead::Bare,
            escapes: Escapes::Minimal,
            forbidden: self.forbidden.clone(),
            least: 0,
            most: u32::MAX,
            plain: None,
        }
    }

    /// Strings of so many code points, each spelt in one way only.
    pub(super) fn string_body(
        &mut self,
        least: u32,
        most: u32,
        builder: &mut GrammarBuilder,
    ) -> StringBody {
        let bounded = least > 0 || most < u32::MAX;
        StringBody {
            least,
            most,
            plain: bounded.then(|| self.key(builder)),
            ..self.any_key_body()
        }
    }

    pub(super) fn number(
        &mut self,
        lead: Lead,
        set: &Arc<NumberSet>,
        builder: &mut GrammarBuilder,
    ) -> RuleId {
        let leaf = Leaf::Number(lead, set.clone());
        let body = |rules: &mut Self, _: &mut GrammarBuilder| -> Arc<dyn ImplicitBody> {
            match rules.numbers {
                Numbers::Any => Arc::new(NumberBody::new(lead, set.clone())),
                Numbers::Plain => Arc::new(PlainNumber::new(lead, set.clone())),
            }
        };
        self.leaf(leaf, "number", builder, body)
    }

    /// `null`, `false`, `true`: those of them that are asked for. They are in any model.
    pub(super) fn words(
        &mut self,
        lead: Lead,
        which: [bool; 3],
        model: &Arc<Model>,
        builder: &mut GrammarBuilder,
    ) -> RuleId {
        self.leaf(Leaf::Words(lead, which), "literal", builder, |rules, _| {
            Arc::new(rules.literals((lead, Spaces::None), which, model.clone(), Vec::new()))
        })
    }

    pub(super) fn literals(
        &self,
        (lead, whitespace): (Lead, Spaces),
        which: [bool; 3],
        model: Arc<Model>,
        values: Vec<ValueId>,
    ) -> LiteralBody {
        let words = self.words.into_iter().zip(which);
        LiteralBody {
            names: self.words,
            lead,
            whitespace,
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

    /// The rule of any value; with it those of any array and of any object are made. All values are among
    /// the sets that `model` reaches.
    pub(super) fn any_value(
        &mut self,
        lead: Lead,
        model: &Arc<Model>,
        builder: &mut GrammarBuilder,
    ) -> RuleId {
        if let Some(&rule) = self.leaves.get(&Leaf::Value(lead)) {
            return rule;
        }
        let inner = self.inner_lead();
        if lead != inner {
            self.any_value(inner, model, builder);
        }
        let value = builder.declare("value");
        let array = builder.declare("array");
        let object = builder.declare("object");
        self.leaves.insert(Leaf::Value(lead), value);
        self.leaves.insert(Leaf::Array(lead), array);
        self.leaves.insert(Leaf::Object(lead), object);
        let all = model.alternatives(SetId::ANY);
        let parts = all.and_then(|all| all.arrays.first().zip(all.objects.first()));
        let (&any_array, &any_object) = parts.expect("the model reaches all values");
        let lowered = Arc::new(Lowered {
            model: model.clone(),
            forbidden: self.forbidden.clone(),
            whitespace: self.spaces(builder),
            order: self.order,
            rules: vec![self.leaves.get(&Leaf::Value(inner)).copied()],
        });
        let body = ArrayBody::new(lead, lowered.clone(), any_array);
        builder.define_implicit(array, Arc::new(body));
        let any = Choice {
            set: SetId::ANY,
            hits: Hits::default(),
        };
        let values = smallvec![(lowered.rule(SetId::ANY), any)];
        let plan = Arc::new(Plan::new(lowered, any_object));
        let (key, keys) = self.fresh_key(builder);
        let others = vec![OtherRules {
            class: 0,
            key,
            keys,
            values,
        }];
        let body = ObjectBody { lead, plan, others };
        builder.define_implicit(object, Arc::new(body));
        let string = self.string(lead, 0, u32::MAX, builder);
        let number = self.number(lead, &Arc::default(), builder);
        let words = self.words(lead, [true; 3], model, builder);
        let rules = vec![string, number, words, array, object];
        builder.define_implicit(value, Arc::new(UnionBody::of(rules)));
        value
    }

    /// The rule of any array, as with [`Self::any_value`].
    pub(super) fn any_array(
        &mut self,
        lead: Lead,
        model: &Arc<Model>,
        builder: &mut GrammarBuilder,
    ) -> RuleId {
        self.any_value(lead, model, builder);
        self.leaves[&Leaf::Array(lead)]
    }

    /// The rule of any object, as with [`Self::any_value`].
    pub(super) fn any_object(
        &mut self,
        lead: Lead,
        model: &Arc<Model>,
        builder: &mut GrammarBuilder,
    ) -> RuleId {
        self.any_value(lead, model, builder);
        self.leaves[&Leaf::Object(lead)]
    }
}

/// All texts, as a language that stands nowhere. That they have all lengths need not be said.
fn all_text() -> Language {
    Language::new(Dfa::utf8_text(), ValueId::new(0))
}
