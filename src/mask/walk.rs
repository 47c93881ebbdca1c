//! Walking the trie with the machine.

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::base::{ByteSet, LimitError};
use crate::machine::{Generation, Item, StateId};
use crate::vocab::{NodeId, Trie};

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
}

/// A place, the bytes that do not die there, and where each byte leads, once it was asked often
/// enough.
struct Stop {
    place: Place,
    live: ByteSet,
    asked: u32,
    row: Option<Box<[u32; 256]>>,
}

impl Stop {
    fn new(generation: &Generation, place: Place) -> Self {
        let mut live = ByteSet::EMPTY;
        let mut add = |item: &Item| {
            for edge in &generation.expand(item.pos).edges {
                live.insert_range(edge.lo, edge.hi);
            }
        };
        match place {
            Place::Item(item) => add(&item),
            Place::State(state) => generation.state(state).items.iter().for_each(add),
        }
        Self {
            place,
            live,
            asked: 0,
            row: None,
        }
    }
}

/// From this many questions on, a place gets a row.
const OFTEN: u32 = 12;
const UNKNOWN: u32 = u32::MAX;

/// The places of a walk, numbered as they are met. Where each byte leads from those that recur is
/// kept in a row, so that a node of a trie costs one look-up.
pub(super) struct Places<'a> {
    generation: &'a Generation,
    stops: Vec<Stop>,
    numbers: FxHashMap<Place, u32>,
}

impl<'a> Places<'a> {
    /// The number of the dead place.
    pub(super) const DEAD: u32 = 0;
    /// The number of the place where the walk begins.
    pub(super) const START: u32 = 1;

    /// A walk that begins at `start`; an item there goes by its own edges only.
    pub(super) fn new(generation: &'a Generation, start: Place) -> Self {
        let stop = |place| Stop::new(generation, place);
        let stops = vec![stop(Place::State(StateId::DEAD)), stop(start)];
        Self {
            generation,
            stops,
            numbers: FxHashMap::with_capacity_and_hasher(48, FxBuildHasher),
        }
    }

    pub(super) fn place(&self, number: u32) -> Place {
        self.stops[number as usize].place
    }

    /// The number of the place that `byte` leads to.
    #[inline]
    pub(super) fn next(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        let stop = &self.stops[from as usize];
        if !stop.live.contains(byte) {
            return Ok(Self::DEAD);
        }
        if let Some(row) = &stop.row {
            let to = row[usize::from(byte)];
            if to != UNKNOWN {
                return Ok(to);
            }
        }
        self.discover(from, byte)
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

    fn discover(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        let place = match self.stops[from as usize].place {
            Place::State(state) => self.step_state(state, byte)?,
            Place::Item(item) => self.step(&[item], byte)?,
        };
        let to = match place {
            Place::State(StateId::DEAD) => Self::DEAD,
            place => self.number(place),
        };
        let stop = &mut self.stops[from as usize];
        stop.asked += 1;
        if stop.asked >= OFTEN {
            let row = stop.row.get_or_insert_with(|| Box::new([UNKNOWN; 256]));
            row[usize::from(byte)] = to;
        }
        Ok(to)
    }

    fn step_state(&self, state: StateId, byte: u8) -> Result<Place, LimitError> {
        match self.generation.known(state, byte) {
            Some(to) => Ok(Place::State(to)),
            None => match self.step(&self.generation.state(state).items, byte)? {
                // The machine remembers what leads from a state to a state.
                Place::State(_) => Ok(Place::State(self.generation.advance(state, byte)?)),
                item => Ok(item),
            },
        }
    }

    fn step(&self, items: &[Item], byte: u8) -> Result<Place, LimitError> {
        let mut targets = items.iter().flat_map(|item| {
            let node = self.generation.expand(item.pos);
            let matching = node.edges.iter();
            let matching = matching.filter(|edge| edge.lo <= byte && byte <= edge.hi);
            matching.map(|edge| Item {
                pos: self.generation.target(item.pos, edge.to, byte),
                origin: item.origin,
            })
        });
        match (targets.next(), targets.next()) {
            (None, _) => Ok(Place::State(StateId::DEAD)),
            (Some(to), None) if self.generation.expand(to.pos).stays() => Ok(Place::Item(to)),
            (Some(to), None) => Ok(Place::State(self.generation.enter(to.pos, to.origin)?)),
            (Some(_), Some(_)) => Ok(Place::State(self.generation.step(items, byte)?)),
        }
    }

    fn number(&mut self, place: Place) -> u32 {
        let next = self.stops.len() as u32;
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.stops.push(Stop::new(self.generation, place));
        }
        number
    }
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
    trie: &Trie,
    item: Item,
    mut alive: impl FnMut(&mut Places<'_>, NodeId, u32) -> Result<Below, LimitError>,
) -> Result<(), LimitError> {
    let mut first = [false; 256];
    for edge in &places.generation.expand(item.pos).edges {
        first[usize::from(edge.lo)..=usize::from(edge.hi)].fill(true);
    }
    let nodes = trie.nodes();
    let mut path: Vec<u32> = Vec::with_capacity(32);
    for byte in (0..=255u8).filter(|&byte| first[usize::from(byte)]) {
        let Some(top) = trie.child(NodeId::ROOT, byte) else {
            continue;
        };
        path.clear();
        path.push(Places::START);
        let mut index = top.index();
        let end = nodes[index].end();
        while index < end {
            let entry = nodes[index];
            path.truncate(entry.depth());
            let to = places.next(path[path.len() - 1], entry.byte())?;
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
    }
    Ok(())
}
