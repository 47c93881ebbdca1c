//! Walking the trie with the machine.

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::base::{ByteSet, LimitError, TokenId};
use crate::machine::{Generation, Item, StateId};
use crate::vocab::{NodeId, Spaces, Trie, Vocabulary};

/// Walks the whole trie from `state`; calls `alive` with every node where the machine is alive.
///
/// This is the definition, and nothing is remembered but what the machine remembers.
pub(super) fn plainly(
    generation: &Generation,
    trie: &Trie,
    state: StateId,
    mut alive: impl FnMut(NodeId),
) -> Result<(), LimitError> {
    let nodes = trie.nodes();
    let mut path: Vec<StateId> = vec![state];
    let mut index = 1;
    while index < trie.node_count() {
        let entry = nodes[index];
        path.truncate(entry.depth());
        let to = generation.advance(path[path.len() - 1], entry.byte())?;
        if to == StateId::DEAD {
            index = entry.end();
            continue;
        }
        alive(NodeId::from_index(index));
        path.push(to);
        index += 1;
    }
    Ok(())
}

/// Where a walk is.
///
/// As long as one item only moves within its body, the item says it all: a position is only
/// handed out if its rule can end from there, and no state need be made. Where a rule ends or calls
/// another, the machine takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Item(Item),
    State(StateId),
    /// Somewhere from where something can be read, and nothing else is asked.
    Onward,
}

/// What must be known where a walk ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The place.
    Place,
    /// Where something can be read, nothing else: it is [`Place::Onward`] unless more is known.
    Survival,
}

/// A place, the bytes that do not die there, and where each byte leads, once it was asked often
/// enough.
struct Stop<'a> {
    place: Place,
    live: ByteSet,
    asked: u32,
    row: Option<Box<[u32; 256]>>,
    /// The text that alone leads on from here, if there is one, and the item behind it.
    literal: Option<(&'a [u8], Item)>,
}

impl<'a> Stop<'a> {
    fn new(place: Place, live: ByteSet) -> Self {
        Self {
            place,
            live,
            asked: 0,
            row: None,
            literal: None,
        }
    }

    /// A place that goes by the edges of its items.
    fn of_edges(generation: &Generation, place: Place) -> Self {
        let live = match place {
            Place::Item(item) => generation.expand(item.pos).own_bytes(),
            Place::State(state) => *generation.state(state).live(),
            Place::Onward => ByteSet::EMPTY,
        };
        Self::new(place, live)
    }

    /// The place of an item that a literal leads on from.
    fn of_literal(generation: &'a Generation, item: Item) -> Option<Self> {
        let (text, pos) = generation.literal(item.pos)?;
        let live = ByteSet::range(text[0], text[0]);
        (text.len() <= LONGEST_LITERAL).then(|| Self {
            literal: Some((text, Item { pos, ..item })),
            ..Self::new(Place::Item(item), live)
        })
    }
}

/// From this many questions on, a place gets a row.
const OFTEN: u32 = 12;
const UNKNOWN: u32 = u32::MAX;
/// Numbers from here on are of places within literals.
const LITERAL: u32 = 1 << 31;
/// How many bits of such a number say how much of the literal was read.
const READ_BITS: u32 = 8;
/// Longer ones are walked byte by byte.
const LONGEST_LITERAL: usize = (1 << READ_BITS) - 1;
/// Where there are more places, the numbers have no room for more literals.
const MOST_WITH_LITERALS: usize = 1 << (31 - READ_BITS);

/// The places of a walk, numbered as they are met. Where each byte leads from those that recur is
/// kept in a row, so that a node of a trie costs one look-up.
///
/// Places within a literal are not kept: their numbers are made of the number of the place where it
/// begins, and how many bytes of it were read.
pub(super) struct Places<'a> {
    generation: &'a Generation,
    stops: Vec<Stop<'a>>,
    numbers: FxHashMap<Place, u32>,
    /// Room for the places on the way to a node of the trie.
    path: Vec<u32>,
}

