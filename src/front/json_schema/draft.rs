//! The drafts of JSON Schema.

/// A draft of JSON Schema, in order of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Draft {
    /// Draft 4, of 2013.
    Draft4,
    /// Draft 6, of 2017.
    Draft6,
    /// Draft 7, of 2018.
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12.
    #[default]
    Draft202012,
}

impl Draft {
    /// The draft whose meta-schema has this URI, with or without an empty fragment, by either of the
    /// schemes `http` and `https`.
    pub(crate) fn named(uri: &str) -> Option<Self> {
        let uri = uri.trim_end_matches('#');
        let path = uri
            .strip_prefix("https://")
            .or(uri.strip_prefix("http://"))?;
        Some(match path.strip_prefix("json-schema.org/")? {
            "draft-04/schema" => Self::Draft4,
            "draft-06/schema" => Self::Draft6,
            "draft-07/schema" => Self::Draft7,
            "draft/2019-09/schema" => Self::Draft201909,
            "draft/2020-12/schema" | "schema" => Self::Draft202012,
            _ => return None,
        })
    }

    /// The keyword that names a schema.
    pub(crate) fn identifier(self) -> &'static str {
        match self {
            Self::Draft4 => "id",
            _ => "$id",
        }
    }

    /// Whether a `$ref` stands alone: what is beside it is ignored.
    pub(crate) fn references_stand_alone(self) -> bool {
        self < Self::Draft201909
    }
}
