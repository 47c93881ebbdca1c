//! Languages that one text says: a regular expression, choices, a grammar in EBNF or in Lark, a structural tag.

use std::path::PathBuf;

use clap::Args;
use maskwright::base::{Limits, Report, Reports};
use maskwright::front::choice::Choices;
use maskwright::front::ebnf::{self, Ebnf};
use maskwright::front::json_schema::SchemaConfig;
use maskwright::front::lark::{self, Lark};
use maskwright::front::regex;
use maskwright::front::structural_tag::{self, StructuralTagConfig, StructuralTagError};
use maskwright::grammar::Grammar;
use maskwright::regular::{Dialect, Pattern};
use maskwright::vocab::Vocabulary;

use super::failure::Failure;
use super::input::Named;
use super::output::warn;
use super::spelling::Spelling;

/// The options of a chat format, which other languages do not have.
pub(crate) const OF_CHATS: [&str; 17] = [
    "tools",
    "tool_choice",
    "parallel",
    "no_analysis",
    "response_schema",
    "profile",
    "functions_on_analysis",
    "built_in",
    "thought",
    "deadlines",
    "flag",
    "bos",
    "eos",
    "prompt",
    "format",
    "grammar",
    "bytes",
];

/// The options that say a language by one text.
#[derive(Args)]
#[group(multiple = false)]
pub(crate) struct LanguageOptions {
    /// A regular expression: the language is the texts that match as a whole
    #[arg(long, value_name = "PATTERN", conflicts_with_all = OF_CHATS, conflicts_with_all = ["schema", "start"])]
    regex: Option<String>,
    /// A JSON array of strings: the language is these texts
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_CHATS, conflicts_with_all = ["schema", "start"])]
    choice: Option<PathBuf>,
    /// A grammar in EBNF: llama.cpp's GBNF, XGrammar's or W3C's; --start names its rule [default: root]
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_CHATS, conflicts_with_all = ["schema"])]
    ebnf: Option<PathBuf>,
    /// A structural tag in JSON, as vLLM and SGLang send it: text with tags that hold schemas
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_CHATS, conflicts_with_all = ["schema", "start"])]
    structural_tag: Option<PathBuf>,
    /// A grammar in Lark; --start names its rule [default: start]
    #[arg(long, value_name = "FILE", conflicts_with_all = OF_CHATS, conflicts_with_all = ["schema"])]
    lark: Option<PathBuf>,
}

/// How such a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Notation {
    Regex,
    Choice,
    Ebnf,
    StructuralTag,
    Lark,
}

/// A text that says a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) notation: Notation,
    pub(crate) text: Named,
}

impl LanguageOptions {
    /// The text that the options name, if they name one.
    pub(crate) fn read(&self) -> Result<Option<Written>, Failure> {
        let files = [
            (Notation::Choice, &self.choice),
            (Notation::Ebnf, &self.ebnf),
            (Notation::StructuralTag, &self.structural_tag),
            (Notation::Lark, &self.lark),
        ];
        if let Some(pattern) = &self.regex {
            return Ok(Some(Written {
                notation: Notation::Regex,
                text: Named {
                    name: "--regex".to_owned(),
                    text: pattern.clone(),
                },
            }));
        }
        let named = files
            .into_iter()
            .find_map(|(notation, file)| Some((notation, file.as_ref()?)));
        named
            .map(|(notation, file)| {
                let text = Named::read(file)?;
                Ok(Written { notation, text })
            })
            .transpose()
    }
}

impl Written {
    /// The rule that it starts from where nothing else is said; it need not have rules.
    pub(crate) fn default_start(&self) -> &'static str {
        match self.notation {
            Notation::Regex | Notation::Choice | Notation::StructuralTag => "",
            Notation::Ebnf => ebnf::ROOT,
            Notation::Lark => lark::START,
        }
    }

    /// Warns of what is asked of JSON and its patterns, where there are none.
    pub(crate) fn warn_of_idle(&self, spelling: &Spelling) {
        let has_json = matches!(self.notation, Notation::StructuralTag | Notation::Lark);
        let has_patterns = has_json || self.notation == Notation::Regex;
        let of_json = spelling.of_json().filter(|_| !has_json);
        let of_patterns = spelling.dialect().filter(|_| !has_patterns);
        for option in of_json.chain(of_patterns.map(|_| "--patterns")) {
            warn(format_args!(
                "{option} means nothing here: it is for JSON Schemas"
            ));
        }
    }

    /// The grammar of the language, from the rule `start` where it has rules; JSON in it is
    /// spelt as `schemas` has it, and a regular expression is in the syntax of `dialect`.
    pub(crate) fn compile(
        &self,
        start: &str,
        (schemas, dialect): (&SchemaConfig, Dialect),
        vocabulary: &Vocabulary,
    ) -> Result<Grammar, Failure> {
        let (text, limits) = (&self.text, schemas.limits.clone());
        match self.notation {
            Notation::Regex => {
                warn_of_pattern(text, dialect);
                regex::compile(&text.text, dialect, &limits).map_err(|error| failure(&error, text))
            }
            Notation::Choice => {
                let choices = Choices::parse(&text.text, &limits);
                let choices = choices.map_err(|error| failure(&error, text))?;
                choices
                    .compile(&limits)
                    .map_err(|error| Failure::new(format!("{}: {error}", text.name)))
            }
            Notation::Ebnf => Ebnf::parse(&text.text, &limits)
                .and_then(|ebnf| ebnf.lower(start, &limits))
                .map_err(|errors| failures(&errors, text)),
            Notation::StructuralTag => {
                let mut config = StructuralTagConfig::default();
                config.specials = vocabulary
                    .specials()
                    .map(|(name, _)| name.to_owned())
                    .collect();
                config.schemas = schemas.clone();
                structural_tag::compile(&text.text, &config)
                    .map_err(|error| tag_failure(&error, text))
            }
            Notation::Lark => Lark::parse(&text.text, schemas)
                .and_then(|lark| lark.lower(start, schemas))
                .map_err(|errors| failures(&errors, text)),
        }
    }
}

/// Warns of what a regular expression has that means something else in another dialect. What is wrong with it is told elsewhere.
fn warn_of_pattern(text: &Named, dialect: Dialect) {
    let Ok(pattern) = Pattern::parse(&text.text, dialect, &Limits::default()) else {
        return;
    };
    for note in pattern.notes().iter().filter(|note| !note.kind.is_read()) {
        warn(format_args!(
            "{}: {}; {}",
            text.name,
            note.kind.message(),
            note.kind.hint()
        ));
    }
}

/// What is wrong with a text, in its place.
fn failure<K: std::fmt::Display>(error: &Report<K>, text: &Named) -> Failure {
    let span = error.span();
    let failure = text.failure(error.kind().to_string(), span.start..span.end);
    match error.hint() {
        Some(hint) => failure.hint(hint),
        None => failure,
    }
}

/// What is wrong with a structural tag, at its place in the JSON.
fn tag_failure(error: &StructuralTagError, text: &Named) -> Failure {
    match error.pointer() {
        Some(pointer) => text.failure_at(error.to_string(), pointer),
        None => Failure::new(format!("{}: {error}", text.name)),
    }
}

/// What is odd about a text.
pub(crate) fn warn_of<K: std::fmt::Display>(warning: &Report<K>, text: &Named) {
    failure(warning, text).warn();
}

/// All that is wrong with a text.
pub(crate) fn failures<K: std::fmt::Display>(errors: &Reports<K>, text: &Named) -> Failure {
    let failures = errors.iter().map(|error| failure(error, text));
    failures.reduce(Failure::also).expect("there is an error")
}
