//! What must come next, whatever the model would like.

use super::{Session, SessionError};
use crate::base::{ControlId, LimitError, TokenId};
use crate::machine::StateId;
use crate::vocab::row;

/// A host's tokeniser: the tokens that the model would have seen for these bytes.
pub type Tokenise<'a> = &'a mut dyn FnMut(&[u8]) -> Vec<TokenId>;

/// A forced run is cut after this many bytes; what is left is forced again afterwards.
const LONGEST: usize = 1 << 16;

/// Bytes that must come next.
struct Run {
    bytes: Vec<u8>,
    /// The state before each of them.
    states: Vec<StateId>,
    /// The state after them.
    end: StateId,
}

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
        let run = self.with_room(|session| session.forced_run(session.state))?;
        Ok(run.bytes)
    }

    /// The tokens that must come next, as the model would have written them. They are not
    /// accepted: the host does that when it has appended them.
    ///
    /// With a tokeniser, a forced run of bytes is tokenised, and only the tokens that it has
    /// whatever follows are given. Without one, only tokens that are alone in their mask are given.
    /// Tokens already accepted are never split anew.
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
            Some(tokenise) => self.with_room(|session| session.forced_by(&mut *tokenise)),
            None => self.forced_alone(),
        }
    }

    fn forced_by(&self, tokenise: Tokenise<'_>) -> Result<Vec<TokenId>, SessionError> {
        let mut tokens = Vec::new();
        let mut state = self.state;
        while tokens.len() < LONGEST {
            let run = self.forced_run(state)?;
            let settled = self.settled(&run, tokenise)?;
            let length = |&token: &TokenId| self.spelling(token).len();
            let whole = settled.iter().map(length).sum::<usize>() == run.bytes.len();
            tokens.extend(settled);
            let Some((token, control)) = self.forced_control(run.end).filter(|_| whole) else {
                break;
            };
            tokens.push(token);
            state = self.live.generation.advance_control(run.end, control)?;
        }
        tokens.truncate(self.validate(&tokens)?);
        Ok(tokens)
    }

    /// The tokens of `run` whatever follows it.
    ///
    /// However the text goes on, some token is the first that reaches beyond the run. What stands
    /// before a token is tokenised as if nothing followed, by merges of pairs and by likelihood
    /// alike. So all depends on where that token begins: at the end of the run, or wherever the
    /// mask has one that goes over the end. What is common to all these cases is settled.
    ///
    /// White space alone is cut by what follows it, and is left out where it ends the run.
    fn settled(&self, run: &Run, tokenise: Tokenise<'_>) -> Result<Vec<TokenId>, SessionError> {
        let text = whole_characters(&run.bytes);
        let mut settled = self.tokenised(text, tokenise);
        if settled.is_empty() {
            return Ok(settled);
        }
        let goes_on = text.len() < run.bytes.len() || self.has_bytes(run.end);
        let space = goes_on.then(|| text.trim_ascii_end().len());
        let mut row = row::empty(self.constraint.vocabulary().len());
        for at in (0..text.len()).rev() {
            if settled.is_empty() {
                break;
            }
            if space == Some(at) || self.may_grow(&text[at..], run.states[at], &mut row)? {
                let before = self.tokenised(&text[..at], tokenise);
                let common = settled.iter().zip(&before).take_while(|(a, b)| a == b);
                settled.truncate(common.count());
            }
        }
        Ok(settled)
    }

    /// Whether some token begins with `tail`, goes on, and may come in `state`.
    fn may_grow(&self, tail: &[u8], state: StateId, row: &mut [u32]) -> Result<bool, LimitError> {
        let trie = self.constraint.vocabulary().trie();
        let Some(node) = trie.find(tail) else {
            return Ok(false);
        };
        let longer = &trie.subtree_tokens(node)[trie.tokens(node).len()..];
        if longer.is_empty() {
            return Ok(false);
        }
        self.constraint.fill(&self.live, state, row)?;
        Ok(longer.iter().any(|&token| row::contains(row, token)))
    }

    /// The tokens of `text`; none where it is no whole characters, or the tokeniser's do not spell
    /// it.
    fn tokenised(&self, text: &[u8], tokenise: Tokenise<'_>) -> Vec<TokenId> {
        if text.is_empty() || whole_characters(text) != text {
            return Vec::new();
        }
        let tokens = tokenise(text);
        let left = tokens
            .iter()
            .try_fold(text, |left, &token| match self.spelling(token) {
                [] => None,
                spelling => left.strip_prefix(spelling),
            });
        match left {
            Some([]) => tokens,
            _ => Vec::new(),
        }
    }

    fn spelling(&self, token: TokenId) -> &[u8] {
        self.constraint
            .vocabulary()
            .bytes(token)
            .unwrap_or_default()
    }

    fn forced_alone(&self) -> Result<Vec<TokenId>, SessionError> {
        let mut session = self.clone();
        let mut row = vec![0; self.constraint.vocabulary().mask_words()];
        let mut tokens = Vec::new();
        while !session.has_ended() && !session.may_end() && tokens.len() < LONGEST {
            session.mask(&mut row)?;
            let mut allowed = row::tokens(&row);
            let (Some(token), None) = (allowed.next(), allowed.next()) else {
                break;
            };
            session.accept(token)?;
            tokens.push(token);
        }
        Ok(tokens)
    }

    fn forced_run(&self, state: StateId) -> Result<Run, LimitError> {
        let generation = &self.live.generation;
        let began = generation.cost();
        let mut run = Run {
            bytes: Vec::new(),
            states: Vec::new(),
            end: state,
        };
        while run.bytes.len() < LONGEST {
            let Some(byte) = self.forced_byte(run.end) else {
                break;
            };
            run.bytes.push(byte);
            run.states.push(run.end);
            run.end = generation.advance(run.end, byte)?;
            generation.check_answer(began)?;
        }
        Ok(run)
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

    /// Whether a byte may follow in `state`.
    fn has_bytes(&self, state: StateId) -> bool {
        let generation = &self.live.generation;
        let items = &generation.state(state).items;
        let mut nodes = items.iter().map(|item| generation.node(item.pos));
        nodes.any(|node| !node.edges.is_empty())
    }

    fn forced_control(&self, state: StateId) -> Option<(TokenId, ControlId)> {
        let generation = &self.live.generation;
        let known = generation.state(state);
        match (
            &known.controls[..],
            known.accepting || self.has_bytes(state),
        ) {
            (&[control], false) => {
                let token = generation.binding().control(control).sole()?;
                Some((token, control))
            }
            _ => None,
        }
    }
}

/// `bytes` up to the last end of a character.
fn whole_characters(bytes: &[u8]) -> &[u8] {
    let whole = std::str::from_utf8(bytes).map_or_else(|e| e.valid_up_to(), str::len);
    &bytes[..whole]
}
