//! What of its text stands before a session begins: the part of a turn that the prompt has.

use std::sync::Arc;

use super::recogniser::Recogniser;
use super::{Constraint, SessionError};
use crate::base::Part;

/// A beginning of a text, whatever tokens spell it.
#[derive(Clone, Debug, Default)]
pub(super) struct Lead(Arc<[OwnedPart]>);

#[derive(Clone, Debug)]
enum OwnedPart {
    Text(Box<[u8]>),
    Special(Box<str>),
}

impl<'a> FromIterator<Part<'a>> for Lead {
    fn from_iter<I: IntoIterator<Item = Part<'a>>>(parts: I) -> Self {
        let owned = parts.into_iter().map(|part| match part {
            Part::Text(bytes) => OwnedPart::Text(bytes.into()),
            Part::Special(name) => OwnedPart::Special(name.into()),
        });
        Self(owned.collect())
    }
}

impl Constraint {
    /// A reader of what follows `parts`, a beginning of the text, as [`Constraint::session_after`] has sessions.
    ///
    /// # Errors
    /// When no text begins so, or a limit is met.
    pub fn recogniser_after<'a>(
        &self,
        parts: impl IntoIterator<Item = Part<'a>>,
    ) -> Result<Recogniser, SessionError> {
        let lead: Lead = parts.into_iter().collect();
        lead.read(self.recogniser())
    }
}

impl Lead {
    /// The reader after it.
    pub(super) fn read(&self, mut recogniser: Recogniser) -> Result<Recogniser, SessionError> {
        for (part, owned) in self.0.iter().enumerate() {
            let read = match owned {
                OwnedPart::Special(name) => recogniser.control(name)?,
                OwnedPart::Text(bytes) => {
                    let mut read = true;
                    for &byte in bytes {
                        read = read && recogniser.byte(byte)?;
                    }
                    read
                }
            };
            if !read {
                return Err(SessionError::Lead { part });
            }
        }
        Ok(recogniser)
    }
}
