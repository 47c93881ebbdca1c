//! Types as Python spells them, as Cohere's definitions have them: `str`, `List[int]`.

use super::quote::quoted;

/// How deep types nest.
const DEEPEST: usize = 16;

/// The members of a JSON Schema object that means the Python type `text`: `"type":"string"`. Empty
/// where it is any type; `None` where it is no type that JSON has.
pub(super) fn schema_members(text: &str) -> Option<String> {
    union(text, DEEPEST)
}

fn union(text: &str, deepest: usize) -> Option<String> {
    let deepest = deepest.checked_sub(1)?;
    let parts = split(text, '|')?;
    match parts.as_slice() {
        [one] => single(one.trim(), deepest),
        several => any_of(several, deepest),
    }
}

fn any_of(types: &[&str], deepest: usize) -> Option<String> {
    let schemas: Option<Vec<String>> = types
        .iter()
        .map(|one| Some(format!("{{{}}}", union(one.trim(), deepest)?)))
        .collect();
    Some(format!("\"anyOf\":[{}]", schemas?.join(",")))
}

fn single(text: &str, deepest: usize) -> Option<String> {
    let (name, inner) = match text.split_once('[') {
        Some((name, rest)) => (name.trim(), Some(rest.strip_suffix(']')?)),
        None => (text, None),
    };
    let name = name.rsplit('.').next().unwrap_or(name);
    let small = name.to_ascii_lowercase();
    let Some(inner) = inner else {
        return plain(&small).map(str::to_owned);
    };
    let parts = split(inner, ',')?;
    let all: Vec<&str> = parts.iter().map(|part| part.trim()).collect();
    match (small.as_str(), all.as_slice()) {
        ("optional", [of]) => any_of(&[of, "None"], deepest),
        ("union", of) => any_of(of, deepest),
        ("annotated", [of, ..]) => union(of, deepest),
        ("literal", values) => {
            let values: Option<Vec<String>> = values.iter().map(|value| literal(value)).collect();
            Some(format!("\"enum\":[{}]", values?.join(",")))
        }
        ("list" | "sequence" | "iterable" | "array", [of]) => items(of, "", deepest),
        ("set" | "frozenset", [of]) => items(of, ",\"uniqueItems\":true", deepest),
        ("tuple", [of, "..."]) => items(of, "", deepest),
        ("tuple", of) => {
            let schemas: Option<Vec<String>> = of
                .iter()
                .map(|one| Some(format!("{{{}}}", union(one, deepest)?)))
                .collect();
            let (schemas, count) = (schemas?.join(","), of.len());
            Some(format!(
                "\"type\":\"array\",\"prefixItems\":[{schemas}],\"minItems\":{count},\"maxItems\":{count}"
            ))
        }
        ("dict" | "mapping", [_, of]) => {
            let of = union(of, deepest)?;
            Some(format!(
                "\"type\":\"object\",\"additionalProperties\":{{{of}}}"
            ))
        }
        _ => None,
    }
}

fn items(of: &str, more: &str, deepest: usize) -> Option<String> {
    let of = union(of, deepest)?;
    Some(format!("\"type\":\"array\",\"items\":{{{of}}}{more}"))
}

/// A type without parameters, in small letters.
fn plain(name: &str) -> Option<&'static str> {
    Some(match name {
        "str" | "string" | "text" | "bytes" => r#""type":"string""#,
        "int" | "integer" | "long" => r#""type":"integer""#,
        "float" | "number" | "double" | "decimal" | "complex" => r#""type":"number""#,
        "bool" | "boolean" => r#""type":"boolean""#,
        "none" | "nonetype" | "null" => r#""type":"null""#,
        "list" | "sequence" | "iterable" | "array" | "tuple" => r#""type":"array""#,
        "set" | "frozenset" => r#""type":"array","uniqueItems":true"#,
        "dict" | "mapping" | "object" | "hashmap" => r#""type":"object""#,
        "date" => r#""type":"string","format":"date""#,
        "datetime" => r#""type":"string","format":"date-time""#,
        "uuid" => r#""type":"string","format":"uuid""#,
        "any" | "type_unspecified" => "",
        _ => return None,
    })
}

/// A value of `Literal[…]` as JSON.
fn literal(text: &str) -> Option<String> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'));
    match (quote, text) {
        (Some(quote), _) => {
            let inner = text.strip_prefix(quote)?.strip_suffix(quote)?;
            Some(quoted(inner))
        }
        (None, "True") => Some("true".to_owned()),
        (None, "False") => Some("false".to_owned()),
        (None, "None") => Some("null".to_owned()),
        (None, number) => {
            let digits = number.strip_prefix('-').unwrap_or(number);
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            (is_number && (digits == "0" || !digits.starts_with('0'))).then(|| number.to_owned())
        }
    }
}

/// The parts of a type between separators that stand in no brackets or quotes.
fn split(text: &str, separator: char) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut quote) = (0usize, 0, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => depth = depth.checked_sub(1)?,
            (None, c) if c == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    (depth == 0 && quote.is_none()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read() {
        for (text, expected) in [
            ("str", Some(r#""type":"string""#)),
            ("typing.Any", Some("")),
            (
                "List[int]",
                Some(r#""type":"array","items":{"type":"integer"}"#),
            ),
            (
                "Dict[str, List[bool]]",
                Some(
                    r#""type":"object","additionalProperties":{"type":"array","items":{"type":"boolean"}}"#,
                ),
            ),
            (
                "Optional[float]",
                Some(r#""anyOf":[{"type":"number"},{"type":"null"}]"#),
            ),
            (
                "int | None",
                Some(r#""anyOf":[{"type":"integer"},{"type":"null"}]"#),
            ),
            ("Literal['a,b', 1, None]", Some(r#""enum":["a,b",1,null]"#)),
            (
                "tuple[int, str]",
                Some(
                    r#""type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"minItems":2,"maxItems":2"#,
                ),
            ),
            (
                "Tuple[int, ...]",
                Some(r#""type":"array","items":{"type":"integer"}"#),
            ),
            ("List[int", None),
            ("Foo", None),
            ("Literal[01]", None),
        ] {
            assert_eq!(schema_members(text).as_deref(), expected, "{text}");
        }
    }
}
