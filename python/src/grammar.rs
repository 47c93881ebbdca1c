//! `Grammar`: a language, compiled, that knows no vocabulary yet.

use std::collections::BTreeSet;
use std::sync::Arc;

use maskwright::base::{Limits, Part, TokenId};
use maskwright::front::chat::{self, ChatOptions, Choice, Format, Prompt};
use maskwright::front::choice::Choices;
use maskwright::front::ebnf::Ebnf;
use maskwright::front::json_schema::{self, JsonRules, SchemaConfig};
use maskwright::front::lark::Lark;
use maskwright::front::regex;
use maskwright::front::structural_tag::{self, StructuralTagConfig};
use maskwright::grammar::{self, GrammarBuilder};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::error::{Failure, Kind};
use crate::json;
use crate::keywords::Keywords;
use crate::options;
use crate::vocabulary::Vocabulary;

/// A language, compiled: what `Constraint` puts over a vocabulary.
#[pyclass(frozen, module = "maskwright")]
pub(crate) struct Grammar {
    pub(crate) grammar: grammar::Grammar,
    /// What of a text the prompt has already.
    pub(crate) lead: Vec<Lead>,
    /// Of a chat format, what was asked for.
    pub(crate) turn: Option<Arc<Turn>>,
}

/// A chat format and a request, with what the prompt says of it.
pub(crate) struct Turn {
    pub(crate) format: Format,
    pub(crate) start: String,
    pub(crate) options: ChatOptions,
    pub(crate) lead: Vec<Lead>,
}

/// A part of a text that is there already.
#[derive(Clone, Debug)]
pub(crate) enum Lead {
    Text(Vec<u8>),
    Special(String),
}

impl Lead {
    pub(crate) fn of(part: Part<'_>) -> Self {
        match part {
            Part::Text(bytes) => Self::Text(bytes.to_vec()),
            Part::Special(name) => Self::Special(name.to_owned()),
        }
    }

    pub(crate) fn part(&self) -> Part<'_> {
        match self {
            Self::Text(bytes) => Part::Text(bytes),
            Self::Special(name) => Part::Special(name),
        }
    }
}

/// The format that a model writes, told by its vocabulary, its chat template, or both.
#[pyfunction]
#[pyo3(signature = (vocabulary=None, template=None))]
pub(crate) fn format_of(
    vocabulary: Option<&Vocabulary>,
    template: Option<&str>,
) -> PyResult<&'static str> {
    let chosen = match (vocabulary, template) {
        (Some(vocabulary), template) => {
            Format::for_model(|name| vocabulary.vocabulary().has_token(name), template)
        }
        (None, Some(template)) => Format::for_template(template),
        (None, None) => {
            return Err(Failure::invalid("give a vocabulary, a template, or both").into());
        }
    };
    match chosen {
        Choice::One(name) => Ok(name),
        Choice::Several(names) => {
            let message = format!(
                "the model may write one of several formats: {}",
                names.join(", ")
            );
            Err(Failure::new(Kind::Unsupported, message).into())
        }
        Choice::None => {
            let message = "the model writes none of the formats that come along";
            Err(Failure::new(Kind::Unsupported, message.to_owned()).into())
        }
    }
}

/// The flags of a format that hold for a model, told by what its tokens are spelt as (a `Vocabulary`, or whatever has `in`), its chat
/// template, or both.
#[pyfunction]
#[pyo3(signature = (format, tokens=None, template=None))]
pub(crate) fn flags_of(
    format: &str,
    tokens: Option<&Bound<'_, PyAny>>,
    template: Option<&str>,
) -> PyResult<BTreeSet<String>> {
    let format = Format::built_in(format, &Limits::default()).map_err(Failure::from)?;
    let format = format.ok_or_else(|| Failure::invalid("no such format comes along"))?;
    let mut there = BTreeSet::new();
    if let Some(tokens) = tokens {
        let vocabulary = tokens.cast::<Vocabulary>().ok();
        for control in format.controls() {
            let is_there = match vocabulary {
                Some(vocabulary) => vocabulary.get().vocabulary().has_token(control),
                None => tokens.contains(control)?,
            };
            if is_there {
                there.insert(control.clone());
            }
        }
    }
    Ok(format.flags_for_model(|name| there.contains(name), template))
}

/// The names of the formats that come along.
#[pyfunction]
pub(crate) fn built_in_formats() -> Vec<&'static str> {
    Format::BUILT_IN.to_vec()
}

