//! ChatML.

use super::body::misplaced;
use super::dialect::Dialect;
use crate::message::Role;

/// Bodies are text, to the last line feed.
pub(super) const DIALECT: Dialect = Dialect {
    roles: &[
        ("system", Role::System),
        ("user", Role::User),
        ("assistant", Role::Assistant),
    ],
    frames_end: false,
    has_token_names: false,
    generates_names: false,
    is_sequence: false,
    admit: |_, token, span| Err(misplaced(token, span)),
    close: |_| Ok(Vec::new()),
};
