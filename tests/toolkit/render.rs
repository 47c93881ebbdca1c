//! Rendering, conversion, visibility, history.

use super::{placeless, read, transcripts};
use maskwright_transcript::{
    Audience, Channel, ControlToken, Ending, ErrorCode, Format, Intent, Message, ParserConfig,
    RenderOptions, Role, SpeltControls, Terminator, normalise_history, parse_pieces, render, show,
    view,
};
use proptest::prelude::*;

fn text(messages: &[Message], format: Format) -> String {
    render(messages, &RenderOptions::new(format))
        .unwrap()
        .text()
}

/// What is rendered is read as what was rendered, and rendered the same again.
#[test]
fn rendering_is_stable() {
    for (name, format, transcript) in transcripts() {
        if !transcript.files().is_empty() {
            continue;
        }
        let rendered = match render(transcript.messages(), &RenderOptions::new(format)) {
            Ok(rendered) => rendered.text(),
            // History may hold what no canonical text has: a token escaped in JSON.
            Err(error) => panic!("{name}: {error}"),
        };
        let again = read(&rendered, format).unwrap_or_else(|e| panic!("{name}: {e}: {rendered}"));
        let (first, second) = (
            placeless(transcript.messages()),
            placeless(again.messages()),
        );
        assert_eq!(first.len(), second.len(), "{name}");
        for (first, second) in first.iter().zip(&second) {
            assert_eq!(first.said(), second.said(), "{name}: {rendered}");
            assert_eq!(first.role, second.role, "{name}");
            assert_eq!(first.name, second.name, "{name}");
            assert!(first.calls().eq(second.calls()), "{name}: {rendered}");
        }
        assert_eq!(text(again.messages(), format), rendered, "{name}");
    }
}

#[test]
fn canonical_spelling() {
    let call = |format| {
        let mut call = Message::new(Role::Assistant, "{}");
        call.channel = Some(Channel::Commentary);
        call.recipient = Some("functions.f".to_owned());
        call.constrain = Some("json".to_owned());
        call.terminator = Terminator::Call;
        if format == Format::OpenChatMl22 {
            call.call_id = Some("a".to_owned());
        }
        text(&[call], format)
    };
    assert_eq!(
        call(Format::OpenChatMl22),
        "version: 2.2\n<|start|>assistant to=functions.f call_id=a<|channel|>commentary\
         <|constrain|>json<|message|>{}<|call|>"
    );
    assert_eq!(
        call(Format::Harmony),
        "<|start|>assistant to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>"
    );
    let mut prompt = RenderOptions::new(Format::ChatMl);
    prompt.ending = Ending::Prompt;
    let rendered = render(&[Message::new(Role::User, "Hi")], &prompt).unwrap();
    assert_eq!(
        rendered.text(),
        "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant"
    );
    assert_eq!(
        rendered.token_list(),
        r#"[{"token": "<|im_start|>"}, "user\nHi", {"token": "<|im_end|>"}, "\n", {"token": "<|im_start|>"}, "assistant"]"#
    );
}

/// What a document header says is written as it was read.
#[test]
fn document_headers_come_back() {
    let text = "version: 2.1\nmodel: \"a: b\"\ngeneration_settings: {builtin_tools: [browser, python]}\n\
        capabilities:\n  roles: [user, \"functions.*\"]\n  channels: [final, analysis]\n  \
        tokens: [\"<|start|>\", \"<|message|>\", \"<|end|>\"]\n  streaming: [response.delta]\nprofiles:\n  harmony:\n    enabled: true\n    \
        require_channels: [final]\n    tool_calls_in: commentary\n    builtins_in: [analysis]\n\
        <|start|>user<|message|>x<|end|>";
    let transcript = read(text, Format::OpenChatMl22).unwrap();
    assert!(transcript.notes().is_empty(), "{:?}", transcript.notes());
    let mut options = RenderOptions::new(Format::OpenChatMl22);
    options.header = transcript.document_header().unwrap().clone();
    assert_eq!(options.header.model.as_deref(), Some("a: b"));
    let events = Some(vec!["response.delta".to_owned()]);
    assert_eq!(options.header.streaming, events);
    let rendered = render(transcript.messages(), &options).unwrap().text();
    let again = read(&rendered, Format::OpenChatMl22).unwrap();
    assert_eq!(
        again.document_header(),
        transcript.document_header(),
        "{rendered}"
    );
}

/// A header by hand is written with all that it says.
#[test]
fn document_headers_are_written_whole() {
    let mut options = RenderOptions::new(Format::OpenChatMl22);
    options.header.require_channels = true;
    options.header.streaming = Some(vec!["tool.cancel".to_owned()]);
    let rendered = render(&[], &options).unwrap().text();
    let again = read(&rendered, Format::OpenChatMl22).unwrap();
    assert_eq!(
        again.document_header().unwrap().streaming,
        options.header.streaming
    );
    assert!(
        again.document_header().unwrap().require_channels,
        "{rendered}"
    );
}

