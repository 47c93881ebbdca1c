//! `Vocabulary`: what each token id of a model stands for, with what is computed for it.

use std::path::{Path, PathBuf};

use maskwright::base::{Limits, TokenId};
use maskwright::front::chat::Formats;
use maskwright::session::Engine;
use maskwright::vocab::{self, FileKind, VocabError, VocabularyBuilder};
use pyo3::exceptions::{PyAttributeError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::error::{Failure, Kind};

const RANKS: &str = "o200k_base.tiktoken";
const ENCODINGS: &str = "TIKTOKEN_ENCODINGS_BASE";
/// The ordinary tokens of `o200k_harmony`, ids from 0.
const O200K_ORDINARY: usize = 199_998;

/// What each token id of a model stands for. Make one per model and share it.
#[pyclass(frozen, module = "maskwright")]
pub(crate) struct Vocabulary {
    pub(crate) engine: Engine,
    /// The formats that its requests name, with what these share.
    pub(crate) formats: Formats,
    budgets: Budgets,
}

/// About how many bytes of masks a vocabulary keeps, and how many its constraints have together, where that was said.
type Budgets = (Option<usize>, Option<usize>);

impl Vocabulary {
    /// Builds off the interpreter's lock, with end tokens and logits on top.
    fn build(
        py: Python<'_>,
        end_tokens: Vec<u32>,
        logits: Option<usize>,
        (cache_bytes, constraint_bytes): Budgets,
        make: impl FnOnce() -> Result<vocab::Vocabulary, Failure> + Send,
    ) -> PyResult<Self> {
        py.detach(|| {
            let ends: Vec<_> = end_tokens.into_iter().map(TokenId::new).collect();
            let mut vocabulary = make()?.with_end_tokens(&ends)?;
            if let Some(logits) = logits {
                vocabulary = vocabulary.with_logits(logits)?;
            }
            let mut limits = Limits::default();
            limits.mask_bytes = cache_bytes.unwrap_or(limits.mask_bytes);
            limits.engine_bytes = constraint_bytes.unwrap_or(limits.engine_bytes);
            Ok(Self {
                engine: Engine::with_limits(vocabulary, &limits),
                formats: Formats::default(),
                budgets: (cache_bytes, constraint_bytes),
            })
        })
        .map_err(|failure: Failure| failure.into())
    }

    pub(crate) fn vocabulary(&self) -> &vocab::Vocabulary {
        self.engine.vocabulary()
    }
}

#[pymethods]
impl Vocabulary {
    /// The vocabulary of a Hugging Face tokenizer: one of `transformers` that is fast, or a
    /// `tokenizers.Tokenizer`.
    #[staticmethod]
    #[pyo3(signature = (tokenizer, *, end_tokens=Vec::new(), logits=None, cache_bytes=None, constraint_bytes=None))]
    fn from_hf(
        tokenizer: &Bound<'_, PyAny>,
        mut end_tokens: Vec<u32>,
        logits: Option<usize>,
        cache_bytes: Option<usize>,
        constraint_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let budgets = (cache_bytes, constraint_bytes);
        let py = tokenizer.py();
        let backend = match tokenizer.getattr("backend_tokenizer") {
            Ok(backend) => backend,
            Err(error) if error.is_instance_of::<PyAttributeError>(py) => tokenizer.clone(),
            Err(error) => return Err(error),
        };
        if !backend.hasattr("to_str")? {
            let class = tokenizer.get_type().name()?;
            return Err(Failure::new(
                Kind::Unsupported,
                format!("a tokenizer of class {class} has no `tokenizer.json` to read"),
            )
            .hint("give a fast tokenizer, or its tokens to Vocabulary.from_tokens")
            .into());
        }
        let text: String = backend.call_method0("to_str")?.extract()?;
        let config = PyDict::new(py);
        if let Ok(Some(name)) =
            (tokenizer.getattr("eos_token")).and_then(|it| it.extract::<Option<String>>())
        {
            config.set_item("eos_token", name)?;
        }
        let config: String = py
            .import("json")?
            .call_method1("dumps", (config,))?
            .extract()?;
        end_tokens.dedup();
        Self::build(py, end_tokens, logits, budgets, || {
            Ok(vocab::Vocabulary::from_tokenizer_json(
                text.as_bytes(),
                Some(config.as_bytes()),
            )?)
        })
    }

    /// The vocabulary of a `tokenizer.json`, with the `tokenizer_config.json` beside it.
    #[staticmethod]
    #[pyo3(signature = (tokenizer, config=None, *, end_tokens=Vec::new(), logits=None, cache_bytes=None, constraint_bytes=None))]
    fn from_tokenizer_json(
        py: Python<'_>,
        tokenizer: &str,
        config: Option<&str>,
        end_tokens: Vec<u32>,
        logits: Option<usize>,
        cache_bytes: Option<usize>,
        constraint_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let budgets = (cache_bytes, constraint_bytes);
        Self::build(py, end_tokens, logits, budgets, || {
            let config = config.map(str::as_bytes);
            Ok(vocab::Vocabulary::from_tokenizer_json(
                tokenizer.as_bytes(),
                config,
            )?)
        })
    }

    /// The vocabulary of a `tiktoken.Encoding`.
    #[staticmethod]
    #[pyo3(signature = (encoding, *, end_tokens=None, logits=None, cache_bytes=None, constraint_bytes=None))]
    fn from_tiktoken(
        encoding: &Bound<'_, PyAny>,
        end_tokens: Option<Vec<u32>>,
        logits: Option<usize>,
        cache_bytes: Option<usize>,
        constraint_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let budgets = (cache_bytes, constraint_bytes);
        let py = encoding.py();
        let size: u32 = encoding.getattr("n_vocab")?.extract()?;
        let mut builder = VocabularyBuilder::new();
        let mut specials = std::collections::HashSet::new();
        for name in encoding.getattr("special_tokens_set")?.try_iter()? {
            let name: String = name?.extract()?;
            let id: u32 = encoding
                .call_method1("encode_single_token", (&name,))?
                .extract()?;
            specials.insert(id);
            builder
                .special(TokenId::new(id), &name)
                .map_err(Failure::from)?;
        }
        let decode = encoding.getattr("decode_single_token_bytes")?;
        for id in (0..size).filter(|id| !specials.contains(id)) {
            let bytes = match decode.call1((id,)) {
                Ok(bytes) => bytes,
                Err(error) if error.is_instance_of::<PyKeyError>(py) => continue,
                Err(error) => return Err(error),
            };
            let bytes = bytes.cast_into::<PyBytes>()?;
            builder
                .ordinary(TokenId::new(id), bytes.as_bytes())
                .map_err(Failure::from)?;
        }
        let end_tokens = match end_tokens {
            Some(tokens) => tokens,
            None => vec![encoding.getattr("eot_token")?.extract()?],
        };
        Self::build(py, end_tokens, logits, budgets, || Ok(builder.build()?))
    }

    /// The vocabulary in a file: a `tokenizer.json` (or the directory it is in), a `tekken.json`, a GGUF file, a
    /// SentencePiece model, or a rank file of tiktoken, whose control tokens are `specials`. The contents tell which it is.
    #[staticmethod]
    #[pyo3(signature = (path, *, specials=None, end_tokens=Vec::new(), logits=None, cache_bytes=None, constraint_bytes=None))]
    fn from_file(
        py: Python<'_>,
        path: PathBuf,
        specials: Option<Vec<(String, u32)>>,
        end_tokens: Vec<u32>,
        logits: Option<usize>,
        cache_bytes: Option<usize>,
        constraint_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let budgets = (cache_bytes, constraint_bytes);
        let file = match path.is_dir() {
            true => path.join("tokenizer.json"),
            false => path,
        };
        let bytes = read(&file)?;
        let kind = FileKind::of(&bytes);
        if specials.is_some() && kind != FileKind::Ranks {
            let message = format!(
                "`specials` are for rank files: a {} has its own",
                kind.name()
            );
            return Err(Failure::invalid(message).into());
        }
        let beside = file.with_file_name("tokenizer_config.json");
        let config = (kind == FileKind::TokenizerJson && beside.is_file()).then(|| read(&beside));
        let config = config.transpose()?;
        Self::build(py, end_tokens, logits, budgets, || {
            Ok(match kind {
                FileKind::Gguf => vocab::Vocabulary::from_gguf(&bytes)?,
                FileKind::SentencePiece => vocab::Vocabulary::from_sentence_piece(&bytes)?,
                FileKind::Tekken => vocab::Vocabulary::from_tekken(&bytes)?,
                FileKind::TokenizerJson => {
                    vocab::Vocabulary::from_tokenizer_json(&bytes, config.as_deref())?
                }
                FileKind::Ranks => of_ranks(&bytes, specials.unwrap_or_default())?,
            })
        })
    }

    /// A vocabulary of tokens by id: bytes or text, `None` where an id is not in use; `specials` are
    /// the control tokens by name.
    #[staticmethod]
    #[pyo3(signature = (tokens, *, specials=None, end_tokens=Vec::new(), logits=None, cache_bytes=None, constraint_bytes=None))]
    fn from_tokens(
        tokens: &Bound<'_, PyAny>,
        specials: Option<&Bound<'_, PyDict>>,
        end_tokens: Vec<u32>,
        logits: Option<usize>,
        cache_bytes: Option<usize>,
        constraint_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let budgets = (cache_bytes, constraint_bytes);
        let mut builder = VocabularyBuilder::new();
        let mut taken = std::collections::HashSet::new();
        for (name, id) in specials.into_iter().flatten() {
            let (name, id): (String, u32) = (name.extract()?, id.extract()?);
            taken.insert(id as usize);
            builder
                .special(TokenId::new(id), &name)
                .map_err(Failure::from)?;
        }
        for (id, token) in tokens.try_iter()?.enumerate() {
            let token = token?;
            if token.is_none() {
                continue;
            }
            if taken.contains(&id) {
                let message = format!("token {id} is given twice, as a token and as a special");
                return Err(Failure::new(Kind::Malformed, message).into());
            }
            let token_id = TokenId::from_usize(id);
            if let Ok(text) = token.cast::<PyString>() {
                builder
                    .ordinary(token_id, text.to_str()?.as_bytes())
                    .map_err(Failure::from)?;
            } else {
                builder
                    .ordinary(token_id, token.cast::<PyBytes>()?.as_bytes())
                    .map_err(Failure::from)?;
            }
        }
        Self::build(tokens.py(), end_tokens, logits, budgets, || {
            Ok(builder.build()?)
        })
    }

    /// gpt-oss's vocabulary, of the rank file at `path`, or else of `o200k_base.tiktoken` in the
    /// folder that the environment variable `TIKTOKEN_ENCODINGS_BASE` names. Nothing is downloaded.
    #[staticmethod]
    #[pyo3(signature = (path=None, *, logits=None, cache_bytes=None, constraint_bytes=None))]
    fn o200k_harmony(
        py: Python<'_>,
        path: Option<PathBuf>,
        logits: Option<usize>,
        cache_bytes: Option<usize>,
        constraint_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let budgets = (cache_bytes, constraint_bytes);
        let path = match (path, std::env::var_os(ENCODINGS)) {
            (Some(path), _) => path,
            (None, Some(folder)) => Path::new(&folder).join(RANKS),
            (None, None) => {
                return Err(Failure::invalid("there are no ranks for o200k_harmony")
                    .hint(format!(
                        "give the path of {RANKS}, or name the folder that holds it by {ENCODINGS}"
                    ))
                    .into());
            }
        };
        let bytes = read(&path)?;
        Self::build(py, Vec::new(), logits, budgets, || {
            let mut ranks = VocabularyBuilder::new();
            ranks.tiktoken(&bytes)?;
            let found = ranks.build()?.len();
            if found != O200K_ORDINARY {
                return Err(Failure::new(
                    Kind::Malformed,
                    format!(
                        "{}: {found} tokens, where o200k has {O200K_ORDINARY}",
                        path.display()
                    ),
                ));
            }
            Ok(vocab::Vocabulary::o200k_harmony(&bytes)?)
        })
    }

    /// The same tokens for a model with so many logits, and the same budgets unless others are given.
    #[pyo3(signature = (logits, *, cache_bytes=None, constraint_bytes=None))]
    fn with_logits(
        &self,
        py: Python<'_>,
        logits: usize,
        cache_bytes: Option<usize>,
        constraint_bytes: Option<usize>,
    ) -> PyResult<Self> {
        let vocabulary = self.vocabulary().clone();
        let budgets = (
            cache_bytes.or(self.budgets.0),
            constraint_bytes.or(self.budgets.1),
        );
        Self::build(py, Vec::new(), Some(logits), budgets, || Ok(vocabulary))
    }

    /// The number of logits.
    fn __len__(&self) -> usize {
        self.vocabulary().len()
    }

    /// About how many bytes all constraints over it have now for their states and the masks of those.
    #[getter]
    fn constraint_bytes(&self) -> usize {
        self.engine.constraint_bytes()
    }

    /// The 32-bit words of a row.
    #[getter]
    fn mask_words(&self) -> usize {
        self.vocabulary().mask_words()
    }

    /// The tokens that end a generation.
    #[getter]
    fn end_tokens(&self) -> Vec<u32> {
        self.vocabulary()
            .end_tokens()
            .iter()
            .map(|token| token.get())
            .collect()
    }

    /// The control tokens by name.
    #[getter]
    fn specials<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let specials = PyDict::new(py);
        for (name, token) in self.vocabulary().specials() {
            specials.set_item(name, token.get())?;
        }
        Ok(specials)
    }

    /// The bytes of an ordinary token; `None` for any other id.
    fn token_bytes<'py>(&self, py: Python<'py>, token: u32) -> Option<Bound<'py, PyBytes>> {
        let bytes = self.vocabulary().bytes(TokenId::new(token))?;
        Some(PyBytes::new(py, bytes))
    }

    /// The text of these tokens, control tokens by name; what is no UTF-8 is replaced.
    fn decode(&self, tokens: Vec<u32>) -> String {
        let vocabulary = self.vocabulary();
        let mut bytes = Vec::new();
        for token in tokens.into_iter().map(TokenId::new) {
            match vocabulary.special_name(token) {
                Some(name) => bytes.extend_from_slice(name.as_bytes()),
                None => bytes.extend_from_slice(vocabulary.bytes(token).unwrap_or_default()),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The longest ordinary tokens that spell `text`, one after the other.
    fn longest_tokens(&self, text: &Bound<'_, PyAny>) -> PyResult<Vec<u32>> {
        let bytes = bytes_of(text)?;
        let tokens = self.vocabulary().longest_tokens(&bytes);
        Ok(tokens.into_iter().map(|token| token.get()).collect())
    }

    fn __repr__(&self) -> String {
        let vocabulary = self.vocabulary();
        format!(
            "<Vocabulary of {} tokens, {} special>",
            vocabulary.len(),
            vocabulary.specials().count()
        )
    }
}

/// The chat template in the metadata of a GGUF file, if it has one.
#[pyfunction]
pub(crate) fn chat_template_of_gguf(path: PathBuf) -> PyResult<Option<String>> {
    Ok(vocab::chat_template_of_gguf(&read(&path)?))
}

/// Bytes, or the UTF-8 of a text.
pub(crate) fn bytes_of(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    match value.cast::<PyString>() {
        Ok(text) => Ok(text.to_str()?.as_bytes().to_vec()),
        Err(_) => Ok(value.cast::<PyBytes>()?.as_bytes().to_vec()),
    }
}

/// The vocabulary of a rank file and of control tokens with their ids.
fn of_ranks(bytes: &[u8], specials: Vec<(String, u32)>) -> Result<vocab::Vocabulary, VocabError> {
    let mut builder = VocabularyBuilder::new();
    builder.tiktoken(bytes)?;
    for (name, id) in specials {
        builder.special(TokenId::new(id), &name)?;
    }
    builder.build()
}

fn read(path: &Path) -> PyResult<Vec<u8>> {
    std::fs::read(path).map_err(|error| {
        let error = std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        error.into()
    })
}
