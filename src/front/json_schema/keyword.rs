//! The keywords of all drafts, in one table: which drafts and vocabularies have them, what their values hold,
//! and what they are about.

use super::draft::Draft;
use super::reader::{Document, Kind, ValueId};
use super::values::Types;

/// What the value of a keyword holds of schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parts {
    None,
    /// A schema, or an array with schemas among its elements.
    Schemas,
    /// An object with schemas among its members.
    Map,
}

/// A vocabulary of drafts 2019-09 and later, as far as it asserts something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Vocabulary {
    /// For keywords that every schema has, whatever its vocabularies.
    Core = 0,
    Applicator = 1,
    Unevaluated = 2,
    Validation = 4,
    Format = 8,
    Content = 16,
}

/// What is known of a keyword.
#[derive(Debug)]
struct Entry {
    name: &'static str,
    since: Draft,
    until: Draft,
    about: Types,
    parts: Parts,
    vocabulary: Vocabulary,
    needs: &'static [&'static str],
}

/// A row: the keyword's name here and in JSON, its first draft, the vocabulary, the types of values that it
/// says something about, and what schemas its value holds; then, where there are any, its last draft, and the
/// keywords without one of which beside it it says nothing.
macro_rules! keywords {
    ($($id:ident $name:literal $since:ident $vocabulary:ident $about:ident $parts:ident
        $(until $until:ident)? $(beside $needs:expr)?;)*) => {
        /// A keyword of some draft.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Keyword { $($id),* }

        impl Keyword {
            const ALL: &[Self] = &[$(Self::$id),*];

            /// The keyword of this name, in whatever draft.
            pub(crate) fn find(name: &str) -> Option<Self> {
                match name {
                    $($name => Some(Self::$id),)*
                    _ => None,
                }
            }
        }

        const TABLE: &[Entry] = &[$(Entry {
            name: $name,
            since: Draft::$since,
            until: { let _last = Draft::Draft202012; $(let _last = Draft::$until;)? _last },
            about: Types::$about,
            parts: Parts::$parts,
            vocabulary: Vocabulary::$vocabulary,
            needs: { let _needs: &[&str] = &[]; $(let _needs: &[&str] = &$needs;)? _needs },
        }),*];
    };
}

