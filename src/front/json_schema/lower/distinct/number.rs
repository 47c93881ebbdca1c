//! A number that is none of some numbers.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::alike::{Beginning, key, mantissa};
use super::value::Value;
use crate::base::{ByteSet, RuleId};
use crate::front::json_schema::lower::fresh::Callers;
use crate::front::json_schema::lower::memo::Memo;
use crate::front::json_schema::lower::packed::pack;
use crate::front::json_schema::lower::tag;
use crate::front::json_schema::number::{DOUBLE_DIGITS, Decimal};
use crate::grammar::{
    Ahead, Ends, Hints, ImplicitBody, KeyWriter, Node, Reading, Refusing, Shadow, Texts, Words,
};

/// A number of another rule whose value is none of those given as arguments, by the texts that stand for them
/// ([`Self::known_by`]); its spelling is the exit.
///
/// Positions are the number of words of a position of the other rule, these, and the bytes read, one to a word; and the arguments
/// as long as what is read may come to equal some ([`Beginning`]).
#[derive(Debug)]
pub(crate) struct NumberReader {
    inner: Arc<dyn ImplicitBody>,
    /// The other rule.
    plain: RuleId,
    callers: Callers,
    nodes: Memo<Words, Arc<Offered>, 4096>,
    ways: Memo<Words, Ways, 4096>,
    completions: Memo<Words, Completions, 4096>,
    abundance: Memo<Words, Abundance, 4096>,
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

/// How many ways to an end a position has, of one digit, of two and so on.
#[derive(Clone, Copy, Debug)]
struct Ways {
    digits: [usize; DIGITS_AHEAD],
    /// With a point before them.
    fraction: [usize; DIGITS_AHEAD],
}

/// By how many digits follow a position, how many ways to an end there are at least, whichever these are.
type Abundance = [usize; DIGITS_AHEAD];

/// The most digits of the ways that are counted.
const DIGITS_AHEAD: usize = 5;

/// How many ways to a position are followed besides one for each number in use, of those that doubles tell apart.
const SPARE_WAYS: usize = 16;

/// Numbers of so many digits are different doubles if they differ.
const DIGITS_OF_DOUBLES: usize = 15;

/// So many positions are looked at to which digits lead.
const MOST_ABUNDANT: usize = 32;

/// What trying the digits behind a position takes, and each number in use that one may come to equal, up to so many.
const DIGITS_TRIED: usize = 400;
const RIVAL: usize = 32;
const MOST_CHARGED: usize = 1 << 12;

impl NumberReader {
    /// The numbers of `inner`, whose rule is `plain`.
    pub(in crate::front::json_schema::lower) fn new(
        inner: Arc<dyn ImplicitBody>,
        plain: RuleId,
        callers: Callers,
    ) -> Self {
        Self {
            inner,
            plain,
            callers,
            nodes: Memo::default(),
            ways: Memo::default(),
            completions: Memo::default(),
            abundance: Memo::default(),
        }
    }

    /// Whether there is a number besides those `used`.
    pub(crate) fn has_left(&self, used: &Texts) -> bool {
        self.leads_on(&self.inner.start(&Words::new()), &[], used)
    }

