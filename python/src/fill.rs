//! `fill`: the masks of many sessions and of their drafts, in one call without the interpreter's lock.

use std::ops::Range;

use maskwright::base::TokenId;
use maskwright::batch::{Job, fill_masks};
use maskwright::session;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::bitmask::Bitmask;
use crate::error::Failure;
use crate::fork;
use crate::keywords::choice;
use crate::session::Session;

/// What a row holds that no text of the draft reaches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    Zero,
    Last,
    All,
}

/// What is asked for one session.
struct Asked {
    session: session::Session,
    /// The draft up to a token below zero, which is padding.
    draft: Vec<TokenId>,
    /// All its rows.
    rows: Range<usize>,
}

/// Fills the rows of many sessions, and says of each how many tokens of its draft may be accepted.
#[pyfunction]
#[pyo3(signature = (sessions, bitmask, *, drafts=None, rows=None, beyond="zero"))]
pub(crate) fn fill(
    py: Python<'_>,
    sessions: Vec<Bound<'_, Session>>,
    bitmask: &Bound<'_, PyAny>,
    drafts: Option<Vec<Vec<i64>>>,
    rows: Option<Vec<usize>>,
    beyond: &str,
) -> PyResult<Vec<usize>> {
    let known = [
        ("zero", Beyond::Zero),
        ("last", Beyond::Last),
        ("all", Beyond::All),
    ];
    let beyond = choice("beyond", beyond, &known)?;
    let own;
    let bitmask = match bitmask.cast::<Bitmask>() {
        Ok(bitmask) => bitmask.get(),
        Err(_) => {
            own = Bitmask::new(bitmask)?;
            &own
        }
    };
    let asked = asked(&sessions, drafts, rows, bitmask)?;
    let filled = py.detach(|| fill_rows(&asked, bitmask, beyond))?;
    let mut failures = Vec::new();
    let mut accepted = Vec::with_capacity(filled.len());
    for (index, result) in filled.into_iter().enumerate() {
        accepted.push(*result.as_ref().unwrap_or(&0));
        if let Err(error) = result {
            failures.push((index, Failure::from(error).raise(py)));
        }
    }
    match failures.is_empty() {
        true => Ok(accepted),
        false => Err(raise(py, failures, accepted)?),
    }
}

fn asked(
    sessions: &[Bound<'_, Session>],
    drafts: Option<Vec<Vec<i64>>>,
    rows: Option<Vec<usize>>,
    bitmask: &Bitmask,
) -> PyResult<Vec<Asked>> {
    let count = sessions.len();
    let lengths = [
        ("drafts", drafts.as_ref().map(Vec::len)),
        ("rows", rows.as_ref().map(Vec::len)),
    ];
    for (name, length) in lengths {
        if let Some(length) = length.filter(|&length| length != count) {
            let message =
                format!("`{name}` has {length} members, where there are {count} sessions");
            return Err(PyValueError::new_err(message));
        }
    }
    let mut next = 0;
    let mut asked = Vec::with_capacity(count);
    for (index, session) in sessions.iter().enumerate() {
        let session = session.get().snapshot();
        bitmask.check_words(session.constraint().vocabulary().mask_words())?;
        let tokens = drafts.as_ref().map_or(&[][..], |drafts| &drafts[index]);
        let first = rows.as_ref().map_or(next, |rows| rows[index]);
        next = first.saturating_add(tokens.len() + 1);
        if next > bitmask.memory().rows() {
            let rows = bitmask.memory().rows();
            let message = format!(
                "session {index} needs rows {first} to {}, of {rows}",
                next - 1
            );
            return Err(PyIndexError::new_err(message));
        }
        let draft = tokens.iter().map_while(|&token| u32::try_from(token).ok());
        asked.push(Asked {
            session,
            draft: draft.map(TokenId::new).collect(),
            rows: first..next,
        });
    }
    Ok(asked)
}

fn fill_rows(
    asked: &[Asked],
    bitmask: &Bitmask,
    beyond: Beyond,
) -> PyResult<Vec<Result<usize, session::SessionError>>> {
    let memory = bitmask.memory();
    let words = memory.columns();
    let ranges: Vec<_> = asked.iter().map(|one| one.rows.clone()).collect();
    let mut locked = memory.lock();
    let mut lent = locked.ranges(&ranges).ok_or_else(|| {
        PyValueError::new_err("rows overlap, or rows of a draft do not lie one after the other")
    })?;
    let jobs = asked.iter().zip(&mut lent);
    let mut jobs: Vec<_> = jobs
        .map(|(one, rows)| Job {
            session: &one.session,
            draft: &one.draft,
            rows: &mut rows[..(one.draft.len() + 1) * words],
        })
        .collect();
    fork::check(jobs.iter().map(|job| job.draft.len() + 1).sum())?;
    let results = fill_masks(&mut jobs);
    drop(jobs);
    for ((one, rows), result) in asked.iter().zip(lent).zip(&results) {
        let padding = (one.draft.len() + 1) * words;
        match result {
            Ok(accepted) => finish(&mut rows[..padding], *accepted, words, beyond),
            Err(_) => rows.fill(0),
        }
        if result.is_ok() {
            rows[padding..].fill(u32::MAX);
        }
    }
    Ok(results)
}

/// Writes the rows behind those that the draft's accepted tokens reach.
fn finish(rows: &mut [u32], accepted: usize, words: usize, beyond: Beyond) {
    // After an end token the row is zero, as no mask is: the row before it is the last.
    let reached = (accepted + 1) * words;
    let ended = rows[accepted * words..reached]
        .iter()
        .all(|&word| word == 0);
    let good = if ended { accepted * words } else { reached };
    match beyond {
        Beyond::Zero => {}
        Beyond::All => rows[good..].fill(u32::MAX),
        Beyond::Last => {
            let (before, after) = rows.split_at_mut(good);
            let last = &before[good - words..];
            after
                .chunks_exact_mut(words)
                .for_each(|row| row.copy_from_slice(last));
        }
    }
}

fn raise(py: Python<'_>, failures: Vec<(usize, PyErr)>, accepted: Vec<usize>) -> PyResult<PyErr> {
    let class = py.import("maskwright._errors")?.getattr("FillError")?;
    let fields = PyDict::new(py);
    let failures: Vec<_> = (failures.into_iter())
        .map(|(index, error)| (index, error.into_value(py)))
        .collect();
    fields.set_item("failures", failures)?;
    fields.set_item("accepted", accepted)?;
    Ok(PyErr::from_value(class.call((), Some(&fields))?))
}
