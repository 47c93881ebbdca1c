//! What is certain of arguments that are not complete.

/// What is certain of `json`, the beginning of a JSON value: the same with all that is not closed left out, and what is open
/// closed. A string or a number counts once it has ended, a member once its value has; `None` where nothing is certain.
///
/// ```
/// use maskwright::reader::certain;
/// let text = r#"{"city": "Bern", "days": [1, 2"#;
/// assert_eq!(certain(text).as_deref(), Some(r#"{"city": "Bern", "days": [1]}"#));
/// assert_eq!(certain(r#"{"city": "Be"#).as_deref(), Some("{}"));
/// assert_eq!(certain("\"Be"), None);
/// ```
pub fn certain(json: &str) -> Option<String> {
    let mut open: Vec<u8> = Vec::new();
    // How much of the text is closed, and what is open there.
    let mut closed: Option<(usize, Vec<u8>)> = None;
    let bytes = json.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let is_key = open.last() == Some(&b'}') && is_key_place(bytes, at);
        match byte {
            b'{' | b'[' => {
                open.push(if byte == b'{' { b'}' } else { b']' });
                at += 1;
                closed = Some((at, open.clone()));
            }
            b'}' | b']' => {
                open.pop()?;
                at += 1;
                closed = Some((at, open.clone()));
            }
            b'"' => {
                let Some(end) = end_of_string(bytes, at) else {
                    break;
                };
                at = end;
                if !is_key {
                    closed = Some((at, open.clone()));
                }
            }
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => at += 1,
            _ => {
                let is_within = |byte: &&u8| !b",]} \t\n\r".contains(byte);
                at += bytes[at..].iter().take_while(is_within).count();
                // What comes next may still belong to it.
                let words: [&[u8]; 3] = [b"true", b"false", b"null"];
                let is_word = words.iter().any(|word| bytes[..at].ends_with(word));
                if at < bytes.len() || is_word {
                    closed = Some((at, open.clone()));
                }
            }
        }
    }
    let (length, open) = closed?;
    let closing = open.iter().rev().map(|&byte| char::from(byte));
    Some(json[..length].chars().chain(closing).collect())
}

/// Whether a string that begins at `at`, in an object, is a name: what comes before it is a brace or a comma.
fn is_key_place(bytes: &[u8], at: usize) -> bool {
    let before = bytes[..at]
        .iter()
        .rev()
        .find(|byte| !b" \t\n\r".contains(byte));
    matches!(before, Some(b'{' | b','))
}

/// Behind the string that begins at `at`; `None` where it has not ended.
fn end_of_string(bytes: &[u8], at: usize) -> Option<usize> {
    let mut next = at + 1;
    loop {
        match bytes.get(next) {
            None => return None,
            Some(b'"') => return Some(next + 1),
            Some(b'\\') => next += 2,
            Some(_) => next += 1,
        }
    }
}
