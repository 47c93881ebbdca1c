//! Random grammars: none does harm, and lowering keeps the language.

use proptest::prelude::*;

use super::{bytes, derives, parse};
use crate::base::Limits;
use crate::front::abnf::Unbound;
use crate::front::abnf::recogniser::recognises;

/// Pieces of ABNF, well and badly put together.
fn garbage() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "b",
        "DIGIT",
        " ",
        "\n",
        "\r\n",
        "\n  ",
        "=",
        "=/",
        "/",
        "(",
        ")",
        "[",
        "]",
        "*",
        "2",
        "3*1",
        "\"x\"",
        "%s\"Y\"",
        "\"",
        "<",
        ">",
        "<a>",
        "%x41",
        "%x5A-41",
        "%d1.2",
        "%",
        "-",
        ";",
        "; @bytes\n",
        "é",
        "\u{0}",
        "\r",
        "\t",
        "a = b\n",
        "b = \"y\"\n",
    ];
    proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..40)
        .prop_map(|p| p.concat())
}

/// A rule's right-hand side over `a`, `b`, `c` and few letters.
fn body() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(
        [
            "a", "b", "c", "\"x\"", "\"y\"", "%s\"Z\"", "%x78-79", "\"\"", "\"xy\"",
        ]
        .to_vec(),
    );
    leaf.prop_map(str::to_owned)
        .prop_recursive(3, 12, 3, |inner| {
            let count = proptest::sample::select(["*", "1*", "2", "1*2", "*3", "0", "2*"].to_vec());
            prop_oneof![
                proptest::collection::vec(inner.clone(), 1..4)
                    .prop_map(|v| format!("({})", v.join(" / "))),
                proptest::collection::vec(inner.clone(), 1..4)
                    .prop_map(|v| format!("({})", v.join(" "))),
                (count, inner.clone()).prop_map(|(count, item)| format!("{count}({item})")),
                inner.prop_map(|item| format!("[{item}]")),
            ]
        })
}

proptest! {
    #[test]
    fn garbage_does_no_harm(source in garbage()) {
        match parse(&source) {
            Ok(abnf) => {
                abnf.warnings(&[]);
                let start = abnf.rule_names().next().unwrap().to_owned();
                let _ = abnf.lower(&start, &mut Unbound, &Limits::default());
            }
            Err(errors) => prop_assert!(errors.to_string().contains('^')),
        }
    }

    #[test]
    fn any_text_does_no_harm(source in "\\PC*") {
        let _ = parse(&source);
    }

    #[test]
    fn lowering_keeps_the_language(
        bodies in [body(), body(), body()],
        texts in proptest::collection::vec("[xyzZ]{0,6}", 12),
    ) {
        let [a, b, c] = bodies;
        // A grammar refused for its loops is no example.
        let Ok(abnf) = parse(&format!("a = {a}\nb = {b}\nc = {c} / \"z\"\n")) else { return Ok(()) };
        for states in [1 << 16, 4096] {
            let limits = Limits { automaton_states: states, ..Limits::default() };
            let grammar = abnf.lower("a", &mut Unbound, &limits).unwrap();
            for text in &texts {
                let expected = recognises(&abnf, "a", text.as_bytes());
                prop_assert_eq!(derives(&grammar, &bytes(text.as_bytes())), expected, "{}\n{}", text, grammar);
            }
        }
    }
}
