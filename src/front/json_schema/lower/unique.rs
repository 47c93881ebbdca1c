//! Arrays no two of whose items are equal.

use std::sync::Arc;

use super::distinct::NumberReader;
use super::fresh::{FreshText, TextsInUse};
use super::lead::{Lead, Spaces};
use super::packed;
use super::tag;
use crate::base::RuleId;
use crate::grammar::{
    Call, Hints, ImplicitBody, KeyWriter, Node, Remembering, ReturnTo, Texts, Words,
};

/// An array of distinct items.
///
/// Positions are a [`Phase`], the number of items, which of the single values are among them, as
/// bits, and the texts among them.
#[derive(Debug)]
pub(super) struct UniqueBody {
    pub(super) lead: Lead,
    pub(super) whitespace: Spaces,
    pub(super) least: u32,
    /// `u32::MAX` for no bound. There are as many distinct items.
    pub(super) most: u32,
    /// Items that are known by their texts.
    pub(super) texts: Vec<UniqueText>,
    /// Items that are known by the texts that stand for them.
    pub(super) number: Option<UniqueNumber>,
    /// The rules of items that are single values.
    pub(super) values: Vec<RuleId>,
}

/// Items of one rule.
#[derive(Clone, Debug)]
pub(super) struct UniqueText {
    pub(super) fresh: Arc<FreshText>,
    /// The rule of `fresh`.
    pub(super) rule: RuleId,
}

/// Numbers of one rule.
#[derive(Clone, Debug)]
pub(super) struct UniqueNumber {
    pub(super) reader: Arc<NumberReader>,
    /// How many there are, if there is an end to them.
    pub(super) count: Option<u32>,
    /// The rule of `reader`.
    pub(super) rule: RuleId,
}

impl UniqueNumber {
    /// Whether there is a number besides those of `used`.
    fn has_left(&self, used: &Texts) -> bool {
        let is_told = self.count.is_some_and(|count| used.len() < count as usize);
        is_told || self.reader.has_left(used)
    }
}

/// Where in an array one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Phase {
    Start,
    /// After `[`.
    Open,
    /// After `,`.
    Comma,
    /// After an item.
    After,
    End,
}

impl Phase {
    const ALL: [Self; 5] = [Self::Start, Self::Open, Self::Comma, Self::After, Self::End];
}

/// A position, its words taken apart.
#[derive(Clone, Debug)]
struct At {
    phase: Phase,
    items: u32,
    values: Words,
    texts: Texts,
}

impl UniqueBody {
    fn words(&self, at: &At) -> Words {
        let mut words = Words::from_slice(&[at.phase as u32]);
        if !matches!(at.phase, Phase::Start | Phase::End) {
            words.push(at.items);
            words.extend_from_slice(&at.values);
            words.texts = at.texts.clone();
        }
        words
    }

    fn read(&self, words: &Words) -> At {
        let bits = self.values.len().div_ceil(32);
        let phase = Phase::ALL[Spaces::plain(words[0]) as usize];
        match &**words {
            [_, items, rest @ ..] => At {
                phase,
                items: *items,
                values: rest[..bits].into(),
                texts: words.texts.clone(),
            },
            _ => At {
                phase,
                items: 0,
                values: std::iter::repeat_n(0, bits).collect(),
                texts: Texts::default(),
            },
        }
    }

    fn is_free(at: &At, value: usize) -> bool {
        at.values[value / 32] >> (value % 32) & 1 == 0
    }

    fn may_go_on(&self, at: &At) -> bool {
        let value = |value| Self::is_free(at, value);
        let text = |text: &UniqueText| text.fresh.has_left(&at.texts);
        let number = |number: &UniqueNumber| number.has_left(&at.texts);
        at.items < self.most
            && ((0..self.values.len()).any(value)
                || self.texts.iter().any(text)
                || self.number.iter().any(number))
    }

    fn item(&self, at: &At, node: &mut Node<Words>) {
        if at.items >= self.most {
            return;
        }
        let mut after = at.clone();
        after.phase = Phase::After;
        after.items = match self.most {
            u32::MAX => (at.items + 1).min(self.least),
            _ => at.items + 1,
        };
        let texts = self.texts.iter();
        let texts = texts.filter(|text| text.fresh.has_left(&at.texts));
        let number = self.number.iter();
        let number = number.filter(|number| number.has_left(&at.texts));
        let rules = texts.map(|text| text.rule);
        for rule in rules.chain(number.map(|number| number.rule)) {
            node.calls.push(Call {
                rule,
                args: Words::of_texts(at.texts.clone()),
                to: ReturnTo::Ask(self.words(&after)),
            });
        }
        for (index, &rule) in self.values.iter().enumerate() {
            if Self::is_free(at, index) {
                let mut after = after.clone();
                after.values[index / 32] |= 1 << (index % 32);
                node.call(rule, self.words(&after));
            }
        }
    }
}

impl ImplicitBody for UniqueBody {
    fn start(&self, _args: &Words) -> Words {
        Words::from_slice(&[Phase::Start as u32])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let at = self.read(words);
        let passed = match at.phase {
            Phase::Open | Phase::Comma | Phase::After => self.whitespace.pass(node, words),
            Phase::Start | Phase::End => true,
        };
        let to = |phase| {
            self.words(&At {
                phase,
                ..at.clone()
            })
        };
        match at.phase {
            _ if !passed => {}
            Phase::Start => {
                self.lead.edges(node, words);
                node.byte(b'[', to(Phase::Open));
            }
            Phase::Open => {
                if self.least == 0 {
                    node.byte(b']', to(Phase::End));
                }
                self.item(&at, node);
            }
            Phase::Comma => self.item(&at, node),
            Phase::After => {
                if self.may_go_on(&at) {
                    node.byte(b',', to(Phase::Comma));
                }
                if at.items >= self.least {
                    node.byte(b']', to(Phase::End));
                }
            }
            Phase::End => node.end(),
        }
    }

    fn on_return(&self, site: &Words, callee: RuleId, exit: &[u32]) -> Option<Words> {
        let mut at = self.read(site);
        let is_number = (self.number.iter()).any(|number| number.rule == callee);
        let known_by = |text: Box<[u8]>| match is_number {
            true => NumberReader::known_by(&text),
            false => Some(text),
        };
        let read = packed::unpack(exit).into_iter().filter_map(known_by);
        at.texts = read.fold(at.texts, |texts, text| texts.with(&text));
        Some(self.words(&at))
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for UniqueBody {
    fn gist(&self, words: &Words) -> Option<Words> {
        Some(Words::from_slice(&[words[0], self.read(words).items]))
    }

    /// A token may mention a number that is in use by another spelling, so nothing is forgotten where there are numbers.
    fn remembering(&self) -> Option<&dyn Remembering> {
        match self.number {
            None => Some(self),
            Some(_) => None,
        }
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::UNIQUE);
        key.word(self.lead as u32);
        self.whitespace.describe(key);
        key.word(self.least);
        key.word(self.most);
        key.word(self.texts.len() as u32);
        self.texts.iter().for_each(|text| key.rule(text.rule));
        key.word(self.number.iter().len() as u32);
        (self.number.iter()).for_each(|number| key.rule(number.rule));
        self.values.iter().for_each(|&rule| key.rule(rule));
        true
    }
}

impl TextsInUse for UniqueBody {
    fn fresh(&self) -> impl Iterator<Item = &FreshText> {
        self.texts.iter().map(|text| &*text.fresh)
    }
}
