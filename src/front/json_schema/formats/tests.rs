//! The tables against their sources; the languages against texts of our own, the official tests and
//! another validator.

use std::io::Read;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::sources::SOURCES;
use super::{FORMATS, Format, Shape, a_label, punycode};
use crate::base::Limits;
use crate::front::json_schema::draft::Draft;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::tests::{accepts, machine};
use crate::front::json_schema::{SchemaConfig, compile};
use crate::regular::Dfa;

/// The tables are those that their sources make; see there for how to write them anew.
#[test]
fn tables() {
    let write = std::env::var_os("MASKWRIGHT_WRITE_TABLES").is_some();
    let root = env!("CARGO_MANIFEST_DIR");
    let formats = FORMATS.iter().map(|(name, format)| (*name, format.table));
    let tables: Vec<(&str, &[u8])> = formats.chain([a_label::LABELS, a_label::NAMES]).collect();
    assert_eq!(SOURCES.len(), tables.len());
    for ((name, source), (known, table)) in SOURCES.iter().zip(tables) {
        assert_eq!(*name, known);
        let dfa = source();
        if write {
            let table = dfa.pack();
            println!("{name}: {} states, {} bytes", dfa.len(), table.len());
            let path = format!("{root}/src/front/json_schema/formats/tables/{name}.bin");
            std::fs::write(path, table).unwrap();
        } else {
            assert_eq!(Dfa::unpack(table), Some(dfa), "{name}");
        }
    }
}

const DRAFTS: [(&str, Draft, jsonschema::Draft); 5] = [
    ("draft-04", Draft::Draft4, jsonschema::Draft::Draft4),
    ("draft-06", Draft::Draft6, jsonschema::Draft::Draft6),
    ("draft-07", Draft::Draft7, jsonschema::Draft::Draft7),
    (
        "2019-09",
        Draft::Draft201909,
        jsonschema::Draft::Draft201909,
    ),
    (
        "2020-12",
        Draft::Draft202012,
        jsonschema::Draft::Draft202012,
    ),
];

fn judge(name: &str, draft: jsonschema::Draft) -> jsonschema::Validator {
    let options = jsonschema::options().with_draft(draft);
    let options = options.should_validate_formats(true);
    options.build(&json!({ "format": name })).unwrap()
}

fn any_contains(formats: &[Format], text: &str) -> bool {
    formats.iter().any(|&format| contains(format, text))
}

fn contains(format: Format, text: &str) -> bool {
    format.language(ValueId::new(0)).contains(text) && text.chars().count() <= format.most as usize
}

