//! White space as programs lay JSON out.

use super::dfa::{Dfa, Edge};
use super::draft::Draft;

impl Dfa {
    /// At most one space; or a line break, `\n` or `\r\n`, and behind it at most `spaces` spaces or `tabs` tabs, at least one
    /// of each.
    ///
    /// PERF: requests of chat formats have this white space, and the way from a pattern took a fifth of what they take.
    pub(crate) fn indents(spaces: u32, tabs: u32) -> Self {
        const START: u32 = 1;
        const END: u32 = 2;
        const RETURN: u32 = 3;
        const LINE: u32 = 4;
        let edge = |byte: u8, target| Edge {
            lo: byte,
            hi: byte,
            target,
        };
        let first_space = LINE + 1;
        let first_tab = first_space + spaces - 1;
        // The last one of a run leads to the end.
        let run = |first: u32, count: u32, read: u32| match read < count {
            true => first + read - 1,
            false => END,
        };
        let mut draft = Draft::new();
        let begin = [edge(b'\n', LINE), edge(b'\r', RETURN), edge(b' ', END)];
        draft.push_row(true, begin);
        draft.push_row(true, []);
        draft.push_row(false, [edge(b'\n', LINE)]);
        let behind = [
            edge(b'\t', run(first_tab, tabs, 1)),
            edge(b' ', run(first_space, spaces, 1)),
        ];
        draft.push_row(true, behind);
        for (byte, first, count) in [(b' ', first_space, spaces), (b'\t', first_tab, tabs)] {
            for read in 1..count {
                draft.push_row(true, [edge(byte, run(first, count, read + 1))]);
            }
        }
        draft.assume_minimal(START)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::base::Limits;

    #[test]
    fn indents_are_what_the_pattern_says() {
        for (spaces, tabs) in [(1, 1), (1, 3), (2, 1), (64, 16)] {
            let pattern = format!(r" ?|\r?\n(?: {{0,{spaces}}}|\t{{0,{tabs}}})");
            let expected = Dfa::regex_full(&pattern, &Limits::default()).unwrap();
            assert_eq!(Dfa::indents(spaces, tabs), expected, "{pattern}");
        }
    }
}
