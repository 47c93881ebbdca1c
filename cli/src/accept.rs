//! `maskwright accept`: does the automaton accept this text?

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use maskwright::base::{LimitError, Span};
use maskwright::session::{Constraint, Expected, Recogniser};
use serde_json::json;

use super::failure::Failure;
use super::input::Named;
use super::output::stdout;
use super::rows::{self, Row};
use super::source::{DefaultTools, Language, Source, SourceOptions};
use super::split::{Part, Splitter};
use super::verdict::Verdict;
use super::vocabulary::Tokens;

/// Ask the automaton whether it accepts a text; control tokens spelt out are read as such.
///
/// Every byte counts, a line break at the end too. Exits with 0 if the text (each text, with
/// --jsonl) is complete, and with 1 if not.
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright accept --tools tools.json turn.txt\n  maskwright accept --jsonl rows.jsonl\n\nRows: {\"text\": …, \"tools\"?: […], \"schema\"?: …, \"start\"?: …,\n  \"regex\"?: \"…\", \"choice\"?: […], \"ebnf\"?: \"…\", \"lark\"?: \"…\"}\nAnswers: {\"accepted\": a live prefix, \"complete\": may end here, \"at\": byte, \"expected\": […]}"
)]
pub(crate) struct Options {
    #[command(flatten)]
    source: SourceOptions,
    /// The text, or - for stdin
    #[arg(default_value = "-", value_name = "FILE|-")]
    file: PathBuf,
    /// Read a JSON object a line, and answer each with one
    #[arg(long)]
    jsonl: bool,
}

/// Answers for one text, or for a row of them.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let (source, tokens) = options.source.read(DefaultTools::None)?;
    match options.jsonl {
        true => lines(&options.file, &source, &tokens),
        false => one(&Named::read(&options.file)?, &source, &tokens),
    }
}

/// What the automaton says of a text.
struct Answer {
    /// Whether it is the beginning of an acceptable text.
    accepted: bool,
    complete: bool,
    /// Where it was refused, or its length.
    at: usize,
    expected: Vec<String>,
}

impl Answer {
    fn verdict(&self) -> Verdict {
        match self.complete {
            true => Verdict::Good,
            false => Verdict::Bad,
        }
    }
}

fn one(text: &Named, source: &Source, tokens: &Tokens) -> Result<Verdict, Failure> {
    let constraint = source.compile(tokens)?;
    let controls = source.named_controls(&constraint);
    let splitter = Splitter::new(&controls, tokens.vocabulary());
    let answer = answer(
        source.recogniser(&constraint)?,
        &constraint,
        &splitter,
        &text.text,
    )
    .map_err(|met| met.failure(text))?;
    let mut out = stdout();
    let place = Span::new(answer.at, answer.at).line_column(&text.text);
    let expected = answer.expected.join(" ");
    match (answer.accepted, answer.complete) {
        (_, true) => writeln!(out, "accepted")?,
        (true, false) => writeln!(
            out,
            "unfinished: {}:{place} (byte {}): expected {expected}",
            text.name, answer.at
        )?,
        (false, false) => writeln!(
            out,
            "refused: {}:{place} (byte {}): expected {expected}",
            text.name, answer.at
        )?,
    }
    Ok(answer.verdict())
}

fn lines(path: &Path, source: &Source, tokens: &Tokens) -> Result<Verdict, Failure> {
    let mut compiler = Compiler {
        tokens,
        source,
        last: None,
    };
    rows::answer_each(path, &mut |row| {
        let answer = compiler.answer(row)?;
        let line = json!({"accepted": answer.accepted, "complete": answer.complete, "at": answer.at, "expected": answer.expected});
        Ok((line, answer.verdict()))
    })
}

/// Compiles what rows ask for; rows in a row that ask for the same share it.
struct Compiler<'a> {
    tokens: &'a Tokens,
    source: &'a Source,
    last: Option<(Row, Source, Constraint)>,
}

