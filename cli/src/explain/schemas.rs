//! The schemas that reasons point into: their texts, and what stands at a pointer.

use std::ops::Range;

use maskwright::base::Limits;
use maskwright::front::chat::ToolSet;

use crate::input::Named;
use crate::json::Json;
use crate::pointer;
use crate::source::{Language, Source};

/// Keywords that say something of what may come, and the rules that they concern; all others are named after what
/// stands in every list.
const KEYWORDS: [(&str, &[&str]); 5] = [
    ("string", &["minLength", "maxLength", "pattern", "format"]),
    (
        "number",
        &[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ],
    ),
    (
        "array",
        &[
            "items",
            "prefixItems",
            "additionalItems",
            "minItems",
            "maxItems",
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "unevaluatedItems",
        ],
    ),
    (
        "object",
        &[
            "required",
            "properties",
            "patternProperties",
            "additionalProperties",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedProperties",
        ],
    ),
    ("", &["type", "const", "enum", "not", "if", "$ref"]),
];

/// How much of a keyword's value is shown.
const WIDTH: usize = 60;

/// A schema that pointers lead into.
pub(super) struct Document {
    /// Whose it is, as reasons name it; none for the schema that is the language, or that of responses.
    subject: Option<String>,
    /// The text, and the pointer of the schema in it.
    text: usize,
    base: String,
}

/// The texts with schemas of a language.
pub(crate) struct Schemas {
    pub(super) texts: Vec<Named>,
    documents: Vec<Document>,
}

/// A place in a schema.
pub(super) struct Place {
    pub(super) pointer: String,
    /// The keywords there that concern the rule, as they are written.
    pub(super) keywords: Vec<(String, String)>,
    /// The text it stands in, and where, in bytes.
    pub(super) span: Option<(usize, Range<usize>)>,
}

impl Schemas {
    /// Those of a language and its request.
    pub(super) fn of(source: &Source) -> Self {
        let mut schemas = Self {
            texts: Vec::new(),
            documents: Vec::new(),
        };
        if let Language::Schema(schema) = &source.language {
            schemas.add(schema, None, "#");
        }
        if let Some(response) = &source.request.response {
            schemas.add(response, None, "#");
        }
        if let Some(tools) = &source.request.tools {
            let set = ToolSet::parse(&tools.text, &Limits::default());
            for tool in set.iter().flat_map(ToolSet::iter) {
                schemas.add(tools, Some(tool.name().to_owned()), tool.pointer());
            }
        }
        schemas
    }

    fn add(&mut self, text: &Named, subject: Option<String>, base: &str) {
        let known = self.texts.iter().position(|known| known == text);
        let text = known.unwrap_or_else(|| {
            self.texts.push(text.clone());
            self.texts.len() - 1
        });
        self.documents.push(Document {
            subject,
            text,
            base: base.to_owned(),
        });
    }

    /// What stands at `pointer` of the schema of `subject` and concerns `rule`.
    pub(super) fn place(&self, subject: Option<&str>, pointer: &str, rule: &str) -> Place {
        let names = |document: &&Document| match (&document.subject, subject) {
            (None, None) => true,
            (Some(own), Some(subject)) => subject.split(", ").any(|subject| subject == own),
            _ => false,
        };
        let document = self.documents.iter().find(names);
        let span = document.and_then(|document| {
            let below = pointer.strip_prefix('#')?;
            let text = &self.texts[document.text].text;
            let found = pointer::find(text, &format!("{}{below}", document.base))?;
            Some((document.text, found))
        });
        let value = span
            .as_ref()
            .map(|(text, span)| &self.texts[*text].text[span.clone()]);
        Place {
            pointer: pointer.to_owned(),
            keywords: value.map_or_else(Vec::new, |value| keywords(value, rule)),
            span,
        }
    }
}

/// The keywords of a subschema that concern a rule of this name.
fn keywords(schema: &str, rule: &str) -> Vec<(String, String)> {
    let Ok(Json::Object(members)) = Json::parse(schema) else {
        return Vec::new();
    };
    let concerns = |keyword: &str| {
        let mut lists = KEYWORDS.iter();
        lists.any(|(kind, keywords)| kind_of(rule).starts_with(kind) && keywords.contains(&keyword))
    };
    let members = members.iter().filter(|(keyword, _)| concerns(keyword));
    members
        .map(|(keyword, value)| (keyword.clone(), shortened(&value.compact())))
        .collect()
}

/// The kind of value that a rule of this name reads.
fn kind_of(rule: &str) -> &str {
    match rule {
        "pattern" | "host name" => "string",
        "item" | "fresh item" => "array",
        "key" | "fresh key" => "object",
        rule => rule,
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
