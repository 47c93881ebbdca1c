//! The chat formats, by name, and the control tokens of each.

use super::control::{ControlSet, ControlToken};

/// A chat format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Harmony, as gpt-oss models emit it.
    #[default]
    Harmony,
    /// OpenChatML 2.2.
    OpenChatMl22,
    /// ChatML.
    ChatMl,
    /// OpenChatML 0.1: the base, and with thoughts and functions.
    OpenChatMl01,
    /// InternLM2's chat format.
    InternLm2,
}

impl Format {
    /// Every format.
    pub const ALL: [Self; 5] = [
        Self::ChatMl,
        Self::OpenChatMl01,
        Self::InternLm2,
        Self::OpenChatMl22,
        Self::Harmony,
    ];

    /// The name: `chatml`, `openchatml-0.1`, `internlm2`, `openchatml-2.2` or `harmony`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChatMl => "chatml",
            Self::OpenChatMl01 => "openchatml-0.1",
            Self::InternLm2 => "internlm2",
            Self::OpenChatMl22 => "openchatml-2.2",
            Self::Harmony => "harmony",
        }
    }

    /// The format of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// The control tokens of the format.
    pub fn controls(self) -> ControlSet {
        use ControlToken as T;
        let tokens: &[T] = match self {
            Self::Harmony => &[
                T::Start,
                T::Channel,
                T::Message,
                T::Call,
                T::Constrain,
                T::Return,
                T::End,
            ],
            Self::OpenChatMl22 => &[
                T::Start,
                T::Channel,
                T::Message,
                T::Call,
                T::Constrain,
                T::Return,
                T::End,
                T::Literal,
                T::EndLiteral,
            ],
            Self::ChatMl => &[T::ImStart, T::ImEnd],
            Self::OpenChatMl01 => &[
                T::ImStart,
                T::ImEnd,
                T::SequenceStart,
                T::SequenceEnd,
                T::FimPrefix,
                T::FimMiddle,
                T::FimSuffix,
                T::FileSeparator,
                T::Reflect,
                T::Introspect,
                T::Reason,
                T::StartReflect,
                T::EndReflect,
                T::StartIntrospect,
                T::EndIntrospect,
                T::StartReason,
                T::EndReason,
                T::FunctionList,
                T::FunctionCall,
                T::FunctionOutput,
            ],
            Self::InternLm2 => &[
                T::ImStart,
                T::ImEnd,
                T::ActionStart,
                T::ActionEnd,
                T::Interpreter,
                T::Plugin,
            ],
        };
        tokens.iter().copied().collect()
    }
}
