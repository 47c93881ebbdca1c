//! The meta-schemas of the drafts, which schemas may refer to. Where they come from and under which
//! licence is told in `metaschemas/NOTICE`.

/// Path below `metaschemas/`, and text.
const TEXTS: [(&str, &str); 19] = {
    macro_rules! texts {
        ($($path:literal)*) => {
            [$(($path, include_str!(concat!("metaschemas/", $path, ".json")))),*]
        };
    }
    texts! {
        "draft-04" "draft-06" "draft-07"
        "2019-09/schema" "2019-09/core" "2019-09/applicator" "2019-09/validation" "2019-09/meta-data"
        "2019-09/format" "2019-09/content"
        "2020-12/schema" "2020-12/core" "2020-12/applicator" "2020-12/unevaluated" "2020-12/validation"
        "2020-12/meta-data" "2020-12/format-annotation" "2020-12/format-assertion" "2020-12/content"
    }
};

/// The text of the meta-schema with this URI, whichever of the two schemes it is spelt with.
pub(super) fn find(uri: &str) -> Option<&'static str> {
    let path = uri
        .strip_prefix("https://")
        .or(uri.strip_prefix("http://"))?;
    let path = path.strip_prefix("json-schema.org/")?;
    let is_named = |own: &str| match own.split_once('/') {
        None => path.strip_suffix("/schema") == Some(own),
        Some((_, "schema")) => path.strip_prefix("draft/") == Some(own),
        Some((draft, part)) => path == format!("draft/{draft}/meta/{part}"),
    };
    let found = TEXTS.iter().find(|(own, _)| is_named(own));
    found.map(|&(_, text)| text)
}
