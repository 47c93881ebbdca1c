//! Repetitions that may as well be shorter, or without a bound.

use super::ast::Node;
use super::spans::span;

/// Leaves out what a text of at most `most` code points cannot reach: each round takes one of them.
pub(super) fn leave_unreached(node: &mut Node, most: u32) {
    match node {
        Node::Concat(parts) | Node::Alternation(parts) => {
            parts
                .iter_mut()
                .for_each(|part| leave_unreached(part, most));
        }
        Node::Repeat { body, max, .. } => {
            if max.is_some_and(|max| max >= most) && span(body).least > 0 {
                *max = None;
            }
            leave_unreached(body, most);
        }
        Node::Atomic(atomic) => leave_unreached(&mut atomic.body, most),
        _ => {}
    }
}

/// Leaves of repetitions at the ends of what is searched for only what must be there: whatever
/// stands around it may as well be more of them.
pub(super) fn trim(node: &mut Node) {
    trim_end(node, Side::First);
    trim_end(node, Side::Last);
}

#[derive(Clone, Copy)]
enum Side {
    First,
    Last,
}

fn trim_end(node: &mut Node, side: Side) {
    match node {
        Node::Concat(parts) => {
            let end = match side {
                Side::First => parts.first_mut(),
                Side::Last => parts.last_mut(),
            };
            end.into_iter().for_each(|part| trim_end(part, side));
        }
        Node::Alternation(branches) => {
            branches
                .iter_mut()
                .for_each(|branch| trim_end(branch, side));
        }
        Node::Repeat { body, min, max } if matches!(**body, Node::Set(_)) => {
            *max = Some(*min);
            if *min == 0 {
                *node = Node::Empty;
            }
        }
        _ => {}
    }
}
