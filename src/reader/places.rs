//! Places in a skeleton: a position in a rule, and the places that wait for the rule to end.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::base::{ControlId, Interner, RuleId};
use crate::front::chat::{Extent, Role, Skeleton};
use crate::grammar::{Automaton, Body, ReturnTo};

/// Whose a byte is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Owner {
    Framing,
    Reasoning,
    Content,
    Name,
    Id,
    Arguments,
    ArgumentsString,
    Code,
    ParameterName,
    ParameterValue,
}

/// A boundary between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Mark {
    Enter(Role),
    Leave(Role),
}

pub(super) type Marks = SmallVec<[Mark; 2]>;

/// How control tokens are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Controls {
    /// Each as its spelling.
    Spelt,
    /// Those listed as tokens, by control; the others as their spelling.
    Tokens(Box<[bool]>),
}

/// An interned [`Place`].
pub(super) type PlaceId = u32;

/// So many rules may be open: JSON takes three for each array or object within another.
const DEEPEST: u32 = 1 << 12;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Place {
    rule: RuleId,
    node: u32,
    /// Where to go on when the rule has ended.
    caller: Option<PlaceId>,
    /// A control token that is being spelt before the node is reached, and how many of its bytes were read.
    spelt: Option<(ControlId, u32)>,
    owner: Owner,
    is_verbatim: bool,
    /// How many rules are open.
    depth: u32,
}

/// What a way on takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum On {
    Bytes(u8, u8),
    Control(ControlId),
    /// The stand-in of an outline, whole.
    Structure,
}

/// A way on from a place.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) on: On,
    /// What is passed before.
    pub(super) marks: Marks,
    pub(super) owner: Owner,
    pub(super) to: PlaceId,
    /// Whether it goes into the stand-in of an outline.
    pub(super) opens: bool,
}

/// All ways on from a place, and what is passed where the turn ends there.
#[derive(Debug, Default)]
pub(super) struct Ways {
    pub(super) on: Vec<Way>,
    pub(super) ends: Vec<Marks>,
}

/// The places of a skeleton that were visited.
#[derive(Debug)]
pub(super) struct Places {
    skeleton: Arc<Skeleton>,
    controls: Arc<Controls>,
    places: Interner<Place>,
    ways: Vec<Option<Arc<Ways>>>,
}

/// A step of the search for ways on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Visit {
    place: PlaceId,
    /// What was passed on the way to it.
    marks: Marks,
    /// Whether it is the beginning of a stand-in.
    opens: bool,
    /// The bytes that may not come next, since what was left just before would have read them.
    barred: SmallVec<[(u8, u8); 1]>,
}