#[pymethods]
impl Grammar {
    /// The values of a JSON Schema.
    #[staticmethod]
    #[pyo3(signature = (schema, **options))]
    fn from_json_schema<'py>(
        py: Python<'py>,
        schema: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let keywords = Keywords::new(py, options)?;
        let config = options::schema(&keywords)?;
        keywords.finish()?;
        let text = json::text(schema)?;
        let grammar = py.detach(|| compile_schema(&text, &config))?;
        Ok(Self::of(grammar))
    }

    /// The turns of a chat format that comes along, for a request.
    #[staticmethod]
    #[pyo3(signature = (name, **options))]
    fn from_format(
        py: Python<'_>,
        name: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::of_turn(py, Turn::of_built_in(py, name, options)?)
    }

    /// The turns of a chat format that an ABNF text describes, for a request.
    #[staticmethod]
    #[pyo3(signature = (text, *, vocabulary=None, **options))]
    fn from_abnf(
        py: Python<'_>,
        text: &str,
        vocabulary: Option<&Vocabulary>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::of_turn(py, Turn::of_abnf(py, text, vocabulary, options)?)
    }

    /// The texts that a regular expression matches as a whole.
    #[staticmethod]
    #[pyo3(signature = (pattern, **options))]
    fn from_regex<'py>(
        py: Python<'py>,
        pattern: &str,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let keywords = Keywords::new(py, options)?;
        let limits = options::limits(keywords.dict("limits")?.as_ref())?;
        let mut dialect = regex::DIALECT;
        options::dialect(&keywords, "dialect", &mut dialect)?;
        keywords.finish()?;
        let compiled =
            py.detach(|| regex::compile(pattern, dialect, &limits).map_err(Failure::from));
        Ok(Self::of(compiled?))
    }

    /// One of some texts: a list, or a JSON array of strings.
    #[staticmethod]
    #[pyo3(signature = (choices, *, limits=None))]
    fn from_choice(
        py: Python<'_>,
        choices: &Bound<'_, PyAny>,
        limits: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let limits = options::limits(limits)?;
        let text = json::text(choices)?;
        let compiled = py.detach(|| -> Result<_, Failure> {
            Ok(Choices::parse(&text, &limits)?.compile(&limits)?)
        });
        Ok(Self::of(compiled?))
    }

    /// The texts of a grammar in EBNF: llama.cpp's GBNF, XGrammar's dialect, W3C's notation.
    #[staticmethod]
    #[pyo3(signature = (text, *, start="root", limits=None))]
    fn from_ebnf(
        py: Python<'_>,
        text: &str,
        start: &str,
        limits: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let limits = options::limits(limits)?;
        let compiled = py.detach(|| -> Result<_, Failure> {
            Ok(Ebnf::parse(text, &limits)?.lower(start, &limits)?)
        });
        Ok(Self::of(compiled?))
    }

    /// The texts that a structural tag describes, as vLLM and SGLang write it.
    #[staticmethod]
    #[pyo3(signature = (tag, *, vocabulary=None, **options))]
    fn from_structural_tag<'py>(
        py: Python<'py>,
        tag: &Bound<'py, PyAny>,
        vocabulary: Option<&Vocabulary>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let keywords = Keywords::new(py, options)?;
        let mut config = StructuralTagConfig::default();
        config.schemas = options::schema(&keywords)?;
        keywords.finish()?;
        if let Some(vocabulary) = vocabulary {
            let specials = vocabulary.vocabulary().specials();
            config.specials = specials.map(|(name, _)| name.to_owned()).collect();
        }
        let text = json::text(tag)?;
        let compiled = py.detach(|| structural_tag::compile(&text, &config).map_err(Failure::from));
        Ok(Self::of(compiled?))
    }

    /// The texts of a grammar in Lark, as llguidance and XGrammar read it. There is no lexer.
    #[staticmethod]
    #[pyo3(signature = (text, *, start="start", **options))]
    fn from_lark<'py>(
        py: Python<'py>,
        text: &str,
        start: &str,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Self> {
        let keywords = Keywords::new(py, options)?;
        let config = options::schema(&keywords)?;
        keywords.finish()?;
        let compiled = py.detach(|| -> Result<_, Failure> {
            Ok(Lark::parse(text, &config)?.lower(start, &config)?)
        });
        Ok(Self::of(compiled?))
    }

    fn __repr__(&self) -> String {
        format!(
            "<Grammar with {} control tokens>",
            self.grammar.controls().count()
        )
    }
}

impl Grammar {
    fn of(grammar: grammar::Grammar) -> Self {
        Self {
            grammar,
            lead: Vec::new(),
            turn: None,
        }
    }

    fn of_turn(py: Python<'_>, turn: Turn) -> PyResult<Self> {
        let grammar = py.detach(|| turn.compile())?;
        Ok(Self {
            grammar,
            lead: turn.lead.clone(),
            turn: Some(Arc::new(turn)),
        })
    }
}

