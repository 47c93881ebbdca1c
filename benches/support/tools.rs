//! Tools for requests of any size.

/// Tools with three parameters each, no two alike.
pub(crate) fn tools(count: usize) -> String {
    let tool = |number: usize| {
        format!(
            r#"{{"type": "function", "function": {{"name": "tool_{number}", "parameters": {{"type": "object", "properties": {{
            "name_{number}": {{"type": "string"}}, "count_{number}": {{"type": "integer"}},
            "unit_{number}": {{"enum": ["celsius", "fahrenheit"]}}}}, "required": ["name_{number}"],
            "additionalProperties": false}}}}}}"#
        )
    };
    let tools: Vec<String> = (0..count).map(tool).collect();
    format!("[{}]", tools.join(", "))
}
