//! The architecture, as a test: which layer of the library may import which, no cycles between files of any package, and
//! what libraries never do. What packages may use of each other their manifests say.

// What stands outside `#[test]` functions here is of tests too.
#![allow(clippy::unwrap_used)]

#[path = "layers/bounds.rs"]
mod bounds;
#[path = "layers/public.rs"]
mod public;
#[path = "layers/source.rs"]
mod source;
#[path = "layers/tree.rs"]
mod tree;

use std::path::{Path, PathBuf};

use source::Source;
use tree::{Edge, Tree, cycles};

/// Each layer of the library, and the layers that it may import.
const LAYERS: [(&str, &[&str]); 22] = [
    ("base", &[]),
    ("regular", &["base"]),
    ("vocab", &["base"]),
    ("grammar", &["base", "regular"]),
    ("machine", &["base", "grammar"]),
    ("mask", &["base", "vocab", "grammar", "machine"]),
    ("session", &["base", "vocab", "grammar", "machine", "mask"]),
    ("front::repetition", &["base", "grammar"]),
    (
        "front::abnf",
        &["base", "regular", "grammar", "front::repetition"],
    ),
    ("front::regex", &["base", "regular", "grammar"]),
    ("front::choice", &["base", "regular", "grammar"]),
    (
        "front::expression",
        &["base", "regular", "grammar", "front::repetition"],
    ),
    (
        "front::ebnf",
        &["base", "regular", "grammar", "front::expression"],
    ),
    ("front::json_schema", &["base", "regular", "grammar"]),
    (
        "front::schema_lint",
        &["base", "regular", "front::json_schema"],
    ),
    (
        "front::lark",
        &[
            "base",
            "regular",
            "grammar",
            "front::expression",
            "front::json_schema",
        ],
    ),
    (
        "front::chat",
        &[
            "base",
            "regular",
            "grammar",
            "front::abnf",
            "front::json_schema",
        ],
    ),
    (
        "front::structural_tag",
        &[
            "base",
            "regular",
            "grammar",
            "front::ebnf",
            "front::json_schema",
            "front::regex",
        ],
    ),
    (
        "check",
        &[
            "base",
            "vocab",
            "grammar",
            "session",
            "front::abnf",
            "front::json_schema",
            "front::chat",
        ],
    ),
    ("batch", &["base", "vocab", "session"]),
    (
        "reader",
        &[
            "base",
            "vocab",
            "grammar",
            "front::chat",
            "front::json_schema",
        ],
    ),
    (
        "host",
        &[
            "base",
            "regular",
            "vocab",
            "grammar",
            "session",
            "reader",
            "front::abnf",
            "front::chat",
            "front::choice",
            "front::ebnf",
            "front::json_schema",
            "front::lark",
            "front::regex",
            "front::structural_tag",
        ],
    ),
];

/// The sources of every package.
const PACKAGES: [&str; 4] = ["src", "transcript/src", "capi/src", "cli/src"];

/// The one file of the C interface that knows of its process: whose the pool is, which is the process's too.
const OF_PROCESS: &str = "fork.rs";

/// The packages that are libraries for others to link, which have no use for any of `NEVER`.
const LIBRARIES: [&str; 3] = ["src", "transcript/src", "capi/src"];

/// What a library has no use for: IO, clocks, threads, globals, logs.
const NEVER: [&str; 14] = [
    "std::fs",
    "std::net",
    "std::time",
    "std::thread",
    "std::env",
    "std::process",
    "println!",
    "print!",
    "eprintln!",
    "eprint!",
    "dbg!",
    "lazy_static",
    "thread_local!",
    "static",
];

/// Crates that read text, and the layers of the library that may.
const READERS: [&str; 5] = [
    "logos",
    "regex_syntax",
    "saphyr_parser",
    "serde",
    "serde_json",
];
const READING: [&str; 5] = ["regular", "vocab", "front", "reader", "check"];

