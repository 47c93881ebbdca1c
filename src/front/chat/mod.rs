//! Chat formats: an ABNF file, the tools and options of a request, one grammar.
//!
//! A format is one ABNF file. What ABNF cannot say stands in it as prose-vals: `<text>`,
//! `<tool.name>`, `<tool.arguments>`, `<json>`, `<response>`, `<call-id>`, and conditions such as
//! `<if parallel-calls>`; `grammars/README.md` describes them all. Compiling goes in three steps:
//!
//! 1. `lower` makes the `outline`, the rules of the file: `fill` makes a rule of each prose-val, the ABNF is lowered around them, and the
//!    grammar is checked and trimmed, so that conditions which do not hold leave no trace. What depends on more of the
//!    request than its `shape` gets a slot. The format keeps this for requests of the same shape.
//! 2. `bind` finds the rules that must remember something (which tool was named, which call ids were read); it belongs to
//!    the outline.
//! 3. `request` fills the slots: with the tools' names and arguments, ids, JSON.

mod ahead;
mod bind;
mod bound;
mod call_id;
mod choose;
mod condition;
mod deadline;
mod error;
mod feature;
mod fill;
mod format;
mod id_forms;
mod json;
mod kept;
mod lower;
mod marks;
mod needs;
mod offered;
mod options;
mod outline;
mod parameters;
mod prefixes;
mod profile;
mod prompt;
mod prose;
mod registers;
mod request;
mod schemas;
mod shape;
mod skeleton;
mod slot;
mod strings;
mod text;
mod tool_choice;
mod tool_name;
mod tools;
mod variants;

pub use choose::Choice;
pub use error::{ChatError, ToolsError};
pub use feature::Feature;
pub use format::{Format, Formats};
pub use offered::browser_tools;
pub use options::{Analysis, ChatOptions, Deadlines, OpenCall, ParallelCalls, ToolChoice};
pub use profile::{
    BuiltIn, BuiltIns, CallIds, Channel, Channels, Constrain, LiteralBlocks, Profile,
    SequenceTokens, Thought, Thoughts, Version,
};
pub use prompt::{Prompt, PromptError};
pub(crate) use skeleton::{Detail, Extent, Role, Skeleton, ValueSpelling};
pub use tool_choice::{ChosenTools, ToolChoiceError};
pub use tools::{Arguments, Tool, ToolSet, ToolsWarning};

use lower::outline;
use offered::{Offered, offered_browser};
use request::Request;
use shape::Shape;

use crate::grammar::Grammar;

/// Compiles the rule `start` of `format` for the request that `options` describes.
///
/// ```
/// use maskwright::base::Limits;
/// use maskwright::front::chat::{ChatOptions, Format, compile};
/// let harmony = Format::built_in("harmony", &Limits::default())?.expect("it comes along");
/// let grammar = compile(&harmony, "assistant-turn", &ChatOptions::default())?;
/// assert_eq!(grammar.controls().count(), 7);
/// # Ok::<(), maskwright::front::chat::ChatError>(())
/// ```
///
/// # Errors
/// An unknown start rule or prose-val, a schema that is refused (with the tool and the JSON pointer),
/// options that ask for what the format has not, contradict each other or leave nothing to generate,
/// a limit.
pub fn compile(format: &Format, start: &str, options: &ChatOptions) -> Result<Grammar, ChatError> {
    let plain = options.with_plain_text();
    let options = plain.as_ref().unwrap_or(options);
    let limits = options.limits.begin();
    options.check()?;
    format.check_options(options)?;
    check_calls(format, &options.tool_choice)?;
    let browser = offered_browser(options, &limits)?;
    let offered = Offered::new(options, &browser)?;
    let shape = Shape::of(start, options, &offered, &limits);
    let outline = outline(format, &shape, &options.open_calls)?;
    Request::new(format, (options, &limits), &offered, &outline).grammar()
}

/// A format that names no tools cannot obey a request for a call.
fn check_calls(format: &Format, choice: &ToolChoice) -> Result<(), ChatError> {
    let names = [
        "tool.name",
        "tool.short-name",
        "function.name",
        "built-in.name",
    ];
    match choice {
        ToolChoice::Required | ToolChoice::Named(_)
            if !names.iter().any(|name| format.has_prose(name)) =>
        {
            Err(ChatError::NoCalls {
                format: format.name().to_owned(),
            })
        }
        _ => Ok(()),
    }
}
