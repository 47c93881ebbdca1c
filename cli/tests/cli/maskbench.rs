//! `maskbench`: verdicts and figures.

use std::path::Path;

use super::{CASE, maskwright, text, tiny};

#[test]
fn maskbench_counts_verdicts() {
    let output = maskwright(
        &[
            "maskbench",
            "-",
            "--vocab",
            &tiny(),
            "--engine",
            "llguidance",
            "--json",
        ],
        CASE,
    );
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for (pointer, expect) in [
        ("/schemas", 1),
        ("/compiled", 1),
        ("/instances", 2),
        ("/valid_rejected", 0),
        ("/invalid_accepted", 0),
    ] {
        assert_eq!(report.pointer(pointer), Some(&expect.into()), "{pointer}");
    }
    for pointer in ["/tokens", "/vocab_ms", "/rss_mb"] {
        let value = report.pointer(pointer).and_then(|value| value.as_f64());
        assert!(
            value.is_some_and(|value| value >= 0.0),
            "{pointer}: {report}"
        );
    }
    for group in [
        "/compile_us",
        "/ttfm_us",
        "/cold/mask_ns",
        "/cold/accept_ns",
        "/warm/mask_ns",
        "/warm/accept_ns",
    ] {
        for figure in ["p50", "p90", "p99", "p999", "max", "mean"] {
            let value = report
                .pointer(&format!("{group}/{figure}"))
                .and_then(|v| v.as_f64());
            assert!(value.is_some_and(|v| v > 0.0), "{group}/{figure}");
        }
    }
}

/// Refusals are counted by their reasons, wrong verdicts told one by one; the options of the run have
/// their effect.
#[test]
fn maskbench_tells_what_is_refused_and_what_is_wrong() {
    let case = |schema: &str, valid: bool, data: &str| {
        format!(
            "{{\"file\": \"f\", \"schema\": {schema}, \"tests\": [{{\"valid\": {valid}, \"data\": {data}}}]}}\n"
        )
    };
    let rows = [
        case(r#"{"pattern": "(a)\\1"}"#, true, "1"),
        case(
            r#"{"properties": {"a": {}, "b": {}}}"#,
            true,
            r#"{"b": 1, "a": 2}"#,
        ),
        case(r#"{"type": "string", "format": "date"}"#, true, r#""x""#),
        case(r#"{"type": "integer"}"#, false, "1"),
    ]
    .concat();
    let vocab = tiny();
    let run = |options: &[&str]| {
        let fixed = ["maskbench", "-", "--vocab", &vocab, "--json"];
        let output = maskwright(&[&fixed[..], options].concat(), &rows);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).expect("JSON")
    };
    for (options, rejected) in [
        (&[][..], 2),
        (&["--order", "any"], 1),
        (&["--formats", "ignore"], 1),
        (&["--order", "any", "--formats", "ignore"], 0),
        (
            &[
                "--order",
                "any",
                "--formats",
                "ignore",
                "--whitespace",
                "compact",
            ],
            1,
        ),
    ] {
        let report = run(options);
        assert_eq!(
            (&report["schemas"], &report["compiled"]),
            (&4.into(), &3.into())
        );
        let refused = report["refused"].as_object().expect("reasons");
        assert_eq!(
            refused
                .values()
                .filter_map(|count| count.as_u64())
                .sum::<u64>(),
            1
        );
        assert!(
            refused.keys().all(|reason| reason.contains("pattern")),
            "{report}"
        );
        assert_eq!(report["valid_rejected"], rejected, "{options:?}: {report}");
        assert_eq!(report["invalid_accepted"], 1, "{report}");
        assert_eq!(
            report["wrong"].as_array().map(Vec::len),
            Some(rejected + 1),
            "{report}"
        );
    }
    assert_eq!(
        run(&["--passes", "1"])["warm"]["mask_ns"],
        serde_json::Value::Null
    );
    assert_eq!(run(&["--limit", "2"])["schemas"], 2);
}

#[test]
fn maskbench_reads_directories() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cases");
    std::fs::create_dir_all(&directory).expect("the directory can be made");
    std::fs::write(directory.join("a.json"), CASE).expect("the file can be written");
    std::fs::write(directory.join("b.json"), CASE).expect("the file can be written");
    std::fs::write(directory.join("notes.txt"), "not JSON").expect("the file can be written");
    let output = maskwright(
        &[
            "maskbench",
            directory.to_str().expect("UTF-8"),
            "--vocab",
            &tiny(),
        ],
        "",
    );
    assert!(
        text(&output.stdout).contains("2 schemas, 2 compiled"),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn maskbench_compares_two_engines() {
    let arguments = [
        "maskbench",
        "-",
        "--vocab",
        &tiny(),
        "--engine",
        "both",
        "--json",
    ];
    let output = maskwright(&arguments, CASE);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    for (pointer, expect) in [
        ("/engine", "maskwright".into()),
        ("/peer/engine", "llguidance".into()),
        ("/common/schemas", serde_json::json!(1)),
    ] {
        assert_eq!(report.pointer(pointer), Some(&expect), "{pointer}");
    }
    for engine in ["", "/peer"] {
        for (figure, expect) in [
            ("compiled", 1),
            ("valid_rejected", 0),
            ("invalid_accepted", 0),
        ] {
            assert_eq!(
                report.pointer(&format!("{engine}/{figure}")),
                Some(&expect.into()),
                "{engine}/{figure}"
            );
        }
    }
    assert!(
        report
            .pointer("/common/ratio/cold/mask_ns/p50")
            .is_some_and(|ratio| ratio.is_number()),
        "{report}"
    );
}
