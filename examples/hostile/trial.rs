//! One input, tried in this process: what comes of it, and what it costs.

use std::fmt;
use std::fs;

use maskwright::base::{Limits, TokenId};
use maskwright::front::abnf::{Abnf, Unbound};
use maskwright::front::choice::Choices;
use maskwright::front::ebnf::Ebnf;
use maskwright::front::json_schema::{SchemaConfig, faults};
use maskwright::front::lark::Lark;
use maskwright::front::regex;
use maskwright::front::schema_lint::lint;
use maskwright::front::structural_tag::{self, StructuralTagConfig};
use maskwright::grammar::Grammar;
use maskwright::reader::{Reader, ReaderConfig, ReaderPlan};
use maskwright::regular::Dialect;
use maskwright::{ChatOptions, Constraint, ConstraintConfig, Engine, Format, ToolChoice, ToolSet};
use maskwright::{Vocabulary, VocabularyBuilder};
use maskwright_transcript::{Format as TurnFormat, ParserConfig, parse};

use crate::inputs::{Content, Input};

/// Tokens that are read of a text that compiles, within so many seconds of processor.
const TOKENS: usize = 300;
const SECONDS: f64 = 8.0;

/// What an input cost.
pub(crate) struct Cost {
    /// Seconds of processor until it is refused or ready.
    compile: f64,
    /// Seconds of processor for the tokens that are read.
    run: f64,
    /// Seconds of processor of the slowest call of those.
    call: f64,
    /// Mebibytes beyond the vocabulary, at most.
    memory: f64,
    /// What came of it.
    outcome: String,
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            compile,
            run,
            call,
            memory,
            outcome,
        } = self;
        write!(f, "{compile:.3} {run:.3} {call:.4} {memory:.1} {outcome}")
    }
}

/// Tries `input`.
pub(crate) fn run(input: &Input) -> Cost {
    let engine = Engine::new(vocabulary().expect("the vocabulary is sound"));
    let text = input.content.text();
    // The peak begins anew; where the system does not allow it, the vocabulary's own counts too.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let before = memory("VmRSS:");
    let began = processor();
    let ready = prepare(&input.content, &text, &engine);
    let compile = processor() - began;
    let began = processor();
    let mut call = 0.0;
    let outcome = match ready {
        Ok(Some(constraint)) => read_on(&constraint, &input.content, &mut call).map_or_else(
            |error| format!("running, {error}"),
            |read| match read {
                Some(tokens) => format!("done, {tokens} tokens read"),
                None => "done".into(),
            },
        ),
        Ok(None) => "done".into(),
        Err(error) => format!("refused: {error}"),
    };
    let outcome: String = outcome
        .chars()
        .take(160)
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    Cost {
        compile,
        run: processor() - began,
        call,
        memory: memory("VmHWM:") - before,
        outcome,
    }
}