/// The layers that know of bytes and automata only, not of any language.
const LANGUAGE_FREE: [&str; 5] = ["vocab", "grammar", "machine", "mask", "session"];
/// Files of these layers that read what others write in JSON.
const READ_JSON: [&str; 3] = ["vocab/load", "vocab/error.rs", "vocab/mod.rs"];
/// What only the fronts know, in code and in comments: a language's name, its parts, its punctuation.
const OF_A_LANGUAGE: [&str; 11] = [
    "json", "8259", "colon", "quote", "b'\"'", "b':'", "b','", "b'{'", "b'}'", "b'['", "b']'",
];

/// The most lines of a file.
const MOST_LINES: usize = 600;

fn read(package: &str) -> Tree {
    Tree::read(&folder(package))
}

fn folder(package: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(package)
}

/// What compiles, reads and answers: layers whose recursions and loops are bounded, or listed.
const CHARGED: [&str; 9] = [
    "base", "front", "grammar", "machine", "mask", "reader", "regular", "session", "vocab",
];

/// Functions of which `unbounded` says that they go on without a bound, and that are not in the list; and those of the list
/// that do so no more.
fn unlisted(tree: &Tree, list: &str, unbounded: fn(&str) -> Vec<&str>) -> Vec<String> {
    let list: toml::Table = list.parse().unwrap();
    let mut listed: Vec<&str> = Vec::new();
    for kind in list["bounded"].as_array().unwrap() {
        assert!(!kind["why"].as_str().unwrap().is_empty());
        let functions = kind["functions"].as_array().unwrap();
        listed.extend(functions.iter().map(|function| function.as_str().unwrap()));
    }
    let charged = |file: &&String| CHARGED.iter().any(|layer| file.starts_with(layer));
    let mut found: Vec<String> = Vec::new();
    for file in tree.files.keys().filter(charged) {
        let unbounded = unbounded(&tree.files[file].code).into_iter();
        found.extend(unbounded.map(|function| format!("src/{file} {function}")));
    }
    let gone = listed
        .iter()
        .filter(|listed| !found.iter().any(|found| found == *listed));
    let gone: Vec<String> = gone.map(|gone| format!("no longer: {gone}")).collect();
    found.retain(|found| !listed.contains(&found.as_str()));
    [found, gone].concat()
}

/// The layer of a file: its first folder, below `front` its second.
fn layer(file: &str) -> String {
    let module = tree::module_of(file);
    match module.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => "lib".into(),
        ["front", second, ..] => format!("front::{second}"),
        [first, ..] => first.into(),
    }
}

/// What the table does not allow, a line each.
fn forbidden_edges(edges: &[Edge]) -> Vec<String> {
    let allowed = |from: &str, to: &str| {
        let row = LAYERS.iter().find(|(layer, _)| *layer == from);
        from == to || row.is_some_and(|(_, may)| may.contains(&to))
    };
    let mut found = Vec::new();
    for edge in edges {
        let (from, to) = (layer(&edge.from), layer(&edge.to));
        if !allowed(&from, &to) {
            let Edge {
                from: file,
                line,
                to: target,
                ..
            } = edge;
            found.push(format!(
                "src/{file}:{line}: {from} must not import {to} (src/{target})"
            ));
        }
    }
    found
}

/// Each cycle within a package as the edges in it.
fn import_cycles(package: &str, edges: &[Edge]) -> Vec<String> {
    let own: Vec<Edge> = edges.iter().filter(|e| !e.hands_on).cloned().collect();
    let mut found = Vec::new();
    for cycle in cycles(&own) {
        found.push("a cycle:".to_owned());
        let line = |e: &Edge| {
            format!(
                "  {package}/{}:{} imports {package}/{}",
                e.from, e.line, e.to
            )
        };
        found.extend(cycle.iter().map(line));
    }
    found
}

/// Uses of what a library never uses.
fn forbidden_words(package: &str, tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    let files = tree.files.iter();
    for (file, source) in files.filter(|(file, _)| **file != *OF_PROCESS || package != "capi/src") {
        for word in NEVER {
            let lines = uses(source, word).into_iter();
            found.extend(lines.map(|line| format!("{package}/{file}:{line}: {word}")));
        }
    }
    found
}

