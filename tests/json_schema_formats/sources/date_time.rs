//! `date`, `time`, `date-time` and `duration`: RFC 3339, section 5.6 and appendix A.
//!
//! - The days of a month and leap years are those of the Gregorian calendar, from year 0000 on.
//! - A leap second is the last second of a day in UTC (section 5.7), so the local hour and minute
//!   follow from the offset. Offsets are whole quarters of an hour there: no other has been in use
//!   since there are leap seconds. In `date-time` it is at the end of a month, as section 5.6 has it;
//!   which months had one is not looked up.
//! - `T` and `Z` may be lower-case. A space for `T`, which is a note's and not the grammar's, is
//!   refused.

use std::ops::Range;

use super::whole;
use maskwright::regular::Dfa;

const LEAP_YEAR: &str =
    "(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)";
const MONTH_OF_31: &str = "(?:0[13578]|1[02])";
const MONTH_OF_30: &str = "(?:0[469]|11)";
const HOUR: &str = "(?:[01][0-9]|2[0-3])";
const FRACTION: &str = r"(?:\.[0-9]+)?";

fn full_date() -> String {
    format!(
        "(?:[0-9]{{4}}-(?:{MONTH_OF_31}-(?:0[1-9]|[12][0-9]|3[01])\
         |{MONTH_OF_30}-(?:0[1-9]|[12][0-9]|30)\
         |02-(?:0[1-9]|1[0-9]|2[0-8]))\
         |{LEAP_YEAR}-02-29)"
    )
}

fn last_of_month() -> String {
    format!(
        "(?:[0-9]{{4}}-(?:{MONTH_OF_31}-31|{MONTH_OF_30}-30)\
         |{LEAP_YEAR}-02-29|(?!{LEAP_YEAR})[0-9]{{4}}-02-28)"
    )
}

/// A time without a leap second.
fn clock() -> String {
    format!("{HOUR}:[0-5][0-9]:[0-5][0-9]{FRACTION}(?:[Zz]|[+-]{HOUR}:[0-5][0-9])")
}

/// The leap seconds with an offset of so many quarters of an hour.
fn leap_seconds(sign: char, quarters: Range<u32>) -> String {
    const DAY: u32 = 24 * 60;
    let times = quarters.map(|quarter| {
        let offset = 15 * quarter;
        let local = match sign {
            '+' => (DAY - 1 + offset) % DAY,
            _ => DAY - 1 - offset,
        };
        let time = |minutes: u32| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        format!("{}:60{FRACTION}\\{sign}{}", time(local), time(offset))
    });
    format!("(?:{})", times.collect::<Vec<_>>().join("|"))
}

pub(super) fn date() -> Dfa {
    whole(&full_date())
}

pub(super) fn time() -> Dfa {
    let (clock, east, west) = (clock(), leap_seconds('+', 0..96), leap_seconds('-', 0..96));
    whole(&format!("{clock}|23:59:60{FRACTION}[Zz]|{east}|{west}"))
}

pub(super) fn date_time() -> Dfa {
    let (date, clock, last) = (full_date(), clock(), last_of_month());
    let (here, west) = (leap_seconds('+', 0..1), leap_seconds('-', 0..96));
    // East of Greenwich the next month has begun.
    let (first, east) = ("[0-9]{4}-(?:0[1-9]|1[0-2])-01", leap_seconds('+', 1..96));
    whole(&format!(
        "{date}[Tt]{clock}\
         |{last}[Tt](?:23:59:60{FRACTION}[Zz]|{here}|{west})\
         |{first}[Tt]{east}"
    ))
}

pub(super) fn duration() -> Dfa {
    let minute = "[0-9]+M(?:[0-9]+S)?";
    let time = format!("T(?:[0-9]+H(?:{minute})?|{minute}|[0-9]+S)");
    let month = "[0-9]+M(?:[0-9]+D)?";
    let date = format!("(?:[0-9]+Y(?:{month})?|{month}|[0-9]+D)");
    whole(&format!("P(?:{date}(?:{time})?|{time}|[0-9]+W)"))
}