impl<'a> Places<'a> {
    /// The number of the dead place.
    pub(super) const DEAD: u32 = 0;
    /// The number of the place where the walk begins.
    pub(super) const START: u32 = 1;
    /// The number of any place from where something can be read, where the walk ends.
    const ONWARD: u32 = u32::MAX;

    /// A walk that begins at `start`; an item there goes by its own edges only.
    pub(super) fn new(generation: &'a Generation, start: Place) -> Self {
        let literal = match start {
            Place::Item(item) => Stop::of_literal(generation, item),
            Place::State(_) | Place::Onward => None,
        };
        let dead = Stop::new(Place::State(StateId::DEAD), ByteSet::EMPTY);
        let start = literal.unwrap_or_else(|| Stop::of_edges(generation, start));
        let mut stops = Vec::with_capacity(32);
        stops.extend([dead, start]);
        Self {
            generation,
            stops,
            numbers: FxHashMap::with_capacity_and_hasher(48, FxBuildHasher),
            path: Vec::with_capacity(32),
        }
    }

    pub(super) fn place(&self, number: u32) -> Place {
        match number < LITERAL {
            true => self.stops[number as usize].place,
            false => Place::Onward,
        }
    }

    /// The number of the place that `byte` leads to.
    #[inline]
    pub(super) fn next(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        self.read(from, byte, Wanted::Place)
    }

    /// The same for the last byte of a walk.
    #[inline]
    pub(super) fn last(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        self.read(from, byte, Wanted::Survival)
    }

    #[inline]
    fn read(&mut self, from: u32, byte: u8, wanted: Wanted) -> Result<u32, LimitError> {
        let Some(stop) = self.stops.get(from as usize) else {
            return self.read_on(from, byte);
        };
        if !stop.live.contains(byte) {
            return Ok(Self::DEAD);
        }
        if let Some(row) = &stop.row {
            let to = row[usize::from(byte)];
            if to != UNKNOWN {
                return Ok(to);
            }
        }
        self.discover(from, byte, wanted)
    }

    /// The number of the place after `text`; [`Self::DEAD`] where the walk does not survive it.
    pub(super) fn run(&mut self, text: &[u8]) -> Result<u32, LimitError> {
        let mut at = Self::START;
        for &byte in text {
            at = self.next(at, byte)?;
            if at == Self::DEAD {
                break;
            }
        }
        Ok(at)
    }

    /// Whether the walk survives `text`.
    pub(super) fn survives(&mut self, text: &[u8]) -> Result<bool, LimitError> {
        let Some((&last, text)) = text.split_last() else {
            return Ok(true);
        };
        let at = self.run(text)?;
        Ok(self.last(at, last)? != Self::DEAD)
    }

    /// Where `byte` leads from within a literal.
    fn read_on(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        let read = (from & ((1 << READ_BITS) - 1)) as usize;
        let stop = &self.stops[((from & !LITERAL) >> READ_BITS) as usize];
        match stop.literal {
            Some((text, behind)) if text[read] == byte => match read + 1 == text.len() {
                true => self.arrive(behind, |generation| {
                    generation.enter(behind.pos, behind.origin)
                }),
                false => Ok(from + 1),
            },
            _ => Ok(Self::DEAD),
        }
    }

    /// The place that every one of `bytes` leads to from the start, and from itself.
    fn behind_all(&mut self, bytes: &ByteSet) -> Result<Option<u32>, LimitError> {
        let mut behind = None;
        for byte in bytes.iter() {
            let to = self.next(Self::START, byte)?;
            if to == Self::DEAD || *behind.get_or_insert(to) != to || self.next(to, byte)? != to {
                return Ok(None);
            }
        }
        Ok(behind)
    }

    /// The bytes that do not die at a place, or at most a few more.
    fn live(&self, number: u32) -> ByteSet {
        match self.stops.get(number as usize) {
            Some(stop) => stop.live,
            None => ByteSet::ALL,
        }
    }

