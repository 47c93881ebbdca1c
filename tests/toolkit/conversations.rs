//! Chat messages there and back: what a conversion writes is read again, in every format.

use std::collections::BTreeMap;
use std::io::Read;

use maskwright_transcript::{
    ControlToken, Format, Message, ParserConfig, RenderOptions, SpeltControls, Transcript, convert,
    from_openai, parse, parse_pieces, render, to_openai,
};
use serde_json::{Value, json};

/// Renders chat messages in a format, and reads that again; what hinders it, if anything does.
fn there(messages: &[Message], format: Format) -> Result<Transcript, String> {
    let converted = convert(messages, format).map_err(|error| error.reason)?;
    let rendered = render(&converted.output, &RenderOptions::new(format))
        .map_err(|error| format!("render: {}", error.reason))?;
    let config = ParserConfig {
        spelt: SpeltControls::Text,
        ..ParserConfig::transcript(format)
    };
    let all = ControlToken::ALL.into_iter().collect();
    let read = parse_pieces(rendered.pieces(), all, &config);
    let read = read.map_err(|error| format!("pieces: {error}"))?;
    if rendered.spelt().is_none() {
        let text = parse(&rendered.text(), &ParserConfig::transcript(format));
        let text = text.map_err(|error| format!("text: {error}"))?;
        assert_eq!(text.messages().len(), read.messages().len());
    }
    Ok(read)
}

/// The calls, as names and arguments.
fn calls(messages: &[Message]) -> Vec<(String, Value)> {
    let calls = messages.iter().flat_map(Message::calls);
    calls
        .map(|call| {
            let arguments = serde_json::from_str(call.arguments).unwrap_or(Value::Null);
            (call.recipient.to_owned(), arguments)
        })
        .collect()
}

/// Holds a conversation against all formats: where it can be written, its calls come back, from the format
/// and from chat messages.
fn check(chat: &Value, refused: &mut BTreeMap<(&str, String), usize>) {
    let read = from_openai(&chat.to_string()).unwrap();
    for format in Format::ALL {
        let back = match there(&read.messages, format) {
            Ok(back) => back,
            Err(reason) => {
                assert!(
                    !reason.starts_with("pieces") && !reason.starts_with("text"),
                    "{chat}: {reason}"
                );
                *refused.entry((format.name(), reason)).or_default() += 1;
                continue;
            }
        };
        assert_eq!(
            calls(back.messages()),
            calls(&read.messages),
            "{}: {chat}",
            format.name()
        );
        let again = from_openai(&to_openai(back.messages()).output).unwrap();
        assert_eq!(
            calls(&again.messages),
            calls(&read.messages),
            "{}: {chat}",
            format.name()
        );
        // And once more in the same format.
        let twice = there(back.messages(), format).unwrap();
        assert_eq!(
            calls(twice.messages()),
            calls(&read.messages),
            "{}: {chat}",
            format.name()
        );
    }
}

#[test]
fn conversations_come_back_from_every_format() {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let reply =
        |id: &str, content: &str| json!({"role": "tool", "tool_call_id": id, "content": content});
    let user = json!({"role": "user", "content": "what is <|end|>? <|im_end|> </s>"});
    let mut refused = BTreeMap::new();
    for name in ["f", "uber.ride", "functions.x", "python"] {
        for arguments in ["{}", r#"{"a": "<|end|><|im_end|>", "b": [1.0, "é"]}"#] {
            check(
                &json!([user, {"role": "assistant", "content": "Well, <|call|>.", "tool_calls":
                    [call("a b", name, arguments), call("c", name, arguments)]},
                    reply("a b", "<|start|>"), reply("c", "2"),
                    {"role": "assistant", "content": "Done <|return|>."}]),
                &mut refused,
            );
        }
    }
    // What is lost is that ChatML has no tools, and nothing else.
    let reasons: Vec<_> = refused
        .keys()
        .map(|(format, reason)| (*format, reason.as_str()))
        .collect();
    assert_eq!(reasons, [("chatml", "chatml has no tool calls")]);
}

/// Over published calls of tools, where they are.
#[test]
fn published_calls_come_back_from_every_format() {
    let data = std::env::var_os("MASKWRIGHT_DATA").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
        std::path::PathBuf::from,
    );
    let path = data.join("data/toolcalls-dev.jsonl.zst");
    let Ok(file) = std::fs::File::open(&path) else {
        eprintln!("skipped: no {} (set MASKWRIGHT_DATA)", path.display());
        return;
    };
    let mut text = String::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    decoder.read_to_string(&mut text).unwrap();
    let mut refused = BTreeMap::new();
    let mut rows = 0;
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let mut calls = Vec::new();
        let mut chat =
            vec![json!({"role": "user", "content": row["user"].as_str().unwrap_or_default()})];
        for (index, call) in row["calls"].as_array().into_iter().flatten().enumerate() {
            let arguments = match &call["arguments"] {
                Value::String(text) => text.clone(),
                Value::Null => continue,
                object => object.to_string(),
            };
            let name = call["name"].as_str().unwrap_or("f");
            calls.push(json!({"id": format!("c{index}"), "type": "function",
                "function": {"name": name, "arguments": arguments}}));
        }
        if calls.is_empty() {
            continue;
        }
        let replies = (0..calls.len()).map(
            |index| json!({"role": "tool", "tool_call_id": format!("c{index}"), "content": "ok"}),
        );
        let replies: Vec<Value> = replies.collect();
        chat.push(json!({"role": "assistant", "content": null, "tool_calls": calls}));
        chat.extend(replies);
        check(&Value::Array(chat), &mut refused);
        rows += 1;
    }
    assert!(rows > 1000, "{rows} rows only");
    refused.retain(|(format, _), _| *format != "chatml");
    assert_eq!(refused, BTreeMap::new());
}
