//! Mask rows: filled, one or many, and applied to logits.

use std::ffi::c_void;

use super::error::{MwError, guard};
use super::failure::Failure;
use super::fork;
use super::pointer::{shared, slice, slice_mut};
use super::session::MwSession;
use super::status::Status;
use maskwright::base::TokenId;
use maskwright::batch::{Bf16, F16, Job, apply_mask, fill_masks};
use maskwright::session::SessionError;

/// `mw_mask_job`.
#[repr(C)]
pub(super) struct MwMaskJob {
    session: *const MwSession,
    draft: *const u32,
    draft_length: usize,
    rows: *mut u32,
    accepted: usize,
    status: i32,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_fill_mask(
    session: *const MwSession,
    row: *mut u32,
    words: usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: the host's, here and in all functions of this interface.
    unsafe {
        let status = guard(error, || {
            if row.is_null() {
                return Err(Failure::null("row"));
            }
            let row = slice_mut(row, words, "row")?;
            Ok(shared(session, "session")?.0.mask(row)?)
        });
        if status != Status::Ok.code() {
            zero(row, words);
        }
        status
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_fill_masks(
    jobs: *mut MwMaskJob,
    count: usize,
    words: usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_fill_mask`.
    unsafe { mw_fill_masks_with(jobs, count, words, Beyond::Zero as i32, error) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_fill_masks_with(
    jobs: *mut MwMaskJob,
    count: usize,
    words: usize,
    beyond: i32,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_fill_mask`.
    unsafe {
        let mut at_fault = true;
        let status = guard(error, || {
            let beyond = Beyond::of(beyond)?;
            let given = slice_mut(jobs, count, "jobs")?;
            check_rows(given, words)?;
            let mut jobs = Vec::with_capacity(given.len());
            for job in given.iter() {
                jobs.push(job.read(words)?);
            }
            fork::check(jobs.iter().map(|job| job.draft.len() + 1).sum())?;
            let results = fill_masks(&mut jobs);
            for (job, result) in jobs.iter_mut().zip(&results) {
                if let Ok(accepted) = result {
                    beyond.fill(job.rows, words, *accepted);
                }
            }
            at_fault = false;
            report(given, results)
        });
        if at_fault {
            zero_all(jobs, count, words);
        }
        status
    }
}

/// What the rows hold that no token of the draft leads to: `enum mw_beyond`.
#[derive(Clone, Copy)]
enum Beyond {
    Zero = 0,
    Last = 1,
    Ones = 2,
}

impl Beyond {
    fn of(number: i32) -> Result<Self, Failure> {
        Ok(match number {
            0 => Self::Zero,
            1 => Self::Last,
            2 => Self::Ones,
            unknown => {
                let message = format!("`beyond`: {unknown} is no value of it");
                return Err(Failure::invalid(message));
            }
        })
    }

    /// Fills those rows, of which the draft has `accepted` tokens that may be accepted.
    fn fill(self, rows: &mut [u32], words: usize, accepted: usize) {
        let last = accepted * words;
        // A mask is never empty, so there is none here only behind an end token.
        let ended = rows[last..last + words].iter().all(|&word| word == 0);
        let reached = if ended { last } else { last + words };
        match self {
            Self::Zero => {}
            Self::Ones => rows[reached..].fill(u32::MAX),
            Self::Last => {
                let (masks, beyond) = rows.split_at_mut(reached);
                let last = &masks[masks.len().saturating_sub(words)..];
                for row in beyond.chunks_exact_mut(words) {
                    row.copy_from_slice(last);
                }
            }
        }
    }
}

impl MwMaskJob {
    /// # Safety
    /// The host's: what the job points to can be read, and its rows written by nobody else.
    unsafe fn read<'a>(&self, words: usize) -> Result<Job<'a>, Failure> {
        // SAFETY: as above.
        unsafe {
            let session = &shared(self.session, "jobs.session")?.0;
            let needed = session.constraint().vocabulary().mask_words();
            if words != needed {
                return Err(Failure::invalid(format!(
                    "rows of {words} words, where the vocabulary needs {needed}"
                )));
            }
            Ok(Job {
                session,
                draft: slice(
                    self.draft.cast::<TokenId>(),
                    self.draft_length,
                    "jobs.draft",
                )?,
                rows: slice_mut(self.rows, self.row_words(words)?, "jobs.rows")?,
            })
        }
    }

    /// The words of all rows of the job.
    fn row_words(&self, words: usize) -> Result<usize, Failure> {
        let rows = self.draft_length.checked_add(1);
        let needed = rows.and_then(|rows| rows.checked_mul(words));
        needed
            .filter(|&needed| needed <= isize::MAX as usize / size_of::<u32>())
            .ok_or_else(|| Failure::invalid("`jobs.rows` is beyond the address space"))
    }
}

/// Tells each job what it came to. The first failure is that of the call.
fn report(
    jobs: &mut [MwMaskJob],
    results: Vec<Result<usize, SessionError>>,
) -> Result<(), Failure> {
    let mut first = None;
    for (index, (job, result)) in jobs.iter_mut().zip(results).enumerate() {
        match result.map_err(Failure::from) {
            Ok(accepted) => {
                job.accepted = accepted;
                job.status = Status::Ok.code();
            }
            Err(failure) => {
                job.status = failure.status().code();
                first.get_or_insert(failure.about(&format!("jobs[{index}]")));
            }
        }
    }
    first.map_or(Ok(()), Err)
}

/// Whether there are rows everywhere, and they do not overlap.
fn check_rows(jobs: &[MwMaskJob], words: usize) -> Result<(), Failure> {
    let mut ranges = Vec::with_capacity(jobs.len());
    for job in jobs {
        if job.rows.is_null() {
            return Err(Failure::null("jobs.rows"));
        }
        let bytes = job.row_words(words)? * size_of::<u32>();
        ranges.push((job.rows.addr(), bytes));
    }
    ranges.sort_unstable();
    let apart = |pair: &[(usize, usize)]| pair[1].0 - pair[0].0 >= pair[0].1;
    match ranges.windows(2).all(apart) {
        true => Ok(()),
        false => Err(Failure::invalid("`jobs.rows` of two jobs overlap")),
    }
}

/// Zeroes the rows of all jobs, as far as there are any. They may overlap.
///
/// # Safety
/// The host's: where they are not NULL, the jobs can be read and their rows written.
unsafe fn zero_all(jobs: *const MwMaskJob, count: usize, words: usize) {
    // SAFETY: as above.
    let Ok(jobs) = (unsafe { slice(jobs, count, "jobs") }) else {
        return;
    };
    for job in jobs {
        if let Ok(words) = job.row_words(words) {
            // SAFETY: as above.
            unsafe { zero(job.rows, words) };
        }
    }
}

/// # Safety
/// The host's: unless NULL, `row` has `words` words.
unsafe fn zero(row: *mut u32, words: usize) {
    // SAFETY: as above.
    if let Ok(row) = unsafe { slice_mut(row, words, "row") } {
        row.fill(0);
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_apply_mask(
    row: *const u32,
    words: usize,
    logits: *mut c_void,
    count: usize,
    r#type: i32,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_fill_mask`; any bits are a number of these types.
    unsafe {
        guard(error, || {
            let row = slice(row, words, "row")?;
            // `enum mw_logit_type`.
            match r#type {
                0 => apply_mask(row, slice_mut(logits.cast::<f32>(), count, "logits")?),
                1 => apply_mask(row, slice_mut(logits.cast::<F16>(), count, "logits")?),
                2 => apply_mask(row, slice_mut(logits.cast::<Bf16>(), count, "logits")?),
                unknown => {
                    let message = format!("`type`: {unknown} is no type of logits");
                    return Err(Failure::invalid(message));
                }
            }
            Ok(())
        })
    }
}
