//! Which of many texts another one begins with.

/// The longest of `texts`, which are ascending, that `rest` begins with and that is not empty.
pub(crate) fn longest_beginning<'t>(texts: &'t [String], mut rest: &[u8]) -> Option<&'t String> {
    loop {
        // What `rest` begins with stands before it, and begins all that stands between.
        let after = texts.partition_point(|text| text.as_bytes() <= rest);
        let last = texts[..after].last()?;
        let common = last.bytes().zip(rest).take_while(|(a, b)| a == *b).count();
        match common {
            0 => return None,
            _ if common == last.len() => return Some(last),
            _ => rest = &rest[..common],
        }
    }
}