    /// The text by which the number is in use that is spelt so; `None` where it was not told.
    pub(crate) fn known_by(spelt: &[u8]) -> Option<Box<[u8]>> {
        (!spelt.is_empty()).then(|| key(&Decimal::parse(&String::from_utf8_lossy(spelt))))
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

    /// Where digits lead from some positions, each time with how many lead there.
    fn after_digits(&self, at: &[Words]) -> Vec<(Vec<Words>, usize)> {
        const END: u8 = b'9' + 1;
        // Between where edges begin and end all digits lead alike.
        let mut bounds = vec![b'0', END];
        for at in at {
            let edges = &self.offered(at).node.edges;
            let ends = edges
                .iter()
                .flat_map(|edge| [edge.lo, edge.hi.saturating_add(1)]);
            bounds.extend(ends.filter(|bound| (b'0'..END).contains(bound)));
        }
        bounds.sort_unstable();
        bounds.dedup();
        let ranges = bounds.windows(2);
        let after = |range: &[u8]| (self.after(at, range[0]), usize::from(range[1] - range[0]));
        ranges.map(after).collect()
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
    fn leads_on(&self, from: &Words, read: &[u8], used: &Texts) -> bool {
        if used.is_empty() {
            return true;
        }
        let beginning = Beginning::of(read);
        if beginning.has_no_rival(used) {
            return true;
        }
        if is_zero(read) {
            return !has(used, b"0");
        }
        let offered = self.offered(from);
        let ends = || offered.node.exit.is_some() && !has(used, read);
        let many = || match telling_digits(read) {
            0 => false,
            digits => beginning.has_fewer_rivals(used, self.ways(from).most(digits)),
        };
        !offered.knows_its_way && many()
            || ends()
            || !offered.knows_its_way && self.is_completed(from, read, used)
            || self.leads_to_another(from, read, used)
    }

    /// Whether one of the completions that are kept makes a number besides `used` of what is `read`.
    fn is_completed(&self, from: &Words, read: &[u8], used: &Texts) -> bool {
        let completions = self.completions(from);
        let mut numbers = completions.iter().map(|text| [read, text].concat());
        numbers.any(|number| !has(used, &number))
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

    /// What it costs besides to see whether what is `read` leads on, behind `from` or what it led to: nothing where more numbers follow
    /// there than are in use.
    fn trying(&self, from: &Words, read: &[u8], used: &Texts) -> usize {
        let are_counted = !self.offered(from).knows_its_way;
        match are_counted && used.len() < self.ways(from).most(DIGITS_AHEAD) {
            true => 0,
            false => RIVAL * Beginning::of(read).rivals(used, MOST_CHARGED),
        }
    }

    /// How many digits may follow what is `read`, which led to `from`, whatever they are, so that there still are numbers besides
    /// those `used`.
    fn free_digits(&self, from: &Words, read: &[u8], used: &Texts) -> u32 {
        let longest = [read, &[b'0'; DIGITS_AHEAD]].concat();
        let is_told = !is_zero(read) && telling_digits(&longest) == DIGITS_AHEAD;
        if !is_told || self.offered(from).knows_its_way {
            return 0;
        }
        let beginning = Beginning::of(read);
        let abundance = self.abundance(from);
        let enough = abundance.iter();
        let enough = enough.take_while(|&&ways| beginning.has_fewer_rivals(used, ways));
        enough.count().saturating_sub(1) as u32
    }

    /// Where digits lead to too many positions, none is told of those behind more digits.
    fn abundance(&self, from: &Words) -> Abundance {
        if let Some(known) = self.abundance.get(from) {
            return known;
        }
        let mut abundance = Abundance::default();
        let mut level = FxHashSet::from_iter([from.clone()]);
        for least in &mut abundance {
            let ways = level.iter().map(|at| self.ways(at).most(DIGITS_AHEAD));
            *least = ways.min().unwrap_or_default();
            let next = level.iter().map(std::slice::from_ref);
            let next = next.flat_map(|at| self.after_digits(at));
            level = next.flat_map(|(to, _)| to).collect();
            if level.len() > MOST_ABUNDANT {
                break;
            }
        }
        self.abundance.insert(from.clone(), abundance);
        abundance
    }

    /// How many ways of digits lead to an end, by how many digits.
    fn digits(&self, from: Vec<Words>) -> [usize; DIGITS_AHEAD] {
        let mut counts = [0; DIGITS_AHEAD];
        let mut level: FxHashMap<Vec<Words>, usize> = FxHashMap::default();
        level.insert(from, 1);
        for count in &mut counts {
            let mut next: FxHashMap<Vec<Words>, usize> = FxHashMap::default();
            for (at, ways) in &level {
                for (to, digits) in self.after_digits(at) {
                    *next.entry(to).or_default() += ways * digits;
                }
            }
            let ends = |at: &&Vec<Words>| at.iter().any(|at| self.may_end(at));
            *count = next.keys().filter(ends).map(|at| next[at]).sum();
            level = next;
        }
        counts
    }

    /// Whether the way that the other rule knows from a position where `read` has led ends in a number besides `used`.
    fn goes_on_to_another(&self, from: &Words, read: &[u8], used: &Texts) -> bool {
        let (mut at, mut text) = (from.clone(), read.to_vec());
        while let Some(byte) = self.inner.hints().onward(&at) {
            let Some(next) = self.inner.advance(&at, byte) else {
                return false;
            };
            at = next;
            text.push(byte);
        }
        text.len() > read.len() && self.may_end(&at) && !has(used, &text)
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
    fn leads_to_another(&self, from: &Words, read: &[u8], used: &Texts) -> bool {
        let most = Beginning::of(read).rivals(used, usize::MAX) + SPARE_WAYS;
        let mut seen: FxHashSet<(Words, String)> = FxHashSet::default();
        let mut followed: FxHashMap<Words, usize> = FxHashMap::default();
        let mut ways: VecDeque<(Words, Vec<u8>)> = VecDeque::from([(from.clone(), read.to_vec())]);
        while let Some((at, text)) = ways.pop_front() {
            let node = &self.offered(&at).node;
            let ends = node.exit.is_some() && !has(used, &text);
            if ends || self.goes_on_to_another(&at, &text, used) {
                return true;
            }
            for edge in &node.edges {
                let followed = followed.entry(edge.to.clone()).or_default();
                for byte in edge.lo..=edge.hi {
                    let text = [text.as_slice(), &[byte]].concat();
                    let digits = text.iter().filter(|byte| byte.is_ascii_digit());
                    let digits = digits.skip_while(|byte| **byte == b'0').count();
                    if digits <= DIGITS_OF_DOUBLES && *followed > most {
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

impl Ways {
    /// How many ways there are of any number of digits up to so many, or more.
    fn most(&self, digits: usize) -> usize {
        let ways = self.digits[..digits].iter().chain(&self.fraction[..digits]);
        ways.copied().max().unwrap_or_default()
    }
}

/// Whether what is `read` is zero whatever follows: the mantissa is, and its exponent has begun.
fn is_zero(read: &[u8]) -> bool {
    let mantissa = mantissa(read);
    let is_digit = |byte: &u8| (b'1'..=b'9').contains(byte);
    mantissa.len() < read.len() && !mantissa.iter().any(is_digit)
}

/// Whether a number that is spelt so is one of those `used`.
fn has(used: &Texts, spelt: &[u8]) -> bool {
    !used.is_empty() && NumberReader::known_by(spelt).is_some_and(|key| used.contains(&key))
}

/// Those `used`, if a number that begins with what is `read` may come to equal one: where it may not, positions are the same whatever
/// is in use.
fn rivals(used: &Texts, read: &[u8]) -> Texts {
    match Beginning::of(read).has_no_rival(used) {
        true => Texts::default(),
        false => used.clone(),
    }
}

/// The numbers that a position refuses, which begin with what was read.
struct Refused<'a> {
    reader: &'a NumberReader,
    inner: Words,
    read: Vec<u8>,
    used: Texts,
}

impl Refusing for Refused<'_> {
    fn weight(&self, text: &[u8]) -> usize {
        let read = [&self.read, text].concat();
        self.reader.trying(&self.inner, &read, &self.used)
    }

    fn ahead(&self, text: &[u8]) -> Ahead {
        let (reader, read) = (self.reader, [&self.read, text].concat());
        let at = vec![self.inner.clone()];
        let at = text.iter().fold(at, |at, &byte| reader.after(&at, byte));
        let used = rivals(&self.used, &read);
        if used.is_empty() || at.is_empty() {
            return Ahead::Anything;
        }
        if !at.iter().any(|at| reader.leads_on(at, &read, &used)) {
            return Ahead::Nothing;
        }
        let most = at.iter().map(|at| reader.free_digits(at, &read, &used));
        Ahead::Some {
            free: ByteSet::range(b'0', b'9'),
            most: most.min().unwrap_or_default(),
            asked: ByteSet::range(b'+', b'e'),
        }
    }
}

impl ImplicitBody for NumberReader {
    fn start(&self, args: &Words) -> Words {
        position(&self.inner.start(&Words::new()), args.texts.clone())
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (inner, read) = parts(words);
        let plain = &self.offered(&inner).node;
        for edge in &plain.edges {
            for byte in edge.lo..=edge.hi {
                let text = [read.as_slice(), &[byte]].concat();
                let used = rivals(&words.texts, &text);
                if self.leads_on(&edge.to, &text, &used) {
                    node.byte(byte, position(&edge.to, used));
                }
            }
        }
        node.reading = Reading::Recording {
            carried: read.len() as u32,
        };
        if plain.exit.is_some() && !has(&words.texts, &read) {
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

    /// Any number, less those in use, which [`Self::refusing`] tells. Where a number ends it matters which it is, so tokens that go
    /// on behind it are tried: of those that go on behind one that comes once.
    fn shadow(&self, words: &Words) -> Option<Shadow<'_>> {
        let (inner, _) = parts(words);
        let tried = || Shadow {
            ends: Ends::Tried,
            ..Shadow::of(self.plain, inner)
        };
        (self.callers != Callers::Repeating).then(tried)
    }

    fn refusing(&self, words: &Words) -> Option<Box<dyn Refusing + '_>> {
        let (inner, read) = parts(words);
        let refused = || Refused {
            reader: self,
            inner,
            read,
            used: words.texts.clone(),
        };
        (!words.texts.is_empty()).then(|| Box::new(refused()) as _)
    }

    fn onward(&self, words: &Words) -> Option<u8> {
        let (inner, read) = parts(words);
        let byte = self.inner.hints().onward(&inner)?;
        let leads = self.goes_on_to_another(&inner, &read, &words.texts);
        leads.then_some(byte)
    }

    /// How far the end is does not depend on what was read or is in use, but for whether it is here.
    fn gist(&self, words: &Words) -> Option<Words> {
        let (inner, read) = parts(words);
        let ends = self.may_end(&inner) && !has(&words.texts, &read);
        let mut gist = inner;
        gist.push(ends.into());
        Some(gist)
    }

    /// Each digit is tried, and whether it leads on to another number.
    fn weight(&self, words: &Words) -> usize {
        let (inner, read) = parts(words);
        match rivals(&words.texts, &read) {
            used if used.is_empty() => 1,
            used => DIGITS_TRIED + self.trying(&inner, &read, &used),
        }
    }
}

/// A position of the other rule where nothing was read, and what is in use.
fn position(inner: &[u32], used: Texts) -> Words {
    let mut words = Words::of_texts(used);
    words.push(inner.len() as u32);
    words.extend_from_slice(inner);
    words
}

/// The position of the other rule, and what was read.
fn parts(words: &[u32]) -> (Words, Vec<u8>) {
    let (inner, read) = words[1..].split_at(words[0] as usize);
    let read = read.iter().map(|&byte| byte as u8).collect();
    (inner.into(), read)
}
