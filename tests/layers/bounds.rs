//! Functions that call themselves or loop, and nothing in them tells how far they may go.

/// What a function mentions that charges for what it does, or bounds how deep it goes.
const BOUNDS: [&str; 6] = ["charge", "check", "imit", "depth", "budget", "afford"];

/// The names of the functions in `code`, which has no comments and literals, that call themselves and mention no bound.
pub(crate) fn unbounded_recursions(code: &str) -> Vec<&str> {
    unbounded(code, |name, body| calls(body, name))
}

/// Those that loop until something comes to pass, and mention no bound. A loop `for` goes over what is there already.
pub(crate) fn unbounded_loops(code: &str) -> Vec<&str> {
    unbounded(code, |_, body| {
        let mut words = body.split(|c| !is_word(c));
        words.any(|word| word == "while" || word == "loop")
    })
}

fn unbounded(code: &str, goes_on: impl Fn(&str, &str) -> bool) -> Vec<&str> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        if code[..at].ends_with(is_word) {
            continue;
        }
        let rest = &code[at + 3..];
        let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        let Some(body) = body(rest) else {
            continue;
        };
        let is_bounded = BOUNDS.iter().any(|bound| body.contains(bound));
        if !name.is_empty() && !is_bounded && goes_on(name, body) && !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

/// The body of the function whose declaration begins `rest`; none where it is only declared.
fn body(rest: &str) -> Option<&str> {
    let open = rest.find(['{', ';'])?;
    let mut depth = 0;
    for (at, c) in rest[open..].char_indices() {
        match c {
            ';' if depth == 0 => return None,
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => continue,
        }
        if depth == 0 {
            return Some(&rest[open..open + at]);
        }
    }
    None
}

/// Whether `body` calls the function or the method of this `name`: its own, not that of something else.
fn calls(body: &str, name: &str) -> bool {
    body.match_indices(name).any(|(at, _)| {
        let before = &body[..at];
        let own = before
            .strip_suffix("self.")
            .or_else(|| before.strip_suffix("Self::"))
            .unwrap_or(before);
        let is_own = !own.ends_with(|c| is_word(c) || c == '.' || c == ':');
        is_own && !before.ends_with("fn ") && body[at + name.len()..].starts_with('(')
    })
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
