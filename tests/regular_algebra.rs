//! Set operations and lengths against their definitions on small strings.

use maskwright::base::Limits;
use maskwright::regular::{Dfa, PatternErrorKind, StateId};
use proptest::prelude::*;

/// Short texts over an alphabet of code points of one, two, three and four bytes.
fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop::sample::select(vec!['a', 'b', 'é', '日', '😀']), 0..6)
        .prop_map(|chars| chars.into_iter().collect())
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(text(), 0..8)
}

/// Patterns over the same alphabet.
fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "b", "é", "日", "😀", ".", "[ab]", "[^a日]", "^", "$", "\\b", "\\B", "",
    ]);
    combined(leaf.prop_map(str::to_owned), &[])
}

/// Patterns of these leaves, in groups of these kinds too.
fn combined(
    leaf: impl Strategy<Value = String> + 'static,
    groups: &'static [&'static str],
) -> BoxedStrategy<String> {
    let combine = move |inner: BoxedStrategy<String>| {
        let composed = prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}{b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(?:{a}|{b})")),
            (
                inner.clone(),
                prop::sample::select(vec!["*", "+", "?", "{2}", "{1,3}"])
            )
                .prop_map(|(a, q)| format!("(?:{a}){q}")),
        ]
        .boxed();
        match groups {
            [] => composed,
            groups => prop_oneof![
                composed,
                (prop::sample::select(groups), inner)
                    .prop_map(|(group, a)| format!("({group}{a})")),
            ]
            .boxed(),
        }
    };
    leaf.prop_recursive(4, 16, 3, combine).boxed()
}

/// Patterns with look-aheads and look-behinds, neither within the other.
fn looking_pattern() -> impl Strategy<Value = String> {
    let ahead = combined(pattern(), &["?=", "?!"]);
    let behind = combined(pattern(), &["?<=", "?<!"]);
    combined(prop_oneof![pattern(), ahead, behind], &[])
}

fn dfa(texts: &[String]) -> Dfa {
    Dfa::literals(texts.iter().map(|t| t.as_bytes()), &Limits::default()).expect("small")
}

/// All texts of up to `most` code points of the alphabet.
fn all_texts(most: usize) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut from = 0;
    for _ in 0..most {
        let to = texts.len();
        for i in from..to {
            for c in ['a', 'b', 'é', '日', '😀', '\n'] {
                texts.push(format!("{}{c}", texts[i]));
            }
        }
        from = to;
    }
    texts
}

