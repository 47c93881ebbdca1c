//! The tables of formats against their sources; the languages against texts of our own, the official tests and
//! another validator.

#![allow(clippy::unwrap_used)]

#[path = "support/machine.rs"]
mod machine;
#[path = "support/random.rs"]
mod random;
#[path = "json_schema_formats/sources/mod.rs"]
mod sources;

use std::io::Read;
use std::path::{Path, PathBuf};

use machine::{Machine, accepts, led_out, machine};
use maskwright::front::json_schema::{SchemaConfig, compile};
use maskwright::regular::Dfa;
use random::Random;
use serde_json::{Value, json};
use sources::hostname::LONGEST;
use sources::idn::MOST_OF_NAME;
use sources::{FORMATS, HOST_NAMES};

/// As many characters of a label in Punycode may be any.
const FREE: usize = 50;

fn folder(name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/front/json_schema");
    source.join(name)
}

/// The tables are those that their sources make; see there for how to write them anew.
#[test]
fn tables() {
    let write = std::env::var_os("MASKWRIGHT_WRITE_TABLES").is_some();
    for (name, sources) in [
        ("formats/tables", &FORMATS[..]),
        ("host_names", &HOST_NAMES),
    ] {
        let folder = folder(name);
        for (name, source) in sources {
            let path = folder.join(name).with_extension("bin");
            let dfa = source();
            if write {
                let table = dfa.pack();
                println!("{name}: {} states, {} bytes", dfa.len(), table.len());
                std::fs::write(path, table).unwrap();
            } else {
                let table = std::fs::read(path).unwrap();
                assert_eq!(Dfa::unpack(&table), Some(dfa), "{name}");
            }
        }
        let files = std::fs::read_dir(&folder).unwrap();
        let paths = files.map(|file| file.unwrap().path());
        let tables = paths.filter(|path| path.extension().is_some_and(|end| end == "bin"));
        assert_eq!(tables.count(), sources.len());
    }
}

/// The automaton of a table.
fn table(path: &str) -> Dfa {
    let table = std::fs::read(folder(path).with_extension("bin")).unwrap();
    Dfa::unpack(&table).unwrap()
}

const DRAFTS: [(&str, jsonschema::Draft); 5] = [
    ("draft-04", jsonschema::Draft::Draft4),
    ("draft-06", jsonschema::Draft::Draft6),
    ("draft-07", jsonschema::Draft::Draft7),
    ("2019-09", jsonschema::Draft::Draft201909),
    ("2020-12", jsonschema::Draft::Draft202012),
];

fn judge(name: &str, draft: jsonschema::Draft) -> jsonschema::Validator {
    let options = jsonschema::options().with_draft(draft);
    let options = options.should_validate_formats(true);
    options.build(&json!({ "format": name })).unwrap()
}

/// A format under a draft, as a schema.
fn schema(name: &str, draft: &str) -> Value {
    let draft = match draft {
        "2019-09" | "2020-12" => format!("https://json-schema.org/draft/{draft}/schema"),
        _ => format!("http://json-schema.org/{draft}/schema#"),
    };
    json!({ "$schema": draft, "type": "string", "format": name })
}

/// What is not of the format of a schema.
fn negated(schema: &Value) -> Value {
    json!({ "$schema": schema["$schema"], "type": "string", "not": schema })
}

fn reader(schema: &Value) -> Machine {
    machine(&schema.to_string(), &SchemaConfig::default()).unwrap()
}

fn reads(machine: &Machine, text: &str) -> bool {
    accepts(machine, &json!(text).to_string())
}

/// The schema of the strings of a table.
fn schema_of(table: &str) -> Value {
    match table {
        "hostname-rfc1034" => schema("hostname", "draft-06"),
        name => schema(name, "2020-12"),
    }
}

fn suite(part: &str) -> Vec<toml::Table> {
    let text = include_str!("data/formats.toml");
    let suite: toml::Table = text.parse().unwrap();
    let entries = suite[part].as_array().unwrap().iter();
    entries
        .map(|entry| entry.as_table().unwrap().clone())
        .collect()
}

fn texts<'a>(entry: &'a toml::Table, key: &str) -> Vec<&'a str> {
    let texts = entry.get(key).and_then(toml::Value::as_array);
    let texts = texts.into_iter().flatten();
    texts.map(|text| text.as_str().unwrap()).collect()
}

