//! Reading MaskBench: schemas and their instances, from directories, JSON and JSON lines.

use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::failure::Failure;
use super::input;
use super::json::Json;

/// Which schemas to read.
#[derive(Args)]
pub(crate) struct Suite {
    /// A directory of MaskBench files, or a file of them one a line; plain or zstd
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Take only the first N schemas
    #[arg(long, value_name = "N")]
    limit: Option<usize>,
    /// Take only the schemas whose name contains this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
}

impl Suite {
    /// Gives each case to `take`, under a progress bar that shows what `take` says.
    pub(crate) fn each(
        &self,
        take: &mut dyn FnMut(Case) -> Result<String, Failure>,
    ) -> Result<(), Failure> {
        let files = files(&self.paths)?;
        let progress = ProgressBar::new(total_bytes(&files)).with_style(style());
        let mut taken = 0;
        for file in &files {
            read(file, &progress, &mut |case| {
                if self.limit.is_some_and(|limit| taken >= limit) {
                    return Ok(false);
                }
                let part = self.filter.as_ref();
                if part.is_none_or(|part| case.name.contains(part)) {
                    taken += 1;
                    progress.set_message(take(case)?);
                }
                Ok(true)
            })?;
        }
        progress.finish_and_clear();
        Ok(())
    }
}

fn style() -> ProgressStyle {
    ProgressStyle::with_template("{bar:40.cyan} {percent:>3}% {msg}, {eta} left")
        .expect("the template is well-formed")
}

/// A schema and its instances.
pub(crate) struct Case {
    pub(crate) name: String,
    /// The schema's JSON, keys in order and numbers as spelt.
    pub(crate) schema: String,
    pub(crate) instances: Vec<Instance>,
}

/// An instance of a schema.
pub(crate) struct Instance {
    /// The instance as Python's `json.dumps` spells it.
    pub(crate) text: String,
    /// Whether the instance is labelled valid.
    pub(crate) valid: bool,
}

/// The files that `paths` mean, directories resolved to their JSON files.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let before = files.len();
        files.extend(
            input::files_in(path)?
                .into_iter()
                .filter(|file| kind(file).is_some()),
        );
        if files.len() == before {
            return Err(
                Failure::new(format!("{}: holds no *.json file", path.display()))
                    .hint("a PATH is a directory of MaskBench files or a file of them, one a line"),
            );
        }
    }
    Ok(files)
}

/// How many bytes of input `files` are, for the progress bar.
fn total_bytes(files: &[PathBuf]) -> u64 {
    files
        .iter()
        .filter_map(|file| file.metadata().ok())
        .map(|m| m.len())
        .sum()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Json,
    Lines,
}

fn kind(path: &Path) -> Option<Kind> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".zst").unwrap_or(name);
    match name.rsplit_once('.')?.1 {
        "json" => Some(Kind::Json),
        "jsonl" => Some(Kind::Lines),
        _ => None,
    }
}

/// Gives each case of `file` to `take` until it says stop (false).
fn read(
    file: &Path,
    progress: &ProgressBar,
    take: &mut dyn FnMut(Case) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let fail = |e| Failure::io(file, &e);
    let name = input::name(file);
    let reader = progress.wrap_read(input::open(file)?);
    let mut reader = input::decompressed(reader).map_err(fail)?;
    if kind(file) == Some(Kind::Json) {
        let text = input::read_text_of(&mut reader).map_err(fail)?;
        let case = case(&text, &name, &stem(file))?;
        return take(case).map(|_| ());
    }
    for number in 0.. {
        let Some(line) = input::read_line(&mut reader).map_err(fail)? else {
            break;
        };
        if line.trim().is_empty() {
            continue;
        }
        let case = case(&line, &name, &format!("line {}", number + 1))
            .map_err(|e| e.after_lines(number))?;
        if !take(case)? {
            break;
        }
    }
    Ok(())
}

fn stem(file: &Path) -> String {
    file.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Reads one MaskBench object; `fallback` names it where it does not say.
fn case(text: &str, source: &str, fallback: &str) -> Result<Case, Failure> {
    let value = Json::parse(text).map_err(|e| Failure::json(e, source, text))?;
    let fail = |message: &str| Failure::at(message, source, text, 0..0);
    let schema = value
        .get("schema")
        .ok_or_else(|| fail("expected an object with `schema`"))?;
    let tests = match value.get("tests") {
        None => &[][..],
        Some(tests) => tests
            .as_array()
            .ok_or_else(|| fail("`tests` is not an array"))?,
    };
    let instances = tests.iter().enumerate().map(|(index, test)| {
        let part = |key| {
            test.get(key)
                .ok_or_else(|| fail(&format!("`tests/{index}` has no `{key}`")))
        };
        Ok(Instance {
            text: part("data")?.python(),
            valid: part("valid")?
                .as_bool()
                .ok_or_else(|| fail(&format!("`tests/{index}/valid` is not true or false")))?,
        })
    });
    Ok(Case {
        name: value
            .get("file")
            .and_then(Json::as_str)
            .unwrap_or(fallback)
            .to_owned(),
        schema: schema.compact(),
        instances: instances.collect::<Result<_, Failure>>()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_a_case() {
        let text =
            r#"{"schema":{"b":1.0,"a":[]},"tests":[{"valid":false,"data":{"x":1e2,"é":[1,2]}}]}"#;
        let Ok(case) = case(text, "t", "name") else {
            panic!("well-formed")
        };
        assert_eq!(
            (case.name.as_str(), case.schema.as_str()),
            ("name", r#"{"b":1.0,"a":[]}"#)
        );
        assert_eq!(case.instances[0].text, r#"{"x": 100.0, "é": [1, 2]}"#);
        assert!(!case.instances[0].valid);
    }

    #[test]
    fn refuses_what_is_no_case() {
        for text in [
            "[]",
            "{}",
            r#"{"schema":1,"tests":2}"#,
            r#"{"schema":1,"tests":[{"valid":1,"data":1}]}"#,
            r#"{"schema":1,"tests":[{"valid":true}]}"#,
            "{",
        ] {
            assert!(case(text, "t", "n").is_err(), "{text}");
        }
    }
}