proptest! {
    #[test]
    fn literals_are_their_members(texts in texts()) {
        let mut members: Vec<Vec<u8>> = texts.iter().map(|t| t.clone().into_bytes()).collect();
        members.sort();
        members.dedup();
        let dfa = dfa(&texts);
        prop_assert_eq!(dfa.is_empty(), members.is_empty());
        let shortest = members.iter().map(Vec::len).min();
        prop_assert_eq!(dfa.witness().map(|w| w.len()), shortest);
        prop_assert!(dfa.witness().is_none_or(|w| members.contains(&w)));
        prop_assert_eq!(dfa.members(members.len()), Some(members.clone()));
        prop_assert_eq!(dfa.count(members.len()), Some(members.len()));
        if let Some(fewer) = members.len().checked_sub(1) {
            prop_assert_eq!(dfa.members(fewer), None);
            prop_assert_eq!(dfa.count(fewer), None);
        }
    }

    #[test]
    fn operations_are_set_operations(a in texts(), b in texts(), p in pattern(), more in texts()) {
        let limits = Limits::default();
        let x = dfa(&a);
        let y = dfa(&b).union(&Dfa::pattern(&p, &limits).expect("well-formed"), &limits).expect("small");
        let both = x.intersect(&y, &limits).expect("small");
        let either = x.union(&y, &limits).expect("small");
        let left = y.difference(&x, &limits).expect("small");
        let none = y.complement_text(&limits).expect("small");
        for text in a.iter().chain(&b).chain(&more).map(|t| t.as_bytes()) {
            let (in_x, in_y) = (x.contains(text), y.contains(text));
            prop_assert_eq!(both.contains(text), in_x && in_y);
            prop_assert_eq!(either.contains(text), in_x || in_y);
            prop_assert_eq!(left.contains(text), in_y && !in_x);
            prop_assert_eq!(none.contains(text), !in_y);
        }
        // Equal languages are equal automata.
        prop_assert_eq!(&none.complement_text(&limits).expect("small"), &y);
        prop_assert_eq!(&left.union(&both, &limits).expect("small"), &y);
        prop_assert!(left.intersect(&x, &limits).expect("small").is_empty());
    }

    #[test]
    fn text_without_excludes_substrings(needles in proptest::collection::vec(text(), 0..4), hay in texts()) {
        let limits = Limits::default();
        let bytes: Vec<&[u8]> = needles.iter().map(|n| n.as_bytes()).collect();
        let dfa = Dfa::text_without(&bytes, &limits).expect("small");
        for text in &hay {
            let expected = !needles.iter().any(|n| text.contains(n.as_str()));
            prop_assert_eq!(dfa.contains(text.as_bytes()), expected, "{}", text);
        }
    }

    #[test]
    fn patterns_accept_what_an_independent_engine_finds(p in pattern()) {
        let limits = Limits::default();
        let dfa = Dfa::pattern(&p, &limits).expect("well-formed");
        for text in all_texts(3) {
            prop_assert_eq!(dfa.contains(text.as_bytes()), naive::search(&p, &text), "{} {:?}", p, text);
        }
    }

    #[test]
    fn looks_accept_what_an_independent_engine_finds(p in looking_pattern()) {
        let dfa = match Dfa::pattern(&p, &Limits::default()) {
            Err(error) if matches!(error.kind, PatternErrorKind::Limit(_)) => {
                return Err(TestCaseError::reject("a limit"));
            }
            dfa => dfa.expect("well-formed"),
        };
        for text in all_texts(3) {
            prop_assert_eq!(dfa.contains(text.as_bytes()), naive::search(&p, &text), "{} {:?}", p, text);
        }
    }

    #[test]
    fn lengths_are_those_of_the_members(p in pattern(), min in 0u64..7, more in 0u64..3) {
        let limits = Limits::default();
        let dfa = Dfa::pattern(&p, &limits).expect("well-formed");
        let lengths = dfa.lengths(&limits).expect("small");
        let by_step = lengths_by_step(&dfa, 10);
        for state in dfa.states() {
            let reached = |n: u64| by_step[n as usize][state.index()];
            let expected = (min..=min + more).any(reached);
            prop_assert_eq!(lengths.can_finish(state, min, Some(min + more)), expected);
            prop_assert_eq!(lengths.shortest(state, 0).is_some_and(|n| n <= 9), (0..=9).any(reached));
        }
    }
}

/// Per number of code points, per state, whether so long a string is accepted: by the definition.
fn lengths_by_step(dfa: &Dfa, most: usize) -> Vec<Vec<bool>> {
    let mut sets: Vec<Vec<bool>> = Vec::new();
    for length in 0..=most {
        let mut set = vec![false; dfa.len()];
        loop {
            let before = set.clone();
            for state in dfa.states() {
                let ends = length == 0 && dfa.is_accepting(state);
                let goes_on = (0..=255u8).any(|byte| {
                    let target: StateId = dfa.next(state, byte);
                    if byte & 0xC0 == 0x80 {
                        before[target.index()]
                    } else {
                        length > 0 && sets[length - 1][target.index()]
                    }
                });
                set[state.index()] |= ends || goes_on;
            }
            if set == before {
                break;
            }
        }
        sets.push(set);
    }
    sets
}

#[test]
fn strings_are_counted() {
    let count = |pattern: &str| {
        let dfa = Dfa::pattern(pattern, &Limits::default()).unwrap();
        dfa.count(1 << 20)
    };
    assert_eq!(count("^[a-f][0-9]{1,2}$"), Some(660));
    assert_eq!(count("^(a|b){0,10}$"), Some(2047));
    assert_eq!(count("^(ab*|c)$"), None);
    assert_eq!(count("^.{3}$"), None);
    assert_eq!(count("^(?!a)a$"), Some(0));
}

