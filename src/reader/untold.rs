//! What was read of a turn and not told: should the turn break before more of it is told, it is content.

use super::places::Owner;

/// What was read since the last content, or since a call began that was not told of yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Untold {
    from: usize,
    bytes: Vec<u8>,
    since: Since,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Since {
    /// The last content, or the beginning of the turn: what only frames may yet turn out to be text.
    #[default]
    Content,
    /// The beginning of a call.
    Call,
    /// Something else, such as thoughts, whose end is none of the text.
    Other,
}

impl Untold {
    /// Takes more of the turn, `bytes` from place `start` on.
    pub(super) fn take(&mut self, owner: Owner, bytes: &[u8], start: usize) {
        match (self.since, owner) {
            (Since::Call, _) | (Since::Content, Owner::Framing) => {
                if self.bytes.is_empty() {
                    self.from = start;
                }
                self.bytes.extend_from_slice(bytes);
            }
            (_, Owner::Content) => self.begin(Since::Content, start),
            (Since::Content, _) => self.begin(Since::Other, start),
            (Since::Other, _) => {}
        }
    }

    /// A call begins at `at`. What frames it from the text before it is of it, but for control tokens.
    pub(super) fn enter_call(&mut self, at: usize, is_control: impl Fn(&str) -> bool) {
        match self.frame(is_control) {
            Some(_) => self.since = Since::Call,
            None => self.begin(Since::Call, at),
        }
    }

    /// A call was told of, or left.
    pub(super) fn leave_call(&mut self, at: usize) {
        self.begin(Since::Other, at);
    }

    /// What is not told, from where on, as the turn breaks; `is_control` says which texts have a control token.
    pub(super) fn broken(&mut self, is_control: impl Fn(&str) -> bool) -> Option<(usize, Vec<u8>)> {
        let is_told = match self.since {
            Since::Content => self.frame(is_control).is_none(),
            Since::Call => false,
            Since::Other => true,
        };
        let bytes = std::mem::take(&mut self.bytes);
        (!is_told).then_some((self.from, bytes))
    }

    /// What frames since the last content, where no control token is in it.
    fn frame(&self, is_control: impl Fn(&str) -> bool) -> Option<&[u8]> {
        let is_frame = self.since == Since::Content && !self.bytes.is_empty();
        let text = String::from_utf8_lossy(&self.bytes);
        (is_frame && !is_control(&text)).then_some(&self.bytes)
    }

    fn begin(&mut self, since: Since, from: usize) {
        self.bytes.clear();
        (self.since, self.from) = (since, from);
    }
}
