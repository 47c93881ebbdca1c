//! The places that a walk comes to.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::room::{Lent, Reuse, Rooms};
use super::work::Work;
use crate::base::{ByteSet, LimitError};
use crate::grammar::Reading;
use crate::machine::{Arrived, Generation, Item, Pos, Recall, StateId};
use crate::vocab::Vocabulary;

/// What tokens are tried over.
#[derive(Clone, Copy)]
pub(super) struct Over<'a> {
    pub(super) generation: &'a Generation,
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) rooms: &'a Rooms<Room>,
    pub(super) work: &'a Work<'a>,
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

impl Place {
    /// The same as the machine has it.
    pub(super) fn of(arrived: Arrived) -> Self {
        match arrived {
            Arrived::Within(item) => Self::Item(item),
            Arrived::At(state) => Self::State(state),
        }
    }

    /// The item that an item or a state is, if it is one.
    pub(super) fn sole(self, generation: &Generation) -> Option<Item> {
        match self {
            Self::Item(item) => Some(item),
            Self::State(state) => generation.state(state).sole(),
            _ => None,
        }
    }
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
#[derive(Debug)]
struct Stop {
    place: Place,
    live: ByteSet,
    asked: u32,
    row: Option<Box<[u32; 256]>>,
    /// Which literal alone leads on from here, if one does.
    literal: Option<u32>,
}

/// A text that alone leads on from a place, and the item behind it.
type Literal<'a> = (&'a [u8], Item);

impl Stop {
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
}

/// What a byte costs that leads to a place which is not kept.
const STEPS_PER_BYTE: usize = 4;
/// What each item costs of a state that reads a byte for the first time, with the new state's.
const STEPS_PER_ITEM: usize = 32;

/// From this many questions on, a place gets a row.
///
/// PERF: cold masks take 1.10 times as long without rows (benches/LOG.md).
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

/// Room for the places of a walk, to be used again by the next.
#[derive(Debug, Default)]
pub(super) struct Room {
    stops: Vec<Stop>,
    numbers: FxHashMap<Place, u32>,
    /// The places on the way to a node of the trie.
    path: Vec<u32>,
}

/// Room for more places than this is not kept.
const MOST_KEPT: usize = 512;

impl Reuse for Room {
    fn reset(&mut self) -> bool {
        let is_small = self.stops.len() <= MOST_KEPT;
        self.stops.clear();
        self.numbers.clear();
        is_small
    }
}

/// The places of a walk, numbered as they are met. Where each byte leads from those that recur is
/// kept in a row, so that a node of a trie costs one look-up.
///
/// Places within a literal are not kept: their numbers are made of the number of the place where it
/// begins, and how many bytes of it were read.
pub(super) struct Places<'a> {
    pub(super) generation: &'a Generation,
    work: &'a Work<'a>,
    recall: Recall,
    room: Lent<'a, Room>,
    literals: SmallVec<[Literal<'a>; 2]>,
}

impl<'a> Places<'a> {
    /// The number of the dead place.
    pub(super) const DEAD: u32 = 0;
    /// The number of the place where the walk begins.
    pub(super) const START: u32 = 1;
    /// The number of any place from where something can be read, where the walk ends.
    const ONWARD: u32 = u32::MAX;

    /// A walk that begins at `start`, where nothing is remembered; an item there goes by its own edges only.
    pub(super) fn new(over: Over<'a>, start: Place) -> Self {
        Self::with(over, start, Recall::Nothing)
    }

    /// The same where all is remembered.
    pub(super) fn remembering(over: Over<'a>, start: Place) -> Self {
        Self::with(over, start, Recall::Full)
    }

    fn with(over: Over<'a>, start: Place, recall: Recall) -> Self {
        let mut places = Self {
            generation: over.generation,
            work: over.work,
            recall,
            room: over.rooms.take(),
            literals: SmallVec::new(),
        };
        let dead = Stop::new(Place::State(StateId::DEAD), ByteSet::EMPTY);
        let literal = match start {
            Place::Item(item) => places.literal(item),
            _ => None,
        };
        let start = literal.unwrap_or_else(|| Stop::of_edges(places.generation, start));
        places.room.stops.extend([dead, start]);
        places
    }

