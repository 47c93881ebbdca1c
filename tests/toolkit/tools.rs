//! Tool definitions in prompts.

use super::{data, read};
use maskwright_transcript::{Format, RenderOptions, Role, ToolDefinitions, render};

const TOOLS: &str = r#"[
  {"name": "get_location", "description": "Gets the location of the user."},
  {"type": "function", "function": {"name": "get_current_weather",
    "description": "Gets the current weather in the provided location.",
    "parameters": {"type": "object", "properties": {
      "location": {"type": "string", "description": "The city and state, e.g. San Francisco, CA"},
      "format": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"}},
      "required": ["location"]}}},
  {"name": "get_multiple_weathers",
    "description": "Gets the current weather in the provided list of locations.",
    "parameters": {"type": "object", "properties": {
      "locations": {"type": "array", "items": {"type": "string"},
        "description": "List of city and state, e.g. [\"San Francisco, CA\", \"New York, NY\"]"},
      "format": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"}},
      "required": ["locations"]}},
  {"name": "kitchensink", "description": "A function with various complex schemas.",
    "parameters": {"description": "params object", "type": "object", "properties": {
      "string": {"type": "string", "title": "STRING", "description": "A string", "examples": ["hello", "world"]},
      "string_nullable": {"type": "string", "nullable": true, "description": "A nullable string", "default": "the default"},
      "string_enum": {"type": "string", "enum": ["a", "b", "c"]},
      "oneof_string_or_number": {"description": "a oneof", "default": 20, "oneOf": [
        {"type": "string", "default": "default_string_in_oneof"},
        {"type": "number", "description": "numbers can happen too"}]}}}}
]"#;

/// The namespace is, byte for byte, the one that the models have seen.
#[test]
fn harmony_sees_what_it_was_trained_on() {
    let Some(published) = data("data/harmony-test-data/test_render_functions_with_parameters.txt")
    else {
        return;
    };
    let start = published.find("# Tools").unwrap();
    let end = published.find("<|end|><|start|>user").unwrap();
    let tools = ToolDefinitions::parse(TOOLS).unwrap();
    let message = tools.message(Format::Harmony).unwrap();
    assert_eq!(message.role, Role::Developer);
    assert_eq!(message.body, &published[start..end]);
}

const ONE: &str = r#"{"tools": [{"name": "get_current_weather", "description": "Gets weather for a city.",
  "inputSchema": {"type": "object", "properties": {"location": {"type": "string"},
    "format": {"enum": ["celsius", "fahrenheit"], "default": "celsius"},
    "days": {"type": "array", "items": {"type": ["integer", "null"]}}},
    "required": ["location"]}}, {"name": "math.sum"}]}"#;

#[test]
fn each_format_has_its_way() {
    let tools = ToolDefinitions::parse(ONE).unwrap();
    let body = |format| tools.message(format).unwrap().body;
    assert_eq!(
        body(Format::OpenChatMl22),
        "# Tools\n\n## functions\nnamespace functions {\n// Gets weather for a city.\n\
         type get_current_weather = (_: {\n  location: string,\n  \
         format?: \"celsius\" | \"fahrenheit\", // default: celsius\n  \
         days?: (number | null)[],\n}) => any;\ntype math.sum = () => any;\n} // namespace functions"
    );
    assert!(
        body(Format::OpenChatMl01).starts_with(
            "<|function_list|>\n{\"type\": \"function\", \"function\": {\"name\": \"get_current_weather\","
        )
    );
    assert!(body(Format::InternLm2).starts_with("[{\"name\": \"get_current_weather\","));
    assert_eq!(tools.message(Format::ChatMl), None);
    // Only code is for the built-in tool of that name.
    let python = ToolDefinitions::parse(r#"[{"name": "python"}]"#).unwrap();
    let body = |format| python.message(format).unwrap().body;
    assert!(body(Format::Harmony).contains("namespace functions {\n\ntype python = () => any;"));
    assert_eq!(body(Format::InternLm2), "[{\"name\": \"python\"}]");
    for format in Format::ALL {
        let Some(message) = tools.message(format) else {
            continue;
        };
        let text = render(&[message], &RenderOptions::new(format))
            .unwrap()
            .text();
        assert!(read(&text, format).is_ok(), "{text}");
    }
}

#[test]
fn bad_tools_are_refused_with_their_place() {
    for (json, pointer) in [
        ("x", "#"),
        ("{}", "#"),
        (r#"[{"name": 1}]"#, "#/0/name"),
        (r#"{"tools": [{"function": {}}]}"#, "#/tools/0/name"),
    ] {
        assert_eq!(
            ToolDefinitions::parse(json).unwrap_err().pointer,
            pointer,
            "{json}"
        );
    }
}
