//! A transcript in each other format, and as JSON: what is written reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::Input;
use maskwright_transcript::{
    ControlToken, Format, Message, ParserConfig, RenderOptions, SpeltControls, Transcript, convert,
    from_interchange, from_openai, normalise_history, parse_pieces, render, render_files,
    to_interchange, to_openai,
};

fuzz_target!(|data: &[u8]| {
    if let Some(input) = Input::of(data) {
        interchanges(&input.text);
        let read = parse_pieces(input.pieces(false), input.vocabulary(), &input.config);
        if let Ok(transcript) = read {
            converts(&transcript);
        }
    }
});

/// JSON that is read is written, and reads back as it was.
fn interchanges(json: &str) {
    if let Ok(messages) = from_interchange(json) {
        as_json(&messages);
    }
    if let Ok(read) = from_openai(json) {
        as_openai(&read.messages);
    }
}

fn as_openai(messages: &[Message]) {
    let json = to_openai(messages).output;
    if let Err(error) = from_openai(&json) {
        // A reply may have no call: that stands in an earlier piece of the conversation.
        let has_no_id = error.pointer.ends_with("/tool_call_id");
        assert!(has_no_id, "{error}: {json}");
    }
}

fn as_json(messages: &[Message]) {
    if let Ok(json) = to_interchange(messages) {
        let back = from_interchange(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
        assert_eq!(to_interchange(&back).as_ref(), Ok(&json));
    }
}

fn converts(transcript: &Transcript) {
    let messages = transcript.messages();
    for to in Format::ALL {
        if !transcript.files().is_empty() {
            let _ = render_files(transcript.files(), &RenderOptions::new(to));
        }
        if let Ok(converted) = convert(messages, to) {
            comes_back(&converted.output, to);
        }
    }
    as_json(messages);
    as_openai(messages);
    normalise_history(messages);
}

/// What is rendered is read as what was rendered, and rendered the same again.
fn comes_back(messages: &[Message], format: Format) {
    let options = RenderOptions::new(format);
    let Ok(rendered) = render(messages, &options) else {
        return;
    };
    let config = ParserConfig {
        spelt: SpeltControls::Text,
        ..ParserConfig::transcript(format)
    };
    let all = ControlToken::ALL.into_iter().collect();
    let back = match parse_pieces(rendered.pieces(), all, &config) {
        Ok(back) => back,
        // The call may stand in an earlier piece of the conversation.
        Err(error) if error.message() == "a tool's reply without call_id=" => return,
        Err(error) => panic!("{}: {error}: {}", format.name(), rendered.text()),
    };
    let roles = |messages: &[Message]| {
        messages
            .iter()
            .map(|message| message.role)
            .collect::<Vec<_>>()
    };
    assert_eq!(
        roles(messages),
        roles(back.messages()),
        "{}: {}",
        format.name(),
        rendered.text()
    );
    let again = render(back.messages(), &options).map(|again| again.text());
    assert_eq!(again, Ok(rendered.text()), "{}", format.name());
}
