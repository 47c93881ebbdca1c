//! Random patterns, written in both dialects, on random texts: `regex-automata` must find what our automata
//! accept. It builds nothing that ours are built of.

#[path = "../support/cases.rs"]
mod cases;

use cases::cases;
use maskwright::base::Limits;
use maskwright::regular::Dfa;
use proptest::prelude::*;
use regex_automata::nfa::thompson::pikevm::PikeVM;
use regex_automata::util::syntax;

/// A pattern as ECMA-262 has it and as Rust has it.
type Both = (String, String);

fn same(text: &str) -> Both {
    (text.to_owned(), text.to_owned())
}

/// What takes one character, or none.
fn atom() -> impl Strategy<Value = Both> {
    let alike = [
        "a",
        "b",
        "c",
        "1",
        "_",
        " ",
        "é",
        "😀",
        r"\-",
        r"\n",
        ".",
        "[a-c]",
        "[^ab]",
        "[^é]",
        "[a1_-]",
        r"[\u{e9}b]",
        r"\p{L}",
        r"\P{Nd}",
        "^",
        "$",
        "",
    ];
    // Where Rust means Unicode, ECMA-262 means ASCII.
    let others = [
        (r"\d", "[0-9]"),
        (r"\D", "[^0-9]"),
        (r"\w", "[0-9A-Za-z_]"),
        (r"\W", "[^0-9A-Za-z_]"),
        (r"\b", r"(?-u:\b)"),
        (r"[\w-]", "[0-9A-Za-z_-]"),
        (r"\u00e9", r"\u{e9}"),
        (r"\cJ", r"\n"),
    ];
    let others = others.map(|(ecma, rust)| (ecma.to_owned(), rust.to_owned()));
    prop_oneof![
        3 => prop::sample::select(alike.to_vec()).prop_map(same),
        1 => prop::sample::select(others.to_vec()),
    ]
}

fn quantifier() -> impl Strategy<Value = String> {
    let fixed = [
        "*", "+", "?", "*?", "+?", "??", "{0}", "{2}", "{1,}", "{0,2}?",
    ];
    prop_oneof![
        prop::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        (0u32..4, 0u32..4).prop_map(|(least, more)| format!("{{{least},{}}}", least + more)),
    ]
}

fn pattern() -> impl Strategy<Value = Both> {
    let join = |parts: Vec<Both>, with: &str| -> Both {
        let (ecma, rust): (Vec<String>, Vec<String>) = parts.into_iter().unzip();
        (ecma.join(with), rust.join(with))
    };
    let group = |(ecma, rust): Both, open: &str, after: &str| -> Both {
        let grouped = |inner: String| format!("{open}{inner}){after}");
        (grouped(ecma), grouped(rust))
    };
    atom().prop_recursive(4, 24, 4, move |inner| {
        let opens = prop::sample::select(vec!["(", "(?:", "(?<name>"]);
        prop_oneof![
            3 => prop::collection::vec(inner.clone(), 0..4).prop_map(move |parts| join(parts, "")),
            2 => prop::collection::vec(inner.clone(), 1..4)
                .prop_map(move |parts| group(join(parts, "|"), "(?:", "")),
            2 => (inner.clone(), quantifier())
                .prop_map(move |(inner, after)| group(inner, "(?:", &after)),
            // A name must not come twice, so groups have none below.
            1 => (atom(), opens).prop_map(move |(inner, open)| {
                group(inner, if open.len() > 3 { "(?:" } else { open }, "")
            }),
        ]
    })
}

/// A text without what ends a line in one dialect only.
fn text() -> impl Strategy<Value = String> {
    let characters = ['a', 'b', 'c', '1', '_', ' ', '-', 'é', '😀', '\n', 'z'];
    let text = prop::collection::vec(prop::sample::select(characters.to_vec()), 0..9);
    text.prop_map(|characters| characters.into_iter().collect())
}

/// The other engine's reading of a pattern. `\B` is left out: it finds that within characters, too.
fn another(rust: &str) -> PikeVM {
    let syntax = syntax::Config::new().utf8(false);
    PikeVM::builder().syntax(syntax).build(rust).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(512), ..ProptestConfig::default() })]

    #[test]
    fn another_engine_agrees((ecma, rust) in pattern(), texts in prop::collection::vec(text(), 40)) {
        let limits = Limits::default();
        let (search, whole) = (Dfa::pattern(&ecma, &limits), Dfa::regex_full(&ecma, &limits));
        let (Ok(search), Ok(whole)) = (search, whole) else {
            return Err(TestCaseError::fail(format!("{ecma} is refused")));
        };
        let (theirs, anchored) = (another(&rust), another(&format!(r"\A(?:{rust})\z")));
        let (mut of_search, mut of_whole) = (theirs.create_cache(), anchored.create_cache());
        for text in &texts {
            let found = theirs.is_match(&mut of_search, text.as_str());
            prop_assert_eq!(search.contains(text.as_bytes()), found, "{} in {:?}", ecma, text);
            let found = anchored.is_match(&mut of_whole, text.as_str());
            prop_assert_eq!(whole.contains(text.as_bytes()), found, "{} is {:?}", ecma, text);
        }
    }
}