/// What we call valid is accepted, and valid for the other validator; what we call invalid is refused.
#[test]
fn texts_at_the_boundary() {
    let mut faults = Vec::new();
    for entry in suite("format") {
        let name = entry["name"].as_str().unwrap();
        let draft = entry
            .get("draft")
            .map_or("2020-12", |d| d.as_str().unwrap());
        let (draft, theirs) = *DRAFTS.iter().find(|known| known.0 == draft).unwrap();
        let reader = reader(&schema(name, draft));
        let judge = judge(name, theirs);
        for text in texts(&entry, "valid") {
            if !reads(&reader, text) {
                faults.push(format!("{name} refuses {text:?}"));
            }
            if !judge.is_valid(&json!(text)) {
                faults.push(format!("{name}: {text:?} is called valid and is not"));
            }
        }
        for text in texts(&entry, "invalid") {
            if reads(&reader, text) {
                faults.push(format!("{name} accepts {text:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A string of the language: a random walk, and home by the shortest way after some time.
fn member(dfa: &Dfa, nests: bool, random: &mut Random) -> String {
    let length = 1 + random.below(80);
    let (mut state, mut bytes) = (dfa.start(), Vec::new());
    // Where the groups that are open go on.
    let mut open = Vec::new();
    while bytes.len() < length {
        let edges: Vec<_> = dfa.ranges(state).collect();
        let close = dfa.is_accepting(state) && !open.is_empty() && random.below(3) == 0;
        if let Some(back) = close.then(|| open.pop()).flatten() {
            bytes.push(b')');
            state = back;
        } else if edges.is_empty() {
            break;
        } else {
            let (lo, hi, next) = edges[random.below(edges.len())];
            let byte = lo + random.below(usize::from(hi - lo) + 1) as u8;
            if nests && byte == 0 {
                open.push(next);
                state = dfa.start();
            } else {
                bytes.push(byte);
                state = next;
            }
        }
    }
    loop {
        // The body of a group may be empty.
        let home = dfa.witness_from(state).unwrap();
        bytes.extend(home.into_iter().map(|byte| match (nests, byte) {
            (true, 0) => b')',
            _ => byte,
        }));
        match open.pop() {
            None => return String::from_utf8(bytes).unwrap(),
            Some(back) => {
                bytes.push(b')');
                state = back;
            }
        }
    }
}

/// The validator of the format whose table is `name`.
fn judge_of(name: &str) -> jsonschema::Validator {
    match name {
        "hostname-rfc1034" => judge("hostname", jsonschema::Draft::Draft6),
        _ => judge(name, jsonschema::Draft::Draft202012),
    }
}

/// What is not of a format is what nobody takes for it: neither we nor the other validator, as far as is
/// tried. No string is of a format and not of it.
#[test]
fn what_is_not_of_a_format_is_nobodys() {
    let mut random = Random(0x5851_F42D_4C95_7F2D);
    // The other validator takes `1.` for two digits of a date.
    for (name, _) in FORMATS.iter().filter(|(name, _)| *name != "date") {
        let schema = schema_of(name);
        let others = negated(&schema);
        let both = json!({ "$schema": schema["$schema"], "allOf": [schema, others] });
        let both = compile(&both.to_string(), &SchemaConfig::default());
        assert!(both.is_err(), "{name}");
        let (judge, others) = (judge_of(name), reader(&others));
        let dfa = table(&format!("formats/tables/{name}"));
        for _ in 0..2000 {
            let mut text: Vec<char> = member(&dfa, *name == "regex", &mut random)
                .chars()
                .collect();
            for _ in 0..=random.below(3) {
                let at = random.below(text.len() + 1);
                let other = ['0', ':', '@', '-', 'T', ' ', '"', '.', 'é', '_'][random.below(10)];
                let end = text.len().min(at + random.below(3));
                text.splice(at..end, (random.below(3) > 0).then_some(other));
            }
            let text: String = text.into_iter().collect();
            assert!(
                !judge.is_valid(&json!(text)) || !reads(&others, &text),
                "{name}: {text:?}"
            );
        }
    }
}

fn members_are_valid(count: usize) {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for (name, _) in FORMATS {
        let (judge, reader) = (judge_of(name), reader(&schema_of(name)));
        let dfa = table(&format!("formats/tables/{name}"));
        for _ in 0..count {
            let text = member(&dfa, name == "regex", &mut random);
            let accepted = reads(&reader, &text);
            let short = text.chars().count() as u64 <= MOST_OF_NAME;
            assert!(accepted || !short, "{name}: {text:?}");
            assert!(
                !accepted || judge.is_valid(&json!(text)),
                "{name}: {text:?}"
            );
        }
    }
}

/// The formats that leave nothing out: what is almost a member is valid exactly if it is one. `date`
/// is such a format too, but the other validator takes `1.` for two digits.
#[test]
fn exact_formats_refuse_only_what_is_invalid() {
    const EXACT: [&str; 9] = [
        "duration",
        "hostname-rfc1034",
        "ipv4",
        "ipv6",
        "json-pointer",
        "relative-json-pointer",
        "uri",
        "uri-reference",
        "uuid",
    ];
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for name in EXACT {
        let (judge, reader) = (judge_of(name), reader(&schema_of(name)));
        let dfa = table(&format!("formats/tables/{name}"));
        for _ in 0..1000 {
            let mut text: Vec<char> = member(&dfa, false, &mut random).chars().collect();
            let others: Vec<char> = "0129:/.-?#[]@%~aFgPTWé "
                .chars()
                .chain(text.clone())
                .collect();
            for _ in 0..=random.below(2) {
                let (at, other) = (
                    random.below(text.len() + 1),
                    others[random.below(others.len())],
                );
                let end = text.len().min(at + random.below(2));
                text.splice(at..end, (random.below(3) > 0).then_some(other));
            }
            let text: String = text.into_iter().collect();
            let accepted = reads(&reader, &text);
            assert_eq!(accepted, judge.is_valid(&json!(text)), "{name}: {text:?}");
        }
    }
}

#[test]
fn random_members_are_valid() {
    members_are_valid(2000);
}

#[test]
#[ignore = "takes minutes; README.md has the command, and the result"]
fn very_many_random_members_are_valid() {
    members_are_valid(500_000);
}

/// The official tests, as a tar file, under `MASKWRIGHT_DATA` (default `../shared`).
fn official_tests() -> Option<Vec<u8>> {
    let asked = std::env::var_os("MASKWRIGHT_DATA");
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared");
    let folder = asked.clone().map_or_else(|| default.into(), PathBuf::from);
    let path = folder.join("data/jsts.tar.zst");
    let Ok(file) = std::fs::File::open(&path) else {
        assert!(asked.is_none(), "MASKWRIGHT_DATA has no {}", path.display());
        eprintln!("only texts of our own: no {}", path.display());
        return None;
    };
    let mut tar = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    decoder.read_to_end(&mut tar).unwrap();
    Some(tar)
}

/// The files of a tar archive, with their paths.
fn files(mut tar: &[u8]) -> Vec<(&str, &[u8])> {
    let mut files = Vec::new();
    while tar.len() > 512 && tar[0] != 0 {
        let (header, rest) = tar.split_at(512);
        let text = |range: std::ops::Range<usize>| {
            let text = str::from_utf8(&header[range]).unwrap();
            text.split(['\0', ' ']).next().unwrap()
        };
        let size = usize::from_str_radix(text(124..135), 8).unwrap();
        files.push((text(0..100), &rest[..size]));
        tar = &rest[size.next_multiple_of(512)..];
    }
    files
}

/// Every text of the official tests is accepted if and only if it is valid, save those that the
/// suite lists as refused.
#[test]
fn official() {
    let Some(tar) = official_tests() else {
        return;
    };
    let refused = suite("refused");
    let is_refused = |format: &str, text: &str| {
        let of_format = refused
            .iter()
            .filter(|entry| entry["format"].as_str() == Some(format));
        of_format
            .clone()
            .any(|entry| texts(entry, "texts").contains(&text))
    };
    let (mut faults, mut passed, mut listed) = (Vec::new(), 0, 0);
    for (path, file) in files(&tar) {
        let Some((draft, file_name)) = path
            .strip_prefix("jsts/tests/")
            .and_then(|path| path.split_once("/optional/format/"))
        else {
            continue;
        };
        if file_name.is_empty() {
            continue;
        }
        let latest = ["draft4", "draft6", "draft7", "draft2019-09", "draft2020-12"];
        let Some(index) = latest.iter().position(|known| *known == draft) else {
            continue;
        };
        let groups: Vec<Value> = serde_json::from_slice(file).unwrap();
        for group in &groups {
            let mut schema = group["schema"].clone();
            if schema.get("$schema").is_none() {
                let name = DRAFTS[index].0;
                schema["$schema"] = json!(format!("http://json-schema.org/{name}/schema#"));
            }
            let format = schema["format"].as_str().unwrap().to_owned();
            let reader = reader(&schema);
            // Of what is no format, everything is valid.
            let others = negated(&schema).to_string();
            let others = machine(&others, &SchemaConfig::default()).ok();
            for test in group["tests"].as_array().unwrap() {
                let valid = test["valid"].as_bool().unwrap();
                let accepted = accepts(&reader, &test["data"].to_string());
                let text = test["data"].as_str().unwrap_or_default();
                if valid && let Some(others) = &others {
                    let accepted = accepts(others, &test["data"].to_string());
                    assert!(!accepted, "{path}: {text:?} is taken for none");
                }
                if accepted == valid {
                    passed += 1;
                } else if valid && is_refused(&format, text) {
                    listed += 1;
                } else {
                    faults.push(format!("{path}: {text:?} is valid: {valid}"));
                }
            }
        }
    }
    println!("{passed} as they should be, {listed} refused");
    assert!(faults.is_empty(), "{}\n{}", faults.join("\n"), faults.len());
}

/// Whether `text` is the Punycode of one of `labels`, each of which ends with the number of its kind.
fn is_label(labels: &Dfa, text: &str) -> bool {
    let label = idna::punycode::decode_to_string(text).filter(|label| !label.is_ascii());
    let is = |label: &String, kind| labels.contains(&[label.as_bytes(), &[kind]].concat());
    text.len() <= LONGEST && label.is_some_and(|label| (0..3).any(|kind| is(&label, kind)))
}

/// A-labels are the Punycode of labels, as far as it is short enough; what is almost one is
/// accepted only where it is valid.
#[test]
fn a_labels() {
    let dfa = table("host_names/u-labels");
    let machines = ["hostname", "idn-hostname"].map(|name| {
        let judge = judge(name, jsonschema::Draft::Draft202012);
        (judge, reader(&schema(name, "2020-12")))
    });
    let mut random = Random(0x853C_49E6_748F_EA9B);
    let (mut accepted, mut before) = (0, "9ca".to_owned());
    for _ in 0..3000 {
        let label = member(&dfa, false, &mut random);
        let label = label.trim_end_matches(['\0', '\x01', '\x02']);
        if label.is_ascii() {
            continue;
        }
        let mut text = idna::punycode::encode_str(label).unwrap();
        if random.below(2) == 0 {
            let at = random.below(text.len());
            let other = ["a", "z", "0", "9", "-", ""][random.below(6)];
            text.replace_range(at..=at, other);
        }
        let expected = (text.len() <= FREE).then(|| is_label(&dfa, &text));
        for (judge, machine) in &machines {
            let accepts = |name: &str| {
                let accepts = reads(machine, name);
                assert!(!accepts || judge.is_valid(&json!(name)), "{name}");
                accepts
            };
            for name in [format!("xn--{text}"), format!("a.xn--{text}.b-c")] {
                let accepts = accepts(&name);
                assert!(expected.is_none_or(|it| it == accepts), "{name} {accepts}");
                assert!(text.len() <= LONGEST || !accepts, "{name}");
                accepted += u32::from(accepts);
            }
            // What is written from right to left is particular about what stands beside it.
            accepts(&format!("xn--{text}.xn--{before}"));
            accepts(&format!("1.xn--{text}"));
        }
        before = text;
    }
    assert!(accepted > 1000, "{accepted}");
}

/// Whatever has been read of an A-label, it can still end.
#[test]
fn a_labels_can_end() {
    let machine = reader(&schema("hostname", "2020-12"));
    let judge = judge("hostname", jsonschema::Draft::Draft202012);
    let mut random = Random(0xDA94_2042_E4DD_58B5);
    for _ in 0..500 {
        let classes = ["-", "a-", "0-9", "abcxyz0189-"];
        let class = classes[random.below(4)].as_bytes();
        let text = (0..FREE).map(|_| char::from(class[random.below(class.len())]));
        let name = led_out(&machine, &format!("\"xn--{}", text.collect::<String>()));
        assert!(
            judge.is_valid(&serde_json::from_str(&name).unwrap()),
            "{name}"
        );
    }
}

#[test]
fn unknown_formats_are_listed() {
    let schema =
        r#"{"format":"x","items":{"format":"date"},"anyOf":[{"format":"y"},{"format":"x"}]}"#;
    let report = compile(schema, &SchemaConfig::default()).unwrap().report();
    assert_eq!(report.unknown_formats, ["x", "y"]);
}
