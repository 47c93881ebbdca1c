//! JSON that is known to be well-formed, taken apart without respelling anything in it.

/// The elements of an array, or the members of an object.
pub(crate) fn parts(raw: &str) -> Vec<&str> {
    let raw = raw.trim();
    let inner = &raw[1..raw.len() - 1];
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, byte, depth) in outside_strings(inner) {
        if byte == b',' && depth == 0 {
            parts.push(inner[from..at].trim());
            from = at + 1;
        }
    }
    let last = inner[from..].trim();
    parts.extend((!last.is_empty()).then_some(last));
    parts
}

/// The value of a member.
pub(crate) fn get<'j>(object: &'j str, name: &str) -> Option<&'j str> {
    parts(object).into_iter().find_map(|member| {
        let (colon, ..) = outside_strings(member).find(|&(_, byte, _)| byte == b':')?;
        (string(member[..colon].trim()) == name).then(|| member[colon + 1..].trim())
    })
}

/// What a string means.
pub(crate) fn string(raw: &str) -> String {
    serde_json::from_str(raw).unwrap()
}

/// The same value with one space after each comma and colon, and no other; strings with the fewest
/// escapes, numbers as they are.
pub(crate) fn spaced(raw: &str) -> String {
    let mut text = String::new();
    let mut from = 0;
    for (at, byte, _) in outside_strings(raw).chain([(raw.len(), b' ', 0)]) {
        if raw[from..at].starts_with('"') {
            text.push_str(&serde_json::to_string(&string(&raw[from..at])).unwrap());
        }
        from = at + 1;
        match byte {
            b',' => text.push_str(", "),
            b':' => text.push_str(": "),
            byte if byte.is_ascii_whitespace() => {}
            byte => text.push(char::from(byte)),
        }
    }
    text
}

/// The bytes outside strings, each with its place and how many brackets are open around it.
fn outside_strings(raw: &str) -> impl Iterator<Item = (usize, u8, usize)> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    raw.bytes().enumerate().filter_map(move |(at, byte)| {
        if quoted {
            quoted = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            return None;
        }
        match byte {
            b'"' => {
                quoted = true;
                return None;
            }
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
        Some((at, byte, depth))
    })
}
