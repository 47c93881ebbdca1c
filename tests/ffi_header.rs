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

fn header() -> Declarations {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/maskwright.h");
    header::parse(&std::fs::read_to_string(path).unwrap())
}

fn sources() -> Declarations {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ffi");
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

#[test]
fn status_codes_have_their_pinned_values() {
    let pinned = [
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
    ];
    let pinned: Vec<_> = pinned.map(str::to_owned).into_iter().zip(0..).collect();
    assert_eq!(header().enums["mw_status"], pinned);
    assert_eq!(sources().enums["mw_status"], pinned);
}

#[test]
fn the_interface_stays_small() {
    let functions = header().functions;
    assert!(functions.len() <= 30, "{} functions", functions.len());
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
