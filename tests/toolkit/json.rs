//! JSON interchange, OpenAI's messages, ChatML's message list.

use super::automaton::Automaton;
use super::{placeless, read, transcripts};
use maskwright_transcript::{
    ControlSet, ControlToken, ErrorCode, Format, HeaderForm, Lost, Message, ParserConfig,
    RenderOptions, SpeltControls, TokenListItem, convert, from_interchange, from_openai,
    parse_pieces, read_token_list, render, to_interchange, to_openai,
};

/// A projection loses nothing: read back, the messages are the same.
#[test]
fn interchange_is_faithful() {
    let mut count = 0;
    for (name, format, transcript) in transcripts() {
        if !matches!(format, Format::Harmony | Format::OpenChatMl22) {
            continue;
        }
        count += 1;
        let json = to_interchange(transcript.messages()).unwrap_or_else(|e| panic!("{name}: {e}"));
        let back = from_interchange(&json).unwrap_or_else(|e| panic!("{name}: {e}: {json}"));
        let plain = |messages: &[Message]| {
            let mut messages = placeless(messages);
            messages.iter_mut().for_each(|message| {
                message.parts.clear();
                // JSON has no place for the way a header is written.
                message.form = HeaderForm::default();
            });
            messages
        };
        assert_eq!(plain(&back), plain(transcript.messages()), "{name}: {json}");
        assert_eq!(to_interchange(&back).unwrap(), json, "{name}");
    }
    assert!(count > 30, "{count}");
}

#[test]
fn interchange_has_the_shape_of_section_10() {
    let text = "<|start|>assistant<|channel|>analysis<|message|>hm<|end|>\
        <|start|>assistant to=functions.f call_id=abc123<|channel|>commentary<|constrain|>json\
        <|message|>{\"location\":\"SF\"}<|call|>";
    let transcript = read(text, Format::OpenChatMl22).unwrap();
    assert_eq!(
        to_interchange(transcript.messages()).unwrap(),
        r#"[{"role":"assistant","channel":"commentary","tool_call":{"id":"abc123","recipient":"functions.f","content_type":"json","arguments":"{\"location\":\"SF\"}"},"thinking":"hm"}]"#
    );
}