    /// The place of an item that a literal leads on from.
    fn literal(&mut self, item: Item) -> Option<Stop> {
        let (hints, words) = self.generation.told(item.pos)?;
        let [(text, number)] = *hints.texts(words, 2) else {
            return None;
        };
        if text.len() > LONGEST_LITERAL {
            return None;
        }
        let pos = self.generation.behind_text(item.pos, number)?;
        let live = ByteSet::range(text[0], text[0]);
        self.literals.push((text, Item { pos, ..item }));
        Some(Stop {
            literal: Some(self.literals.len() as u32 - 1),
            ..Stop::new(Place::Item(item), live)
        })
    }

    /// Room for the places on the way to a node of the trie, empty.
    pub(super) fn path(&mut self) -> Vec<u32> {
        let mut path = std::mem::take(&mut self.room.path);
        path.clear();
        path
    }

    /// Takes that room back.
    pub(super) fn put_path(&mut self, path: Vec<u32>) {
        self.room.path = path;
    }

    pub(super) fn place(&self, number: u32) -> Place {
        match number < LITERAL {
            true => self.room.stops[number as usize].place,
            false => Place::Onward,
        }
    }

    /// The item that a place is, if it is one.
    pub(super) fn item(&self, number: u32) -> Option<Item> {
        let stop = self.room.stops.get(number as usize)?;
        stop.place.sole(self.generation)
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
    pub(super) fn read(&mut self, from: u32, byte: u8, wanted: Wanted) -> Result<u32, LimitError> {
        let Some(stop) = self.room.stops.get(from as usize) else {
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
    #[inline(never)]
    fn read_on(&mut self, from: u32, byte: u8) -> Result<u32, LimitError> {
        match self.within_literal(from) {
            Some(([next], behind)) if *next == byte => self.arrive(behind, |generation| {
                generation.enter(behind.pos, behind.origin)
            }),
            Some(([next, ..], _)) if *next == byte => Ok(from + 1),
            _ => Ok(Self::DEAD),
        }
    }

    /// The place that every one of `bytes` leads to from the start, and from itself.
    pub(super) fn behind_all(&mut self, bytes: &ByteSet) -> Result<Option<u32>, LimitError> {
        if let Place::Item(start) = self.place(Self::START)
            && let Some(pos) = self.loop_behind(start.pos, bytes)
        {
            let item = Item { pos, ..start };
            let state = |generation: &Generation| generation.enter(pos, item.origin);
            return self.arrive(item, state).map(Some);
        }
        let mut behind = None;
        for byte in bytes.iter() {
            let to = self.next(Self::START, byte)?;
            if to == Self::DEAD || *behind.get_or_insert(to) != to || self.next(to, byte)? != to {
                return Ok(None);
            }
        }
        Ok(behind)
    }

    /// The position that every one of `bytes` leads to from `pos`, and from itself, if edges alone tell.
    ///
    /// PERF: this is asked wherever something is walked, and mostly there is white space.
    fn loop_behind(&self, pos: Pos, bytes: &ByteSet) -> Option<Pos> {
        let generation = self.generation;
        let sole = |pos: Pos, byte: u8| {
            let node = generation.expand(pos);
            let mut edges = node.edges_on(byte);
            let edge = edges.next().filter(|_| node.reading == Reading::Passing)?;
            edges.next().is_none().then_some(edge.to)
        };
        let to = sole(pos, bytes.iter().next()?)?;
        let is_loop =
            |byte| sole(pos, byte) == Some(to) && (to == pos || sole(to, byte) == Some(to));
        if !bytes.iter().all(is_loop) {
            return None;
        }
        generation.expand(to).stays().then_some(to)
    }

    /// The bytes that do not die at a place, or at most a few more.
    pub(super) fn live(&self, number: u32) -> ByteSet {
        match self.room.stops.get(number as usize) {
            Some(stop) => stop.live,
            None => self
                .within_literal(number)
                .map_or(ByteSet::EMPTY, |(rest, _)| ByteSet::range(rest[0], rest[0])),
        }
    }

    /// What is left of the literal at a place within one, and the item behind it.
    fn within_literal(&self, number: u32) -> Option<Literal<'a>> {
        let read = (number & ((1 << READ_BITS) - 1)) as usize;
        let stop = &self.room.stops[((number & !LITERAL) >> READ_BITS) as usize];
        let (text, behind) = self.literals[stop.literal? as usize];
        Some((&text[read..], behind))
    }

    /// Where `byte`, which is live at the place `from`, leads.
    ///
    /// PERF: kept out of [`Self::read`], whose other ways are taken far more often.
    #[inline(never)]
    fn discover(&mut self, from: u32, byte: u8, wanted: Wanted) -> Result<u32, LimitError> {
        let stop = &mut self.room.stops[from as usize];
        if let Some(literal) = stop.literal {
            debug_assert_eq!(self.literals[literal as usize].0[0], byte);
            return self.read_on(LITERAL | from << READ_BITS, byte);
        }
        stop.asked += 1;
        let (place, is_often) = (stop.place, stop.asked >= OFTEN);
        if wanted == Wanted::Survival && !is_often && self.reads_on(place, byte) {
            return Ok(Self::ONWARD);
        }
        self.work.charge(STEPS_PER_BYTE)?;
        let to = match place {
            Place::State(state) => self.step_state(state, byte)?,
            Place::Item(item) => self.step_item(item, byte)?,
            Place::Onward => Self::DEAD,
        };
        if is_often {
            let stop = &mut self.room.stops[from as usize];
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
            Place::State(state) if self.known(state, byte).is_none() => {
                let items = &generation.state(state).items;
                self.targets(items, byte).any(goes_on)
            }
            _ => false,
        }
    }

    fn step_state(&mut self, state: StateId, byte: u8) -> Result<u32, LimitError> {
        let generation = self.generation;
        let recall = self.recall;
        let advance = || match recall {
            Recall::Full => generation.advance(state, byte),
            Recall::Nothing => generation.advance_unrecorded(state, byte),
        };
        if let Some(known) = self.known(state, byte) {
            return Ok(self.number(Place::State(known)));
        }
        let items = generation.state(state).items.len();
        self.work.charge(STEPS_PER_ITEM * items)?;
        match self.step(&generation.state(state).items, byte) {
            Step::One(to) => self.arrive(to, |_| advance()),
            Step::None | Step::Several => Ok(self.number(Place::State(advance()?))),
        }
    }

    /// Where `byte` leads from a state, if the machine remembers that.
    fn known(&self, state: StateId, byte: u8) -> Option<StateId> {
        let known = self.generation.known(state, byte)?;
        let is_meant = self.recall == Recall::Full || !self.generation.records(state, byte);
        is_meant.then_some(known)
    }

    /// Where the own edges of `item` lead.
    fn step_item(&mut self, item: Item, byte: u8) -> Result<u32, LimitError> {
        let generation = self.generation;
        match self.step(&[item], byte) {
            Step::None => Ok(Self::DEAD),
            Step::One(to) => self.arrive(to, |_| generation.enter(to.pos, to.origin)),
            Step::Several => {
                let to = generation.step(&[item], byte, self.recall)?;
                Ok(self.number(Place::State(to)))
            }
        }
    }

    /// Where `byte` leads from some items.
    fn targets(&self, items: &[Item], byte: u8) -> impl Iterator<Item = Item> {
        items.iter().flat_map(move |item| {
            let node = self.generation.expand(item.pos);
            node.edges_on(byte).map(move |edge| Item {
                pos: self
                    .generation
                    .target((item.pos, edge.to), byte, self.recall),
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
    pub(super) fn arrive(
        &mut self,
        item: Item,
        state: impl FnOnce(&Generation) -> Result<StateId, LimitError>,
    ) -> Result<u32, LimitError> {
        let generation = self.generation;
        let place = Place::Item(item);
        if let Some(&known) = self.room.numbers.get(&place) {
            return Ok(known);
        }
        let has_room = self.room.stops.len() < MOST_WITH_LITERALS;
        let literal = has_room.then(|| self.literal(item));
        if let Some(stop) = literal.flatten() {
            self.room.stops.push(stop);
            let number = self.room.stops.len() as u32 - 1;
            self.room.numbers.insert(place, number);
            return Ok(number);
        }
        if generation.expand(item.pos).stays() {
            return Ok(self.number(place));
        }
        let number = self.number(Place::State(state(generation)?));
        self.room.numbers.insert(place, number);
        Ok(number)
    }

    fn number(&mut self, place: Place) -> u32 {
        if place == Place::State(StateId::DEAD) {
            return Self::DEAD;
        }
        let generation = self.generation;
        let next = self.room.stops.len() as u32;
        let number = *self.room.numbers.entry(place).or_insert(next);
        if number == next {
            self.room.stops.push(Stop::of_edges(generation, place));
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
