//! Keywords that assert something and are not supported, with the cases in which they say nothing.

use super::draft::Draft;
use super::number::Decimal;
use super::reader::{Document, Kind, ValueId};
use super::values::Types;

/// A keyword that is refused unless it says nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsupported {
    pub(super) name: &'static str,
    pub(super) reason: &'static str,
    /// The drafts that have it.
    since: Draft,
    until: Draft,
    /// The types it asserts something about.
    types: Types,
    nothing: Nothing,
}

/// When a keyword says nothing, apart from values of other types.
#[derive(Clone, Copy, Debug)]
enum Nothing {
    Never,
    /// Its value is `false`.
    False,
    /// Its value is an empty object.
    Empty,
    /// Its value is the schema of all values.
    Any,
    /// Its value is zero.
    Zero,
    /// None of these stands beside it.
    Without(&'static [&'static str]),
}

const ANNOTATE: &str = "whether it asserts anything is optional in this draft";
const LATER: &str = "this assertion cannot be compiled; leave it out to generate without it";

const fn keyword(name: &'static str, since: Draft, types: Types, nothing: Nothing) -> Unsupported {
    Unsupported {
        name,
        reason: LATER,
        since,
        until: Draft::Draft202012,
        types,
        nothing,
    }
}

const fn content(name: &'static str) -> Unsupported {
    Unsupported {
        reason: ANNOTATE,
        until: Draft::Draft7,
        ..keyword(name, Draft::Draft6, Types::STRING, Nothing::Never)
    }
}

const TABLE: [Unsupported; 21] = {
    use Draft::{Draft4, Draft6, Draft7, Draft201909, Draft202012};
    [
        keyword("format", Draft4, Types::STRING, Nothing::Never),
        keyword("uniqueItems", Draft4, Types::ARRAY, Nothing::False),
        keyword("contains", Draft6, Types::ARRAY, Nothing::Never),
        keyword(
            "minContains",
            Draft201909,
            Types::ARRAY,
            Nothing::Without(&["contains"]),
        ),
        keyword(
            "maxContains",
            Draft201909,
            Types::ARRAY,
            Nothing::Without(&["contains"]),
        ),
        keyword("patternProperties", Draft4, Types::OBJECT, Nothing::Empty),
        keyword("propertyNames", Draft6, Types::OBJECT, Nothing::Any),
        keyword("minProperties", Draft4, Types::OBJECT, Nothing::Zero),
        keyword("maxProperties", Draft4, Types::OBJECT, Nothing::Never),
        keyword("dependencies", Draft4, Types::OBJECT, Nothing::Empty),
        keyword(
            "dependentRequired",
            Draft201909,
            Types::OBJECT,
            Nothing::Empty,
        ),
        keyword(
            "dependentSchemas",
            Draft201909,
            Types::OBJECT,
            Nothing::Empty,
        ),
        keyword("unevaluatedItems", Draft201909, Types::ARRAY, Nothing::Any),
        keyword(
            "unevaluatedProperties",
            Draft201909,
            Types::OBJECT,
            Nothing::Any,
        ),
        keyword("oneOf", Draft4, Types::ALL, Nothing::Never),
        keyword("not", Draft4, Types::ALL, Nothing::False),
        keyword(
            "if",
            Draft7,
            Types::ALL,
            Nothing::Without(&["then", "else"]),
        ),
        keyword("$dynamicRef", Draft202012, Types::ALL, Nothing::Never),
        Unsupported {
            until: Draft201909,
            ..keyword("$recursiveRef", Draft201909, Types::ALL, Nothing::Never)
        },
        content("contentEncoding"),
        content("contentMediaType"),
    ]
};

impl Unsupported {
    /// The entry for `name`, where it is such a keyword in `draft`.
    pub(super) fn find(name: &str, draft: Draft) -> Option<Self> {
        let entry = TABLE.iter().find(|entry| entry.name == name)?;
        (entry.since <= draft && draft <= entry.until).then_some(*entry)
    }

    /// Whether the keyword with this value, in the schema `object` that allows `types`, says
    /// nothing.
    pub(super) fn says_nothing(
        &self,
        document: &Document,
        object: ValueId,
        value: ValueId,
        types: Types,
    ) -> bool {
        let kind = document.kind(value);
        let empty = kind == Kind::Object && document.members(value).next().is_none();
        let nothing = match self.nothing {
            Nothing::Never => false,
            Nothing::False => kind == Kind::False,
            Nothing::Empty => empty,
            Nothing::Any => empty || kind == Kind::True,
            Nothing::Zero => kind == Kind::Number && Decimal::parse(document.raw(value)).is_zero(),
            Nothing::Without(names) => names
                .iter()
                .all(|name| document.get(object, name).is_none()),
        };
        nothing || !self.types.meets(types)
    }
}
