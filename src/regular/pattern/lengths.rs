//! What a pattern says of lengths, told apart from the rest.
//!
//! `^[a-z]{1,500}$` is a bound on the length of `^[a-z]*$`, and so is `(?=.{1,255}$)` at the beginning of a
//! pattern whose characters are all among `.`. Bounds cost nothing, while an automaton has a state for
//! each number. Where repetitions stand within a pattern, [`Counted`] counts them, if it can.

use super::ast::{Assertion, Ast, Look, Node, Polarity, Sets};
use super::code_points::CodePoints;
use super::compile::{Extent, determinise};
use super::counted::Counted;
use super::spans::span;
use super::trim::{leave_unreached, rotate};
use crate::base::{LimitError, Limits};
use crate::regular::dfa::Dfa;

/// Repetitions of fewer rounds are states of an automaton: that is as small as what counts them.
const FEW: u32 = 20;
/// An automaton of fewer states is not large.
const SMALL: usize = 1024;

/// A language: texts of a bounded length that belong to another one.
#[derive(Debug)]
pub(crate) struct Bounded {
    pub(crate) least: u32,
    /// `u32::MAX` for no bound.
    pub(crate) most: u32,
    pub(crate) texts: Told,
}

/// How texts are told.
#[derive(Debug)]
pub(crate) enum Told {
    Automaton(Dfa),
    Counted(Counted),
}

/// Takes the lengths out of a pattern that is searched for.
pub(super) fn bounded(mut ast: Ast, limits: &Limits) -> Result<Bounded, LimitError> {
    let (mut least, mut most) = (0, u32::MAX);
    let mut narrow = |from: u32, to: Option<u32>| {
        least = least.max(from);
        most = most.min(to.unwrap_or(u32::MAX));
    };
    let mut counted = None;
    if let Some(mut parts) = whole_parts(&ast.root) {
        let body: Vec<&Node> = parts
            .iter()
            .copied()
            .filter(|part| !is_place(part))
            .collect();
        let used = sets_of(&body, &ast.sets);
        parts.retain(|part| match length_of(part, &ast, &used) {
            Some((from, to)) => {
                narrow(from, to);
                false
            }
            None => true,
        });
        let has_places = parts.iter().any(|part| is_place(part));
        match body[..] {
            [Node::Repeat { body, min, max }]
                if matches!(**body, Node::Set(_)) && max.unwrap_or(*min).max(*min) >= FEW =>
            {
                narrow(*min, *max);
                let all = star(body);
                let rest = parts.iter().map(|part| match is_place(part) {
                    true => (*part).clone(),
                    false => all.clone(),
                });
                ast.root = anchored(rest.collect());
            }
            _ if !has_places => {
                let mut body = Node::Concat(body.into_iter().cloned().collect());
                rotate(&mut body);
                if is_worth_counting(&body, &ast.sets) {
                    counted = Counted::new(&body, &ast.sets);
                    if counted.is_none()
                        && let Some(lengths) = free_sole_count(&mut body)
                    {
                        narrow(lengths.0, lengths.1);
                    }
                }
                ast.root = anchored(vec![body]);
            }
            _ => ast.root = anchored(parts.into_iter().cloned().collect()),
        }
    }
    if most < u32::MAX {
        leave_unreached(&mut ast.root, most);
    }
    let texts = match counted {
        Some(counted) => Told::Counted(counted),
        None => Told::Automaton(determinise(ast, Extent::Search, limits)?),
    };
    Ok(Bounded { least, most, texts })
}

/// Takes away how often the one part that has no fixed length repeats a set; the lengths of the whole tell as much.
fn free_sole_count(body: &mut Node) -> Option<(u32, Option<u32>)> {
    let whole = span(body);
    let Node::Concat(parts) = body else {
        return None;
    };
    let is_varying = |part: &&mut Node| {
        let span = span(part);
        span.most != Some(span.least)
    };
    let mut varying = parts.iter_mut().filter(is_varying);
    let sole = varying.next().filter(|_| varying.next().is_none())?;
    let Node::Repeat { body: set, .. } = sole else {
        return None;
    };
    if !matches!(**set, Node::Set(_)) {
        return None;
    }
    let (least, most) = (u32::try_from(whole.least).ok()?, whole.most?);
    let most = u32::try_from(most).ok().filter(|&most| most < u32::MAX)?;
    *sole = star(set);
    Some((least, Some(most)))
}

/// What stands between `^` and `$`; `None` where the pattern is not all between them.
fn whole_parts(root: &Node) -> Option<Vec<&Node>> {
    let mut parts = Vec::new();
    flatten(root, &mut parts);
    let begins = |part: &&Node| matches!(part, Node::Assert(Assertion::Start));
    let ends = |part: &&Node| matches!(part, Node::Assert(Assertion::End));
    // Look-aheads at the very beginning may stand before the anchor.
    let first = parts.iter().position(begins)?;
    let last = parts.iter().rposition(ends)?;
    let is_clear = parts[..first]
        .iter()
        .all(|part| matches!(part, Node::Look(_)));
    if !is_clear || last + 1 != parts.len() {
        return None;
    }
    parts.remove(last);
    parts.remove(first);
    Some(parts)
}

