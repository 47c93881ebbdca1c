//! Sets of code points: the classes of ECMA-262 patterns.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

use super::error::PatternErrorKind;

/// A set of code points as ascending, disjoint ranges `(lo, hi)`, both ends included, no two adjacent.
///
/// Surrogates may be members; texts have none, so they match nothing.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct CodePoints(Vec<(u32, u32)>);

pub(super) const LAST: u32 = 0x10_FFFF;

impl CodePoints {
    pub(super) fn new(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let meet = next.0 <= last.1.saturating_add(1);
            if meet {
                last.1 = last.1.max(next.1);
            }
            meet
        });
        Self(ranges)
    }

    pub(super) fn single(code_point: u32) -> Self {
        Self(vec![(code_point, code_point)])
    }

    pub(super) fn all() -> Self {
        Self(vec![(0, LAST)])
    }

    pub(super) fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(super) fn negate(&self) -> Self {
        let mut ranges = Vec::with_capacity(self.0.len() + 1);
        let mut from = 0;
        for &(lo, hi) in &self.0 {
            if from < lo {
                ranges.push((from, lo - 1));
            }
            from = hi + 1;
        }
        if from <= LAST {
            ranges.push((from, LAST));
        }
        Self(ranges)
    }

    /// What is in either.
    pub(super) fn with(&self, other: &Self) -> Self {
        Self::new([self.0.as_slice(), &other.0].concat())
    }

    /// What is in both.
    pub(super) fn both(&self, other: &Self) -> Self {
        self.negate().with(&other.negate()).negate()
    }

    pub(super) fn contains(&self, code_point: u32) -> bool {
        let at = self.0.partition_point(|&(_, hi)| hi < code_point);
        self.0.get(at).is_some_and(|&(lo, _)| lo <= code_point)
    }

    /// Whether some code point is in both.
    pub(super) fn meets(&self, other: &Self) -> bool {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            if a.0 <= b.1 && b.0 <= a.1 {
                return true;
            }
            match a.1 < b.1 {
                true => left.next(),
                false => right.next(),
            };
        }
        false
    }

    /// With all that differs from a member by simple case folding only.
    pub(super) fn fold(&self) -> Self {
        let chars = self.0.iter().filter_map(|&(lo, hi)| {
            // Surrogates, which no text has, have no cases: what remains is on both sides of them.
            let lo = if (0xD800..0xE000).contains(&lo) {
                0xE000
            } else {
                lo
            };
            let hi = if (0xD800..0xE000).contains(&hi) {
                0xD7FF
            } else {
                hi
            };
            let ends = char::from_u32(lo).zip(char::from_u32(hi));
            ends.filter(|(lo, hi)| lo <= hi)
                .map(|(lo, hi)| ClassUnicodeRange::new(lo, hi))
        });
        let mut class = ClassUnicode::new(chars);
        match class.try_case_fold_simple() {
            Ok(()) => self.with(&Self::of_class(&class)),
            Err(_) => self.clone(),
        }
    }

    /// With all letters of ASCII of which it has the other case.
    pub(super) fn fold_ascii(&self) -> Self {
        let other = |c: u8| self.contains(u32::from(c ^ 0x20));
        let letters = (b'A'..=b'Z').chain(b'a'..=b'z').filter(|&c| other(c));
        self.with(&Self::new(letters.map(|c| (c.into(), c.into())).collect()))
    }

    fn of_class(class: &ClassUnicode) -> Self {
        let ranges = class.ranges().iter();
        Self(ranges.map(|r| (r.start().into(), r.end().into())).collect())
    }

    /// `\s`: WhiteSpace and LineTerminator.
    pub(super) fn space() -> Self {
        Self(vec![
            (0x09, 0x0D),
            (0x20, 0x20),
            (0xA0, 0xA0),
            (0x1680, 0x1680),
            (0x2000, 0x200A),
            (0x2028, 0x2029),
            (0x202F, 0x202F),
            (0x205F, 0x205F),
            (0x3000, 0x3000),
            (0xFEFF, 0xFEFF),
        ])
    }

    /// `\p{name}`: a general category, a binary property, or `name=value`.
    pub(super) fn property(name: &str) -> Result<Self, PatternErrorKind> {
        // PCRE's name for letters that have a case.
        let name = if name == "L&" { "LC" } else { name };
        let is_name = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'=';
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err(PatternErrorKind::UnknownProperty);
        }
        let hir = regex_syntax::parse(&format!("\\p{{{name}}}"));
        match hir.map(Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => Ok(Self::of_class(&class)),
            // A property of one code point, such as `Zl`.
            Ok(HirKind::Literal(literal)) => {
                let text = str::from_utf8(&literal.0).unwrap_or_default();
                Ok(Self::new(
                    text.chars().map(|c| (c.into(), c.into())).collect(),
                ))
            }
            _ => Err(PatternErrorKind::UnknownProperty),
        }
    }
}