keywords! {
    Schema "$schema" Draft3 Core ALL None;
    OldId "id" Draft3 Core ALL None until OpenApi30;
    Id "$id" Draft6 Core ALL None;
    Ref "$ref" Draft3 Core ALL None;
    Comment "$comment" Draft7 Core ALL None;
    Anchor "$anchor" Draft201909 Core ALL None;
    Vocabularies "$vocabulary" Draft201909 Core ALL None;
    RecursiveRef "$recursiveRef" Draft201909 Core ALL None until Draft201909;
    RecursiveAnchor "$recursiveAnchor" Draft201909 Core ALL None until Draft201909;
    DynamicRef "$dynamicRef" Draft202012 Core ALL None;
    DynamicAnchor "$dynamicAnchor" Draft202012 Core ALL None;
    // A JSON pointer leads into these in every draft.
    Defs "$defs" Draft3 Core ALL Map;
    Definitions "definitions" Draft3 Core ALL Map;
    Title "title" Draft3 Core ALL None;
    Description "description" Draft3 Core ALL None;
    Default "default" Draft3 Core ALL None;
    // Annotations that tools read in every draft.
    Examples "examples" Draft3 Core ALL None;
    Deprecated "deprecated" Draft3 Core ALL None;
    ReadOnly "readOnly" Draft3 Core ALL None;
    WriteOnly "writeOnly" Draft3 Core ALL None;
    Type "type" Draft3 Validation ALL None;
    Enum "enum" Draft3 Validation ALL None;
    Const "const" Draft6 Validation ALL None;
    AllOf "allOf" Draft3 Applicator ALL Schemas;
    AnyOf "anyOf" Draft3 Applicator ALL Schemas;
    OneOf "oneOf" Draft3 Applicator ALL Schemas;
    Not "not" Draft3 Applicator ALL Schemas;
    If "if" Draft7 Applicator ALL Schemas beside ["then", "else"];
    Then "then" Draft7 Applicator ALL Schemas beside ["if"];
    Else "else" Draft7 Applicator ALL Schemas beside ["if"];
    MultipleOf "multipleOf" Draft3 Validation NUMBER None;
    Minimum "minimum" Draft3 Validation NUMBER None;
    Maximum "maximum" Draft3 Validation NUMBER None;
    ExclusiveMinimum "exclusiveMinimum" Draft3 Validation NUMBER None;
    ExclusiveMaximum "exclusiveMaximum" Draft3 Validation NUMBER None;
    MinLength "minLength" Draft3 Validation STRING None;
    MaxLength "maxLength" Draft3 Validation STRING None;
    Pattern "pattern" Draft3 Validation STRING None;
    Format "format" Draft3 Format STRING None;
    // Draft 7 has them first; where draft 6 is named they are read all the same.
    ContentEncoding "contentEncoding" Draft6 Content STRING None;
    ContentMediaType "contentMediaType" Draft6 Content STRING None;
    ContentSchema "contentSchema" Draft201909 Content STRING Schemas beside ["contentMediaType"];
    Items "items" Draft3 Applicator ARRAY Schemas;
    PrefixItems "prefixItems" Draft202012 Applicator ARRAY Schemas;
    AdditionalItems "additionalItems" Draft3 Applicator ARRAY Schemas until Draft201909 beside ["items"];
    UnevaluatedItems "unevaluatedItems" Draft201909 Unevaluated ARRAY Schemas;
    Contains "contains" Draft6 Applicator ARRAY Schemas;
    MinContains "minContains" Draft201909 Validation ARRAY None beside ["contains"];
    MaxContains "maxContains" Draft201909 Validation ARRAY None beside ["contains"];
    MinItems "minItems" Draft3 Validation ARRAY None;
    MaxItems "maxItems" Draft3 Validation ARRAY None;
    UniqueItems "uniqueItems" Draft3 Validation ARRAY None;
    Properties "properties" Draft3 Applicator OBJECT Map;
    PatternProperties "patternProperties" Draft3 Applicator OBJECT Map;
    AdditionalProperties "additionalProperties" Draft3 Applicator OBJECT Schemas;
    UnevaluatedProperties "unevaluatedProperties" Draft201909 Unevaluated OBJECT Schemas;
    PropertyNames "propertyNames" Draft6 Applicator OBJECT Schemas;
    Required "required" Draft3 Validation OBJECT None;
    MinProperties "minProperties" Draft3 Validation OBJECT None;
    MaxProperties "maxProperties" Draft3 Validation OBJECT None;
    // Later drafts leave it to implementations; here it means what it did.
    Dependencies "dependencies" Draft3 Core OBJECT Map;
    DependentRequired "dependentRequired" Draft201909 Validation OBJECT None;
    DependentSchemas "dependentSchemas" Draft201909 Applicator OBJECT Map;
    Nullable "nullable" OpenApi30 Core ALL None until OpenApi30;
    DivisibleBy "divisibleBy" Draft3 Validation NUMBER None until Draft3;
    Disallow "disallow" Draft3 Applicator ALL Schemas until Draft3;
    Extends "extends" Draft3 Applicator ALL Schemas until Draft3;
}

impl Keyword {
    /// How many there are.
    pub(crate) const COUNT: usize = TABLE.len();

    /// The keywords that a draft has.
    pub(crate) fn of(draft: Draft) -> impl Iterator<Item = Self> {
        Self::ALL
            .iter()
            .copied()
            .filter(move |keyword| keyword.is_in(draft))
    }

    fn entry(self) -> &'static Entry {
        &TABLE[self as usize]
    }

    pub(crate) fn name(self) -> &'static str {
        self.entry().name
    }

    /// Whether a draft has it.
    pub(crate) fn is_in(self, draft: Draft) -> bool {
        (self.entry().since..=self.entry().until).contains(&draft)
    }

    pub(crate) fn vocabulary(self) -> Vocabulary {
        self.entry().vocabulary
    }

    /// The types of values that it says something about.
    pub(crate) fn about(self) -> Types {
        self.entry().about
    }

    /// It says nothing without one of these beside it.
    pub(crate) fn needs(self) -> &'static [&'static str] {
        self.entry().needs
    }
}

/// Whether the keyword called `name` is a reference in `draft`.
pub(crate) fn is_reference(name: &str, draft: Draft) -> bool {
    use Keyword::{DynamicRef, RecursiveRef, Ref};
    let found = [Ref, RecursiveRef, DynamicRef].into_iter();
    found
        .filter(|keyword| keyword.is_in(draft))
        .any(|keyword| keyword.name() == name)
}

/// The schemas in the value of the keyword called `name`.
///
/// This goes by the drafts taken together: what a draft does not know, nobody writes there to be no schema.
pub(crate) fn schemas_within(name: &str, document: &Document, value: ValueId) -> Vec<ValueId> {
    match Keyword::find(name).map_or(Parts::None, |keyword| keyword.entry().parts) {
        Parts::None => Vec::new(),
        Parts::Schemas if document.kind(value) == Kind::Object => vec![value],
        Parts::Schemas => document.elements(value).collect(),
        Parts::Map => document.members(value).map(|(_, part)| part).collect(),
    }
}
