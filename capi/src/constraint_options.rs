//! `mw_constraint_options`: the struct, its numbers as the enumerations they stand for, and how JSON is to be spelt.

use std::sync::Arc;

use super::failure::Failure;
use super::options::Options;
use super::pointer::slice;
use super::text::MwText;
use maskwright::base::Limits;
use maskwright::front::json_schema::{
    Content, Draft, Escapes, Formats, Numbers, PropertyOrder, SchemaConfig, SchemaDocument,
    SpacePattern, Whitespace,
};
use maskwright::regular::Dialect;

/// `mw_document`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct MwDocument {
    uri: MwText,
    text: MwText,
}

/// `mw_open_call`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct MwOpenCall {
    pub(super) id: MwText,
    pub(super) name: MwText,
}

/// `mw_constraint_options`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct MwConstraintOptions {
    pub(super) size: usize,
    pub(super) format: MwText,
    pub(super) grammar: MwText,
    pub(super) schema: MwText,
    pub(super) stop_tokens: *const u32,
    pub(super) stop_token_count: usize,
    whitespace: i32,
    pub(super) tool_choice: i32,
    pub(super) parallel_calls: i32,
    pub(super) analysis: i32,
    pub(super) start: MwText,
    pub(super) tools: MwText,
    pub(super) tool_name: MwText,
    pub(super) response_schema: MwText,
    pub(super) used_call_ids: *const MwText,
    pub(super) used_call_id_count: usize,
    pub(super) regex: MwText,
    pub(super) choice: MwText,
    pub(super) ebnf: MwText,
    pub(super) structural_tag: MwText,
    pub(super) escapes: i32,
    property_order: i32,
    pub(super) schema_formats: i32,
    numbers: i32,
    pub(super) lark: MwText,
    dialect: i32,
    draft: i32,
    documents: *const MwDocument,
    document_count: usize,
    whitespace_pattern: MwText,
    most_whitespace: u32,
    pub(super) built_in_tools: u32,
    pub(super) profile: i32,
    pub(super) functions_on_analysis: i32,
    pub(super) deadlines: i32,
    pub(super) reflect: i32,
    pub(super) introspect: i32,
    pub(super) reason: i32,
    pub(super) flags: *const MwText,
    pub(super) flag_count: usize,
    pub(super) bos: MwText,
    pub(super) eos: MwText,
    pub(super) open_calls: *const MwOpenCall,
    pub(super) open_call_count: usize,
    pub(super) prompt: MwText,
    pub(super) prompt_tokens: *const u32,
    pub(super) prompt_token_count: usize,
    pub(super) lead: MwText,
    pub(super) lead_tokens: *const u32,
    pub(super) lead_token_count: usize,
    state_bytes: usize,
    mask_bytes: usize,
    content: i32,
    work: usize,
    pub(super) tool_choice_text: MwText,
}

// SAFETY: it begins with its size, and numbers and pointers may be zero.
unsafe impl Options for MwConstraintOptions {}

/// How JSON is to be spelt and schemas are to be read; what is not asked for is left to the language.
pub(super) struct Spelling {
    pub(super) whitespace: Option<Whitespace>,
    pub(super) numbers: Option<Numbers>,
    pub(super) escapes: Escapes,
    pub(super) order: PropertyOrder,
    pub(super) dialect: Option<Dialect>,
    pub(super) draft: Draft,
    pub(super) documents: Arc<[SchemaDocument]>,
    formats: Formats,
    pub(super) content: Content,
    pub(super) limits: Limits,
}

impl Spelling {
    /// As schemas by themselves are compiled.
    pub(super) fn config(self) -> SchemaConfig {
        SchemaConfig {
            whitespace: self.whitespace.unwrap_or_default(),
            numbers: self.numbers.unwrap_or_default(),
            escapes: self.escapes,
            order: self.order,
            regex: self.dialect.unwrap_or_default(),
            draft: self.draft,
            documents: self.documents,
            formats: self.formats,
            content: self.content,
            limits: self.limits,
            ..SchemaConfig::default()
        }
    }
}

