//! `idn-hostname` (RFC 5890 to 5893) and `idn-email` (RFC 6531).
//!
//! What a label may be depends on the tables of Unicode, on how its characters compose and on how
//! long its Punycode is. This is a part of it that an automaton can tell:
//!
//! - What is all ASCII is a `hostname` or an `email`, and is no part of the languages here.
//! - The letters are those of the scripts below, in their composed and lower-case form, with the
//!   contextual rules of RFC 5892, appendix A. Combining marks stand in the order of NFC.
//! - A label that is not all ASCII has at most 11 code points, and a name 48, so that its Punycode is surely short
//!   enough; `punycode_stays_short` has the sum. So has any name here, and a mailbox 50.
//! - A name with right-to-left letters has labels of these, each with digits of one kind, and ASCII
//!   labels that begin with a letter (RFC 5893, section 2).
//! - The domain of a mailbox may have accents apart from their letters: the official tests leave it
//!   to who looks it up to compose them (RFC 5891, section 5.2).
//! - Other full stops than `.` separate labels as they do for input methods (RFC 3490, section 3.1).

use super::{both, email, hostname, whole};
use maskwright::regular::Dfa;

const MOST_OF_LABEL: usize = 11;
/// The bound on names of `idn-hostname`; that of `idn-email` has two code points more.
pub(crate) const MOST_OF_NAME: u64 = 48;
const DOT: &str = r"[.\u3002\uFF0E\uFF61]";
const NO_DOT: &str = r"[^.\u3002\uFF0E\uFF61]";
const GREEK: &str = r"\u0390\u03AC-\u03CE";
/// Of the scripts Hiragana, Katakana and Han for certain.
const KANA_AND_HAN: &str = r"\u3041-\u3096\u309D\u309E\u30A1-\u30FA\u30FD\u30FE\u4E00-\u9FA5";
const HEBREW: &str = r"\u05D0-\u05EA";
const ARABIC: &str =
    r"\u0620-\u063F\u0641-\u064A\u0671-\u0674\u0679-\u06D3\u06D5\u06EE\u06EF\u06FA-\u06FF";
/// Arabic letters that join on both sides, between which a joiner may be denied.
const JOINING: &str = r"[\u0628\u062A-\u062E\u0633-\u063A\u0641-\u0647\u064A]";

fn latin() -> &'static str {
    r"(?:[ß-öø-ÿ]|(?=\p{Ll})[\u0101-\u0131\u0135-\u0138\u013A-\u013E\u0142-\u0148\u014B-\u017E]|l\u00B7(?=l))"
}

/// Latin letters and their accents, which compose to one of [`latin`].
const DECOMPOSED: &str =
    r"[aeiou]\u0300|[aeiouy]\u0301|[aeiou]\u0302|[ano]\u0303|[aeiouy]\u0308|a\u030A|c\u0327";

const ACCENT: &str = r"[\u0300-\u0303\u0308\u030A\u0327]";

/// A letter or digit of a script that is written from left to right, with its marks.
fn letter() -> String {
    let others = format!(
        r"[{GREEK}\u0430-\u045F\u0491\u0561-\u0586\u06F0-\u06F9\u0F0B\u10D0-\u10F0\u3005\u3007\u30FC\uAC00-\uD7A3{KANA_AND_HAN}]"
    );
    let devanagari = r"[\u0904-\u0939\u0960\u0961\u0966-\u096F](?:[\u0901-\u0903\u093E-\u094C]|\u094D[\u200C\u200D]?)*";
    let thai = r"[\u0E01-\u0E30\u0E32\u0E40-\u0E46\u0E50-\u0E59][\u0E31\u0E34-\u0E37\u0E47]?[\u0E38\u0E39]?[\u0E48-\u0E4B]?[\u0E4C-\u0E4E]?";
    let latin = latin();
    format!(
        r"(?:[a-z0-9]|{latin}|{others}|{devanagari}|{thai}|\u0375(?=[{GREEK}])|(?={NO_DOT}*[{KANA_AND_HAN}])\u30FB)"
    )
}

/// Labels of `letter` so short that their Punycode surely is.
fn bounded_label(letter: &str) -> String {
    let label = label(letter);
    format!("(?={NO_DOT}{{1,{MOST_OF_LABEL}}}(?:{DOT}|$)){label}")
}

/// Labels of `letter`, not in the shape of Punycode.
fn label(letter: &str) -> String {
    let shape_of_punycode = format!("(?:.{ACCENT}?){{2}}--");
    format!("(?!{shape_of_punycode}){letter}+(?:-+{letter}+)*")
}

