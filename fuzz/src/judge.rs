//! The judge of JSON: the crate `jsonschema`, where it can be trusted and is done soon.

use serde_json::Value;

/// What the judge says of an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Valid,
    /// Why not.
    Invalid(String),
    /// It cannot read the schema, would round a number, or might not end.
    Silent,
}

/// The judge of the targets that write JSON: an error is what is wrong with the instance.
pub fn judge(schema: &str, instance: &str) -> Result<(), String> {
    let Ok(schema) = serde_json::from_str(schema) else {
        return Ok(());
    };
    let instance = match serde_json::from_str(instance) {
        Err(error) if error.to_string().contains("out of range") => return Ok(()),
        other => other.map_err(|error| error.to_string())?,
    };
    match verdict(&schema, &instance) {
        Verdict::Invalid(reason) => Err(reason),
        Verdict::Valid | Verdict::Silent => Ok(()),
    }
}

/// The verdict on an instance. Formats are asserted; JSON in strings is not, in no draft, as in the engine.
pub fn verdict(schema: &Value, instance: &Value) -> Verdict {
    if may_run_away(schema) {
        return Verdict::Silent;
    }
    let options = jsonschema::options()
        .should_validate_formats(true)
        .without_content_media_type_support("application/json");
    let Ok(validator) = options.build(schema) else {
        return Verdict::Silent;
    };
    match validator.validate(instance) {
        Ok(()) => Verdict::Valid,
        Err(error) => Verdict::Invalid(error.to_string()),
    }
}

/// Whether references could multiply: the judge follows each anew, and a web of them takes exponential time or all of
/// the stack.
fn may_run_away(schema: &Value) -> bool {
    let (mut references, mut dynamic) = (0, false);
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                references += usize::from(members.contains_key("$ref"));
                let is_dynamic = |key: &&str| members.contains_key(*key);
                dynamic |= ["$dynamicRef", "$recursiveRef"].iter().any(is_dynamic);
                open.extend(members.values());
            }
            _ => {}
        }
    }
    dynamic || references > 12
}
