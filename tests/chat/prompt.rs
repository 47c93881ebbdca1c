//! What prompts say about the turn that follows them: tests/data/chat/prompts.toml.

use maskwright::base::{Limits, Part, TokenId};
use maskwright::front::chat::{
    BuiltIn, CallIds, Channel, ChatOptions, Constrain, LiteralBlocks, OpenCall, Prompt, Thought,
    Version, compile,
};
use maskwright::session::SessionError;
use maskwright_transcript::{TokenListItem, read_token_list};
use serde::Deserialize;

use super::{constraint, engine, format, parts};

#[derive(Deserialize)]
struct Cases {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    format: String,
    text: String,
    #[serde(default)]
    used: Vec<String>,
    #[serde(default)]
    open: Vec<(String, String)>,
    #[serde(default)]
    thoughts: Vec<String>,
    /// What the document header negotiates, in words.
    #[serde(default)]
    negotiated: Vec<String>,
    #[serde(default)]
    lead: String,
    #[serde(default)]
    asked_thoughts: Vec<String>,
    #[serde(default)]
    asked_profile: Vec<String>,
    error: Option<String>,
}

/// What the options say, in the words of the cases.
fn negotiated(options: &ChatOptions) -> Vec<String> {
    let (profile, built_ins) = (&options.profile, &options.built_ins);
    let on = |channels: maskwright::front::chat::Channels| {
        let all = [Channel::Analysis, Channel::Commentary, Channel::Final];
        let names = ["analysis", "commentary", "final"];
        let on = names.iter().zip(all).filter(|(_, c)| channels.contains(*c));
        on.map(|(name, _)| *name).collect::<Vec<_>>().join(" ")
    };
    let mut words = Vec::new();
    let mut say = |holds: bool, word: &str| {
        if holds {
            words.push(word.to_owned());
        }
    };
    say(profile.version == Version::V1, "version 1");
    say(
        profile.constrain == Constrain::Required,
        "constrain required",
    );
    say(profile.constrain == Constrain::Unknown, "no constrain");
    say(
        profile.literal_blocks == LiteralBlocks::Forbidden,
        "no literal blocks",
    );
    say(profile.call_ids == CallIds::Optional, "call ids optional");
    say(built_ins.python == BuiltIn::Offered, "python");
    say(built_ins.browser == BuiltIn::Offered, "browser");
    for (what, channels, default) in [
        ("channels", profile.channels, "analysis commentary final"),
        ("functions on", profile.functions_on, "commentary"),
        ("built-ins on", profile.built_ins_on, "analysis commentary"),
    ] {
        let on = on(channels);
        say(on != default, &format!("{what} {on}"));
    }
    words
}

fn thoughts(options: &ChatOptions) -> Vec<String> {
    let thoughts = &options.thoughts;
    [
        ("reflect", thoughts.reflect),
        ("introspect", thoughts.introspect),
        ("reason", thoughts.reason),
    ]
    .into_iter()
    .filter(|(_, thought)| *thought == Thought::Demanded)
    .map(|(name, _)| name.to_owned())
    .collect()
}

fn lead(prompt: &Prompt) -> String {
    prompt
        .lead()
        .map(|part| match part {
            Part::Text(bytes) => std::str::from_utf8(bytes).unwrap(),
            Part::Special(name) => name,
        })
        .collect()
}

