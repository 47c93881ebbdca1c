//! Conversions between formats: what is said goes along, or is said to be lost.

use std::collections::BTreeMap;

use super::{read, transcripts};
use maskwright_transcript::{
    Audience, ControlToken, Format, Lost, Message, ParserConfig, RenderOptions, SpeltControls,
    Transcript, convert, from_openai, parse_pieces, render, to_openai, view,
};

fn converted(text: &str, from: Format, to: Format) -> (String, Vec<Lost>) {
    let transcript = read(text, from).unwrap();
    let converted = convert(transcript.messages(), to).unwrap();
    let mut options = RenderOptions::new(to);
    if let Some(header) = transcript.document_header() {
        options.header = header.clone();
    }
    let rendered = render(&converted.output, &options).unwrap();
    let lost = converted.losses.iter().map(|loss| loss.what).collect();
    (rendered.text(), lost)
}

/// What is not converted: to which format, why, and which transcripts.
const REFUSED: [(Format, &str, &[&str]); 9] = [
    (
        Format::ChatMl,
        "chatml has no tool calls",
        &[
            "openchatml 2.2 §16.2",
            "openchatml 2.2 §17.3: two concurrent calls, replies in another order",
            "openchatml 2.2 §17.4: a tool's error",
            "openchatml 2.2 §17.8: a reply in the role functions.x",
            "attributes in any order, over both places",
            "a call of text has literal blocks",
            "replies by full and by bare names",
            "an id used before",
            "arguments against their schema, in history",
            "harmony call: recipient first, bare type",
            "harmony call: recipient first, constrained",
            "harmony call: recipient after the channel",
            "harmony call: recipient after the channel, no space",
            "harmony call: recipient first, no space",
            "harmony call: no type",
            "harmony call: recipient after the channel, bare type",
            "harmony: python takes code, on analysis",
            "harmony: browser on analysis",
            "harmony: preamble, then a call",
            "harmony: a call whose type does not hold",
            "harmony: replies more than calls",
            "harmony: white space is tolerated in history",
            "openchatml 0.1 §8.4: outputs in the order of the calls",
            "openchatml 0.1: texts of tools that are no outputs, more than calls",
            "openchatml 0.1: arguments against their schema",
            "openchatml 0.1: a function named python and its output",
            "internlm2: function call",
            "internlm2: code interpreter",
            "internlm2: parameters against their schema",
            "internlm2: empty code",
        ],
    ),
    (
        Format::ChatMl,
        "chatml has no tools",
        &[
            "harmony: reply",
            "harmony: reply without to= and channel",
            "harmony: a given tool's name as the role",
            "harmony: tools with names of any letters",
        ],
    ),
    (
        Format::OpenChatMl01,
        "openchatml-0.1 has no calls with code",
        &[
            "replies by full and by bare names",
            "harmony: python takes code, on analysis",
            "internlm2: code interpreter",
            "internlm2: empty code",
        ],
    ),
    (
        Format::OpenChatMl01,
        "not JSON: key must be a string at line 1 column 2",
        &["harmony: a call whose type does not hold"],
    ),
    (
        Format::InternLm2,
        "not JSON: key must be a string at line 1 column 2",
        &["harmony: a call whose type does not hold"],
    ),
    (
        Format::OpenChatMl01,
        "openchatml-0.1 answers each call once, in their order",
        &["harmony: replies more than calls"],
    ),
    (
        Format::Harmony,
        "a tool's reply without the tool's name",
        &["openchatml 0.1: texts of tools that are no outputs, more than calls"],
    ),
    (
        Format::OpenChatMl22,
        "a tool's reply without name=",
        &["openchatml 0.1: texts of tools that are no outputs, more than calls"],
    ),
    // It is converted, as a piece of a conversation; only the parser asks for the call.
    (
        Format::OpenChatMl22,
        "a tool's reply without call_id=",
        &[
            "harmony: reply",
            "harmony: reply without to= and channel",
            "harmony: replies more than calls",
            "harmony: a given tool's name as the role",
            "harmony: tools with names of any letters",
        ],
    ),
];

