//! JSON text to a document: a flat list of its values in order, each with its place.
//!
//! Numbers keep their spelling and objects their order, which a shared JSON library would not do for us alone.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::SchemaError;
use super::quoted::{plain_length, unescape};
use crate::base::{LimitError, Limits, Span, define_id};

define_id! {
    /// A value, or the key of a member, in a [`Document`].
    pub(crate) ValueId
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Null,
    False,
    True,
    Number,
    /// A string without escapes.
    PlainString,
    /// A string with escapes.
    EscapedString,
    Array,
    Object,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    kind: Kind,
    start: u32,
    end: u32,
    parent: u32,
    /// One past the last value below this one. The keys of an object stand before their values.
    next: u32,
}

impl Node {
    /// Where a string stands, less its quotes.
    fn within(&self) -> Range<usize> {
        self.start as usize + 1..self.end as usize - 1
    }
}

/// A JSON text, read, and further ones that it refers to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    /// All texts, one after another.
    text: String,
    nodes: Vec<Node>,
    /// The keys that may be ones by which schemas are named and referred to.
    special: Vec<ValueId>,
    /// The root and the URI of each further text.
    further: Vec<(ValueId, String)>,
    /// The keys of large objects, by name.
    sorted: FxHashMap<ValueId, Box<[ValueId]>>,
    /// What stands in strings that are JSON texts, where that was asked for.
    contents: FxHashMap<ValueId, ValueId>,
    /// The index of each element in its array, where that was asked for.
    indices: OnceLock<Box<[u32]>>,
}

/// What a byte of a text costs.
const STEPS_PER_BYTE: usize = 2;

/// Whether a text begins as JSON does.
fn may_be_json(text: &str) -> bool {
    let text = text.trim_start_matches([' ', '\t', '\n', '\r']);
    let first = text.bytes().next();
    first.is_some_and(|first| b"{[\"-tfn".contains(&first) || first.is_ascii_digit())
}

/// Objects of more members are looked up by their sorted keys, and elements behind so many by a table.
const LARGE: usize = 32;

impl Document {
    /// Reads `text`. In a box, since a document goes through many hands.
    pub(crate) fn read(text: &str, limits: &Limits) -> Result<Box<Self>, SchemaError> {
        let mut document = Box::<Self>::default();
        document.append(text, limits)?;
        Ok(document)
    }

    /// Reads a further text, which is known by `uri`, and gives its root.
    pub(crate) fn add(
        &mut self,
        uri: &str,
        text: &str,
        limits: &Limits,
    ) -> Result<ValueId, SchemaError> {
        let read = self.append(text, limits);
        let root = read.map_err(|error| SchemaError::Document {
            uri: uri.to_owned(),
            source: Box::new(error),
        })?;
        self.further.push((root, uri.to_owned()));
        Ok(root)
    }

