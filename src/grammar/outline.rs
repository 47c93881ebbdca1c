//! Outlines: what tokens can see of a position.
//!
//! Tokens are short. From a position in an object, say, hardly one reaches beyond the quote of the next key, so objects
//! with other names allow the same tokens there. An outline describes what is in sight, and leaves out the rest.

/// What separates what is listed.
pub const SEPARATOR: u8 = b',';
/// What closes whatever nests.
pub const CLOSERS: [u8; 2] = [b']', b'}'];

/// From where tokens see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Viewpoint {
    /// Anywhere.
    Any,
    /// Where a value begins, white space apart.
    Value,
    /// Before the colon in front of a value, white space apart.
    Colon,
    /// In a key, or where it begins.
    Key,
}

/// What the tokens of a vocabulary can see.
///
/// Keys and values are those of JSON (RFC 8259). What is `before` a key is the last byte before it in the same token that
/// is no white space, if there is one.
pub trait Sight {
    /// With how many bytes of `key`, at most, some token ends; `None` where one has all of it and more.
    fn seen(&self, before: Option<u8>, key: &[u8]) -> Option<usize>;

    /// Whether some token has a whole key, its colon and something of its value.
    fn passes_key(&self, before: Option<u8>) -> bool;

    /// Whether some token has all of `key` in it.
    fn has(&self, key: &[u8]) -> bool;

    /// Whether some token begins with all of `text`.
    fn spans(&self, text: &[u8]) -> bool;

    /// Whether some token has the end of a value and a separator behind it.
    fn separates(&self, from: Viewpoint) -> bool;

    /// Whether some token has the end of a value and `closer` behind it.
    fn closes(&self, from: Viewpoint, closer: u8) -> bool;

    /// How many bytes a token has at most.
    fn longest(&self) -> u32;
}

/// How far tokens can see from a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Horizon {
    /// There is no outline.
    Unknown,
    /// To the end of the rule at most.
    Within,
    /// Beyond its end, which is this closer.
    Closer(Viewpoint, u8),
    /// Beyond its end.
    Beyond(Viewpoint),
}