/// Converts, renders and reads again; what hinders that, if anything does.
fn carry(transcript: &Transcript, to: Format) -> Result<(), String> {
    let converted = convert(transcript.messages(), to).map_err(|error| error.reason)?;
    let messages = converted.output;
    let rendered = render(&messages, &RenderOptions::new(to)).map_err(|error| error.reason)?;
    // A text may spell control tokens, which only pieces can say.
    let config = ParserConfig {
        spelt: SpeltControls::Text,
        ..ParserConfig::transcript(to)
    };
    let all = ControlToken::ALL.into_iter().collect();
    let read = parse_pieces(rendered.pieces(), all, &config);
    let read = read.map_err(|error| error.message().to_owned())?;
    let said = |messages: &[Message]| -> Vec<String> {
        let said = messages.iter().map(|message| message.said());
        // JSON may be spelt otherwise.
        let plain = |said: &str| match serde_json::from_str::<serde_json::Value>(said) {
            Ok(value) => value.to_string(),
            Err(_) => said.trim().to_owned(),
        };
        said.map(|said| plain(&said)).collect()
    };
    assert_eq!(said(&messages), said(read.messages()), "{}", to.name());
    Ok(())
}

/// Every transcript becomes one of each format, but for those that are known not to.
#[test]
fn conversions_are_read_by_the_parser_of_their_format() {
    let mut refused: BTreeMap<(&str, String), Vec<String>> = BTreeMap::new();
    let mut count = 0;
    for (name, _, transcript) in transcripts() {
        for to in Format::ALL {
            match carry(&transcript, to) {
                Ok(()) => count += 1,
                Err(reason) => {
                    let names = refused.entry((to.name(), reason)).or_default();
                    names.push(name.clone());
                }
            }
        }
    }
    let known = REFUSED.map(|(to, reason, names)| {
        let names = names.iter().map(|name| (*name).to_owned());
        ((to.name(), reason.to_owned()), names.collect())
    });
    assert_eq!(refused, BTreeMap::from(known));
    assert!(count > 200, "{count} conversions only");
}

/// Users see of a converted conversation what they saw of it before.
#[test]
fn conversions_hide_what_was_hidden() {
    let texts = |messages: &[Message]| -> Vec<String> {
        let shown = view(messages, Audience::User);
        let shown = shown.iter().map(|shown| shown.text.trim().to_owned());
        shown.filter(|text| !text.is_empty()).collect()
    };
    for (name, _, transcript) in transcripts() {
        for to in Format::ALL {
            if let Ok(converted) = convert(transcript.messages(), to) {
                let (before, after) = (texts(transcript.messages()), texts(&converted.output));
                assert_eq!(before, after, "{name} to {}", to.name());
            }
        }
        // A reply whose call is absent is no chat message.
        if let Ok(after) = from_openai(&to_openai(transcript.messages()).output) {
            let after = after.messages;
            let (before, after) = (texts(transcript.messages()), texts(&after));
            assert_eq!(before, after, "{name} to OpenAI's messages");
        }
    }
}

/// Each body is in the converted conversation, or said to be lost.
#[test]
fn no_body_is_lost_in_silence() {
    let on_channels = |messages: &[Message]| convert(messages, Format::OpenChatMl22).unwrap();
    let mut count = 0;
    for (name, _, transcript) in transcripts() {
        for to in Format::ALL {
            let Ok(converted) = convert(transcript.messages(), to) else {
                continue;
            };
            let after: Vec<String> = on_channels(&converted.output)
                .output
                .into_iter()
                .map(|message| message.body)
                .collect();
            let after = after.join("\n");
            for (index, message) in on_channels(transcript.messages()).output.iter().enumerate() {
                let is_body = |what| matches!(what, Lost::Reasoning | Lost::HiddenCommentary);
                let mut losses = converted.losses.iter();
                let is_lost = losses.any(|loss| loss.index == index && is_body(loss.what));
                // What a tool says is JSON in OpenChatML 0.1.
                let quoted = serde_json::to_string(&message.body).unwrap();
                // Thoughts have other marks there.
                let body = message.body.replace("<|start_reason|>", "");
                let mut body = body.replace("<|end_reason|>", "");
                // Where the kinds of thoughts are said to be lost, they have no marks.
                let mut losses = converted.losses.iter();
                if losses.any(|loss| loss.what == Lost::ThoughtKinds) {
                    body = body.replace("<|start_reflect|>", "");
                    body = body.replace("<|start_introspect|>", "");
                }
                let body = body.trim();
                let is_there = after.contains(body) || after.contains(&quoted);
                assert_ne!(
                    is_there,
                    is_lost,
                    "{name} to {}: {body}\n{after}",
                    to.name()
                );
                count += 1;
            }
        }
    }
    assert!(count > 300, "{count} bodies only");
}

