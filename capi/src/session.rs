//! Sessions: `mw_session`.

use std::ffi::c_void;

use super::constraint::MwConstraint;
use super::error::{MwError, ask, guard, list, make};
use super::failure::Failure;
use super::pointer::{Out, exclusive, free, shared, slice};
use super::status::Status;
use maskwright::base::TokenId;
use maskwright::session::{Session, SessionError};

/// `mw_session`.
pub(super) struct MwSession(pub(super) Session);

/// `mw_tokenise`.
pub(super) type MwTokenise = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        bytes: *const u8,
        length: usize,
        tokens: *mut u32,
        capacity: usize,
    ) -> usize,
>;

/// The bits of `enum mw_session_state`.
const MAY_END: u32 = 1;
const FINISHED: u32 = 2;
const ENDED: u32 = 4;

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_new(
    constraint: *const MwConstraint,
    out: *mut *mut MwSession,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: the host's, here and in all functions of this interface.
    unsafe {
        make(out, error, || {
            Ok(MwSession(shared(constraint, "constraint")?.session()?))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_fork(
    session: *const MwSession,
    out: *mut *mut MwSession,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        make(out, error, || {
            Ok(MwSession(shared(session, "session")?.0.fork()))
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_free(session: *mut MwSession) {
    // SAFETY: as in `mw_session_new`.
    unsafe { free(session) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_reset(session: *mut MwSession, error: *mut *mut MwError) -> i32 {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        guard(error, || {
            exclusive(session, "session")?.0.reset();
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_state(session: *const MwSession) -> u32 {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        ask(session, 0, |MwSession(session)| {
            let bit = |holds: bool, bit| if holds { bit } else { 0 };
            bit(session.may_end(), MAY_END)
                | bit(session.is_finished(), FINISHED)
                | bit(session.has_ended(), ENDED)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_length(session: *const MwSession) -> usize {
    // SAFETY: as in `mw_session_new`.
    unsafe { ask(session, 0, |session| session.0.len()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_accept(
    session: *mut MwSession,
    tokens: *const u32,
    count: usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_session_new`; a `TokenId` is a `u32`.
    unsafe {
        guard(error, || {
            let session = exclusive(session, "session")?;
            let mut ahead = session.0.fork();
            for &token in slice(tokens.cast::<TokenId>(), count, "tokens")? {
                ahead.accept(token)?;
            }
            session.0 = ahead;
            Ok(())
        })
    }
}

/// The bits of `enum mw_accept_flags`.
const PART: u32 = 1;
const AFTER_END: u32 = 2;

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_accept_with(
    session: *mut MwSession,
    tokens: *const u32,
    count: usize,
    flags: u32,
    accepted: *mut usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_accept`.
    unsafe {
        guard(error, || {
            let session = exclusive(session, "session")?;
            let accepted = Out::new(accepted, "accepted")?;
            if flags & !(PART | AFTER_END) != 0 {
                let message = format!("`flags`: {flags} has bits that are not known");
                return Err(Failure::invalid(message));
            }
            let tokens = slice(tokens.cast::<TokenId>(), count, "tokens")?;
            let mut ahead = session.0.fork();
            let taken = accept_with(&mut ahead, tokens, flags)?;
            session.0 = ahead;
            accepted.write(taken);
            Ok(())
        })
    }
}

/// Appends tokens as the flags say, and gives how many were taken.
fn accept_with(ahead: &mut Session, tokens: &[TokenId], flags: u32) -> Result<usize, Failure> {
    for (taken, &token) in tokens.iter().enumerate() {
        if flags & AFTER_END != 0 && ahead.has_ended() {
            return Ok(tokens.len());
        }
        match ahead.accept(token) {
            Ok(()) => {}
            Err(SessionError::NotAllowed { .. } | SessionError::Ended) if flags & PART != 0 => {
                return Ok(taken);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(tokens.len())
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_validate(
    session: *const MwSession,
    tokens: *const u32,
    count: usize,
    accepted: *mut usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_accept`.
    unsafe {
        guard(error, || {
            let session = shared(session, "session")?;
            let tokens = slice(tokens.cast::<TokenId>(), count, "tokens")?;
            let accepted = Out::new(accepted, "accepted")?;
            accepted.write(session.0.validate(tokens)?);
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_allows(session: *const MwSession, token: u32) -> i32 {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        guard(std::ptr::null_mut(), || {
            let session = shared(session, "session")?;
            match session.0.allows(TokenId::new(token))? {
                true => Ok(()),
                false => Err(Failure::new(Status::NotAllowed, String::new())),
            }
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_rollback(
    session: *mut MwSession,
    count: usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        guard(error, || {
            Ok(exclusive(session, "session")?.0.rollback(count)?)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_forced_bytes(
    session: *const MwSession,
    bytes: *mut u8,
    capacity: usize,
    length: *mut usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        list(bytes, capacity, length, error, || {
            Ok(shared(session, "session")?.0.forced_bytes()?)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_forced_tokens(
    session: *const MwSession,
    tokenise: MwTokenise,
    context: *mut c_void,
    tokens: *mut u32,
    capacity: usize,
    count: *mut usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_accept`.
    unsafe {
        list(tokens.cast(), capacity, count, error, || {
            let session = &shared(session, "session")?.0;
            let Some(tokenise) = tokenise else {
                return Ok(session.forced_tokens(None)?);
            };
            let mut tokenise = |bytes: &[u8]| {
                tokenised(bytes, |bytes, tokens| {
                    let (from, to) = (bytes.as_ptr(), tokens.as_mut_ptr());
                    tokenise(context, from, bytes.len(), to, tokens.len())
                })
            };
            Ok(session.forced_tokens(Some(&mut tokenise))?)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_deadline(
    session: *mut MwSession,
    tokens: usize,
    needed: *mut usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        guard(error, || {
            let session = exclusive(session, "session")?;
            let set = session.0.deadline(tokens);
            if let Err(SessionError::Deadline { needed: least, .. }) = set
                && !needed.is_null()
            {
                Out::new(needed, "needed")?.write(least);
            }
            Ok(set?)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_clear_deadline(session: *mut MwSession) -> i32 {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        guard(std::ptr::null_mut(), || {
            exclusive(session, "session")?.0.clear_deadline();
            Ok(())
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_session_tokens_left(session: *const MwSession) -> usize {
    // SAFETY: as in `mw_session_new`.
    unsafe {
        ask(session, usize::MAX, |session| {
            session.0.tokens_left().unwrap_or(usize::MAX)
        })
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn mw_way_out(
    session: *const MwSession,
    tokens: *mut u32,
    capacity: usize,
    count: *mut usize,
    error: *mut *mut MwError,
) -> i32 {
    // SAFETY: as in `mw_accept`.
    unsafe {
        list(tokens.cast(), capacity, count, error, || {
            Ok(shared(session, "session")?.0.way_out()?)
        })
    }
}

/// Calls the host's tokeniser, a second time if there was not enough room. One that still wants more
/// has no answer.
fn tokenised(bytes: &[u8], ask: impl Fn(&[u8], &mut [u32]) -> usize) -> Vec<TokenId> {
    let mut tokens = vec![0; bytes.len()];
    let mut count = ask(bytes, &mut tokens);
    if count > tokens.len() {
        // A token has a byte at least, so such an answer spells something else; but it may be asked
        // what that is only within reason.
        tokens = vec![0; count.min(4 * bytes.len() + 64)];
        count = ask(bytes, &mut tokens);
    }
    match tokens.get(..count) {
        Some(tokens) => tokens.iter().map(|&token| TokenId::new(token)).collect(),
        None => Vec::new(),
    }
}
