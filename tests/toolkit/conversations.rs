//! Chat messages there and back: what a conversion writes is read again, in every format.

use std::collections::BTreeMap;
use std::io::Read;

use maskwright_transcript::{
    ControlToken, Format, Message, ParserConfig, RenderOptions, Role, SpeltControls, Transcript,
    convert, from_openai, parse, parse_pieces, render, to_openai,
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
        match from_openai(&to_openai(back.messages()).output) {
            Ok(again) => assert_eq!(
                calls(&again.messages),
                calls(&read.messages),
                "{}: {chat}",
                format.name()
            ),
            // InternLM2 does not say whose a reply is, and this one is of no call.
            Err(error) => assert!(
                format == Format::InternLm2 && error.pointer.ends_with("/tool_call_id"),
                "{chat}: {error}"
            ),
        }
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

/// Conversations as programs write them that are not quite what the API has: each comes back from a format, or is refused.
#[test]
fn odd_conversations_come_back_or_are_refused() {
    let call =
        |name: &str, arguments: Value| json!({"function": {"name": name, "arguments": arguments}});
    let with_id = |id: &str, mut call: Value| {
        call["id"] = id.into();
        call
    };
    let calls =
        |calls: &[Value]| json!({"role": "assistant", "content": null, "tool_calls": calls});
    let reply = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "1"});
    let double = r#""{\"a\":1}""#;
    let object = "render: a call in openchatml-0.1 has an object as its arguments";
    let other_object = "render: a call in internlm2 has an object as its arguments";
    let rows: [(&str, Value, &[&str], &[&str]); 15] = [
        (
            "a custom tool takes text",
            json!([
                calls(&[
                    json!({"id": "a", "type": "custom", "custom": {"name": "sql", "input": "select 1"}})
                ]),
                reply("a")
            ]),
            &[],
            &["render: not JSON: expected value at line 1 column 1"],
        ),
        (
            "no ids, and names of tools as Ollama writes them",
            json!([calls(&[call("f", json!({"a": 1})), call("f", json!({"a": 2}))]),
                {"role": "tool", "tool_name": "f", "content": "1"}, {"role": "tool", "tool_name": "f", "content": "2"}]),
            &[
                "#/0/tool_calls/0/function/arguments",
                "#/0/tool_calls/1/function/arguments",
            ],
            &[],
        ),
        (
            "replies without ids and names",
            json!([calls(&[call("f", "{}".into()), call("g", "{}".into())]),
                {"role": "tool", "content": "1"}, {"role": "tool", "content": "2", "tool_call_id": ""}]),
            &["#/1/tool_call_id", "#/2/tool_call_id"],
            &[],
        ),
        (
            "arguments that are JSON within JSON",
            json!([calls(&[with_id("a", call("f", double.into()))]), reply("a")]),
            &["#/0/tool_calls/0/function/arguments"],
            &[],
        ),
        (
            "arguments that are no object",
            json!([calls(&[with_id("a", call("f", "[1]".into()))]), reply("a")]),
            &["#/0/tool_calls/0/function/arguments"],
            &[other_object, object],
        ),
        (
            "a call that is answered twice",
            json!([
                calls(&[with_id("a", call("f", "{}".into()))]),
                reply("a"),
                reply("a")
            ]),
            &[],
            &[
                "openchatml-0.1 answers each call once, in their order",
                "openchatml-2.2 answers each call once, and \"a\" is of no open one",
            ],
        ),
        (
            "a turn in which nothing is said",
            json!([{"role": "assistant", "content": null}, {"role": "user", "content": "?"}]),
            &[],
            &[],
        ),
        (
            "nothing but thoughts",
            json!([{"role": "assistant", "content": null, "reasoning": "hm"}, {"role": "user", "content": "?"}]),
            &[],
            &[],
        ),
        (
            "speech",
            json!([{"role": "assistant", "content": null, "audio": {"id": "a"}}]),
            &["#/0/audio"],
            &[],
        ),
        (
            "items of the Responses API",
            json!({"instructions": "Be brief.", "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "?"}]},
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": "hm"}]},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me see."}]},
                {"type": "function_call", "id": "fc", "call_id": "a", "name": "f", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "a", "output": "1"}]}),
            &[],
            &[],
        ),
        (
            "items of a provider's own tools, and reasoning that is hidden",
            json!([{"role": "user", "content": "?"}, {"type": "web_search_call", "id": "w"},
                {"type": "reasoning", "summary": [], "encrypted_content": "x"}, {"role": "assistant", "content": "!"}]),
            &["#/1/type", "#/2/type"],
            &[],
        ),
        (
            "a call without an object `function`, alone, and a reply that is an object",
            json!([{"role": "assistant", "tool_calls": {"id": "a", "name": "f", "args": {"x": 1}}},
                {"role": "tool", "tool_call_id": "a", "content": {"t": 5}}]),
            &[
                "#/0/tool_calls",
                "#/0/tool_calls/0",
                "#/0/tool_calls/0/args",
                "#/1/content",
            ],
            &[],
        ),
        (
            "parts that are calls and replies, and thoughts in pieces",
            json!([{"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                    {"type": "redacted_thinking", "data": "x"}, {"type": "tool_use", "id": "a", "name": "f", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "1"}]}]}]),
            &["#/0/content/1"],
            &[],
        ),
        (
            "one part in place of a list, instructions as another API has them, tools beside",
            json!({"system": [{"type": "text", "text": "Be brief."}], "messages": [
                {"role": "user", "content": {"type": "text", "text": "?"}}], "tools": [{}]}),
            &["#/tools", "#/messages/0/content"],
            &[],
        ),
        (
            "an id of two calls",
            json!([
                calls(&[
                    with_id("a", call("f", "{}".into())),
                    with_id("a", call("g", "{}".into()))
                ]),
                reply("a"),
                reply("a")
            ]),
            &["#/0/tool_calls/1/id"],
            &[],
        ),
    ];
    for (what, chat, warnings, expect) in rows {
        let read = from_openai(&chat.to_string()).unwrap();
        let pointers: Vec<&str> = read
            .warnings
            .iter()
            .map(|warning| warning.pointer.as_str())
            .collect();
        assert_eq!(pointers, warnings, "{what}");
        let mut refused = BTreeMap::new();
        check(&chat, &mut refused);
        let mut reasons: Vec<String> = refused.into_keys().map(|(_, reason)| reason).collect();
        reasons.retain(|reason| !reason.starts_with("chatml has no tool"));
        reasons.sort();
        reasons.dedup();
        assert_eq!(reasons, expect.to_vec(), "{what}");
    }
    let error = from_openai(r#"[{"role": "assistant", "tool_calls": 3}]"#).unwrap_err();
    assert_eq!(error.pointer, "#/0/tool_calls");
    let stray = r#"[{"role": "tool", "tool_call_id": "x", "content": "1"}]"#;
    let error = from_openai(stray).unwrap_err();
    assert_eq!(error.pointer, "#/0/tool_call_id");
    assert!(error.reason.contains("E-REPLY-UNMATCHED"), "{error}");
}

/// Each reply answers the call that it is next to, where nothing says whose it is.
#[test]
fn replies_without_ids_answer_calls_in_their_order() {
    let call = |a: u32| json!({"function": {"name": "f", "arguments": format!("{{\"a\":{a}}}")}});
    let chat = json!([{"role": "assistant", "tool_calls": [call(1), call(2)]},
        {"role": "tool", "name": "f", "content": "one"}, {"role": "tool", "name": "f", "content": "two"}]);
    let read = from_openai(&chat.to_string()).unwrap();
    let converted = convert(&read.messages, Format::OpenChatMl22)
        .unwrap()
        .output;
    let id_of = |body: &str| {
        let message = converted.iter().find(|message| message.body == body);
        message.and_then(|message| message.call_id.clone()).unwrap()
    };
    assert_eq!(id_of("{\"a\":1}"), id_of("one"));
    assert_eq!(id_of("{\"a\":2}"), id_of("two"));
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

/// Replies of an id that several calls have are of the call that they name, or of the first of them that waits.
#[test]
fn replies_find_their_call_among_those_of_one_id() {
    let call = |name: &str| json!({"id": "0", "type": "function", "function": {"name": name, "arguments": "{}"}});
    let reply = |name: Option<&str>, content: &str| {
        let mut reply = json!({"role": "tool", "tool_call_id": "0", "content": content});
        if let Some(name) = name {
            reply["name"] = name.into();
        }
        reply
    };
    for (replies, expected) in [
        (
            [reply(Some("f"), "of f"), reply(Some("g"), "of g")],
            ["functions.f", "functions.g"],
        ),
        (
            [reply(Some("g"), "of g"), reply(Some("f"), "of f")],
            ["functions.g", "functions.f"],
        ),
        (
            [reply(None, "of f"), reply(None, "of g")],
            ["functions.f", "functions.g"],
        ),
    ] {
        let [first, second] = replies;
        let calls = |names: [&str; 2]| json!({"role": "assistant", "tool_calls": names.map(call)});
        let asked = json!({"role": "user", "content": "h"});
        // The calls of the turn before are never answered.
        let chat = json!([
            asked,
            calls(["g", "f"]),
            asked,
            calls(["f", "g"]),
            first,
            second
        ]);
        let read = from_openai(&chat.to_string()).unwrap();
        let calls = read.messages.iter().filter(|message| message.is_call());
        let calls: Vec<_> = calls
            .map(|call| (&call.call_id, &call.recipient))
            .skip(2)
            .collect();
        let replies = read
            .messages
            .iter()
            .filter(|message| message.role == Role::Tool);
        let replies: Vec<_> = replies.map(|reply| (&reply.call_id, &reply.name)).collect();
        let names: Vec<_> = replies
            .iter()
            .map(|(_, name)| name.as_deref().unwrap())
            .collect();
        assert_eq!(names, expected);
        assert!(
            replies.iter().all(|reply| calls.contains(reply)),
            "{replies:?}"
        );
    }
}
