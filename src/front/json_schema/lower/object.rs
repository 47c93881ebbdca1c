//! Objects: declared properties in their order, others anywhere between.

use std::sync::{Arc, OnceLock};

use smallvec::smallvec;

use super::lead::Lead;
use super::lowered::Lowered;
use super::spelling::Forbidden;
use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::model::ObjectId;
use crate::front::json_schema::values::NameId;
use crate::grammar::{ImplicitBody, KeyWriter, Node, Words};

/// What is to know of an object set, worked out when it is first asked for.
#[derive(Debug)]
pub(super) struct Plan {
    lowered: Arc<Lowered>,
    object: ObjectId,
    known: OnceLock<Known>,
}

#[derive(Debug)]
struct Known {
    /// The properties that may occur, in order.
    entries: Vec<Entry>,
    /// Their keys as spelt, quotes included, ascending, each with its entry.
    keys: Vec<(Box<[u8]>, u32)>,
    /// The keys that additional properties must not have, as spelt, quotes included, ascending.
    names: Vec<Box<[u8]>>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    rule: RuleId,
    required: bool,
}

impl Plan {
    pub(super) fn new(lowered: Arc<Lowered>, object: ObjectId) -> Self {
        Self {
            lowered,
            object,
            known: OnceLock::new(),
        }
    }

    fn known(&self) -> &Known {
        self.known.get_or_init(|| self.work_out())
    }

    fn work_out(&self) -> Known {
        let model = &self.lowered.model;
        let object = model.object(self.object);
        let undeclared = object.required.iter().filter(|name| {
            object
                .properties
                .iter()
                .all(|property| property.name != **name)
        });
        let declared = object.properties.iter().map(|property| &property.name);
        let mut known = Known {
            entries: Vec::new(),
            keys: Vec::new(),
            names: Vec::new(),
        };
        let plain = Forbidden::new(&[]);
        for &name in declared.chain(undeclared) {
            let text = self.name(name);
            known.names.push(plain.spell(&text).into());
            let set = object.property(name);
            if model.inhabited(set) {
                let key = self.lowered.forbidden.spell(&text).into();
                known.keys.push((key, known.entries.len() as u32));
                known.entries.push(Entry {
                    rule: self.lowered.rule(set),
                    required: object.required.contains(&name),
                });
            }
        }
        known.keys.sort_unstable();
        known.names.sort_unstable();
        known
    }

    fn name(&self, name: NameId) -> std::borrow::Cow<'_, str> {
        let model = &self.lowered.model;
        let value = model.sets.names[name.index()];
        model.document.string(value).unwrap_or_default()
    }

    /// The keys that additional properties must not have, ascending.
    pub(super) fn names(&self) -> &[Box<[u8]>] {
        &self.known().names
    }

    /// Those names from the `first`-th on, counted from 1, that agree with it in `depth` bytes;
    /// none for 0.
    pub(super) fn agreeing(&self, first: usize, depth: usize) -> &[Box<[u8]>] {
        let Some(names) = first.checked_sub(1).map(|first| &self.names()[first..]) else {
            return &[];
        };
        let prefix = &names[0][..depth];
        let count = names
            .iter()
            .take_while(|name| name.starts_with(prefix))
            .count();
        &names[..count]
    }
}

/// An object.
///
/// Positions are a [`Phase`], the next property that may be declared, and inside a key the first
/// of the keys that agree with what is read, and how many bytes agree.
#[derive(Debug)]
pub(super) struct ObjectBody {
    pub(super) lead: Lead,
    pub(super) plan: Arc<Plan>,
    /// The rules of the key and the value of an additional property, where there may be any.
    pub(super) additional: Option<(RuleId, RuleId)>,
}

/// Where in an object one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Phase {
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

    fn at(self, next: u32) -> Words {
        smallvec![self as u32, next]
    }
}

impl ObjectBody {
    fn known(&self) -> &Known {
        self.plan.known()
    }

    /// One past the last property that may come next: none after the first required one.
    fn stop(&self, next: u32) -> u32 {
        let entries = &self.known().entries;
        let required = entries[next as usize..]
            .iter()
            .position(|entry| entry.required);
        required.map_or(entries.len(), |offset| next as usize + offset + 1) as u32
    }

    fn may_close(&self, next: u32) -> bool {
        self.known().entries[next as usize..]
            .iter()
            .all(|entry| !entry.required)
    }