fn ascii_label(first: &str) -> String {
    format!(r"(?!..--){first}(?:[a-z0-9\-]{{0,60}}[a-z0-9])?")
}

fn name(label: &str) -> String {
    format!("{label}(?:{DOT}{label})*")
}

/// Names with letters that are written from left to right, and some `more`.
fn left_to_right(more: &str) -> String {
    let own = bounded_label(&format!("(?:{more}{})", letter()));
    name(&format!("(?:{own}|{})", ascii_label("[a-z0-9]")))
}

/// Labels with letters that are written from right to left, each with digits of one kind.
fn right_to_left_label(label: impl Fn(&str) -> String) -> String {
    let hebrew = format!(r"[{HEBREW}][\u05F3\u05F4]?");
    let letter = format!(r"(?:{hebrew}|[{ARABIC}]|{JOINING}\u200C(?={JOINING}))");
    let with = |digits: &str| {
        let own = label(&format!("(?:{letter}|{digits})"));
        format!("(?={letter}){own}")
    };
    let (european, extended, arabic) = (
        with("[0-9]"),
        with(r"[\u06F0-\u06F9]"),
        with(r"[\u0660-\u0669]"),
    );
    format!("(?:{european}|{extended}|{arabic})")
}

fn right_to_left() -> String {
    let label = right_to_left_label(bounded_label);
    name(&format!("(?:{label}|{})", ascii_label("[a-z]")))
}

/// Labels of any length, each with the number of its kind: what A-labels may decode to.
pub(super) fn u_labels() -> Dfa {
    let (left, right) = (label(&letter()), right_to_left_label(label));
    // Beside labels that are written from right to left, the first is a letter, and so is the last, or
    // it is a digit; what some of these characters are is left open.
    let beside = r"(?![0-9]|[^]*[\u06F0-\u06F9\u0375\u30FB])";
    whole(&format!(r"{right}\0|{beside}{left}\x01|{left}\x02"))
}

/// Texts that are not all ASCII.
const BEYOND_ASCII: &str = r"[^]*[^\0-\x7F][^]*";

pub(super) fn idn_hostname() -> Dfa {
    let (left_to_right, right_to_left) = (left_to_right(""), right_to_left());
    let names = whole(&format!("{left_to_right}|{right_to_left}"));
    both(&names, &whole(BEYOND_ASCII))
}

/// As `email`; a local part with more than ASCII has as many code points as surely are 64 octets. What
/// is all ASCII is shorter by the bound on all of it.
pub(super) fn idn_email() -> Dfa {
    let local = email::local_pattern(r"\u0080-\u{10FFFF}");
    let (plain, address) = (hostname::plain_pattern(), email::address_pattern());
    let left_to_right = left_to_right(&format!("{DECOMPOSED}|"));
    let right_to_left = right_to_left();
    let domain = format!("(?:{plain}|{left_to_right}|{right_to_left}|{address})");
    let mailbox = both(&whole(&format!("{local}@{domain}")), &whole(BEYOND_ASCII));
    let octets = whole(r"(?:[\0-\x7F]+|[^]{1,16})@[^@]*");
    both(&mailbox, &octets)
}

/// How many octets a label of so many code points takes at most in Punycode (RFC 3492).
///
/// The deltas of its characters are at most a plane for each place together. One of `n` digits is
/// at least so great, whatever the bias: either the thresholds are all 1, or all 26. So digits are dealt
/// out where they cost least.
fn longest_punycode(code_points: u64) -> u64 {
    const LEAST: [u64; 8] = [0, 1, 36, 1261, 28_886, 288_886, 2_888_886, 28_888_886];
    let encoded = |beyond: u64| {
        let mut left = 0xFFFF * (code_points + 1);
        let mut digits = beyond;
        for steps in LEAST.windows(2) {
            let more = beyond.min(left / (steps[1] - steps[0]));
            digits += more;
            left -= more * (steps[1] - steps[0]);
        }
        let ascii = code_points - beyond;
        "xn--".len() as u64 + ascii + u64::from(ascii > 0) + digits
    };
    (1..=code_points).map(encoded).max().unwrap()
}

#[test]
fn punycode_stays_short() {
    for code_points in 1..=MOST_OF_LABEL as u64 {
        let octets = longest_punycode(code_points);
        assert!(octets <= 63, "{code_points}: {octets}");
        // With the dots, were all labels like this one.
        assert!((octets + 1) * (MOST_OF_NAME + 1) <= 254 * (code_points + 1));
    }
}
