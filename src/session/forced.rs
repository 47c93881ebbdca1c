//! What must come next, whatever the model would like.

use super::{Session, SessionError};
use crate::base::{LimitError, TokenId};
use crate::machine::{ControlBinding, StateId};

/// A host's tokeniser: the tokens that the model would have seen for these bytes.
pub type Tokenise<'a> = &'a mut dyn FnMut(&[u8]) -> Vec<TokenId>;

/// A forced run is cut after this many bytes; what is left is forced again afterwards.
const LONGEST: usize = 1 << 16;

impl Session {
    /// The bytes that must come next. They stop at a branch, at a control token, and where the
    /// text may end.
    ///
    /// # Errors
    /// When a limit is met.
    pub fn forced_bytes(&self) -> Result<Vec<u8>, SessionError> {
        if self.has_ended() {
            return Ok(Vec::new());
        }
        Ok(self.forced_run(self.state)?.0)
    }

    /// The tokens that must come next, as the model would have written them. They are not
    /// accepted: the host does that when it has appended them.
    ///
    /// With a tokeniser, a forced run of bytes is tokenised, and only the tokens before the last
    /// boundary that the following text cannot move are given: the run's end where a control token
    /// follows, and otherwise the last place between a character that is no white space and a
    /// single space before another such, where no tokeniser in use joins text. Without one, only
    /// tokens that are alone in their mask are given. Tokens already accepted are never split
    /// anew.
    ///
    /// # Errors
    /// When a limit is met.
    pub fn forced_tokens(
        &self,
        tokenise: Option<Tokenise<'_>>,
    ) -> Result<Vec<TokenId>, SessionError> {
        if self.has_ended() {
            return Ok(Vec::new());
        }
        match tokenise {
            Some(tokenise) => self.forced_by(tokenise),
            None => self.forced_alone(),
        }
    }

    fn forced_by(&self, tokenise: Tokenise<'_>) -> Result<Vec<TokenId>, SessionError> {
        let mut tokens = Vec::new();
        let mut state = self.state;
        loop {
            let (bytes, end) = self.forced_run(state)?;
            let control = self.forced_control(end);
            let run = match bytes.is_empty() {
                true => Vec::new(),
                false => tokenise(&bytes),
            };
            let keep = match control {
                Some(_) => bytes.len(),
                None => last_boundary(&bytes),
            };
            let kept = self.within(&run, &bytes, keep);
            let whole = kept.len() == run.len();
            tokens.extend_from_slice(kept);
            let Some((token, control)) = control.filter(|_| whole) else {
                break;
            };
            tokens.push(token);
            state = self.live.generation.advance_control(end, control)?;
            if tokens.len() > LONGEST {
                break;
            }
        }
        tokens.truncate(self.validate(&tokens));
        Ok(tokens)
    }

    fn forced_alone(&self) -> Result<Vec<TokenId>, SessionError> {
        let mut session = self.clone();
        let mut row = vec![0; self.constraint.vocabulary().mask_words()];
        let mut tokens = Vec::new();
        while !session.has_ended() && !session.may_end() && tokens.len() < LONGEST {
            session.mask(&mut row)?;
            let mut allowed = crate::vocab::row::tokens(&row);
            let (Some(token), None) = (allowed.next(), allowed.next()) else {
                break;
            };
            session.accept(token)?;
            tokens.push(token);
        }
        Ok(tokens)
    }

    /// The bytes forced from `state`, and the state after them.
    fn forced_run(&self, mut state: StateId) -> Result<(Vec<u8>, StateId), LimitError> {
        let mut bytes = Vec::new();
        while bytes.len() < LONGEST {
            let Some(byte) = self.forced_byte(state) else {
                break;
            };
            state = self.live.generation.advance(state, byte)?;
            bytes.push(byte);
        }
        Ok((bytes, state))
    }

    fn forced_byte(&self, state: StateId) -> Option<u8> {
        let generation = &self.live.generation;
        let known = generation.state(state);
        if known.accepting || !known.controls.is_empty() {
            return None;
        }
        let mut edges = known
            .items
            .iter()
            .flat_map(|item| &generation.node(item.pos).edges);
        let first = edges.next()?;
        let alone = first.lo == first.hi && edges.all(|e| e.lo == first.lo && e.hi == first.lo);
        alone.then_some(first.lo)
    }

    fn forced_control(&self, state: StateId) -> Option<(TokenId, crate::base::ControlId)> {
        let generation = &self.live.generation;
        let known = generation.state(state);
        let bytes = known
            .items
            .iter()
            .any(|item| !generation.node(item.pos).edges.is_empty());
        match (&known.controls[..], known.accepting || bytes) {
            (&[control], false) => match *generation.binding().control(control) {
                ControlBinding::Token(token) => Some((token, control)),
                ControlBinding::Bytes => None,
            },
            _ => None,
        }
    }

    /// The leading tokens of `run` that lie within the first `keep` of `bytes`; none where the run
    /// does not spell the bytes.
    fn within<'r>(&self, run: &'r [TokenId], bytes: &[u8], keep: usize) -> &'r [TokenId] {
        let vocabulary = self.constraint.vocabulary();
        let mut done = 0;
        let mut kept = 0;
        for (index, &token) in run.iter().enumerate() {
            let spelling = vocabulary.bytes(token).unwrap_or_default();
            if spelling.is_empty() || !bytes[done..].starts_with(spelling) {
                return &run[..0];
            }
            done += spelling.len();
            if done == keep || (done < keep && keep == bytes.len()) {
                kept = index + 1;
            }
        }
        &run[..kept]
    }
}

/// The last place in `bytes` where text is never joined, whatever follows; 0 where there is none.
fn last_boundary(bytes: &[u8]) -> usize {
    let solid = |byte: u8| !byte.is_ascii_whitespace() && byte.is_ascii();
    (1..bytes.len().saturating_sub(1))
        .rev()
        .find(|&at| bytes[at] == b' ' && solid(bytes[at - 1]) && solid(bytes[at + 1]))
        .unwrap_or(0)
}
