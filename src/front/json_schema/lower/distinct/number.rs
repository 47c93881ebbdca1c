//! A number that is none of some numbers.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::{Beginning, mantissa};
use super::value::Value;
use crate::front::json_schema::lower::memo::Memo;
use crate::front::json_schema::lower::packed::{self, count, each, has, pack};
use crate::front::json_schema::lower::tag;
use crate::front::json_schema::number::{DOUBLE_DIGITS, Decimal};
use crate::grammar::{Hints, ImplicitBody, KeyWriter, Node, Reading, Words};

/// A number of another rule whose value is none of those given as arguments, packed as
/// [`Value::scalar`] spells them; its spelling is the exit.
///
/// Positions are those of the other rule, then those of the arguments that what is read may still come to equal
/// ([`Beginning`]), then the bytes read, one to a word. So few positions have more than a few arguments, however many numbers are
/// in use.
#[derive(Debug)]
pub(crate) struct NumberReader {
    inner: Arc<dyn ImplicitBody>,
    nodes: Memo<Words, Arc<Offered>, 4096>,
    ways: Memo<Words, Ways, 4096>,
    completions: Memo<Words, Completions, 4096>,
}

/// What a position of the other rule offers.
#[derive(Debug)]
struct Offered {
    node: Node<Words>,
    /// Whether the rule knows its way to an end from here, or one step on.
    knows_its_way: bool,
}

/// Texts that lead from a position to the end of a number, a few of the shortest.
type Completions = Arc<[Box<[u8]>]>;

/// So many completions are kept, and so often a position is come by on the way to them.
const COMPLETIONS: usize = 8;

/// How many ways to an end a position has, of one digit, of two and of three.
#[derive(Clone, Copy, Debug)]
struct Ways {
    digits: [usize; DIGITS_AHEAD],
    /// With a point before them.
    fraction: [usize; DIGITS_AHEAD],
}

/// The most digits of the ways that are counted.
const DIGITS_AHEAD: usize = 3;

/// How many ways to a position are followed besides one for each number in use, of those that doubles tell apart.
const SPARE_WAYS: usize = 16;

/// Numbers of so many digits are different doubles if they differ.
const DIGITS_OF_DOUBLES: usize = 15;

/// What trying the digits behind a position takes.
const DIGITS_TRIED: usize = 256;

impl NumberReader {
    pub(crate) fn new(inner: Arc<dyn ImplicitBody>) -> Self {
        Self {
            inner,
            nodes: Memo::default(),
            ways: Memo::default(),
            completions: Memo::default(),
        }
    }

    /// Whether there is a number besides those of `used`, packed.
    pub(super) fn has_left(&self, used: &[u32]) -> bool {
        self.leads_on(&self.inner.start(&Words::new()), &[], &Used::new(used))
    }

    /// Whether a number has this spelling.
    pub(super) fn reads(&self, text: &[u8]) -> bool {
        let mut at: Vec<Words> = vec![self.inner.start(&Words::new())];
        for &byte in text {
            at = self.after(&at, byte);
        }
        at.iter().any(|at| self.may_end(at))
    }

    /// What a position of the other rule offers, which is asked for each digit of each position.
    ///
    /// PERF: expanding it anew is a sixth of the instructions of a turn of ten distinct integers under a deadline.
    fn offered(&self, at: &Words) -> Arc<Offered> {
        if let Some(known) = self.nodes.get(at) {
            return known;
        }
        let mut node = Node::default();
        self.inner.expand(at, &mut node);
        let knows = |at: &Words| self.inner.hints().onward(at).is_some();
        let knows_its_way = knows(at) || node.edges.iter().any(|edge| knows(&edge.to));
        let offered = Arc::new(Offered {
            node,
            knows_its_way,
        });
        self.nodes.insert(at.clone(), offered.clone());
        offered
    }

    fn may_end(&self, at: &Words) -> bool {
        self.offered(at).node.exit.is_some()
    }

