//! States: interned sets of items, each with its own transition table.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use smallvec::SmallVec;

use super::Origin;
use super::node::Pos;
use crate::base::{ByteSet, ControlId, ENTRY, define_id, spilled_bytes};

define_id! {
    /// A state of the machine. Equal ids prove equal futures; ids are not for anybody to see.
    pub(crate) StateId
}

impl StateId {
    /// The state from which nothing is accepted.
    pub(crate) const DEAD: Self = Self::new(0);
}

/// A position, and who waits for its rule to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Item {
    pub(crate) pos: Pos,
    pub(crate) origin: Origin,
}

/// Where a text has led.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrived {
    /// At one item from which nothing happens but steps within its body: its state need not be made.
    Within(Item),
    At(StateId),
}

/// The items of a state: mostly few.
pub(crate) type Items = SmallVec<[Item; 2]>;

/// A state. The kernel is what it is known by; its items are the kernel and what the kernel calls,
/// less those that only wait.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) kernel: Items,
    pub(crate) items: Items,
    /// The control tokens, as single tokens, that some item offers.
    pub(crate) controls: Box<[ControlId]>,
    /// Whether the text may end here.
    pub(crate) accepting: bool,
    /// Whether some item records what it reads.
    pub(super) records: bool,
    pub(super) table: Table,
}

impl State {
    /// How many bytes the state takes, but for those of its table that come later.
    pub(super) fn bytes(&self) -> usize {
        spilled_bytes(&self.kernel)
            + spilled_bytes(&self.items)
            + size_of_val(&*self.controls)
            + ENTRY * size_of::<Self>()
    }

    /// The bytes that lead on from here.
    pub(crate) fn live(&self) -> &ByteSet {
        self.table.live()
    }

    /// The item that the state is, if it is one.
    pub(crate) fn sole(&self) -> Option<Item> {
        match *self.kernel {
            [item] => Some(item),
            _ => None,
        }
    }

    /// Whether nothing more can be read from here.
    pub(crate) fn is_over(&self) -> bool {
        self.items.is_empty()
    }
}

/// A transition that was not asked for yet.
const UNKNOWN: u32 = u32::MAX;
/// The same, where the byte is kept with the target.
const NONE: u64 = u64::MAX;
/// Up to this many intervals are searched in place.
const SHORT: usize = 8;

/// Where each byte leads.
///
/// Most states are passed once, by one byte: it has a place of its own, and the others get theirs
/// when a second one is asked for.
#[derive(Debug)]
pub(super) struct Table {
    live: ByteSet,
    /// Where intervals of bytes begin that no item tells apart.
    starts: ByteSet,
    /// The byte that was asked for first, above the 32 bits of its target.
    first: AtomicU64,
    others: OnceLock<Intervals>,
}

impl Table {
    /// A table over the `live` bytes; those in `starts` begin intervals.
    pub(super) fn new(live: ByteSet, starts: ByteSet) -> Self {
        Self {
            live,
            starts,
            first: AtomicU64::new(NONE),
            others: OnceLock::new(),
        }
    }

    /// The bytes that do not lead to the dead state.
    pub(super) fn live(&self) -> &ByteSet {
        &self.live
    }

    /// Where `byte` leads, if that is known.
    #[inline]
    pub(super) fn get(&self, byte: u8) -> Option<StateId> {
        if !self.live.contains(byte) {
            return Some(StateId::DEAD);
        }
        if let Some(others) = self.others.get() {
            return others.get(byte);
        }
        // Acquire: the target's slot was written before its id was stored.
        let first = self.first.load(Ordering::Acquire);
        (first >> 32 == u64::from(byte)).then_some(StateId::new(first as u32))
    }

    /// Notes where `byte` leads; gives how many bytes that took.
    pub(super) fn set(&self, byte: u8, target: StateId) -> usize {
        let first = u64::from(byte) << 32 | u64::from(target.get());
        let set = self
            .first
            .compare_exchange(NONE, first, Ordering::AcqRel, Ordering::Acquire);
        let Err(known) = set else {
            return 0;
        };
        let mut bytes = 0;
        let others = self.others.get_or_init(|| {
            bytes = Intervals::bytes(self.starts.len() + 1);
            let others = Intervals::new(&self.live, self.starts);
            others.set((known >> 32) as u8, StateId::new(known as u32));
            others
        });
        others.set(byte, target);
        bytes
    }
}

/// Where the bytes of each interval lead.
#[derive(Debug)]
struct Intervals {
    /// The first byte of each interval but the first, which begins at 0; padded with 255.
    short: [u8; SHORT],
    /// The interval of each byte, where there are too many to search.
    classes: Option<Box<[u8; 256]>>,
    targets: Box<[AtomicU32]>,
}

impl Intervals {
    fn new(live: &ByteSet, mut starts: ByteSet) -> Self {
        starts.insert(0);
        let target = |start| match live.contains(start) {
            true => AtomicU32::new(UNKNOWN),
            false => AtomicU32::new(StateId::DEAD.get()),
        };
        let mut short = [u8::MAX; SHORT];
        let mut classes = None;
        if starts.len() <= SHORT {
            let places = short.iter_mut().zip(starts.iter().skip(1));
            places.for_each(|(place, start)| *place = start);
        } else {
            let mut map = Box::new([0u8; 256]);
            let ends = starts.iter().skip(1).map(usize::from).chain([map.len()]);
            for (class, (start, end)) in starts.iter().zip(ends).enumerate() {
                map[usize::from(start)..end].fill(class as u8);
            }
            classes = Some(map);
        }
        let mut targets = Vec::with_capacity(starts.len());
        targets.extend(starts.iter().map(target));
        Self {
            short,
            classes,
            targets: targets.into(),
        }
    }

    /// How many bytes so many of them take beyond their own.
    fn bytes(count: usize) -> usize {
        let classes = if count > SHORT { 256 } else { 0 };
        classes + count * size_of::<AtomicU32>()
    }

    #[inline]
    fn class(&self, byte: u8) -> usize {
        match &self.classes {
            Some(classes) => usize::from(classes[usize::from(byte)]),
            None => {
                let below = self
                    .short
                    .iter()
                    .map(|&start| u8::from(start <= byte))
                    .sum::<u8>();
                usize::from(below).min(self.targets.len() - 1)
            }
        }
    }

    #[inline]
    fn get(&self, byte: u8) -> Option<StateId> {
        // Acquire: as above.
        let target = self.targets[self.class(byte)].load(Ordering::Acquire);
        (target != UNKNOWN).then_some(StateId::new(target))
    }

    fn set(&self, byte: u8, target: StateId) {
        self.targets[self.class(byte)].store(target.get(), Ordering::Release);
    }
}
