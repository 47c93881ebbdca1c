//! JSON to a tree of nodes.

use super::error::StructuralTagError as Error;
use super::node::{AnyText, Count, Free, Json, Mark, Node, Tag, Then, Trigger, Triggered};
use super::style::Style;
use crate::base::{LimitError, Limits, TokenId};
use crate::front::json_schema::{Document, Kind, SchemaError, ValueId, pointer_of};
use crate::grammar::TokenName;

/// Reads a structural tag of the new or of the old form.
pub(super) fn read(text: &str, limits: &Limits) -> Result<Node, Error> {
    let document = Document::read(text, limits).map_err(|error| match error {
        SchemaError::Json { reason, span } => Error::Json {
            reason,
            place: span.line_column(text),
        },
        SchemaError::Limit { source, .. } => Error::Limit(source),
        other => Error::Shape {
            pointer: "#".to_owned(),
            expected: other.to_string(),
        },
    })?;
    let reader = Reader {
        document: &document,
        most: u32::try_from(limits.automaton_states).unwrap_or(u32::MAX),
    };
    reader.root(document.root())
}

struct Reader<'d> {
    document: &'d Document,
    /// The greatest number that a node may give.
    most: u32,
}

/// The members of an object, by the names that are known there.
struct Fields<'r, 'd> {
    reader: &'r Reader<'d>,
    object: ValueId,
}

impl<'d> Reader<'d> {
    fn root(&self, value: ValueId) -> Result<Node, Error> {
        if self.document.get(value, "structures").is_some() {
            return self.old_form(value);
        }
        let fields = self.fields(value, &["type", "format"])?;
        fields.is_called("structural_tag")?;
        self.node(fields.needed("format")?)
    }

    /// `structures` and `triggers`.
    fn old_form(&self, value: ValueId) -> Result<Node, Error> {
        let known = ["type", "structures", "triggers", "at_least_one"];
        let fields = self.fields(value, &known)?;
        fields.is_called("structural_tag")?;
        let structures = self.array(fields.needed("structures")?)?;
        let tags = structures
            .map(|structure| self.structure(structure))
            .collect::<Result<Vec<_>, _>>()?;
        let triggers = self.texts(fields.needed("triggers")?)?;
        let triggers = triggers.into_iter().map(Mark::Text).collect();
        let count = Count::new(fields.flag("at_least_one")?, false);
        let free = Free::TextBut(Vec::new());
        self.triggered(value, triggers, tags, free, count)
    }

    fn structure(&self, value: ValueId) -> Result<Tag, Error> {
        let fields = self.fields(value, &["begin", "schema", "end"])?;
        let schema = fields.needed("schema")?;
        Ok(Tag {
            begin: Mark::Text(self.text(fields.needed("begin")?)?),
            content: Box::new(Node::Json(Json {
                schema: self.document.raw(schema).to_owned(),
                style: None,
                any_order: false,
                most_space: None,
                excludes: Vec::new(),
                pointer: self.pointer(schema),
            })),
            ends: vec![Mark::Text(self.text(fields.needed("end")?)?)],
            pointer: self.pointer(value),
        })
    }

