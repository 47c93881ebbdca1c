//! The symbols that a pattern tells apart: classes of code points that are in the same of its sets.

use std::ops::RangeInclusive;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::code_points::{CodePoints, LAST};

/// A partition of the code points.
#[derive(Debug)]
pub(super) struct Alphabet {
    /// All code points, ascending, as `(lo, hi, class)`, both ends included.
    pub(super) intervals: Vec<(u32, u32, Option<u32>)>,
    /// Per set, the classes that it is made of, ascending.
    pub(super) classes_of: Vec<Vec<u32>>,
    /// The number of classes.
    pub(super) len: u32,
}

/// What no text has, though a set may.
const SURROGATES: RangeInclusive<u32> = 0xD800..=0xDFFF;

impl Alphabet {
    /// The coarsest partition that each of `sets` is a union of classes of. Surrogates are in no class.
    pub(super) fn new(sets: &[CodePoints]) -> Self {
        let mut alphabet = Self {
            intervals: Vec::new(),
            classes_of: vec![Vec::new(); sets.len()],
            len: 0,
        };
        // Where a set begins or ends, and where the surrogates do (which are no set): so no interval has
        // surrogates and others.
        let mut bounds = vec![
            (*SURROGATES.start(), u32::MAX),
            (SURROGATES.end() + 1, u32::MAX),
        ];
        for (set, code_points) in sets.iter().enumerate() {
            for &(lo, hi) in code_points.ranges() {
                bounds.extend([(lo, set as u32), (hi + 1, set as u32)]);
            }
        }
        bounds.sort_unstable();
        let mut numbers: FxHashMap<SmallVec<[u32; 8]>, u32> = FxHashMap::default();
        let mut inside: SmallVec<[u32; 8]> = SmallVec::new();
        let mut from = 0;
        for (bound, set) in bounds.into_iter().chain([(LAST + 1, u32::MAX)]) {
            if from < bound && from <= LAST {
                let class =
                    (!SURROGATES.contains(&from)).then(|| alphabet.class(&mut numbers, &inside));
                alphabet.push(from, bound - 1, class);
                from = bound;
            }
            if set == u32::MAX {
                continue;
            }
            match inside.binary_search(&set) {
                Ok(at) => drop(inside.remove(at)),
                Err(at) => inside.insert(at, set),
            }
        }
        alphabet
    }

    /// The class of the code points that are in exactly the sets `inside`.
    fn class(
        &mut self,
        numbers: &mut FxHashMap<SmallVec<[u32; 8]>, u32>,
        inside: &SmallVec<[u32; 8]>,
    ) -> u32 {
        if let Some(&class) = numbers.get(inside) {
            return class;
        }
        let class = self.len;
        self.len += 1;
        numbers.insert(inside.clone(), class);
        for &set in inside {
            self.classes_of[set as usize].push(class);
        }
        class
    }

    /// For each class whether it is part of `set`.
    pub(super) fn membership(&self, set: u32) -> Vec<bool> {
        let mut member = vec![false; self.len as usize];
        for &class in &self.classes_of[set as usize] {
            member[class as usize] = true;
        }
        member
    }

    /// The last code point of the interval that `code_point` is in, and its class.
    pub(super) fn interval_at(&self, code_point: u32) -> (u32, Option<u32>) {
        let at = self
            .intervals
            .partition_point(|&(_, hi, _)| hi < code_point);
        let (_, hi, class) = self.intervals[at];
        (hi, class)
    }

    fn push(&mut self, lo: u32, hi: u32, class: Option<u32>) {
        match self.intervals.last_mut() {
            Some(last) if last.2 == class => last.1 = hi,
            _ => self.intervals.push((lo, hi, class)),
        }
    }
}
