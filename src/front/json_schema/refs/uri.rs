//! URI references (RFC 3986): what a relative one means at a base.

/// The components of a URI reference without its fragment (RFC 3986, appendix B).
struct Components<'u> {
    scheme: Option<&'u str>,
    authority: Option<&'u str>,
    path: &'u str,
    query: Option<&'u str>,
}

impl<'u> Components<'u> {
    fn of(uri: &'u str) -> Self {
        let (hierarchy, query) = match uri.split_once('?') {
            Some((hierarchy, query)) => (hierarchy, Some(query)),
            None => (uri, None),
        };
        let (scheme, rest) = match hierarchy.split_once(':').filter(|(s, _)| is_scheme(s)) {
            Some((scheme, rest)) => (Some(scheme), rest),
            None => (None, hierarchy),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => {
                let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        Self {
            scheme,
            authority,
            path,
            query,
        }
    }

    /// Section 5.3.
    fn compose(&self, path: &str) -> String {
        let mut uri = String::new();
        if let Some(scheme) = self.scheme {
            uri.extend([scheme, ":"]);
        }
        if let Some(authority) = self.authority {
            uri.extend(["//", authority]);
        }
        uri.push_str(path);
        if let Some(query) = self.query {
            uri.extend(["?", query]);
        }
        uri
    }
}

fn is_scheme(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic())
        && bytes.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b))
}

/// A URI reference and its fragment, which is empty where there is none.
pub(super) fn split(reference: &str) -> (&str, &str) {
    reference.split_once('#').unwrap_or((reference, ""))
}

/// What `reference` means at `base`, both without fragment (section 5.2.2). A base may be relative
/// itself, or empty: then so is what is relative to it.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    let (base, own) = (Components::of(base), Components::of(reference));
    if own.scheme.is_some() {
        return own.compose(&without_dots(own.path));
    }
    let scheme = base.scheme;
    if own.authority.is_some() {
        return Components { scheme, ..own }.compose(&without_dots(own.path));
    }
    let (path, query) = match own.path {
        "" => (base.path.to_owned(), own.query.or(base.query)),
        path if path.starts_with('/') => (without_dots(path), own.query),
        path => (without_dots(&merged(&base, path)), own.query),
    };
    Components { query, ..base }.compose(&path)
}

/// Section 5.2.3.
fn merged(base: &Components<'_>, path: &str) -> String {
    let folder = match base.path.rfind('/') {
        Some(at) => &base.path[..=at],
        None if base.authority.is_some() => "/",
        None => "",
    };
    [folder, path].concat()
}

/// Section 5.2.4, over segments.
fn without_dots(path: &str) -> String {
    let root = usize::from(path.starts_with('/'));
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').peekable();
    while let Some(segment) = segments.next() {
        match segment {
            "." => {}
            ".." if kept.len() > root => {
                kept.pop();
            }
            ".." => {}
            _ => {
                kept.push(segment);
                continue;
            }
        }
        if segments.peek().is_none() {
            kept.push("");
        }
    }
    kept.join("/")
}

#[cfg(test)]
mod tests {
    use super::resolve;

    /// RFC 3986, section 5.4, fragments apart, and bases that are not hierarchical or not absolute.
    #[test]
    fn references_mean_what_the_rfc_says() {
        let base = "http://a/b/c/d;p?q";
        let examples = [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            (";x", "http://a/b/c/;x"),
            ("g;x?y", "http://a/b/c/g;x?y"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../", "http://a/"),
            ("../../g", "http://a/g"),
            ("../../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("http:g", "http:g"),
        ];
        let others = [
            ("", "a.json", "a.json"),
            ("b/a.json", "c.json", "b/c.json"),
            ("b/a.json", "", "b/a.json"),
            ("http://a", "g", "http://a/g"),
            ("file:///c:/folder/file.json", "g", "file:///c:/folder/g"),
            ("urn:uuid:1", "", "urn:uuid:1"),
            ("urn:uuid:1", "urn:x:a/b", "urn:x:a/b"),
            ("tag:example.com,2024:a/b", "c", "tag:example.com,2024:a/c"),
        ];
        let examples = examples.map(|(reference, expected)| (base, reference, expected));
        for (base, reference, expected) in examples.into_iter().chain(others) {
            assert_eq!(resolve(base, reference), expected, "{reference} at {base}");
        }
    }
}
