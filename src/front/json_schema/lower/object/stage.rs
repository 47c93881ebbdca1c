//! Objects as those see them who remember more of them than their bodies do.

use super::ObjectBody;
use super::position::Phase;
use crate::front::json_schema::shape::Progress;
use crate::front::json_schema::values::{Language, LanguageId};
use crate::grammar::Words;

/// What is read at a position, as far as those need to know who remember more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Before or after members.
    Between,
    /// After `,`.
    More,
    /// A key: of one of these slots, each with the progress once its key is read.
    Key(Vec<(u32, Progress)>),
    /// After the key of a slot, which the progress knows of.
    Slot(u32),
    /// After a key of no slot, of this class.
    Other(u32),
    End,
}

impl ObjectBody {
    /// What is read at a position, and the progress there.
    pub(crate) fn stage(&self, words: &Words) -> (Stage, Progress) {
        let at = self.read(words);
        let stage = match at.phase {
            Phase::Start | Phase::Open | Phase::After => Stage::Between,
            Phase::Comma => Stage::More,
            Phase::Key => {
                let keys = self.alike(&at).map(|key| self.known().keys[key as usize].1);
                let slots =
                    keys.filter_map(|slot| Some((slot, self.after_slot(&at.progress, slot)?)));
                Stage::Key(slots.collect())
            }
            Phase::Colon | Phase::Value => Stage::Slot(at.which),
            Phase::OtherColon | Phase::OtherValue => Stage::Other(at.which),
            Phase::End => Stage::End,
        };
        (stage, at.progress)
    }

    /// The progress of an object without members.
    pub(crate) fn nothing(&self) -> Progress {
        self.shape().start(self.order())
    }

    /// How many slots there are.
    pub(crate) fn slots(&self) -> usize {
        self.shape().slots.len()
    }

    pub(crate) fn slot_name(&self, slot: u32) -> &str {
        let name = self.shape().slots[slot as usize].name;
        self.plan.lowered.model.sets.name_text(name)
    }

    /// The slot of a key.
    pub(crate) fn slot(&self, key: &str) -> Option<u32> {
        (0..self.slots() as u32).find(|&slot| self.slot_name(slot) == key)
    }

    pub(crate) fn language(&self, language: LanguageId) -> &Language {
        self.plan.lowered.model.language(language)
    }
}
