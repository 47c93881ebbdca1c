//! Numbers between two bounds, digit by digit.

use std::cmp::Ordering;

use smallvec::smallvec;

use super::lead::Lead;
use super::tag;
use crate::base::RuleId;
use crate::front::json_schema::number::Decimal;
use crate::front::json_schema::values::{Integrality, NumberSet};
use crate::grammar::{ImplicitBody, KeyWriter, Node, Words};

/// Integer parts are not longer, so that no number overflows a double.
const DIGITS: u32 = 308;
/// With an exponent of two digits, they are shorter by what the exponent adds.
const DIGITS_BEFORE_EXPONENT: u32 = 200;

/// A number of a set.
///
/// Positions are a [`Phase`], the number of digits read of the part under way, and how what is
/// read compares with the bounds of its sign.
#[derive(Debug)]
pub(super) struct NumberBody {
    lead: Lead,
    integrality: Integrality,
    /// The magnitudes of members that are not negative, and of those that are not positive.
    positive: Option<Interval>,
    negative: Option<Interval>,
    /// Whether there is no bound; only then exponents are written.
    free: bool,
}

/// Magnitudes: from zero, or a bound, to another, or without end; bounds included.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Interval {
    least: Option<Limit>,
    most: Option<Limit>,
}

/// A bound, with the number of digits before its point.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Limit {
    value: Decimal,
    digits: u32,
}

impl Limit {
    fn new(value: &Decimal) -> Self {
        Self {
            value: value.magnitude(),
            digits: u32::try_from(value.point.max(1)).unwrap_or(u32::MAX),
        }
    }

    /// The digit at `place`: 0 is the first after the point.
    fn digit(&self, place: i64) -> u8 {
        self.value.digit(self.value.point + place)
    }

    /// Whether all digits from `place` on are zero.
    fn ends(&self, place: i64) -> bool {
        self.value.digits.len() as i64 <= self.value.point + place
    }

    fn places(&self) -> u32 {
        let places = self.value.digits.len() as i64 - self.value.point;
        u32::try_from(places.max(0)).unwrap_or(u32::MAX)
    }
}

/// Where in a number one is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Phase {
    Lead,
    /// After `-`.
    Sign,
    /// After a leading zero, which no digit follows.
    Zero,
    Whole,
    Point,
    Fraction,
    /// After the zeros that are an integer's fraction.
    Zeros,
    /// After `e`; of a number that has one digit before the point.
    ExponentOfOne,
    Exponent,
    /// After `e` and `+`.
    PlusOfOne,
    Plus,
    /// After `e` and `-`.
    Minus,
    /// Within an exponent: so many more digits may follow.
    More,
    /// Within an exponent that ends with at least one more digit: `30x`.
    Done,
}

impl Phase {
    const ALL: [Self; 14] = [
        Self::Lead,
        Self::Sign,
        Self::Zero,
        Self::Whole,
        Self::Point,
        Self::Fraction,
        Self::Zeros,
        Self::ExponentOfOne,
        Self::Exponent,
        Self::PlusOfOne,
        Self::Plus,
        Self::Minus,
        Self::More,
        Self::Done,
    ];
}

/// A position, its words taken apart.
#[derive(Clone, Copy, Debug)]
struct At {
    phase: Phase,
    negative: bool,
    /// Digits read of the integer part or of the fraction.
    count: u32,
    least: Ordering,
    most: Ordering,
}

impl At {
    fn read(words: &[u32]) -> Self {
        let ordering = |word: u32| match word {
            0 => Ordering::Less,
            1 => Ordering::Equal,
            _ => Ordering::Greater,
        };
        Self {
            phase: Phase::ALL[words[0] as usize],
            negative: words[1] != 0,
            count: words[2],
            least: ordering(words[3] / 3),
            most: ordering(words[3] % 3),
        }
    }

    fn words(self) -> Words {
        let number = |ordering: Ordering| (ordering as i8 + 1) as u32;
        let compared = number(self.least) * 3 + number(self.most);
        smallvec![
            self.phase as u32,
            u32::from(self.negative),
            self.count,
            compared
        ]
    }