    fn discover(&mut self, from: u32, byte: u8, wanted: Wanted) -> Result<u32, LimitError> {
        let stop = &mut self.stops[from as usize];
        if let Some((text, _)) = stop.literal {
            debug_assert_eq!(text[0], byte);
            return self.read_on(LITERAL | from << READ_BITS, byte);
        }
        stop.asked += 1;
        let (place, is_often) = (stop.place, stop.asked >= OFTEN);
        if wanted == Wanted::Survival && !is_often && self.reads_on(place, byte) {
            return Ok(Self::ONWARD);
        }
        let to = match place {
            Place::State(state) => self.step_state(state, byte)?,
            Place::Item(item) => self.step_item(item, byte)?,
            Place::Onward => Self::DEAD,
        };
        if is_often {
            let stop = &mut self.stops[from as usize];
            let row = stop.row.get_or_insert_with(|| Box::new([UNKNOWN; 256]));
            row[usize::from(byte)] = to;
        }
        Ok(to)
    }

    /// Whether something can be read after `byte`, if the positions that it leads to tell.
    fn reads_on(&self, place: Place, byte: u8) -> bool {
        let generation = self.generation;
        let goes_on = |to: Item| !generation.expand(to.pos).edges.is_empty();
        match place {
            Place::Item(item) => self.targets(&[item], byte).any(goes_on),
            Place::State(state) if generation.known(state, byte).is_none() => {
                let items = &generation.state(state).items;
                self.targets(items, byte).any(goes_on)
            }
            Place::State(_) | Place::Onward => false,
        }
    }

    fn step_state(&mut self, state: StateId, byte: u8) -> Result<u32, LimitError> {
        let generation = self.generation;
        // The machine remembers what leads from a state to a state.
        let advance = || generation.advance(state, byte);
        if let Some(known) = generation.known(state, byte) {
            return Ok(self.number(Place::State(known)));
        }
        match self.step(&generation.state(state).items, byte) {
            Step::One(to) => self.arrive(to, |_| advance()),
            Step::None | Step::Several => Ok(self.number(Place::State(advance()?))),
        }
    }

    fn step_item(&mut self, item: Item, byte: u8) -> Result<u32, LimitError> {
        let generation = self.generation;
        match self.step(&[item], byte) {
            Step::None => Ok(Self::DEAD),
            Step::One(to) => self.arrive(to, |_| generation.enter(to.pos, to.origin)),
            Step::Several => Ok(self.number(Place::State(generation.step(&[item], byte)?))),
        }
    }

    /// Where `byte` leads from some items.
    fn targets(&self, items: &[Item], byte: u8) -> impl Iterator<Item = Item> {
        items.iter().flat_map(move |item| {
            let node = self.generation.expand(item.pos);
            let matching = node.edges.iter();
            let matching = matching.filter(move |edge| edge.lo <= byte && byte <= edge.hi);
            matching.map(move |edge| Item {
                pos: self.generation.target(item.pos, edge.to, byte),
                origin: item.origin,
            })
        })
    }

    fn step(&self, items: &[Item], byte: u8) -> Step {
        let mut targets = self.targets(items, byte);
        match (targets.next(), targets.next()) {
            (None, _) => Step::None,
            (Some(to), None) => Step::One(to),
            (Some(_), Some(_)) => Step::Several,
        }
    }

    /// The number of the place of one item, or of its `state` where more than a step within the
    /// body can happen.
    fn arrive(
        &mut self,
        item: Item,
        state: impl FnOnce(&Generation) -> Result<StateId, LimitError>,
    ) -> Result<u32, LimitError> {
        let generation = self.generation;
        let place = Place::Item(item);
        if let Some(&known) = self.numbers.get(&place) {
            return Ok(known);
        }
        let has_room = self.stops.len() < MOST_WITH_LITERALS;
        let literal = has_room.then(|| Stop::of_literal(generation, item));
        if let Some(stop) = literal.flatten() {
            self.stops.push(stop);
            let number = self.stops.len() as u32 - 1;
            self.numbers.insert(place, number);
            return Ok(number);
        }
        match generation.expand(item.pos).stays() {
            true => Ok(self.number(place)),
            false => {
                let number = self.number(Place::State(state(generation)?));
                self.numbers.insert(place, number);
                Ok(number)
            }
        }
    }