/// Uses of crates that read text in the layers of the library that get what was read.
fn forbidden_readers(tree: &Tree) -> Vec<String> {
    let mut found = Vec::new();
    for (file, source) in &tree.files {
        let layer = layer(file);
        if READING.contains(&layer.split("::").next().unwrap()) {
            continue;
        }
        for reader in READERS {
            let lines = source.lines_with(reader).into_iter();
            found.extend(lines.map(|line| format!("src/{file}:{line}: {reader} in {layer}")));
        }
    }
    found
}

/// Where `text`, the file without its tests, speaks of a language that its layer must not know.
fn language_words(file: &str, text: &str) -> Vec<String> {
    let reads = READ_JSON.iter().any(|known| file.starts_with(known));
    if reads || !LANGUAGE_FREE.contains(&layer(file).as_str()) {
        return Vec::new();
    }
    let own = text.lines().take_while(|line| *line != "#[cfg(test)]");
    let (mut found, mut in_example) = (Vec::new(), false);
    for (index, line) in own.enumerate() {
        // Examples are of hosts, which begin with a front.
        in_example ^= line.trim_start().starts_with("/// ```");
        if in_example {
            continue;
        }
        let line = line.to_lowercase();
        for word in OF_A_LANGUAGE.iter().filter(|word| line.contains(*word)) {
            found.push(format!("src/{file}:{}: {word}", index + 1));
        }
    }
    found
}

/// The lines on which `word` is used: a word of the code, or a path however it was imported.
fn uses(source: &Source, word: &str) -> Vec<usize> {
    let path: Vec<String> = word.split("::").map(str::to_owned).collect();
    if path.len() == 1 {
        return source.lines_with(word);
    }
    let mentions = source.mentions.iter();
    mentions
        .filter(|mention| mention.path.starts_with(&path))
        .map(|mention| mention.line)
        .collect()
}

/// The layers of the library with the texts of their files; those that only tests have are left out.
fn texts() -> Vec<(String, String)> {
    let files = read("src").files.into_keys();
    let text = |file: String| {
        let text = std::fs::read_to_string(folder("src").join(&file)).unwrap();
        (layer(&file), text)
    };
    files.map(text).collect()
}

#[test]
fn the_public_surface_is_the_one_that_is_listed() {
    let found = public::surface(&texts());
    let path = folder("tests/data/public_api.txt");
    if std::env::var_os("MASKWRIGHT_REWRITE").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let (known, found): (Vec<_>, Vec<_>) = (known.lines().collect(), found.lines().collect());
    let at = known.iter().zip(&found).take_while(|(a, b)| a == b).count();
    assert!(
        known == found,
        "tests/data/public_api.txt:{}: listed as `{}`, found `{}` (`MASKWRIGHT_REWRITE=1` writes it anew)",
        at + 1,
        known.get(at).unwrap_or(&""),
        found.get(at).unwrap_or(&""),
    );
}

fn assert_none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

#[test]
fn layers_import_only_what_is_below_them() {
    let edges = read("src").edges();
    assert!(edges.len() > 100, "only {} imports were found", edges.len());
    assert_none(
        "imports that the layers forbid",
        &forbidden_edges(&own_layers(&edges)),
    );
}

/// The imports between layers: `lib.rs` and `front/mod.rs` only name what is below them.
fn own_layers(edges: &[Edge]) -> Vec<Edge> {
    let named = |edge: &&Edge| !matches!(edge.from.as_str(), "lib.rs" | "front/mod.rs");
    edges.iter().filter(named).cloned().collect()
}

#[test]
fn recursions_are_bounded_or_listed() {
    let list = std::fs::read_to_string(folder("tests/data/recursion.toml")).unwrap();
    assert_none(
        "functions that call themselves and tell no bound (see tests/data/recursion.toml)",
        &unlisted(&read("src"), &list, bounds::unbounded_recursions),
    );
}

#[test]
fn loops_are_bounded_or_listed() {
    let list = std::fs::read_to_string(folder("tests/data/loops.toml")).unwrap();
    assert_none(
        "functions that loop until something comes to pass and tell no bound (see tests/data/loops.toml)",
        &unlisted(&read("src"), &list, bounds::unbounded_loops),
    );
}

