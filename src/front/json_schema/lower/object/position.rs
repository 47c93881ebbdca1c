//! Positions within an object, and their words.

use crate::front::json_schema::config::PropertyOrder;
use crate::front::json_schema::lower::lead::Spaces;
use crate::front::json_schema::shape::{Hits, ObjectShape, Progress};
use crate::grammar::{Texts, Words};

/// Where in an object one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Phase {
    Start,
    /// After `{`.
    Open,
    /// After `,`.
    Comma,
    /// Inside the key of a declared property.
    Key,
    /// After a declared key.
    Colon,
    /// Before a declared value.
    Value,
    /// After an additional key.
    OtherColon,
    /// Before an additional value.
    OtherValue,
    /// After a value.
    After,
    End,
}

impl Phase {
    const ALL: [Self; 10] = [
        Self::Start,
        Self::Open,
        Self::Comma,
        Self::Key,
        Self::Colon,
        Self::Value,
        Self::OtherColon,
        Self::OtherValue,
        Self::After,
        Self::End,
    ];
}

/// A position, its words taken apart.
#[derive(Clone, Debug)]
pub(crate) struct At {
    pub(crate) phase: Phase,
    /// In a key: the first of the keys that agree with what is read. After it: its slot or class.
    pub(crate) which: u32,
    /// In a key: how many bytes agree.
    pub(crate) depth: u32,
    pub(crate) progress: Progress,
    /// The keys of no slot so far.
    pub(crate) keys: Texts,
}

impl At {
    /// After a value.
    pub(crate) fn after(&self, progress: Progress) -> Self {
        Self {
            phase: Phase::After,
            which: 0,
            depth: 0,
            progress,
            keys: self.keys.clone(),
        }
    }

    /// After the key of `slot`.
    pub(super) fn colon(&self, slot: u32, progress: Progress) -> Self {
        Self {
            phase: Phase::Colon,
            which: slot,
            depth: 0,
            progress,
            keys: self.keys.clone(),
        }
    }

    pub(super) fn then(&self, phase: Phase) -> Self {
        Self {
            phase,
            ..self.clone()
        }
    }

    /// The words of this position; [`Self::read`] takes them apart.
    pub(super) fn words(&self, shape: &ObjectShape, order: PropertyOrder) -> Words {
        let mut words = Words::new();
        words.push(self.phase as u32);
        if matches!(self.phase, Phase::Start | Phase::End) {
            return words;
        }
        words.extend([self.which, self.depth]);
        let progress = &self.progress;
        if order == PropertyOrder::Declared {
            words.push(progress.next);
        }
        if !shape.is_plain() {
            words.push(progress.count);
            words.extend(progress.met.words());
        }
        words.extend_from_slice(&progress.seen);
        words.extend_from_slice(&progress.left);
        words.texts = self.keys.clone();
        words
    }

    pub(super) fn read(
        words: &[u32],
        texts: &Texts,
        shape: &ObjectShape,
        order: PropertyOrder,
    ) -> Self {
        let phase = Phase::ALL[Spaces::plain(words[0]) as usize];
        let mut progress = shape.start(order);
        let Some(&[which, depth, ref rest @ ..]) = words.get(1..).filter(|rest| rest.len() > 1)
        else {
            return Self {
                phase,
                which: 0,
                depth: 0,
                progress,
                keys: Texts::default(),
            };
        };
        let mut rest = rest;
        let mut next = || {
            let (&word, left) = rest.split_first().unwrap_or((&0, &[]));
            rest = left;
            word
        };
        if order == PropertyOrder::Declared {
            progress.next = next();
        }
        if !shape.is_plain() {
            progress.count = next();
            progress.met = Hits::of_words([next(), next()]);
        }
        let (seen, left) = (progress.seen.iter_mut(), progress.left.iter_mut());
        seen.chain(left).for_each(|word| *word = next());
        Self {
            phase,
            which,
            depth,
            progress,
            keys: texts.clone(),
        }
    }
}
