//! The meta-schemas of the drafts, which schemas may refer to. Where they come from and under which
//! licence is told in `metaschemas/NOTICE`.

/// Path below `json-schema.org/`, and text.
const TEXTS: [(&str, &str); 19] = {
    macro_rules! file {
        ($path:literal) => {
            include_str!(concat!("metaschemas/", $path, ".json"))
        };
    }
    [
        ("draft-04/schema", file!("draft-04")),
        ("draft-06/schema", file!("draft-06")),
        ("draft-07/schema", file!("draft-07")),
        ("draft/2019-09/schema", file!("2019-09/schema")),
        ("draft/2019-09/meta/core", file!("2019-09/core")),
        ("draft/2019-09/meta/applicator", file!("2019-09/applicator")),
        ("draft/2019-09/meta/validation", file!("2019-09/validation")),
        ("draft/2019-09/meta/meta-data", file!("2019-09/meta-data")),
        ("draft/2019-09/meta/format", file!("2019-09/format")),
        ("draft/2019-09/meta/content", file!("2019-09/content")),
        ("draft/2020-12/schema", file!("2020-12/schema")),
        ("draft/2020-12/meta/core", file!("2020-12/core")),
        ("draft/2020-12/meta/applicator", file!("2020-12/applicator")),
        (
            "draft/2020-12/meta/unevaluated",
            file!("2020-12/unevaluated"),
        ),
        ("draft/2020-12/meta/validation", file!("2020-12/validation")),
        ("draft/2020-12/meta/meta-data", file!("2020-12/meta-data")),
        (
            "draft/2020-12/meta/format-annotation",
            file!("2020-12/format-annotation"),
        ),
        (
            "draft/2020-12/meta/format-assertion",
            file!("2020-12/format-assertion"),
        ),
        ("draft/2020-12/meta/content", file!("2020-12/content")),
    ]
};

/// The text of the meta-schema with this URI, whichever of the two schemes it is spelt with.
pub(super) fn find(uri: &str) -> Option<&'static str> {
    let path = uri
        .strip_prefix("https://")
        .or(uri.strip_prefix("http://"))?;
    let path = path.strip_prefix("json-schema.org/")?;
    let found = TEXTS.iter().find(|(own, _)| *own == path);
    found.map(|&(_, text)| text)
}