/// Does what the content asks for; a constraint where there is a text to be read.
fn prepare(content: &Content, text: &str, engine: &Engine) -> Result<Option<Constraint>, String> {
    let limits = Limits::default();
    let grammar = |grammar: Grammar| {
        engine
            .constraint(grammar, &ConstraintConfig::default())
            .map_err(said)
            .map(Some)
    };
    match content {
        Content::Schema(_) | Content::Deadline(_) => {
            Constraint::from_json_schema(engine, text, &SchemaConfig::default())
                .map_err(said)
                .map(Some)
        }
        Content::Lint(_) => {
            let linted = lint(text, &SchemaConfig::default()).map_err(said);
            let found = faults(text, &SchemaConfig::default());
            linted
                .map(|_| None)
                .and_then(|done| found.first().map_or(Ok(done), |first| Err(said(first))))
        }
        Content::Tool(_) => {
            let tools = format!(r#"[{{"name":"f","parameters":{}}}]"#, text);
            turn("harmony", engine, &tools).map(Some)
        }
        Content::Tools(_) => turn("harmony", engine, text).map(Some),
        Content::Abnf(_) => {
            let abnf = Abnf::parse(text, &limits).map_err(said)?;
            grammar(abnf.lower("a", &mut Unbound, &limits).map_err(said)?)
        }
        Content::Format(_) => {
            let format = Format::parse("hostile", text, &[], &limits).map_err(said)?;
            let mut options = ChatOptions::default();
            options.tools = ToolSet::parse(TOOL, &limits).map_err(said)?;
            Constraint::from_format(engine, &format, &options)
                .map_err(said)
                .map(Some)
        }
        Content::Reading(_) => {
            let format = Format::parse("hostile", text, &[], &limits).map_err(said)?;
            let mut options = ChatOptions::default();
            options.tools = ToolSet::parse(TOOL, &limits).map_err(said)?;
            let settled = ReaderPlan::settle(&format, "assistant-turn", &options).map_err(said)?;
            let plan = ReaderPlan::new(&format, "assistant-turn", &options).map_err(said)?;
            let samples = ["<a>", "x<b>", " ", "<f>{};1<f>{};0", "<0>", "text "];
            for sample in samples {
                take_apart(&plan, &sample.repeat(10_000), 10_000)?;
            }
            settled.map(|()| None).map_err(said)
        }
        Content::Reads(name, _) => {
            let format = Format::built_in(name, &limits).map_err(said)?;
            let format = format.ok_or("no such format")?;
            let mut options = ChatOptions::default();
            options.tools = ToolSet::parse(TOOL, &limits).map_err(said)?;
            let plan = ReaderPlan::new(&format, "assistant-turn", &options).map_err(said)?;
            take_apart(&plan, text, text.len())?;
            take_apart(&plan, text, 5)?;
            Ok(None)
        }
        Content::Tags(_) => {
            grammar(structural_tag::compile(text, &StructuralTagConfig::default()).map_err(said)?)
        }
        Content::Choice(_) => {
            let choices = Choices::parse(text, &limits).map_err(said)?;
            grammar(choices.compile(&limits).map_err(said)?)
        }
        Content::Regex(_) => {
            grammar(regex::compile(text, Dialect::default(), &limits).map_err(said)?)
        }
        Content::Ebnf(_) => grammar(
            Ebnf::parse(text, &limits)
                .map_err(said)?
                .lower("root", &limits)
                .map_err(said)?,
        ),
        Content::Lark(_) => {
            let config = SchemaConfig::default();
            grammar(
                Lark::parse(text, &config)
                    .map_err(said)?
                    .lower("start", &config)
                    .map_err(said)?,
            )
        }
        Content::Tokenizer(_) => {
            let builder = Vocabulary::from_tokenizer_json(text.as_bytes(), None);
            builder.map(|_| None).map_err(said)
        }
        Content::Ranks(_) => Vocabulary::from_tiktoken(text.as_bytes(), &[], &[])
            .map(|_| None)
            .map_err(said),
        Content::Gguf(_) => Vocabulary::from_gguf(text.as_bytes())
            .map(|_| None)
            .map_err(said),
        Content::Turn(name, _) => {
            let constraint = turn(name, engine, TOOL)?;
            read(&constraint, text)?;
            let dialect = TurnFormat::from_name(name).ok_or("no such dialect")?;
            parse(text, &ParserConfig::assistant_turn(dialect))
                .map(|_| None)
                .map_err(said)
        }
    }
}

const TOOL: &str = r#"[{"name":"f","parameters":{"type":"object"}}]"#;

fn turn(format: &str, engine: &Engine, tools: &str) -> Result<Constraint, String> {
    let limits = Limits::default();
    let format = Format::built_in(format, &limits)
        .map_err(said)?
        .ok_or("no such format")?;
    let mut options = ChatOptions::default();
    options.tools = ToolSet::parse(tools, &limits).map_err(said)?;
    if tools != TOOL {
        options.tool_choice = ToolChoice::Required;
    }
    Constraint::from_format(engine, &format, &options).map_err(said)
}

/// Reads a turn whose control tokens are spelt.
fn read(constraint: &Constraint, text: &str) -> Result<(), String> {
    let mut reader = constraint.recogniser();
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        // No control token is longer, and what is hostile here is ASCII.
        let near = rest.get(..20.min(rest.len())).unwrap_or_default();
        let control = near.starts_with("<|").then(|| near.find("|>")).flatten();
        let control = control.map(|end| &rest[..end + 2]);
        let (known, taken) =
            match control.filter(|name| constraint.vocabulary().special(name).is_some()) {
                Some(name) => (reader.control(name).map_err(said)?, name.len()),
                None => {
                    let mut known = true;
                    for &byte in next.to_string().as_bytes() {
                        known &= reader.byte(byte).map_err(said)?;
                    }
                    (known, next.len_utf8())
                }
            };
        if !known {
            return Err("not a turn".into());
        }
        rest = &rest[taken..];
    }
    Ok(())
}

