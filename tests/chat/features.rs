//! What a request asks for is there, or refused.

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