#[test]
fn json_that_text_cannot_say_is_refused() {
    for (json, pointer) in [
        ("[", "#"),
        ("[1]", "#/0"),
        (r#"[{"role":"narrator"}]"#, "#/0/role"),
        (r#"[{"role":"user","channel":"inner"}]"#, "#/0/channel"),
        (r#"[{"role":"user","content":1}]"#, "#/0/content"),
        (
            r#"[{"role":"assistant","tool_calls":[]}]"#,
            "#/0/tool_calls",
        ),
        (r#"[{"role":"user","thinking":"x"}]"#, "#/0/thinking"),
        (
            r#"[{"role":"assistant","tool_call":{"id":"a","arguments":"{}"}}]"#,
            "#/0/tool_call/recipient",
        ),
        (
            r#"[{"role":"user","tool_call":{"recipient":"f","arguments":"{}"}}]"#,
            "#/0/tool_call",
        ),
    ] {
        let error = from_interchange(json).unwrap_err();
        assert_eq!(error.pointer, pointer, "{json}: {error}");
    }
}

const OPENAI: &str = r#"[
    {"role":"system","content":"Be brief."},
    {"role":"user","content":[{"type":"text","text":"Weather?"}]},
    {"role":"assistant","content":"I will look.","tool_calls":[
        {"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\":1}"}},
        {"id":"b","type":"custom","custom":{"name":"python","input":"1+1"}}]},
    {"role":"tool","tool_call_id":"a","content":"sunny"},
    {"role":"tool","tool_call_id":"b","content":"2"},
    {"role":"assistant","content":"Sunny."}
]"#;

/// In ChatML's message list only objects are control tokens: what a text spells stays text.
#[test]
fn spellings_in_a_message_list_are_text() {
    let list =
        r#"[{"token": "<|im_start|>"}, "user\nIs <|im_end|> a token?", {"token": "<|im_end|>"}]"#;
    let items = read_token_list(list).unwrap();
    let all: ControlSet = ControlToken::ALL.into_iter().collect();
    let read = |spelt| {
        let config = ParserConfig {
            spelt,
            ..ParserConfig::transcript(Format::ChatMl)
        };
        parse_pieces(items.iter().map(TokenListItem::piece), all, &config)
    };
    let refused = read(SpeltControls::Refused).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::TextControl);
    let transcript = read(SpeltControls::Text).unwrap();
    assert_eq!(transcript.messages()[0].body, "Is <|im_end|> a token?");

    let automaton = Automaton::new("chatml", "token-list", ["<s>", "</s>"]).in_bytes();
    assert_eq!(automaton.disagreement(list, &Ok(transcript.clone())), None);

    let mut options = RenderOptions::new(Format::ChatMl);
    options.spelt = SpeltControls::Refused;
    let as_text = render(transcript.messages(), &options).unwrap_err();
    assert_eq!(as_text.code, ErrorCode::TextControl);
    options.spelt = SpeltControls::Text;
    let rendered = render(transcript.messages(), &options).unwrap();
    assert_eq!(rendered.token_list(), list);
}

#[test]
fn openai_messages_come_back() {
    let messages = from_openai(OPENAI).unwrap().messages;
    assert_eq!(messages.len(), 8);
    let json: serde_json::Value = serde_json::from_str(&to_openai(&messages).output).unwrap();
    let mut expected: serde_json::Value = serde_json::from_str(OPENAI).unwrap();
    expected[1]["content"] = "Weather?".into();
    assert_eq!(json, expected);
    for format in [Format::OpenChatMl22, Format::Harmony, Format::InternLm2] {
        let converted = convert(&messages, format).unwrap().output;
        let calls: usize = converted
            .iter()
            .map(|message| message.calls().count())
            .sum();
        assert_eq!(calls, 2, "{}", format.name());
        let back: serde_json::Value = serde_json::from_str(&to_openai(&converted).output).unwrap();
        assert!(back.as_array().map(Vec::len).unwrap() >= 6, "{back}");
    }
    assert!(convert(&messages, Format::ChatMl).is_err());
    assert!(
        convert(&messages, Format::OpenChatMl01).is_err(),
        "it has no calls with code"
    );
}

/// What some servers add to the API's messages, and where each message stands.
#[test]
fn openai_messages_have_reasoning_and_places() {
    let list = r#"[ {"role":"user","content":"Hi"},
        {"role":"assistant","reasoning_content":"Hm.","content":"Hello.","tool_calls":null},
        {"role":"assistant","reasoning_content":null,"content":"?"},{"role":"assistant","reasoning_content":"","content":"!"} ]"#;
    for chat in [
        list.to_owned(),
        format!(r#"{{"model": "m", "messages" : {list}}}"#),
    ] {
        let messages = from_openai(&chat).unwrap().messages;
        let said: Vec<_> = messages
            .iter()
            .map(|message| (message.effective_channel().as_str(), message.body.as_str()))
            .collect();
        let expected = [
            ("final", "Hi"),
            ("analysis", "Hm."),
            ("final", "Hello."),
            ("final", "?"),
            ("final", "!"),
        ];
        assert_eq!(said, expected);
        for message in &messages {
            let place = &chat[message.span.start..message.span.end];
            let object: serde_json::Value = serde_json::from_str(place).unwrap();
            let members = [&object["content"], &object["reasoning_content"]];
            assert!(members.contains(&&message.body.as_str().into()), "{place}");
        }
        let losses = convert(&messages, Format::ChatMl).unwrap().losses;
        assert_eq!(losses.len(), 1);
        assert_eq!(losses[0].what, Lost::Reasoning);
    }
    let error = from_openai(r#"[{"role":"assistant","reasoning_content":1}]"#).unwrap_err();
    assert_eq!(error.pointer, "#/0/reasoning_content");
}

/// A function may be called as the built-in tool is: it takes JSON, and stays a function.
#[test]
fn a_function_named_python_is_no_code() {
    let chat = r#"[
        {"role":"assistant","content":null,"tool_calls":[
            {"id":"a","type":"function","function":{"name":"python","arguments":"{\"code\":\"1\"}"}}]},
        {"role":"tool","tool_call_id":"a","content":"1"}
    ]"#;
    let messages = from_openai(chat).unwrap().messages;
    let json: serde_json::Value = serde_json::from_str(&to_openai(&messages).output).unwrap();
    assert_eq!(
        json,
        serde_json::from_str::<serde_json::Value>(chat).unwrap()
    );
    let formats = Format::ALL.into_iter();
    for format in formats.filter(|format| *format != Format::ChatMl) {
        let converted = convert(&messages, format).unwrap().output;
        let text = render(&converted, &RenderOptions::new(format)).unwrap();
        let read = read(&text.text(), format).unwrap();
        let calls: Vec<_> = read.messages().iter().flat_map(Message::calls).collect();
        let call = (calls[0].recipient, calls[0].arguments);
        let expected = ("functions.python", "{\"code\":\"1\"}");
        assert_eq!(call, expected, "{}", format.name());
    }
}

#[test]
fn bad_openai_messages_are_refused_with_their_place() {
    for (json, pointer) in [
        ("{}", "#"),
        (r#"{"messages":[{"role":"x"}]}"#, "#/messages/0/role"),
        (
            r#"[{"role":"user","content":[{"type":"image_url"}]}]"#,
            "#/0/content/0",
        ),
        (
            r#"{"input":[{"type":"item_reference","id":"x"}]}"#,
            "#/input/0/type",
        ),
        (
            r#"{"input":[{"type":"function_call_output","call_id":"z","output":"x"}]}"#,
            "#/input/0/call_id",
        ),
        (r#"[{"role":"tool","content":"x"}]"#, "#/0/tool_call_id"),
        (
            r#"[{"role":"tool","tool_call_id":"z","content":"x"}]"#,
            "#/0/tool_call_id",
        ),
        (
            r#"[{"role":"assistant","tool_calls":[{"id":"a"}]}]"#,
            "#/0/tool_calls/0",
        ),
    ] {
        let error = from_openai(json).unwrap_err();
        assert_eq!(error.pointer, pointer, "{json}: {error}");
    }
}