    fn node(&self, value: ValueId) -> Result<Node, Error> {
        self.expect(value, Kind::Object, "a format, which is an object")?;
        let Some(kind) = self.document.get(value, "type") else {
            return Err(self.shape(value, "a format with a `type`"));
        };
        let name = self.text(kind)?;
        match name.as_str() {
            "const_string" => {
                let fields = self.fields(value, &["type", "value"])?;
                Ok(Node::Const(self.text(fields.needed("value")?)?))
            }
            "json_schema" | "qwen_xml_parameter" => self.json(value, &name),
            "any_text" => self.any_text(value),
            "regex" => {
                let fields = self.fields(value, &["type", "pattern"])?;
                let pattern = fields.needed("pattern")?;
                Ok(Node::Regex {
                    pattern: self.text(pattern)?,
                    pointer: self.pointer(pattern),
                })
            }
            "grammar" => {
                let fields = self.fields(value, &["type", "grammar"])?;
                let grammar = fields.needed("grammar")?;
                Ok(Node::Ebnf {
                    grammar: self.text(grammar)?,
                    pointer: self.pointer(grammar),
                })
            }
            "sequence" | "or" => {
                let fields = self.fields(value, &["type", "elements"])?;
                let elements = self.array(fields.needed("elements")?)?;
                let elements = elements.map(|e| self.node(e)).collect::<Result<_, _>>()?;
                Ok(match name.as_str() {
                    "or" => Node::Or(elements),
                    _ => Node::Sequence(elements),
                })
            }
            "optional" | "plus" | "star" | "repeat" => self.repeat(value, &name),
            "tag" => Ok(Node::Tag(self.tag(value)?)),
            "triggered_tags" => self.triggered_tags(value),
            "tags_with_separator" => self.separated(value),
            "dispatch" => self.dispatch(value),
            "token" => {
                let fields = self.fields(value, &["type", "token"])?;
                Ok(Node::Token(self.token(fields.needed("token")?)?))
            }
            "exclude_token" | "any_tokens" => self.tokens_but(value, &name),
            "token_triggered_tags" => self.token_triggered_tags(value),
            "token_dispatch" => self.token_dispatch(value),
            _ => Err(Error::Unknown {
                pointer: self.pointer(kind),
                what: "the kind of format",
                name,
                known: KINDS.to_owned(),
            }),
        }
    }

    fn json(&self, value: ValueId, kind: &str) -> Result<Node, Error> {
        let known = [
            "type",
            "json_schema",
            "style",
            "any_order",
            "max_whitespace_cnt",
            "excludes",
        ];
        let fields = self.fields(value, &known)?;
        let style = match fields.given("style") {
            Some(style) => self.text(style)?,
            None if kind == "json_schema" => "json".to_owned(),
            None => "qwen_xml".to_owned(),
        };
        let known = Style::named(&style);
        if style != "json" && known.is_none() {
            return Err(Error::Unsupported {
                pointer: self.pointer(fields.given("style").unwrap_or(value)),
                what: format!("the argument style `{style}`"),
            });
        }
        let schema = fields.needed("json_schema")?;
        Ok(Node::Json(Json {
            schema: self.document.raw(schema).to_owned(),
            style: known,
            any_order: fields.flag("any_order")?,
            most_space: fields.number("max_whitespace_cnt")?,
            excludes: fields.texts("excludes")?,
            pointer: self.pointer(schema),
        }))
    }

    fn any_text(&self, value: ValueId) -> Result<Node, Error> {
        let fields = self.fields(value, &["type", "excludes", "max_tokens", "max_chars"])?;
        if let Some(tokens) = fields.given("max_tokens") {
            return Err(Error::Unsupported {
                pointer: self.pointer(tokens),
                what: "a bound on the tokens of a text".to_owned(),
            });
        }
        Ok(Node::AnyText(AnyText {
            excludes: fields.texts("excludes")?,
            most_characters: fields.number("max_chars")?,
        }))
    }

    fn repeat(&self, value: ValueId, kind: &str) -> Result<Node, Error> {
        let (known, bounds): (&[&str], _) = match kind {
            "optional" => (&["type", "content"], Some((0, Some(1)))),
            "plus" => (&["type", "content"], Some((1, None))),
            "star" => (&["type", "content"], Some((0, None))),
            _ => (&["type", "content", "min", "max"], None),
        };
        let fields = self.fields(value, known)?;
        let (least, most) = match bounds {
            Some(bounds) => bounds,
            // Any negative number means that there is no bound.
            None => (
                fields.number("min")?.unwrap_or(0),
                match fields.given("max") {
                    Some(max) if self.document.raw(max).starts_with('-') => None,
                    _ => fields.number("max")?,
                },
            ),
        };
        if most.is_some_and(|most| most < least) {
            return Err(Error::Conflict {
                pointer: self.pointer(value),
                reason: "`max` is less than `min`".to_owned(),
            });
        }
        Ok(Node::Repeat {
            content: Box::new(self.node(fields.needed("content")?)?),
            least,
            most,
        })
    }

