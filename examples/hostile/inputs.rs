//! What an input is, and all of them.

use crate::{formats, schemas, strings, texts, tools, vocabularies};

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
    formats::formats(&mut inputs);
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
        content: fn(Text) -> Content,
        text: fn(usize) -> String,
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