fn flatten<'n>(node: &'n Node, parts: &mut Vec<&'n Node>) {
    match node {
        Node::Concat(inner) => inner.iter().for_each(|part| flatten(part, parts)),
        Node::Empty => {}
        Node::Atomic(atomic) => flatten(&atomic.body, parts),
        node => parts.push(node),
    }
}

/// Whether a part takes no character.
fn is_place(part: &Node) -> bool {
    matches!(part, Node::Look(_) | Node::Behind(_) | Node::Assert(_))
}

/// All characters that some parts may have.
fn sets_of(parts: &[&Node], sets: &Sets) -> CodePoints {
    let mut all = CodePoints::default();
    let mut pending = parts.to_vec();
    while let Some(node) = pending.pop() {
        match node {
            Node::Empty | Node::Assert(_) | Node::Look(_) | Node::Behind(_) => {}
            Node::Set(set) => all = all.with(&sets.list[*set as usize]),
            Node::Concat(parts) | Node::Alternation(parts) => pending.extend(parts),
            Node::Repeat { body, .. } => pending.push(body),
            Node::Atomic(atomic) => pending.push(&atomic.body),
        }
    }
    all
}

/// The lengths that a look-ahead at the beginning asks for, if it asks for nothing else of a text of
/// characters of `used`.
fn length_of(part: &Node, ast: &Ast, used: &CodePoints) -> Option<(u32, Option<u32>)> {
    let &Node::Look(Look { body, polarity }) = part else {
        return None;
    };
    // Where something stands before it that takes characters, it is about the rest only.
    if !stands_first(part, &ast.root) {
        return None;
    }
    let mut parts = Vec::new();
    flatten(&ast.looks[body as usize], &mut parts);
    parts.retain(|part| !matches!(part, Node::Assert(Assertion::Start)));
    let (repeat, is_whole) = match parts[..] {
        [repeat] => (repeat, false),
        [repeat, Node::Assert(Assertion::End)] => (repeat, true),
        _ => return None,
    };
    let Node::Repeat { body, min, max } = repeat else {
        return None;
    };
    let Node::Set(set) = **body else { return None };
    let others = ast.sets.list[set as usize].negate();
    if used.meets(&others) {
        return None;
    }
    match (polarity, is_whole) {
        (Polarity::Positive, true) => Some((*min, *max)),
        (Polarity::Positive, false) => Some((*min, None)),
        (Polarity::Negative, false) => Some((0, Some(min.checked_sub(1)?))),
        (Polarity::Negative, true) if max.is_none() => Some((0, Some(min.checked_sub(1)?))),
        (Polarity::Negative, true) if *min == 0 => Some((max.map(|max| max + 1)?, None)),
        (Polarity::Negative, true) => None,
    }
}

/// Whether nothing but places stands before `part`.
fn stands_first(part: &Node, root: &Node) -> bool {
    let mut parts = Vec::new();
    flatten(root, &mut parts);
    let mut before = parts
        .iter()
        .take_while(|other| !std::ptr::eq(**other, part));
    before.all(|other| is_place(other))
}

/// Whether an automaton would be large, and texts are so many that nobody counts them.
fn is_worth_counting(body: &Node, sets: &Sets) -> bool {
    let ranges = sets.list.iter().map(|set| set.ranges().len()).max();
    let is_large = body.size().saturating_mul(1 + ranges.unwrap_or(0) / 4) > SMALL;
    is_large && has_many(body, sets)
}

/// Whether something is repeated often that is not always the same.
fn has_many(node: &Node, sets: &Sets) -> bool {
    match node {
        Node::Concat(parts) | Node::Alternation(parts) => {
            parts.iter().any(|part| has_many(part, sets))
        }
        Node::Repeat { body, min, max } => {
            let often = max.is_none_or(|max| max >= FEW) || *min >= FEW;
            often && span(body).least > 0 && is_varied(body, sets) || has_many(body, sets)
        }
        Node::Atomic(atomic) => has_many(&atomic.body, sets),
        _ => false,
    }
}

fn is_varied(node: &Node, sets: &Sets) -> bool {
    match node {
        Node::Set(set) => {
            let ranges = sets.list[*set as usize].ranges();
            ranges.len() > 1 || ranges.iter().any(|(lo, hi)| lo < hi)
        }
        Node::Concat(parts) => parts.iter().any(|part| is_varied(part, sets)),
        // Where texts are told by counting, no two branches have one in common.
        Node::Alternation(branches) => branches.len() > 1,
        Node::Repeat { body, min, .. } => *min > 0 && is_varied(body, sets),
        Node::Atomic(atomic) => is_varied(&atomic.body, sets),
        _ => false,
    }
}

fn star(set: &Node) -> Node {
    Node::Repeat {
        body: Box::new(set.clone()),
        min: 0,
        max: None,
    }
}

fn anchored(mut parts: Vec<Node>) -> Node {
    parts.insert(0, Node::Assert(Assertion::Start));
    parts.push(Node::Assert(Assertion::End));
    Node::Concat(parts)
}
