//! A way to the end, for a host whose budget is spent.

use super::{Session, SessionError};
use crate::base::TokenId;
use crate::machine::Step;

impl Session {
    /// Tokens that lead to where the text may end, all of them allowed; none where it may end already.
    /// The end token is not among them.
    ///
    /// They say as little as is allowed (the number 0, the string of no character), in the longest tokens
    /// that spell it. A host can spend its last tokens on them where the model would be cut off.
    ///
    /// Their bytes and control tokens are as few as can be, but for what is not looked through to the
    /// last: what was said before and must not come again (keys, items that must differ), rules with
    /// several ends (tools, told by their names), and values of which thousands of beginnings are to be
    /// tried (multiples of large numbers). There they are few and may not be the fewest.
    ///
    /// # Errors
    /// [`SessionError::Limit`], also where the end is more than 2^20 bytes away.
    pub fn way_out(&self) -> Result<Vec<TokenId>, SessionError> {
        if self.may_end() {
            return Ok(Vec::new());
        }
        let steps = self.with_room(|session| session.live.generation.way_out(session.state))?;
        let runs = steps.chunk_by(|a, b| matches!((a, b), (Step::Byte(_), Step::Byte(_))));
        Ok(runs.flat_map(|run| self.spelt(run)).collect())
    }

    /// The tokens of a run of bytes, or of a control token.
    fn spelt(&self, run: &[Step]) -> Vec<TokenId> {
        if let [Step::Control(control)] = *run {
            let binding = self.live.generation.binding();
            return binding.control(control).tokens().take(1).collect();
        }
        let bytes = run.iter().filter_map(|step| match *step {
            Step::Byte(byte) => Some(byte),
            Step::Control(_) => None,
        });
        let bytes: Vec<u8> = bytes.collect();
        let is_text = |token| !self.constraint.is_ordinary_end(token);
        let vocabulary = self.constraint.vocabulary();
        vocabulary.longest_tokens_of(&bytes, is_text)
    }
}
