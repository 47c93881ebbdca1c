//! How JSON is to be spelt, and what compiling a schema may cost.

use std::borrow::Cow;
use std::sync::Arc;

use super::draft::Draft;
use super::space::SpacePattern;
use crate::base::Limits;
use crate::regular::Dialect;

/// White space between the tokens of JSON, but neither before nor after the outermost value.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Whitespace {
    /// None at all.
    Compact,
    /// Any, wherever JSON allows it (RFC 8259, section 2).
    #[default]
    Json,
    /// As programs indent JSON, wherever it allows white space: at most one space, or a line break and behind it
    /// at most 64 spaces or 16 tabs.
    Pretty,
    /// What a pattern matches, wherever JSON allows white space; none only where it matches none.
    Pattern(SpacePattern),
}

/// Which escapes strings have.
///
/// Keys, and strings among items that must be distinct, always are [`Escapes::Minimal`]: so they are told
/// apart by how they are spelt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Escapes {
    /// Those without which a text cannot be spelt, each in its shortest way: `\"`, `\\`, `\b`, `\f`,
    /// `\n`, `\r`, `\t`, and `\u00` with two lower-case digits for other control characters.
    Minimal,
    /// All that JSON has in strings of which at most the length is asked for; elsewhere (patterns, formats,
    /// single values) as [`Escapes::Minimal`].
    #[default]
    Free,
    /// All that JSON has (RFC 8259, section 7), `\u0041` and `\/` included; surrogates in pairs only.
    /// Of more than 64 arrays and objects in one `enum`, strings within them are [`Escapes::Minimal`].
    All,
}

/// How numbers are spelt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Numbers {
    /// As JSON allows it, where a reader takes them for doubles: `-6e+84`, `5.000`.
    #[default]
    Any,
    /// As programs print them: what a schema calls an integer has digits only; others have at most 17 significant
    /// digits, zeros at the end of a fraction among them, and exponents of at most three. More digits come only
    /// where a bound or a step asks for them. Every double can be written.
    Plain,
}

/// In which order the properties of an object come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PropertyOrder {
    /// Those that the schema declares in that order, others anywhere between them.
    #[default]
    Declared,
    /// Any.
    Any,
}

/// What the outermost value may be, whatever else the schema says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outermost {
    /// Any value.
    #[default]
    Any,
    /// An object, as the arguments of a tool are, also where the schema leaves that unsaid.
    Object,
}

/// What `format` does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Formats {
    /// A format that is known is asserted; any other is an annotation, which the report lists.
    #[default]
    Assert,
    /// All formats are annotations.
    Ignore,
}

/// What `contentEncoding`, `contentMediaType` and `contentSchema` do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Content {
    /// They are annotations, but for an encoding in drafts 6 and 7, where it may assert.
    #[default]
    Annotate,
    /// An encoding of RFC 4648 is asserted in every draft. So is JSON in a string: the media type
    /// `application/json` or another that ends in `+json`, with the `contentSchema` beside it. Other encodings
    /// and media types are annotations, which the report lists.
    Assert,
}

/// A document that schemas may refer to.
///
/// It is read when a schema refers to its URI, or to an identifier that no document has which was
/// read before.
///
/// ```
/// use maskwright::front::json_schema::{SchemaConfig, SchemaDocument, compile};
/// let units = SchemaDocument {
///     uri: "https://example.org/units".to_owned(),
///     text: r#"{"$defs": {"metre": {"type": "number", "minimum": 0}}}"#.to_owned(),
/// };
/// let config = SchemaConfig { documents: [units].into(), ..SchemaConfig::default() };
/// compile(r#"{"$ref": "https://example.org/units#/$defs/metre"}"#, &config)?;
/// # Ok::<(), maskwright::front::json_schema::SchemaError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaDocument {
    /// The URI it is known by, without fragment. A relative one is one that a schema without
    /// identifier may refer to.
    pub uri: String,
    /// Its text.
    pub text: String,
}

/// How schemas are compiled.
///
/// ```
/// use maskwright::front::json_schema::{SchemaConfig, Whitespace};
/// let config = SchemaConfig { whitespace: Whitespace::Compact, ..SchemaConfig::default() };
/// assert!(config.forbidden.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SchemaConfig {
    /// White space between the tokens of JSON.
    pub whitespace: Whitespace,
    /// Which escapes strings have.
    pub escapes: Escapes,
    /// How numbers are spelt.
    pub numbers: Numbers,
    /// In which order the properties of an object come.
    pub order: PropertyOrder,
    /// What the outermost value may be.
    pub outermost: Outermost,
    /// What `format` does.
    pub formats: Formats,
    /// What the keywords about the content of strings do.
    pub content: Content,
    /// Texts that no string spells in plain characters: the control tokens of a chat format. What
    /// means them is spelt with an escape, such as `\u003c` for `<`.
    pub forbidden: Vec<String>,
    /// The draft of schemas that do not say so themselves by `$schema`.
    pub draft: Draft,
    /// Whose syntax patterns are in.
    pub regex: Dialect,
    /// What schemas may refer to by `$ref` and the like, apart from themselves and the drafts'
    /// meta-schemas. Nothing is ever fetched. They are shared: a copy of the configuration copies none of them.
    pub documents: Arc<[SchemaDocument]>,
    /// What compiling may cost.
    pub limits: Limits,
}

impl SchemaConfig {
    /// The same for a compile, which begins here unless it has begun.
    pub(crate) fn begin(&self) -> Cow<'_, Self> {
        match self.limits.has_begun() {
            true => Cow::Borrowed(self),
            false => {
                let mut config = self.clone();
                config.limits = config.limits.begun();
                Cow::Owned(config)
            }
        }
    }
}