    fn phase(phase: Phase, count: u32) -> Self {
        Self {
            phase,
            negative: false,
            count,
            least: Ordering::Equal,
            most: Ordering::Equal,
        }
    }
}

impl NumberBody {
    pub(super) fn new(lead: Lead, set: &NumberSet) -> Self {
        let written = set.written();
        let (least, most) = (written.least.as_ref(), written.most.as_ref());
        Self {
            lead,
            integrality: set.integrality,
            positive: interval(least, most, false),
            negative: interval(most, least, true),
            free: set.least.is_none() && set.most.is_none(),
        }
    }

    fn interval(&self, negative: bool) -> Option<&Interval> {
        match negative {
            false => self.positive.as_ref(),
            true => self.negative.as_ref(),
        }
    }

    /// The first digit of the integer part.
    fn first_digit(&self, negative: bool, node: &mut Node<Words>) {
        let Some(interval) = self.interval(negative) else {
            return;
        };
        let before = At {
            negative,
            ..At::phase(Phase::Whole, 0)
        };
        self.digits(interval, before, node);
    }

    /// The next digit, each that something can follow.
    fn digits(&self, interval: &Interval, at: At, node: &mut Node<Words>) {
        let mut last: Option<(u8, Words)> = None;
        for digit in 0..=9 {
            let next = self.after(interval, at, digit);
            let words = next.filter(|next| interval.live(*next)).map(At::words);
            match (words, node.edges.last_mut(), &last) {
                (Some(words), Some(edge), Some((before, same)))
                    if *before + 1 == digit && *same == words =>
                {
                    edge.hi = b'0' + digit;
                    last = Some((digit, words));
                }
                (Some(words), ..) => {
                    node.byte(b'0' + digit, words.clone());
                    last = Some((digit, words));
                }
                (None, ..) => {}
            }
        }
    }

    fn after(&self, interval: &Interval, at: At, digit: u8) -> Option<At> {
        let mut next = At {
            count: at.count + 1,
            ..at
        };
        match at.phase {
            Phase::Whole => {
                if at.count == 0 && digit == 0 {
                    next.phase = Phase::Zero;
                }
                if next.count > DIGITS {
                    return None;
                }
            }
            _ => next.phase = Phase::Fraction,
        }
        let place = |limit: &Limit| match at.phase {
            Phase::Whole => i64::from(at.count) - i64::from(limit.digits),
            _ => i64::from(at.count),
        };
        let compare = |so_far: Ordering, limit: &Option<Limit>, free: Ordering| match limit {
            None => free,
            // Longer than the bound: decided by length.
            Some(limit) if at.phase == Phase::Whole && at.count >= limit.digits => {
                Ordering::Greater
            }
            Some(limit) => so_far.then_with(|| digit.cmp(&limit.digit(place(limit)))),
        };
        next.least = compare(at.least, &interval.least, Ordering::Greater);
        next.most = compare(at.most, &interval.most, Ordering::Less);
        if next.phase == Phase::Fraction {
            // Beyond the places of both bounds all are alike.
            let undecided = [(next.least, &interval.least), (next.most, &interval.most)];
            let places = undecided.into_iter().filter(|(so_far, _)| so_far.is_eq());
            let places = places.filter_map(|(_, limit)| limit.as_ref().map(Limit::places));
            next.count = next.count.min(places.max().unwrap_or(0));
        }
        Some(next)
    }

    /// What may follow a complete integer part: the end, a fraction, an exponent.
    fn after_whole(&self, interval: &Interval, at: At, node: &mut Node<Words>) {
        let settled = interval.settle(at);
        if interval.holds(settled) {
            node.end();
        }
        let point = At {
            phase: Phase::Point,
            count: 0,
            ..settled
        };
        let fraction = match self.integrality {
            Integrality::Any => interval.live(point),
            Integrality::Integer => interval.holds(settled),
            Integrality::Digits => false,
        };
        if fraction {
            let count = match self.free {
                true => at.count.min(DIGITS_BEFORE_EXPONENT + 1),
                false => 0,
            };
            let words = match self.integrality {
                Integrality::Any if !self.free => point.words(),
                _ => At {
                    count: class(count),
                    ..At::phase(Phase::Point, 0)
                }
                .words(),
            };
            node.byte(b'.', words);
        }
        self.exponent(class(at.count), node);
    }

