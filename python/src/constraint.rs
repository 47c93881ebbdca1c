//! `Constraint`: a grammar over a vocabulary.

use std::sync::Arc;

use maskwright::base::TokenId;
use maskwright::session::{self, ConstraintConfig, Engine};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::error::Failure;
use crate::grammar::{Grammar, Lead, Turn};
use crate::reader::Reader;
use crate::session::Session;
use crate::vocabulary::Vocabulary;

/// A language over a vocabulary, shared by any number of sessions.
#[pyclass(frozen, module = "maskwright")]
pub(crate) struct Constraint {
    constraint: session::Constraint,
    lead: Vec<Lead>,
    turn: Option<Arc<Turn>>,
    engine: Engine,
}

#[pymethods]
impl Constraint {
    /// Puts a grammar over a vocabulary.
    #[new]
    #[pyo3(signature = (vocabulary, grammar, *, stop_tokens=None))]
    fn new(
        py: Python<'_>,
        vocabulary: &Vocabulary,
        grammar: &Grammar,
        stop_tokens: Option<Vec<u32>>,
    ) -> PyResult<Self> {
        let mut config = ConstraintConfig::default();
        if let Some(tokens) = stop_tokens {
            config = config.stop_tokens(tokens.into_iter().map(TokenId::new).collect());
        }
        let engine = vocabulary.engine.clone();
        let made = py.detach(|| engine.constraint(grammar.grammar.clone(), &config));
        Ok(Self {
            constraint: made.map_err(Failure::from)?,
            lead: grammar.lead.clone(),
            turn: grammar.turn.clone(),
            engine,
        })
    }

    /// The values of a JSON Schema.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, schema, *, stop_tokens=None, **options))]
    fn from_json_schema(
        vocabulary: &Bound<'_, Vocabulary>,
        schema: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        compiled("from_json_schema", vocabulary, schema, stop_tokens, options)
    }

    /// The values of a pydantic model.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, model, *, stop_tokens=None, **options))]
    fn from_pydantic(
        vocabulary: &Bound<'_, Vocabulary>,
        model: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let schema = model.call_method0("model_json_schema")?;
        compiled(
            "from_json_schema",
            vocabulary,
            &schema,
            stop_tokens,
            options,
        )
    }

    /// The turns of a chat format that comes along.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, name, *, stop_tokens=None, **options))]
    fn from_format(
        vocabulary: &Bound<'_, Vocabulary>,
        name: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        compiled(
            "from_format",
            vocabulary,
            name,
            stop_tokens,
            Some(&with_vocabulary(vocabulary, options)?),
        )
    }

    /// The turns of a chat format that an ABNF text describes.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, text, *, stop_tokens=None, **options))]
    fn from_abnf(
        vocabulary: &Bound<'_, Vocabulary>,
        text: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        compiled(
            "from_abnf",
            vocabulary,
            text,
            stop_tokens,
            Some(&with_vocabulary(vocabulary, options)?),
        )
    }

    /// The texts that a regular expression matches as a whole.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, pattern, *, stop_tokens=None, **options))]
    fn from_regex(
        vocabulary: &Bound<'_, Vocabulary>,
        pattern: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        compiled("from_regex", vocabulary, pattern, stop_tokens, options)
    }

    /// One of some texts.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, choices, *, stop_tokens=None, **options))]
    fn from_choice(
        vocabulary: &Bound<'_, Vocabulary>,
        choices: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        compiled("from_choice", vocabulary, choices, stop_tokens, options)
    }

    /// The texts of a grammar in EBNF.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, text, *, stop_tokens=None, **options))]
    fn from_ebnf(
        vocabulary: &Bound<'_, Vocabulary>,
        text: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        compiled("from_ebnf", vocabulary, text, stop_tokens, options)
    }

    /// The texts that a structural tag describes.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, tag, *, stop_tokens=None, **options))]
    fn from_structural_tag(
        vocabulary: &Bound<'_, Vocabulary>,
        tag: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let options = with_vocabulary(vocabulary, options)?;
        compiled(
            "from_structural_tag",
            vocabulary,
            tag,
            stop_tokens,
            Some(&options),
        )
    }