    /// Where `byte` leads from some positions.
    fn after(&self, at: &[Words], byte: u8) -> Vec<Words> {
        let mut after = Vec::new();
        for at in at {
            let offered = self.offered(at);
            let edges = offered.node.edges.iter();
            let edges = edges.filter(|edge| (edge.lo..=edge.hi).contains(&byte));
            after.extend(edges.map(|edge| edge.to.clone()));
        }
        after
    }

    /// Whether what is `read`, which led to `from`, can be completed to a number besides `used`.
    ///
    /// Where the other rule knows its way to an end, trying is little work, and counting is much: there the positions
    /// after each digit are new ones.
    fn leads_on(&self, from: &Words, read: &[u8], used: &Used<'_>) -> bool {
        if used.count == 0 {
            return true;
        }
        if is_zero(read) {
            return !used.contains(b"0");
        }
        let offered = self.offered(from);
        let ends = || offered.node.exit.is_some() && !used.contains(read);
        let many = || match telling_digits(read) {
            0 => false,
            digits => {
                let ways = self.ways(from);
                let mut ways = ways.digits[..digits].iter().chain(&ways.fraction[..digits]);
                ways.any(|&ways| ways > used.count)
            }
        };
        ends()
            || !offered.knows_its_way && (many() || self.is_completed(from, read, used))
            || self.leads_to_another(from, read, used)
    }

    /// Whether one of the completions that are kept makes a number besides `used` of what is `read`.
    fn is_completed(&self, from: &Words, read: &[u8], used: &Used<'_>) -> bool {
        let completions = self.completions(from);
        let mut numbers = completions.iter().map(|text| [read, text].concat());
        numbers.any(|number| !used.contains(&number))
    }

    /// The completions from a position, whatever was read.
    ///
    /// PERF: the slowest call of `uniqueItems` over numbers within 1e-10 takes 0.1 s for 3.2 (`hostile --all uniqueItems-tiny`).
    fn completions(&self, from: &Words) -> Completions {
        if let Some(known) = self.completions.get(from) {
            return known;
        }
        let mut found: Vec<Box<[u8]>> = Vec::new();
        let mut followed: FxHashMap<Words, usize> = FxHashMap::default();
        let mut ways: VecDeque<(Words, Vec<u8>)> = VecDeque::from([(from.clone(), Vec::new())]);
        while let Some((at, text)) = ways.pop_front() {
            let node = &self.offered(&at).node;
            if node.exit.is_some() {
                found.push(text.clone().into());
            }
            if found.len() == COMPLETIONS {
                break;
            }
            for edge in &node.edges {
                let followed = followed.entry(edge.to.clone()).or_default();
                for byte in (edge.lo..=edge.hi).take(COMPLETIONS - *followed) {
                    *followed += 1;
                    ways.push_back((edge.to.clone(), [text.as_slice(), &[byte]].concat()));
                }
            }
        }
        let found: Completions = found.into();
        self.completions.insert(from.clone(), found.clone());
        found
    }

    fn ways(&self, from: &Words) -> Ways {
        if let Some(ways) = self.ways.get(from) {
            return ways;
        }
        let from = vec![from.clone()];
        let ways = Ways {
            fraction: self.digits(self.after(&from, b'.')),
            digits: self.digits(from.clone()),
        };
        self.ways.insert(from[0].clone(), ways);
        ways
    }

    /// How many ways of digits lead to an end, by how many digits.
    fn digits(&self, from: Vec<Words>) -> [usize; DIGITS_AHEAD] {
        let mut counts = [0; DIGITS_AHEAD];
        let mut level: FxHashMap<Vec<Words>, usize> = FxHashMap::default();
        level.insert(from, 1);
        for count in &mut counts {
            let mut next: FxHashMap<Vec<Words>, usize> = FxHashMap::default();
            for (at, ways) in &level {
                for digit in b'0'..=b'9' {
                    *next.entry(self.after(at, digit)).or_default() += ways;
                }
            }
            let ends = |at: &&Vec<Words>| at.iter().any(|at| self.may_end(at));
            *count = next.keys().filter(ends).map(|at| next[at]).sum();
            level = next;
        }
        counts
    }

