//! The beginnings of excluded strings (Aho and Corasick, 1975): what a text must remember of what has been read.

use crate::base::{ByteSet, LimitError, Limits};

/// What each beginning costs for each byte that may come.
const STEPS_PER_EDGE: usize = 4;

/// All beginnings, each by its number; none of a string is number 0.
pub(super) struct Prefixes {
    all: Vec<Prefix>,
    /// By byte, its number among those that occur.
    numbers: [Option<u8>; 256],
    /// By beginning and number of a byte, the longest beginning that what was read then ends in.
    steps: Vec<u32>,
}

/// A beginning of strings.
#[derive(Clone, Default)]
struct Prefix {
    byte: u8,
    /// The longest other beginning that it ends in.
    shorter: usize,
    /// Whether it goes on to be a string.
    goes_on: bool,
    /// What of it is remembered: the longest that it ends in and that goes on.
    kept: usize,
    /// Whether it is a string that is excluded.
    excluded: bool,
    /// Where it is a string whose first byte must stand doubled: that string with the byte doubled.
    doubled: Option<usize>,
    /// Whether it ends in another string that may not stand. One that must stand doubled may where it does.
    holds_refused: bool,
}

const NONE: u32 = u32::MAX;

impl Prefixes {
    /// The beginnings of strings that may not stand, and of those whose first byte must stand doubled, which are of `bytes`.
    pub(super) fn new(
        excluded: &[String],
        alone: &[String],
        bytes: ByteSet,
        limits: &Limits,
    ) -> Result<Self, LimitError> {
        let mut numbers = [None; 256];
        for (number, byte) in bytes.iter().enumerate() {
            numbers[usize::from(byte)] = Some(number as u8);
        }
        let mut prefixes = Self {
            all: Vec::new(),
            numbers,
            steps: Vec::new(),
        };
        let width = bytes.len();
        prefixes.push(0, width, limits)?;
        for string in excluded {
            let at = prefixes.insert(string.as_bytes(), width, limits)?;
            prefixes.all[at].excluded = true;
        }
        for string in alone {
            let at = prefixes.insert(string.as_bytes(), width, limits)?;
            let twin = prefixes.insert(&doubled(string), width, limits)?;
            prefixes.all[at].doubled = Some(twin);
        }
        prefixes.link(width);
        Ok(prefixes)
    }

    fn push(&mut self, byte: u8, width: usize, limits: &Limits) -> Result<usize, LimitError> {
        limits.charge(STEPS_PER_EDGE * (width + 1))?;
        self.all.push(Prefix {
            byte,
            ..Prefix::default()
        });
        self.steps.resize(self.all.len() * width, NONE);
        Ok(self.all.len() - 1)
    }

    /// The number of `string`, with those of its beginnings.
    fn insert(
        &mut self,
        string: &[u8],
        width: usize,
        limits: &Limits,
    ) -> Result<usize, LimitError> {
        let mut at = 0;
        for &byte in string {
            self.all[at].goes_on = true;
            let edge = at * width + self.number(byte);
            at = match self.steps[edge] {
                NONE => {
                    let next = self.push(byte, width, limits)?;
                    self.steps[edge] = next as u32;
                    next
                }
                next => next as usize,
            };
        }
        Ok(at)
    }

    /// The number of a byte that occurs.
    fn number(&self, byte: u8) -> usize {
        self.numbers[usize::from(byte)].map_or(0, usize::from)
    }

    /// Completes the steps, short beginnings first.
    fn link(&mut self, width: usize) {
        let mut open = vec![0];
        let mut next = 0;
        while let Some(&at) = open.get(next) {
            next += 1;
            self.settle(at);
            let shorter = self.all[at].shorter;
            for number in 0..width {
                // From no beginning, what does not go on is none again.
                let fallen = match at {
                    0 => 0,
                    _ => self.steps[shorter * width + number],
                };
                let step = &mut self.steps[at * width + number];
                match *step {
                    NONE => *step = fallen,
                    longer => {
                        self.all[longer as usize].shorter = fallen as usize;
                        open.push(longer as usize);
                    }
                }
            }
        }
    }

    /// Says of `at` what follows from the beginning that it ends in.
    fn settle(&mut self, at: usize) {
        if at == 0 {
            return;
        }
        let shorter = &self.all[self.all[at].shorter];
        let stands_alone = shorter.doubled.is_some_and(|twin| twin != at);
        let refused = shorter.excluded || stands_alone || shorter.holds_refused;
        let kept = shorter.kept;
        let prefix = &mut self.all[at];
        prefix.holds_refused = refused;
        prefix.kept = if prefix.goes_on { at } else { kept };
    }

    /// What is remembered behind `byte`, where `at` was; nothing where the text may not go on so.
    pub(super) fn step(&self, at: usize, byte: u8) -> Option<usize> {
        let prefix = &self.all[self.after_byte(at, byte)];
        let refused = prefix.excluded || prefix.doubled.is_some() || prefix.holds_refused;
        (!refused).then_some(prefix.kept)
    }

    fn after_byte(&self, at: usize, byte: u8) -> usize {
        let width = self.steps.len() / self.all.len();
        let number = self.numbers[usize::from(byte)];
        number.map_or(0, |number| {
            self.steps[at * width + usize::from(number)] as usize
        })
    }

    /// What is remembered of `text`, which stands before.
    pub(super) fn after(&self, text: &str) -> usize {
        let kept = |at, byte| self.all[self.after_byte(at, byte)].kept;
        text.bytes().fold(0, kept)
    }

    /// The last byte of a beginning.
    pub(super) fn last_byte(&self, at: usize) -> Option<u8> {
        (at != 0).then(|| self.all[at].byte)
    }
}

/// `string` with its first byte doubled.
fn doubled(string: &str) -> Vec<u8> {
    let bytes = string.as_bytes();
    bytes.iter().take(1).chain(bytes).copied().collect()
}