    /// The letter of an exponent after a number whose integer part is of this class of lengths.
    fn exponent(&self, class: u32, node: &mut Node<Words>) {
        let phase = match class {
            _ if !self.free || self.integrality == Integrality::Digits => return,
            ONE => Phase::ExponentOfOne,
            SHORT => Phase::Exponent,
            _ => return,
        };
        let words = At::phase(phase, 0).words();
        node.byte(b'E', words.clone());
        node.byte(b'e', words);
    }

    /// The fraction of a number without bounds, or the zeros of an integer's.
    fn free_fraction(&self, at: At, node: &mut Node<Words>) {
        let to = At {
            count: at.count,
            ..At::phase(Phase::Zeros, 0)
        }
        .words();
        match self.integrality {
            Integrality::Any => node.range(b'0', b'9', to),
            _ => node.byte(b'0', to),
        }
    }

    /// Exponents: two digits, or where there is one digit before the point three, up to 307.
    fn in_exponent(&self, at: At, node: &mut Node<Words>) {
        let one = matches!(at.phase, Phase::ExponentOfOne | Phase::PlusOfOne);
        let more = |count| At::phase(Phase::More, count).words();
        if matches!(at.phase, Phase::Exponent | Phase::ExponentOfOne) {
            let plus = if one { Phase::PlusOfOne } else { Phase::Plus };
            node.byte(b'+', At::phase(plus, 0).words());
            if self.integrality == Integrality::Any {
                node.byte(b'-', At::phase(Phase::Minus, 0).words());
            }
        }
        match (at.phase, one) {
            (Phase::Minus, _) => node.range(b'0', b'9', more(2)),
            (_, true) => {
                node.byte(b'0', more(1));
                node.range(b'1', b'2', more(2));
                node.byte(b'3', At::phase(Phase::Done, 0).words());
                node.range(b'4', b'9', more(1));
            }
            _ => node.range(b'0', b'9', more(1)),
        }
    }
}

/// Classes of integer parts by their length: which exponents may follow.
const ONE: u32 = 1;
const SHORT: u32 = 2;
const LONG: u32 = 3;

fn class(count: u32) -> u32 {
    match count {
        1 => ONE,
        2..=DIGITS_BEFORE_EXPONENT => SHORT,
        _ => LONG,
    }
}

impl ImplicitBody for NumberBody {
    fn start(&self, _args: &[u32]) -> Words {
        At::phase(Phase::Lead, 0).words()
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        let at = At::read(words);
        let interval = self.interval(at.negative);
        match (at.phase, interval) {
            (Phase::Lead, _) => {
                self.lead.edges(node, &words.into());
                if self.negative.is_some() {
                    node.byte(b'-', At::phase(Phase::Sign, 0).words());
                }
                self.first_digit(false, node);
            }
            (Phase::Sign, _) => self.first_digit(true, node),
            (Phase::Zero, Some(interval)) => self.after_whole(interval, at, node),
            (Phase::Whole, Some(interval)) => {
                self.digits(interval, at, node);
                self.after_whole(interval, at, node);
            }
            (Phase::Point, _) if self.free || self.integrality != Integrality::Any => {
                self.free_fraction(at, node);
            }
            (Phase::Point, Some(interval)) => self.digits(interval, at, node),
            (Phase::Fraction, Some(interval)) => {
                if interval.holds(at) {
                    node.end();
                }
                self.digits(interval, at, node);
            }
            (Phase::Zeros, _) => {
                node.end();
                self.free_fraction(at, node);
                self.exponent(
                    if self.may_have_exponent_after_fraction() {
                        at.count
                    } else {
                        LONG
                    },
                    node,
                );
            }
            (Phase::More, _) => {
                node.end();
                if at.count > 0 {
                    node.range(b'0', b'9', At::phase(Phase::More, at.count - 1).words());
                }
            }
            (Phase::Done, _) => {
                node.end();
                // 30 to 39, and 300 to 307.
                node.byte(b'0', At::phase(Phase::Done, 1).words());
                node.range(b'1', b'9', At::phase(Phase::More, 0).words());
                if at.count == 1 {
                    node.edges.clear();
                    node.range(b'0', b'7', At::phase(Phase::More, 0).words());
                }
            }
            (
                Phase::Exponent
                | Phase::ExponentOfOne
                | Phase::Plus
                | Phase::PlusOfOne
                | Phase::Minus,
                _,
            ) => {
                self.in_exponent(at, node);
            }
            (Phase::Zero | Phase::Whole | Phase::Point | Phase::Fraction, None) => {}
        }
    }

