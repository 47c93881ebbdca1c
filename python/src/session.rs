//! `Session`: one sequence under a constraint.

use std::sync::{Mutex, MutexGuard, PoisonError};

use maskwright::base::TokenId;
use maskwright::session::{self, SessionError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::bitmask::Bitmask;
use crate::error::Failure;
use crate::keywords::choice;

/// One sequence under a constraint: what was accepted so far. Threads may share it; calls wait for
/// one another.
#[pyclass(frozen, module = "maskwright")]
pub(crate) struct Session {
    inner: Mutex<session::Session>,
}

impl Session {
    pub(crate) fn new(session: session::Session) -> Self {
        Self {
            inner: Mutex::new(session),
        }
    }

    fn lock(&self) -> MutexGuard<'_, session::Session> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What it is now, to be used without the lock.
    pub(crate) fn snapshot(&self) -> session::Session {
        self.lock().fork()
    }
}

fn failed(error: SessionError) -> PyErr {
    Failure::from(error).into()
}

#[pymethods]
impl Session {
    /// Writes the tokens that may come next to a row of a `Bitmask`, or of an array.
    // PERF: it keeps the interpreter's lock, since to release and take it again costs about what a known mask does; `fill` of
    // many sessions releases it.
    #[pyo3(signature = (bitmask, row=0))]
    fn fill(&self, bitmask: &Bound<'_, PyAny>, row: usize) -> PyResult<()> {
        match bitmask.cast::<Bitmask>() {
            Ok(bitmask) => self.fill_row(bitmask.get(), row),
            Err(_) => self.fill_row(&Bitmask::new(bitmask)?, row),
        }
    }

    /// The tokens that may come next.
    fn allowed_tokens(&self) -> PyResult<Vec<usize>> {
        let session = self.lock();
        let mut row = vec![0u32; session.constraint().vocabulary().mask_words()];
        session.mask(&mut row).map_err(failed)?;
        let bits = row.iter().enumerate().flat_map(|(index, &word)| {
            (0..32usize)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| index * 32 + bit)
        });
        Ok(bits.collect())
    }

    /// Whether `token` may come next.
    fn allows(&self, token: u32) -> PyResult<bool> {
        self.lock().allows(TokenId::new(token)).map_err(failed)
    }

    /// Appends a token.
    fn accept(&self, token: u32) -> PyResult<()> {
        self.lock().accept(TokenId::new(token)).map_err(failed)
    }

    /// Appends tokens from the first on, up to one that is refused, and says how many were taken. What
    /// follows an end token is refused too, or, with `after_end="ignore"`, counted and otherwise ignored.
    #[pyo3(signature = (tokens, *, after_end="refuse"))]
    fn advance(&self, tokens: Vec<u32>, after_end: &str) -> PyResult<usize> {
        let ignore = choice(
            "after_end",
            after_end,
            &[("refuse", false), ("ignore", true)],
        )?;
        let mut session = self.lock();
        for (count, &token) in tokens.iter().enumerate() {
            if session.has_ended() && ignore {
                return Ok(tokens.len());
            }
            match session.accept(TokenId::new(token)) {
                Ok(()) => {}
                Err(SessionError::NotAllowed { .. } | SessionError::Ended) => return Ok(count),
                Err(error) => return Err(failed(error)),
            }
        }
        Ok(tokens.len())
    }

    /// How many of `tokens`, from the first, would be accepted. The session stays as it is.
    fn validate(&self, tokens: Vec<u32>) -> PyResult<usize> {
        let tokens: Vec<_> = tokens.into_iter().map(TokenId::new).collect();
        self.lock().validate(&tokens).map_err(failed)
    }

    /// Takes back the newest `count` tokens, end tokens included.
    #[pyo3(signature = (count=1))]
    fn rollback(&self, count: usize) -> PyResult<()> {
        self.lock().rollback(count).map_err(failed)
    }

    /// Goes back to the beginning.
    fn reset(&self) {
        self.lock().reset();
    }

    /// A copy that goes its own way. It costs constant time.
    fn copy(&self) -> Self {
        Self::new(self.snapshot())
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    /// Whether the text may end here, or has ended.
    #[getter]
    fn may_end(&self) -> bool {
        self.lock().may_end()
    }

    /// Whether only end tokens may follow, or one has.
    #[getter]
    fn is_finished(&self) -> bool {
        self.lock().is_finished()
    }

    /// Whether an end token was accepted: nothing may follow.
    #[getter]
    fn has_ended(&self) -> bool {
        self.lock().has_ended()
    }

    /// The tokens accepted so far.
    #[getter]
    fn tokens(&self) -> Vec<u32> {
        self.lock()
            .tokens()
            .into_iter()
            .map(|token| token.get())
            .collect()
    }

    fn __len__(&self) -> usize {
        self.lock().len()
    }

    /// The bytes that must come next, whatever the model would like.
    fn forced_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.lock().forced_bytes().map_err(failed)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The tokens that must come next, as the model would have written them: `tokenise` takes a text and
    /// gives its ids. Without it, the tokens that are alone in their masks. They are not accepted.
    #[pyo3(signature = (tokenise=None))]
    fn forced_tokens(&self, tokenise: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<u32>> {
        let session = self.snapshot();
        let Some(tokenise) = tokenise else {
            let forced = session.forced_tokens(None).map_err(failed)?;
            return Ok(forced.into_iter().map(|token| token.get()).collect());
        };
        let mut raised = None;
        let mut ask = |bytes: &[u8]| -> Vec<TokenId> {
            let asked = || -> PyResult<Vec<u32>> {
                let text = String::from_utf8_lossy(bytes);
                tokenise.call1((text,))?.extract()
            };
            match asked() {
                Ok(tokens) => tokens.into_iter().map(TokenId::new).collect(),
                Err(error) => {
                    raised.get_or_insert(error);
                    Vec::new()
                }
            }
        };
        let forced = session.forced_tokens(Some(&mut ask)).map_err(failed);
        match raised {
            Some(error) => Err(error),
            None => Ok(forced?.into_iter().map(|token| token.get()).collect()),
        }
    }

    /// Gives the text so many tokens to end in from here on, its end token included: masks leave out the tokens after which
    /// that could not be kept. `None` takes the deadline away.
    ///
    /// Fewer tokens than `tokens_needed` raise `InvalidArgumentError`.
    fn deadline(&self, tokens: Option<usize>) -> PyResult<()> {
        let mut session = self.lock();
        match tokens {
            Some(tokens) => session.deadline(tokens).map_err(failed),
            None => {
                session.clear_deadline();
                Ok(())
            }
        }
    }

    /// The least deadline that `deadline` takes: the tokens of a way to the end, its end token included.
    fn tokens_needed(&self) -> PyResult<usize> {
        self.lock().tokens_needed().map_err(failed)
    }

    /// How many tokens are left until the deadline; `None` where there is none.
    #[getter]
    fn tokens_left(&self) -> Option<usize> {
        self.lock().tokens_left()
    }

    /// Tokens that lead to where the text may end; none where it may end already.
    fn way_out(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        let session = self.snapshot();
        let way = py.detach(|| session.way_out()).map_err(failed)?;
        Ok(way.into_iter().map(|token| token.get()).collect())
    }

    fn __repr__(&self) -> String {
        let session = self.lock();
        let state = match (
            session.has_ended(),
            session.is_finished(),
            session.may_end(),
        ) {
            (true, ..) => "ended",
            (_, true, _) => "finished",
            (.., true) => "may end",
            _ => "open",
        };
        format!("<Session of {} tokens, {state}>", session.len())
    }
}

impl Session {
    fn fill_row(&self, bitmask: &Bitmask, row: usize) -> PyResult<()> {
        let session = self.lock();
        bitmask.check(row, session.constraint().vocabulary().mask_words())?;
        let mut memory = bitmask.memory().lock();
        session.mask(memory.words(row)).map_err(failed)
    }
}
