//! What a position offers: steps on bytes, control tokens, calls, an end.

use std::sync::OnceLock;

use smallvec::SmallVec;

use crate::base::{ByteSet, ControlId, define_id, spilled_bytes};
use crate::grammar::{Edge, Reading};

define_id! {
    /// A position in the body of a rule instance.
    pub(crate) Pos
}
define_id! {
    /// A rule together with the arguments it is called with.
    pub(crate) Inst
}
define_id! {
    /// How a rule ended: interned exit words; 0 is the plain end.
    pub(crate) Exit
}

impl Exit {
    /// The plain end.
    pub(crate) const PLAIN: Self = Self::new(0);
}

/// A call as the machine sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PosCall {
    pub(super) callee: Inst,
    pub(super) site: Pos,
    /// Whether the site must be asked where to go on.
    pub(super) ask: bool,
}

/// The steps on bytes that a position offers.
// PERF: three of five positions that have any have at most four. Allocated for each position, they were a quarter of the
// small pieces that a generation leaves behind, which compiles after it have to join: with the call beside them, and what
// deadlines use made later, compiles take 0.92 times as long in the median (benches/LOG.md).
pub(super) type Edges = SmallVec<[Edge<Pos>; 4]>;

/// The calls that a position makes: one, if any.
pub(super) type Calls = SmallVec<[PosCall; 1]>;

/// What a position offers.
#[derive(Debug)]
pub(crate) struct PosNode {
    pub(crate) edges: Edges,
    /// The control tokens and calls: most positions have none, and there are very many of those.
    pub(super) beyond: Option<Box<Beyond>>,
    pub(crate) exit: Option<Exit>,
    pub(crate) reading: Reading,
}

/// What a position offers besides steps on bytes.
#[derive(Debug)]
pub(super) struct Beyond {
    controls: Box<[(ControlId, Pos)]>,
    pub(super) calls: Calls,
    /// Where calls to rules that may be empty lead, if there are any.
    pub(super) skip: OnceLock<Box<[Pos]>>,
}

impl Beyond {
    pub(super) fn new(controls: Vec<(ControlId, Pos)>, calls: Calls) -> Option<Box<Self>> {
        let any = !controls.is_empty() || !calls.is_empty();
        any.then(|| {
            Box::new(Self {
                controls: controls.into(),
                calls,
                skip: OnceLock::new(),
            })
        })
    }
}

impl PosNode {
    /// The control tokens that are read as one, each with where it leads.
    #[inline]
    pub(crate) fn controls(&self) -> &[(ControlId, Pos)] {
        self.beyond.as_ref().map_or(&[], |beyond| &beyond.controls)
    }

    /// The rules that are called.
    #[inline]
    pub(super) fn calls(&self) -> &[PosCall] {
        self.beyond.as_ref().map_or(&[], |beyond| &beyond.calls)
    }

    /// The bytes on which it has edges.
    pub(crate) fn own_bytes(&self) -> ByteSet {
        let mut own = ByteSet::EMPTY;
        for edge in &self.edges {
            own.insert_range(edge.lo, edge.hi);
        }
        own
    }

    /// Its edges on `byte`.
    pub(crate) fn edges_on(&self, byte: u8) -> impl Iterator<Item = &Edge<Pos>> {
        let edges = self.edges.iter();
        edges.filter(move |edge| edge.lo <= byte && byte <= edge.hi)
    }

    /// Whether all that can happen here is a step within the body.
    pub(crate) fn stays(&self) -> bool {
        self.calls().is_empty() && self.exit.is_none()
    }

    /// How many bytes it takes beyond its own.
    pub(super) fn bytes(&self) -> usize {
        let beyond = |beyond: &Beyond| {
            size_of_val(beyond) + size_of_val(&*beyond.controls) + spilled_bytes(&beyond.calls)
        };
        spilled_bytes(&self.edges) + self.beyond.as_deref().map_or(0, beyond)
    }

    /// Whether nothing can be read from here without returning.
    pub(super) fn is_bare(&self) -> bool {
        self.edges.is_empty() && self.beyond.is_none()
    }
}
