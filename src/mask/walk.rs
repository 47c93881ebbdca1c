//! Walking the trie with the machine.

use super::places::{Places, Wanted};
use crate::base::{ByteSet, LimitError};
use crate::vocab::{NodeId, Spaces, Trie, Vocabulary};

/// Whether a walk goes on below a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Below {
    Walk,
    Skip,
}

/// What is walked, and what for.
#[derive(Clone, Copy)]
pub(super) struct Tour<'a> {
    pub(super) vocabulary: &'a Vocabulary,
    /// What must be known at the leaves.
    pub(super) wanted: Wanted,
}

impl<'a> Tour<'a> {
    fn trie(self) -> &'a Trie {
        self.vocabulary.trie()
    }
}

/// Where runs of white space of any length lead from where `places` begin, if to one place.
pub(super) fn behind_spaces(places: &mut Places<'_>) -> Result<Option<u32>, LimitError> {
    places.behind_all(&Spaces::bytes())
}

/// Walks the trie from where `places` begin: calls `alive` with every node where the walk is alive, in pre-order, and its
/// place there.
///
/// Where runs of white space are known to lead to the place `behind`, they are left out, and what begins with
/// them comes before the rest.
pub(super) fn from_start(
    places: &mut Places<'_>,
    tour: Tour<'_>,
    behind: Option<u32>,
    mut alive: impl FnMut(&mut Places<'_>, NodeId, u32) -> Result<Below, LimitError>,
) -> Result<(), LimitError> {
    let mut own = places.live(Places::START);
    if let Some(behind) = behind {
        own = own.without(&Spaces::bytes());
        behind_white(places, tour, behind, &mut alive)?;
    }
    from_bytes(places, tour, own, &mut alive)
}

/// Walks what begins with white space that leads to the place `at`, and with something else behind it.
fn behind_white(
    places: &mut Places<'_>,
    tour: Tour<'_>,
    at: u32,
    alive: &mut impl FnMut(&mut Places<'_>, NodeId, u32) -> Result<Below, LimitError>,
) -> Result<(), LimitError> {
    for byte in places.live(at).without(&Spaces::bytes()).iter() {
        for &node in tour.vocabulary.spaces().behind(byte) {
            below(places, tour, (at, node), alive)?;
        }
    }
    Ok(())
}

/// Walks what begins with one of `own`, from where `places` begin.
///
/// PERF: a child of the root can have children for every byte, and each of them that is met in vain is a part of the
/// trie that no cache has; so those are asked for that can be alive.
fn from_bytes(
    places: &mut Places<'_>,
    tour: Tour<'_>,
    own: ByteSet,
    alive: &mut impl FnMut(&mut Places<'_>, NodeId, u32) -> Result<Below, LimitError>,
) -> Result<(), LimitError> {
    let trie = tour.trie();
    for byte in own.iter() {
        let Some(node) = trie.child(NodeId::ROOT, byte) else {
            continue;
        };
        let is_leaf = trie.subtree_size(node) == 1;
        let wanted = if is_leaf { tour.wanted } else { Wanted::Place };
        let to = places.read(Places::START, byte, wanted)?;
        if to == Places::DEAD || alive(places, node, to)? == Below::Skip || is_leaf {
            continue;
        }
        behind(places, tour, (to, node), alive)?;
    }
    Ok(())
}

/// Walks what lies behind `node`, whose place is `at`.
pub(super) fn behind(
    places: &mut Places<'_>,
    tour: Tour<'_>,
    (at, node): (u32, NodeId),
    alive: &mut impl FnMut(&mut Places<'_>, NodeId, u32) -> Result<Below, LimitError>,
) -> Result<(), LimitError> {
    let live = places.live(at);
    let trie = tour.trie();
    let entry = trie.nodes()[node.index()];
    if trie.depth(node) == 1 {
        for next in live.iter() {
            if let Some(node) = trie.grandchild(entry.byte(), next) {
                below(places, tour, (at, node), alive)?;
            }
        }
        return Ok(());
    }
    for (_, node) in trie.children(node).filter(|&(next, _)| live.contains(next)) {
        below(places, tour, (at, node), alive)?;
    }
    Ok(())
}

/// Walks what lies from `node` on, whose parent `at` is the place of.
fn below(
    places: &mut Places<'_>,
    tour: Tour<'_>,
    (at, node): (u32, NodeId),
    alive: &mut impl FnMut(&mut Places<'_>, NodeId, u32) -> Result<Below, LimitError>,
) -> Result<(), LimitError> {
    let trie = tour.trie();
    let nodes = trie.nodes();
    let mut index = node.index();
    let (top, end) = (trie.depth(node), nodes[index].end());
    let mut path = places.path();
    path.push(at);
    while index < end {
        let (entry, node) = (nodes[index], NodeId::from_index(index));
        path.truncate(trie.depth(node) - top + 1);
        let from = path[path.len() - 1];
        let wanted = match entry.end() == index + 1 {
            true => tour.wanted,
            false => Wanted::Place,
        };
        let to = places.read(from, entry.byte(), wanted)?;
        if to == Places::DEAD {
            index = entry.end();
            continue;
        }
        index = match alive(places, node, to)? {
            Below::Walk => index + 1,
            Below::Skip => entry.end(),
        };
        path.push(to);
    }
    places.put_path(path);
    Ok(())
}
