//! Repetitions that may as well be shorter, without a bound, or begin elsewhere.

use super::ast::Node;
use super::spans::span;

/// Leaves out bounds that a text of at most `most` code points cannot reach.
pub(super) fn leave_unreached(node: &mut Node, most: u32) {
    match node {
        Node::Concat(parts) => {
            let leasts = parts.iter().map(|part| span(part).least);
            let all = leasts.fold(0, u64::saturating_add);
            for part in parts {
                // The others take what they must have.
                let others = u32::try_from(all - span(part).least).unwrap_or(u32::MAX);
                leave_unreached(part, most.saturating_sub(others));
            }
        }
        Node::Alternation(branches) => {
            branches
                .iter_mut()
                .for_each(|branch| leave_unreached(branch, most));
        }
        Node::Repeat { body, max, .. } => {
            let round = span(body).least;
            let is_reached = |max: u32| round.saturating_mul(u64::from(max) + 1) <= u64::from(most);
            if round > 0 && max.is_some_and(|max| !is_reached(max)) {
                *max = None;
            }
            leave_unreached(body, most);
        }
        Node::Atomic(atomic) => leave_unreached(&mut atomic.body, most),
        _ => {}
    }
}

/// Brings what begins each round of a repetition, and stands behind it as well, before it: `(?:ab)*a` is
/// `a(?:ba)*`, where the next character tells whether there is another round.
pub(super) fn rotate(node: &mut Node) {
    match node {
        Node::Concat(parts) => {
            parts.iter_mut().for_each(rotate);
            let mut at = 0;
            while at < parts.len() {
                at += rotate_at(parts, at);
            }
        }
        Node::Alternation(branches) => branches.iter_mut().for_each(rotate),
        Node::Repeat { body, .. } => rotate(body),
        Node::Atomic(atomic) => rotate(&mut atomic.body),
        _ => {}
    }
}

/// The same for one part; how many parts have been dealt with.
fn rotate_at(parts: &mut [Node], at: usize) -> usize {
    let (before, behind) = parts.split_at_mut(at + 1);
    let Node::Repeat { body, .. } = &mut before[at] else {
        return 1;
    };
    let Node::Concat(round) = &mut **body else {
        return 1;
    };
    let pairs = round.iter().zip(behind.iter());
    let common = pairs.take_while(|(a, b)| a == b).count();
    if common == 0 || common == round.len() {
        return 1;
    }
    round.rotate_left(common);
    parts[at..=at + common].rotate_left(1);
    // What stands behind it now may begin its rounds, too.
    common
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

#[cfg(test)]
mod tests {
    use super::super::ast::Ast;
    use super::super::compile::{Extent, determinise};
    use super::super::{Dialect, Pattern};
    use super::*;
    use crate::base::Limits;
    use crate::regular::Dfa;

    /// The automaton of a pattern after `change`.
    fn changed(pattern: &str, change: impl Fn(&mut Ast)) -> Dfa {
        let limits = Limits::default();
        let mut read = Pattern::parse(pattern, Dialect::Ecma, &limits).unwrap();
        change(&mut read.ast);
        determinise(read.ast, Extent::Whole, &limits).unwrap()
    }

    /// Whether the rounds of some repetition begin elsewhere now, or have no bound.
    fn differs(pattern: &str, change: impl Fn(&mut Ast)) -> bool {
        let mut read = Pattern::parse(pattern, Dialect::Ecma, &Limits::default()).unwrap();
        let before = read.ast.root.clone();
        change(&mut read.ast);
        read.ast.root != before
    }

    #[test]
    fn repetitions_that_begin_elsewhere_have_the_same_texts() {
        let rotates = |ast: &mut Ast| rotate(&mut ast.root);
        for (pattern, expect) in [
            ("(?:ab)*a", true),
            ("(?:a{1,3},){0,4}a{1,3}", true),
            ("(?:abc){2,3}abd", true),
            ("(?:a|(?:bc)+b)(?:bc){2}b?", true),
            ("(?:ab)*(?:ba)*ab", false),
            ("(?:ab)*a(?:ba)*b", true),
            ("(?:a(?:xy){2}x)*a(?:xy){2}z", true),
            ("(?:ab)*ab", false),
            ("(?:ab)*b", false),
            ("(?:ab?)*a?", false),
            ("a*a", false),
        ] {
            assert_eq!(
                changed(pattern, rotates),
                changed(pattern, |_| ()),
                "{pattern}"
            );
            assert_eq!(differs(pattern, rotates), expect, "{pattern}");
        }
    }

    #[test]
    fn bounds_that_no_text_reaches_are_none() {
        let limits = Limits::default();
        for most in 0..9 {
            let unreached = |ast: &mut Ast| leave_unreached(&mut ast.root, most);
            let short = Dfa::regex_full(&format!("[^]{{0,{most}}}"), &limits).unwrap();
            for pattern in [
                "a{0,5}b",
                "(?:ab){1,3}",
                "x(?:ab?){0,4}y{0,2}",
                "(?:(?:ab){0,2}c){2,3}|a{3,7}",
                "(?:a?){0,3}",
                "(?:a{2}){0,2}a(?!b)",
            ] {
                let texts = |dfa: Dfa| dfa.intersect(&short, &limits).unwrap();
                let before = texts(changed(pattern, |_| ()));
                assert_eq!(
                    texts(changed(pattern, unreached)),
                    before,
                    "{pattern}, {most}"
                );
            }
        }
        for (pattern, most, expect) in [
            ("a{0,5}b", 7, false),
            ("a{0,5}b", 6, true),
            ("a(?:.b){0,126}", 255, false),
            ("a(?:.b){0,126}", 254, true),
            ("(?:a?){0,9}", 3, false),
        ] {
            let unreached = |ast: &mut Ast| leave_unreached(&mut ast.root, most);
            assert_eq!(differs(pattern, unreached), expect, "{pattern}, {most}");
        }
    }
}
