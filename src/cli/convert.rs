//! `maskwright convert`: a conversation from one notation to another.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use maskwright::transcript::{
    Ending, Format, Message, RenderOptions, ToolDefinitions, convert, normalise_history, render,
    to_interchange, to_openai,
};

use super::conversation::Notation;
use super::failure::Failure;
use super::input::Named;
use super::verdict::Verdict;

/// Convert a conversation from one notation to another.
///
/// Notations: chatml, chatml-tokens (its list of texts and token objects), openchatml-0.1,
/// internlm2, openchatml-2.2, harmony, json (OpenChatML 2.2's section 10), openai (chat messages
/// with tool_calls).
#[derive(Args)]
#[command(
    after_help = "Example:\n  maskwright convert --from openai --to harmony --prompt --tools tools.json chat.json"
)]
pub(crate) struct Options {
    /// The notation of the input
    #[arg(long, value_name = "NAME")]
    from: String,
    /// The notation of the output
    #[arg(long, value_name = "NAME")]
    to: String,
    /// End in the header where the assistant goes on
    #[arg(long)]
    prompt: bool,
    /// Bring history to the form in which it is sampled from: old reasoning goes
    #[arg(long)]
    history: bool,
    /// Tools to offer, before everything else: OpenAI's array of functions, or MCP's list
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// The conversation, or - for stdin
    #[arg(default_value = "-", value_name = "FILE|-")]
    file: PathBuf,
}

/// Prints the conversation in its new notation.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let to = Notation::named(&options.to)?;
    let file = Named::read(&options.file)?;
    let mut messages = Notation::named(&options.from)?.read(&file)?;
    if options.history {
        messages = normalise_history(&messages);
    }
    let converted = |to: Format| {
        let messages = convert(&messages, to);
        messages.map_err(|error| Failure::new(format!("{}: {error}", file.name)))
    };
    let text = match to {
        Notation::OpenAi => to_openai(&messages),
        Notation::Json => to_interchange(&converted(Format::OpenChatMl22)?)
            .map_err(|error| Failure::new(format!("{}: {error}", file.name)))?,
        Notation::ChatMlTokens => {
            let all = with_tools(options, Format::ChatMl, converted(Format::ChatMl)?)?;
            written(&all, options, Format::ChatMl, &file)?.token_list()
        }
        Notation::Text(format) => {
            let all = with_tools(options, format, converted(format)?)?;
            written(&all, options, format, &file)?.text()
        }
    };
    writeln!(anstream::stdout().lock(), "{text}")?;
    Ok(Verdict::Good)
}

fn with_tools(
    options: &Options,
    format: Format,
    mut messages: Vec<Message>,
) -> Result<Vec<Message>, Failure> {
    let Some(path) = &options.tools else {
        return Ok(messages);
    };
    let file = Named::read(path)?;
    let tools = ToolDefinitions::parse(&file.text)
        .map_err(|error| Failure::new(format!("{}: {error}", file.name)))?;
    let offer = tools.message(format);
    let none = || Failure::new(format!("{} has no way to offer tools", format.name()));
    messages.insert(0, offer.ok_or_else(none)?);
    Ok(messages)
}

fn written(
    messages: &[Message],
    options: &Options,
    format: Format,
    file: &Named,
) -> Result<maskwright::transcript::Rendered, Failure> {
    let ending = match options.prompt {
        true => Ending::Prompt,
        false => Ending::Conversation,
    };
    let options = RenderOptions {
        ending,
        ..RenderOptions::new(format)
    };
    render(messages, &options).map_err(|error| Failure::new(format!("{}: {error}", file.name)))
}
