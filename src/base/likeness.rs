//! Names that are spelt alike, for hints.

/// Longer names are not compared with each other for likeness.
const LONGEST_COMPARED: usize = 48;

/// So many pairs of letters are compared at most, in the order of the candidates: a hint is worth no more.
const MOST_PAIRS: usize = 1 << 20;

/// The candidate that is spelt most like `name`, if any is close.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.len() > LONGEST_COMPARED {
        return None;
    }
    let close = name.len() / 3 + 1;
    // A distance is at least the difference of the lengths.
    let near = candidates.filter(|other| {
        other.len() <= LONGEST_COMPARED && other.len().abs_diff(name.len()) <= close
    });
    let mut left = MOST_PAIRS;
    let near = near.take_while(|other| {
        left = left.saturating_sub((name.len() + 1) * (other.len() + 1));
        left > 0
    });
    let near = near.map(|other| (distance(name, other), other));
    let best = near
        .filter(|&(distance, _)| distance <= close)
        .min_by_key(|&(distance, _)| distance);
    best.map(|(_, other)| other)
}

/// The Levenshtein distance, letters of either case being equal.
fn distance(a: &str, b: &str) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.bytes().enumerate() {
            let change = diagonal + usize::from(!x.eq_ignore_ascii_case(&y));
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
