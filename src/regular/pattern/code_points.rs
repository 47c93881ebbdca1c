//! Sets of code points: the classes of ECMA-262 patterns.

use regex_syntax::hir::{Class, Hir, HirKind};

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

    /// `\d`.
    pub(super) fn digits() -> Self {
        Self(vec![(0x30, 0x39)])
    }

    /// `\w`, which without the flag `i` is ASCII only.
    pub(super) fn word() -> Self {
        Self(vec![(0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)])
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

    /// `.`, without the flag `s`: all but LineTerminator.
    pub(super) fn dot() -> Self {
        Self(vec![(0x0A, 0x0A), (0x0D, 0x0D), (0x2028, 0x2029)]).negate()
    }

    /// `\p{name}`: a general category, a binary property, or `name=value`.
    pub(super) fn property(name: &str) -> Result<Self, PatternErrorKind> {
        let is_name = |c: u8| c.is_ascii_alphanumeric() || c == b'_' || c == b'=';
        if name.is_empty() || !name.bytes().all(is_name) {
            return Err(PatternErrorKind::UnknownProperty);
        }
        let hir = regex_syntax::parse(&format!("\\p{{{name}}}"));
        match hir.map(Hir::into_kind) {
            Ok(HirKind::Class(Class::Unicode(class))) => Ok(Self(
                class
                    .ranges()
                    .iter()
                    .map(|r| (r.start().into(), r.end().into()))
                    .collect(),
            )),
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