    fn tag(&self, value: ValueId) -> Result<Tag, Error> {
        let fields = self.fields(value, &["type", "begin", "content", "end"])?;
        fields.is_called("tag")?;
        let end = fields.needed("end")?;
        let ends = match self.document.kind(end) {
            Kind::Array => {
                let ends = self.document.elements(end);
                ends.map(|end| self.mark(end)).collect::<Result<_, _>>()?
            }
            _ => vec![self.mark(end)?],
        };
        if ends.is_empty() {
            return Err(self.shape(end, "at least one end"));
        }
        Ok(Tag {
            begin: self.mark(fields.needed("begin")?)?,
            content: Box::new(self.node(fields.needed("content")?)?),
            ends,
            pointer: self.pointer(value),
        })
    }

    fn triggered_tags(&self, value: ValueId) -> Result<Node, Error> {
        let known = [
            "type",
            "triggers",
            "tags",
            "at_least_one",
            "stop_after_first",
            "excludes",
        ];
        let fields = self.fields(value, &known)?;
        let triggers = self.texts(fields.needed("triggers")?)?;
        let triggers = triggers.into_iter().map(Mark::Text).collect();
        let free = Free::TextBut(fields.texts("excludes")?);
        let tags = self.tags(fields.needed("tags")?)?;
        self.triggered(value, triggers, tags, free, fields.count()?)
    }

    fn token_triggered_tags(&self, value: ValueId) -> Result<Node, Error> {
        let known = [
            "type",
            "trigger_tokens",
            "tags",
            "at_least_one",
            "stop_after_first",
            "exclude_tokens",
        ];
        let fields = self.fields(value, &known)?;
        let triggers = self.tokens(fields.needed("trigger_tokens")?)?;
        let triggers = triggers.into_iter().map(Mark::Token).collect();
        let free = Free::TokensBut(fields.tokens("exclude_tokens")?);
        let tags = self.tags(fields.needed("tags")?)?;
        self.triggered(value, triggers, tags, free, fields.count()?)
    }

    /// Gives each tag to the one trigger that its beginning starts with.
    fn triggered(
        &self,
        at: ValueId,
        triggers: Vec<Mark>,
        tags: Vec<Tag>,
        free: Free,
        count: Count,
    ) -> Result<Node, Error> {
        if triggers.is_empty() || triggers.contains(&Mark::Text(String::new())) {
            return Err(self.shape(at, "triggers, none of which is empty"));
        }
        let starts = |tag: &Tag, trigger: &Mark| match (&tag.begin, trigger) {
            (Mark::Text(begin), Mark::Text(trigger)) => begin.starts_with(trigger.as_str()),
            (begin, trigger) => begin == trigger,
        };
        let mut by_trigger: Vec<Trigger> = Vec::new();
        for mark in triggers {
            if by_trigger.iter().all(|trigger| trigger.mark != mark) {
                let then = Then::Tags(Vec::new());
                by_trigger.push(Trigger { mark, then });
            }
        }
        for tag in tags {
            let fits = |(_, trigger): &(usize, &Trigger)| starts(&tag, &trigger.mark);
            let mut found = by_trigger.iter().enumerate().filter(fits).map(|(i, _)| i);
            let (Some(first), None) = (found.next(), found.next()) else {
                return Err(Error::Conflict {
                    pointer: tag.pointer,
                    reason: "the tag's `begin` must start with exactly one of the triggers"
                        .to_owned(),
                });
            };
            if let Then::Tags(tags) = &mut by_trigger[first].then {
                tags.push(tag);
            }
        }
        Ok(Node::Triggered(Triggered {
            triggers: by_trigger,
            free,
            count,
        }))
    }

    fn separated(&self, value: ValueId) -> Result<Node, Error> {
        let known = [
            "type",
            "tags",
            "separator",
            "at_least_one",
            "stop_after_first",
        ];
        let fields = self.fields(value, &known)?;
        Ok(Node::Separated {
            tags: self.tags(fields.needed("tags")?)?,
            separator: self.text(fields.needed("separator")?)?,
            count: fields.count()?,
        })
    }

