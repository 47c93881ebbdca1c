//! Punycode (RFC 3492), in lower case.

const BASE: u32 = 36;
const FIRST_BIAS: u32 = 72;
const FIRST_CODE_POINT: u32 = 0x80;

/// What `text` stands for (section 6.2), which is never all ASCII; `None` where it is no Punycode. No
/// two texts stand for the same.
pub(super) fn decode(text: &[u8]) -> Option<String> {
    let (basic, digits) = match text.iter().rposition(|&byte| byte == b'-') {
        // There is no delimiter after nothing.
        Some(0) => return None,
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (&text[..0], text),
    };
    if digits.is_empty() {
        return None;
    }
    let mut decoded: Vec<char> = basic.iter().map(|&byte| char::from(byte)).collect();
    let (mut code_point, mut place, mut bias) = (FIRST_CODE_POINT, 0, FIRST_BIAS);
    let mut digits = digits.iter();
    while digits.len() > 0 {
        let delta = number(&mut digits, bias)?;
        let length = decoded.len() as u32 + 1;
        bias = adapted(delta, length, place == 0);
        place = delta.checked_add(place)?;
        code_point = code_point.checked_add(place / length)?;
        place %= length;
        decoded.insert(place as usize, char::from_u32(code_point)?);
        place += 1;
    }
    Some(decoded.into_iter().collect())
}

/// The number at the front of `digits` (section 3.3).
fn number<'d>(digits: &mut impl Iterator<Item = &'d u8>, bias: u32) -> Option<u32> {
    let (mut number, mut weight) = (0u32, 1u32);
    for at in (1..).map(|digit| digit * BASE) {
        let digit = match digits.next()? {
            letter @ b'a'..=b'z' => letter - b'a',
            digit @ b'0'..=b'9' => digit - b'0' + 26,
            _ => return None,
        };
        number = number.checked_add(u32::from(digit).checked_mul(weight)?)?;
        let threshold = threshold(at, bias);
        if u32::from(digit) < threshold {
            break;
        }
        weight = weight.checked_mul(BASE - threshold)?;
    }
    Some(number)
}

fn threshold(at: u32, bias: u32) -> u32 {
    at.saturating_sub(bias).clamp(1, 26)
}

/// The bias after a number (section 6.1).
fn adapted(number: u32, length: u32, first: bool) -> u32 {
    let mut delta = number / if first { 700 } else { 2 };
    delta += delta / length;
    let mut steps = 0;
    while delta > 35 * 26 / 2 {
        delta /= 35;
        steps += BASE;
    }
    steps + BASE * delta / (delta + 38)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples of section 7.1, A, B and L, and what is none.
    #[test]
    fn samples() {
        for (encoded, decoded) in [
            ("egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"),
            ("ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"),
            ("3b-ww4c5e180e575a65lsy2b", "3年b組金八先生"),
            ("bcher-kva", "bücher"),
            ("----7ka2c", "--é-ß"),
        ] {
            assert_eq!(decode(encoded.as_bytes()).as_deref(), Some(decoded));
        }
        for text in ["", "a-", "-9uc", "x", "99999999", "é", "A", "zz zz"] {
            assert_eq!(decode(text.as_bytes()), None, "{text}");
        }
    }
}