    /// Reads what stands in the strings of `const` and `enum` that are JSON texts, and in the strings of these.
    pub(crate) fn read_contents(&mut self, limits: &Limits) -> Result<(), SchemaError> {
        let objects = (0..self.len()).map(ValueId::from_usize);
        let lists = objects.flat_map(|object| ["const", "enum"].map(|name| self.get(object, name)));
        let mut parts: Vec<ValueId> = lists.flatten().flat_map(|list| self.within(list)).collect();
        while let Some(value) = parts.pop() {
            let Some(text) = self.string(value).filter(|text| may_be_json(text)) else {
                continue;
            };
            let (text, special) = (text.into_owned(), self.special.len());
            match self.append(&text, limits) {
                Ok(root) => {
                    // Nobody refers to what stands there.
                    self.special.truncate(special);
                    self.contents.insert(value, root);
                    parts.extend(self.within(root));
                }
                Err(SchemaError::Json { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The JSON value that stands in a string, as far as [`Document::read_contents`] read it.
    pub(crate) fn content(&self, value: ValueId) -> Option<ValueId> {
        self.contents.get(&value).copied()
    }

    /// Reads a text behind the others; without effect if that fails.
    fn append(&mut self, text: &str, limits: &Limits) -> Result<ValueId, SchemaError> {
        let limit = |source| SchemaError::Limit {
            pointer: "#".to_owned(),
            source,
        };
        let start = self.text.len();
        let root = self.nodes.len();
        let allowed = limits.source_bytes.min(u32::MAX as usize - 1);
        LimitError::check("bytes of a JSON text", start + text.len(), allowed).map_err(limit)?;
        limits.charge(STEPS_PER_BYTE * text.len()).map_err(limit)?;
        self.text.push_str(text);
        self.indices.take();
        self.nodes.reserve(text.len() / 8 + 4);
        let mut reader = Reader {
            text: &self.text,
            at: start,
            nodes: std::mem::take(&mut self.nodes),
            special: std::mem::take(&mut self.special),
            sorted: std::mem::take(&mut self.sorted),
            depth: limits.depth,
        };
        reader.space();
        let read = reader.value(u32::MAX, 0);
        let ended = reader.at == reader.text.len();
        let read = read.and(
            ended
                .then_some(())
                .ok_or(Fault::Json("expected the end of the text")),
        );
        let at = reader.at - start;
        self.nodes = reader.nodes;
        self.special = reader.special;
        self.sorted = reader.sorted;
        match read {
            Ok(()) => Ok(ValueId::from_usize(root)),
            Err(fault) => {
                self.text.truncate(start);
                self.nodes.truncate(root);
                self.special.retain(|key| key.index() < root);
                self.sorted.retain(|object, _| object.index() < root);
                Err(match fault {
                    Fault::Json(reason) => SchemaError::Json {
                        reason,
                        span: Span::new(at, (at + 1).min(text.len().max(at))),
                    },
                    Fault::Limit(source) => limit(source),
                })
            }
        }
    }

    /// The root of the first text.
    pub(crate) fn root(&self) -> ValueId {
        ValueId::new(0)
    }

    /// The URI of the text that `value` stands in; none for the first.
    pub(crate) fn uri(&self, value: ValueId) -> Option<&str> {
        let later = self.further.partition_point(|&(root, _)| root <= value);
        let index = later.checked_sub(1)?;
        Some(&self.further[index].1)
    }

    /// The members of all objects, key and value, whose keys begin with `$`, are `id`, or have escapes.
    pub(crate) fn special_members(&self) -> impl Iterator<Item = (ValueId, ValueId)> + '_ {
        let keys = self.special.iter();
        keys.map(|&key| (key, ValueId::new(key.get() + 1)))
    }

    /// How many values and keys there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn kind(&self, value: ValueId) -> Kind {
        self.nodes[value.index()].kind
    }

    /// The value as it is spelt.
    pub(crate) fn raw(&self, value: ValueId) -> &str {
        let node = &self.nodes[value.index()];
        &self.text[node.start as usize..node.end as usize]
    }

    /// What a string means; `None` for other values.
    pub(crate) fn string(&self, value: ValueId) -> Option<Cow<'_, str>> {
        let node = &self.nodes[value.index()];
        match node.kind {
            Kind::PlainString => Some(Cow::Borrowed(&self.text[node.within()])),
            Kind::EscapedString => Some(Cow::Owned(unescape(&self.text[node.within()]))),
            _ => None,
        }
    }

    /// A value and all that stands in it, keys too.
    pub(crate) fn within(&self, value: ValueId) -> impl Iterator<Item = ValueId> + use<> {
        (value.index()..self.nodes[value.index()].next as usize).map(ValueId::from_usize)
    }

    /// The elements of an array; none for other values.
    pub(crate) fn elements(&self, value: ValueId) -> impl Iterator<Item = ValueId> + '_ {
        let end = match self.kind(value) {
            Kind::Array => self.nodes[value.index()].next,
            _ => 0,
        };
        let mut at = value.get() + 1;
        std::iter::from_fn(move || {
            let element = at;
            (element < end).then(|| {
                at = self.nodes[element as usize].next;
                ValueId::new(element)
            })
        })
    }

    /// The index of `element` in `array`.
    pub(crate) fn index_of(&self, array: ValueId, element: ValueId) -> usize {
        let mut near = self.elements(array).take(LARGE);
        let near = near.position(|other| other == element);
        near.unwrap_or_else(|| self.indices()[element.index()] as usize)
    }

    fn indices(&self) -> &[u32] {
        self.indices.get_or_init(|| {
            let mut all = vec![0; self.nodes.len()];
            let arrays = (0..all.len()).map(ValueId::from_usize);
            let elements = arrays.flat_map(|array| (0..).zip(self.elements(array)));
            elements.for_each(|(index, element)| all[element.index()] = index);
            all.into()
        })
    }

    /// The members of an object, key and value; none for other values.
    pub(crate) fn members(&self, value: ValueId) -> impl Iterator<Item = (ValueId, ValueId)> + '_ {
        let end = match self.kind(value) {
            Kind::Object => self.nodes[value.index()].next,
            _ => 0,
        };
        let mut at = value.get() + 1;
        std::iter::from_fn(move || {
            let key = at;
            (key < end).then(|| {
                at = self.nodes[key as usize + 1].next;
                (ValueId::new(key), ValueId::new(key + 1))
            })
        })
    }

