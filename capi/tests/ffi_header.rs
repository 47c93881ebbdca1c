//! The C header and the functions behind it, held against each other: by name, arity and type.

#![allow(clippy::unwrap_used)]

#[path = "ffi_header/declarations.rs"]
mod declarations;
#[path = "ffi_header/header.rs"]
mod header;
#[path = "ffi_header/sources.rs"]
mod sources;

use std::path::Path;

use declarations::Declarations;
use maskwright::base::Limits;
use maskwright::front::chat::Format;

fn header() -> Declarations {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/maskwright.h");
    header::parse(&std::fs::read_to_string(path).unwrap())
}

fn sources() -> Declarations {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Declarations::default();
    for entry in std::fs::read_dir(folder).unwrap() {
        sources::parse(
            &std::fs::read_to_string(entry.unwrap().path()).unwrap(),
            &mut found,
        );
    }
    found
}

#[test]
fn functions_agree_by_name_arity_and_type() {
    let (header, sources) = (header(), sources());
    assert_eq!(header.functions, sources.functions);
    assert_eq!(header.callbacks, sources.callbacks);
}

#[test]
fn structs_agree_field_by_field() {
    assert_eq!(header().structs, sources().structs);
}

#[test]
fn every_opaque_handle_is_a_type_of_its_own() {
    assert_eq!(header().opaque, sources().opaque);
}

/// The values of every enum. That the library means the same by them is for `tests/c`; the codes are an enum
/// on both sides.
#[test]
fn enums_have_their_pinned_values() {
    let pinned: [(&str, &[&str]); 25] = [
        (
            "mw_status",
            &[
                "MW_OK",
                "MW_NULL_POINTER",
                "MW_INVALID_ARGUMENT",
                "MW_INVALID_UTF8",
                "MW_MALFORMED",
                "MW_UNSUPPORTED",
                "MW_UNSATISFIABLE",
                "MW_LIMIT",
                "MW_NOT_ALLOWED",
                "MW_ENDED",
                "MW_PANIC",
            ],
        ),
        (
            "mw_field",
            &[
                "MW_FIELD_MESSAGE",
                "MW_FIELD_SOURCE",
                "MW_FIELD_PLACE",
                "MW_FIELD_POINTER",
                "MW_FIELD_KEYWORD",
                "MW_FIELD_REASON",
                "MW_FIELD_HINT",
                "MW_FIELD_EXCERPT",
            ],
        ),
        (
            "mw_token_kind",
            &["MW_TOKEN_NORMAL", "MW_TOKEN_CONTROL", "MW_TOKEN_UNUSED"],
        ),
        (
            "mw_tool_choice",
            &[
                "MW_TOOLS_AUTO",
                "MW_TOOLS_REQUIRED",
                "MW_TOOLS_NAMED",
                "MW_TOOLS_NONE",
            ],
        ),
        (
            "mw_parallel_calls",
            &["MW_PARALLEL_FORBIDDEN", "MW_PARALLEL_ALLOWED"],
        ),
        (
            "mw_analysis",
            &["MW_ANALYSIS_ALLOWED", "MW_ANALYSIS_FORBIDDEN"],
        ),
        (
            "mw_whitespace",
            &[
                "MW_WHITESPACE_DEFAULT",
                "MW_WHITESPACE_COMPACT",
                "MW_WHITESPACE_JSON",
                "MW_WHITESPACE_PRETTY",
            ],
        ),
        (
            "mw_numbers",
            &["MW_NUMBERS_DEFAULT", "MW_NUMBERS_ANY", "MW_NUMBERS_PLAIN"],
        ),
        (
            "mw_dialect",
            &[
                "MW_DIALECT_DEFAULT",
                "MW_DIALECT_ECMA",
                "MW_DIALECT_PYTHON",
                "MW_DIALECT_PCRE",
                "MW_DIALECT_RUST",
            ],
        ),
        (
            "mw_draft",
            &[
                "MW_DRAFT_2020_12",
                "MW_DRAFT_2019_09",
                "MW_DRAFT_7",
                "MW_DRAFT_6",
                "MW_DRAFT_4",
                "MW_DRAFT_3",
                "MW_DRAFT_OPENAPI_3_0",
            ],
        ),
        ("mw_profile", &["MW_PROFILE_DEPLOYED", "MW_PROFILE_HIP_1"]),
        (
            "mw_built_in_tools",
            &["MW_BUILT_IN_PYTHON", "MW_BUILT_IN_BROWSER"],
        ),
        (
            "mw_functions_on_analysis",
            &[
                "MW_FUNCTIONS_ON_ANALYSIS_FORBIDDEN",
                "MW_FUNCTIONS_ON_ANALYSIS_ALLOWED",
            ],
        ),
        (
            "mw_deadlines",
            &["MW_DEADLINES_FORBIDDEN", "MW_DEADLINES_ALLOWED"],
        ),
        (
            "mw_thought",
            &[
                "MW_THOUGHT_FORBIDDEN",
                "MW_THOUGHT_OFFERED",
                "MW_THOUGHT_DEMANDED",
            ],
        ),
        (
            "mw_escapes",
            &["MW_ESCAPES_FREE", "MW_ESCAPES_MINIMAL", "MW_ESCAPES_ALL"],
        ),
        ("mw_property_order", &["MW_ORDER_DECLARED", "MW_ORDER_ANY"]),
        ("mw_content", &["MW_CONTENT_ANNOTATE", "MW_CONTENT_ASSERT"]),
        (
            "mw_schema_formats",
            &["MW_FORMATS_ASSERT", "MW_FORMATS_IGNORE"],
        ),
        (
            "mw_session_state",
            &["MW_STATE_MAY_END", "MW_STATE_FINISHED", "MW_STATE_ENDED"],
        ),
        (
            "mw_accept_flags",
            &["MW_ACCEPT_PART", "MW_ACCEPT_AFTER_END"],
        ),
        (
            "mw_beyond",
            &["MW_BEYOND_ZERO", "MW_BEYOND_LAST", "MW_BEYOND_ONES"],
        ),
        (
            "mw_reader_flags",
            &["MW_READER_LENIENT", "MW_READER_CLOSED"],
        ),
        (
            "mw_event_kind",
            &[
                "MW_EVENT_NONE",
                "MW_EVENT_REASONING",
                "MW_EVENT_CONTENT",
                "MW_EVENT_CALL",
                "MW_EVENT_CALL_ID",
                "MW_EVENT_ARGUMENTS",
                "MW_EVENT_CALL_END",
                "MW_EVENT_BROKEN",
                "MW_EVENT_END",
                "MW_EVENT_ARGUMENT",
            ],
        ),
        (
            "mw_logit_type",
            &["MW_LOGIT_F32", "MW_LOGIT_F16", "MW_LOGIT_BF16"],
        ),
    ];
    let values = |(name, members): (&str, &[&str])| {
        let value = |index: i64| match name {
            "mw_session_state" | "mw_built_in_tools" | "mw_accept_flags" | "mw_reader_flags" => {
                1 << index // bits
            }
            _ => index,
        };
        let members = members.iter().map(|member| (*member).to_owned());
        let values = members.zip((0..).map(value)).collect::<Vec<_>>();
        (name.to_owned(), values)
    };
    let pinned = std::collections::BTreeMap::from(pinned.map(values));
    assert_eq!(header().enums, pinned);
    assert_eq!(sources().enums["mw_status"], pinned["mw_status"]);
}

