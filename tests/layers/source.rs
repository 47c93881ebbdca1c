//! Rust sources as the layer rules see them: code without comments, literals and tests, and the
//! paths it mentions.

/// A path that a file mentions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The path's segments as written, `*` for a glob.
    pub path: Vec<String>,
    /// The name that it is known by in the file, for those of `use`.
    pub name: Option<String>,
    /// Whether it is handed on (`pub use`).
    pub visibility: Visibility,
    /// The line, from 1.
    pub line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Visibility {
    Own,
    HandedOn,
}

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    /// The code, blanked where there is a comment, a literal or a test; line for line the file.
    pub code: String,
    /// Modules declared with `mod name;`.
    pub children: Vec<String>,
    /// Modules declared so for tests only.
    pub test_children: Vec<String>,
    pub mentions: Vec<Mention>,
}

impl Source {
    pub(crate) fn parse(text: &str) -> Self {
        let all = blank_comments_and_literals(text);
        let code = blank_tests(&all);
        let children = declared_modules(&code);
        let mut test_children = declared_modules(&all);
        test_children.retain(|child| !children.contains(child));
        let mut mentions = Vec::new();
        let rest = take_uses(&code, &mut mentions);
        inline_paths(&rest, &mut mentions);
        Self {
            code,
            children,
            test_children,
            mentions,
        }
    }

