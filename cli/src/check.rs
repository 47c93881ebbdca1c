//! `maskwright check`: the verdict of the independent parser, or of a format's file.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use maskwright::base::LineColumn;
use serde_json::{Value, json};

use super::failure::Failure;
use super::input::Named;
use super::judge::{TRANSCRIPT, TranscriptJudge};
use super::output::{stdout, warn};
use super::reading::{self, TurnReader, check_one};
use super::request::{Request, RequestOptions};
use super::rows::{self, Row};
use super::source::{ASSISTANT_TURN, built_in};
use super::spelling::Patterns;
use super::verdict::Verdict;

/// Ask the independent parser of transcripts whether it accepts a text, or have a format's file take it apart.
///
/// With --grammar a text is one turn, and what it says is shown: reasoning, content, calls with their arguments as JSON.
/// The arguments are judged by the schemas of the tools.
///
/// Every byte counts, a line break at the end too. Exits with 0 if the text (each text, with
/// --jsonl) is complete and valid, and with 1 if not.
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright check --format harmony --tools tools.json turn.txt\n  maskwright check --grammar qwen3-coder --tools tools.json turn.txt\n\nRows: {\"text\": …, \"tools\"?: […], \"start\"?: …}\nAnswers: {\"accepted\": a live prefix, \"complete\": bool, \"at\": byte, \"line\", \"column\", \"code\", \"message\"}"
)]
pub(crate) struct Options {
    /// The chat format: chatml, openchatml-0.1, internlm2, openchatml-2.2 or harmony
    #[arg(long, value_name = "NAME", required_unless_present = "grammar")]
    format: Option<String>,
    /// The format whose file takes the text apart: any that comes along, or an ABNF file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "format")]
    grammar: Option<String>,
    /// What of the turn is there before the text, such as a line break
    #[arg(long, value_name = "TEXT", default_value = "", requires = "grammar")]
    lead: String,
    /// Where the text begins: assistant-turn, transcript, or fim-middle (OpenChatML 0.1)
    #[arg(long, value_name = "RULE", default_value = ASSISTANT_TURN)]
    start: String,
    #[command(flatten)]
    request: RequestOptions,
    /// Whose syntax patterns in schemas are in; only those of ecma are judged
    #[arg(long, value_enum, default_value = "ecma")]
    patterns: Patterns,
    /// The text, or what `convert --pieces` writes, or - for stdin
    #[arg(default_value = "-", value_name = "FILE|-")]
    file: PathBuf,
    /// Read a JSON object a line, and answer each with one
    #[arg(long)]
    jsonl: bool,
}

impl Options {
    fn request(&self) -> Result<Request, Failure> {
        let mut request = self.request.read()?;
        request.dialect = self.patterns.dialect();
        Ok(request)
    }
}

/// Answers for one text, or for a row of them.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let request = options.request()?;
    let format = match (&options.grammar, &options.format) {
        (Some(grammar), _) => return read(options, grammar, &request),
        (None, format) => format.as_deref().unwrap_or_default(),
    };
    let judge = TranscriptJudge::new(format, &options.start, &request)?;
    request.check_format(&built_in(format)?)?;
    if options.start == TRANSCRIPT {
        for option in options.request.of_turns() {
            warn(format_args!(
                "{option} says what a turn may do; a transcript is not held against it"
            ));
        }
    }
    if !options.jsonl {
        judge.check_choice(&request.tool_choice)?;
        return one(&Named::read(&options.file)?, &judge);
    }
    rows::answer_each(&options.file, &mut |row| {
        let own = row_judge(options, format, row)?;
        let judge = own.as_ref().unwrap_or(&judge);
        judge.check_choice(&request.tool_choice)?;
        Ok(answer(judge, &row.text))
    })
}

/// Answers by the file of a format.
fn read(options: &Options, grammar: &str, request: &Request) -> Result<Verdict, Failure> {
    let reader = |start: &str, request: &Request| {
        TurnReader::new(grammar, start, request)?.after(&options.lead)
    };
    let all = reader(&options.start, request)?;
    if !options.jsonl {
        return check_one(&all, &Named::read(&options.file)?);
    }
    rows::answer_each(&options.file, &mut |row| {
        let own = match (&row.tools, &row.start) {
            (None, None) => None,
            (tools, start) => {
                let mut request = request.clone();
                request.tools = tools.clone().or(request.tools);
                Some(reader(
                    start.as_deref().unwrap_or(&options.start),
                    &request,
                )?)
            }
        };
        Ok(reading::answer(own.as_ref().unwrap_or(&all), &row.text))
    })
}

/// The judge that a row asks for, where it asks for another than the options do.
fn row_judge(
    options: &Options,
    format: &str,
    row: &Row,
) -> Result<Option<TranscriptJudge>, Failure> {
    if row.schema.is_some() {
        return Err(Failure::new(
            "`schema` is not for this parser, which reads chat formats",
        ));
    }
    if row.tools.is_none() && row.start.is_none() {
        return Ok(None);
    }
    let mut request = options.request()?;
    if let Some(tools) = &row.tools {
        request.tools = Some(tools.clone());
        request.check_tools()?;
    }
    let start = row.start.as_ref().unwrap_or(&options.start);
    TranscriptJudge::new(format, start, &request).map(Some)
}

/// Answers for one text, which may be a list of texts and token objects.
fn one(file: &Named, judge: &TranscriptJudge) -> Result<Verdict, Failure> {
    let mut out = stdout();
    let text = judge.chat_text(file)?;
    let error = match judge.parse_chat_text(&text) {
        Ok(transcript) => {
            match transcript.files().len() {
                0 => writeln!(out, "valid: {} messages", transcript.messages().len())?,
                files => writeln!(out, "valid: {files} files and parts")?,
            }
            for note in transcript.notes() {
                writeln!(out, "note: {}: {note}", text.place(note.span().start))?;
            }
            return Ok(Verdict::Good);
        }
        Err(error) => error,
    };
    let kind = match error.is_truncated() {
        true => "unfinished",
        false => "invalid",
    };
    let (code, at) = (error.code(), error.span().start);
    let place = match text.is_text() {
        true => format!("{} (byte {at})", text.place(at)),
        false => text.place(at),
    };
    writeln!(out, "{kind}: {place}: {code}: {}", error.message())?;
    if let Some(hint) = error.hint() {
        writeln!(out, "hint: {hint}")?;
    }
    let shorter = file.text.strip_suffix('\n').filter(|_| text.is_text());
    if shorter.is_some_and(|text| judge.parse(text).is_ok()) {
        writeln!(out, "hint: without the line break at its end it is valid")?;
    }
    Ok(Verdict::Bad)
}

fn answer(judge: &TranscriptJudge, text: &str) -> (Value, Verdict) {
    let error = match judge.parse(text) {
        Ok(_) => {
            return (
                json!({"accepted": true, "complete": true, "at": text.len(), "code": null}),
                Verdict::Good,
            );
        }
        Err(error) => error,
    };
    let place = LineColumn::of(text, error.span().start);
    let line = json!({
        "accepted": error.is_truncated(),
        "complete": false,
        "at": error.span().start,
        "line": place.line,
        "column": place.column,
        "code": error.code().as_str(),
        "message": error.message(),
    });
    (line, Verdict::Bad)
}