/// Whatever could panic runs in one of the guards of `ffi`.
#[test]
fn every_function_is_guarded() {
    let bodies = sources().bodies;
    assert_eq!(bodies.len(), sources().functions.len());
    for (name, body) in bodies {
        let guards = ["guard(", "make(", "list(", "ask(", "free(", "quiet("];
        let inner = ["mw_fill_masks"].contains(&&*name); // calls another function of the interface
        let constant = ["mw_version", "mw_version_text", "mw_status_name"].contains(&&*name);
        assert!(
            constant || inner || guards.iter().any(|guard| body.contains(guard)),
            "{name}"
        );
    }
}

#[test]
fn the_interface_stays_small() {
    let functions = header().functions;
    assert!(functions.len() <= 50, "{} functions", functions.len());
    for name in functions.keys() {
        assert!(name.starts_with("mw_"), "{name}");
    }
}

#[test]
fn options_begin_with_their_size() {
    for (name, fields) in header().structs {
        if name.ends_with("_options") {
            assert_eq!(fields[0], ("size".to_owned(), "usize".to_owned()), "{name}");
        }
    }
}

#[test]
fn the_version_is_that_of_the_crate() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/maskwright.h");
    let text = std::fs::read_to_string(path).unwrap();
    for (part, value) in [
        ("MAJOR", env!("CARGO_PKG_VERSION_MAJOR")),
        ("MINOR", env!("CARGO_PKG_VERSION_MINOR")),
        ("PATCH", env!("CARGO_PKG_VERSION_PATCH")),
    ] {
        let line = format!("#define MW_VERSION_{part} {value}\n");
        assert!(text.contains(&line), "{line}");
    }
}

#[test]
fn the_header_names_the_formats() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/maskwright.h");
    let text = std::fs::read_to_string(path).unwrap();
    for name in Format::BUILT_IN {
        assert!(text.contains(&format!("\"{name}\"")), "{name}");
        let format = Format::built_in(name, &Limits::default()).unwrap().unwrap();
        assert!(
            format.rules().any(|rule| rule == "assistant-turn"),
            "{name}"
        );
    }
}

/// The parsers themselves, on what differs.
#[test]
fn differences_are_seen() {
    let c =
        "/* a */ typedef struct mw_x mw_x;\nMW_API int32_t mw_f(const mw_x *x, char *b, size_t n);";
    let rust = |arguments: &str| {
        let text = format!(
            "pub struct MwX(u8); #[unsafe(no_mangle)] unsafe extern \"C\" fn mw_f({arguments}) -> i32 {{ 0 }}"
        );
        let mut found = Declarations::default();
        sources::parse(&text, &mut found);
        found
    };
    let header = header::parse(c);
    let same = rust("x: *const MwX, b: *mut u8, n: usize");
    assert_eq!(header.functions, same.functions);
    assert_eq!(header.opaque, same.opaque);
    for other in [
        "x: *mut MwX, b: *mut u8, n: usize",
        "x: *const MwX, b: *mut u8, n: u32",
        "x: *const MwX, b: *mut u8",
        "x: *const MwX, b: *mut *mut u8, n: usize",
        "y: *const MwX, b: *mut u8, n: usize",
    ] {
        assert_ne!(header.functions, rust(other).functions, "{other}");
    }
}
