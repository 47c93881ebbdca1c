//! `maskwright convert`: a conversation from one notation to another.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use maskwright::base::LineColumn;
use maskwright_transcript::{
    DocumentHeader, Ending, FilePart, Format, Loss, Lost, Message, RenderError, RenderOptions,
    Rendered, Span, SpeltControls, ToolDefinitions, convert, normalise_history, render,
    render_files, to_interchange, to_openai,
};

use super::conversation::{Conversation, Notation};
use super::failure::Failure;
use super::input::Named;
use super::output::{stdout, warn};
use super::verdict::Verdict;

/// Convert a conversation from one notation to another.
///
/// Notations: chatml, chatml-tokens (its list of texts and token objects), openchatml-0.1,
/// internlm2, openchatml-2.2, harmony, json (OpenChatML 2.2's section 10), openai (chat messages
/// with tool_calls). What the new notation has no place for is warned of, or refused.
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
    let from = Notation::named(&options.from)?;
    let file = Named::read(&options.file)?;
    let mut conversation = from.read(&file)?;
    if options.history {
        conversation.messages = normalise_history(&conversation.messages);
    }
    let conversion = Conversion {
        options,
        to,
        file,
        conversation,
    };
    write!(stdout(), "{}{}", conversion.text()?, end_of_file(to))?;
    Ok(Verdict::Good)
}

/// What ends a file: a line feed, but in Harmony, which has none between messages and so none
/// after the last.
fn end_of_file(notation: Notation) -> &'static str {
    match notation {
        Notation::Text(Format::Harmony) => "",
        _ => "\n",
    }
}

/// A conversation on its way into another notation.
struct Conversion<'o> {
    options: &'o Options,
    to: Notation,
    file: Named,
    conversation: Conversation,
}

impl Conversion<'_> {
    fn text(&self) -> Result<String, Failure> {
        let Conversation {
            messages,
            files,
            header,
        } = &self.conversation;
        let keeps_header = self.to == Notation::Text(Format::OpenChatMl22);
        if !keeps_header && header.as_ref().is_some_and(DocumentHeader::says_more) {
            self.warn(Span::default(), "what the document header says");
        }
        if !files.is_empty() {
            return self.files(files);
        }
        match self.to {
            Notation::Text(format) => Ok(self.written(format)?.text()),
            Notation::ChatMlTokens => Ok(self.written(Format::ChatMl)?.token_list()),
            Notation::Json => {
                let messages = self.converted(Format::OpenChatMl22)?;
                to_interchange(&messages)
                    .map_err(|error| self.failure(Span::default(), error.to_string()))
            }
            Notation::OpenAi => {
                let converted = to_openai(messages);
                self.warn_of(&converted.losses);
                Ok(converted.output)
            }
        }
    }

    /// Files and texts with a gap, which nobody says.
    fn files(&self, files: &[FilePart]) -> Result<String, Failure> {
        let reason = format!("{} has no files", self.to.name());
        let Notation::Text(format) = self.to else {
            return Err(self.failure(files[0].span, reason));
        };
        if self.options.prompt || self.options.tools.is_some() {
            let reason = "files are no conversation: --prompt and --tools mean nothing here";
            return Err(self.failure(files[0].span, reason.to_owned()));
        }
        let rendered = render_files(files, &RenderOptions::new(format));
        let place = |error: RenderError| self.failure(files[error.index].span, error.reason);
        Ok(rendered.map_err(place)?.text())
    }

    /// The conversation in a format, tools offered, as text.
    fn written(&self, format: Format) -> Result<Rendered, Failure> {
        let mut messages = self.converted(format)?;
        if let Some(path) = &self.options.tools {
            messages.insert(0, offer(path, format)?);
        }
        let mut options = RenderOptions::new(format);
        if self.options.prompt {
            options.ending = Ending::Prompt;
        }
        if self.to == Notation::ChatMlTokens {
            options.spelt = SpeltControls::Text;
        }
        if let Some(header) = &self.conversation.header {
            options.header = header.clone();
        }
        render(&messages, &options).map_err(|error| {
            let reason = format!("{}: {}", error.code, error.reason);
            self.failure(messages[error.index].span, reason)
        })
    }

    fn converted(&self, format: Format) -> Result<Vec<Message>, Failure> {
        let converted = convert(&self.conversation.messages, format)
            .map_err(|error| self.failure(error.span, error.to_string()))?;
        self.warn_of(&converted.losses);
        Ok(converted.output)
    }

    /// An error of the message at `span`; of the whole file where that is empty.
    fn failure(&self, span: Span, reason: String) -> Failure {
        match span.start < span.end {
            true => self.file.failure(reason, span.start..span.end),
            false => Failure::new(format!("{}: {reason}", self.file.name)),
        }
    }

    /// Says what is lost: each kind once, where it is lost first.
    fn warn_of(&self, losses: &[Loss]) {
        let kinds: BTreeSet<Lost> = losses.iter().map(|loss| loss.what).collect();
        for kind in kinds {
            let mut of_kind = losses.iter().filter(|loss| loss.what == kind);
            if let Some(first) = of_kind.next() {
                let text = match of_kind.count() {
                    0 => format!("{kind} of message {}", first.index),
                    more => format!("{kind} of message {} and of {more} more", first.index),
                };
                self.warn(first.span, &text);
            }
        }
    }

    fn warn(&self, span: Span, lost: &str) {
        let place = match span.start < span.end {
            true => format!(
                "{}:{}",
                self.file.name,
                LineColumn::of(&self.file.text, span.start)
            ),
            false => self.file.name.clone(),
        };
        let to = self.to.name();
        warn(format_args!("{place}: {to} has no place for {lost}"));
    }
}

/// The message by which a format offers the tools of a file.
fn offer(path: &Path, format: Format) -> Result<Message, Failure> {
    let file = Named::read(path)?;
    let tools = ToolDefinitions::parse(&file.text)
        .map_err(|error| Failure::new(format!("{}: {error}", file.name)))?;
    let none = || Failure::new(format!("{} has no way to offer tools", format.name()));
    tools.message(format).ok_or_else(none)
}
