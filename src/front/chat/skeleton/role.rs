//! The roles of the rules of a skeleton.

/// What a rule reads, to whoever takes a turn apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// What the model thinks, and what it says. `Passage` where it is written by rules of the file.
    Reasoning(Extent),
    Content(Extent),
    /// Text within another role in which control tokens are text.
    Verbatim,
    /// What only frames, within another role.
    Framing,
    /// What is read as far as it goes: what follows does not begin as it would go on.
    Longest,
    /// A call: what names a tool and its arguments belong together.
    Call,
    /// The name of the tool, its id, its arguments as JSON.
    Name,
    Id,
    Arguments,
    /// The arguments as JSON within a string: their characters are spelt as strings have them.
    ArgumentsString,
    /// What a built-in tool takes that takes text: the index of the tool's name among `Skeleton::code_tools`.
    Code(u16),
    /// Arguments one by one, and what one of them consists of.
    Parameters,
    ParameterName,
    ParameterValue(ValueSpelling),
    /// An outline's stand-in for an object or an array.
    Structure,
}

/// Whether a text with a role is one rule's, or a rule of the file with framing in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Extent {
    Text,
    Passage,
}

/// How the value of a parameter is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ValueSpelling {
    /// A string as it is, or JSON of another type that the schema allows.
    Raw,
    /// A string as it is.
    String,
    /// JSON.
    Json,
    /// A literal of Python.
    Python,
    /// Strings between marks, and names bare.
    Nested,
}

/// Whether values are read exactly, or stand for themselves where a grammar is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Objects and arrays as they are.
    Exact,
    /// Objects and arrays as their parts in any order between brackets: more than they are, and regular.
    Outline,
}
