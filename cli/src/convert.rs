//! `maskwright convert`: a conversation from one notation to another.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use maskwright::base::LineColumn;
use maskwright_transcript::{
    DocumentHeader, Ending, FilePart, Format, HarmonySystem, Loss, Lost, Message, ReasoningEffort,
    RenderError, RenderOptions, Rendered, Role, Span, ToolDefinitions, convert, normalise_history,
    render, render_files, to_interchange, to_openai, with_harmony_head, without_old_analysis,
};

use super::conversation::{Conversation, Notation, SequenceOptions, Turns};
use super::failure::Failure;
use super::input::Named;
use super::output::{stdout, warn};
use super::request::read_tools;
use super::verdict::Verdict;

/// Convert a conversation from one notation to another.
///
/// Notations: chatml, chatml-tokens (its list of texts and token objects), openchatml-0.1,
/// internlm2, openchatml-2.2, harmony, json (OpenChatML 2.2's section 10), openai (chat messages
/// with tool_calls), and, to read from, each other format of `maskwright formats`: one turn of the assistant, with
/// --tools for the types of parameters. What the new notation has no place for is warned of, or refused.
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
    /// Tools to offer, before everything else, in any provider's spelling
    #[arg(long, value_name = "FILE")]
    tools: Option<PathBuf>,
    /// Offer a tool that the format has built in, as its models are told of it (InternLM2)
    #[arg(long, value_enum, value_name = "TOOL")]
    built_in: Option<BuiltInTool>,
    /// Of a turn that a format's file reads: what is there before the text, such as a line break
    #[arg(long, value_name = "TEXT", default_value = "")]
    lead: String,
    #[command(flatten)]
    sequence: SequenceOptions,
    #[command(flatten)]
    head: HeadOptions,
    /// Print pieces: a JSON list of texts and of token objects, which says what text is that spells a
    /// control token
    #[arg(long)]
    pieces: bool,
    /// The conversation, or - for stdin
    #[arg(default_value = "-", value_name = "FILE|-")]
    file: PathBuf,
}

/// What the system message of a Harmony prompt says.
#[derive(Args)]
struct HeadOptions {
    /// Who the model is, in Harmony's system message; empty leaves it out
    #[arg(long, value_name = "TEXT")]
    identity: Option<String>,
    /// Up to when the model knows things, in Harmony's system message; empty leaves it out
    #[arg(long, value_name = "YYYY-MM")]
    cutoff: Option<String>,
    /// Today's date, in Harmony's system message [default: none]
    #[arg(long, value_name = "YYYY-MM-DD")]
    date: Option<String>,
    /// How hard the model is to think, in Harmony's system message [default: medium]
    #[arg(long, value_enum, value_name = "EFFORT")]
    effort: Option<Effort>,
    /// Keep old analysis in a Harmony prompt
    #[arg(long)]
    keep_analysis: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum BuiltInTool {
    Python,
}

#[derive(Clone, Copy, ValueEnum)]
enum Effort {
    Low,
    Medium,
    High,
    /// Say nothing of it
    None,
}

impl HeadOptions {
    fn system(&self) -> HarmonySystem {
        let mut system = HarmonySystem::default();
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        if let Some(identity) = &self.identity {
            system.identity = given(identity);
        }
        if let Some(cutoff) = &self.cutoff {
            system.cutoff = given(cutoff);
        }
        system.date = self.date.as_ref().and_then(given);
        system.effort = match self.effort {
            None | Some(Effort::Medium) => Some(ReasoningEffort::Medium),
            Some(Effort::Low) => Some(ReasoningEffort::Low),
            Some(Effort::High) => Some(ReasoningEffort::High),
            Some(Effort::None) => None,
        };
        system
    }
}

impl Options {
    /// Warns of options that mean nothing in this conversion.
    fn warn_of_idle(&self, from: Notation, to: Notation) {
        let is_text = matches!(to, Notation::Text(_) | Notation::ChatMlTokens);
        let reads_turn = matches!(from, Notation::Turn(_));
        let is_harmony = to == Notation::Text(Format::Harmony) && from != to;
        let has_head = is_harmony && (self.prompt || self.tools.is_some());
        let head = &self.head;
        let of_text = "the text of a chat format";
        let of_head = "the head of a Harmony prompt";
        let options = [
            ("--pieces", self.pieces, is_text, of_text),
            ("--prompt", self.prompt, is_text, of_text),
            (
                "--tools",
                self.tools.is_some(),
                is_text || reads_turn,
                of_text,
            ),
            ("--built-in", self.built_in.is_some(), is_text, of_text),
            (
                "--lead",
                !self.lead.is_empty(),
                reads_turn,
                "a turn that a format's file reads",
            ),
            ("--identity", head.identity.is_some(), has_head, of_head),
            ("--cutoff", head.cutoff.is_some(), has_head, of_head),
            ("--date", head.date.is_some(), has_head, of_head),
            ("--effort", head.effort.is_some(), has_head, of_head),
            (
                "--keep-analysis",
                head.keep_analysis,
                is_harmony && self.prompt,
                "a Harmony prompt",
            ),
        ];
        for (name, is_given, is_used, purpose) in options {
            if is_given && !is_used {
                warn(format_args!(
                    "{name} means nothing here: it is for {purpose}"
                ));
            }
        }
        self.sequence.warn_unless_used(&[from, to]);
    }
}

/// Prints the conversation in its new notation.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let to = Notation::named(&options.to)?;
    let from = Notation::named(&options.from)?;
    if let Notation::Turn(name) = to {
        let failure = Failure::new(format!(
            "--to: `{name}` is read only: it has a file and no writer"
        ));
        return Err(failure);
    }
    options.warn_of_idle(from, to);
    let file = Named::read(&options.file)?;
    let tools = options.tools.as_deref().map(Named::read).transpose()?;
    let turns = Turns {
        tools: tools.as_ref(),
        lead: &options.lead,
    };
    let mut conversation = from.read(&file, &options.sequence, &turns)?;
    if options.history {
        conversation.messages = normalise_history(&conversation.messages);
    }
    let conversion = Conversion {
        options,
        from,
        to,
        file,
        conversation,
    };
    let text = conversion.text()?;
    let end = match options.pieces {
        true => "\n",
        // No message is no line either.
        false if text.is_empty() => "",
        false => end_of_file(to, options.prompt),
    };
    write!(stdout(), "{text}{end}")?;
    Ok(Verdict::Good)
}

