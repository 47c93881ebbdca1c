//! Events of a stream.

use super::transcripts;
use maskwright_transcript::{
    Audience, ControlSet, ErrorCode, EventStream, Format, ParserConfig, Piece, Role, StreamEvent,
    view,
};

/// What a user sees: the deltas of each message, put together.
fn shown(events: &[StreamEvent]) -> Vec<(String, String)> {
    let mut shown: Vec<(String, String)> = Vec::new();
    for event in events {
        if let StreamEvent::Delta { message_id, text } = event {
            match shown.iter_mut().find(|(id, _)| id == message_id) {
                Some((_, whole)) => whole.push_str(text),
                None => shown.push((message_id.clone(), text.clone())),
            }
        }
    }
    shown
}

/// In whatever chunks the text comes, users see what the whole shows, and nothing else.
#[test]
fn deltas_are_what_users_may_see() {
    for (name, format, transcript) in transcripts() {
        let config = ParserConfig::transcript(format);
        for size in [1, 3, 1000] {
            let mut stream = EventStream::new("s", ControlSet::default(), &config);
            let mut events = Vec::new();
            for chunk in transcript.text().as_bytes().chunks(size) {
                events.extend(stream.push(Piece::Text(chunk)).unwrap());
            }
            let texts: Vec<String> = shown(&events).into_iter().map(|(_, text)| text).collect();
            let whole = view(transcript.messages(), Audience::User);
            let whole = whole.iter().filter(|shown| shown.role == Role::Assistant);
            let whole: Vec<String> = whole.map(|shown| shown.text.to_string()).collect();
            assert_eq!(texts, whole, "{name} by {size}");
        }
    }
}

/// Thoughts that are marked within an answer are not shown, in whatever chunks they come, and are warned of; what only
/// begins like a marker is.
#[test]
fn marked_thoughts_are_not_shown() {
    let answers = [
        ("a <|start_reflect|>b<|end_reflect|> c", "a  c"),
        ("<|start_reason|>b<|start_reflect|>c", ""),
        ("a<|end_reason|>b", "a<|end_reason|>b"),
        (
            "a<|start_rx<|start_reason|>b\n\nc<|end_reason|>d",
            "a<|start_rxd",
        ),
        ("a <|start_", "a <|start_"),
        ("ä<|start_reason|>é<|end_reason|>ü<|s", "äü<|s"),
    ];
    let config = ParserConfig::transcript(Format::OpenChatMl22);
    for (answer, expected) in answers {
        let text = format!("<|start|>assistant<|channel|>final<|message|>{answer}<|return|>");
        for size in [1, 5, 1000] {
            let mut stream = EventStream::new("s", ControlSet::default(), &config);
            let mut events = Vec::new();
            for chunk in text.as_bytes().chunks(size) {
                events.extend(stream.push(Piece::Text(chunk)).unwrap());
            }
            let texts: String = shown(&events).into_iter().map(|(_, text)| text).collect();
            assert_eq!(texts, expected, "{answer} by {size}");
            let transcript = stream.finish().unwrap();
            let notes = transcript.notes().iter();
            let is_warned = notes
                .map(ToString::to_string)
                .any(|note| note.contains("thought"));
            assert_eq!(is_warned, answer != expected, "{answer}");
        }
    }
}

#[test]
fn paragraphs_are_flushed_and_interleaved_streams_told_apart() {
    let config = ParserConfig::assistant_turn(Format::Harmony);
    let mut streams = ["a", "b"].map(|id| EventStream::new(id, ControlSet::default(), &config));
    let mut names = Vec::new();
    for chunk in ["<|channel|>final<|message|>x\n", "\ny", "<|return|>"] {
        for stream in &mut streams {
            for event in stream.push(Piece::Text(chunk.as_bytes())).unwrap() {
                names.push(event.to_json());
            }
        }
    }
    let a: Vec<&String> = names.iter().filter(|name| name.contains("a.0")).collect();
    assert_eq!(
        a,
        [
            r#"{"type":"response.delta","message_id":"a.0","text":"x\n"}"#,
            r#"{"type":"response.delta","message_id":"a.0","text":"\n"}"#,
            r#"{"type":"response.delta.flush","message_id":"a.0"}"#,
            r#"{"type":"response.delta","message_id":"a.0","text":"y"}"#,
            r#"{"type":"response.delta.flush","message_id":"a.0"}"#,
        ]
    );
    assert_eq!(names.len(), 2 * a.len());

    let mut stream = EventStream::new("c", ControlSet::default(), &config);
    let events = stream
        .push(Piece::Text(b"<|channel|>final<|message|>x\n\ny"))
        .unwrap();
    let names: Vec<&str> = events.iter().map(StreamEvent::name).collect();
    assert_eq!(
        names,
        ["response.delta", "response.delta.flush", "response.delta"]
    );
}

#[test]
fn cut_and_cancelled_streams_are_told() {
    let config = ParserConfig::assistant_turn(Format::Harmony);
    let mut stream = EventStream::new("a", ControlSet::default(), &config);
    assert_eq!(stream.cancel("nothing shown"), None);
    stream
        .push(Piece::Text(b"<|channel|>final<|message|>Hi"))
        .unwrap();
    let cancel = stream.cancel("stopped").unwrap();
    assert_eq!(
        cancel.to_json(),
        r#"{"type":"response.cancel","message_id":"a.0","reason":"stopped"}"#
    );
    let error = stream.finish().unwrap_err();
    assert_eq!(error.code(), ErrorCode::StreamTruncated);

    let mut stream = EventStream::new("a", ControlSet::default(), &config);
    let error = stream.push(Piece::Text(b"<|channel|>inner")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::ParseHeader);
}