    fn callees(&self, _visit: &mut dyn FnMut(RuleId)) {}

    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::NUMBER);
        key.word(self.lead as u32);
        key.word(self.integrality as u32);
        key.word(u32::from(self.free));
        for interval in [&self.positive, &self.negative] {
            key.word(u32::from(interval.is_some()));
            let limits = interval
                .iter()
                .flat_map(|interval| [&interval.least, &interval.most]);
            for limit in limits {
                key.word(u32::from(limit.is_some()));
                if let Some(limit) = limit {
                    key.word(limit.value.point as u32);
                    key.bytes(&limit.value.digits);
                }
            }
        }
        true
    }
}

impl NumberBody {
    /// `1.0e3` is an integer, and so is every number with a zero fraction and a positive exponent.
    fn may_have_exponent_after_fraction(&self) -> bool {
        self.free
    }
}

impl Interval {
    /// Whether the integer part is over: then a shorter one than the bound's is less.
    fn settle(&self, at: At) -> At {
        let shorter = |limit: &Option<Limit>| limit.as_ref().is_some_and(|l| at.count < l.digits);
        At {
            least: if shorter(&self.least) {
                Ordering::Less
            } else {
                at.least
            },
            most: if shorter(&self.most) {
                Ordering::Less
            } else {
                at.most
            },
            count: 0,
            phase: Phase::Fraction,
            ..at
        }
    }

    /// Whether a number that ends after `at.count` places is a member.
    fn holds(&self, at: At) -> bool {
        let place = i64::from(at.count);
        let above = self.least.as_ref().is_none_or(|limit| match at.least {
            Ordering::Less => false,
            Ordering::Equal => limit.ends(place),
            Ordering::Greater => true,
        });
        above && (self.most.is_none() || at.most.is_le())
    }

    /// Whether a member begins like this.
    fn live(&self, at: At) -> bool {
        match at.phase {
            Phase::Whole => self.live_whole(at),
            Phase::Zero => {
                let settled = self.settle(at);
                self.holds(settled) || self.live_fraction(settled)
            }
            _ => self.live_fraction(at),
        }
    }

    /// Whether a number with this beginning of its integer part, and any number of digits more,
    /// is a member.
    ///
    /// Where what is read equals the beginning of a bound and is not on the wrong side of the
    /// other, that bound is such a number: the interval is not empty.
    fn live_whole(&self, at: At) -> bool {
        // At a bound's own length, what is read may be too small or too great.
        let shortest = self
            .least
            .as_ref()
            .map_or(0, |limit| limit.digits + u32::from(at.least.is_lt()));
        let longest = self
            .most
            .as_ref()
            .map_or(DIGITS, |limit| limit.digits - u32::from(at.most.is_gt()));
        shortest.max(at.count) <= longest
    }

    fn live_fraction(&self, at: At) -> bool {
        (self.most.is_none() || at.most.is_le()) && (self.least.is_none() || at.least.is_ge())
    }
}

/// The magnitudes between two bounds, `near` being the one closer to zero on this side of it.
fn interval(near: Option<&Decimal>, far: Option<&Decimal>, negative: bool) -> Option<Interval> {
    let this_side = |value: &Decimal| value.is_zero() || value.negative == negative;
    if far.is_some_and(|far| !this_side(far)) {
        return None;
    }
    let least = near.filter(|near| !near.is_zero() && near.negative == negative);
    Some(Interval {
        least: least.map(Limit::new),
        most: far.map(Limit::new),
    })
}
