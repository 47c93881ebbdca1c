//! How texts that bodies remember are told from what stands around them.

use std::ops::Range;

use crate::base::ByteSet;

/// Where the texts stand that a body remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delimiters {
    /// Each begins and ends with one byte, which is part of it.
    Own {
        delimiter: u8,
        /// A byte that no remembered text stands behind, be there white space (tabs, line ends, spaces) in between.
        never_behind: u8,
    },
    /// Each stands between two bytes that are no part of it. None is empty.
    Between {
        /// The bytes that stand before one; but for the first that is read, which nothing refuses.
        before: ByteSet,
        /// The bytes that stand behind one.
        behind: ByteSet,
    },
}

impl Delimiters {
    /// Stands for a control token among bytes: no text has this byte.
    pub(crate) const CONTROL: u8 = 0xFF;

    /// The bytes with which texts end, or behind them.
    pub(crate) fn ending(&self) -> ByteSet {
        match *self {
            Self::Own { delimiter, .. } => ByteSet::range(delimiter, delimiter),
            Self::Between { behind, .. } => behind,
        }
    }

    /// The delimiter that a text begins with.
    pub(crate) fn opening(&self) -> &[u8] {
        match self {
            Self::Own { delimiter, .. } => std::slice::from_ref(delimiter),
            Self::Between { .. } => &[],
        }
    }

    /// Whether texts have delimiters of their own, so that one of which nothing was read is not under way.
    pub(crate) fn are_own(&self) -> bool {
        matches!(self, Self::Own { .. })
    }

    /// Whether a text that is under way is refused for what its own position remembers, and for nothing else.
    ///
    /// A text between others may have ended where it is under way, and is then remembered itself.
    pub(crate) fn are_refused_alone(&self) -> bool {
        !self.are_own()
    }

    /// Where texts may begin in `bytes`, ascending.
    pub(crate) fn begins(&self, bytes: &[u8]) -> impl Iterator<Item = usize> + Clone {
        (0..bytes.len()).filter_map(move |at| match self {
            Self::Own {
                delimiter,
                never_behind,
            } => {
                let may_stand = || bytes[..at].trim_ascii_end().last() != Some(never_behind);
                (bytes[at] == *delimiter && may_stand()).then_some(at)
            }
            Self::Between { before, .. } => before.contains(bytes[at]).then_some(at + 1),
        })
    }

    /// Where texts may end in `bytes`, ascending.
    pub(crate) fn ends(&self, bytes: &[u8]) -> impl Iterator<Item = usize> + Clone {
        (0..bytes.len()).filter_map(move |at| match self {
            Self::Own { delimiter, .. } => (bytes[at] == *delimiter).then_some(at + 1),
            Self::Between { behind, .. } => behind.contains(bytes[at]).then_some(at),
        })
    }

    /// Where texts may stand in `bytes`, whole.
    pub(crate) fn whole(&self, bytes: &[u8]) -> impl Iterator<Item = Range<usize>> {
        self.begins(bytes).flat_map(move |begin| {
            let least = begin + self.opening().len() + 1;
            let ends = self.ends(bytes).filter(move |&end| end >= least);
            ends.map(move |end| begin..end)
        })
    }

    /// Whether `text`, of which one has ended at `end` in `bytes`, stands there again where it may be refused.
    pub(crate) fn comes_again(&self, text: &[u8], bytes: &[u8], end: usize) -> bool {
        let least = match self {
            Self::Own { .. } => end,
            Self::Between { .. } => end + 1,
        };
        let mut begins = self.begins(bytes).filter(|&at| at >= least);
        begins.any(|at| self.stands(text, bytes, at))
    }

    /// Whether `text` stands whole at this place of `bytes`.
    pub(crate) fn stands(&self, text: &[u8], bytes: &[u8], at: usize) -> bool {
        let rest = bytes.get(at..).and_then(|rest| rest.strip_prefix(text));
        match (self, rest) {
            (_, None) => false,
            (Self::Own { .. }, Some(_)) => true,
            (Self::Between { behind, .. }, Some(rest)) => {
                rest.first().is_some_and(|&byte| behind.contains(byte))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUOTES: Delimiters = Delimiters::Own {
        delimiter: b'"',
        never_behind: b':',
    };
    const NAMES: Delimiters = Delimiters::Between {
        before: ByteSet::range(b',', b','),
        behind: ByteSet::range(b'=', b'='),
    };

    #[test]
    fn whole_texts_are_found() {
        let whole = |delimiters: Delimiters, bytes: &str| -> Vec<String> {
            let whole = delimiters.whole(bytes.as_bytes());
            whole.map(|range| bytes[range].to_owned()).collect()
        };
        assert_eq!(
            whole(QUOTES, r#"a"b"c"#),
            [r#""b""#],
            "a text has its delimiters"
        );
        assert_eq!(whole(QUOTES, r#"""x"#), [r#""""#]);
        assert_eq!(whole(QUOTES, r#""a" : "b""#)[..1], [r#""a""#]);
        assert!(
            !whole(QUOTES, r#""a" : "b""#).contains(&r#""b""#.to_owned()),
            "a value"
        );
        assert_eq!(whole(NAMES, "a=1,b=2,c"), ["b"]);
        assert_eq!(whole(NAMES, ",=,a=b="), ["=,a", "=,a=b", "a", "a=b"]);
    }

    #[test]
    fn texts_come_again_where_they_may_stand() {
        let again = |delimiters: Delimiters, text: &str, bytes: &str, end| {
            delimiters.comes_again(text.as_bytes(), bytes.as_bytes(), end)
        };
        assert!(again(QUOTES, r#""b""#, r#""b","b""#, 3));
        assert!(!again(QUOTES, r#""b""#, r#""b": "b""#, 3), "a value");
        assert!(!again(QUOTES, r#""""#, r#"""""#, 2), "a quote of both");
        assert!(again(NAMES, "a", "a=1,a=2", 1));
        assert!(!again(NAMES, "a", "a=1,ab=2", 1), "another name");
        assert!(!again(NAMES, "a", "a=1;a=2", 1), "no name");
    }
}
