//! The masks of many sessions at once, and of the rows of speculative drafts.

use rayon::prelude::*;

use crate::base::TokenId;
use crate::session::{Session, SessionError};

/// From this many rows on, a batch goes to the pool. Rayon's is started by the first that does, and a child of `fork()` has
/// none of its threads: a batch would wait there for ever.
// PERF: `cargo bench --no-default-features --features batch --bench batch`, 2 cores on which two spins are 1.94 times as fast as
// one, one by one and in the pool. Masks that are known: 64 rows 56 and 52 µs, 256 rows 321 and 215 µs, 1,024 rows 1.4 and 0.8 ms.
// Masks of constraints just made, which stand in the caches of the core that made them: 64 rows 1.2 and 1.6 ms, 256 rows 7.4 and
// 6.7 ms, 1,024 rows 34 and 22 ms. Two cores gain from here on; more should gain earlier.
pub(super) const PARALLEL_ROWS: usize = 256;
/// The fewest rows of one draft that a thread takes.
const ROWS_PER_TASK: usize = 8;

/// The rows to fill for one session.
#[derive(Debug)]
pub struct Job<'a> {
    /// The session, which stays as it is.
    pub session: &'a Session,
    /// Tokens that may be appended, as a draft model has guessed them.
    pub draft: &'a [TokenId],
    /// A row for the place before each token of the draft, and one after the last:
    /// `(draft.len() + 1) * mask_words` words.
    pub rows: &'a mut [u32],
}

/// Fills the rows of all jobs, and says of each how many tokens of its draft may be accepted.
///
/// The first row of a job is [`Session::mask`], each other that of the session after one more token
/// of the draft. Rows after a token that is refused, after an end token, and after the last one before a deadline, are zero. Large
/// batches are filled in parallel.
///
/// # Errors
/// Per job: [`SessionError::RowLength`] where the rows are not as many words as needed,
/// [`SessionError::Ended`] where the session has ended, [`SessionError::Limit`]. Its rows are then
/// all zero.
pub fn fill_masks(jobs: &mut [Job<'_>]) -> Vec<Result<usize, SessionError>> {
    let rows: usize = jobs.iter().map(|job| job.draft.len() + 1).sum();
    if rows < PARALLEL_ROWS {
        jobs.iter_mut().map(|job| job.fill(Threads::This)).collect()
    } else {
        jobs.par_iter_mut()
            .map(|job| job.fill(Threads::Pool))
            .collect()
    }
}

/// Which threads fill the rows of a job.
#[derive(Clone, Copy)]
enum Threads {
    This,
    Pool,
}

impl Job<'_> {
    fn fill(&mut self, threads: Threads) -> Result<usize, SessionError> {
        let filled = self.try_fill(threads);
        if filled.is_err() {
            self.rows.fill(0);
        }
        filled
    }

    fn try_fill(&mut self, threads: Threads) -> Result<usize, SessionError> {
        let words = self.session.constraint().vocabulary().mask_words();
        let needed = words * (self.draft.len() + 1);
        if self.rows.len() != needed {
            let given = self.rows.len();
            return Err(SessionError::RowLength { given, needed });
        }
        let (places, accepted) = self.places()?;
        let (reached, beyond) = self.rows.split_at_mut(words * places.len());
        beyond.fill(0);
        match threads {
            Threads::This => places
                .iter()
                .zip(reached.chunks_exact_mut(words))
                .try_for_each(|(place, row)| place.mask(row))?,
            Threads::Pool => places
                .par_iter()
                .zip(reached.par_chunks_exact_mut(words))
                .with_min_len(ROWS_PER_TASK)
                .try_for_each(|(place, row)| place.mask(row))?,
        }
        Ok(accepted)
    }

    /// The session at each place of the draft that can be reached and has a mask, and the number of
    /// tokens that may be accepted.
    fn places(&self) -> Result<(Vec<Session>, usize), SessionError> {
        let mut session = self.session.fork();
        let mut places = vec![session.fork()];
        for (accepted, &token) in self.draft.iter().enumerate() {
            match session.accept(token) {
                Ok(()) if session.has_ended() || session.tokens_left() == Some(0) => {
                    return Ok((places, accepted + 1));
                }
                Ok(()) => places.push(session.fork()),
                Err(SessionError::NotAllowed { .. } | SessionError::Ended) => {
                    return Ok((places, accepted));
                }
                Err(error) => return Err(error),
            }
        }
        Ok((places, self.draft.len()))
    }
}
