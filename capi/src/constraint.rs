//! Constraints: `mw_constraint`, and what speaks against one.

use super::constraint_options::MwConstraintOptions;
use super::error::{MwError, guard, list, make};
use super::failure::Failure;
use super::lead::OwnedLead;
use super::panic::quiet;
use super::pointer::{free, shared};
use super::request::Request;
use super::text::MwText;
use super::vocabulary::MwVocabulary;
use maskwright::front::lark::is_lark;
use maskwright::session::{Constraint, Session};

/// `mw_constraint`.
///
/// Beside the constraint is what stands before each session.
pub(super) struct MwConstraint(Constraint, Option<OwnedLead>);

impl MwConstraint {
    /// A session at its beginning.
    pub(super) fn session(&self) -> Result<Session, Failure> {
        match &self.1 {
            None => Ok(self.0.session()),
            Some(lead) => lead.session(&self.0),
        }
    }
}

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
            constrain(vocabulary, &Request::read(options)?)
        })
    }
}

fn constrain(vocabulary: &MwVocabulary, request: &Request<'_>) -> Result<MwConstraint, Failure> {
    let engine = &vocabulary.0;
    let (grammar, lead) = request.compile(Some(vocabulary))?;
    let constraint = engine.constraint(grammar, request.config())?;
    let made = MwConstraint(constraint, lead.owned());
    // What no text begins with is refused now, not by the first session.
    if made.1.is_some() {
        made.session()?;
    }
    Ok(made)
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

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_unspelt_bytes(
    constraint: *const MwConstraint,
    bytes: *mut u8,
    capacity: usize,
    count: *mut usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_check`.
    unsafe {
        list(bytes, capacity, count, error, || {
            let unspelt = shared(constraint, "constraint")?.0.unspelt_bytes();
            Ok((0..=u8::MAX)
                .filter(|&byte| unspelt.contains(byte))
                .collect::<Vec<u8>>())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_is_lark(grammar: MwText) -> i32 {
    // SAFETY: as in `mw_check`.
    quiet(0, || match unsafe { grammar.read("grammar") } {
        Ok(Some(grammar)) => i32::from(is_lark(grammar)),
        _ => 0,
    })
}
