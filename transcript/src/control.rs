//! Control tokens of all formats, and sets of them.

use std::fmt;

/// A control token. Each format has some of them: [`Format::controls`](super::Format::controls).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ControlToken {
    /// `<|start|>` opens a header.
    Start,
    /// `<|channel|>` declares the channel.
    Channel,
    /// `<|message|>` opens the body.
    Message,
    /// `<|call|>` closes a tool call.
    Call,
    /// `<|constrain|>` declares the type of the body.
    Constrain,
    /// `<|return|>` closes the final message of a turn.
    Return,
    /// `<|end|>` closes a message.
    End,
    /// `<|literal|>` opens a literal block; not in Harmony.
    Literal,
    /// `<|endliteral|>` closes a literal block; not in Harmony.
    EndLiteral,
    /// `<|im_start|>` opens a header of ChatML, OpenChatML 0.1 and InternLM2.
    ImStart,
    /// `<|im_end|>` closes a message of theirs.
    ImEnd,
    /// `<s>`, or the base model's own, begins a text of OpenChatML 0.1.
    SequenceStart,
    /// `</s>`, or the base model's own, ends it.
    SequenceEnd,
    /// `<|fim_prefix|>`: what stands before the cursor.
    FimPrefix,
    /// `<|fim_middle|>`: what is to be filled in.
    FimMiddle,
    /// `<|fim_suffix|>`: what stands after the cursor.
    FimSuffix,
    /// `<|file_separator|>` stands between files.
    FileSeparator,
    /// `<|reflect|>` asks for a block of reflection.
    Reflect,
    /// `<|introspect|>` asks for a block of introspection.
    Introspect,
    /// `<|reason|>` asks for a block of reasoning.
    Reason,
    /// `<|start_reflect|>`
    StartReflect,
    /// `<|end_reflect|>`
    EndReflect,
    /// `<|start_introspect|>`
    StartIntrospect,
    /// `<|end_introspect|>`
    EndIntrospect,
    /// `<|start_reason|>`
    StartReason,
    /// `<|end_reason|>`
    EndReason,
    /// `<|function_list|>` opens the list of tools.
    FunctionList,
    /// `<|function_call|>` opens a call.
    FunctionCall,
    /// `<|function_output|>` opens what a tool gave back.
    FunctionOutput,
    /// `<|action_start|>` opens a call of InternLM2.
    ActionStart,
    /// `<|action_end|>` closes it.
    ActionEnd,
    /// `<|interpreter|>`: the code interpreter.
    Interpreter,
    /// `<|plugin|>`: the tools of the request.
    Plugin,
}

impl ControlToken {
    /// Every control token: first those of OpenChatML 2.2, in the order of its §3.
    pub const ALL: [Self; 33] = [
        Self::Start,
        Self::Channel,
        Self::Message,
        Self::Call,
        Self::Constrain,
        Self::Return,
        Self::End,
        Self::Literal,
        Self::EndLiteral,
        Self::ImStart,
        Self::ImEnd,
        Self::SequenceStart,
        Self::SequenceEnd,
        Self::FimPrefix,
        Self::FimMiddle,
        Self::FimSuffix,
        Self::FileSeparator,
        Self::Reflect,
        Self::Introspect,
        Self::Reason,
        Self::StartReflect,
        Self::EndReflect,
        Self::StartIntrospect,
        Self::EndIntrospect,
        Self::StartReason,
        Self::EndReason,
        Self::FunctionList,
        Self::FunctionCall,
        Self::FunctionOutput,
        Self::ActionStart,
        Self::ActionEnd,
        Self::Interpreter,
        Self::Plugin,
    ];

    /// The token as text; of a base model's own tokens, the specification's.
    pub const fn spelling(self) -> &'static str {
        match self {
            Self::Start => "<|start|>",
            Self::Channel => "<|channel|>",
            Self::Message => "<|message|>",
            Self::Call => "<|call|>",
            Self::Constrain => "<|constrain|>",
            Self::Return => "<|return|>",
            Self::End => "<|end|>",
            Self::Literal => "<|literal|>",
            Self::EndLiteral => "<|endliteral|>",
            Self::ImStart => "<|im_start|>",
            Self::ImEnd => "<|im_end|>",
            Self::SequenceStart => "<s>",
            Self::SequenceEnd => "</s>",
            Self::FimPrefix => "<|fim_prefix|>",
            Self::FimMiddle => "<|fim_middle|>",
            Self::FimSuffix => "<|fim_suffix|>",
            Self::FileSeparator => "<|file_separator|>",
            Self::Reflect => "<|reflect|>",
            Self::Introspect => "<|introspect|>",
            Self::Reason => "<|reason|>",
            Self::StartReflect => "<|start_reflect|>",
            Self::EndReflect => "<|end_reflect|>",
            Self::StartIntrospect => "<|start_introspect|>",
            Self::EndIntrospect => "<|end_introspect|>",
            Self::StartReason => "<|start_reason|>",
            Self::EndReason => "<|end_reason|>",
            Self::FunctionList => "<|function_list|>",
            Self::FunctionCall => "<|function_call|>",
            Self::FunctionOutput => "<|function_output|>",
            Self::ActionStart => "<|action_start|>",
            Self::ActionEnd => "<|action_end|>",
            Self::Interpreter => "<|interpreter|>",
            Self::Plugin => "<|plugin|>",
        }
    }

    /// The token of this spelling.
    pub fn from_spelling(spelling: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|token| token.spelling() == spelling)
    }
}

impl fmt::Display for ControlToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.spelling())
    }
}

/// A set of control tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ControlSet(u64);

impl ControlSet {
    /// Whether `token` is in the set.
    pub const fn contains(self, token: ControlToken) -> bool {
        self.0 & (1 << token as u64) != 0
    }

    /// The tokens of the set, in the order of [`ControlToken::ALL`].
    pub fn iter(self) -> impl Iterator<Item = ControlToken> {
        ControlToken::ALL
            .into_iter()
            .filter(move |&token| self.contains(token))
    }
}

impl FromIterator<ControlToken> for ControlSet {
    fn from_iter<I: IntoIterator<Item = ControlToken>>(tokens: I) -> Self {
        Self(
            tokens
                .into_iter()
                .fold(0, |set, token| set | 1 << token as u64),
        )
    }
}