/// The dictionary `name` of `options`.
fn option<'py>(
    options: Option<&Bound<'py, PyDict>>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyDict>>> {
    let Some(given) = options
        .map(|options| options.get_item(name))
        .transpose()?
        .flatten()
    else {
        return Ok(None);
    };
    Ok(given.extract()?)
}

fn compile_schema(text: &str, config: &SchemaConfig) -> Result<grammar::Grammar, Failure> {
    let refuse = |error| Failure::schema(&error, Some(text), "schema");
    let compiled = json_schema::compile(text, config).map_err(refuse)?;
    let mut rules = JsonRules::new(config).map_err(refuse)?;
    let mut builder = GrammarBuilder::new(config.limits.clone());
    let root = compiled.lower_into(&mut rules, &mut builder);
    Ok(builder.finish(root)?)
}

impl Turn {
    /// Of a format that comes along. The options may have a vocabulary, by which a prompt's tokens are read.
    pub(crate) fn of_built_in(
        py: Python<'_>,
        name: &str,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let limits = options::limits(option(options, "limits")?.as_ref())?;
        let keywords = Keywords::new(py, options)?;
        let vocabulary = keywords.any("vocabulary")?;
        let vocabulary = vocabulary.as_ref().map(|it| it.cast::<Vocabulary>());
        let vocabulary = vocabulary.transpose()?.map(|it| it.get());
        let format = match vocabulary {
            Some(vocabulary) => vocabulary.formats.get(name).map(Option::<&Format>::cloned),
            None => Format::built_in(name, &limits),
        };
        let format = format.map_err(Failure::from)?.ok_or_else(|| {
            Failure::invalid(format!("there is no format {name:?}"))
                .hint(format!("there are {}", Format::BUILT_IN.join(", ")))
        })?;
        Self::read(format, keywords, vocabulary)
    }

    /// Of a format that an ABNF text describes.
    pub(crate) fn of_abnf(
        py: Python<'_>,
        text: &str,
        vocabulary: Option<&Vocabulary>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let limits = options::limits(option(options, "limits")?.as_ref())?;
        let specials: Vec<&str> = vocabulary
            .into_iter()
            .flat_map(|vocabulary| vocabulary.vocabulary().specials())
            .map(|(name, _)| name)
            .collect();
        let format = Format::parse("grammar", text, &specials, &limits).map_err(Failure::from)?;
        Self::read(format, Keywords::new(py, options)?, vocabulary)
    }

    fn read(
        format: Format,
        keywords: Keywords<'_>,
        vocabulary: Option<&Vocabulary>,
    ) -> PyResult<Self> {
        let start = keywords.take("start", "assistant-turn".to_owned())?;
        let prompt = keywords.any("prompt")?;
        let mut options = options::chat(&keywords)?;
        keywords.finish()?;
        let mut lead = Vec::new();
        if let Some(prompt) = prompt {
            let prompt = read_prompt((&format, &start), &prompt, vocabulary, &options.limits)?;
            prompt.fill(&mut options);
            lead = prompt.lead().map(Lead::of).collect();
        }
        if !format.rules().any(|rule| rule.eq_ignore_ascii_case(&start)) {
            let rules: Vec<_> = format.rules().collect();
            return Err(
                Failure::invalid(format!("`start`: there is no rule {start:?}"))
                    .hint(format!("there are {}", rules.join(", ")))
                    .into(),
            );
        }
        Ok(Self {
            format,
            start,
            options,
            lead,
        })
    }

    fn compile(&self) -> Result<grammar::Grammar, Failure> {
        Ok(chat::compile(&self.format, &self.start, &self.options)?)
    }
}

/// The prompt as a text, or as the tokens of a vocabulary.
fn read_prompt(
    (format, start): (&Format, &str),
    prompt: &Bound<'_, PyAny>,
    vocabulary: Option<&Vocabulary>,
    limits: &Limits,
) -> PyResult<Prompt> {
    if let Ok(text) = prompt.cast::<PyString>() {
        let read = Prompt::of_text_before(format, start, text.to_str()?, limits);
        return Ok(read.map_err(Failure::from)?);
    }
    let tokens: Vec<u32> = prompt.extract()?;
    let Some(vocabulary) = vocabulary.map(Vocabulary::vocabulary) else {
        return Err(Failure::invalid("`prompt`: tokens need a vocabulary").into());
    };
    let parts = tokens
        .into_iter()
        .filter_map(|token| vocabulary.part(TokenId::new(token)));
    let specials: Vec<&str> = vocabulary.specials().map(|(name, _)| name).collect();
    let read = Prompt::of_parts_before(format, start, parts, &specials, limits);
    Ok(read.map_err(Failure::from)?)
}
