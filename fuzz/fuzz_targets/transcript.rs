//! A transcript, whole and in pieces: the parser says the same of both, and users are shown the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use maskwright_fuzz::Input;
use maskwright_transcript::{
    ErrorCode, EventStream, Parser, StreamEvent, TranscriptError, parse_pieces,
};

fuzz_target!(|data: &[u8]| {
    let Some(input) = Input::of(data) else {
        return;
    };
    let whole = parse_pieces(input.pieces(false), input.vocabulary(), &input.config);
    let mut parser = Parser::new(input.vocabulary(), &input.config);
    let pieces = input.pieces(true);
    let early = pieces.iter().find_map(|&piece| parser.push(piece).err());
    let pieced = parser.finish();
    match (&early, &whole) {
        // Of the same place, though less of what stands there was known.
        (Some(early), Err(late)) => assert_eq!(place(early), place(late), "{early} and {late}"),
        (Some(early), Ok(_)) => panic!("{early}: the whole is well-formed"),
        (None, _) => assert_eq!(whole, pieced, "in pieces"),
    }
    if whole.is_ok() {
        assert_eq!(shown(&input, false), shown(&input, true), "what is shown");
    }
});

fn place(error: &TranscriptError) -> (ErrorCode, usize) {
    (error.code(), error.span().start)
}

/// What users are shown of the input.
fn shown(input: &Input, cut: bool) -> Vec<(String, String)> {
    let mut stream = EventStream::new("s", input.vocabulary(), &input.config);
    let mut shown: Vec<(String, String)> = Vec::new();
    for piece in input.pieces(cut) {
        for event in stream.push(piece).expect("the text is well-formed") {
            if let StreamEvent::Delta { message_id, text } = event {
                match shown.last_mut() {
                    Some((id, so_far)) if *id == message_id => *so_far += &text,
                    _ => shown.push((message_id, text)),
                }
            }
        }
    }
    shown
}
