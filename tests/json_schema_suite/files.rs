//! The files of a suite: from a folder, or from a compressed archive.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// JSON files by their path, such as `tests/draft7/ref.json`.
pub(crate) struct Files(BTreeMap<String, String>);

impl Files {
    /// The published suite, where it is at hand.
    pub(crate) fn published() -> Option<Self> {
        if let Some(folder) = std::env::var_os("JSON_SCHEMA_TEST_SUITE") {
            return Some(Self::in_folder(Path::new(&folder)));
        }
        let asked = std::env::var_os("MASKWRIGHT_DATA");
        let root = match &asked {
            Some(root) => PathBuf::from(root),
            None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        };
        let path = root.join("data/jsts.tar.zst");
        if !path.exists() {
            assert!(asked.is_none(), "MASKWRIGHT_DATA has no {}", path.display());
            eprintln!("skipped: {} is absent", path.display());
            return None;
        }
        Some(Self::in_archive(&path))
    }

    pub(crate) fn in_folder(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        let mut folders = vec![root.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = std::fs::read_dir(&folder)
                .unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            for entry in entries {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "json") {
                    let name = path.strip_prefix(root).unwrap().to_str().unwrap();
                    let text = std::fs::read_to_string(&path).unwrap();
                    files.insert(name.replace('\\', "/"), text);
                }
            }
        }
        assert!(!files.is_empty(), "{} has no suite", root.display());
        Self(files)
    }

    fn in_archive(path: &Path) -> Self {
        let compressed = std::fs::File::open(path).unwrap();
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(compressed).unwrap();
        let mut archive = Vec::new();
        decoder.read_to_end(&mut archive).unwrap();
        let mut files = BTreeMap::new();
        let mut rest = archive.as_slice();
        // Headers of 512 bytes (POSIX ustar), each followed by its file in blocks of as much.
        while rest.len() > 512 && rest[0] != 0 {
            let (header, after) = rest.split_at(512);
            let field = |from: usize, to: usize| {
                let bytes = header[from..to].split(|&byte| byte == 0).next();
                std::str::from_utf8(bytes.unwrap()).unwrap().trim()
            };
            let size = usize::from_str_radix(field(124, 136), 8).unwrap();
            // The archive has one folder at the top.
            let name = field(0, 100).split_once('/').map_or("", |(_, name)| name);
            if name.ends_with(".json") {
                let text = std::str::from_utf8(&after[..size]).unwrap();
                files.insert(name.to_owned(), text.to_owned());
            }
            rest = &after[size.next_multiple_of(512).min(after.len())..];
        }
        assert!(!files.is_empty(), "{} has no suite", path.display());
        Self(files)
    }

    /// The tests of the drafts that there are here, by their path below `tests`.
    pub(crate) fn tests(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.0.iter().map(|(path, text)| (path.as_str(), &**text));
        let tests = files.filter_map(|(path, text)| Some((path.strip_prefix("tests/")?, text)));
        tests.filter(|(path, _)| super::verdict::draft(path).is_some())
    }

    /// The documents that tests refer to, by their path below `remotes`.
    pub(crate) fn remotes(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.0.iter().map(|(path, text)| (path.as_str(), &**text));
        files.filter_map(|(path, text)| Some((path.strip_prefix("remotes/")?, text)))
    }
}
