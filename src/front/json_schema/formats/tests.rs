//! The tables against their sources, and the languages against tests and another validator.

use super::sources::SOURCES;
use super::{FORMATS, Format};
use crate::regular::{Dfa, StateId};

/// The tables are those that their sources make; see there for how to write them anew.
#[test]
fn tables() {
    let write = std::env::var_os("MASKWRIGHT_WRITE_TABLES").is_some();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/front/json_schema/formats/tables");
    assert_eq!(SOURCES.len(), FORMATS.len());
    for ((name, source), (known, format)) in SOURCES.iter().zip(FORMATS) {
        assert_eq!(*name, known);
        let dfa = source();
        if write {
            std::fs::write(format!("{folder}/{name}.bin"), dfa.pack()).unwrap();
            println!("{name}: {} states, {} bytes", dfa.len(), dfa.pack().len());
        } else {
            assert_eq!(format.dfa(), dfa, "{name}");
        }
    }
}