#[test]
fn reasoning_becomes_the_thoughts_that_the_system_asks_for() {
    let harmony = "<|start|>system<|message|>Be brief.<|end|>\
        <|start|>user<|message|>Hi<|end|>\
        <|start|>assistant<|channel|>analysis<|message|>A greeting.<|end|>\
        <|start|>assistant<|channel|>final<|message|>Hello.<|end|>\
        <|start|>user<|message|>Bye<|end|>\
        <|start|>assistant<|channel|>final<|message|>Bye.<|end|>";
    let (text, lost) = converted(harmony, Format::Harmony, Format::OpenChatMl01);
    assert_eq!(lost, []);
    assert_eq!(
        text,
        "<s>\n<|im_start|>system\nBe brief.<|reason|>\n<|im_end|>\n\
         <|im_start|>user\nHi\n<|im_end|>\n\
         <|im_start|>assistant\n<|start_reason|>A greeting.<|end_reason|>\nHello.\n<|im_end|>\n\
         <|im_start|>user\nBye\n<|im_end|>\n\
         <|im_start|>assistant\n<|start_reason|><|end_reason|>\nBye.\n<|im_end|>\n</s>"
    );
    // There and back, and to itself.
    let (again, _) = converted(&text, Format::OpenChatMl01, Format::OpenChatMl01);
    assert_eq!(again, text);
    let (channels, lost) = converted(&text, Format::OpenChatMl01, Format::OpenChatMl22);
    assert_eq!(lost, [Lost::ThoughtFlags]);
    let thought = "<|channel|>analysis<|message|><|start_reason|>A greeting.<|end|>";
    assert!(channels.contains(thought), "{channels}");
    let analysis = &read(&channels, Format::OpenChatMl22).unwrap().messages()[2].clone();
    assert_eq!(analysis.said(), "A greeting.");
    assert_eq!(channels.matches("analysis").count(), 1, "{channels}");
    let (back, lost) = converted(&channels, Format::OpenChatMl22, Format::OpenChatMl01);
    assert_eq!((back, lost), (text, vec![]));
}

#[test]
fn thoughts_come_in_their_order_and_before_speech() {
    let text = "<|start|>assistant<|channel|>analysis<|message|>\
        <|start_reason|>r<|end_reason|><|start_reflect|>f<|end|>\
        <|start|>assistant intent=preamble<|channel|>commentary<|message|>I look.<|end|>\
        <|start|>assistant<|channel|>analysis<|message|>more<|end|>\
        <|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>{}<|call|>";
    let (text, lost) = converted(text, Format::OpenChatMl22, Format::OpenChatMl01);
    assert_eq!(lost, [Lost::Intent, Lost::CallId]);
    assert_eq!(
        text,
        "<s>\n<|im_start|>system\n<|reflect|><|reason|>\n<|im_end|>\n<|im_start|>assistant\n\
         <|start_reflect|>f<|end_reflect|>\n<|start_reason|>r<|end_reason|>\nI look.\n<|im_end|>\n\
         <|im_start|>assistant\n<|start_reflect|><|end_reflect|>\n<|start_reason|>more<|end_reason|>\n\
         <|function_call|>\n{\"arguments\": {}, \"name\": \"f\"}\n<|im_end|>\n</s>"
    );
}

/// A system message that only spells control tokens does not write them beside flags.
#[test]
fn flags_smuggle_nothing() {
    let text = "<|start|>system<|message|>Say <|function_list|>.<|end|>\
        <|start|>assistant<|channel|>analysis<|message|>hm<|end|>";
    let transcript = read(text, Format::Harmony).unwrap();
    let converted = convert(transcript.messages(), Format::OpenChatMl01).unwrap();
    let mut options = RenderOptions::new(Format::OpenChatMl01);
    let rendered = render(&converted.output, &options).unwrap();
    assert_eq!(rendered.spelt(), Some("<|function_list|>"));
    options.spelt = SpeltControls::Refused;
    let error = render(&converted.output, &options).unwrap_err();
    assert!(error.reason.contains("<|function_list|>"), "{error}");
}