    fn dispatch(&self, value: ValueId) -> Result<Node, Error> {
        let fields = self.fields(value, &["type", "rules", "loop", "excludes"])?;
        let free = Free::TextBut(fields.texts("excludes")?);
        let mark = |reader: &Self, value| Ok(Mark::Text(reader.text(value)?));
        self.dispatched(&fields, free, mark)
    }

    fn token_dispatch(&self, value: ValueId) -> Result<Node, Error> {
        let fields = self.fields(value, &["type", "rules", "loop", "exclude_tokens"])?;
        let free = Free::TokensBut(fields.tokens("exclude_tokens")?);
        let mark = |reader: &Self, value| Ok(Mark::Token(reader.token(value)?));
        self.dispatched(&fields, free, mark)
    }

    fn dispatched(
        &self,
        fields: &Fields<'_, 'd>,
        free: Free,
        mark: impl Fn(&Self, ValueId) -> Result<Mark, Error>,
    ) -> Result<Node, Error> {
        let mut triggers: Vec<Trigger> = Vec::new();
        let rules = fields.needed("rules")?;
        for rule in self.array(rules)? {
            let mut pair = self.document.elements(rule);
            let (Some(pattern), Some(node), None) = (pair.next(), pair.next(), pair.next()) else {
                return Err(self.shape(rule, "a pattern and a format"));
            };
            let mark = mark(self, pattern)?;
            if mark == Mark::Text(String::new()) {
                return Err(self.shape(pattern, "a pattern that is not empty"));
            }
            if triggers.iter().any(|trigger| trigger.mark == mark) {
                return Err(self.shape(pattern, "a pattern that no other rule has"));
            }
            let then = Then::Node(Box::new(self.node(node)?));
            triggers.push(Trigger { mark, then });
        }
        if triggers.is_empty() {
            return Err(self.shape(rules, "at least one rule"));
        }
        let again = fields.given("loop").is_none() || fields.flag("loop")?;
        Ok(Node::Triggered(Triggered {
            triggers,
            free,
            count: if again { Count::Any } else { Count::AtMostOne },
        }))
    }

    fn tokens_but(&self, value: ValueId, kind: &str) -> Result<Node, Error> {
        let one = kind == "exclude_token";
        let known: &[&str] = match one {
            true => &["type", "exclude_tokens"],
            false => &["type", "exclude_tokens", "max_tokens"],
        };
        let fields = self.fields(value, known)?;
        let (least, most) = match one {
            true => (1, Some(1)),
            false => (0, fields.number("max_tokens")?),
        };
        Ok(Node::TokensBut {
            excluded: fields.tokens("exclude_tokens")?,
            least,
            most,
        })
    }

    fn tags(&self, value: ValueId) -> Result<Vec<Tag>, Error> {
        self.array(value)?.map(|tag| self.tag(tag)).collect()
    }

    /// A text, or a token node.
    fn mark(&self, value: ValueId) -> Result<Mark, Error> {
        if self.document.kind(value) != Kind::Object {
            return Ok(Mark::Text(self.text(value)?));
        }
        let fields = self.fields(value, &["type", "token"])?;
        fields.is_called("token")?;
        Ok(Mark::Token(self.token(fields.needed("token")?)?))
    }

    /// A token by its id or its text.
    fn token(&self, value: ValueId) -> Result<TokenName, Error> {
        if let Some(text) = self.document.string(value) {
            return Ok(TokenName::Text(text.into_owned()));
        }
        let id = self.document.raw(value).parse();
        let id = id.map_err(|_| self.shape(value, "a token's id or text"))?;
        Ok(TokenName::Id(TokenId::new(id)))
    }

    fn tokens(&self, value: ValueId) -> Result<Vec<TokenName>, Error> {
        self.array(value)?.map(|token| self.token(token)).collect()
    }

    fn texts(&self, value: ValueId) -> Result<Vec<String>, Error> {
        self.array(value)?.map(|text| self.text(text)).collect()
    }

    fn text(&self, value: ValueId) -> Result<String, Error> {
        match self.document.string(value) {
            Some(text) => Ok(text.into_owned()),
            None => Err(self.shape(value, "a string")),
        }
    }

