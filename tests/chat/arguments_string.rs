//! Arguments as JSON within a string: generated, read back by the reader of the format, and judged by another validator.

use maskwright::front::chat::ChatOptions;
use maskwright::reader::{Reader, ReaderConfig, ReaderPlan};
use serde_json::{Value, json};

use super::parameters::{schemas, turns_of};
use super::{format, tools};

#[test]
fn generated_arguments_in_strings_are_read_back_and_valid() {
    let format = format("string-arguments");
    let mut count = 0;
    for (number, schema) in schemas().into_iter().enumerate() {
        let judge = jsonschema::validator_for(&schema).unwrap();
        let file = json!([{"name": "f", "parameters": schema}]).to_string();
        let mut options = ChatOptions::default();
        options.tools = tools(&file);
        let plan = ReaderPlan::new(&format, "assistant-turn", &options).unwrap();
        for text in turns_of(
            "string-arguments",
            "<|call|>{",
            &file,
            (5, 7 + number as u64),
        ) {
            let mut reader = Reader::new(&plan, ReaderConfig::default());
            reader.feed(&text).expect(&text);
            let (_, message) = reader.finish().expect(&text);
            let [call] = message.calls().collect::<Vec<_>>()[..] else {
                panic!("{text}");
            };
            // The same by a reader of JSON, twice.
            let whole = text
                .strip_prefix("<|call|>")
                .and_then(|text| text.strip_suffix("<|endcall|><|im_end|>"));
            let whole: Value = serde_json::from_str(whole.expect(&text)).expect(&text);
            let spelt = whole["arguments"].as_str().expect(&text);
            assert_eq!(
                call.arguments,
                spelt.trim_matches([' ', '\t', '\r', '\n']),
                "{text}"
            );
            let arguments: Value = serde_json::from_str(spelt).expect(&text);
            assert!(judge.is_valid(&arguments), "{text}");
            count += 1;
        }
    }
    assert!(count >= 30, "{count} turns only");
}
