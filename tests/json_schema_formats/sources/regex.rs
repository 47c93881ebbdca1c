//! `regex`: patterns of ECMA-262, section 22.2.1, with the flag `u`, and with `\` before any ASCII
//! punctuation, as patterns without the flag have it.
//!
//! Groups nest, so the language is not regular; see `regular::Nesting` for how its automaton
//! speaks of one level. What an automaton cannot compare, or only at great cost, is left out, so that
//! all that is accepted is a pattern:
//!
//! - named groups, which must not recur, and back-references, which must refer to something;
//! - `{n,m}` of numbers that are equally long and have more than two digits, unless the first tells them apart;
//! - ranges of a class that begin with punctuation, or with an escape and end without one, or whose
//!   ends are not told apart by their first digits or by the letters of [`PIVOTS`];
//! - `(?i:…)` and the like, which are younger than most readers; the character U+0000.

use super::whole;
use maskwright::regular::Dfa;

/// What stands for a group's body and its `)`.
const BODY: &str = r"\0";
const HEX: &str = "[0-9A-Fa-f]";
const PUNCTUATION: &str = r"[!-/:-@\[-`{-~]";
/// Between the letters with which ranges begin and end that are common in classes: Latin, Greek, Cyrillic,
/// Hebrew, Arabic, Thai, Hiragana, Katakana, Han, Hangul.
const PIVOTS: [u32; 15] = [
    0xE0, 0xF0, 0x100, 0x3A0, 0x3C0, 0x420, 0x440, 0x5DD, 0x640, 0xE30, 0x3060, 0x30C0, 0x6000,
    0xB000, 0xFFFF,
];

/// Escapes of one character that mean the same in a class.
fn character_escape() -> String {
    format!(
        r"\\(?:{PUNCTUATION}|[fnrtv]|c[A-Za-z]|0(?![0-9])|x{HEX}{{2}}|u{HEX}{{4}}|u\{{0*(?:{HEX}{{1,5}}|10{HEX}{{4}})\}})"
    )
}

fn class_escape() -> String {
    r"\\(?:[dDsSwW]|[pP]\{[A-Za-z0-9_]+(?:=[A-Za-z0-9_]+)?\})".to_owned()
}

/// `{n}`, `{n,}` and `{n,m}`, without the braces.
fn counts() -> String {
    let mut forms = vec!["[0-9]+,?".to_owned()];
    for digit in 0..=9 {
        // As many digits, and more of them.
        let greater = format!("[{digit}-9]");
        forms.push(format!("{digit},{greater}"));
        forms.push(format!("{digit}(?:,[1-9][0-9]+)"));
        for next in 0..=9 {
            if digit > 0 {
                forms.push(format!("{digit}{next},{digit}[{next}-9]"));
            }
        }
        if (1..9).contains(&digit) {
            forms.push(format!(
                "{digit}([0-9],[{0}-9][0-9]|[0-9]{{2}},[{0}-9][0-9]{{2}})",
                digit + 1
            ));
        }
    }
    forms.push("[1-9][0-9],[1-9][0-9]{2,}|[1-9][0-9]{2},[1-9][0-9]{3,}".to_owned());
    format!("(?:{})", forms.join("|"))
}

/// `a-z` and the like.
fn ranges() -> String {
    let mut forms = Vec::new();
    let beyond = format!(r"[\u0080-\u{{10FFFF}}]|\\x[89A-Fa-f]{HEX}|\\u(?!00[0-7]){HEX}{{4}}");
    for from in (' '..='~').filter(|from| from.is_ascii_alphanumeric() || " !".contains(*from)) {
        let first = u32::from(from);
        forms.push(format!(r"{from}-(?:(?![\\\]])[\x{first:x}-~]|{beyond})"));
    }
    for pivot in PIVOTS {
        let to = format!(r"[\u{{{pivot:X}}}-\u{{10FFFF}}]");
        forms.push(format!(r"[\u0080-\u{{{pivot:X}}}]-{to}"));
    }
    for digit in 0..16u32 {
        let this = format!("[{digit:x}{digit:X}]");
        forms.push(format!(r"\\x{this}0-\\x{this}{HEX}"));
        forms.push(format!(r"\\u0{this}00-\\u0{this}{HEX}{{2}}"));
        if digit < 15 {
            let greater: String = (digit + 1..16).map(|d| format!("{d:x}{d:X}")).collect();
            forms.push(format!(r"\\x{this}{HEX}-\\x[{greater}]{HEX}"));
            forms.push(format!(r"\\u{this}{HEX}{{3}}-\\u[{greater}]{HEX}{{3}}"));
        }
    }
    format!("(?:{})", forms.join("|"))
}

fn class() -> String {
    let atom = format!(
        r"(?:[^\0\\\]]|{}|{}|\\b)",
        character_escape(),
        class_escape()
    );
    format!(r"\[(?:\^|(?!\^))(?:{}|{atom}(?!-[^\]]))*\]", ranges())
}

/// One level of a pattern.
pub(super) fn regex() -> Dfa {
    let assertion = format!(r"(?:[\^$]|\\[bB]|\(\?<?[=!]{BODY})");
    let atom = format!(
        r"(?:[^\0\^$\\*+?()\[\]{{}}|]|{}|{}|{}|\((?:\?:)?{BODY})",
        character_escape(),
        class_escape(),
        class()
    );
    let quantifier = format!(r"(?:[*+?]|\{{{}\}})\??", counts());
    whole(&format!("(?:{assertion}|{atom}(?:{quantifier})?|\\|)*"))
}