    fn array(&self, value: ValueId) -> Result<impl Iterator<Item = ValueId> + '_, Error> {
        self.expect(value, Kind::Array, "an array")?;
        Ok(self.document.elements(value))
    }

    /// The members of an object all of whose names are known.
    fn fields(&self, object: ValueId, known: &[&str]) -> Result<Fields<'_, 'd>, Error> {
        self.expect(object, Kind::Object, "an object")?;
        for (key, value) in self.document.members(object) {
            let name = self.document.string(key).unwrap_or_default();
            if !known.contains(&&*name) {
                return Err(Error::Unknown {
                    pointer: self.pointer(value),
                    what: "the key",
                    name: name.into_owned(),
                    known: quoted(known),
                });
            }
        }
        Ok(Fields {
            reader: self,
            object,
        })
    }

    fn expect(&self, value: ValueId, kind: Kind, what: &str) -> Result<(), Error> {
        match self.document.kind(value) == kind {
            true => Ok(()),
            false => Err(self.shape(value, what)),
        }
    }

    fn shape(&self, value: ValueId, expected: impl Into<String>) -> Error {
        Error::Shape {
            pointer: self.pointer(value),
            expected: expected.into(),
        }
    }

    fn pointer(&self, value: ValueId) -> String {
        pointer_of(self.document, value)
    }
}

impl Fields<'_, '_> {
    /// The member with this name; none where it is absent or null.
    fn given(&self, name: &str) -> Option<ValueId> {
        let document = self.reader.document;
        let value = document.get(self.object, name)?;
        (document.kind(value) != Kind::Null).then_some(value)
    }

    fn needed(&self, name: &str) -> Result<ValueId, Error> {
        let missing = || {
            let expected = format!("an object with `{name}`");
            self.reader.shape(self.object, expected)
        };
        self.given(name).ok_or_else(missing)
    }

    /// `type` may be left out where only one is possible.
    fn is_called(&self, name: &str) -> Result<(), Error> {
        match self.given("type") {
            Some(kind) if self.reader.text(kind)? != name => {
                Err(self.reader.shape(kind, format!("\"{name}\"")))
            }
            _ => Ok(()),
        }
    }

    fn flag(&self, name: &str) -> Result<bool, Error> {
        let Some(value) = self.given(name) else {
            return Ok(false);
        };
        match self.reader.document.kind(value) {
            Kind::True => Ok(true),
            Kind::False => Ok(false),
            _ => Err(self.reader.shape(value, "true or false")),
        }
    }

    fn number(&self, name: &str) -> Result<Option<u32>, Error> {
        let Some(value) = self.given(name) else {
            return Ok(None);
        };
        let number: u32 = self.reader.document.raw(value).parse().map_err(|_| {
            let expected = "an integer that is not negative";
            self.reader.shape(value, expected)
        })?;
        let (given, allowed) = (number as usize, self.reader.most as usize);
        LimitError::check("repetitions of a structural tag", given, allowed)?;
        Ok(Some(number))
    }

    fn texts(&self, name: &str) -> Result<Vec<String>, Error> {
        let Some(value) = self.given(name) else {
            return Ok(Vec::new());
        };
        let texts = self.reader.texts(value)?;
        match texts.iter().any(String::is_empty) {
            true => Err(self.reader.shape(value, "strings that are not empty")),
            false => Ok(texts),
        }
    }

    fn tokens(&self, name: &str) -> Result<Vec<TokenName>, Error> {
        self.given(name)
            .map_or(Ok(Vec::new()), |value| self.reader.tokens(value))
    }

    fn count(&self) -> Result<Count, Error> {
        Ok(Count::new(
            self.flag("at_least_one")?,
            self.flag("stop_after_first")?,
        ))
    }
}

const KINDS: &str = "`const_string`, `json_schema`, `any_text`, `regex`, `grammar`, `sequence`, `or`, `optional`, \
                     `plus`, `star`, `repeat`, `tag`, `triggered_tags`, `tags_with_separator`, `dispatch`, `token`, \
                     `exclude_token`, `any_tokens`, `token_triggered_tags`, `token_dispatch`";

fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