/// What users say cannot change a header, nor become a control token.
#[test]
fn nothing_is_smuggled() {
    let code = |message: Message, format| {
        let result = render(&[message], &RenderOptions::new(format));
        result
            .map(|rendered| rendered.text())
            .map_err(|error| error.code)
    };
    for format in Format::ALL {
        let mut named = Message::new(Role::User, "x");
        for name in ["a b", "a<|message|>", "", "\u{a0}"] {
            named.name = Some(name.to_owned());
            let refused = code(named.clone(), format);
            assert_eq!(
                refused,
                Err(ErrorCode::ParseHeader),
                "{} {name}",
                format.name()
            );
        }
    }
    let spelt = |format| match format {
        Format::Harmony | Format::OpenChatMl22 => "<|end|>",
        _ => "<|im_end|>",
    };
    for format in Format::ALL {
        let result = code(Message::new(Role::User, spelt(format)), format);
        match format {
            Format::OpenChatMl22 => assert!(result.unwrap().contains("<<|end|>")),
            _ => assert!(result.unwrap().contains(spelt(format))),
        }
        let rendered = render(
            &[Message::new(Role::User, spelt(format))],
            &RenderOptions::new(format),
        );
        let rendered = rendered.unwrap();
        // The pieces say that it is text; in 2.2 it is escaped.
        let is_escaped = format == Format::OpenChatMl22;
        assert_eq!(rendered.spelt().is_none(), is_escaped, "{}", format.name());
        let config = ParserConfig {
            spelt: SpeltControls::Text,
            ..ParserConfig::transcript(format)
        };
        let all = ControlToken::ALL.into_iter().collect();
        let read = parse_pieces(rendered.pieces(), all, &config).unwrap();
        assert_eq!(read.messages()[0].body, spelt(format));
    }
    let mut call = Message::new(Role::Assistant, r#"{"a":"<|end|>"}"#);
    call.channel = Some(Channel::Commentary);
    call.recipient = Some("functions.f".to_owned());
    call.terminator = Terminator::Call;
    let text = code(call.clone(), Format::Harmony).unwrap();
    assert!(text.contains(r#"{"a":"\u003c|end|>"}"#), "{text}");
    // A prompt is what the model's own renderer writes.
    let mut prompt = RenderOptions::new(Format::Harmony);
    prompt.ending = Ending::Prompt;
    let rendered = render(&[call.clone()], &prompt).unwrap();
    assert!(rendered.text().contains(r#"{"a":"<|end|>"}"#));
    assert_eq!(rendered.spelt(), Some("<|end|>"));
    prompt.spelt = SpeltControls::Refused;
    let whole = render(&[call], &prompt).unwrap();
    assert!(whole.text().contains(r#"{"a":"\u003c|end|>"}"#));
}

#[test]
fn users_see_answers_and_preambles_only() {
    let text = "<|start|>system<|message|>s<|end|><|start|>developer<|message|>d<|end|>\
        <|start|>user<|message|>u<|end|><|start|>assistant<|channel|>analysis<|message|>a<|end|>\
        <|start|>assistant intent=preamble<|channel|>commentary<|message|>p<|end|>\
        <|start|>assistant intent=status<|channel|>commentary<|message|>t<|end|>\
        <|start|>assistant<|channel|>commentary<|message|>c<|end|>\
        <|start|>assistant to=functions.f call_id=a<|channel|>commentary<|message|>{}<|call|>\
        <|start|>tool call_id=a name=functions.f<|message|>r<|end|>\
        <|start|>assistant intent=debug<|channel|>final<|message|>g<|end|>\
        <|start|>assistant<|channel|>final<|message|>f<|return|>";
    let transcript = read(text, Format::OpenChatMl22).unwrap();
    let texts = |audience| -> Vec<String> {
        let shown = view(transcript.messages(), audience);
        shown.iter().map(|shown| shown.text.to_string()).collect()
    };
    assert_eq!(texts(Audience::User), ["u", "p", "f"]);
    assert_eq!(texts(Audience::Debug).len(), 11);
    let hidden = show(&transcript.messages()[3], Audience::User).unwrap_err();
    assert_eq!(hidden.code(), ErrorCode::PermVisibility);
    let at = text.find("<|start|>assistant<|channel|>analysis").unwrap();
    assert_eq!(hidden.span.start, at);
    assert!(
        hidden
            .to_string()
            .starts_with(&format!("E-PERM-VISIBILITY at byte {at}: "))
    );

    // Harmony's commentary to nobody is a preamble.
    let text = "<|start|>assistant<|channel|>commentary<|message|>p<|end|>";
    let transcript = read(text, Format::Harmony).unwrap();
    assert_eq!(transcript.messages()[0].intent, Some(Intent::Preamble));
    assert_eq!(view(transcript.messages(), Audience::User).len(), 1);
    // Thoughts and calls of OpenChatML 0.1 are not shown.
    let text = "<|im_start|>system\n<|reason|><|im_end|>\n<|im_start|>assistant\n\
        <|start_reason|>hm<|end_reason|>\nHi<|function_call|>{\"name\":\"f\",\"arguments\":{}}<|im_end|>";
    let transcript = read(text, Format::OpenChatMl01).unwrap();
    let shown = view(transcript.messages(), Audience::User);
    assert_eq!(shown.len(), 1);
    assert_eq!(shown[0].text, "Hi");
}

#[test]
fn history_drops_old_analysis() {
    let line = |role: &str, rest: &str| format!("<|start|>{role}{rest}");
    let user = line("user", "<|message|>u<|end|>");
    let think = line("assistant", "<|channel|>analysis<|message|>a<|end|>");
    let answer = line("assistant", "<|channel|>final<|message|>f<|return|>");
    let call = line(
        "assistant",
        " to=functions.f<|channel|>commentary <|constrain|>json<|message|>{}<|call|>",
    );
    let reply = line(
        "functions.f",
        " to=assistant<|channel|>commentary<|message|>1<|end|>",
    );
    let kept = answer.replace("<|return|>", "<|end|>");
    let cases = [
        // Answered and asked again: the analysis goes.
        (
            [&user, &think, &answer, &user].to_vec(),
            [&user, &kept, &user].to_vec(),
        ),
        // Not asked again: it stays.
        (
            [&user, &think, &answer].to_vec(),
            [&user, &think, &kept].to_vec(),
        ),
        // A call without its reply: what led to it stays.
        (
            [&user, &think, &call, &think, &answer, &user].to_vec(),
            [&user, &think, &call, &kept, &user].to_vec(),
        ),
        (
            [&user, &think, &call, &reply, &answer, &user].to_vec(),
            [&user, &call, &reply, &kept, &user].to_vec(),
        ),
        // Not answered yet: all stays.
        (
            [&user, &think, &call, &reply].to_vec(),
            [&user, &think, &call, &reply].to_vec(),
        ),
    ];
    let join = |parts: &[&String]| parts.iter().map(|part| part.as_str()).collect::<String>();
    for (before, after) in cases {
        let transcript = read(&join(&before), Format::Harmony).unwrap();
        let history = normalise_history(transcript.messages());
        assert_eq!(text(&history, Format::Harmony), join(&after));
        assert_eq!(placeless(&normalise_history(&history)), placeless(&history));
    }
}

/// Harmony's published prompts are what our renderer writes of them.
#[test]
fn harmony_test_data_renders_as_published() {
    for file in [
        "test_dropping_cot_by_default.txt",
        "test_preserve_cot.txt",
        "test_does_not_drop_if_ongoing_analysis.txt",
        "test_simple_convo_high_effort.txt",
        "test_keep_analysis_between_finals.txt",
    ] {
        let Some(published) = super::data(&format!("data/harmony-test-data/{file}")) else {
            return;
        };
        let published = published.trim_end_matches('\n');
        let header = "<|start|>assistant";
        let whole = published.strip_suffix(header).unwrap_or(published);
        let transcript = read(whole, Format::Harmony).unwrap();
        let mut options = RenderOptions::new(Format::Harmony);
        if whole != published {
            options.ending = Ending::Prompt;
        }
        let rendered = render(transcript.messages(), &options).unwrap().text();
        assert_eq!(rendered, published, "{file}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "<",
        "<<",
        "<|end|>",
        "<|start|>",
        "<|literal|>",
        "<|endliteral|>",
        "x",
        "\n",
        " ",
        "é",
        "<|en",
        "|>",
        "<|im_end|>",
    ]);
    prop::collection::vec(word, 0..8).prop_map(|words| words.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// In OpenChatML 2.2 any text can be said, and is read as it was said.
    #[test]
    fn any_text_comes_back(bodies in prop::collection::vec(any_text(), 1..4)) {
        let messages: Vec<Message> =
            bodies.iter().map(|body| Message::new(Role::User, body.as_str())).collect();
        let rendered = text(&messages, Format::OpenChatMl22);
        let transcript = read(&rendered, Format::OpenChatMl22).unwrap();
        let read: Vec<&String> = transcript.messages().iter().map(|m| &m.body).collect();
        prop_assert_eq!(read, bodies.iter().collect::<Vec<_>>());
    }
}