    /// The texts of a grammar in Lark.
    #[staticmethod]
    #[pyo3(signature = (vocabulary, text, *, stop_tokens=None, **options))]
    fn from_lark(
        vocabulary: &Bound<'_, Vocabulary>,
        text: &Bound<'_, PyAny>,
        stop_tokens: Option<Vec<u32>>,
        options: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        compiled("from_lark", vocabulary, text, stop_tokens, options)
    }

    /// A session at the beginning of a text, or, where `lead` gives tokens, after them: what is there
    /// already and no part of the session. By default that is what a prompt had of the turn.
    #[pyo3(signature = (lead=None))]
    fn session(&self, py: Python<'_>, lead: Option<Vec<u32>>) -> PyResult<Session> {
        let vocabulary = self.constraint.vocabulary();
        let session = py.detach(|| match lead {
            Some(tokens) => {
                let parts = tokens
                    .into_iter()
                    .filter_map(|token| vocabulary.part(TokenId::new(token)));
                self.constraint.session_after(parts)
            }
            None if self.lead.is_empty() => Ok(self.constraint.session()),
            None => self
                .constraint
                .session_after(self.lead.iter().map(Lead::part)),
        });
        Ok(Session::new(session.map_err(Failure::from)?))
    }

    /// A reader of what sessions write: of tokens of the vocabulary, from where a session begins.
    #[pyo3(signature = (*, lenient=false, closed=false))]
    fn reader(&self, py: Python<'_>, lenient: bool, closed: bool) -> PyResult<Reader> {
        let Some(turn) = &self.turn else {
            let message = "readers read the turns of chat formats, and this constraint has none";
            return Err(Failure::invalid(message).into());
        };
        Reader::new(py, turn, Some(&self.engine), (lenient, closed))
    }

    /// The tokens that end a text which may end.
    #[getter]
    fn stop_tokens(&self) -> Vec<u32> {
        self.constraint
            .stop_tokens()
            .iter()
            .map(|token| token.get())
            .collect()
    }

    /// The 32-bit words of a row.
    #[getter]
    fn mask_words(&self) -> usize {
        self.constraint.vocabulary().mask_words()
    }

    /// The number of logits.
    #[getter]
    fn logits(&self) -> usize {
        self.constraint.vocabulary().len()
    }

    /// The control tokens of the grammar that the vocabulary lacks: they are spelt in ordinary tokens.
    #[getter]
    fn spelt_controls(&self) -> Vec<&str> {
        self.constraint.spelt_controls().collect()
    }

    /// The bytes that the grammar reads and no token spells: texts with them are left out.
    #[getter]
    fn unspelt_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let unspelt = self.constraint.unspelt_bytes();
        let bytes: Vec<u8> = (0..=u8::MAX)
            .filter(|&byte| unspelt.contains(byte))
            .collect();
        PyBytes::new(py, &bytes)
    }

    fn __repr__(&self) -> String {
        format!("<Constraint over {:?}>", self.constraint.vocabulary())
    }
}

/// Compiles by the constructor `how` of `Grammar`, and puts the grammar over the vocabulary.
fn compiled(
    how: &str,
    vocabulary: &Bound<'_, Vocabulary>,
    source: &Bound<'_, PyAny>,
    stop_tokens: Option<Vec<u32>>,
    options: Option<&Bound<'_, PyDict>>,
) -> PyResult<Constraint> {
    let py = vocabulary.py();
    let class = py.get_type::<Grammar>();
    let grammar = class
        .call_method(how, (source,), options)?
        .cast_into::<Grammar>()?;
    Constraint::new(py, vocabulary.get(), grammar.get(), stop_tokens)
}

/// The options with the vocabulary among them, by which control tokens are found.
fn with_vocabulary<'py>(
    vocabulary: &Bound<'py, Vocabulary>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let options = options.map_or_else(
        || Ok(PyDict::new(vocabulary.py())),
        |options| options.copy(),
    )?;
    options.set_item("vocabulary", vocabulary)?;
    Ok(options)
}
