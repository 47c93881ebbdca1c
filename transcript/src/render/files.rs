//! Files, and texts with a gap (OpenChatML 0.1 §§6-7).

use super::options::{RenderError, RenderOptions};
use super::rendered::{Rendered, Writer};
use super::text::{Refusal, refusal};
use crate::control::ControlToken;
use crate::format::Format;
use crate::outcome::{FileKind, FilePart};

/// Writes files one after the other, and a text with a gap after them if there is one: its
/// prefix, its middle (empty in a prompt) and its suffix, if it has one. What a file says is written as it is, and
/// nothing beside it.
///
/// # Errors
///
/// A format that has no files (OpenChatML 0.1 does), parts in another order, a text that spells a
/// control token where the options want that refused. The index of the error is that of the part.
pub fn render_files(files: &[FilePart], options: &RenderOptions) -> Result<Rendered, RenderError> {
    let mut out = Writer::new(options);
    let mut before = None;
    for (index, part) in files.iter().enumerate() {
        let written = write_part(part, before, files.len(), &mut out);
        written.map_err(|(code, reason)| RenderError {
            index,
            code,
            reason,
        })?;
        before = Some(part.kind);
    }
    match before {
        Some(FileKind::Prefix) => {
            let (code, reason) = refusal("a prefix without a middle after it");
            return Err(RenderError {
                index: files.len() - 1,
                code,
                reason,
            });
        }
        // A middle without a suffix ends with the sequence.
        Some(FileKind::Middle) => out.control(ControlToken::SequenceEnd),
        _ => {}
    }
    Ok(out.finish())
}

fn write_part(
    part: &FilePart,
    before: Option<FileKind>,
    count: usize,
    out: &mut Writer<'_>,
) -> Result<(), Refusal> {
    use FileKind::{File, Middle, Prefix, Suffix};
    let format = out.options.format;
    if format != Format::OpenChatMl01 {
        return Err(refusal(format!("{} has no files", format.name())));
    }
    match (before, part.kind) {
        // The separator tells one file, or a blank one, from any text.
        (None, File) if count == 1 || part.text.trim().is_empty() => {
            out.control(ControlToken::FileSeparator);
        }
        (None, File) => {}
        (Some(File), File) => out.control(ControlToken::FileSeparator),
        (None, Prefix) => out.control(ControlToken::FimPrefix),
        (Some(File), Prefix) => {
            out.control(ControlToken::FileSeparator);
            out.control(ControlToken::FimPrefix);
        }
        (Some(Prefix), Middle) => out.control(ControlToken::FimMiddle),
        (Some(Middle), Suffix) => out.control(ControlToken::FimSuffix),
        (_, kind) => {
            let reason = format!("a {} where none may stand", kind.as_str());
            return Err(refusal(reason));
        }
    }
    out.said(&part.text)
}
