//! The text that a string of JSON stands for, found out while it is written.

/// Reads what stands between the quotes of a string, in pieces. The work for a byte does not grow with the text before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Unescape {
    /// The beginning of an escape that is not complete.
    cut: String,
}

impl Unescape {
    /// How many bytes of an escape are kept back.
    pub(super) fn kept(&self) -> usize {
        self.cut.len()
    }

    /// Reads more, and gives the characters that are complete now.
    pub(super) fn take(&mut self, more: &str) -> String {
        let whole = std::mem::take(&mut self.cut) + more;
        let mut text = String::with_capacity(whole.len());
        let mut rest = whole.as_str();
        while let Some(at) = rest.find('\\') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            let Some(length) = length(rest.as_bytes()).filter(|&length| length <= rest.len())
            else {
                self.cut = rest.to_owned();
                return text;
            };
            let (escape, behind) = rest.split_at(length);
            let character = serde_json::from_str::<String>(&format!("\"{escape}\""));
            text.push_str(character.as_deref().unwrap_or("\u{FFFD}"));
            rest = behind;
        }
        text.push_str(rest);
        text
    }
}

/// The length of the escape that `text` begins with, a pair of surrogates as one; `None` where more must be seen.
fn length(text: &[u8]) -> Option<usize> {
    match text.get(1)? {
        b'u' => {
            let high = text.get(2)?.eq_ignore_ascii_case(&b'd') && text.get(3)? >= &b'8';
            Some(if high { 12 } else { 6 })
        }
        _ => Some(2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_in_pieces_is_what_another_reader_says() {
        let spelt = r#"{\"a\\n\": \"é\u00e9\ud83d\uDE00\/\\u0041\",\n\t\"b\": [\u0031]}"#;
        let text: String = serde_json::from_str(&format!("\"{spelt}\"")).unwrap();
        for size in 1..=spelt.chars().count() {
            let mut unescape = Unescape::default();
            let characters: Vec<char> = spelt.chars().collect();
            let pieces = characters.chunks(size).map(String::from_iter);
            let read: String = pieces.map(|piece| unescape.take(&piece)).collect();
            assert_eq!((read, unescape.kept()), (text.clone(), 0), "{size}");
        }
    }
}
