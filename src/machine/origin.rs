//! Origins: interned sets of callers, so that a state id holds the whole stack.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashSet, FxHasher};
use smallvec::{SmallVec, smallvec};

use super::node::{Exit, Inst, Pos};
use super::position::Expander;
use crate::base::{Chunked, ENTRY, Ids, PartedMap, define_id};

define_id! {
    /// An interned set of callers.
    pub(crate) Origin
}

impl Origin {
    /// Nobody waits: the text is the rule itself.
    pub(crate) const BOTTOM: Self = Self::new(0);
    /// The origin that is being defined.
    pub(crate) const SELF: Self = Self::new(1);

    /// Whether it is the same in all generations.
    pub(super) fn is_fixed(self) -> bool {
        self == Self::BOTTOM || self == Self::SELF
    }
}

/// `callee` was called; when it ends, its caller goes on at `site`, and the caller's own rule came
/// from `origin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Wait {
    pub(crate) callee: Inst,
    pub(crate) site: Pos,
    pub(crate) ask: bool,
    pub(crate) origin: Origin,
}

impl Wait {
    /// Who waits where, whatever the origin is.
    fn caller(&self) -> (Inst, Pos, bool) {
        (self.callee, self.site, self.ask)
    }
}

/// What each caller costs that is looked at: following it, sorting and comparing it.
const STEPS_PER_WAIT: usize = 8;
/// What each costs that is gone on from once it is known who waits.
const STEPS_PER_SITE: usize = 4;

/// So few rules are searched, more are hashed; and so few callers compared with each other's. Tests hash nearly all.
const FEW: usize = if cfg!(test) { 2 } else { 24 };

type Site = (Pos, bool, Origin);

/// Callers before they are interned: mostly few.
pub(super) type Waits = SmallVec<[Wait; 4]>;

/// The origins seen so far.
#[derive(Default)]
pub(super) struct Origins {
    sets: Chunked<Arc<[Wait]>>,
    ids: Ids,
    sites: PartedMap<(Inst, Origin), Arc<[Site]>>,
    /// What sets of many callers, which say the same, have in common.
    outlines: PartedMap<Origin, u64>,
    bytes: usize,
}

impl Origins {
    pub(super) fn new() -> Self {
        let mut origins = Self::default();
        let none: Arc<[Wait]> = Arc::new([]);
        origins.sets.push(none.clone());
        origins.sets.push(none);
        origins
    }

    /// All that is known, to be dropped one by one.
    pub(super) fn dismantle(self) -> impl Iterator<Item = ()> + Send {
        let sets = self.sets.into_iter().map(drop);
        let sites = self.sites.into_iter().map(drop);
        let outlines = self.outlines.into_iter().map(drop);
        sets.chain(self.ids.dismantle())
            .chain(sites)
            .chain(outlines)
    }