/// Every prompt, as one text and as single bytes and control tokens.
#[test]
fn prompts_say_what_follows() {
    let cases: Cases = toml::from_str(include_str!("../data/chat/prompts.toml")).unwrap();
    let limits = Limits::default();
    for case in &cases.case {
        let format = format(&case.format);
        let controls: Vec<&str> = format.controls().iter().map(String::as_str).collect();
        let split = parts(&case.text, format.controls());
        let split = split.iter().map(|part| match part {
            super::Part::Control(name) => Part::Special(name),
            super::Part::Byte(byte) => Part::Text(std::slice::from_ref(byte)),
        });
        let mut read = vec![Prompt::of_parts(&format, split, &controls, &limits)];
        if !case.text.contains('‹') {
            read.push(Prompt::of_text(&format, &case.text, &limits));
        }
        for prompt in read {
            let prompt = match (prompt, &case.error) {
                (Ok(prompt), None) => prompt,
                (Err(error), Some(expected)) => {
                    let error = error.to_string();
                    assert!(error.contains(expected), "{}: {error}", case.name);
                    continue;
                }
                (Ok(_), Some(expected)) => panic!("{}: no error, not {expected}", case.name),
                (Err(error), None) => panic!("{}: {error}", case.name),
            };
            let mut options = ChatOptions::default();
            options.tools = super::tools(super::TOOLS);
            options.thoughts = super::thoughts(&case.asked_thoughts, Thought::Offered);
            options.profile = super::profile(&case.asked_profile);
            prompt.fill(&mut options);
            let open = case.open.iter().map(|(id, name)| OpenCall {
                id: Some(id.clone()).filter(|id| !id.is_empty()),
                name: name.clone(),
            });
            let name = &case.name;
            assert_eq!(options.used_call_ids, case.used, "{name}");
            assert_eq!(options.open_calls, open.collect::<Vec<_>>(), "{name}");
            assert_eq!(thoughts(&options), case.thoughts, "{name}");
            assert_eq!(negotiated(&options), case.negotiated, "{name}");
            let expected = case.lead.replace('‹', "<").replace('›', ">");
            assert_eq!(lead(&prompt), expected, "{name}");
            let grammar = compile(&format, "assistant-turn", &options).unwrap();
            let constraint = constraint(&engine(format.controls()), &grammar);
            constraint.session_after(prompt.lead()).unwrap();
        }
    }
}

/// ChatML's list of texts and token objects is a prompt as its text is, and only its objects are
/// control tokens.
#[test]
fn lists_with_token_objects_are_prompts() {
    let format = format("chatml");
    let read = |list: &str| {
        let items = read_token_list(list).unwrap();
        let parts = items.iter().map(|item| match item {
            TokenListItem::Text(text) => Part::Text(text.as_bytes()),
            TokenListItem::Token(name) => Part::Special(name),
        });
        let specials = ["<|im_start|>", "<|im_end|>"];
        Prompt::of_parts(&format, parts, &specials, &Limits::default())
    };
    let header = r#"{"token": "<|im_start|>"}, "assistant"]"#;
    let said = r#"[{"token": "<|im_start|>"}, "user\nHi", {"token": "<|im_end|>"}, "\n", "#;
    assert_eq!(lead(&read(&format!("{said}{header}")).unwrap()), "");
    let spelt = r#"[{"token": "<|im_start|>"}, "user\n<|im_start|>assistant"]"#;
    let error = read(spelt).unwrap_err().to_string();
    assert!(error.contains("where the assistant is to speak"), "{error}");
}

/// A session goes on where the prompt ends, also after a reset and in a fresh generation.
#[test]
fn sessions_begin_within_a_turn() {
    let format = format("harmony");
    let mut options = ChatOptions::default();
    options.limits.machine_bytes = 48 << 10;
    let grammar = compile(&format, "assistant-turn", &options).unwrap();
    let engine = engine(format.controls());
    let constraint = constraint(&engine, &grammar);
    let lead = [
        Part::Special("<|channel|>"),
        Part::Text(b"final"),
        Part::Special("<|message|>"),
        Part::Text(b"4"),
    ];
    let mut session = constraint.session_after(lead).unwrap();
    let end = engine.vocabulary().special("<|return|>").unwrap();
    let byte = |byte: u8| TokenId::new(u32::from(byte));
    for round in 0..3 {
        assert!(session.allows(end) && session.is_empty(), "round {round}");
        for char in "Ein längerer Text, in dem vieles steht: < <| <|e <|end <|ret <|start|".bytes()
        {
            session.accept(byte(char)).unwrap();
        }
        assert!(!session.allows(byte(b'>')));
        session.accept(end).unwrap();
        assert!(session.is_finished());
        session.reset();
    }
    assert_eq!(
        constraint
            .session_after([Part::Text(b"Hello")])
            .unwrap_err(),
        SessionError::Lead { part: 0 }
    );
}