    fn may_go_on(&self, next: u32) -> bool {
        self.additional.is_some() || (next as usize) < self.known().entries.len()
    }

    fn whitespace(&self, node: &mut Node<Words>, to: &Words) {
        self.plan.lowered.whitespace.edges(node, to);
    }

    /// A key: of a property that may come next, or an additional one.
    fn any_key(&self, next: u32, node: &mut Node<Words>) {
        let stop = self.stop(next);
        if next < stop {
            // All keys begin with the quote; which ones are left is said by `next` alone.
            let keys = &self.known().keys;
            let first = keys
                .iter()
                .position(|(_, entry)| (next..stop).contains(entry));
            let first = first.unwrap_or_default() as u32;
            node.byte(b'"', smallvec![Phase::Key as u32, next, first, 1]);
        }
        if let Some((key, _)) = self.additional {
            node.call(key, Phase::OtherColon.at(next));
        }
    }

    /// The keys that may come next and agree with the `first` one in `depth` bytes, by the byte
    /// that they go on with.
    fn key(&self, next: u32, first: u32, depth: usize, node: &mut Node<Words>) {
        let stop = self.stop(next);
        let keys = &self.known().keys[first as usize..];
        let prefix = &keys[0].0[..depth];
        let agreeing = keys
            .iter()
            .enumerate()
            .take_while(|(_, key)| key.0.starts_with(prefix));
        let mut left = agreeing
            .filter(|(_, key)| (next..stop).contains(&key.1))
            .peekable();
        while let Some((offset, (key, entry))) = left.next() {
            let byte = key[depth];
            let mut least = *entry;
            while let Some((_, (_, entry))) = left.next_if(|(_, other)| other.0[depth] == byte) {
                least = least.min(*entry);
            }
            let to = match key.len() == depth + 1 {
                true => Phase::Colon.at(*entry),
                false => {
                    smallvec![
                        Phase::Key as u32,
                        least,
                        first + offset as u32,
                        depth as u32 + 1
                    ]
                }
            };
            node.byte(byte, to);
        }
    }
}

impl ImplicitBody for ObjectBody {
    fn start(&self, _args: &[u32]) -> Words {
        Phase::Start.at(0)
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        let (phase, next) = (Phase::ALL[words[0] as usize], words[1]);
        let here: Words = words.into();
        match phase {
            Phase::Start => {
                self.lead.edges(node, &here);
                node.byte(b'{', Phase::Open.at(0));
            }
            Phase::Open => {
                self.whitespace(node, &here);
                if self.may_close(next) {
                    node.byte(b'}', Phase::End.at(0));
                }
                self.any_key(next, node);
            }
            Phase::Comma => {
                self.whitespace(node, &here);
                self.any_key(next, node);
            }
            Phase::Key => self.key(next, words[2], words[3] as usize, node),
            Phase::Colon => {
                self.whitespace(node, &here);
                node.byte(b':', Phase::Value.at(next));
            }
            Phase::Value => {
                let rule = self.known().entries[next as usize].rule;
                node.call(rule, Phase::After.at(next + 1));
            }
            Phase::OtherColon => {
                self.whitespace(node, &here);
                node.byte(b':', Phase::OtherValue.at(next));
            }
            Phase::OtherValue => {
                if let Some((_, value)) = self.additional {
                    node.call(value, Phase::After.at(next));
                }
            }
            Phase::After => {
                self.whitespace(node, &here);
                if self.may_go_on(next) {
                    node.byte(b',', Phase::Comma.at(next));
                }
                if self.may_close(next) {
                    node.byte(b'}', Phase::End.at(0));
                }
            }
            Phase::End => node.end(),
        }
    }

    fn callees(&self, visit: &mut dyn FnMut(RuleId)) {
        self.known()
            .entries
            .iter()
            .for_each(|entry| visit(entry.rule));
        if let Some((key, value)) = self.additional {
            visit(key);
            visit(value);
        }
    }

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        let known = self.known();
        key.word(tag::OBJECT);
        key.word(self.lead as u32);
        key.word(self.plan.lowered.whitespace as u32);
        key.word(known.keys.len() as u32);
        for (spelt, entry) in &known.keys {
            key.bytes(spelt);
            key.word(*entry);
        }
        for entry in &known.entries {
            key.word(u32::from(entry.required));
            key.rule(entry.rule);
        }
        key.word(u32::from(self.additional.is_some()));
        if let Some((other, value)) = self.additional {
            key.rule(other);
            key.rule(value);
        }
        true
    }
}
