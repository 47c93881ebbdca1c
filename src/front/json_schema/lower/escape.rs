//! An escape under way, of all that JSON has (RFC 8259, section 7).

use smallvec::{SmallVec, smallvec};

/// What has been read behind a backslash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Escape {
    /// Nothing.
    Open,
    /// `u` and some digits, fewer than four.
    Unit { digits: u32, value: u32 },
    /// A high surrogate, less its base.
    High(u32),
    /// A high surrogate and a backslash.
    Pair(u32),
    /// A high surrogate, then `\u` and some digits, fewer than four.
    Low { high: u32, digits: u32, value: u32 },
}

/// What a byte makes of an escape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum After {
    /// It goes on.
    Escape(Escape),
    /// It means this character.
    Character(char),
}

/// Code points from the first to the last.
pub(super) type Span = (u32, u32);

const HIGH: Span = (0xD800, 0xDBFF);
const LOW: Span = (0xDC00, 0xDFFF);
/// The first code point beyond the basic plane.
const BEYOND: u32 = 0x1_0000;

impl Escape {
    /// As a word of a position.
    pub(super) fn word(self) -> u32 {
        match self {
            Self::Open => 0,
            Self::Unit { digits, value } => (1 + digits) | (value << 4),
            Self::High(high) => 5 | (high << 4),
            Self::Pair(high) => 6 | (high << 4),
            Self::Low {
                high,
                digits,
                value,
            } => (7 + digits) | (high << 4) | (value << 14),
        }
    }

    /// What a word of a position says.
    pub(super) fn of(word: u32) -> Self {
        let rest = word >> 4;
        match word & 15 {
            0 => Self::Open,
            5 => Self::High(rest),
            6 => Self::Pair(rest),
            stage @ 1..5 => Self::Unit {
                digits: stage - 1,
                value: rest,
            },
            stage => Self::Low {
                high: rest & 0x3FF,
                digits: stage - 7,
                value: rest >> 10,
            },
        }
    }

    /// What may follow, and what that makes of it.
    pub(super) fn visit(self, visit: &mut dyn FnMut(u8, After)) {
        match self {
            Self::Open => {
                for (byte, c) in [
                    (b'"', '"'),
                    (b'/', '/'),
                    (b'\\', '\\'),
                    (b'b', '\u{8}'),
                    (b'f', '\u{c}'),
                    (b'n', '\n'),
                    (b'r', '\r'),
                    (b't', '\t'),
                ] {
                    visit(byte, After::Character(c));
                }
                let unit = Self::Unit {
                    digits: 0,
                    value: 0,
                };
                visit(b'u', After::Escape(unit));
            }
            Self::High(high) => visit(b'\\', After::Escape(Self::Pair(high))),
            Self::Pair(high) => {
                let low = Self::Low {
                    high,
                    digits: 0,
                    value: 0,
                };
                visit(b'u', After::Escape(low));
            }
            Self::Unit { .. } | Self::Low { .. } => {
                for byte in *b"0123456789ABCDEFabcdef" {
                    if let Some(after) = self.digit(byte) {
                        visit(byte, after);
                    }
                }
            }
        }
    }

    /// The escape with one digit more; `None` where that means no character.
    fn digit(self, byte: u8) -> Option<After> {
        let digit = char::from(byte).to_digit(16)?;
        Some(match self {
            Self::Unit { digits: 3, value } => match (value << 4) | digit {
                unit if (HIGH.0..=HIGH.1).contains(&unit) => {
                    After::Escape(Self::High(unit - HIGH.0))
                }
                unit => After::Character(char::from_u32(unit)?),
            },
            Self::Unit { digits, value } => After::Escape(Self::Unit {
                digits: digits + 1,
                value: (value << 4) | digit,
            }),
            Self::Low {
                high,
                digits: 3,
                value,
            } => {
                let low = ((value << 4) | digit).checked_sub(LOW.0)?;
                let code = BEYOND + (high << 10) + low;
                After::Character(char::from_u32(code).filter(|_| low < 0x400)?)
            }
            Self::Low {
                high,
                digits,
                value,
            } => After::Escape(Self::Low {
                high,
                digits: digits + 1,
                value: (value << 4) | digit,
            }),
            _ => return None,
        })
    }

    /// The characters that it may come to mean.
    pub(super) fn spans(self) -> SmallVec<[Span; 3]> {
        let beyond = |high: u32| BEYOND + (high << 10);
        match self {
            Self::Open => smallvec![(0, HIGH.0 - 1), (LOW.1 + 1, 0x10_FFFF)],
            Self::Unit { digits, value } => {
                let units = units(digits, value);
                let parts = [(0, HIGH.0 - 1), (LOW.1 + 1, BEYOND - 1)];
                let mut spans: SmallVec<[Span; 3]> = parts
                    .iter()
                    .filter_map(|&part| common(units, part))
                    .collect();
                let high = common(units, HIGH);
                spans.extend(
                    high.map(|(lo, hi)| (beyond(lo - HIGH.0), beyond(hi - HIGH.0) + 0x3FF)),
                );
                spans
            }
            Self::High(high) | Self::Pair(high) => smallvec![(beyond(high), beyond(high) + 0x3FF)],
            Self::Low {
                high,
                digits,
                value,
            } => {
                let low = common(units(digits, value), LOW).into_iter();
                low.map(|(lo, hi)| (beyond(high) + lo - LOW.0, beyond(high) + hi - LOW.0))
                    .collect()
            }
        }
    }
}

/// What four digits may come to, some of them given.
fn units(digits: u32, value: u32) -> Span {
    let open = 4 * (4 - digits);
    (value << open, ((value + 1) << open) - 1)
}

fn common(left: Span, right: Span) -> Option<Span> {
    let both = (left.0.max(right.0), left.1.min(right.1));
    (both.0 <= both.1).then_some(both)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every escape that means a character, with what it means.
    fn all(from: Escape, spelt: &mut Vec<u8>, found: &mut Vec<(Vec<u8>, char)>) {
        assert_eq!(Escape::of(from.word()), from);
        from.visit(&mut |byte, after| {
            spelt.push(byte);
            match after {
                After::Character(c) => {
                    let within = |&(lo, hi): &Span| (lo..=hi).contains(&u32::from(c));
                    assert!(from.spans().iter().any(within), "{spelt:?}");
                    found.push((spelt.clone(), c));
                }
                After::Escape(next) => {
                    let part = |&(lo, hi): &Span| {
                        let of = |&(l, h): &Span| l <= lo && hi <= h;
                        from.spans().iter().any(of)
                    };
                    assert!(next.spans().iter().all(part), "{spelt:?}");
                    // Of the pairs, a few will do.
                    if !next.spans().is_empty()
                        && !matches!(next, Escape::High(high) if high % 0x155 != 0)
                    {
                        all(next, spelt, found);
                    }
                }
            }
            spelt.pop();
        });
    }

    #[test]
    fn escapes_mean_what_another_reader_says() {
        let mut found = Vec::new();
        all(Escape::Open, &mut Vec::new(), &mut found);
        assert!(found.len() > 60_000);
        for (spelt, c) in found {
            let text = format!("\"\\{}\"", String::from_utf8(spelt).unwrap());
            assert_eq!(serde_json::from_str::<char>(&text).unwrap(), c, "{text}");
        }
    }
}
