//! Positions that loop on a whole class of characters.

use crate::base::LimitError;
use crate::grammar::Reading;
use crate::machine::{Generation, Origin, Pos};
use crate::vocab::{Multibyte, TokenClass};

/// Fewer looping characters than this are walked faster than sliced.
const WORTH: u32 = 24;

/// The ranges of each byte of the well-formed UTF-8 sequences beyond ASCII (Unicode, table 3-7).
const SEQUENCES: [&[(u8, u8)]; 8] = [
    &[(0xC2, 0xDF), (0x80, 0xBF)],
    &[(0xE0, 0xE0), (0xA0, 0xBF), (0x80, 0xBF)],
    &[(0xE1, 0xEC), (0x80, 0xBF), (0x80, 0xBF)],
    &[(0xED, 0xED), (0x80, 0x9F), (0x80, 0xBF)],
    &[(0xEE, 0xEF), (0x80, 0xBF), (0x80, 0xBF)],
    &[(0xF0, 0xF0), (0x90, 0xBF), (0x80, 0xBF), (0x80, 0xBF)],
    &[(0xF1, 0xF3), (0x80, 0xBF), (0x80, 0xBF), (0x80, 0xBF)],
    &[(0xF4, 0xF4), (0x80, 0x8F), (0x80, 0xBF), (0x80, 0xBF)],
];

/// A class of characters, and where a run of it leads.
pub(super) struct Absorbed {
    pub(super) class: TokenClass,
    /// The position that every character of the class leads to, and that loops on it: often the
    /// position itself.
    pub(super) home: Pos,
    /// The bytes outside the class that may come next at the position or at its home; `None` where
    /// that does not tell which bytes may end a run of the class: where the rule may end there, so
    /// that anything may follow, or where something else begins with a character of the class.
    pub(super) leaving: Option<Vec<u8>>,
}

/// The class that `pos` absorbs by edges of its own, if it is worth a slice.
pub(super) fn absorbed(generation: &Generation, pos: Pos) -> Result<Option<Absorbed>, LimitError> {
    // Positions that remember what is read do not come back.
    if generation.expand(pos).reading != Reading::Passing {
        return Ok(None);
    }
    let Some(home) = home(generation, pos) else {
        return Ok(None);
    };
    let ascii = ascii_into(generation, pos, home) & ascii_into(generation, home, home);
    if ascii.count_ones() < WORTH {
        return Ok(None);
    }
    let all = SEQUENCES.iter().all(|sequence| {
        loops(generation, pos, sequence, home) && loops(generation, home, sequence, home)
    });
    let multibyte = if all {
        Multibyte::AllUtf8
    } else {
        Multibyte::None
    };
    let within = |byte: u8| match byte.is_ascii() {
        true => ascii >> byte & 1 == 1,
        false => all,
    };
    let mut leaving: Vec<u8> = Vec::new();
    let mut clear = true;
    for from in [pos, home] {
        let here = generation.state(generation.enter(from, Origin::BOTTOM)?);
        clear &= !here.accepting;
        for item in &here.items {
            for edge in &generation.expand(item.pos).edges {
                for byte in edge.lo..=edge.hi {
                    // The class's own lead bytes lead elsewhere too, but come back.
                    let own = item.pos == from && (edge.to == home || !byte.is_ascii());
                    match within(byte) {
                        true => clear &= own,
                        false => leaving.push(byte),
                    }
                }
            }
        }
    }
    leaving.sort_unstable();
    leaving.dedup();
    let class = TokenClass { ascii, multibyte };
    Ok(Some(Absorbed {
        class,
        home,
        leaving: clear.then_some(leaving),
    }))
}

/// Where most of the ASCII bytes lead from `pos`, if bytes do not lead to places of their own.
fn home(generation: &Generation, pos: Pos) -> Option<Pos> {
    let node = generation.expand(pos);
    if node.reading != Reading::Passing {
        return None;
    }
    let most = node
        .edges
        .iter()
        .max_by_key(|edge| ascii_into(generation, pos, edge.to).count_ones())?;
    Some(most.to)
}

/// The ASCII bytes that lead from `from` to `to`.
fn ascii_into(generation: &Generation, from: Pos, to: Pos) -> u128 {
    let edges = generation.expand(from).edges.iter();
    edges
        .filter(|edge| edge.to == to && edge.lo < 0x80)
        .flat_map(|edge| edge.lo..=edge.hi.min(0x7F))
        .fold(0, |ascii, byte| ascii | 1 << byte)
}

/// Whether every byte sequence in `ranges` leads from `from` to `home`.
fn loops(generation: &Generation, from: Pos, ranges: &[(u8, u8)], home: Pos) -> bool {
    let Some((&(lo, hi), rest)) = ranges.split_first() else {
        return from == home;
    };
    let mut next = u16::from(lo);
    for edge in &generation.expand(from).edges {
        let reaches = u16::from(edge.lo) <= next && next <= u16::from(edge.hi);
        if next <= u16::from(hi) && reaches && loops(generation, edge.to, rest, home) {
            next = u16::from(edge.hi) + 1;
        }
    }
    next > u16::from(hi)
}