/// What ends a file: a line feed, but in Harmony, which has none between messages and so none
/// after the last, and where a text ends in a header that is to go on.
fn end_of_file(notation: Notation, is_prompt: bool) -> &'static str {
    match notation {
        Notation::Text(Format::Harmony) => "",
        Notation::Text(_) if is_prompt => "",
        _ => "\n",
    }
}

/// A conversation on its way into another notation.
struct Conversion<'o> {
    options: &'o Options,
    from: Notation,
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
            Notation::Text(format) => Ok(self.spelt(&self.written(format)?)),
            Notation::ChatMlTokens => Ok(self.spelt(&self.written(Format::ChatMl)?)),
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
            Notation::Turn(name) => Err(Failure::new(format!("`{name}` is read only"))),
        }
    }

    /// Files and texts with a gap, which nobody says.
    fn files(&self, files: &[FilePart]) -> Result<String, Failure> {
        let reason = format!("{} has no files", self.to.name());
        let Notation::Text(format) = self.to else {
            return Err(self.failure(files[0].span, reason));
        };
        if self.options.prompt || self.options.tools.is_some() || self.options.built_in.is_some() {
            let reason =
                "files are no conversation: --prompt, --tools and --built-in mean nothing here";
            return Err(self.failure(files[0].span, reason.to_owned()));
        }
        let rendered = render_files(files, &self.render_options(format));
        let place = |error: RenderError| self.failure(files[error.index].span, error.reason);
        Ok(self.spelt(&rendered.map_err(place)?))
    }

    /// As text or as pieces; where text says less, that is warned of.
    fn spelt(&self, rendered: &Rendered) -> String {
        if self.options.pieces || self.to == Notation::ChatMlTokens {
            return rendered.token_list();
        }
        if let Some(token) = rendered.spelt() {
            warn(format_args!(
                "{}: text that spells {token} is text, which only --pieces can say",
                self.file.name
            ));
        }
        rendered.text()
    }

    /// The conversation in a format, tools offered, as text.
    fn written(&self, format: Format) -> Result<Rendered, Failure> {
        let messages = self.offered(format)?;
        let mut options = self.render_options(format);
        if self.options.prompt {
            options.ending = Ending::Prompt;
        }
        if let Some(header) = &self.conversation.header {
            options.header = header.clone();
        }
        render(&messages, &options).map_err(|error| {
            let reason = format!("{}: {}", error.code, error.reason);
            self.failure(messages[error.index].span, reason)
        })
    }

    fn render_options(&self, format: Format) -> RenderOptions {
        let mut options = RenderOptions::new(format);
        options.sequence_start = self.options.sequence.begin();
        options.sequence_end = self.options.sequence.end();
        options
    }

    /// The messages with what stands before them in a prompt.
    fn offered(&self, format: Format) -> Result<Vec<Message>, Failure> {
        let mut messages = self.converted(format)?;
        let tools = self.options.tools.as_deref().map(definitions).transpose()?;
        let python = match self.options.built_in {
            Some(BuiltInTool::Python) => Some(python_offer(format)?),
            None => None,
        };
        let is_new = self.from != self.to && (self.options.prompt || tools.is_some());
        if format == Format::Harmony && is_new {
            if self.options.prompt && !self.options.head.keep_analysis {
                messages = without_old_analysis(&messages);
            }
            return Ok(with_harmony_head(
                &messages,
                &self.options.head.system(),
                tools.as_ref(),
            ));
        }
        let none = || Failure::new(format!("{} has no way to offer tools", format.name()));
        let tools = tools.map(|tools| tools.message(format).ok_or_else(none));
        let offers = python.into_iter().chain(tools.transpose()?);
        // InternLM2 offers tools after what the system says in general.
        let is_general = |message: &&Message| {
            format == Format::InternLm2 && message.role == Role::System && message.name.is_none()
        };
        let after = messages.iter().take_while(is_general).count();
        messages.splice(after..after, offers);
        Ok(messages)
    }

    fn converted(&self, format: Format) -> Result<Vec<Message>, Failure> {
        // Harmony has ways to write a header that mean the same; each stays as it is.
        if format == Format::Harmony && self.from == self.to {
            return Ok(self.conversation.messages.clone());
        }
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

/// The message that offers `python`.
fn python_offer(format: Format) -> Result<Message, Failure> {
    ToolDefinitions::python_message(format).ok_or_else(|| {
        let name = format.name();
        Failure::new(format!(
            "--built-in python: no text for it is published for {name}"
        ))
        .hint("internlm2 has one")
    })
}

/// The tools of a file.
fn definitions(path: &Path) -> Result<ToolDefinitions, Failure> {
    let file = Named::read(path)?;
    ToolDefinitions::parse(&read_tools(&file)?.to_openai())
        .map_err(|error| Failure::new(format!("{}: {error}", file.name)))
}
