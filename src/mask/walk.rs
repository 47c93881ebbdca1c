//! Walking the trie with the machine.

use rustc_hash::FxHashMap;

use crate::base::LimitError;
use crate::machine::{Generation, Item, Origin, Pos, StateId};
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
/// As long as one item only moves within its body, its position says it all: a position is only
/// handed out if its rule can end from there, and no state need be made. Where a rule ends or calls
/// another, the machine takes over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Position(Pos),
    State(StateId),
}

const DEAD: u32 = 0;
const UNKNOWN: u32 = u32::MAX;

/// A place, and where each byte leads from it, once it was asked often enough.
struct Stop {
    place: Place,
    asked: u32,
    row: Option<Box<[u32; 256]>>,
}

impl Stop {
    fn new(place: Place) -> Self {
        Self {
            place,
            asked: 0,
            row: None,
        }
    }
}

/// From this many questions on, a place gets a row.
const OFTEN: u32 = 12;

/// A walk over the trie that begins with the own edges of one item. Places are numbered as they
/// are met; where each byte leads from those that recur is kept in a row, so that a node of the
/// trie costs one look-up.
pub(super) struct Walker<'a> {
    generation: &'a Generation,
    trie: &'a Trie,
    origin: Origin,
    stops: Vec<Stop>,
    numbers: FxHashMap<Place, u32>,
}

impl<'a> Walker<'a> {
    pub(super) fn new(generation: &'a Generation, trie: &'a Trie, item: Item) -> Self {
        // The first is the dead place, the second the item, by its own edges only.
        let places = [Place::State(StateId::DEAD), Place::Position(item.pos)];
        Self {
            generation,
            trie,
            origin: item.origin,
            stops: places.map(Stop::new).into(),
            numbers: FxHashMap::default(),
        }
    }

    /// Calls `alive` with every node where the walk is alive, in pre-order, and the number of the
    /// place there; it stops where `alive` says so.
    pub(super) fn walk(
        &mut self,
        mut alive: impl FnMut(&Self, NodeId, u32) -> bool,
    ) -> Result<(), LimitError> {
        let mut first = [false; 256];
        let Place::Position(pos) = self.stops[1].place else {
            return Ok(());
        };
        for edge in &self.generation.expand(pos).edges {
            first[usize::from(edge.lo)..=usize::from(edge.hi)].fill(true);
        }
        let trie = self.trie;
        let nodes = trie.nodes();
        let mut path: Vec<u32> = Vec::with_capacity(32);
        for byte in (0..=255u8).filter(|&byte| first[usize::from(byte)]) {
            let Some(top) = trie.child(NodeId::ROOT, byte) else {
                continue;
            };
            path.clear();
            path.push(1);
            let mut index = top.index();
            let end = nodes[index].end();
            while index < end {
                let entry = nodes[index];
                path.truncate(entry.depth());
                let from = path[path.len() - 1];
                let to = self.next(from, entry.byte())?;
                if to == DEAD {
                    index = entry.end();
                    continue;
                }
                if !alive(self, NodeId::from_index(index), to) {
                    return Ok(());
                }
                path.push(to);
                index += 1;
            }
        }
        Ok(())
    }

    /// The number of the place after `text`; `None` where the walk does not survive it.
    pub(super) fn run(&mut self, text: &[u8]) -> Result<Option<u32>, LimitError> {
        let mut at = 1;
        for &byte in text {
            at = self.next(at, byte)?;
            if at == DEAD {
                return Ok(None);
            }
        }
        Ok(Some(at))
    }

    /// The state that the walk is in, where it has left the item's body or the rule may end.
    pub(super) fn place(&self, number: u32) -> Place {
        self.stops[number as usize].place
    }

    #[inline]
    fn next(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        if let Some(row) = &self.stops[from as usize].row {
            let to = row[usize::from(byte)];
            if to != UNKNOWN {
                return Ok(to);
            }
        }
        self.discover(from, byte)
    }

    fn discover(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        let place = match self.stops[from as usize].place {
            Place::State(state) => Place::State(self.generation.advance(state, byte)?),
            Place::Position(pos) => self.step(pos, byte)?,
        };
        let to = match place {
            Place::State(StateId::DEAD) => DEAD,
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

    fn step(&self, pos: Pos, byte: u8) -> Result<Place, LimitError> {
        let edges = self.generation.expand(pos).edges.iter();
        let mut targets = edges
            .filter(|edge| edge.lo <= byte && byte <= edge.hi)
            .map(|e| e.to);
        match (targets.next(), targets.next()) {
            (None, _) => Ok(Place::State(StateId::DEAD)),
            (Some(to), None) if self.generation.expand(to).stays() => Ok(Place::Position(to)),
            (Some(to), None) => Ok(Place::State(self.generation.enter(to, self.origin)?)),
            (Some(_), Some(_)) => {
                let item = Item {
                    pos,
                    origin: self.origin,
                };
                Ok(Place::State(self.generation.step(&[item], byte)?))
            }
        }
    }

    fn number(&mut self, place: Place) -> u32 {
        let next = self.stops.len() as u32;
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.stops.push(Stop::new(place));
        }
        number
    }
}