    /// Whether the way that the other rule knows from a position where `read` has led ends in a number besides `used`.
    fn goes_on_to_another(&self, from: &Words, read: &[u8], used: &Used<'_>) -> bool {
        let (mut at, mut text) = (from.clone(), read.to_vec());
        while let Some(byte) = self.inner.hints().onward(&at) {
            let Some(next) = self.inner.advance(&at, byte) else {
                return false;
            };
            at = next;
            text.push(byte);
        }
        text.len() > read.len() && self.may_end(&at) && !used.contains(&text)
    }

    /// What [`Self::leads_on`] asks, by trying.
    ///
    /// The shortest ways come first. Where two of them lead to one position with one value, the
    /// longer has zeros that say nothing; it is left out. So there are only finitely many ways where
    /// there are finitely many values. Where the other rule knows its way to an end, each position tried gives a
    /// number at once: multiples of large steps are too far off to be come upon digit by digit.
    ///
    /// Of ways with different values that lead to one position, as many are followed as there are numbers in use, and a few
    /// more: what follows is the same for all of them, so not all of what they end in can be in use. Where there are more digits than
    /// doubles tell apart, all are followed.
    fn leads_to_another(&self, from: &Words, read: &[u8], used: &Used<'_>) -> bool {
        let mut seen: FxHashSet<(Words, String)> = FxHashSet::default();
        let mut followed: FxHashMap<Words, usize> = FxHashMap::default();
        let mut ways: VecDeque<(Words, Vec<u8>)> = VecDeque::from([(from.clone(), read.to_vec())]);
        while let Some((at, text)) = ways.pop_front() {
            let node = &self.offered(&at).node;
            let ends = node.exit.is_some() && !used.contains(&text);
            if ends || self.goes_on_to_another(&at, &text, used) {
                return true;
            }
            for edge in &node.edges {
                let followed = followed.entry(edge.to.clone()).or_default();
                for byte in edge.lo..=edge.hi {
                    let text = [text.as_slice(), &[byte]].concat();
                    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
                    let digits = digits.skip_while(|byte| **byte == b'0').count();
                    if digits <= DIGITS_OF_DOUBLES && *followed > used.count + SPARE_WAYS {
                        break;
                    }
                    let so_far = match byte {
                        b'0'..=b'9' => Value::of_spelt(&text).scalar().to_owned(),
                        _ => String::from_utf8_lossy(&text).into_owned(),
                    };
                    if seen.insert((edge.to.clone(), so_far)) {
                        *followed += usize::from(digits <= DIGITS_OF_DOUBLES);
                        ways.push_back((edge.to.clone(), text));
                    }
                }
            }
        }
        false
    }
}

/// How many digits tell values apart that may follow what is `read`, which [is not zero](is_zero) already: two numbers that go
/// on with as many, and not the same, differ as doubles.
fn telling_digits(read: &[u8]) -> usize {
    /// Mantissas of so many digits are far from the ends of doubles whose exponents have two.
    const MANTISSA: usize = 100;
    let (mantissa, exponent) = read.split_at(mantissa(read).len());
    if exponent.is_empty() {
        let left = (DOUBLE_DIGITS as usize).saturating_sub(read.len());
        return left.min(DIGITS_AHEAD);
    }
    if mantissa.len() > MANTISSA {
        return 0;
    }
    let digits = exponent.iter().filter(|byte| byte.is_ascii_digit());
    2_usize.saturating_sub(digits.count())
}

/// Whether what is `read` is zero whatever follows: the mantissa is, and its exponent has begun.
fn is_zero(read: &[u8]) -> bool {
    let mantissa = mantissa(read);
    let is_digit = |byte: &u8| (b'1'..=b'9').contains(byte);
    mantissa.len() < read.len() && !mantissa.iter().any(is_digit)
}

