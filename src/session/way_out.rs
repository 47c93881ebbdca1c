//! A way to the end, for a host whose budget is spent.

use super::{Session, SessionError};
use crate::base::TokenId;
use crate::machine::{ControlBinding, Step};

impl Session {
    /// Tokens that lead to where the text may end, all of them allowed; none where it may end already.
    /// The end token is not among them.
    ///
    /// They are bytes and control tokens as few as can be, in the longest tokens that spell them. Where
    /// the language remembers what was said, as JSON Schemas do with keys and with items that must
    /// differ, and where a rule has several ends, as tools have that are told by name, they are few and
    /// may not be the fewest.
    ///
    /// They say as little as is allowed: the number 0, the string of no character. A host can spend
    /// its last tokens on them where the model would be cut off.
    ///
    /// # Errors
    /// [`SessionError::Limit`].
    pub fn way_out(&self) -> Result<Vec<TokenId>, SessionError> {
        if self.may_end() {
            return Ok(Vec::new());
        }
        let steps = self.live.generation.way_out(self.state)?;
        let runs = steps.chunk_by(|a, b| matches!((a, b), (Step::Byte(_), Step::Byte(_))));
        Ok(runs.flat_map(|run| self.spelt(run)).collect())
    }

    /// The tokens of a run of bytes, or of a control token.
    fn spelt(&self, run: &[Step]) -> Vec<TokenId> {
        if let [Step::Control(control)] = *run {
            return match *self.live.generation.binding().control(control) {
                ControlBinding::Token(token) => vec![token],
                ControlBinding::Bytes => Vec::new(),
            };
        }
        let bytes = run.iter().filter_map(|step| match *step {
            Step::Byte(byte) => Some(byte),
            Step::Control(_) => None,
        });
        let bytes: Vec<u8> = bytes.collect();
        self.constraint.vocabulary().longest_tokens(&bytes)
    }
}
