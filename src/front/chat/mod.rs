//! Chat formats: an ABNF file, the tools and options of a request, one grammar.
//!
//! A format is one ABNF file. What ABNF cannot say stands in it as prose-vals: `<text>`,
//! `<tool.name>`, `<tool.arguments>`, `<json>`, `<response>`, `<call-id>`, and conditions such as
//! `<if parallel-calls>`; `grammars/README.md` describes them all. Compiling goes in three steps:
//!
//! 1. `fill`: each prose-val becomes a rule, and the ABNF is lowered around them.
//! 2. The grammar is checked and trimmed, so conditions that do not hold leave no trace.
//! 3. `bind`: rules that must remember something (which tool was named, which call ids were read)
//!    get a body that does.

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
mod marks;
mod needs;
mod offered;
mod options;
mod parameters;
mod prefixes;
mod profile;
mod prompt;
mod prose;
mod registers;
mod skeleton;
mod strings;
mod text;
mod tool_name;
mod tools;

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
pub use tools::{Arguments, Tool, ToolSet, ToolsWarning};

use offered::Offered;

use crate::grammar::{Grammar, GrammarBuilder, GrammarError, Nfa};

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
    let mut options = plain.unwrap_or_else(|| options.clone());
    options.limits = options.limits.begin();
    let options = &options;
    options.check()?;
    format.check_options(options)?;
    check_calls(format, &options.tool_choice)?;
    let browser = browser_tools(&options.limits)?;
    let offered = Offered::new(options, &browser)?;
    let mut builder = GrammarBuilder::new(options.limits.clone());
    let plain = plain_id(&mut builder).map_err(|source| grammar_error(format, source))?;
    let mut fill = fill::Fill::new(format, options, &offered);
    let root = format.abnf.lower_into(&mut builder, start, &mut fill);
    if let Some(error) = fill.error {
        return Err(error);
    }
    let root = root.map_err(|errors| ChatError::Abnf {
        format: format.name().to_owned(),
        errors,
    })?;
    let mut grammar = builder.finish(root).map_err(|source| match source {
        GrammarError::Unproductive { .. } => ChatError::Empty {
            format: format.name().to_owned(),
            start: start.to_owned(),
            source: Box::new(source),
        },
        source => grammar_error(format, source),
    })?;
    let spent: Vec<&str> = options.spent_call_ids().map(String::as_str).collect();
    bind::bind(&mut grammar, format, fill.filled, &spent, plain)?;
    Ok(grammar)
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

fn grammar_error(format: &Format, source: GrammarError) -> ChatError {
    ChatError::Grammar {
        format: format.name().to_owned(),
        source: Box::new(source),
    }
}

/// The rule of the bytes of ids; its body comes when the grammar is bound.
fn plain_id(builder: &mut GrammarBuilder) -> Result<bind::PlainId, GrammarError> {
    let rule = builder.declare("call id bytes");
    builder.define(rule, &Nfa::new())?;
    Ok(bind::PlainId(rule))
}
