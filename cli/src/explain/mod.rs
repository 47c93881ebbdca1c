//! `maskwright explain`: what may come next in a text, and why.

mod page;
mod report;
mod schemas;
mod step;

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::input;
use crate::output::stdout;
use crate::source::{DefaultTools, SourceOptions};
use crate::verdict::Verdict;
use schemas::Schemas;
use step::Walk;

/// Say what may come next in a text and why: the rule, the keywords and where they stand, how many
/// tokens, what the mask is made of, and how long it took.
///
/// Every byte of the text counts; control tokens spelt out are read as such. Exits with 0, or with 1
/// if the text is refused: then it is explained up to there.
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright explain --schema person.schema.json --text '{\"name\": \"A'\n  maskwright explain --tools tools.json --text '<|channel|>' --html turn.html"
)]
pub(crate) struct Options {
    #[command(flatten)]
    source: SourceOptions,
    /// The text so far, or - for stdin
    #[arg(default_value = "-", value_name = "FILE|-", conflicts_with = "text")]
    file: PathBuf,
    /// The text so far, as it stands here
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Write a page that steps through the text token by token, for a browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// Explains the text.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let (source, tokens) = options.source.read(DefaultTools::None)?;
    let text = match &options.text {
        Some(text) => text.clone(),
        None => input::read_text(&options.file)?,
    };
    let schemas = Schemas::of(&source);
    let mut walk = Walk::new(&source, &tokens)?;
    let parts = walk.parts(&text)?;
    let mut steps = Vec::new();
    let mut refused = None;
    for part in parts {
        if options.html.is_some() {
            steps.push(walk.step(&schemas, Some(&part))?);
        }
        if !walk.read(&part) {
            refused = Some(part.text);
            break;
        }
    }
    let last = walk.step(&schemas, None)?;
    let mut out = stdout();
    report::show(&mut out, &walk.so_far(), &last)?;
    if let Some(part) = &refused {
        report::refused(&mut out, part)?;
    }
    if let Some(path) = &options.html {
        if refused.is_none() {
            steps.push(last);
        }
        let page = page::page(source.title(), &schemas, &steps);
        std::fs::write(path, page).map_err(|error| Failure::io(path, &error))?;
        report::written(&mut out, &input::name(path), steps.len())?;
    }
    Ok(match refused {
        None => Verdict::Good,
        Some(_) => Verdict::Bad,
    })
}
