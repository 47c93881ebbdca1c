//! Rows of questions: a JSON object a line.

use std::path::Path;

use super::failure::Failure;
use super::input::{self, Named};
use super::json::Json;
use super::language::{Notation, Written};

/// A text, and what to hold it against where that differs from the options.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) text: String,
    pub(crate) tools: Option<Named>,
    pub(crate) schema: Option<Named>,
    pub(crate) written: Option<Written>,
    pub(crate) start: Option<String>,
}

impl Row {
    /// Whether the other row is held against the same.
    pub(crate) fn asks_the_same(&self, other: &Self) -> bool {
        fn text(named: &Option<Named>) -> Option<&str> {
            named.as_ref().map(|named| named.text.as_str())
        }
        text(&self.tools) == text(&other.tools)
            && text(&self.schema) == text(&other.schema)
            && self.language() == other.language()
            && self.start == other.start
    }

    fn language(&self) -> Option<(Notation, &str)> {
        let written = self.written.as_ref()?;
        Some((written.notation, written.text.text.as_str()))
    }
}

/// Reads all rows of a file, or of stdin for `-`. Blank lines are skipped.
pub(crate) fn read(path: &Path) -> Result<Vec<Row>, Failure> {
    let name = input::name(path);
    let text = input::read_text(path)?;
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line)| row(line, &name, number))
        .collect()
}

fn row(line: &str, name: &str, number: usize) -> Result<Row, Failure> {
    let value = Json::parse(line).map_err(|e| Failure::json(e, name, line).after_lines(number))?;
    let fail = |message: &str| Failure::at(message, name, line, 0..line.len()).after_lines(number);
    let Json::Object(members) = &value else {
        return Err(fail("expected an object with `text`"));
    };
    let mut row = Row {
        text: String::new(),
        tools: None,
        schema: None,
        written: None,
        start: None,
    };
    let mut has_text = false;
    for (key, value) in members {
        let string = || {
            value
                .as_str()
                .map(str::to_owned)
                .ok_or_else(|| fail(&format!("`{key}` is not a string")))
        };
        let part = || Named {
            name: format!("{name}:{}: {key}", number + 1),
            text: value.compact(),
        };
        match key.as_str() {
            "text" => {
                row.text = string()?;
                has_text = true;
            }
            "start" if *value != Json::Null => row.start = Some(string()?),
            "tools" if *value != Json::Null => row.tools = Some(part()),
            "choice" | "structural_tag" if *value != Json::Null => {
                let notation = match key.as_str() {
                    "choice" => Notation::Choice,
                    _ => Notation::StructuralTag,
                };
                let text = part();
                row.written = Some(Written { notation, text });
            }
            "regex" | "ebnf" | "lark" if *value != Json::Null => {
                let notation = match key.as_str() {
                    "regex" => Notation::Regex,
                    "lark" => Notation::Lark,
                    _ => Notation::Ebnf,
                };
                let text = Named {
                    text: string()?,
                    ..part()
                };
                row.written = Some(Written { notation, text });
            }
            "schema" if *value != Json::Null => row.schema = Some(part()),
            // What else a row says is its writer's.
            _ => {}
        }
    }
    match has_text {
        true => Ok(row),
        false => Err(fail("expected an object with `text`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows() {
        let Ok(row) = row(
            r#"{"text": "a", "tools": [ ], "start": "s", "id": 1, "schema": null}"#,
            "r",
            4,
        ) else {
            panic!("well-formed")
        };
        assert_eq!((row.text.as_str(), row.start.as_deref()), ("a", Some("s")));
        assert_eq!(row.tools.map(|tools| tools.text).as_deref(), Some("[]"));
        assert!(row.schema.is_none());
    }

    #[test]
    fn places_what_is_no_row() {
        for line in [
            "[]",
            "{}",
            r#"{"text": 1}"#,
            r#"{"text": "a", "start": 1}"#,
            "{",
        ] {
            let Err(Failure::Input(bad)) = row(line, "r", 4) else {
                panic!("{line}")
            };
            assert!(bad.line().starts_with("r:5:"), "{}", bad.line());
        }
    }
}