#[test]
fn every_layer_is_in_the_table() {
    for file in read("src").files.keys() {
        let layer = layer(file);
        let known = LAYERS.iter().any(|(known, _)| *known == layer);
        assert!(
            known || matches!(file.as_str(), "lib.rs" | "front/mod.rs"),
            "src/{file}: the layer {layer} is not in the table"
        );
    }
}

#[test]
fn files_import_in_no_cycle() {
    for package in PACKAGES {
        let edges = read(package).edges();
        assert!(edges.len() > 10, "{package}: only {} imports", edges.len());
        assert_none("cycles of imports", &import_cycles(package, &edges));
    }
}

#[test]
fn libraries_have_no_io_clock_thread_or_global() {
    for package in LIBRARIES {
        let found = forbidden_words(package, &read(package));
        assert_none("what a library never uses", &found);
    }
}

#[test]
fn only_fronts_and_their_like_read_text() {
    assert_none("readers of text", &forbidden_readers(&read("src")));
}

#[test]
fn the_core_knows_no_language() {
    let mut found = Vec::new();
    for file in read("src").files.keys() {
        let text = std::fs::read_to_string(folder("src").join(file)).unwrap();
        found.extend(language_words(file, &text));
    }
    assert_none("what only fronts know", &found);
}

#[test]
fn files_say_what_they_own_and_stay_short() {
    let mut found = Vec::new();
    for package in PACKAGES {
        for file in read(package).files.keys() {
            let text = std::fs::read_to_string(folder(package).join(file)).unwrap();
            let first = text.lines().next().unwrap_or_default();
            if first.strip_prefix("//! ").is_none_or(str::is_empty) {
                found.push(format!(
                    "{package}/{file}:1: the first line says what it owns"
                ));
            }
            let lines = text.lines().count();
            if lines > MOST_LINES {
                found.push(format!("{package}/{file}: {lines} lines"));
            }
        }
    }
    assert_none("files", &found);
}

/// The rules themselves, on trees that break them.
mod rules {
    use super::*;

    fn edges(files: &[(&str, &str)]) -> Vec<Edge> {
        Tree::parse(files).edges()
    }