impl Places {
    pub(super) fn new(skeleton: Arc<Skeleton>, controls: Arc<Controls>) -> Self {
        Self {
            skeleton,
            controls,
            places: Interner::default(),
            ways: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Where a turn begins.
    pub(super) fn start(&mut self) -> PlaceId {
        self.enter(self.skeleton.grammar.root(), None)
    }

    fn intern(&mut self, place: Place) -> PlaceId {
        self.places.intern(place).0
    }

    /// The place with its callers again, in `to`.
    pub(super) fn carry(&self, place: PlaceId, to: &mut Self) -> PlaceId {
        let mut chain = vec![place];
        while let Some(caller) = self.places.get(chain[chain.len() - 1]).caller {
            chain.push(caller);
        }
        let mut caller = None;
        for &place in chain.iter().rev() {
            let place = self.places.get(place).clone();
            caller = Some(to.intern(Place { caller, ..place }));
        }
        caller.expect("a chain has the place itself")
    }

    fn role(&self, rule: RuleId) -> Option<Role> {
        self.skeleton.roles.get(&rule).copied()
    }

    fn enter(&mut self, rule: RuleId, caller: Option<PlaceId>) -> PlaceId {
        let outer = caller.map(|caller| self.places.get(caller));
        let outer = outer.map_or((Owner::Framing, false), |outer| {
            (outer.owner, outer.is_verbatim)
        });
        let (owner, is_verbatim) = match self.role(rule) {
            None | Some(Role::Structure) => outer,
            Some(Role::Verbatim) => (outer.0, true),
            Some(Role::Framing | Role::Longest | Role::Call | Role::Parameters) => {
                (Owner::Framing, false)
            }
            Some(Role::Reasoning(_)) => (Owner::Reasoning, false),
            Some(Role::Content(_)) => (Owner::Content, false),
            Some(Role::Name) => (Owner::Name, false),
            Some(Role::Id) => (Owner::Id, false),
            Some(Role::Arguments) => (Owner::Arguments, false),
            Some(Role::ArgumentsString) => (Owner::ArgumentsString, false),
            Some(Role::Code(_)) => (Owner::Code, false),
            Some(Role::ParameterName) => (Owner::ParameterName, false),
            Some(Role::ParameterValue(_)) => (Owner::ParameterValue, false),
        };
        let depth = caller.map_or(0, |caller| self.places.get(caller).depth + 1);
        self.intern(Place {
            rule,
            node: 0,
            caller,
            spelt: None,
            owner,
            is_verbatim,
            depth,
        })
    }

    /// The names of the rules that are open at a place, outermost first.
    pub(super) fn rules(&self, place: PlaceId) -> String {
        let mut names = Vec::new();
        let mut next = Some(place);
        while let Some(place) = next {
            let place = self.places.get(place);
            names.push(self.skeleton.grammar.rule(place.rule).name());
            next = place.caller;
        }
        names.reverse();
        names.join(" > ")
    }

    /// The ways on from a place.
    pub(super) fn ways(&mut self, place: PlaceId) -> Arc<Ways> {
        if let Some(Some(ways)) = self.ways.get(place as usize) {
            return ways.clone();
        }
        let ways = Arc::new(self.find_ways(place));
        let room = self.ways.len().max(place as usize + 1);
        self.ways.resize(room, None);
        self.ways[place as usize] = Some(ways.clone());
        ways
    }

    fn find_ways(&mut self, from: PlaceId) -> Ways {
        let skeleton = self.skeleton.clone();
        let mut ways = Ways::default();
        let mut seen: FxHashSet<Visit> = FxHashSet::default();
        let mut open = vec![Visit {
            place: from,
            marks: Marks::new(),
            opens: false,
            barred: SmallVec::new(),
        }];
        while let Some(visit) = open.pop() {
            if !seen.insert(visit.clone()) {
                continue;
            }
            let Visit {
                place: id,
                marks,
                opens,
                barred,
            } = visit;
            let place = self.places.get(id).clone();
            if let Some((control, read)) = place.spelt {
                let owner = self.owner_of_control(&place);
                ways.on
                    .push(self.spell(&place, control, read, marks, owner));
                continue;
            }
            let node = &body(&skeleton, place.rule).nodes[place.node as usize];
            for edge in &node.edges {
                let to = self.intern(Place {
                    node: edge.to,
                    ..place.clone()
                });
                for (lo, hi) in without((edge.lo, edge.hi), &barred) {
                    ways.on.push(Way {
                        on: On::Bytes(lo, hi),
                        marks: marks.clone(),
                        owner: place.owner,
                        to,
                        opens,
                    });
                }
            }
            for &(control, to) in &node.controls {
                let to = Place {
                    node: to,
                    ..place.clone()
                };
                ways.on.push(self.control(to, control, marks.clone()));
            }
            for call in &node.calls {
                let (ReturnTo::Position(to) | ReturnTo::Ask(to)) = call.to;
                let caller = self.intern(Place {
                    node: to,
                    ..place.clone()
                });
                let from = Visit {
                    place: caller,
                    marks: marks.clone(),
                    opens,
                    barred: barred.clone(),
                };
                self.call(call.rule, from, &mut ways, &mut open);
            }
            if node.exit.is_some() {
                let mut marks = marks;
                marks.extend(
                    self.role(place.rule)
                        .filter(|role| is_marked(*role))
                        .map(Mark::Leave),
                );
                let mut barred = barred;
                if self.role(place.rule) == Some(Role::Longest) {
                    barred.extend(node.edges.iter().map(|edge| (edge.lo, edge.hi)));
                }
                match place.caller {
                    Some(caller) => open.push(Visit {
                        place: caller,
                        marks,
                        opens: false,
                        barred,
                    }),
                    None if ways.ends.contains(&marks) => {}
                    None => ways.ends.push(marks),
                }
            }
        }
        ways
    }

    fn call(&mut self, rule: RuleId, from: Visit, ways: &mut Ways, open: &mut Vec<Visit>) {
        let role = self.role(rule);
        let caller = from.place;
        if self.places.get(caller).depth == DEEPEST {
            return;
        }
        let begin = self.enter(rule, Some(caller));
        let mut marks = from.marks.clone();
        marks.extend(role.filter(|role| is_marked(*role)).map(Mark::Enter));
        let opens = role == Some(Role::Structure);
        if opens {
            ways.on.push(Way {
                on: On::Structure,
                marks: marks.clone(),
                owner: self.places.get(begin).owner,
                to: caller,
                opens: false,
            });
        }
        open.push(Visit {
            place: begin,
            marks,
            opens: opens || from.opens,
            barred: from.barred,
        });
    }

    fn owner_of_control(&self, place: &Place) -> Owner {
        match place.is_verbatim {
            true => place.owner,
            false => Owner::Framing,
        }
    }

    /// A control token that leads to `to`.
    fn control(&mut self, to: Place, control: ControlId, marks: Marks) -> Way {
        let owner = self.owner_of_control(&to);
        let is_token = match &*self.controls {
            Controls::Spelt => false,
            Controls::Tokens(tokens) => tokens[control.index()],
        };
        if !is_token {
            return self.spell(&to, control, 0, marks, owner);
        }
        Way {
            on: On::Control(control),
            marks,
            owner,
            to: self.intern(to),
            opens: false,
        }
    }

    /// The byte of a control token's spelling behind `read` of them.
    fn spell(
        &mut self,
        to: &Place,
        control: ControlId,
        read: u32,
        marks: Marks,
        owner: Owner,
    ) -> Way {
        let spelling = self.skeleton.grammar.control(control).to_string();
        let byte = spelling.as_bytes()[read as usize];
        let is_last = read as usize + 1 == spelling.len();
        let to = self.intern(Place {
            spelt: (!is_last).then_some((control, read + 1)),
            ..to.clone()
        });
        Way {
            on: On::Bytes(byte, byte),
            marks,
            owner,
            to,
            opens: false,
        }
    }
}

fn body(skeleton: &Skeleton, rule: RuleId) -> &Automaton {
    match skeleton.grammar.rule(rule).body() {
        Body::Automaton(automaton) => automaton,
        Body::Implicit(_) => unreachable!("skeletons have automata only"),
    }
}

/// The parts of a range of bytes that are in none of `others`.
fn without(range: (u8, u8), others: &[(u8, u8)]) -> Vec<(u8, u8)> {
    let mut left = vec![range];
    for &(low, high) in others {
        let cut = |(lo, hi): (u8, u8)| {
            let before = (lo < low).then(|| (lo, hi.min(low.saturating_sub(1))));
            let behind = (hi > high).then(|| (lo.max(high.saturating_add(1)), hi));
            before.into_iter().chain(behind)
        };
        left = left.into_iter().flat_map(cut).collect();
    }
    left
}

/// Whether it matters where a rule of this role begins and ends, apart from which bytes it reads.
fn is_marked(role: Role) -> bool {
    match role {
        Role::Call | Role::Parameters | Role::ParameterValue(_) | Role::Code(_) => true,
        Role::Reasoning(extent) | Role::Content(extent) => extent == Extent::Passage,
        _ => false,
    }
}
