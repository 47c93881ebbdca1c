//! `abnf`: grammars looked through.

use super::{maskwright, text};

#[test]
fn abnf_lists_rules_and_warns() {
    let output = maskwright(&["abnf", "-"], "a = b <hole>\nb = \"x\"\nc = b\n");
    assert_eq!(output.status.code(), Some(0));
    let stdout = text(&output.stdout);
    assert_eq!(
        stdout,
        "rules (3): a, b, c\nstart rules: a\nprose-vals: <hole>\n"
    );
    assert!(
        text(&output.stderr).contains("<stdin>:3:1: rule `c` is never used"),
        "{}",
        text(&output.stderr)
    );
    let output = maskwright(&["abnf", "-"], "a = b\n\nc = %x110000\n");
    assert_eq!(
        (output.status.code(), text(&output.stdout).as_str()),
        (Some(2), "")
    );
    let errors = text(&output.stderr);
    assert!(
        errors.contains("<stdin>:1:5: rule `b` is not defined"),
        "{errors}"
    );
    assert!(errors.contains("<stdin>:3:7: "), "{errors}");
}

/// The start rules that are told are those whose lack of use is no fault.
#[test]
fn abnf_starts_where_it_says() {
    let grammar = "a = \"x\"\nb = \"y\"\n";
    for (options, starts, unused) in [
        (&[][..], "a", Some("b")),
        (&["--start", "B"], "b", Some("a")),
        (&["--start", "a", "--start", "b"], "a, b", None),
    ] {
        let output = maskwright(&[&["abnf", "-"], options].concat(), grammar);
        let told = text(&output.stdout);
        assert!(told.contains(&format!("start rules: {starts}\n")), "{told}");
        let warned = text(&output.stderr);
        for rule in ["a", "b"] {
            let warns = warned.contains(&format!("rule `{rule}` is never used"));
            assert_eq!(warns, unused == Some(rule), "{options:?}: {warned}");
        }
    }
}