    #[test]
    fn an_import_of_a_higher_layer_is_found_however_it_is_written() {
        let session = ("session/mod.rs", "mod inner; pub use inner::Session;");
        let inner = ("session/inner.rs", "pub struct Session;");
        let base = ("base/mod.rs", "");
        let lib = (
            "lib.rs",
            "pub mod base;\npub mod mask;\npub mod session;\npub mod vocab;",
        );
        for text in [
            "use crate::session::Session;",
            "use crate::{session::{Session as S}, base};",
            "pub(crate) use super::session::*;",
            "fn f() -> u8 { crate::session::f() }",
            "/* // */ fn f<'a>(x: &'a u8) { g('\"', super::session::Session) }",
        ] {
            let found =
                forbidden_edges(&edges(&[lib, base, session, inner, ("mask/mod.rs", text)]));
            assert_eq!(found.len(), 1, "{text}: {found:?}");
        }
        for text in [
            "use crate::base::TokenId;",
            "// crate::session::Session",
            "const A: &str = \"crate::session::Session\";",
            "const A: &str = r#\"\" crate::session::Session\"#;",
            "#[cfg(test)]\nmod tests { use crate::session::Session; }",
        ] {
            let found =
                forbidden_edges(&edges(&[lib, base, session, inner, ("mask/mod.rs", text)]));
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }

    #[test]
    fn a_cycle_is_found_through_what_is_handed_on() {
        let lib = ("lib.rs", "pub mod a;");
        let module = ("a/mod.rs", "mod b; mod c;\npub use b::B; pub use c::C;");
        let module = (module.0, &*module.1.replace("; ", ";\n"));
        let b = ("a/b.rs", "use super::C;\npub struct B;");
        let c = ("a/c.rs", "pub struct C;");
        assert!(import_cycles("src", &edges(&[lib, module, b, c])).is_empty());
        let c = ("a/c.rs", "pub struct C;\nfn f(b: super::B) {}");
        let found = import_cycles("src", &edges(&[lib, module, b, c]));
        assert_eq!(
            found,
            [
                "a cycle:",
                "  src/a/b.rs:1 imports src/a/c.rs",
                "  src/a/c.rs:2 imports src/a/b.rs"
            ]
        );
    }

    #[test]
    fn a_module_and_its_child_are_a_cycle_where_each_needs_the_other() {
        let lib = ("lib.rs", "pub mod a;");
        let child = ("a/b.rs", "use super::Own;\npub fn f() {}");
        let needs = ("a/mod.rs", "mod b;\npub struct Own;\nfn g() { b::f() }");
        assert_eq!(import_cycles("src", &edges(&[lib, child, needs])).len(), 3);
        let names = ("a/mod.rs", "mod b;\npub use b::f;\npub struct Own;");
        assert!(import_cycles("src", &edges(&[lib, child, names])).is_empty());
    }

    #[test]
    fn recursions_are_found() {
        for (text, found) in [
            (
                "fn f(n: u8) -> u8 { if n == 0 { 0 } else { f(n - 1) } }",
                true,
            ),
            ("impl A { fn f(&self) { self.f() } }", true),
            (
                "impl A { fn f(&self) { self.b.f(); B::f(); fn f() {} } }",
                false,
            ),
            ("fn f(depth: usize) { f(depth - 1) }", false),
            ("trait A { fn f(&self); }\nfn g() { f() }", false),
        ] {
            let tree = Tree::parse(&[("lib.rs", "mod mask;"), ("mask/mod.rs", text)]);
            assert_eq!(
                !unlisted(&tree, "bounded = []", bounds::unbounded_recursions).is_empty(),
                found,
                "{text}"
            );
        }
        let list = "[[bounded]]\nwhy = \"none\"\nfunctions = [\"src/mask/mod.rs f\"]";
        assert_eq!(
            unlisted(
                &Tree::parse(&[("mask/mod.rs", "")]),
                list,
                bounds::unbounded_recursions
            )
            .len(),
            1
        );
    }

    #[test]
    fn loops_are_found() {
        for (text, found) in [
            ("fn f() { while true {} }", true),
            ("fn f() { 'all: loop { break 'all; } }", true),
            ("fn f() { loop { work.charge(1)?; } }", false),
            ("fn f() { for x in list {} }", false),
            ("fn f() { meanwhile(); looped(); }", false),
            ("fn f() { \"while\"; } // loop", false),
        ] {
            let tree = Tree::parse(&[("lib.rs", "mod mask;"), ("mask/mod.rs", text)]);
            let unlisted = unlisted(&tree, "bounded = []", bounds::unbounded_loops);
            assert_eq!(!unlisted.is_empty(), found, "{text}");
        }
    }

    #[test]
    fn words_of_a_language_are_found() {
        let text = "//! Behind a Colon.\nconst A: u8 = b'\"';\n#[cfg(test)]\nconst B: u8 = b':';";
        assert_eq!(language_words("mask/a.rs", text).len(), 2);
        assert_eq!(language_words("front/json_schema/a.rs", text).len(), 0);
        assert_eq!(language_words("vocab/load/a.rs", text).len(), 0);
    }

    #[test]
    fn forbidden_words_are_found() {
        for (text, count) in [
            ("use std::{fs, io};", 1),
            ("fn f() { std::time::Instant::now(); }", 1),
            ("fn f() { println!(); }", 1),
            ("static X: u8 = 0;", 1),
            ("use serde_json::Value;", 1),
            ("use std::sync::Arc; fn f(x: &'static str) {}", 0),
            ("// println!()\nconst PRINT: &str = \"println!\";", 0),
            ("#[cfg(test)]\nmod tests { use std::fs; }", 0),
        ] {
            let tree = Tree::parse(&[("mask/mod.rs", text)]);
            let found = [forbidden_words("src", &tree), forbidden_readers(&tree)].concat();
            assert_eq!(found.len(), count, "{text}: {found:?}");
        }
        let read = ("vocab/mod.rs", "use serde_json::Value;");
        assert!(forbidden_readers(&Tree::parse(&[read])).is_empty());
    }
}
