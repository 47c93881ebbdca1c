//! Automata over classes of code points to automata over the bytes of UTF-8.

use crate::base::{Ids, Interner, LimitError, Limits};

use super::super::dfa::{Dfa, Edge};
use super::super::draft::{Draft, push_edge};
use super::alphabet::Alphabet;
use super::code_points::LAST;
use super::table::{DEAD, Table};

/// What a node of the tree costs for each state.
const STEPS_PER_NODE: usize = 4;

/// The automaton over bytes of the texts that `table`, which is minimal, accepts from its first start.
///
/// The result needs no minimising: states between code points differ as those of `table` do, and
/// states within a code point are shared by their rows, from its last byte to its first.
pub(super) fn spell(
    alphabet: &Alphabet,
    table: &Table,
    limits: &Limits,
) -> Result<Dfa, LimitError> {
    let tree = Tree::new(alphabet);
    // State 0 is dead, the table's follow, then those within a code point.
    let mut draft = Draft::new();
    let mut within: Interner<Vec<Edge>> = Interner::default();
    let first_within = table.len() as u32 + 1;
    let (mut row, mut state_of) = (Vec::new(), Vec::new());
    for state in 0..table.len() as u32 {
        limits.charge(STEPS_PER_NODE * (tree.nodes.len() + 1))?;
        let targets = table.row(state);
        state_of.clear();
        for node in tree.nodes.items() {
            spell_row(node, targets, &state_of, &mut row);
            let state = match row.is_empty() {
                true => 0,
                false => first_within + number(&mut within, &row),
            };
            state_of.push(state);
        }
        spell_row(&tree.root, targets, &state_of, &mut row);
        draft.push_row(table.accepts(state), row.iter().copied());
        let states = first_within as usize + within.len();
        LimitError::check(
            "states of a regular expression",
            states,
            limits.automaton_states,
        )?;
    }
    for row in within.items() {
        draft.push_row(false, row.iter().copied());
    }
    let start = table.starts.first().map_or(0, |&start| spell_state(start));
    Ok(draft.assume_minimal(start))
}

/// The number of `row`, which is copied where it is new.
fn number(rows: &mut Interner<Vec<Edge>>, row: &Vec<Edge>) -> u32 {
    let hash = Ids::hash(row);
    let known = rows.find(hash, |known| known == row);
    known.unwrap_or_else(|| rows.insert(hash, row.clone()))
}

/// The state over bytes that is a state of the table.
fn spell_state(state: u32) -> u32 {
    if state == DEAD { 0 } else { state + 1 }
}

/// Makes `row` that of a node, by where classes lead and what the nodes before it became.
fn spell_row(node: &[Arc], targets: &[u32], state_of: &[u32], row: &mut Vec<Edge>) {
    row.clear();
    for &Arc { lo, hi, to } in node {
        let target = match to {
            To::Class(class) => spell_state(targets[class as usize]),
            To::Node(node) => state_of[node as usize],
        };
        if target != 0 {
            push_edge(row, 0, Edge { lo, hi, target });
        }
    }
}

/// All of UTF-8 as a tree (with shared branches) that leads to the classes of an alphabet.
pub(super) struct Tree {
    /// The inner nodes, children before parents.
    pub(super) nodes: Interner<Vec<Arc>>,
    pub(super) root: Vec<Arc>,
}

/// By a byte from `lo` to `hi`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Arc {
    pub(super) lo: u8,
    pub(super) hi: u8,
    pub(super) to: To,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum To {
    Class(u32),
    Node(u32),
}

/// Blocks of `size` code points each, one for each byte from `first_byte` on.
#[derive(Clone, Copy)]
struct Blocks {
    base: u32,
    size: u32,
    count: u32,
    first_byte: u8,
    /// The least code point that may be spelt with so many bytes.
    least: u32,
}

/// The blocks of the leading bytes of one, two, three and four bytes.
const LEADING: [Blocks; 4] = [
    Blocks {
        base: 0,
        size: 1,
        count: 0x80,
        first_byte: 0,
        least: 0,
    },
    Blocks {
        base: 0x80,
        size: 1 << 6,
        count: 30,
        first_byte: 0xC2,
        least: 0x80,
    },
    Blocks {
        base: 0,
        size: 1 << 12,
        count: 16,
        first_byte: 0xE0,
        least: 0x800,
    },
    Blocks {
        base: 0,
        size: 1 << 18,
        count: 5,
        first_byte: 0xF0,
        least: 0x1_0000,
    },
];

impl Tree {
    pub(super) fn new(alphabet: &Alphabet) -> Self {
        let mut tree = Self {
            nodes: Interner::default(),
            root: Vec::new(),
        };
        tree.root = LEADING
            .into_iter()
            .flat_map(|blocks| tree.arcs(alphabet, blocks))
            .collect();
        tree
    }

    fn arcs(&mut self, alphabet: &Alphabet, blocks: Blocks) -> Vec<Arc> {
        let Blocks {
            size, count, least, ..
        } = blocks;
        let mut arcs = Vec::new();
        let mut i = 0;
        while i < count {
            let base = blocks.base + i * size;
            if base > LAST {
                break;
            }
            if base + size <= least {
                i += 1;
                continue;
            }
            // How many whole blocks from here on are of one class.
            let (hi, class) = alphabet.interval_at(base);
            let whole = if base < least {
                0
            } else {
                (hi + 1 - base) / size
            };
            let step = whole.clamp(1, count - i);
            let to = if whole > 0 {
                class.map(|class| self.uniform(class, size))
            } else {
                let inner = Blocks {
                    base,
                    size: size / 64,
                    count: 64,
                    first_byte: 0x80,
                    least,
                };
                Some(self.node(alphabet, inner))
            };
            if let Some(to) = to {
                let lo = blocks.first_byte + i as u8;
                push_arc(
                    &mut arcs,
                    Arc {
                        lo,
                        hi: lo + (step - 1) as u8,
                        to,
                    },
                );
            }
            i += step;
        }
        arcs
    }

    fn node(&mut self, alphabet: &Alphabet, blocks: Blocks) -> To {
        let arcs = self.arcs(alphabet, blocks);
        To::Node(self.nodes.intern(arcs).0)
    }

    /// The rest of a code point that is of `class` however it goes on.
    fn uniform(&mut self, class: u32, size: u32) -> To {
        if size == 1 {
            return To::Class(class);
        }
        let to = self.uniform(class, size / 64);
        let arc = Arc {
            lo: 0x80,
            hi: 0xBF,
            to,
        };
        To::Node(self.nodes.intern(vec![arc]).0)
    }
}

/// Appends an arc, merging it with the last one where they meet.
fn push_arc(arcs: &mut Vec<Arc>, arc: Arc) {
    match arcs.last_mut() {
        Some(last) if last.to == arc.to && last.hi + 1 == arc.lo => last.hi = arc.hi,
        _ => arcs.push(arc),
    }
}
