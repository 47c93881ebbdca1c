//! The drafts of JSON Schema.

/// A draft of JSON Schema, in order of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Draft {
    /// Draft 3, of 2010.
    Draft3,
    /// Draft 4, of 2013; draft 5, of 2016, is the same language.
    Draft4,
    /// The schema object of OpenAPI 3.0: draft 4 with `nullable`.
    OpenApi30,
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
    pub fn named(uri: &str) -> Option<Self> {
        let uri = uri.trim_end_matches('#');
        let path = uri
            .strip_prefix("https://")
            .or(uri.strip_prefix("http://"))?;
        if let Some(dialect) = path.strip_prefix("spec.openapis.org/oas/") {
            // The dialects of OpenAPI 3.1 and 3.2 add annotations only.
            let is_known = ["3.1/dialect/", "3.2/dialect/"];
            let is_known = is_known.iter().any(|known| dialect.starts_with(known));
            return is_known.then_some(Self::Draft202012);
        }
        Some(match path.strip_prefix("json-schema.org/")? {
            "draft-03/schema" => Self::Draft3,
            "draft-04/schema" | "draft-05/schema" => Self::Draft4,
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
            Self::Draft3 | Self::Draft4 | Self::OpenApi30 => "id",
            _ => "$id",
        }
    }

    /// Whether integers are told by how they are spelt: `1.0` is none.
    pub(crate) fn tells_spellings(self) -> bool {
        self < Self::Draft6
    }

    /// Whether a `$ref` stands alone: what is beside it is ignored.
    pub(crate) fn references_stand_alone(self) -> bool {
        self < Self::Draft201909
    }
}
