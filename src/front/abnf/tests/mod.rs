//! The suites in `tests/data/abnf`: what grammars accept and refuse, and what is wrong with
//! malformed ones. Every text is judged by the reference recogniser and by the lowered grammar.

mod random;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::recogniser::recognises;
use super::*;
use crate::grammar::{Body, ReturnTo};

fn data(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/abnf")
        .join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn parse(source: &str) -> Result<Abnf, AbnfErrors> {
    Abnf::parse(source, &Limits::default())
}

fn cases(suite: &str) -> Vec<toml::Table> {
    let table: toml::Table = data(suite).parse().unwrap();
    let cases = table["case"].as_array().unwrap().iter();
    cases.map(|case| case.as_table().unwrap().clone()).collect()
}

fn strings(case: &toml::Table, key: &str) -> Vec<String> {
    let Some(list) = case.get(key) else {
        return Vec::new();
    };
    list.as_array()
        .unwrap()
        .iter()
        .map(|item| item.as_str().unwrap().to_owned())
        .collect()
}

/// The texts under `key`, and those under `key_hex` as bytes.
fn texts(case: &toml::Table, key: &str) -> Vec<Vec<u8>> {
    let from_hex = |hex: String| -> Vec<u8> {
        let pairs = (0..hex.len()).step_by(2);
        pairs
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
            .collect()
    };
    let plain = strings(case, key).into_iter().map(String::into_bytes);
    plain
        .chain(
            strings(case, &format!("{key}_hex"))
                .into_iter()
                .map(from_hex),
        )
        .collect()
}

/// What a lowered grammar reads.
#[derive(Clone, Debug, PartialEq)]
enum Symbol {
    Byte(u8),
    Control(String),
}

/// Whether a lowered grammar derives `text`: the automata read as they are defined, with the ends
/// of each rule at each place computed from below.
fn derives(grammar: &Grammar, text: &[Symbol]) -> bool {
    type Ends = BTreeMap<(usize, usize), BTreeSet<usize>>;
    fn rule(
        grammar: &Grammar,
        text: &[Symbol],
        key: (usize, usize),
        ends: &mut Ends,
        entered: &mut BTreeSet<(usize, usize)>,
    ) {
        if !entered.insert(key) {
            return;
        }
        let Body::Automaton(automaton) = grammar.rule(RuleId::from_usize(key.0)).body() else {
            panic!("the front makes automata only");
        };
        let mut open = vec![(0, key.1)];
        let mut seen = BTreeSet::new();
        while let Some((position, at)) = open.pop() {
            if !seen.insert((position, at)) {
                continue;
            }
            let node = &automaton.nodes[position as usize];
            if node.exit.is_some() {
                ends.entry(key).or_default().insert(at);
            }
            match text.get(at) {
                Some(&Symbol::Byte(byte)) => {
                    let edges = node
                        .edges
                        .iter()
                        .filter(|edge| (edge.lo..=edge.hi).contains(&byte));
                    open.extend(edges.map(|edge| (edge.to, at + 1)));
                }
                Some(Symbol::Control(name)) => {
                    let edges = node
                        .controls
                        .iter()
                        .filter(|edge| grammar.control(edge.0).to_string() == *name);
                    open.extend(edges.map(|edge| (edge.1, at + 1)));
                }
                None => {}
            }
            for call in &node.calls {
                let callee = (call.rule.index(), at);
                rule(grammar, text, callee, ends, entered);
                let ReturnTo::Position(to) = call.to else {
                    panic!("the front asks for no exits")
                };
                let after = ends.get(&callee).into_iter().flatten();
                open.extend(after.map(|&end| (to, end)));
            }
        }
    }
    let root = (grammar.root().index(), 0);
    let mut ends = Ends::new();
    loop {
        let before: usize = ends.values().map(BTreeSet::len).sum();
        rule(grammar, text, root, &mut ends, &mut BTreeSet::new());
        if ends.values().map(BTreeSet::len).sum::<usize>() == before {
            return ends
                .get(&root)
                .is_some_and(|ends| ends.contains(&text.len()));
        }
    }
}

fn bytes(text: &[u8]) -> Vec<Symbol> {
    text.iter().map(|&byte| Symbol::Byte(byte)).collect()
}

fn check_language(case: &toml::Table) {
    let source = match case.get("file") {
        Some(file) => data(file.as_str().unwrap()),
        None => case["grammar"].as_str().unwrap().to_owned(),
    };
    let start = case["start"].as_str().unwrap();
    let abnf = parse(&source).unwrap_or_else(|errors| panic!("{source}\n{errors}"));
    let grammar = abnf.lower(start, &mut Unbound, &Limits::default()).unwrap();
    // Lowered with hardly any budget, nothing is put in place or unfolded.
    let tight = Limits {
        automaton_states: 128,
        ..Limits::default()
    };
    let tight = abnf.lower(start, &mut Unbound, &tight).unwrap();
    for (key, expected) in [("accepts", true), ("refuses", false)] {
        for text in texts(case, key) {
            let shown = String::from_utf8_lossy(&text);
            assert_eq!(
                recognises(&abnf, start, &text),
                expected,
                "{start}: {shown:?}\n{source}"
            );
            assert_eq!(
                derives(&grammar, &bytes(&text)),
                expected,
                "{shown:?}\n{source}\n{grammar}"
            );
            assert_eq!(
                derives(&tight, &bytes(&text)),
                expected,
                "{shown:?}\n{source}\n{tight}"
            );
        }
    }
}

#[test]
fn languages_of_rfcs() {
    cases("rfcs.toml").iter().for_each(check_language);
}

#[test]
fn languages_of_small_grammars() {
    cases("small.toml").iter().for_each(check_language);
}

#[test]
fn errors_name_place_and_expectation() {
    let cases = cases("errors.toml");
    assert!(cases.len() >= 30);
    for case in cases {
        let source = case["grammar"].as_str().unwrap();
        let errors = parse(source).expect_err(source);
        let expected = strings(&case, "errors");
        assert_eq!(errors.iter().count(), expected.len(), "{source}\n{errors}");
        for (error, expected) in errors.iter().zip(expected) {
            let (place, message) = expected.split_once(' ').unwrap();
            assert_eq!(error.place().to_string(), place, "{source}\n{error}");
            assert!(
                error.kind().to_string().contains(message),
                "{expected}\n{error}"
            );
        }
        if let Some(hint) = case.get("hint") {
            let hint = hint.as_str().unwrap();
            assert!(
                errors
                    .iter()
                    .any(|error| error.hint().is_some_and(|h| h.contains(hint))),
                "{errors}"
            );
        }
    }
}

#[test]
fn errors_are_shown_with_a_caret() {
    let errors = parse("a = \"x\"\r\nb =\tmissing / a\r\n").unwrap_err();
    let shown = errors
        .iter()
        .map(|error| error.display("f.abnf").to_string())
        .collect::<String>();
    let expected = "f.abnf:2:5: rule `missing` is not defined\n  b = missing / a\n      ^^^^^^^";
    assert_eq!(shown, expected);

    let long = format!(
        "a = {}missing{}",
        "\"x\" ".repeat(500),
        " \"y\"".repeat(500)
    );
    let shown = parse(&long).unwrap_err().to_string();
    let [_, line, carets] = shown.lines().collect::<Vec<_>>()[..] else {
        panic!("{shown}")
    };
    let at = carets.find('^').unwrap();
    assert_eq!(&line[at..at + carets.len() - at], "missing");
    assert!(line.len() < 200);
}

#[test]
fn every_grammar_here_is_abnf_by_its_own_definition() {
    let own = parse(&data("rfc5234.abnf")).unwrap();
    for name in [
        "rfc5234",
        "rfc7405",
        "rfc8259",
        "rfc3339",
        "rfc3986",
        "openchatml-2.2",
    ] {
        let source = data(&format!("{name}.abnf")).replace('\n', "\r\n");
        // Rule by rule, which keeps the reference recogniser's work small.
        let lines: Vec<&str> = source.split_inclusive('\n').collect();
        let continues = |line: &&str| line.starts_with([' ', '\t']);
        for rule in lines.chunk_by(|_, next| continues(next)) {
            let rule = rule.concat();
            assert!(
                recognises(&own, "rulelist", rule.as_bytes()),
                "{name}: {rule}"
            );
        }
    }
}

#[test]
fn warnings() {
    let source = "; @byte\na = b\nb = \"x\"\nc = d\nd = \"y\" d / \"z\"\n; @bytes\n";
    let abnf = parse(source).unwrap();
    let shown = |starts: &[&str]| -> Vec<String> {
        let warnings = abnf.warnings(starts);
        warnings
            .iter()
            .map(|w| format!("{} {}", w.place(), w.kind()))
            .collect()
    };
    let pragmas = ["1:1 `@byte` has no effect", "6:1 `@bytes` has no effect"];
    assert_eq!(shown(&["A", "c"]), pragmas);
    let unused = ["4:1 rule `c` is never used", "5:1 rule `d` is never used"];
    assert_eq!(
        shown(&["a"]),
        [pragmas[0], unused[0], unused[1], pragmas[1]]
    );
    assert_eq!(shown(&[]), shown(&["a"]));
}

#[test]
fn grammars_over_octets_are_warned_of() {
    let warned = |source: &str, numbers| {
        let abnf = Abnf::parse_with(source, numbers, &Limits::default()).unwrap();
        let kinds = abnf.warnings(&["a"]).into_iter().map(|w| w.kind().clone());
        kinds
            .filter(|kind| *kind == AbnfWarningKind::Octets)
            .count()
    };
    let utf8 = "a = %xC2-DF tail / %xE0 tail tail\ntail = %x80-BF";
    for (source, expected) in [
        (utf8, 1),
        ("a = %x21-7E / obs\nobs = %x80-FF", 1),
        ("a = %x21-7E / obs\nobs = %x80-FF ; @bytes", 0),
        ("a = %xA0-DF / %x80-9F", 0),
        ("a = %xC0-D6", 0),
    ] {
        assert_eq!(warned(source, Numbers::CodePoints), expected, "{source}");
        assert_eq!(warned(source, Numbers::Bytes), 0, "{source}");
    }
    assert_eq!(warned(&format!("; @bytes\n{utf8}"), Numbers::CodePoints), 0);
}

#[test]
fn control_tokens_are_spelt_by_numbers_too() {
    struct Controls;
    impl Bindings for Controls {
        fn controls(&self) -> Vec<String> {
            ["<｜tool▁calls▁begin｜>", "<|\"|>"]
                .map(str::to_owned)
                .into()
        }
        fn known(&self) -> Vec<String> {
            Vec::new()
        }
        fn bind(&mut self, _: &str, _: &mut GrammarBuilder) -> Option<Binding> {
            None
        }
    }
    for (source, count) in [
        ("a = \"<｜tool▁calls▁begin｜>\"", 1),
        ("a = \"<|\" %x22 \"|>\"", 0),
        ("a = %x3C.7C.22.7C.3E \"<｜tool▁calls▁begin｜>\"", 2),
        ("a = \"<｜tool▁calls▁\" \"begin｜>\"", 0),
    ] {
        let abnf = parse(source).unwrap();
        let grammar = abnf.lower("a", &mut Controls, &Limits::default()).unwrap();
        assert_eq!(grammar.controls().count(), count, "{source}");
    }
}

struct Tools;

impl Bindings for Tools {
    fn controls(&self) -> Vec<String> {
        ["<|start|>", "<|end|>", "<|"].map(str::to_owned).into()
    }

    fn known(&self) -> Vec<String> {
        ["tool.name", "tool.arguments", "text"]
            .map(str::to_owned)
            .into()
    }

    fn bind(&mut self, prose: &str, builder: &mut GrammarBuilder) -> Option<Binding> {
        let texts = |texts: [&str; 2]| texts.map(|text| Filling::Text(text.to_owned())).into();
        Some(match prose {
            "tool.name" => Binding::Each(texts(["one", "onto"])),
            "tool.arguments" => Binding::Each(texts(["{1}", "{2}"])),
            "text" => {
                let rule = builder.declare("text");
                let mut nfa = crate::grammar::Nfa::new();
                nfa.bytes(nfa.start(), b'a', b'z', nfa.start());
                nfa.accept(nfa.start());
                builder.define(rule, &nfa).unwrap();
                Binding::One(Filling::Rule(rule))
            }
            _ => return None,
        })
    }
}

/// Control tokens stand between `«` and `»`.
fn symbols(text: &str) -> Vec<Symbol> {
    let mut symbols = Vec::new();
    for piece in text.split_inclusive('»') {
        let (plain, control) = piece.split_once('«').unwrap_or((piece, ""));
        symbols.extend(bytes(plain.as_bytes()));
        if let Some(control) = control.strip_suffix('»') {
            symbols.push(Symbol::Control(control.to_owned()));
        }
    }
    symbols
}

#[test]
fn bindings_fill_holes_and_name_control_tokens() {
    let check = |source: &str, accepts: &[&str], refuses: &[&str]| {
        let grammar = parse(source)
            .unwrap()
            .lower("a", &mut Tools, &Limits::default())
            .unwrap();
        for (texts, expected) in [(accepts, true), (refuses, false)] {
            for text in texts {
                assert_eq!(
                    derives(&grammar, &symbols(text)),
                    expected,
                    "{source}: {text}\n{grammar}"
                );
            }
        }
    };
    check(
        r#"a = "<|start|>""#,
        &["«<|start|>»"],
        &["<|start|>", "«<|»start|>"],
    );
    check(
        r#"a = %s"x<|start|>y<|end|>" "<|z""#,
        &["x«<|start|>»y«<|end|>»«<|»z"],
        &["X«<|start|>»y«<|end|>»«<|»z", "x<|start|>y<|end|><|z"],
    );
    // Text in any case; a control token in its own only.
    check(r#"a = "a<|start|>b""#, &["A«<|start|>»B"], &["a<|START|>b"]);
    check(
        r#"a = "to=" <tool.name> ["!"]"#,
        &["to=one", "to=onto!"],
        &["to=on", "to=", "to=One"],
    );
    check(
        r#"a = ["<|start|>"] <tool.name> *" " <tool.arguments> "<|end|>""#,
        &["one {1}«<|end|>»", "«<|start|>»onto{2}«<|end|>»"],
        &["one {2}«<|end|>»", "onto{1}«<|end|>»"],
    );
    // One rule, one tool, wherever it is mentioned.
    check(
        r#"a = 1*("(" <tool.name> ")" / <tool.arguments>)"#,
        &["(one){1}(one)", "{2}{2}(onto)"],
        &["(one)(onto)", "(one){2}"],
    );
    // Another rule, another tool.
    check(
        "a = 2b\nb = <tool.name> <tool.arguments>",
        &["one{1}onto{2}"],
        &["one{2}"],
    );
    check("a = <text> \"!\" <text>", &["abc!", "!x"], &["A!", "abc"]);
}

#[test]
fn lowering_reports_what_is_missing() {
    let abnf = parse("a = <text> b\nb = <tool.nam> / <text2>\nc = <elsewhere>").unwrap();
    let errors = abnf.lower("a", &mut Tools, &Limits::default()).unwrap_err();
    let shown: Vec<_> = errors
        .iter()
        .map(|e| format!("{} {}", e.place(), e.kind()))
        .collect();
    let known = "known: <tool.name>, <tool.arguments>, <text>";
    let message = |name| format!("`<{name}>` names no rule and nothing known; {known}");
    assert_eq!(
        shown,
        [
            format!("2:5 {}", message("tool.nam")),
            format!("2:18 {}", message("text2")),
        ]
    );
    assert_eq!(
        errors.iter().next().unwrap().hint(),
        Some("did you mean `<tool.name>`?")
    );

    let errors = abnf
        .lower("nowhere", &mut Tools, &Limits::default())
        .unwrap_err();
    assert!(
        errors
            .to_string()
            .contains("there is no rule `nowhere` to start from"),
        "{errors}"
    );
    assert_eq!(abnf.prose_vals().len(), 4);
}

#[test]
fn a_tool_list_without_tools_leaves_nothing_to_generate() {
    struct None;
    impl Bindings for None {
        fn controls(&self) -> Vec<String> {
            Vec::new()
        }
        fn known(&self) -> Vec<String> {
            Vec::new()
        }
        fn bind(&mut self, _: &str, _: &mut GrammarBuilder) -> Option<Binding> {
            Some(Binding::Each(Vec::new()))
        }
    }
    let abnf = parse("a = \"x\" / b\nb = <tool.name>").unwrap();
    let grammar = abnf.lower("a", &mut None, &Limits::default()).unwrap();
    assert!(derives(&grammar, &bytes(b"x")));
    let errors = abnf.lower("b", &mut None, &Limits::default()).unwrap_err();
    assert_eq!(
        errors.iter().next().unwrap().place().to_string(),
        "2:1",
        "{errors}"
    );
}

#[test]
fn limits_are_met_not_the_stack_or_the_memory() {
    let refused = |source: &str, limits: &Limits, message: &str| {
        let errors = match Abnf::parse(source, limits) {
            Ok(abnf) => abnf.lower("a", &mut Unbound, limits).unwrap_err(),
            Err(errors) => errors,
        };
        assert!(errors.to_string().contains(message), "{errors}");
    };
    let limits = Limits::default();
    let deep = |n: usize| format!("a = {}\"x\"{}", "[".repeat(n), "]".repeat(n));
    assert!(
        parse(&deep(256))
            .unwrap()
            .lower("a", &mut Unbound, &limits)
            .is_ok()
    );
    refused(
        &deep(257),
        &limits,
        "nested groups: at least 257 needed, 256 allowed",
    );
    refused(
        &deep(1_000_000),
        &limits,
        "nested groups: at least 257 needed, 256 allowed",
    );
    let small = Limits {
        source_bytes: 4,
        rules: 20,
        ..Limits::default()
    };
    refused(
        "a = \"x\"",
        &small,
        "bytes of a grammar: 7 needed, 4 allowed",
    );
    let few = Limits {
        rules: 20,
        ..Limits::default()
    };
    refused(
        &many_rules(10),
        &few,
        "rules of a grammar: at least 28 needed, 20 allowed",
    );
    let states = Limits {
        automaton_states: 64,
        ..Limits::default()
    };
    refused(
        &format!("a = \"{}\"", "x".repeat(100)),
        &states,
        "states of a rule body: ",
    );
    // Each doubles what is in it.
    let doubled = format!("a = {}\"x\"{}", "2(".repeat(200), ")".repeat(200));
    assert!(
        parse(&doubled)
            .unwrap()
            .lower("a", &mut Unbound, &limits)
            .is_ok()
    );
    let chain = parse(&many_rules(1000)).unwrap();
    assert!(chain.lower("a", &mut Unbound, &limits).is_ok());
    // Looking for loops neither recurses nor is quadratic.
    assert!(parse(&many_rules(100_000)).is_ok());
}

/// A chain of rules `a`, `r0`, `r1`, …
fn many_rules(n: usize) -> String {
    let mut source = "a = r0\n".to_owned();
    for i in 0..n {
        source += &format!("r{i} = r{}\n", i + 1);
    }
    source + &format!("r{n} = \"x\"\n")
}
