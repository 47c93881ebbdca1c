//! JSON written again: in the fewest bytes, or as Python does.

use super::Json;

impl Json {
    /// The value in the fewest bytes, numbers as spelt.
    pub(crate) fn compact(&self) -> String {
        self.spell(",", ":", |number| number.to_owned())
    }

    /// The value as Python's `json.dumps(json.loads(text), ensure_ascii=False)` spells it.
    pub(crate) fn python(&self) -> String {
        self.spell(", ", ": ", python_number)
    }

    fn spell(&self, comma: &str, colon: &str, number: fn(&str) -> String) -> String {
        let mut out = String::new();
        self.spell_into(&mut out, comma, colon, number);
        out
    }

    fn spell_into(&self, out: &mut String, comma: &str, colon: &str, number: fn(&str) -> String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(true) => out.push_str("true"),
            Json::Bool(false) => out.push_str("false"),
            Json::Number(spelling) => out.push_str(&number(spelling)),
            Json::String(value) => out.push_str(&quote(value)),
            Json::Array(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { comma } else { "" });
                    item.spell_into(out, comma, colon, number);
                }
                out.push(']');
            }
            Json::Object(members) => {
                out.push('{');
                for (i, (key, value)) in members.iter().enumerate() {
                    out.push_str(if i > 0 { comma } else { "" });
                    out.push_str(&quote(key));
                    out.push_str(colon);
                    value.spell_into(out, comma, colon, number);
                }
                out.push('}');
            }
        }
    }
}

/// Quotes a string with the escapes that JSON demands and no others.
fn quote(value: &str) -> String {
    serde_json::Value::from(value).to_string()
}

/// A number as Python spells it once read: integers in full, others as the shortest decimal that
/// reads back the same, with an exponent below 1e-4 and from 1e16 on.
fn python_number(spelling: &str) -> String {
    if !spelling.contains(['.', 'e', 'E']) {
        return if spelling == "-0" {
            "0".to_owned()
        } else {
            spelling.to_owned()
        };
    }
    let value: f64 = spelling.parse().expect("a JSON number is a Rust number");
    if value.is_infinite() {
        return if value > 0.0 {
            "Infinity".to_owned()
        } else {
            "-Infinity".to_owned()
        };
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific
        .split_once('e')
        .expect("`{:e}` writes an exponent");
    let exponent: i32 = exponent.parse().expect("`{:e}` writes a whole exponent");
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    let plain = format!("{value}");
    if plain.contains('.') {
        plain
    } else {
        format!("{plain}.0")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_as_python_does() {
        for (text, expect) in [
            (
                r#"{"b":1,"a":[true,null,"x\u00e9\/"]}"#,
                r#"{"b": 1, "a": [true, null, "xé/"]}"#,
            ),
            (
                "[1.0,1e5,-0,-0.0,1E+16,123456789012345678901234567890]",
                "[1.0, 100000.0, 0, -0.0, 1e+16, 123456789012345678901234567890]",
            ),
            (
                "[0.0001,0.00001,1.5e-7,1e400,0.1e1,9007199254740993.0]",
                "[0.0001, 1e-05, 1.5e-07, Infinity, 1.0, 9007199254740992.0]",
            ),
            (
                r#"["\u0001\u007f\b\ud83d\ude00"]"#,
                "[\"\\u0001\u{7f}\\b😀\"]",
            ),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"a": 3, "b": 2}"#),
            (" [ ] ", "[]"),
        ] {
            assert_eq!(
                Json::parse(text).map(|v| v.python()).as_deref(),
                Ok(expect),
                "{text}"
            );
        }
    }

    #[test]
    fn keeps_spelling_and_order() {
        let text = r#"{"z":1.50,"a":{"y":1E2,"b":[]}}"#;
        assert_eq!(Json::parse(text).map(|v| v.compact()).as_deref(), Ok(text));
    }
}
