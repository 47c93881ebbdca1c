//! What the fuzz targets share: one fuzzer a process, and the judge of JSON.
//!
//! `cargo +nightly fuzz run json_schema fuzz/corpus/json_schema tests/data/fuzz/json_schema`

use std::sync::LazyLock;

use maskwright::check::fuzz::Fuzzer;

/// The fuzzer, with an engine that all inputs of a run share.
pub static FUZZER: LazyLock<Fuzzer> = LazyLock::new(Fuzzer::new);

/// The verdict of the crate `jsonschema`. It has no opinion where it cannot read the schema, or where
/// it would round a number.
pub fn judge(schema: &str, instance: &str) -> Result<(), String> {
    let Ok(schema) = serde_json::from_str(schema) else {
        return Ok(());
    };
    let Ok(validator) = jsonschema::validator_for(&schema) else {
        return Ok(());
    };
    let instance = match serde_json::from_str(instance) {
        Err(error) if error.to_string().contains("out of range") => return Ok(()),
        other => other.map_err(|error| error.to_string())?,
    };
    validator
        .validate(&instance)
        .map_err(|error| error.to_string())
}
