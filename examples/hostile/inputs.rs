//! What an input is, and all of them.

use crate::{formats, fronts, readers, schemas, strings, texts, tools, vocabularies};

/// A hostile input. Its text is made when it is tried.
pub(crate) struct Input {
    pub(crate) class: &'static str,
    pub(crate) name: String,
    pub(crate) content: Content,
}

type Text = Box<dyn Fn() -> String>;

/// What is asked of the engine.
pub(crate) enum Content {
    /// Compile the schema, and read on in it.
    Schema(Text),
    /// Lint the schema, and look for its faults.
    Lint(Text),
    /// Compile the schema as the parameters of a tool, for a turn of Harmony, and read on.
    Tool(Text),
    /// A tools file.
    Tools(Text),
    /// A grammar in ABNF, whose start rule is `a`.
    Abnf(Text),
    /// A chat format in ABNF, with one tool.
    Format(Text),
    /// A chat format in ABNF whose reader is made, with the text of its first bytes, and asked whether each text has one reading.
    Reading(Text),
    /// What a model wrote, read by the reader of a built-in format, strict and lenient, at once and in pieces.
    Reads(&'static str, Text),
    /// A structural tag.
    Tags(Text),
    /// A list of texts to choose from.
    Choice(Text),
    /// A schema, for texts that are to end within so many tokens.
    Deadline(Text),
    /// A regular expression as a whole text.
    Regex(Text),
    /// A grammar in EBNF.
    Ebnf(Text),
    /// A grammar of Lark.
    Lark(Text),
    /// A `tokenizer.json`.
    Tokenizer(Text),
    /// A rank file.
    Ranks(Text),
    /// A GGUF file, all of whose bytes are ASCII.
    Gguf(Text),
    /// The text of a turn in a built-in format, byte by byte and by the parser of transcripts.
    Turn(&'static str, Text),
}

impl Content {
    /// The text, made now.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Schema(text)
            | Self::Lint(text)
            | Self::Tool(text)
            | Self::Tools(text)
            | Self::Abnf(text)
            | Self::Format(text)
            | Self::Reading(text)
            | Self::Reads(_, text)
            | Self::Tags(text)
            | Self::Choice(text)
            | Self::Deadline(text)
            | Self::Regex(text)
            | Self::Ebnf(text)
            | Self::Lark(text)
            | Self::Tokenizer(text)
            | Self::Ranks(text)
            | Self::Gguf(text)
            | Self::Turn(_, text) => text(),
        }
    }
}

/// All hostile inputs, in the order in which they are run.
pub(crate) fn all() -> Vec<Input> {
    let mut inputs = Inputs::default();
    schemas::references(&mut inputs);
    schemas::sets(&mut inputs);
    strings::patterns(&mut inputs);
    strings::running(&mut inputs);
    tools::linting(&mut inputs);
    tools::tools(&mut inputs);
    texts::grammars(&mut inputs);
    fronts::fronts(&mut inputs);
    fronts::deadlines(&mut inputs);
    formats::formats(&mut inputs);
    readers::readings(&mut inputs);
    readers::readers(&mut inputs);
    vocabularies::tokenizers(&mut inputs);
    texts::turns(&mut inputs);
    inputs.all
}

/// Collects inputs of one class after the other.
#[derive(Default)]
pub(crate) struct Inputs {
    class: &'static str,
    all: Vec<Input>,
}

impl Inputs {
    /// What follows is of this class.
    pub(crate) fn class(&mut self, class: &'static str) {
        self.class = class;
    }

    /// One input for each size.
    pub(crate) fn sizes(
        &mut self,
        name: &str,
        sizes: &[usize],
        content: impl Fn(Text) -> Content,
        text: impl Fn(usize) -> String + Copy + 'static,
    ) {
        for &size in sizes {
            self.all.push(Input {
                class: self.class,
                name: format!("{name}/{size}"),
                content: content(Box::new(move || text(size))),
            });
        }
    }
}
