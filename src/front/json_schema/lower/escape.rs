//! An escape under way, of all that JSON has (RFC 8259, section 7).

use smallvec::SmallVec;

/// What has been read behind a backslash: nothing, or `u` and digits, or after a high surrogate a second
/// escape, which has the low one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Escape {
    /// How many bytes.
    count: u32,
    /// The digits so far, as a number; of a high surrogate that is complete, less its base.
    value: u32,
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
const ALL: [Span; 2] = [(0, HIGH.0 - 1), (LOW.1 + 1, 0x10_FFFF)];

/// How many bytes come before the digits of the first escape, and of the second.
const FIRST: u32 = 1;
const SECOND: u32 = 7;

/// The escapes of one letter, with what they mean.
const LETTERS: [(u8, char); 8] = [
    (b'"', '"'),
    (b'/', '/'),
    (b'\\', '\\'),
    (b'b', '\u{8}'),
    (b'f', '\u{c}'),
    (b'n', '\n'),
    (b'r', '\r'),
    (b't', '\t'),
];

impl Escape {
    /// Nothing yet.
    pub(super) const OPEN: Self = Self { count: 0, value: 0 };

    /// As a word of a position.
    pub(super) fn word(self) -> u32 {
        self.count | (self.value << 4)
    }

    /// What a word of a position says.
    pub(super) fn of(word: u32) -> Self {
        let (count, value) = (word & 15, word >> 4);
        Self { count, value }
    }

    /// What may follow, and what that makes of it.
    pub(super) fn visit(self, visit: &mut dyn FnMut(u8, After)) {
        let next = |value| Self {
            count: self.count + 1,
            value,
        };
        match self.count {
            0 => {
                for (byte, c) in LETTERS {
                    visit(byte, After::Character(c));
                }
                visit(b'u', After::Escape(next(0)));
            }
            5 => visit(b'\\', After::Escape(next(self.value))),
            6 => visit(b'u', After::Escape(next(self.value))),
            _ => {
                for byte in *b"0123456789ABCDEFabcdef" {
                    let digit = char::from(byte).to_digit(16).unwrap_or_default();
                    if let Some(after) = next(self.value << 4 | digit).settled() {
                        visit(byte, after);
                    }
                }
            }
        }
    }

    /// What it is after a digit; `None` where it means no character.
    fn settled(self) -> Option<After> {
        const LAST_OF_FIRST: u32 = FIRST + 4;
        const LAST_OF_SECOND: u32 = SECOND + 4;
        let value = match self.count {
            LAST_OF_FIRST if is_within(self.value, HIGH) => self.value - HIGH.0,
            LAST_OF_FIRST => return char::from_u32(self.value).map(After::Character),
            LAST_OF_SECOND => {
                let (high, low) = (self.value >> 16, self.value & 0xFFFF);
                let code = is_within(low, LOW).then(|| beyond(high) + low - LOW.0);
                return code.and_then(char::from_u32).map(After::Character);
            }
            _ => self.value,
        };
        Some(After::Escape(Self { value, ..self }))
    }

    /// The characters that it may come to mean.
    pub(super) fn spans(self) -> SmallVec<[Span; 3]> {
        let digits = self
            .count
            .saturating_sub(if self.count < 5 { FIRST } else { SECOND });
        let open = 4 * (4 - digits);
        let units = |value: u32| (value << open, ((value + 1) << open) - 1);
        match self.count {
            0 => SmallVec::from_slice(&ALL),
            1..5 => {
                let units = units(self.value);
                let basic = [ALL[0], (ALL[1].0, BEYOND - 1)];
                let mut spans: SmallVec<[Span; 3]> = basic
                    .into_iter()
                    .filter_map(|part| common(units, part))
                    .collect();
                let high = common(units, HIGH);
                spans.extend(
                    high.map(|(lo, hi)| (beyond(lo - HIGH.0), beyond(hi - HIGH.0) + 0x3FF)),
                );
                spans
            }
            _ => {
                let digits = 4 * digits;
                let high = beyond(self.value >> digits);
                let low = common(units(self.value & ((1 << digits) - 1)), LOW);
                low.map(|(lo, hi)| (high + lo - LOW.0, high + hi - LOW.0))
                    .into_iter()
                    .collect()
            }
        }
    }
}

/// The first character with this high surrogate, given less its base.
fn beyond(high: u32) -> u32 {
    BEYOND + (high << 10)
}

fn is_within(unit: u32, (lo, hi): Span) -> bool {
    (lo..=hi).contains(&unit)
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
                    if !(next.spans().is_empty() || next.count == 5 && next.value % 0x155 != 0) {
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
        all(Escape::OPEN, &mut Vec::new(), &mut found);
        assert!(found.len() > 60_000);
        for (spelt, c) in found {
            let text = format!("\"\\{}\"", String::from_utf8(spelt).unwrap());
            assert_eq!(serde_json::from_str::<char>(&text).unwrap(), c, "{text}");
        }
    }
}
