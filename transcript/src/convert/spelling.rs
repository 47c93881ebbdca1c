//! Names and ids that a header cannot hold, replaced (OpenChatML 2.2 §11).

use std::collections::{BTreeMap, BTreeSet};

use super::loss::{Losses, Lost};
use crate::calls::{is_id_char, is_visible};
use crate::format::Format;
use crate::message::Message;

/// The longest id.
const LONGEST_ID: usize = 64;

/// Writes names and ids as a header of the format can hold them.
pub(super) fn spell_headers(messages: &mut [Message], to: Format, losses: &mut Losses) {
    let mut ids = Ids::default();
    for (index, message) in messages.iter_mut().enumerate() {
        let is_token = message
            .name
            .as_ref()
            .is_some_and(|name| name.starts_with("<|"));
        let values = [message.name.take(), message.recipient.take()];
        let [name, recipient] = values.map(|value| value.map(|value| (spelt(&value, to), value)));
        let differs = |value: &Option<(String, String)>| {
            value.as_ref().is_some_and(|(spelt, value)| spelt != value)
        };
        if (differs(&name) && !is_token) || differs(&recipient) {
            losses.add(index, message, Lost::NameSpelling);
        }
        let kept = name.map(|(spelt, value)| if is_token { value } else { spelt });
        message.name = kept.filter(|name| !name.is_empty());
        message.recipient = recipient.map(|(spelt, _)| spelt);
        if let Some(id) = &message.call_id {
            let own = ids.spelt(id);
            if own != *id {
                losses.add(index, message, Lost::IdSpelling);
                message.call_id = Some(own);
            }
        }
    }
}

/// A name with `_` for what a header cannot hold: visible ASCII without `<`, in OpenChatML 0.1 any visible
/// letters. In Harmony, where who replies is a role, letters, digits, `_`, `-` and `.`.
fn spelt(name: &str, to: Format) -> String {
    let fits = |c: char| match to {
        Format::Harmony => is_id_char(c) || c == '.',
        Format::OpenChatMl01 => is_visible(c),
        _ => c.is_ascii_graphic() && c != '<',
    };
    name.chars()
        .map(|c| if fits(c) { c } else { '_' })
        .collect()
}

/// The ids of a conversation, as they are written.
#[derive(Default)]
struct Ids {
    own: BTreeMap<String, String>,
    taken: BTreeSet<String>,
}

impl Ids {
    fn spelt(&mut self, id: &str) -> String {
        if let Some(own) = self.own.get(id) {
            return own.clone();
        }
        let plain: String = id
            .chars()
            .map(|c| if is_id_char(c) { c } else { '_' })
            .take(LONGEST_ID)
            .collect();
        let plain = if plain.is_empty() {
            "call".to_owned()
        } else {
            plain
        };
        let mut own = plain.clone();
        let mut number = 2;
        while self.taken.contains(&own) {
            let suffix = format!("_{number}");
            own = plain
                .chars()
                .take(LONGEST_ID - suffix.len())
                .collect::<String>()
                + &suffix;
            number += 1;
        }
        self.taken.insert(own.clone());
        self.own.insert(id.to_owned(), own.clone());
        own
    }
}
