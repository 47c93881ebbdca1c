//! Chat transcripts: an independent parser, the judge of what the engine generates.
//!
//! Written from the specifications of the formats, it shares no code with the engine: it is a package of its own, and
//! does not depend on the engine's. It answers two questions about a text, or about a sequence of
//! token [pieces](Piece): is it a complete transcript of its format, and if not, is it at least
//! the prefix of one?
//!
//! - [`Strictness::History`] reads what others wrote: the liberties the formats grant to input.
//! - [`Strictness::Generation`] judges one generated assistant turn: the canonical spelling, the
//!   tools given, and the rules of the request (tool choice, parallel calls, analysis, response).
//!
//! ```
//! use maskwright_transcript::{Format, ParserConfig, Terminator, parse};
//!
//! let config = ParserConfig::assistant_turn(Format::Harmony);
//! let turn = parse("<|channel|>final<|message|>4.<|return|>", &config)?;
//! assert_eq!(turn.messages()[0].body, "4.");
//! assert_eq!(turn.messages()[0].terminator, Terminator::Return);
//!
//! let cut = parse("<|channel|>final<|message|>4", &config).unwrap_err();
//! assert!(cut.is_truncated());
//! # Ok::<(), maskwright_transcript::TranscriptError>(())
//! ```
//!
//! | file | owns |
//! |---|---|
//! | `format` | the formats, by name, and their control tokens |
//! | `config` | what is asked of a text: format, start point, rules of the request |
//! | `error` | the error taxonomy, with places |
//! | `message` | what a message is made of |
//! | `open` | a message that is still coming |
//! | `outcome` | what a text was read as |
//! | `control` | control tokens |
//! | `span` | places in a text |
//! | `source` | an input that grows, and where control tokens stand in it |
//! | `calls` | tool names, arguments, the caller's judges |
//! | `document` | OpenChatML's document header, its YAML read |
//! | `channelled` | the formats with channels: Harmony, OpenChatML 2.2 |
//! | `im` | the formats of `<|im_start|>`: ChatML, OpenChatML 0.1, InternLM2 |
//! | `parser` | the whole, all at once or bit by bit |
//! | `visibility` | what users may see |
//! | `history` | a conversation as it is stored for the next turn |
//! | `render` | messages as canonical text, or tokens |
//! | `thoughts` | thoughts that are marked within a text |
//! | `convert` | a conversation of one format as messages of another |
//! | `interchange`, `openai`, `json` | messages as JSON |
//! | `tools`, `typescript` | tool definitions as prompts show them |
//! | `prompt` | what stands before a conversation in Harmony |
//! | `stream` | what a user sees of a turn while it is generated |
//! | `router`, `reply` | tool calls on their way, and what comes back |

mod calls;
mod channelled;
mod config;
mod control;
mod convert;
mod document;
mod error;
mod format;
mod history;
mod im;
mod interchange;
mod json;
mod message;
mod open;
mod openai;
mod outcome;
mod parser;
mod prompt;
mod reading;
mod render;
mod reply;
mod router;
mod source;
mod span;
mod stream;
mod thoughts;
mod tools;
mod typescript;
mod visibility;

pub use config::{
    Analysis, ArgumentValidator, BodyDeadlines, CallLimit, ChannelRule, FunctionChannels,
    ParserConfig, Profile, ResponseValidator, SpeltControls, StartPoint, Strictness, ToolChoice,
    ToolSet, TypeRule,
};
pub use control::{ControlSet, ControlToken};
pub use convert::{ConvertError, Converted, Loss, Lost, convert};
pub use document::DocumentHeader;
pub use error::{ErrorCode, TranscriptError};
pub use format::Format;
pub use history::normalise_history;
pub use interchange::{InterchangeError, from_interchange, to_interchange};
pub use message::{
    Call, Channel, HeaderForm, Intent, Message, Part, PartKind, RecipientPlace, Role, Terminator,
    Thought, TypeGap,
};
pub use open::OpenMessage;
pub use openai::{from_openai, to_openai};
pub use outcome::{FileKind, FilePart, Note, Transcript};
pub use parser::{Parser, parse, parse_pieces};
pub use prompt::{HarmonySystem, ReasoningEffort, with_harmony_head, without_old_analysis};
pub use reading::{ReadMessages, ReadWarning};
pub use render::{
    Ending, RenderError, RenderOptions, Rendered, TokenListItem, read_token_list, render,
    render_files,
};
pub use reply::{Provenance, ReplyEnvelope, ReplyError};
pub use router::{Answer, Dispatch, RouterConfig, ToolError, ToolRouter};
pub use source::Piece;
pub use span::Span;
pub use stream::{EventStream, StreamEvent};
pub use tools::ToolDefinitions;
pub use visibility::{Audience, HiddenError, Shown, show, view};