    /// The member of an object with this name.
    pub(crate) fn get(&self, object: ValueId, name: &str) -> Option<ValueId> {
        if let Some(keys) = self.sorted.get(&object) {
            let named = |&key: &ValueId| self.string(key).as_deref().cmp(&Some(name));
            let at = keys.binary_search_by(named).ok()?;
            return Some(ValueId::new(keys[at].get() + 1));
        }
        self.members(object)
            .find(|&(key, _)| self.spells(key, name))
            .map(|(_, value)| value)
    }

    /// Whether `value` is a string that means `text`.
    fn spells(&self, value: ValueId, text: &str) -> bool {
        let node = &self.nodes[value.index()];
        match node.kind {
            Kind::PlainString => self.text.as_bytes()[node.within()] == *text.as_bytes(),
            _ => self.string(value).as_deref() == Some(text),
        }
    }

    /// The array or object around a value.
    pub(crate) fn parent(&self, value: ValueId) -> Option<ValueId> {
        let parent = self.nodes[value.index()].parent;
        (parent != u32::MAX).then(|| ValueId::new(parent))
    }

    /// The key of a value that is an object's member.
    pub(crate) fn key(&self, value: ValueId) -> Option<ValueId> {
        let parent = self.parent(value)?;
        (self.kind(parent) == Kind::Object).then(|| ValueId::new(value.get() - 1))
    }
}

enum Fault {
    Json(&'static str),
    Limit(LimitError),
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    nodes: Vec<Node>,
    special: Vec<ValueId>,
    sorted: FxHashMap<ValueId, Box<[ValueId]>>,
    depth: usize,
}

impl Reader<'_> {
    fn peek(&self) -> u8 {
        self.text.as_bytes().get(self.at).copied().unwrap_or(0)
    }