/// Numbers that are used, and how many.
struct Used<'a> {
    packed: &'a [u32],
    count: usize,
}

impl<'a> Used<'a> {
    /// PERF: they are looked at as they are packed: there can be hundreds, and a position has ten digits to try. The ways
    /// out of `uniqueItems` in SECURITY.md take 0.95 to 1.02 s in a dev build for 1.06 to 1.11.
    fn new(packed: &'a [u32]) -> Self {
        let count = count(packed);
        Self { packed, count }
    }

    /// Those of them, packed, that a number may equal which begins with `read`.
    ///
    /// PERF: with all kept at each position, arrays of 40 distinct numbers take 132 MiB for 95 under a deadline, and 200 have no way out
    /// (`hostile --all due-numbers`, benches/LOG.md).
    fn like(&self, read: &[u8]) -> Words {
        let beginning = Beginning::of(read);
        let may_equal = |words: &&[u32]| {
            let number = packed::read(&mut &**words);
            beginning.may_equal(&Decimal::parse(&String::from_utf8_lossy(&number)))
        };
        let alike = each(self.packed).filter(may_equal);
        alike.flatten().copied().collect()
    }

    /// Whether a number that is spelt so is one of them.
    fn contains(&self, spelt: &[u8]) -> bool {
        self.count > 0 && has(self.packed, Value::of_spelt(spelt).scalar().as_bytes())
    }
}

impl ImplicitBody for NumberReader {
    fn start(&self, args: &Words) -> Words {
        position(&self.inner.start(&Words::new()), args, &[])
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (inner, args, read) = parts(words);
        let used = Used::new(args);
        let plain = &self.offered(&inner).node;
        for edge in &plain.edges {
            for byte in edge.lo..=edge.hi {
                let text = [read.as_slice(), &[byte]].concat();
                let alike = used.like(&text);
                if self.leads_on(&edge.to, &text, &Used::new(&alike)) {
                    node.byte(byte, position(&edge.to, &alike, &[]));
                }
            }
        }
        node.reading = Reading::Recording {
            carried: read.len() as u32,
        };
        if plain.exit.is_some() && !used.contains(&read) {
            node.exit = Some(pack([read.as_slice()]));
        }
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for NumberReader {
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        key.word(tag::NUMBER_READER);
        self.inner.hints().describe(key)
    }

    fn onward(&self, words: &Words) -> Option<u8> {
        let (inner, args, read) = parts(words);
        let byte = self.inner.hints().onward(&inner)?;
        let leads = self.goes_on_to_another(&inner, &read, &Used::new(args));
        leads.then_some(byte)
    }

    /// How far the end is does not depend on what was read or is in use, but for whether it is here.
    fn gist(&self, words: &Words) -> Option<Words> {
        let (inner, args, read) = parts(words);
        let ends = self.may_end(&inner) && !Used::new(args).contains(&read);
        let mut gist = inner;
        gist.push(ends.into());
        Some(gist)
    }

    /// Each digit is tried, and whether it leads on to another number.
    fn weight(&self, words: &Words) -> usize {
        match words[1] {
            0 => 1,
            _ => DIGITS_TRIED,
        }
    }
}

fn position(inner: &[u32], args: &[u32], read: &[u8]) -> Words {
    let mut words = Words::new();
    words.extend([inner.len() as u32, args.len() as u32]);
    words.extend_from_slice(inner);
    words.extend_from_slice(args);
    words.extend(read.iter().map(|&byte| u32::from(byte)));
    words
}

/// The position of the other rule, the arguments, and what was read.
fn parts(words: &[u32]) -> (Words, &[u32], Vec<u8>) {
    let (inner, rest) = words[2..].split_at(words[0] as usize);
    let (args, read) = rest.split_at(words[1] as usize);
    let read = read.iter().map(|&byte| byte as u8).collect();
    (inner.into(), args, read)
}