#[test]
fn lengths_far_out() {
    let limits = Limits::default();
    let dfa = Dfa::pattern("^(?:.{6}|.{10})*.$", &limits).expect("well-formed");
    let lengths = dfa.lengths(&limits).expect("small");
    let can = |n| lengths.can_finish(dfa.start(), n, Some(n));
    assert!(can(1) && can(7) && can(11) && !can(9) && !can(5) && !can(3));
    assert!(can(1_000_000_001) && !can(1_000_000_000));
    assert_eq!(
        lengths.shortest(dfa.start(), 1_000_000_000),
        Some(1_000_000_001)
    );
    assert_eq!(lengths.shortest(dfa.start(), u64::MAX), Some(u64::MAX));
    let even = Dfa::pattern("^(aa)*$", &limits).expect("well-formed");
    assert_eq!(
        even.lengths(&limits)
            .expect("small")
            .shortest(even.start(), u64::MAX),
        None
    );
    assert!(!lengths.can_finish(Dfa::DEAD, 0, None));
}

#[test]
fn lengths_within_a_code_point_count_those_that_start_later() {
    let limits = Limits::default();
    let dfa = Dfa::pattern("^😀a$", &limits).expect("well-formed");
    let lengths = dfa.lengths(&limits).expect("small");
    let within = dfa.run(dfa.start(), &"😀".as_bytes()[..2]);
    assert!(lengths.can_finish(within, 1, Some(1)) && !lengths.can_finish(within, 2, None));
    assert!(
        lengths.can_finish(dfa.start(), 2, Some(2)) && !lengths.can_finish(dfa.start(), 0, Some(1))
    );
}

#[test]
fn only_valid_utf8_is_text() {
    let text = Dfa::utf8_text();
    for bytes in [
        &b"\xC0\x80"[..],
        b"\xE0\x80\x80",
        b"\xED\xA0\x80",
        b"\xF4\x90\x80\x80",
        b"\x80",
        b"\xC3",
    ] {
        assert!(!text.contains(bytes) && std::str::from_utf8(bytes).is_err());
    }
    for c in [
        '\0',
        '\u{7F}',
        '\u{80}',
        '\u{7FF}',
        '\u{800}',
        '\u{D7FF}',
        '\u{E000}',
        '\u{FFFF}',
        '\u{10000}',
        '\u{10FFFF}',
    ] {
        assert!(text.contains(c.to_string().as_bytes()), "{c:?}");
    }
}

/// Backtracking over the patterns that this test makes, straight from ECMA-262's definitions.
mod naive {
    /// Whether `pattern` matches somewhere in `text`.
    pub(super) fn search(pattern: &str, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        let pattern: Vec<char> = pattern.chars().collect();
        let node = Reader {
            pattern: &pattern,
            at: 0,
        }
        .disjunction();
        (0..=text.len()).any(|from| !ends(&node, &text, from).is_empty())
    }

    enum Node {
        Any(Vec<Node>),
        All(Vec<Node>),
        Times(Box<Node>, usize, usize),
        Class(Vec<char>, Sense),
        Start,
        End,
        Boundary(bool),
        Ahead(Box<Node>, Sense),
        Behind(Box<Node>, Sense),
    }

    enum Sense {
        In,
        NotIn,
    }

