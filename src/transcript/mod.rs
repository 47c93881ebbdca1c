//! An independent parser of chat transcripts: the judge of what the engine generates.
//!
//! Written from the specifications of the formats, it shares no code with the engine (only
//! [`Span`](crate::base::Span)). It answers two questions about a text, or about a sequence of
//! token [pieces](Piece): is it a complete transcript of its format, and if not, is it at least
//! the prefix of one?
//!
//! - [`Strictness::History`] reads what others wrote: the liberties the formats grant to input.
//! - [`Strictness::Generation`] judges one generated assistant turn: the canonical spelling, the
//!   tools given, and the rules of the request (tool choice, parallel calls, analysis, response).
//!
//! ```
//! use maskwright::transcript::{Format, ParserConfig, Terminator, parse};
//!
//! let config = ParserConfig::assistant_turn(Format::Harmony);
//! let turn = parse("<|channel|>final<|message|>4.<|return|>", &config)?;
//! assert_eq!(turn.messages()[0].body, "4.");
//! assert_eq!(turn.messages()[0].terminator, Terminator::Return);
//!
//! let cut = parse("<|channel|>final<|message|>4", &config).unwrap_err();
//! assert!(cut.is_truncated());
//! # Ok::<(), maskwright::transcript::TranscriptError>(())
//! ```
//!
//! | file | owns |
//! |---|---|
//! | `config` | what is asked of a text: format, start point, rules of the request |
//! | `error` | the error taxonomy, with places |
//! | `message` | what a parsed transcript is made of |
//! | `control` | control tokens, and where they stand in an input |
//! | `preface` | OpenChatML's YAML document header |
//! | `header` | the grammar of message headers |
//! | `body` | bodies: terminators, escapes, literal blocks |
//! | `calls` | recipients, arguments and call ids |
//! | `turn` | the rules over a generated turn |
//! | `parser` | the whole: messages one after the other |

mod body;
mod calls;
mod config;
mod control;
mod error;
mod header;
mod message;
mod parser;
mod preface;
mod turn;

pub use config::{
    Analysis, ArgumentValidator, CallLimit, ChannelRule, Format, ParserConfig, Profile,
    ResponseValidator, StartPoint, Strictness, ToolChoice, ToolSet,
};
pub use control::{ControlSet, ControlToken, Piece};
pub use error::{ErrorCode, TranscriptError};
pub use message::{Channel, Intent, Message, Note, Role, Terminator, Transcript};
pub use parser::{parse, parse_pieces};