#[test]
fn what_has_no_place_is_said() {
    let text = "version: 2.2\n<|start|>developer<|message|>d<|end|>\n\
        <|start|>user name=Eric<|message|>u<|end|>\n\
        <|start|>assistant<|channel|>analysis<|message|>a<|end|>\n\
        <|start|>assistant intent=status<|channel|>commentary<|message|>s<|end|>\n\
        <|start|>assistant to=functions.f call_id=x<|channel|>commentary<|constrain|>json<|message|>{}<|call|>\n\
        <|start|>tool to=assistant call_id=x name=functions.f<|channel|>commentary<|message|>1<|end|>\n\
        <|start|>assistant content_type=markdown<|channel|>final<|message|>f<|return|>";
    use Lost::{
        CallId, ContentType, Developer, HiddenCommentary, Intent, Name, Reasoning, ThoughtFlags,
    };
    let transcript = read(text, Format::OpenChatMl22).unwrap();
    let lost = |to| -> Vec<(usize, Lost)> {
        let converted = convert(transcript.messages(), to).unwrap();
        let losses = converted.losses.iter();
        losses.map(|loss| (loss.index, loss.what)).collect()
    };
    assert_eq!(lost(Format::OpenChatMl22), []);
    assert_eq!(
        lost(Format::Harmony),
        [
            (1, Name),
            (3, Intent),
            (4, CallId),
            (5, CallId),
            (6, ContentType)
        ]
    );
    let of_im = |thoughts: Option<(usize, Lost)>| {
        let start = [(0, Developer)].into_iter().chain(thoughts);
        let rest = [
            (3, Intent),
            (3, HiddenCommentary),
            (4, CallId),
            (5, CallId),
            (6, ContentType),
        ];
        start.chain(rest).collect::<Vec<_>>()
    };
    assert_eq!(lost(Format::InternLm2), of_im(Some((2, Reasoning))));
    assert_eq!(lost(Format::OpenChatMl01), of_im(None));
    let error = convert(transcript.messages(), Format::ChatMl).unwrap_err();
    let at = &text[error.span.start..error.span.end];
    assert!(at.starts_with("<|start|>assistant to=functions.f"), "{at}");
    let openai: Vec<Lost> = to_openai(transcript.messages())
        .losses
        .iter()
        .map(|loss| loss.what)
        .collect();
    assert_eq!(openai, [Reasoning, Intent, HiddenCommentary, ContentType]);

    let flags = "<|im_start|>system\n<|reason|><|im_end|>";
    let (_, lost) = converted(flags, Format::OpenChatMl01, Format::InternLm2);
    assert_eq!(lost, [ThoughtFlags]);
    let plugin = "<|im_start|>system name=<|plugin|>\n[]<|im_end|>";
    let (text, lost) = converted(plugin, Format::InternLm2, Format::InternLm2);
    assert_eq!((text.as_str(), lost), (plugin, vec![]));
    let (_, lost) = converted(plugin, Format::InternLm2, Format::ChatMl);
    assert_eq!(lost, [Name]);
}

/// A document header goes along as it was written, with what is unknown here.
#[test]
fn document_headers_go_along() {
    let text = "---\nversion: 2.2\nmodel: m\ngeneration_settings:\n  temperature: 0.7\n---\n\
        <|start|>user<|message|>x<|end|>";
    let (same, lost) = converted(text, Format::OpenChatMl22, Format::OpenChatMl22);
    assert_eq!((same.as_str(), lost), (text, vec![]));
    let mut header = read(text, Format::OpenChatMl22)
        .unwrap()
        .document_header()
        .unwrap()
        .clone();
    assert!(header.says_more());
    header.model = None;
    header.minor = 1;
    let mut options = RenderOptions::new(Format::OpenChatMl22);
    options.header = header;
    let rendered = render(&[], &options).unwrap().text();
    assert_eq!(rendered, "version: 2.1\n");
    assert!(!RenderOptions::new(Format::OpenChatMl22).header.says_more());
}

/// The name of who replies is a role in Harmony, which not every name can be.
#[test]
fn a_tool_of_any_name_replies_in_harmony() {
    let chat = r#"[{"role": "assistant", "content": null, "tool_calls": [{"id": "a", "type": "function",
        "function": {"name": "x=y/z", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "1"}]"#;
    let messages = maskwright_transcript::from_openai(chat).unwrap().messages;
    let converted = convert(&messages, Format::Harmony).unwrap();
    assert!(
        converted
            .losses
            .iter()
            .any(|loss| loss.what == Lost::NameSpelling)
    );
    let text = render(&converted.output, &RenderOptions::new(Format::Harmony))
        .unwrap()
        .text();
    let back = read(&text, Format::Harmony).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(
        back.messages()[0].recipient.as_deref(),
        Some("functions.x_y_z")
    );
    assert_eq!(back.messages()[1].name.as_deref(), Some("functions.x_y_z"));
    let mut reply = converted.output[1].clone();
    reply.name = Some("functions.x=y".to_owned());
    assert!(render(&[reply], &RenderOptions::new(Format::Harmony)).is_err());
}