fn suite(part: &str) -> Vec<toml::Table> {
    let text = include_str!("../../../../tests/data/formats.toml");
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
        let (_, draft, theirs) = *DRAFTS.iter().find(|known| known.0 == draft).unwrap();
        let formats = Format::find(name, draft);
        let judge = judge(name, theirs);
        for text in texts(&entry, "valid") {
            if !any_contains(&formats, text) {
                faults.push(format!("{name} refuses {text:?}"));
            }
            if !judge.is_valid(&json!(text)) {
                faults.push(format!("{name}: {text:?} is called valid and is not"));
            }
        }
        for text in texts(&entry, "invalid") {
            if any_contains(&formats, text) {
                faults.push(format!("{name} accepts {text:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Random numbers (Marsaglia, "Xorshift RNGs", 2003).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }
}

/// A string of the language: a random walk, and home by the shortest way after some time.
fn member(dfa: &Dfa, shape: Shape, random: &mut Random) -> String {
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
            if shape == Shape::Nested && byte == 0 {
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
        bytes.extend(home.into_iter().map(|byte| match (shape, byte) {
            (Shape::Nested, 0) => b')',
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

/// What is wider than a format has all that we, the official tests or the other validator take for
/// it, as far as is tried.
#[test]
fn wider_languages_are_wider() {
    let limits = Limits::default();
    let mut random = Random(0x5851_F42D_4C95_7F2D);
    for (name, format) in FORMATS {
        let Some(pattern) = format.wider else {
            continue;
        };
        let wider = Dfa::regex_full(pattern, &limits).unwrap();
        let dfa = format.dfa();
        let narrower = dfa.difference(&wider, &limits).unwrap().is_empty();
        assert!(narrower || format.shape == Shape::Nested, "{name}");
        let judge = judge_of(name);
        for _ in 0..2000 {
            let mut text: Vec<char> = member(&dfa, format.shape, &mut random).chars().collect();
            for _ in 0..=random.below(3) {
                let at = random.below(text.len() + 1);
                let other = ['0', ':', '@', '-', 'T', ' ', '"', '.', 'é', '_'][random.below(10)];
                let end = text.len().min(at + random.below(3));
                text.splice(at..end, (random.below(3) > 0).then_some(other));
            }
            let text: String = text.into_iter().collect();
            assert!(
                !judge.is_valid(&json!(text)) || wider.contains(text.as_bytes()),
                "{name}: {text:?}"
            );
        }
    }
}

fn members_are_valid(count: usize) {
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    for (name, format) in FORMATS {
        let (judge, dfa) = (judge_of(name), format.dfa());
        for _ in 0..count {
            let text = member(&dfa, format.shape, &mut random);
            let short = text.chars().count() <= format.most as usize;
            assert!(!short || judge.is_valid(&json!(text)), "{name}: {text:?}");
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
    for (name, format) in FORMATS.iter().filter(|(name, _)| EXACT.contains(name)) {
        let (judge, dfa) = (judge_of(name), format.dfa());
        for _ in 0..1000 {
            let mut text: Vec<char> = member(&dfa, format.shape, &mut random).chars().collect();
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
            let accepted = contains(*format, &text);
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
        let (_, draft, _) = DRAFTS[index];
        let groups: Vec<Value> = serde_json::from_slice(file).unwrap();
        for group in &groups {
            let mut schema = group["schema"].clone();
            if draft <= Draft::Draft7 {
                let name = DRAFTS[index].0;
                schema["$schema"] = json!(format!("http://json-schema.org/{name}/schema#"));
            }
            let format = schema["format"].as_str().unwrap().to_owned();
            let formats = Format::find(&format, draft);
            let wider = formats.iter().map(|format| format.wider);
            let wider: Option<Vec<&str>> = wider.collect();
            let wider = wider.filter(|patterns| !patterns.is_empty());
            let wider = wider
                .map(|patterns| Dfa::regex_full(&patterns.join("|"), &Limits::default()).unwrap());
            let machine = machine(&schema.to_string(), &SchemaConfig::default()).unwrap();
            for test in group["tests"].as_array().unwrap() {
                let valid = test["valid"].as_bool().unwrap();
                let accepted = accepts(&machine, &test["data"].to_string());
                let text = test["data"].as_str().unwrap_or_default();
                if let Some(wider) = wider.as_ref().filter(|_| valid && test["data"].is_string()) {
                    assert!(
                        wider.contains(text.as_bytes()),
                        "{path}: {text:?} is not wider"
                    );
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

/// A-labels are the Punycode of labels, as far as it is short enough; what is almost one is
/// accepted only where it is valid.
#[test]
fn a_labels() {
    let labels = a_label::Labels::new();
    let dfa = Dfa::unpack(a_label::LABELS.1).unwrap();
    let machines = ["hostname", "idn-hostname"].map(|name| {
        let schema = json!({ "format": name }).to_string();
        (
            judge(name, jsonschema::Draft::Draft202012),
            machine(&schema, &SchemaConfig::default()).unwrap(),
        )
    });
    let mut random = Random(0x853C_49E6_748F_EA9B);
    let (mut accepted, mut before) = (0, "9ca".to_owned());
    for _ in 0..3000 {
        let label = member(&dfa, Shape::Flat, &mut random);
        let label = label.trim_end_matches(['\0', '\x01', '\x02']);
        if label.is_ascii() {
            continue;
        }
        let mut text = punycode::encode(label);
        assert_eq!(punycode::decode(text.as_bytes()).as_deref(), Some(label));
        let whole = text.len() <= a_label::LONGEST;
        assert_eq!(labels.kind(text.as_bytes()).is_some(), whole, "{label}");
        let mut expected = Some(true);
        if random.below(2) == 0 {
            let at = random.below(text.len());
            let other = ["a", "z", "0", "9", "-", ""][random.below(6)];
            text.replace_range(at..=at, other);
            expected = labels.kind(text.as_bytes()).map(|_| true).or(Some(false));
        }
        if text.len() > a_label::FREE {
            expected = None;
        }
        for (judge, machine) in &machines {
            let accepts = |name: &str| {
                let accepts = accepts(machine, &json!(name).to_string());
                assert!(!accepts || judge.is_valid(&json!(name)), "{name}");
                accepts
            };
            for name in [format!("xn--{text}"), format!("a.xn--{text}.b-c")] {
                let accepts = accepts(&name);
                assert!(expected.is_none_or(|it| it == accepts), "{name} {accepts}");
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
    let labels = a_label::Labels::new();
    let machine = machine(r#"{"format":"hostname"}"#, &SchemaConfig::default()).unwrap();
    let mut random = Random(0xDA94_2042_E4DD_58B5);
    for _ in 0..500 {
        let classes = ["-", "a-", "0-9", "abcxyz0189-"];
        let class = classes[random.below(4)].as_bytes();
        let mut text: Vec<u8> = (0..a_label::FREE)
            .map(|_| class[random.below(class.len())])
            .collect();
        text.extend(a_label::ENDING);
        assert_eq!(labels.kind(&text), Some(a_label::Kind::LeftToRight));
        let name = format!("xn--{}", String::from_utf8(text).unwrap());
        assert!(accepts(&machine, &json!(name).to_string()), "{name}");
        assert!(judge("hostname", jsonschema::Draft::Draft202012).is_valid(&json!(name)));
    }
}

#[test]
fn unknown_formats_are_listed() {
    let schema =
        r#"{"format":"x","items":{"format":"date"},"anyOf":[{"format":"y"},{"format":"x"}]}"#;
    let report = compile(schema, &SchemaConfig::default()).unwrap().report();
    assert_eq!(report.unknown_formats, ["x", "y"]);
}
