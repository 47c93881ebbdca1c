//! Rows of questions: a JSON object a line.

use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};

use super::failure::Failure;
use super::input::{self, Named};
use super::json::Json;
use super::language::{Notation, Written};
use super::output::stdout;
use super::pointer;
use super::verdict::Verdict;

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

/// What a row is answered with: a line of JSON, and what that says of the row.
type Answer = (Value, Verdict);

/// Answers each row of a file, or of stdin for `-`, with a line of JSON, as soon as it is there. Blank lines are skipped.
/// What is no row, or cannot be answered, is answered with its error and its line in the file, and stops no other.
pub(crate) fn answer_each(
    path: &Path,
    answer: &mut dyn FnMut(&Row) -> Result<Answer, Failure>,
) -> Result<Verdict, Failure> {
    let name = input::name(path);
    let fail = |error| Failure::io(path, &error);
    let mut reader = input::decompressed(input::open(path)?).map_err(fail)?;
    let (mut out, mut verdict) = (stdout(), Verdict::Good);
    for number in 0.. {
        let Some(line) = input::read_line_bytes(&mut reader).map_err(fail)? else {
            break;
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let answered = row_of(&line, &name, number).and_then(|row| answer(&row));
        let (line, found) = answered.unwrap_or_else(|failure| {
            let error = json!({"error": failure.line(), "row": number + 1});
            (error, Verdict::BadInput)
        });
        writeln!(out, "{line}")?;
        verdict = verdict.max(found);
    }
    Ok(verdict)
}

fn row_of(line: &[u8], name: &str, number: usize) -> Result<Row, Failure> {
    let line = std::str::from_utf8(line).map_err(|error| {
        let text = String::from_utf8_lossy(line);
        let at = error.valid_up_to();
        Failure::at("not UTF-8", name, text, at..at + 1).after_lines(number)
    })?;
    row(line.trim_end_matches(['\n', '\r']), name, number)
}

fn row(line: &str, name: &str, number: usize) -> Result<Row, Failure> {
    let value = Json::parse(line).map_err(|e| Failure::json(e, name, line).after_lines(number))?;
    let fail = |message: &str| Failure::at(message, name, line, 0..line.len()).after_lines(number);
    let Json::Object(members) = &value else {
        return Err(fail("expected an object with `text`"));
    };
    if let Some((key, span)) = pointer::repeated_key(line) {
        let message = format!("`{key}` is given twice");
        return Err(Failure::at(message, name, line, span).after_lines(number));
    }
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
        // As it is written: what it says twice is not to be lost.
        let part = || Named {
            name: format!("{name}:{}: {key}", number + 1),
            text: pointer::find(line, &format!("/{key}"))
                .map_or_else(|| value.compact(), |span| line[span].to_owned()),
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
        assert_eq!(row.tools.map(|tools| tools.text).as_deref(), Some("[ ]"));
        assert!(row.schema.is_none());
    }

    #[test]
    fn places_what_is_no_row() {
        for line in [
            "[]",
            "{}",
            r#"{"text": 1}"#,
            r#"{"text": "a", "start": 1}"#,
            r#"{"text": "a", "text": "b"}"#,
            "{",
        ] {
            let Err(Failure::Input(bad)) = row(line, "r", 4) else {
                panic!("{line}")
            };
            assert!(bad.line().starts_with("r:5:"), "{}", bad.line());
        }
    }
}
