//! A way to the end, for a host whose budget is spent.

use std::sync::Arc;

use super::way::Way;
use super::{Session, SessionError};
use crate::base::{LimitError, TokenId};

impl Session {
    /// Tokens that lead to where the text may end, all of them allowed; none where it may end already.
    /// The end token is not among them.
    ///
    /// They say as little as is allowed (the number 0, the string of no character), in as few tokens as
    /// spell it. A host can spend its last tokens on them where the model would be cut off; under a
    /// [deadline](Session::deadline) the mask sees to that.
    ///
    /// Their bytes and control tokens are as few as can be, but for what is not looked through to the
    /// last: what was said before and must not come again (keys, items that must differ), rules with
    /// several ends (tools, told by their names), and values of which thousands of beginnings are to be
    /// tried. There they are few and may not be the fewest.
    ///
    /// # Errors
    /// [`SessionError::Limit`], also where the end is more than 2^20 bytes away.
    pub fn way_out(&self) -> Result<Vec<TokenId>, SessionError> {
        if self.may_end() {
            return Ok(Vec::new());
        }
        match self.reserved() {
            Some(reserved) => Ok(reserved.to_vec()),
            None => Ok(self.way()?.tokens.to_vec()),
        }
    }

    /// The way to the end that the state has, whatever was reserved.
    pub(super) fn way(&self) -> Result<Arc<Way>, LimitError> {
        self.with_room(|session| session.constraint.way(&session.live, session.state))
    }
}
