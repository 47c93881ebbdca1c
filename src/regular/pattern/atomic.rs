//! Atomic groups and possessive quantifiers, where backtracking into them could find nothing.
//!
//! What such a group matches is the longest text that it can, if all its quantifiers are greedy and
//! the next character always tells how it goes on. Whatever is shorter is followed by a character
//! with which the group goes on. So if no text that follows the group begins with such a character, the
//! group may as well be tried again in another way; and so it may if whatever follows matches.

use super::ast::{Assertion, Ast, Atomic, Node};
use super::code_points::CodePoints;
use super::error::{PatternError, PatternErrorKind};
use super::positions::{Counting, Positions};

/// What may follow a part of a pattern.
#[derive(Clone)]
struct After {
    /// At least the characters with which what follows may begin.
    first: CodePoints,
    /// Whether what follows may match without a character, elsewhere than at the end of the text.
    is_free: bool,
    /// Whether what follows matches whatever there is.
    is_always: bool,
}

impl After {
    /// A character must follow, and it is one of these.
    fn one_of(first: CodePoints) -> Self {
        Self {
            first,
            is_free: false,
            is_always: false,
        }
    }
}

/// Checks all atomic groups of a pattern.
///
/// # Errors
/// Where the language would be another one without the group, or may be.
pub(super) fn check(ast: &Ast, searches: bool) -> Result<(), PatternError> {
    let sets = &ast.sets.list;
    let end = |is_always| After {
        first: CodePoints::default(),
        is_free: is_always,
        is_always,
    };
    walk(&ast.root, sets, end(searches))?;
    for look in &ast.looks {
        walk(look, sets, end(true))?;
    }
    for behind in &ast.behinds {
        let around = After {
            first: CodePoints::all(),
            is_free: true,
            is_always: false,
        };
        walk(behind, sets, around)?;
    }
    Ok(())
}

/// Checks what is within `node`, which `after` follows; gives what follows whatever stands before it.
fn walk(node: &Node, sets: &[CodePoints], after: After) -> Result<After, PatternError> {
    Ok(match node {
        Node::Empty => after,
        Node::Set(set) => After::one_of(sets[*set as usize].clone()),
        Node::Assert(Assertion::End) => After::one_of(CodePoints::default()),
        Node::Assert(_) | Node::Look(_) | Node::Behind(_) => After {
            is_always: false,
            ..after
        },
        Node::Concat(parts) => {
            let mut after = after;
            for part in parts.iter().rev() {
                after = walk(part, sets, after)?;
            }
            after
        }
        Node::Alternation(branches) => {
            let mut all: Option<After> = None;
            for branch in branches {
                let branch = walk(branch, sets, after.clone())?;
                all = Some(all.map_or(branch.clone(), |all| either(&all, &branch)));
            }
            all.unwrap_or(after)
        }
        Node::Repeat { body, min, max } => {
            // Once with nothing known of the next round, then with what the first has shown.
            let once = before(body, sets, after.clone());
            let mut behind = after.clone();
            if *max != Some(1) {
                behind = either(&after, &once);
                behind.is_always = after.is_always && *min <= 1;
            }
            let entered = walk(body, sets, behind)?;
            match min {
                0 => After {
                    is_always: after.is_always,
                    ..either(&after, &entered)
                },
                _ => entered,
            }
        }
        Node::Atomic(atomic) => {
            let entered = walk(&atomic.body, sets, after.clone())?;
            check_one(atomic, sets, &after)?;
            entered
        }
    })
}

/// What follows whatever stands before `node`, which `after` follows, with no group checked: one visit a node, so that
/// repetitions within each other cost no more than they are long. It never matches whatever there is.
fn before(node: &Node, sets: &[CodePoints], after: After) -> After {
    let after = After {
        is_always: false,
        ..after
    };
    match node {
        Node::Empty | Node::Look(_) | Node::Behind(_) => after,
        Node::Set(set) => After::one_of(sets[*set as usize].clone()),
        Node::Assert(Assertion::End) => After::one_of(CodePoints::default()),
        Node::Assert(_) => after,
        Node::Concat(parts) => {
            let parts = parts.iter().rev();
            parts.fold(after, |after, part| before(part, sets, after))
        }
        Node::Alternation(branches) => {
            let branches = branches.iter();
            let all = branches.map(|branch| before(branch, sets, after.clone()));
            all.reduce(|a, b| either(&a, &b)).unwrap_or(after)
        }
        // The next round begins with what the first began with.
        Node::Repeat { body, min, .. } => {
            let entered = before(body, sets, after.clone());
            match min {
                0 => either(&after, &entered),
                _ => entered,
            }
        }
        Node::Atomic(atomic) => before(&atomic.body, sets, after),
    }
}

fn either(a: &After, b: &After) -> After {
    After {
        first: a.first.with(&b.first),
        is_free: a.is_free || b.is_free,
        is_always: a.is_always || b.is_always,
    }
}

/// Whether a group that `after` follows may as well be an ordinary one.
fn check_one(atomic: &Atomic, sets: &[CodePoints], after: &After) -> Result<(), PatternError> {
    let refused = || PatternErrorKind::Atomic.at(atomic.span.start, atomic.span.end);
    if after.is_always {
        return Ok(());
    }
    let positions = Positions::of(&atomic.body, Counting::Loops).ok_or_else(refused)?;
    let set = |position: u32| &sets[positions.sets[position as usize] as usize];
    // What the group may go on with where it could have ended.
    let mut more = CodePoints::default();
    for &last in &positions.last {
        for step in &positions.steps[last as usize] {
            more = more.with(set(step.to));
        }
    }
    if positions.is_nullable {
        for &first in &positions.first {
            more = more.with(set(first));
        }
    }
    let apart = |places: &[u32]| {
        places.iter().enumerate().all(|(index, &one)| {
            let others = places[index + 1..].iter();
            others
                .clone()
                .all(|&other| one == other || !set(one).meets(set(other)))
        })
    };
    let is_told = apart(&positions.first)
        && positions.steps.iter().all(|steps| {
            let places: Vec<u32> = steps.iter().map(|step| step.to).collect();
            apart(&places)
        });
    // Where nothing goes on that could have ended, there is one way to match, and one place to end.
    if is_told && more.ranges().is_empty() {
        return Ok(());
    }
    let is_greedy = !atomic.is_lazy && !has_early_empty(&atomic.body);
    let is_clear = !after.is_free && !after.first.meets(&more);
    match is_told && is_greedy && is_clear {
        true => Ok(()),
        false => Err(refused()),
    }
}

/// Whether an alternation prefers nothing to something.
fn has_early_empty(node: &Node) -> bool {
    match node {
        Node::Alternation(branches) => {
            let early = branches.split_last().map_or(&[][..], |(_, early)| early);
            early.iter().any(may_be_empty) || branches.iter().any(has_early_empty)
        }
        Node::Concat(parts) => parts.iter().any(has_early_empty),
        Node::Repeat { body, .. } => has_early_empty(body),
        Node::Atomic(atomic) => has_early_empty(&atomic.body),
        _ => false,
    }
}

fn may_be_empty(node: &Node) -> bool {
    match node {
        Node::Set(_) => false,
        Node::Empty | Node::Assert(_) | Node::Look(_) | Node::Behind(_) => true,
        Node::Concat(parts) => parts.iter().all(may_be_empty),
        Node::Alternation(branches) => branches.iter().any(may_be_empty),
        Node::Repeat { body, min, .. } => *min == 0 || may_be_empty(body),
        Node::Atomic(atomic) => may_be_empty(&atomic.body),
    }
}