impl MwConstraintOptions {
    /// How JSON is to be spelt.
    ///
    /// # Safety
    /// The host's: the options, and what they point to, can be read.
    pub(super) unsafe fn spelling(&self) -> Result<Spelling, Failure> {
        // SAFETY: as above.
        let (whitespace, documents) = unsafe { (self.whitespace()?, self.documents()?) };
        Ok(Spelling {
            whitespace,
            numbers: choice(self.numbers, "numbers", &NUMBERS)?,
            escapes: choice(self.escapes, "escapes", &ESCAPES)?,
            order: choice(self.property_order, "property_order", &ORDERS)?,
            dialect: choice(self.dialect, "dialect", &DIALECTS)?,
            draft: choice(self.draft, "draft", &DRAFTS)?,
            documents,
            formats: choice(self.schema_formats, "schema_formats", &FORMATS)?,
            content: choice(self.content, "content", &CONTENT)?,
            limits: self.limits(),
        })
    }

    /// The default limits, with the budgets that are given.
    pub(super) fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        if self.state_bytes != 0 {
            limits.machine_bytes = self.state_bytes;
        }
        if self.mask_bytes != 0 {
            limits.mask_bytes = self.mask_bytes;
        }
        if self.work != 0 {
            limits.work = self.work;
        }
        limits
    }

    /// # Safety
    /// As [`MwConstraintOptions::spelling`].
    unsafe fn whitespace(&self) -> Result<Option<Whitespace>, Failure> {
        let named = choice(self.whitespace, "whitespace", &WHITESPACE)?;
        // SAFETY: as above.
        let pattern = unsafe { self.whitespace_pattern.read("options.whitespace_pattern")? };
        let pattern = match (pattern, self.most_whitespace) {
            (None, 0) => return Ok(named),
            (Some(pattern), 0) => pattern.to_owned(),
            (None, most) => format!("[ \\t\\n\\r]{{0,{most}}}"),
            (Some(_), _) => return Err(Failure::invalid(ONE_WHITESPACE)),
        };
        if named.is_some() {
            return Err(Failure::invalid(ONE_WHITESPACE));
        }
        let pattern = SpacePattern::new(&pattern, &Limits::default());
        let pattern = pattern.map_err(|error| Failure::schema(&error, "whitespace_pattern"))?;
        Ok(Some(Whitespace::Pattern(pattern)))
    }

    /// # Safety
    /// As [`MwConstraintOptions::spelling`].
    unsafe fn documents(&self) -> Result<Arc<[SchemaDocument]>, Failure> {
        // SAFETY: as above.
        unsafe {
            let given = slice(self.documents, self.document_count, "options.documents")?;
            let text = |text: MwText, name| {
                let text = text.read(name)?;
                text.map(str::to_owned).ok_or_else(|| Failure::null(name))
            };
            let document = |given: &MwDocument| {
                Ok(SchemaDocument {
                    uri: text(given.uri, "options.documents.uri")?,
                    text: text(given.text, "options.documents.text")?,
                })
            };
            given.iter().map(document).collect()
        }
    }
}

const ONE_WHITESPACE: &str = "`options.whitespace`, `options.whitespace_pattern` and `options.most_whitespace`: give one of them";

// By the numbers of the enums in the header.
const WHITESPACE: [Option<Whitespace>; 4] = [
    None,
    Some(Whitespace::Compact),
    Some(Whitespace::Json),
    Some(Whitespace::Pretty),
];
const NUMBERS: [Option<Numbers>; 3] = [None, Some(Numbers::Any), Some(Numbers::Plain)];
const ESCAPES: [Escapes; 3] = [Escapes::Free, Escapes::Minimal, Escapes::All];
const ORDERS: [PropertyOrder; 2] = [PropertyOrder::Declared, PropertyOrder::Any];
const FORMATS: [Formats; 2] = [Formats::Assert, Formats::Ignore];
const CONTENT: [Content; 2] = [Content::Annotate, Content::Assert];
const DIALECTS: [Option<Dialect>; 5] = [
    None,
    Some(Dialect::Ecma),
    Some(Dialect::Python),
    Some(Dialect::Pcre),
    Some(Dialect::Rust),
];
const DRAFTS: [Draft; 7] = [
    Draft::Draft202012,
    Draft::Draft201909,
    Draft::Draft7,
    Draft::Draft6,
    Draft::Draft4,
    Draft::Draft3,
    Draft::OpenApi30,
];

/// The member of an enumeration that has this number.
pub(super) fn choice<T: Clone>(number: i32, field: &str, known: &[T]) -> Result<T, Failure> {
    let index = usize::try_from(number).ok();
    let found = index.and_then(|index| known.get(index));
    found.cloned().ok_or_else(|| unknown_value(field, number))
}

pub(super) fn unknown_value(field: &str, number: i32) -> Failure {
    Failure::invalid(format!("`options.{field}`: {number} is no value of it"))
}