    fn number(&mut self, place: Place) -> u32 {
        if place == Place::State(StateId::DEAD) {
            return Self::DEAD;
        }
        let next = self.stops.len() as u32;
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.stops.push(Stop::of_edges(self.generation, place));
        }
        number
    }
}

/// Where a byte leads.
enum Step {
    None,
    One(Item),
    Several,
}

/// Whether a walk goes on below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    Walk,
    Skip,
}

/// Walks the trie from the own edges of `item`, whose place `places` begin with: calls `alive` with
/// every node where the walk is alive, in pre-order, and its place there.
pub(super) fn from_item(
    places: &mut Places<'_>,
    (trie, wanted): (&Trie, Wanted),
    item: Item,
    mut alive: impl FnMut(&mut Places<'_>, NodeId, u32) -> Result<Below, LimitError>,
) -> Result<(), LimitError> {
    for byte in places.generation.expand(item.pos).own_bytes().iter() {
        if let Some(node) = trie.child(NodeId::ROOT, byte) {
            below(places, (trie, wanted), (Places::START, node), &mut alive)?;
        }
    }
    Ok(())
}

/// The tokens that the own edges of `item`, whose place `places` begin with, lead through.
pub(super) fn tokens_of_item(
    places: &mut Places<'_>,
    vocabulary: &Vocabulary,
    item: Item,
    mut allow: impl FnMut(&[TokenId]),
) -> Result<(), LimitError> {
    let (trie, spaces) = (vocabulary.trie(), vocabulary.spaces());
    let over = (trie, Wanted::Survival);
    let white = Spaces::bytes();
    let mut own = places.generation.expand(item.pos).own_bytes();
    let behind = places.behind_all(&white)?;
    if behind.is_some() {
        allow(spaces.tokens());
        own = own.without(&white);
    }
    let mut alive = |_: &mut Places<'_>, node, _| {
        allow(trie.tokens(node));
        Ok(Below::Walk)
    };
    if let Some(behind) = behind {
        for byte in places.live(behind).without(&white).iter() {
            for &node in spaces.behind(byte) {
                below(places, over, (behind, node), &mut alive)?;
            }
        }
    }
    for byte in own.iter() {
        if let Some(node) = trie.child(NodeId::ROOT, byte) {
            below(places, over, (Places::START, node), &mut alive)?;
        }
    }
    Ok(())
}

/// Walks what lies from `node` on, whose parent `at` is the place of.
fn below(
    places: &mut Places<'_>,
    (trie, wanted): (&Trie, Wanted),
    (at, node): (u32, NodeId),
    alive: &mut impl FnMut(&mut Places<'_>, NodeId, u32) -> Result<Below, LimitError>,
) -> Result<(), LimitError> {
    let nodes = trie.nodes();
    let mut index = node.index();
    let (top, end) = (nodes[index].depth(), nodes[index].end());
    let mut path = std::mem::take(&mut places.path);
    path.clear();
    path.push(at);
    while index < end {
        let entry = nodes[index];
        path.truncate(entry.depth() - top + 1);
        let from = path[path.len() - 1];
        let wanted = match entry.end() == index + 1 {
            true => wanted,
            false => Wanted::Place,
        };
        let to = places.read(from, entry.byte(), wanted)?;
        if to == Places::DEAD {
            index = entry.end();
            continue;
        }
        index = match alive(places, NodeId::from_index(index), to)? {
            Below::Walk => index + 1,
            Below::Skip => entry.end(),
        };
        path.push(to);
    }
    places.path = path;
    Ok(())
}
