//! `maskwright render`: what an audience sees of a transcript.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use maskwright_transcript::{Audience, view};

use super::chat_text::ChatText;
use super::conversation::{Notation, SequenceOptions, format};
use super::failure::Failure;
use super::input::Named;
use super::json::Json;
use super::output::{Shown, stdout, warn};
use super::verdict::Verdict;

/// Show what a user sees of a transcript.
///
/// Instructions, reasoning, tool calls and replies are hidden, preambles are shown. --view debug
/// shows everything: only for who asks for it. Control characters of the text are spelt out, as `\u{1b}`; with --json a text is
/// as it is.
#[derive(Args)]
#[command(after_help = "Example:\n  maskwright render --format harmony chat.txt")]
pub(crate) struct Options {
    /// The chat format: chatml, openchatml-0.1, internlm2, openchatml-2.2 or harmony
    #[arg(long, value_name = "NAME")]
    format: String,
    /// Who looks
    #[arg(long, value_enum, default_value_t = View::User)]
    view: View,
    /// Print a JSON object a message
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    sequence: SequenceOptions,
    /// The transcript, as text or as a list of pieces, or - for stdin
    #[arg(default_value = "-", value_name = "FILE|-")]
    file: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum View {
    User,
    Debug,
}

/// Prints each message that is shown.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let file = Named::read(&options.file)?;
    let format = format(&options.format)?;
    options.sequence.warn_unless_used(&[Notation::Text(format)]);
    let config = options.sequence.history(format);
    let text = ChatText::of(&file)?;
    let transcript = text.parse_history(&config)?;
    let audience = match options.view {
        View::User => Audience::User,
        View::Debug => Audience::Debug,
    };
    for note in transcript.notes() {
        let place = text.place(note.span().start);
        warn(format_args!("{place}: {note}"));
    }
    let mut out = stdout();
    for shown in view(transcript.messages(), audience) {
        let (role, channel) = (shown.role.as_str(), shown.channel.as_str());
        if options.json {
            let members = [("role", role), ("channel", channel), ("text", &shown.text)];
            writeln!(out, "{}", object(&members))?;
        } else {
            let place = match audience {
                Audience::User => role.to_owned(),
                Audience::Debug => format!("{role} ({channel})"),
            };
            writeln!(out, "{place}: {}", Shown(&shown.text))?;
        }
    }
    for part in transcript.files() {
        let kind = part.kind.as_str();
        match options.json {
            true => writeln!(out, "{}", object(&[("file", kind), ("text", &part.text)]))?,
            false => writeln!(out, "{kind}: {}", Shown(&part.text))?,
        }
    }
    Ok(Verdict::Good)
}

/// A JSON object of texts, in a line.
fn object(members: &[(&str, &str)]) -> String {
    let text = |&(key, value): &(&str, &str)| (key.to_owned(), Json::String(value.to_owned()));
    Json::Object(members.iter().map(text).collect()).compact()
}
