//! Schemas over a small vocabulary, and instances near their boundary: the constraint reads what `jsonschema` calls valid.
#![no_main]

use arbitrary::Unstructured;
use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::{Keywords, agreement, instances, schema};

fuzz_target!(|data: &[u8]| {
    let mut input = Unstructured::new(data);
    let Ok(schema) = schema(&mut input, Keywords::All) else {
        return;
    };
    let Ok(instances) = instances(&schema, &mut input) else {
        return;
    };
    if let Err(disagreement) = agreement(&schema, &instances) {
        panic!("{disagreement}");
    }
});
