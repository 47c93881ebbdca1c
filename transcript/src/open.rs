//! A message whose body is still coming.

use super::message::{Channel, Intent, Role};

/// A message whose header has been read, and as much of its body as is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpenMessage<'p> {
    /// Which message of the transcript it will be, from 0.
    pub index: usize,
    /// Who speaks.
    pub role: Role,
    /// The channel as written.
    pub channel: Option<Channel>,
    /// `intent=`
    pub intent: Option<Intent>,
    /// `to=`
    pub recipient: Option<&'p str>,
    /// What is said so far: escapes undone, without thoughts, calls and framing. It only grows.
    pub said: &'p str,
}