impl Compiler<'_> {
    fn answer(&mut self, row: &Row) -> Result<Answer, Failure> {
        let known = self
            .last
            .as_ref()
            .is_some_and(|(last, ..)| last.asks_the_same(row));
        if !known {
            let source = asked(self.source, row);
            let constraint = source.compile(self.tokens)?;
            self.last = Some((row.clone(), source, constraint));
        }
        let Some((_, source, constraint)) = &self.last else {
            return Err(Failure::new("nothing was compiled"));
        };
        let controls = source.named_controls(constraint);
        let splitter = Splitter::new(&controls, self.tokens.vocabulary());
        let recogniser = source.recogniser(constraint)?;
        answer(recogniser, constraint, &splitter, &row.text).map_err(|met| {
            met.failure(&Named {
                name: "text".to_owned(),
                text: row.text.clone(),
            })
        })
    }
}

/// The source with what the row says instead.
fn asked(source: &Source, row: &Row) -> Source {
    let mut source = source.clone();
    if let Some(schema) = &row.schema {
        source.speak(Language::Schema(schema.clone()));
    }
    if let Some(written) = &row.written {
        source.speak(Language::Written(written.clone()));
    }
    if let Some(tools) = &row.tools {
        source.request.tools = Some(tools.clone());
    }
    if let Some(start) = &row.start {
        source.start.clone_from(start);
    }
    source
}

/// A limit, and the byte of the text before which it was met.
struct Met {
    at: usize,
    limit: LimitError,
}

impl Met {
    fn failure(&self, text: &Named) -> Failure {
        text.failure(self.limit.to_string(), self.at..self.at + 1)
            .hint("so far the text could be read in too many ways at once: a grammar with fewer of them takes less")
    }
}

fn answer(
    mut recogniser: Recogniser,
    constraint: &Constraint,
    splitter: &Splitter<'_>,
    text: &str,
) -> Result<Answer, Met> {
    let vocabulary = constraint.vocabulary();
    let mut at = 0;
    let mut accepted = true;
    let mut ended = false;
    for part in splitter.parts(text) {
        let read = match part {
            Part::Byte(byte) => recogniser.byte(byte),
            // Where the token itself may not come, its spelling may: OpenChatML 2.2 escapes it.
            Part::Control(name) if splitter.is_named(name) => control(&mut recogniser, name),
            // Of the other special tokens only those may come that end a text, at its end.
            Part::Control(name) => {
                let stops = vocabulary
                    .special(name)
                    .is_some_and(|id| constraint.stop_tokens().contains(&id));
                ended = stops && recogniser.may_end() && at + name.len() == text.len();
                Ok(ended)
            }
        };
        if !read.map_err(|limit| Met { at, limit })? {
            accepted = false;
            break;
        }
        at += part.len();
    }
    let complete = accepted && (ended || recogniser.may_end());
    let expected = if ended {
        Vec::new()
    } else {
        recogniser.expected()
    };
    Ok(Answer {
        accepted,
        complete,
        at,
        expected: expected.iter().map(spelt).collect(),
    })
}

/// Reads a control token, or else what spells it.
fn control(recogniser: &mut Recogniser, name: &str) -> Result<bool, LimitError> {
    Ok(recogniser.control(name)? || bytes(recogniser, name)?)
}

/// Reads all bytes of a text, or nothing.
fn bytes(recogniser: &mut Recogniser, text: &str) -> Result<bool, LimitError> {
    let mut ahead = recogniser.clone();
    for byte in text.bytes() {
        if !ahead.byte(byte)? {
            return Ok(false);
        }
    }
    *recogniser = ahead;
    Ok(true)
}

/// What may come next, as ABNF writes it; control tokens by their spelling.
fn spelt(expected: &Expected) -> String {
    match expected {
        Expected::Bytes(lo, hi) if lo == hi && lo.is_ascii_graphic() && *lo != b'"' => {
            format!("\"{}\"", char::from(*lo))
        }
        Expected::Bytes(lo, hi) if lo == hi => format!("%x{lo:02X}"),
        Expected::Bytes(lo, hi) => format!("%x{lo:02X}-{hi:02X}"),
        Expected::Control(spelling) => spelling.clone(),
        Expected::End => "<end>".to_owned(),
    }
}
