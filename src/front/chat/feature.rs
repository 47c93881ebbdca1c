//! What a request may ask for that not every format has.

/// What a request may ask for and a format may lack.
///
/// ```
/// use maskwright::{base::Limits, front::chat::{Feature, Format}};
/// let chatml = Format::built_in("chatml", &Limits::default())?.expect("it comes along");
/// assert!(chatml.has(Feature::ResponseSchema) && !chatml.has(Feature::Python));
/// # Ok::<(), maskwright::front::chat::ChatError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Feature {
    /// An answer that a JSON Schema describes: `<response>`.
    ResponseSchema,
    /// The built-in tool `python`: `<if python>`.
    Python,
    /// The built-in browser, called as other tools are: `<tool.name>` or one of its sisters.
    Browser,
    /// The thought block `reflect`: `<if reflect>`.
    Reflect,
    /// The thought block `introspect`: `<if introspect>`.
    Introspect,
    /// The thought block `reason`: `<if reason>`.
    Reason,
    /// `<|constrain|>` before all arguments: `<if constrain-required>`.
    RequiredConstrain,
    /// Functions called on `analysis`: `<if functions-on-analysis>`.
    FunctionsOnAnalysis,
    /// Conversations of OpenChatML 1.x: `<if version-1>`.
    Version1,
    /// The base model's own tokens around a sequence: `<bos>`, `<eos>`. A format without them takes a request
    /// that says them.
    SequenceTokens,
}

impl Feature {
    pub(super) const ALL: [Self; 10] = [
        Self::ResponseSchema,
        Self::Python,
        Self::Browser,
        Self::Reflect,
        Self::Introspect,
        Self::Reason,
        Self::RequiredConstrain,
        Self::FunctionsOnAnalysis,
        Self::Version1,
        Self::SequenceTokens,
    ];
}

impl std::fmt::Display for Feature {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::ResponseSchema => "response schemas",
            Self::Python => "the built-in tool `python`",
            Self::Browser => "the built-in tools `browser.*`",
            Self::Reflect => "the thought block `reflect`",
            Self::Introspect => "the thought block `introspect`",
            Self::Reason => "the thought block `reason`",
            Self::RequiredConstrain => "`<|constrain|>` before arguments",
            Self::FunctionsOnAnalysis => "functions on the channel `analysis`",
            Self::Version1 => "version 1",
            Self::SequenceTokens => "tokens around a sequence",
        })
    }
}