    struct Reader<'a> {
        pattern: &'a [char],
        at: usize,
    }

    impl Reader<'_> {
        fn peek(&self) -> Option<char> {
            self.pattern.get(self.at).copied()
        }

        fn disjunction(&mut self) -> Node {
            let mut branches = Vec::new();
            loop {
                let mut terms = Vec::new();
                while self.peek().is_some_and(|c| c != '|' && c != ')') {
                    terms.push(self.term());
                }
                branches.push(Node::All(terms));
                if self.peek() != Some('|') {
                    return Node::Any(branches);
                }
                self.at += 1;
            }
        }

        fn term(&mut self) -> Node {
            let c = self.pattern[self.at];
            self.at += 1;
            match c {
                '^' => Node::Start,
                '$' => Node::End,
                '.' => Node::Class(vec!['\n'], Sense::NotIn),
                '\\' => {
                    self.at += 1;
                    Node::Boundary(self.pattern[self.at - 1] == 'b')
                }
                '[' => {
                    let close = self.at
                        + self.pattern[self.at..]
                            .iter()
                            .position(|&c| c == ']')
                            .expect("closed");
                    let members = &self.pattern[self.at..close];
                    self.at = close + 1;
                    match members.strip_prefix(&['^']) {
                        Some(members) => Node::Class(members.to_vec(), Sense::NotIn),
                        None => Node::Class(members.to_vec(), Sense::In),
                    }
                }
                '(' => {
                    let rest: String = self.pattern[self.at..].iter().collect();
                    let kinds = ["?:", "?=", "?!", "?<=", "?<!"];
                    let kind = kinds.into_iter().find(|kind| rest.starts_with(kind));
                    let kind = kind.expect("a group of these kinds");
                    self.at += kind.len();
                    let body = self.disjunction();
                    self.at += 1;
                    match kind {
                        "?=" => Node::Ahead(Box::new(body), Sense::In),
                        "?!" => Node::Ahead(Box::new(body), Sense::NotIn),
                        "?<=" => Node::Behind(Box::new(body), Sense::In),
                        "?<!" => Node::Behind(Box::new(body), Sense::NotIn),
                        _ => self.quantified(body),
                    }
                }
                c => Node::Class(vec![c], Sense::In),
            }
        }

        fn quantified(&mut self, body: Node) -> Node {
            let rest: String = self.pattern[self.at..].iter().collect();
            for (text, min, max) in [
                ("*", 0, 9),
                ("+", 1, 9),
                ("?", 0, 1),
                ("{2}", 2, 2),
                ("{1,3}", 1, 3),
            ] {
                if rest.starts_with(text) {
                    self.at += text.len();
                    return Node::Times(Box::new(body), min, max);
                }
            }
            body
        }
    }

    /// Where a match that begins at `from` may end.
    fn ends(node: &Node, text: &[char], from: usize) -> std::collections::BTreeSet<usize> {
        let here = |holds: bool| holds.then_some(from).into_iter().collect();
        let is_word = |at: Option<usize>| {
            at.and_then(|at| text.get(at))
                .is_some_and(|c| c.is_ascii_alphanumeric())
        };
        match node {
            Node::Any(branches) => branches.iter().flat_map(|b| ends(b, text, from)).collect(),
            Node::All(parts) => parts.iter().fold(here(true), |at, part| {
                at.into_iter().flat_map(|at| ends(part, text, at)).collect()
            }),
            Node::Times(body, min, max) => {
                let mut at = here(true);
                let mut all = if *min == 0 {
                    at.clone()
                } else {
                    Default::default()
                };
                for n in 1..=*max {
                    at = at.into_iter().flat_map(|at| ends(body, text, at)).collect();
                    if n >= *min {
                        all.extend(&at);
                    }
                }
                all
            }
            Node::Class(members, sense) => {
                let taken = text
                    .get(from)
                    .is_some_and(|c| members.contains(c) == matches!(sense, Sense::In));
                taken.then_some(from + 1).into_iter().collect()
            }
            Node::Ahead(body, sense) => {
                let found = !ends(body, text, from).is_empty();
                here(found == matches!(sense, Sense::In))
            }
            Node::Behind(body, sense) => {
                let found = (0..=from).any(|begin| ends(body, text, begin).contains(&from));
                here(found == matches!(sense, Sense::In))
            }
            Node::Start => here(from == 0),
            Node::End => here(from == text.len()),
            Node::Boundary(expected) => {
                here((is_word(from.checked_sub(1)) != is_word(Some(from))) == *expected)
            }
        }
    }
}
