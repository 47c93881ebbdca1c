//! Strings of JSON as they are spelt: how far one is plain, and what its escapes mean.

/// A byte in each of eight places.
const fn eight(byte: u8) -> u64 {
    u64::from_le_bytes([byte; 8])
}

/// How many bytes of a string come before the first that does not stand for itself: a quote, a backslash or a control
/// character. Eight bytes at a time: a borrow goes upwards, so the lowest that is found is one.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let (eights, rest) = bytes.as_chunks();
    for (index, &chunk) in eights.iter().enumerate() {
        let chunk = u64::from_le_bytes(chunk);
        let below = |word: u64, bound: u8| word.wrapping_sub(eight(bound)) & !word & eight(0x80);
        let found =
            below(chunk, 0x20) | below(chunk ^ eight(b'"'), 1) | below(chunk ^ eight(b'\\'), 1);
        if found != 0 {
            return 8 * index + found.trailing_zeros() as usize / 8;
        }
    }
    let plain = |&byte: &u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    bytes.len() - rest.len() + rest.iter().take_while(|byte| plain(byte)).count()
}

/// Decodes escapes that are known to be well-formed.
pub(super) fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = rest.as_bytes()[at + 1];
        let mut used = at + 2;
        text.push(match escape {
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = |at: usize| u32::from_str_radix(&rest[at..at + 4], 16).unwrap_or(0);
                let mut code = unit(at + 2);
                used += 4;
                if (0xD800..0xDC00).contains(&code) {
                    code = 0x10000 + ((code - 0xD800) << 10) + (unit(at + 8) - 0xDC00);
                    used += 6;
                }
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            plain => char::from(plain),
        });
        rest = &rest[used..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::plain_length;

    #[test]
    fn plain_length_is_up_to_the_first_byte_that_is_not_plain() {
        for other in 0..=255 {
            let is_plain = other >= 0x20 && other != b'"' && other != b'\\';
            for length in 0..20 {
                for at in 0..length {
                    for filler in [b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xff] {
                        let mut text = vec![filler; length];
                        text[at] = other;
                        let expected = if is_plain { length } else { at };
                        assert_eq!(plain_length(&text), expected, "{text:?}");
                    }
                }
            }
        }
    }
}