    fn space(&mut self) {
        while matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            self.at += 1;
        }
    }

    fn open(&mut self, kind: Kind, parent: u32) -> usize {
        let start = self.at as u32;
        self.nodes.push(Node {
            kind,
            start,
            end: start,
            parent,
            next: 0,
        });
        self.nodes.len() - 1
    }

    fn close(&mut self, node: usize) {
        self.nodes[node].end = self.at as u32;
        self.nodes[node].next = self.nodes.len() as u32;
    }

    /// A value and the white space after it.
    fn value(&mut self, parent: u32, depth: usize) -> Result<(), Fault> {
        LimitError::check("nesting of a JSON text", depth, self.depth).map_err(Fault::Limit)?;
        match self.peek() {
            b'{' => self.object(parent, depth)?,
            b'[' => self.array(parent, depth)?,
            b'"' => self.string(parent)?,
            b'n' => self.word(Kind::Null, "null", parent)?,
            b't' => self.word(Kind::True, "true", parent)?,
            b'f' => self.word(Kind::False, "false", parent)?,
            b'-' | b'0'..=b'9' => self.number(parent)?,
            _ => return Err(Fault::Json("expected a value")),
        }
        self.space();
        Ok(())
    }

    fn object(&mut self, parent: u32, depth: usize) -> Result<(), Fault> {
        let node = self.open(Kind::Object, parent);
        self.at += 1;
        self.space();
        if self.peek() != b'}' {
            loop {
                if self.peek() != b'"' {
                    return Err(Fault::Json("expected the name of a member, in quotes"));
                }
                self.key(node as u32)?;
                self.space();
                self.expect(b':', "expected `:`")?;
                self.space();
                self.value(node as u32, depth + 1)?;
                match self.peek() {
                    b',' => self.at += 1,
                    b'}' => break,
                    _ => return Err(Fault::Json("expected `,` or `}`")),
                }
                self.space();
            }
        }
        self.at += 1;
        self.close(node);
        self.distinct_keys(node)
    }

    fn key(&mut self, parent: u32) -> Result<(), Fault> {
        let (key, start) = (self.nodes.len(), self.at);
        self.string(parent)?;
        let raw = &self.text.as_bytes()[start..self.at];
        let escaped = self.nodes[key].kind == Kind::EscapedString;
        if raw[1] == b'$' || raw == br#""id""# || escaped {
            self.special.push(ValueId::from_usize(key));
        }
        Ok(())
    }

    fn array(&mut self, parent: u32, depth: usize) -> Result<(), Fault> {
        let node = self.open(Kind::Array, parent);
        self.at += 1;
        self.space();
        if self.peek() != b']' {
            loop {
                self.value(node as u32, depth + 1)?;
                match self.peek() {
                    b',' => self.at += 1,
                    b']' => break,
                    _ => return Err(Fault::Json("expected `,` or `]`")),
                }
                self.space();
            }
        }
        self.at += 1;
        self.close(node);
        Ok(())
    }

    fn expect(&mut self, byte: u8, reason: &'static str) -> Result<(), Fault> {
        if self.peek() != byte {
            return Err(Fault::Json(reason));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, kind: Kind, word: &str, parent: u32) -> Result<(), Fault> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Fault::Json("expected a value"));
        }
        let node = self.open(kind, parent);
        self.at += word.len();
        self.close(node);
        Ok(())
    }

    fn number(&mut self, parent: u32) -> Result<(), Fault> {
        let node = self.open(Kind::Number, parent);
        if self.peek() == b'-' {
            self.at += 1;
        }
        match self.peek() {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == b'.' {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            self.digits()?;
        }
        self.close(node);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Fault> {
        let start = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        match self.at == start {
            true => Err(Fault::Json("expected a digit")),
            false => Ok(()),
        }
    }

    fn string(&mut self, parent: u32) -> Result<(), Fault> {
        let node = self.open(Kind::PlainString, parent);
        self.at += 1;
        let bytes = self.text.as_bytes();
        loop {
            self.at += plain_length(&bytes[self.at..]);
            match bytes.get(self.at) {
                Some(b'"') => break,
                Some(b'\\') => {
                    self.nodes[node].kind = Kind::EscapedString;
                    self.escape()?;
                }
                Some(_) => return Err(Fault::Json("control characters in strings are escaped")),
                None => return Err(Fault::Json("the string does not end")),
            }
        }
        self.at += 1;
        self.close(node);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Fault> {
        self.at += 1;
        match self.peek() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.at += 1,
            b'u' => {
                let unit = self.unit()?;
                if (0xDC00..0xE000).contains(&unit) {
                    return Err(Fault::Json("a low surrogate stands alone"));
                }
                if (0xD800..0xDC00).contains(&unit) {
                    let alone = Fault::Json("a high surrogate stands alone");
                    if self.peek() != b'\\' || self.text.as_bytes().get(self.at + 1) != Some(&b'u')
                    {
                        return Err(alone);
                    }
                    self.at += 1;
                    if !(0xDC00..0xE000).contains(&self.unit()?) {
                        return Err(alone);
                    }
                }
            }
            _ => return Err(Fault::Json("there is no such escape")),
        }
        Ok(())
    }

    /// The four digits after `u`.
    fn unit(&mut self) -> Result<u32, Fault> {
        let digits = self.text.get(self.at + 1..self.at + 5);
        let digits = digits.filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
        let unit = unit.ok_or(Fault::Json("expected four hexadecimal digits"))?;
        self.at += 5;
        Ok(unit)
    }

    /// Refuses objects that name a member twice: which of them counts would be a guess.
    fn distinct_keys(&mut self, node: usize) -> Result<(), Fault> {
        let mut keys: SmallVec<[u32; 16]> = SmallVec::new();
        let mut at = node + 1;
        while at < self.nodes.len() {
            keys.push(at as u32);
            at = self.nodes[at + 1].next as usize;
        }
        let is_plain = |&key: &u32| self.nodes[key as usize].kind == Kind::PlainString;
        let within = |key: u32| self.nodes[key as usize].within();
        let raw = |key: u32| &self.text.as_bytes()[within(key)];
        let name = |key: u32| match is_plain(&key) {
            true => Cow::Borrowed(&self.text[within(key)]),
            false => Cow::Owned(unescape(&self.text[within(key)])),
        };
        let twice = match keys.len() {
            0..=8 if keys.iter().all(is_plain) => (1..keys.len()).find(|&i| {
                let own = raw(keys[i]);
                keys[..i].iter().any(|&other| raw(other) == own)
            }),
            _ => {
                keys.sort_by_cached_key(|&key| (name(key), key));
                (1..keys.len()).find(|&i| name(keys[i - 1]) == name(keys[i]))
            }
        };
        match twice {
            None => {
                if keys.len() > LARGE {
                    let keys = keys.iter().map(|&key| ValueId::new(key)).collect();
                    self.sorted.insert(ValueId::from_usize(node), keys);
                }
                Ok(())
            }
            Some(twice) => {
                self.at = self.nodes[keys[twice] as usize].start as usize;
                Err(Fault::Json("the object already has a member of this name"))
            }
        }
    }
}