    /// The lines (from 1) on which `word` stands as a word of its own.
    pub(crate) fn lines_with(&self, word: &str) -> Vec<usize> {
        let stands = |line: &str| {
            line.match_indices(word).any(|(at, _)| {
                let before = line[..at].chars().next_back();
                let after = line[at + word.len()..].chars().next();
                // `'static` is a lifetime.
                !before.is_some_and(|c| is_word(c) || c == '\'') && !after.is_some_and(is_word)
            })
        };
        let lines = self.code.lines().enumerate();
        lines
            .filter(|(_, line)| stands(line))
            .map(|(i, _)| i + 1)
            .collect()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Replaces comments, strings and characters by blanks, keeping line ends and byte offsets.
fn blank_comments_and_literals(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = literal_end(bytes, at);
        blank(&mut out[at..end]);
        at = end.max(at + 1);
    }
    String::from_utf8_lossy(&out).into_owned()
}

fn blank(bytes: &mut [u8]) {
    for byte in bytes {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// Where the comment or literal that begins at `at` ends; `at` where none begins.
fn literal_end(bytes: &[u8], at: usize) -> usize {
    let rest = &bytes[at..];
    let word_before = at > 0 && is_word(bytes[at - 1] as char);
    match rest {
        [b'/', b'/', ..] => at + rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => at + block_comment(rest),
        [b'"', ..] => at + quoted(rest, b'"'),
        [b'r', b'"' | b'#', ..] if !word_before => at + raw_string(rest),
        [b'b', b'r', b'"' | b'#', ..] if !word_before => at + 1 + raw_string(&rest[1..]),
        [b'\'', b'\\', ..] => at + quoted(rest, b'\''),
        // A character is closed after one code point; a lifetime is not closed.
        [b'\'', first, ..] => {
            let width = 2 + usize::from(first.leading_ones().saturating_sub(1) as u8);
            let closed = rest.get(width) == Some(&b'\'');
            if closed { at + width + 1 } else { at }
        }
        _ => at,
    }
}

fn block_comment(rest: &[u8]) -> usize {
    let mut depth = 0usize;
    let mut at = 0;
    while at + 1 < rest.len() {
        match &rest[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

fn quoted(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != quote {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(rest.len())
}

/// The length of `r"…"` or `r#"…"#`; nothing for `r#name`.
fn raw_string(rest: &[u8]) -> usize {
    let hashes = rest[1..].iter().take_while(|&&b| b == b'#').count();
    if rest.get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let mut close = vec![b'"'];
    close.resize(1 + hashes, b'#');
    let body = 2 + hashes;
    let found = rest[body..]
        .windows(close.len())
        .position(|window| window == close);
    found.map_or(rest.len(), |found| body + found + close.len())
}

/// Blanks every item under `#[cfg(test)]`.
fn blank_tests(code: &str) -> String {
    const TEST: &str = "#[cfg(test)]";
    let mut out = code.as_bytes().to_vec();
    for (start, _) in code.match_indices(TEST) {
        let end = start + TEST.len() + item_length(&code[start + TEST.len()..]);
        blank(&mut out[start..end]);
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// The length of the item that `code` begins with, attributes included.
fn item_length(code: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in code.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    code.len()
}

fn declared_modules(code: &str) -> Vec<String> {
    let mut modules = Vec::new();
    for line in code.lines() {
        let mut words = line.split_whitespace().rev();
        if let (Some(name), Some("mod")) = (words.next(), words.next())
            && let Some(name) = name.strip_suffix(';')
        {
            modules.push(name.to_owned());
        }
    }
    modules
}

/// Takes the `use` items out of `code`, their paths into `mentions`.
fn take_uses(code: &str, mentions: &mut Vec<Mention>) -> String {
    let mut rest = code.as_bytes().to_vec();
    for (start, _) in code.match_indices("use ") {
        let line_start = code[..start].rfind('\n').map_or(0, |i| i + 1);
        let before = code[line_start..start].trim();
        if !(before.is_empty() || before.starts_with("pub")) {
            continue;
        }
        let Some(length) = code[start..].find(';') else {
            continue;
        };
        let item = &code[start + 4..start + length];
        let first = mentions.len();
        use_tree(item, &mut Vec::new(), mentions);
        let line = code[..start].matches('\n').count() + 1;
        for mention in &mut mentions[first..] {
            mention.line = line;
            if !before.is_empty() {
                mention.visibility = Visibility::HandedOn;
            }
        }
        blank(&mut rest[start..start + length]);
    }
    String::from_utf8_lossy(&rest).into_owned()
}

/// Unfolds `a::{b, c as d, e::*}`.
fn use_tree(tree: &str, prefix: &mut Vec<String>, mentions: &mut Vec<Mention>) {
    let tree = tree.trim();
    if tree.is_empty() {
        return;
    }
    if let Some(inner) = tree.strip_prefix('{') {
        for part in split_top(inner.strip_suffix('}').unwrap_or(inner)) {
            use_tree(part, prefix, mentions);
        }
        return;
    }
    // A path that begins with `::` names a crate.
    if let Some((head, rest)) = tree.split_once("::") {
        let brace = tree.find('{').unwrap_or(tree.len());
        if head.len() < brace {
            prefix.push(head.trim().to_owned());
            use_tree(rest, prefix, mentions);
            prefix.pop();
            return;
        }
    }
    let (segment, name) = tree.split_once(" as ").unwrap_or((tree, tree));
    let mut path = prefix.clone();
    let name = match segment.trim() {
        "self" if !path.is_empty() => path.last().cloned(),
        segment => {
            path.push(segment.to_owned());
            Some(name.trim().to_owned())
        }
    };
    mentions.push(Mention {
        path,
        name,
        visibility: Visibility::Own,
        line: 0,
    });
}

fn split_top(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&list[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&list[from..]);
    parts
}

/// Paths of two segments or more that stand in the code.
fn inline_paths(code: &str, mentions: &mut Vec<Mention>) {
    for (index, line) in code.lines().enumerate() {
        let spans = line.split(|c: char| !is_word(c) && c != ':');
        for span in spans.filter(|span| span.contains("::") && !span.starts_with(':')) {
            let segments = span.trim_end_matches(':').split("::");
            mentions.push(Mention {
                path: segments.map(str::to_owned).collect(),
                name: None,
                visibility: Visibility::Own,
                line: index + 1,
            });
        }
    }
}