/// Reads what a model wrote, in pieces of so many bytes at least, by a strict reader and a lenient one.
fn take_apart(plan: &ReaderPlan, text: &str, piece: usize) -> Result<(), String> {
    for config in [ReaderConfig::default(), ReaderConfig::lenient()] {
        let mut reader = Reader::new(plan, config);
        let pieces = text.as_bytes().chunks(piece.max(1));
        let read = pieces
            .map(|piece| reader.feed_bytes(piece))
            .find_map(Result::err);
        // A strict reader says where a text breaks, and no more.
        let ended = match read {
            Some(error) => Err(error),
            None => reader.finish().map(|_| ()),
        };
        if config == ReaderConfig::lenient() {
            ended.map_err(said)?;
        }
    }
    Ok(())
}

/// Reads random tokens of the masks; then a way out. How many tokens, where the time was over before the last.
fn read_on(
    constraint: &Constraint,
    content: &Content,
    slowest: &mut f64,
) -> Result<Option<usize>, String> {
    let began = processor();
    let mut session = constraint.session();
    if matches!(content, Content::Deadline(_)) {
        let least = timed("deadline", slowest, || session.tokens_needed())?;
        timed("deadline", slowest, || session.deadline(least + 50))?;
    }
    let mut mask = vec![0u32; constraint.vocabulary().mask_words()];
    let mut seed = 7u64;
    let late = || processor() - began > SECONDS;
    while !session.is_finished() && session.len() < TOKENS && !late() {
        timed("mask", slowest, || session.mask(&mut mask))?;
        let token = sample(&mask, &mut seed);
        timed("accept", slowest, || session.accept(token))?;
    }
    if !session.is_finished() {
        timed("way out", slowest, || session.way_out())?;
    }
    Ok(late().then(|| session.len()))
}

fn timed<T, E: fmt::Display>(
    what: &str,
    slowest: &mut f64,
    call: impl FnOnce() -> Result<T, E>,
) -> Result<T, String> {
    let began = processor();
    let result = call();
    *slowest = slowest.max(processor() - began);
    result.map_err(|error| format!("{what}: {error}"))
}

fn sample(mask: &[u32], seed: &mut u64) -> TokenId {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
    let allowed: Vec<usize> = (0..mask.len() * 32)
        .filter(|&id| mask[id / 32] >> (id % 32) & 1 == 1)
        .collect();
    TokenId::from_usize(allowed[(*seed >> 33) as usize % allowed.len()])
}

fn said(error: impl fmt::Display) -> String {
    error.to_string()
}

/// `o200k_harmony`, from the ranks that the crate `tiktoken-rs` carries.
fn vocabulary() -> Result<Vocabulary, Box<dyn std::error::Error>> {
    let ranks = tiktoken_rs::o200k_base()?;
    let mut builder = VocabularyBuilder::o200k_harmony();
    for id in 0..199_998 {
        builder.ordinary(TokenId::new(id), &ranks.decode_bytes(&[id])?)?;
    }
    Ok(builder.build()?)
}

/// Seconds of processor that this process has had.
fn processor() -> f64 {
    let spent = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = spent
        .split_whitespace()
        .next()
        .and_then(|first| first.parse::<f64>().ok());
    nanoseconds.unwrap_or_default() / 1e9
}

/// A figure of `/proc/self/status`, in mebibytes.
fn memory(field: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kibibytes.unwrap_or_default() / 1024.0
}