/// A reply whose tool has no namespace, or one that nobody knows, says to whom it is, or it would be read as an unknown role.
#[test]
fn replies_of_tools_without_a_namespace_come_back_from_harmony() {
    for (name, role) in [
        ("Zoë", "Zo_ to=assistant"),
        ("Zoë.b", "Zo_.b to=assistant"),
        ("functions.", "functions. to=assistant"),
        ("functions.b", "functions.b"),
    ] {
        let text = format!(
            "<|im_start|>tool name={name}\nx<|im_end|>\n<|im_start|>assistant name=Бот\ny<|im_end|>"
        );
        let (harmony, _) = converted(&text, Format::OpenChatMl01, Format::Harmony);
        assert_eq!(
            harmony,
            format!(
                "<|start|>{role}<|message|>x<|end|><|start|>assistant<|channel|>final<|message|>y<|end|>"
            )
        );
        let (again, _) = converted(&harmony, Format::Harmony, Format::Harmony);
        assert_eq!(again, harmony);
    }
}

/// What marks thoughts elsewhere would be text of an analysis in Harmony, where all is thought.
#[test]
fn thoughts_are_no_marked_text_in_harmony() {
    let thoughts = "<|im_start|>system\n<|introspect|><|reason|>\n<|im_end|>\n<|im_start|>assistant\n\
        <|start_introspect|>I see.<|end_introspect|>\n<|start_reason|>So be it.<|end_reason|>\nHello.\n<|im_end|>";
    let analysis =
        |thought| format!("<|start|>assistant<|channel|>analysis<|message|>{thought}<|end|>");
    let answer = "<|start|>assistant<|channel|>final<|message|>Hello.<|end|>";
    let (text, lost) = converted(thoughts, Format::OpenChatMl01, Format::Harmony);
    assert_eq!(lost, [Lost::ThoughtFlags, Lost::ThoughtKinds]);
    let expected = format!("{}{}{answer}", analysis("I see."), analysis("So be it."));
    assert!(text.ends_with(&expected), "{text}");
    // In one body, as OpenChatML 2.2 has them.
    let body = "<|start_introspect|>I see.\n<|start_reason|>So be it.";
    let channels = format!("{}{answer}", analysis(body));
    let (text, lost) = converted(&channels, Format::OpenChatMl22, Format::Harmony);
    assert_eq!(lost, [Lost::ThoughtKinds]);
    assert_eq!(text, format!("{}{answer}", analysis("I see.\nSo be it.")));
    // Harmony itself has no markers, so that they are text.
    let (text, lost) = converted(&channels, Format::Harmony, Format::Harmony);
    assert_eq!((text, lost), (channels, vec![]));
}

/// White space is content, alone too: a second conversion reads what the first has written. Only a line break alone before a
/// call, which OpenChatML 0.1 reads as layout, is lost, and that is told.
#[test]
fn white_space_that_is_said_comes_back() {
    let said = |texts: &[Message]| -> Vec<String> {
        let openai: serde_json::Value = serde_json::from_str(&to_openai(texts).output).unwrap();
        let messages = openai.as_array().unwrap().iter();
        let content = messages.map(|message| message["content"].as_str().unwrap_or_default());
        content.map(str::to_owned).collect()
    };
    for text in [" ", "\t", "\n", "\n\n", "\r\n", "a \n", "\na", "a\n\n"] {
        let chat = serde_json::json!([
            {"role": "user", "content": text},
            {"role": "assistant", "content": text, "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "1", "content": "1"},
            {"role": "assistant", "content": text},
        ]);
        let messages = from_openai(&chat.to_string()).unwrap().messages;
        for to in [Format::OpenChatMl01, Format::InternLm2, Format::Harmony] {
            let written = convert(&messages, to).unwrap();
            let rendered = render(&written.output, &RenderOptions::new(to)).unwrap();
            let (again, _) = converted(&rendered.text(), to, to);
            assert_eq!(again, rendered.text(), "{}: {text:?}", to.name());
            let back = read(&again, to).unwrap();
            let is_layout = to == Format::OpenChatMl01 && text == "\n";
            let before_call = if is_layout { "" } else { text };
            let expected = [text, before_call, "1", text];
            assert_eq!(said(back.messages()), expected, "{}: {text:?}", to.name());
            let told = written
                .losses
                .iter()
                .any(|loss| loss.what == Lost::LineBreak);
            assert_eq!(told, is_layout, "{}: {text:?}", to.name());
        }
    }
}
