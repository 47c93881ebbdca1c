//! Automata as bytes: a table that is read back in one pass, for languages that are known beforehand.
//!
//! Canonical numbering is what makes a table small and reading it simple. States come in the order
//! in which edges first lead to them, so such an edge need not say where it leads. State for
//! state, from 1: a number, twice how many edges there are and one more if the state accepts; per
//! edge the bytes passed over since the edge before, the bytes of the edge less one, and how far
//! before the next new state its target is. Numbers are in base 128, lowest digit first, all but
//! the last byte with the high bit set.

use super::dfa::{Dfa, Edge};

impl Dfa {
    /// The automaton that [`Dfa::pack`] made `table` of; `None` where that was none.
    pub(crate) fn unpack(table: &[u8]) -> Option<Self> {
        let mut table = Table(table);
        let (mut ends, mut edges, mut accepting) = (vec![0], Vec::new(), vec![false]);
        let mut new_state: u32 = 2;
        while !table.0.is_empty() {
            let head = table.number()?;
            let mut from = 0;
            for _ in 0..head >> 1 {
                let lo = from + table.number()?;
                let hi = lo + table.number()?;
                let target = new_state.checked_sub(table.number()?)?;
                new_state += u32::from(target == new_state);
                edges.push(Edge {
                    lo: u8::try_from(lo).ok()?,
                    hi: u8::try_from(hi).ok()?,
                    target,
                });
                from = hi + 1;
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
    #[cfg(test)]
    pub(crate) fn pack(&self) -> Vec<u8> {
        let mut table = Vec::new();
        let mut new_state = 2;
        for state in self.states().skip(1) {
            let edges = self.edges_of(state.get());
            let accepting = u32::from(self.is_accepting(state));
            push_number(&mut table, (edges.len() as u32) << 1 | accepting);
            let mut from = 0;
            for &Edge { lo, hi, target } in edges {
                push_number(&mut table, u32::from(lo) - from);
                push_number(&mut table, u32::from(hi - lo));
                push_number(&mut table, new_state - target);
                new_state += u32::from(target == new_state);
                from = u32::from(hi) + 1;
            }
        }
        table
    }
}

struct Table<'a>(&'a [u8]);

impl Table<'_> {
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

#[cfg(test)]
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
    fn what_is_no_table_is_refused() {
        let table = Dfa::utf8_text().pack();
        for end in 1..table.len() {
            assert_eq!(Dfa::unpack(&table[..end]), None);
        }
        assert_eq!(Dfa::unpack(&[0xFF; 9]), None);
    }
}
