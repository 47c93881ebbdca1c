//! Messages as canonical text, or tokens, of a format.

mod channelled;
mod files;
mod im;
mod options;
mod rendered;
mod text;
mod token_list;

pub use files::render_files;
pub use options::{Ending, RenderError, RenderOptions};
pub use rendered::Rendered;
pub use token_list::{TokenListItem, read_token_list};

use rendered::Writer;

use super::format::Format;
use super::message::Message;

/// Writes messages in the canonical spelling of a format.
///
/// Nothing that a message says becomes a control token: in OpenChatML 2.2 it is escaped, in JSON its
/// `<` is written `\u003c` (but in prompts of Harmony, which are those of the model's own renderer), elsewhere it is ordinary
/// text, as the [pieces](Rendered::pieces) say. The [text](Rendered::text) as one cannot say it: see [`Rendered::spelt`].
///
/// # Errors
///
/// A message that the format has no way to write, and why.
pub fn render(messages: &[Message], options: &RenderOptions) -> Result<Rendered, RenderError> {
    let mut out = Writer::new(options);
    match options.format {
        Format::Harmony | Format::OpenChatMl22 => channelled::write(messages, &mut out)?,
        Format::ChatMl | Format::OpenChatMl01 | Format::InternLm2 => {
            im::write(messages, &mut out)?;
        }
    }
    Ok(out.finish())
}

/// Whether a text spells a control token of a format.
pub(super) fn spells_control(text: &str, format: Format) -> bool {
    let options = RenderOptions::new(format);
    let sequence = [
        options.sequence_start.as_str(),
        options.sequence_end.as_str(),
    ];
    text::next_spelling(text, format, sequence).is_some()
}
