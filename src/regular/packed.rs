//! Automata as bytes: a table that is read back in one pass, for languages that are known beforehand.
//!
//! Canonical numbering is what makes a table small and reading it simple. States come in the order
//! in which edges first lead to them, so such an edge need not say where it leads. State for
//! state, from 1, there are these numbers:
//!
//! - twice the number of the state's shape, and one more if it accepts. A *shape* is the bytes of a row
//!   of edges. They are numbered from 1 as they come, and 0 is a new one, which follows: how many
//!   edges, and for each the bytes passed over since the edge before and its own bytes less one;
//! - for each edge, how far before the next new state its target is.
//!
//! Numbers are in base 128, lowest digit first, all but the last byte with the high bit set.

use rustc_hash::FxHashMap;

use super::dfa::{Dfa, Edge, StateId};

/// All texts: what the empty pattern comes to.
const TEXT: &[u8] = &[
    1, 9, 0, 127, 66, 29, 0, 0, 0, 11, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0,
    1, 128, 1, 63, 8, 0, 1, 160, 1, 31, 7, 4, 7, 0, 1, 128, 1, 31, 7, 0, 1, 144, 1, 47, 5, 4, 5, 0,
    1, 128, 1, 15, 5,
];

impl Dfa {
    /// Where [`Dfa::utf8_text`] starts.
    pub(crate) const TEXT: StateId = StateId::new(1);

    /// All texts: valid UTF-8, the empty text included.
    pub fn utf8_text() -> Self {
        Self::unpack(TEXT).expect("the table is the one of a test")
    }

    /// The automaton that [`Dfa::pack`] made `table` of; `None` where that was none.
    pub fn unpack(table: &[u8]) -> Option<Self> {
        let mut table = Table(table);
        let (mut ends, mut edges, mut accepting) = (vec![0], Vec::new(), vec![false]);
        // The edges that have each shape first, as a range.
        let mut shapes: Vec<(usize, usize)> = Vec::new();
        let mut new_state: u32 = 2;
        while !table.0.is_empty() {
            let head = table.number()?;
            let begin = edges.len();
            match (head >> 1) as usize {
                0 => {
                    table.shape(&mut edges)?;
                    shapes.push((begin, edges.len()));
                }
                shape => {
                    let (from, to) = *shapes.get(shape - 1)?;
                    edges.extend_from_within(from..to);
                }
            }
            for edge in &mut edges[begin..] {
                edge.target = new_state.checked_sub(table.number()?)?;
                new_state += u32::from(edge.target == new_state);
            }
            ends.push(edges.len() as u32);
            accepting.push(head & 1 == 1);
        }
        (accepting.len() == new_state as usize).then(|| Self {
            start: 1,
            ends: ends.into(),
            edges: edges.into(),
            accepting: accepting.into(),
        })
    }

    /// A table of this automaton, whose language is not empty.
    pub fn pack(&self) -> Vec<u8> {
        let mut table = Vec::new();
        let mut shapes: FxHashMap<Vec<(u8, u8)>, u32> = FxHashMap::default();
        let mut new_state = 2;
        for state in self.states().skip(1) {
            let edges = self.edges_of(state.get());
            let accepting = u32::from(self.is_accepting(state));
            let shape: Vec<(u8, u8)> = edges.iter().map(|edge| (edge.lo, edge.hi)).collect();
            let next = shapes.len() as u32 + 1;
            let number = *shapes.entry(shape).or_insert(next);
            if number < next {
                push_number(&mut table, number << 1 | accepting);
            } else {
                push_number(&mut table, accepting);
                push_shape(&mut table, edges);
            }
            for edge in edges {
                push_number(&mut table, new_state - edge.target);
                new_state += u32::from(edge.target == new_state);
            }
        }
        table
    }
}

struct Table<'a>(&'a [u8]);

impl Table<'_> {
    /// Adds edges of a new shape; where they lead is still to come.
    fn shape(&mut self, edges: &mut Vec<Edge>) -> Option<()> {
        let mut from = 0;
        for _ in 0..self.number()? {
            let lo = from + self.number()?;
            let hi = lo + self.number()?;
            edges.push(Edge {
                lo: u8::try_from(lo).ok()?,
                hi: u8::try_from(hi).ok()?,
                target: 0,
            });
            from = hi + 1;
        }
        Some(())
    }

    fn number(&mut self) -> Option<u32> {
        let mut number = 0;
        for digit in 0..4 {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u32::from(byte & 0x7F) << (7 * digit);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

fn push_shape(table: &mut Vec<u8>, edges: &[Edge]) {
    push_number(table, edges.len() as u32);
    let mut from = 0;
    for &Edge { lo, hi, .. } in edges {
        push_number(table, u32::from(lo) - from);
        push_number(table, u32::from(hi - lo));
        from = u32::from(hi) + 1;
    }
}

fn push_number(table: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        table.push(number as u8 | 0x80);
        number >>= 7;
    }
    table.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Limits;

    #[test]
    fn what_is_packed_is_unpacked() {
        for pattern in [
            "",
            "^$",
            "^a$",
            r"^\p{L}+[0-9]{2,70}$",
            "^(?!.*é)[^x]*$",
            "(a|b)*c",
        ] {
            let dfa = Dfa::pattern(pattern, &Limits::default()).unwrap();
            assert_eq!(Dfa::unpack(&dfa.pack()).as_ref(), Some(&dfa), "{pattern}");
        }
    }

    #[test]
    fn all_texts_are_what_the_empty_pattern_matches() {
        let text = Dfa::pattern("", &Limits::default()).unwrap();
        assert_eq!(text.pack(), TEXT);
        assert_eq!(text.start(), Dfa::TEXT);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        let table = Dfa::utf8_text().pack();
        for end in 1..table.len() {
            assert_eq!(Dfa::unpack(&table[..end]), None);
        }
        assert_eq!(Dfa::unpack(&[0xFF; 9]), None);
    }
}