    /// How many bytes they take.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn waits(&self, origin: Origin) -> &Arc<[Wait]> {
        &self.sets[origin.index()]
    }

    /// The id of a sorted set.
    pub(super) fn intern(&mut self, waits: &[Wait]) -> Origin {
        let hash = Ids::hash(waits);
        let sets = &self.sets;
        if let Some(id) = self.ids.find(hash, |id| *sets[id as usize] == *waits) {
            return Origin::new(id);
        }
        let id = self.sets.len() as u32;
        self.bytes += size_of_val(waits) + ENTRY * size_of::<Arc<[Wait]>>();
        self.sets.push(waits.into());
        self.ids.insert(hash, id);
        // A set that says the same has at most twice as many: some may be there with both origins.
        if 2 * waits.len() > FEW {
            self.bytes += ENTRY * size_of::<(Origin, u64)>();
            self.outlines.insert(Origin::new(id), outline(waits));
        }
        Origin::new(id)
    }

    /// Where the callers of `inst` in `origin` go on: their sites, with their own origins.
    fn sites(&mut self, inst: Inst, origin: Origin, expander: &mut Expander<'_>) -> Arc<[Site]> {
        if let Some(sites) = self.sites.get(&(inst, origin)) {
            return sites.clone();
        }
        let waits = self.waits(origin).clone();
        expander.writer.add_work(STEPS_PER_WAIT * waits.len());
        let mut sites: SmallVec<[Site; 4]> = SmallVec::new();
        for wait in waits.iter().filter(|wait| wait.callee == inst) {
            let origin = match wait.origin {
                Origin::SELF => {
                    let caller = expander.positions.inst(wait.site);
                    self.intern(&restrict(&waits, caller, expander))
                }
                origin => origin,
            };
            sites.push((wait.site, wait.ask, origin));
        }
        let sites: Arc<[Site]> = sites.as_slice().into();
        self.bytes += size_of_val(&*sites) + ENTRY * size_of::<((Inst, Origin), Arc<[Site]>)>();
        self.sites.insert((inst, origin), sites.clone());
        sites
    }

    /// The positions, with their origins, where the callers of `inst` go on after `exit`.
    pub(super) fn returns(
        &mut self,
        inst: Inst,
        exit: Exit,
        origin: Origin,
        expander: &mut Expander<'_>,
        mut visit: impl FnMut(&mut Expander<'_>, Pos, Origin),
    ) {
        let sites = self.sites(inst, origin, expander);
        expander.writer.add_work(STEPS_PER_SITE * sites.len());
        for &(site, ask, origin) in sites.iter() {
            let position = match ask {
                false => Some(site),
                true => expander.on_return(site, inst, exit),
            };
            if let Some(position) = position {
                visit(expander, position, origin);
            }
        }
    }

    /// The origin of `inst` where `waits`, which are ascending, are all the calls made.
    pub(super) fn origin(
        &mut self,
        waits: &[Wait],
        inst: Inst,
        expander: &mut Expander<'_>,
    ) -> Origin {
        let mut set = restrict(waits, inst, expander);
        self.flatten(&mut set, expander);
        expander.writer.add_work(STEPS_PER_WAIT * set.len());
        set.sort_unstable();
        set.dedup();
        let known = match set.len() > FEW {
            true => self.knot_of_many(&set, expander),
            false => self.knot(&set, expander),
        };
        known.unwrap_or_else(|| self.intern(&set))
    }

    /// Replaces callers that have nothing left to do by their own callers.
    fn flatten(&mut self, set: &mut Waits, expander: &mut Expander<'_>) {
        let mut seen = FxHashSet::default();
        let mut left = Waits::new();
        while let Some(wait) = set.pop() {
            let Some(exit) = self.tail(&wait, expander) else {
                left.push(wait);
                continue;
            };
            if !seen.insert(wait) {
                continue;
            }
            expander.writer.add_work(STEPS_PER_WAIT);
            let caller = expander.positions.inst(wait.site);
            self.returns(caller, exit, wait.origin, expander, |_, site, origin| {
                set.push(Wait {
                    callee: wait.callee,
                    site,
                    ask: false,
                    origin,
                });
            });
        }
        *set = left;
    }

    /// The exit with which a caller ends as soon as its call does, if that is all it does.
    fn tail(&self, wait: &Wait, expander: &mut Expander<'_>) -> Option<Exit> {
        if wait.ask || wait.origin == Origin::SELF || wait.origin == Origin::BOTTOM {
            return None;
        }
        let node = expander.node(wait.site);
        node.exit.filter(|_| node.is_bare())
    }

    /// An origin within `set`, which is ascending, that already says what `set` says.
    fn knot(&self, set: &[Wait], expander: &mut Expander<'_>) -> Option<Origin> {
        let mut candidates = set.iter().map(|wait| wait.origin);
        candidates.find(|&origin| !origin.is_fixed() && self.says(origin, set, expander))
    }

    /// The same where each of many callers may have an origin of its own: only those are compared that could say it.
    fn knot_of_many(&self, set: &[Wait], expander: &mut Expander<'_>) -> Option<Origin> {
        let outline = outline(set);
        let mut tried = FxHashSet::default();
        let mut candidates = set.iter().map(|wait| wait.origin);
        candidates.find(|&origin| {
            self.outlines.get(&origin) == Some(&outline)
                && tried.insert(origin)
                && self.says(origin, set, expander)
        })
    }

    /// Whether `origin` says what `set` says, which is ascending.
    fn says(&self, origin: Origin, set: &[Wait], expander: &mut Expander<'_>) -> bool {
        let other = self.waits(origin);
        let begin_alike = match (set.first(), other.first()) {
            (Some(one), Some(other)) => one.caller() == other.caller(),
            (one, other) => one.is_none() && other.is_none(),
        };
        if !begin_alike {
            return false;
        }
        expander.writer.add_work(set.len() + other.len());
        within(set, other, origin) && within(other, set, origin)
    }
}

/// A hash of who waits where in an ascending set, whatever the origins are.
fn outline(set: &[Wait]) -> u64 {
    let mut hasher = FxHasher::default();
    let mut last = None;
    for wait in set {
        let caller = wait.caller();
        if last.replace(caller) != Some(caller) {
            caller.hash(&mut hasher);
        }
    }
    hasher.finish()
}

/// Whether all of `waits` are in `set`, which is ascending, where `SELF` is `origin`.
fn within(waits: &[Wait], set: &[Wait], origin: Origin) -> bool {
    let has = |wait: Wait, origin| set.binary_search(&Wait { origin, ..wait }).is_ok();
    waits.iter().all(|&wait| match wait.origin {
        Origin::SELF => has(wait, Origin::SELF) || has(wait, origin),
        other => has(wait, other) || (other == origin && has(wait, Origin::SELF)),
    })
}

/// The part of `waits`, which are ascending, that decides how `inst` returns.
fn restrict(waits: &[Wait], inst: Inst, expander: &mut Expander<'_>) -> Waits {
    let mut callees: SmallVec<[Inst; 8]> = smallvec![inst];
    let mut known = FxHashSet::default();
    let mut set = Waits::new();
    let mut next = 0;
    while let Some(&callee) = callees.get(next) {
        let from = waits.partition_point(|wait| wait.callee < callee);
        for wait in waits[from..]
            .iter()
            .take_while(|wait| wait.callee == callee)
        {
            set.push(*wait);
            let caller = expander.positions.inst(wait.site);
            if wait.origin == Origin::SELF && is_new(&callees, &mut known, caller) {
                callees.push(caller);
            }
        }
        next += 1;
    }
    set.sort_unstable();
    set.dedup();
    expander
        .writer
        .add_work(STEPS_PER_WAIT * (set.len() + callees.len()));
    set
}

/// Whether `inst` is not among `callees`, which `known` knows where they are many.
fn is_new(callees: &[Inst], known: &mut FxHashSet<Inst>, inst: Inst) -> bool {
    if callees.len() < FEW {
        return !callees.contains(&inst);
    }
    if known.is_empty() {
        known.extend(callees);
    }
    known.insert(inst)
}
