//! The archive of real vocabularies.

use std::io::Read;
use std::path::PathBuf;

/// Files of the archive, or `None`, said so, where there is no archive.
pub(crate) fn files(names: &[&str]) -> Option<Vec<Vec<u8>>> {
    let data = std::env::var_os("MASKWRIGHT_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../shared")),
        PathBuf::from,
    );
    let path = data.join("data/vocabs-dev.tar.zst");
    let Ok(file) = std::fs::File::open(&path) else {
        eprintln!("skipped: no {} (set MASKWRIGHT_DATA)", path.display());
        return None;
    };
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    let mut tar = Vec::new();
    decoder.read_to_end(&mut tar).unwrap();
    Some(
        names
            .iter()
            .map(|name| entry(&tar, name).unwrap_or_else(|| panic!("{name}")))
            .collect(),
    )
}

/// The file whose path ends in `name`: a header of 512 bytes, the content padded to as many.
fn entry(mut tar: &[u8], name: &str) -> Option<Vec<u8>> {
    while tar.len() > 512 && tar[0] != 0 {
        let (header, rest) = tar.split_at(512);
        let field = |range: std::ops::Range<usize>| {
            std::str::from_utf8(&header[range])
                .unwrap()
                .trim_end_matches('\0')
                .trim()
        };
        let size = usize::from_str_radix(field(124..136), 8).unwrap();
        if field(0..100).rsplit('/').next() == Some(name) && header[156] != b'5' {
            return Some(rest[..size].to_vec());
        }
        tar = &rest[size.next_multiple_of(512)..];
    }
    None
}
