//! Constraints: `mw_constraint`, and what speaks against one.

use super::error::{MwError, guard, list, make};
use super::failure::Failure;
use super::pointer::{free, shared};
use super::request::{MwConstraintOptions, Request};
use super::vocabulary::MwVocabulary;
use maskwright::session::Constraint;

/// `mw_constraint`.
pub(super) struct MwConstraint(pub(super) Constraint);

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_check(
    vocabulary: *const MwVocabulary,
    options: *const MwConstraintOptions,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: the host's, here and in all functions of this interface.
    unsafe {
        guard(error, || {
            let request = Request::read(options)?;
            request.check_schemas()?;
            match vocabulary.is_null() {
                true => request.compile(None).map(drop),
                false => constrain(shared(vocabulary, "vocabulary")?, &request).map(drop),
            }
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_constraint_new(
    vocabulary: *const MwVocabulary,
    options: *const MwConstraintOptions,
    out: *mut *mut MwConstraint,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_check`.
    unsafe {
        make(out, error, || {
            let vocabulary = shared(vocabulary, "vocabulary")?;
            let constraint = constrain(vocabulary, &Request::read(options)?)?;
            Ok(MwConstraint(constraint))
        })
    }
}

fn constrain(vocabulary: &MwVocabulary, request: &Request<'_>) -> Result<Constraint, Failure> {
    let engine = &vocabulary.0;
    let grammar = request.compile(Some(engine.vocabulary()))?;
    Ok(engine.constraint(grammar, request.config())?)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_constraint_free(constraint: *mut MwConstraint) {
    // SAFETY: as in `mw_check`.
    unsafe { free(constraint) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_stop_tokens(
    constraint: *const MwConstraint,
    tokens: *mut u32,
    capacity: usize,
    count: *mut usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_check`.
    unsafe {
        list(tokens.cast(), capacity, count, error, || {
            Ok(shared(constraint, "constraint")?.0.stop_tokens())
        })
    }
}
