//! Graphs of rules: strongly connected components, loops, reachability. Nothing here recurses.

use std::collections::VecDeque;

/// For each node, where its edges lead.
pub(crate) type Edges = Vec<Vec<usize>>;

/// The strongly connected components (Tarjan), those that others lead to first.
pub(crate) fn components(edges: &Edges) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let mut found = Vec::new();
    let mut number = vec![NEW; edges.len()];
    let mut low = vec![NEW; edges.len()];
    let mut pending = vec![false; edges.len()];
    let (mut stack, mut calls, mut next) = (Vec::new(), Vec::new(), 0);
    for root in 0..edges.len() {
        if number[root] == NEW {
            calls.push((root, 0));
        }
        while let Some((node, edge)) = calls.pop() {
            if edge == 0 {
                (number[node], low[node], pending[node]) = (next, next, true);
                next += 1;
                stack.push(node);
            } else {
                low[node] = low[node].min(low[edges[node][edge - 1]]);
            }
            let rest = edges[node].iter().enumerate().skip(edge);
            let mut enter = None;
            for (at, &to) in rest {
                if number[to] == NEW {
                    enter = Some((at, to));
                    break;
                }
                if pending[to] {
                    low[node] = low[node].min(number[to]);
                }
            }
            if let Some((at, to)) = enter {
                calls.push((node, at + 1));
                calls.push((to, 0));
            } else if low[node] == number[node] {
                let start = stack.iter().rposition(|&n| n == node).unwrap_or(0);
                let component = stack.split_off(start);
                for &member in &component {
                    // A finished component must not lower its callers.
                    (pending[member], low[member]) = (false, NEW);
                }
                found.push(component);
            }
        }
    }
    found
}

/// Whether a component of [`components`] holds a loop.
pub(crate) fn is_loop(component: &[usize], edges: &Edges) -> bool {
    component.len() > 1 || component.iter().any(|&node| edges[node].contains(&node))
}

/// The nodes strictly between `node` and itself on a shortest loop through it.
pub(crate) fn shortest_loop(node: usize, edges: &Edges) -> Vec<usize> {
    let mut before = vec![usize::MAX; edges.len()];
    let mut queue = VecDeque::from([node]);
    while let Some(at) = queue.pop_front() {
        if edges[at].contains(&node) {
            let back = std::iter::successors(Some(at), |&at| Some(before[at]));
            let mut path: Vec<_> = back.take_while(|&at| at != node).collect();
            path.reverse();
            return path;
        }
        for &to in &edges[at] {
            if to != node && before[to] == usize::MAX {
                before[to] = at;
                queue.push_back(to);
            }
        }
    }
    Vec::new()
}

/// Which nodes `starts` lead to, themselves included.
pub(crate) fn reachable(starts: impl IntoIterator<Item = usize>, edges: &Edges) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut open: Vec<usize> = starts.into_iter().collect();
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(&edges[node]);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_lead_to() {
        let edges = vec![vec![1], vec![2, 3], vec![1], vec![3], vec![0, 3]];
        let found = components(&edges);
        assert_eq!(found, [vec![3], vec![1, 2], vec![0], vec![4]]);
        let loops: Vec<_> = found.iter().map(|c| is_loop(c, &edges)).collect();
        assert_eq!(loops, [true, true, false, false]);
        assert_eq!(shortest_loop(1, &edges), [2]);
        assert_eq!(reachable([1], &edges), [false, true, true, true, false]);
    }
}
