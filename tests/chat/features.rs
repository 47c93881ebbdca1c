//! What a request asks for is there, or refused.

use std::path::Path;

use maskwright::front::chat::{
    Analysis, BuiltIn, CallIds, Channel, Channels, ChatError, ChatOptions, Constrain, Feature,
    Format, LiteralBlocks, OpenCall, ParallelCalls, SequenceTokens, Thought, Version, compile,
};

use super::format;

/// A change to a request.
type Change = fn(&mut ChatOptions);

/// Each feature with a request for it, and the formats that have it.
const ASKED: [(Feature, Change, &[&str]); 9] = [
    (
        Feature::ResponseSchema,
        |options| options.response_schema = Some("{}".to_owned()),
        &[
            "chatml",
            "internlm2",
            "openchatml-0.1",
            "openchatml-2.2",
            "harmony",
        ],
    ),
    (
        Feature::Python,
        |options| options.built_ins.python = BuiltIn::Offered,
        &["internlm2", "openchatml-2.2", "harmony"],
    ),
    (
        Feature::Browser,
        |options| options.built_ins.browser = BuiltIn::Offered,
        &[
            "internlm2",
            "openchatml-0.1",
            "openchatml-2.2",
            "harmony",
            "hermes",
        ],
    ),
    (
        Feature::Reflect,
        |options| options.thoughts.reflect = Thought::Offered,
        &["openchatml-0.1"],
    ),
    (
        Feature::Introspect,
        |options| options.thoughts.introspect = Thought::Demanded,
        &["openchatml-0.1"],
    ),
    (
        Feature::Reason,
        |options| options.thoughts.reason = Thought::Demanded,
        &["openchatml-0.1"],
    ),
    (
        Feature::RequiredConstrain,
        |options| options.profile.constrain = Constrain::Required,
        &["openchatml-2.2", "harmony"],
    ),
    (
        Feature::FunctionsOnAnalysis,
        |options| options.profile.functions_on = Channels::ALL,
        &["openchatml-2.2", "harmony"],
    ),
    (
        Feature::Version1,
        |options| options.profile.version = Version::V1,
        &["openchatml-2.2"],
    ),
];

/// What needs nothing in the format: permissions, prohibitions, and what the conversation holds.
const HARMLESS: [Change; 9] = [
    |_| {},
    |options| options.analysis = Analysis::Forbidden,
    |options| options.parallel_calls = ParallelCalls::Allowed,
    |options| {
        options.profile.channels = Channels::from_iter([Channel::Commentary, Channel::Final]);
    },
    |options| options.profile.constrain = Constrain::Unknown,
    |options| options.profile.literal_blocks = LiteralBlocks::Forbidden,
    |options| options.profile.call_ids = CallIds::Optional,
    |options| {
        options.sequence_tokens = SequenceTokens {
            begin: "[BOS]".to_owned(),
            end: "[EOS]".to_owned(),
        };
    },
    |options| {
        options.used_call_ids = vec!["a".to_owned()];
        options.open_calls = vec![OpenCall {
            id: Some("b".to_owned()),
            name: "functions.f".to_owned(),
        }];
    },
];

fn formats() -> impl Iterator<Item = Format> {
    super::SPECIFIED.into_iter().chain(["hermes"]).map(format)
}

#[test]
fn what_a_format_lacks_is_refused() {
    for format in formats() {
        for (feature, change, having) in ASKED {
            let mut options = ChatOptions::default();
            change(&mut options);
            let has = having.contains(&format.name());
            assert_eq!(format.has(feature), has, "{} {feature}", format.name());
            match compile(&format, "assistant-turn", &options) {
                Ok(_) => assert!(has, "{} {feature}", format.name()),
                Err(ChatError::Lacks {
                    feature: lacking,
                    has: others,
                    ..
                }) => {
                    assert!(!has && lacking == feature, "{} {feature}", format.name());
                    assert!(others.iter().all(|&other| format.has(other)));
                }
                Err(error) => panic!("{} {feature}: {error}", format.name()),
            }
        }
    }
}

#[test]
fn what_needs_nothing_is_taken_by_every_format() {
    for format in formats() {
        for change in HARMLESS {
            let mut options = ChatOptions::default();
            change(&mut options);
            compile(&format, "assistant-turn", &options)
                .unwrap_or_else(|error| panic!("{}: {error}", format.name()));
        }
    }
}

#[test]
fn the_error_says_what_there_is() {
    let mut options = ChatOptions::default();
    options.thoughts.reason = Thought::Demanded;
    let error = format("hermes").check_options(&options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "format `hermes` does not have the thought block `reason`; it has the built-in tools \
         `browser.*`"
    );
}

/// A string of a shipped file without `%s` matches in either case, so one that looks like a control token has to be one:
/// `"<|/tool_call|>"` would otherwise be generated as `<|/TOOL_CALL|>`.
#[test]
fn what_looks_like_a_control_token_is_one() {
    let grammars = Path::new(env!("CARGO_MANIFEST_DIR")).join("grammars");
    for name in Format::BUILT_IN {
        let format = format(name);
        let source = std::fs::read_to_string(grammars.join(format!("{name}.abnf"))).unwrap();
        for text in insensitive_strings(&source) {
            let controls = format.controls().iter();
            let rest = controls.fold(text.to_owned(), |rest, name| rest.replace(name, ""));
            assert!(
                !text.contains(['<', '[', '|'])
                    || !rest.contains(|c: char| c.is_ascii_alphabetic()),
                "{name}: \"{text}\" is in neither case a control token"
            );
        }
    }
}

/// The strings of a file that match in either case.
fn insensitive_strings(source: &str) -> Vec<&str> {
    let mut strings = Vec::new();
    for line in source.lines() {
        let mut rest = line;
        while let Some(at) = rest.find(['"', ';', '<']) {
            let (before, from) = rest.split_at(at);
            let closing = match from.as_bytes()[0] {
                b';' => break,
                b'<' => '>',
                _ => '"',
            };
            let end = 1 + from[1..].find(closing).unwrap();
            if closing == '"' && !before.ends_with("%s") {
                strings.push(&from[1..end]);
            }
            rest = &from[end + 1..];
        }
    }
    strings
}
