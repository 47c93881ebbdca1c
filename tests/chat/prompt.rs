//! What prompts say about the turn that follows them: tests/data/chat/prompts.toml.

use std::collections::BTreeSet;

use maskwright::base::{Limits, Part, TokenId};
use maskwright::front::chat::{
    BuiltIn, CallIds, Channel, ChatOptions, Constrain, LiteralBlocks, OpenCall, Prompt, Thought,
    Version, compile,
};
use maskwright::session::{Constraint, SessionError};
use maskwright_transcript::{TokenListItem, read_token_list};
use serde::Deserialize;

use super::random::Random;
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
    #[serde(default = "super::assistant_turn")]
    start: String,
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
        let start = case.start.as_str();
        let mut read = vec![Prompt::of_parts_before(
            &format, start, split, &controls, &limits,
        )];
        if !case.text.contains('‹') {
            read.push(Prompt::of_text_before(&format, start, &case.text, &limits));
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
            let grammar = compile(&format, start, &options).unwrap();
            let constraint = constraint(&engine(format.controls()), &grammar);
            constraint.session_after(prompt.lead()).unwrap();
        }
    }
}

/// A control token that the document header leaves out is never in the mask, of a turn or of a reply. Without
/// `<|start|>`, `<|message|>` and `<|end|>` there is no message.
#[test]
fn what_the_header_leaves_out_is_never_written() {
    let format = format("openchatml-2.2");
    let all = [
        "<|start|>",
        "<|message|>",
        "<|end|>",
        "<|channel|>",
        "<|call|>",
        "<|constrain|>",
        "<|return|>",
        "<|literal|>",
        "<|endliteral|>",
    ];
    let constraint_of = |left_out: &str, start: &str| {
        let known: Vec<String> = all
            .iter()
            .filter(|token| **token != left_out)
            .map(|token| format!("{token:?}"))
            .collect();
        let text = format!(
            "version: 2.2\ncapabilities: {{tokens: [{}]}}\n<|start|>assistant",
            known.join(", ")
        );
        let prompt = Prompt::of_text(&format, &text, &Limits::default()).unwrap();
        let mut options = ChatOptions::default();
        options.tools = super::tools(super::TOOLS);
        options.built_ins = super::built_ins(&["python".to_owned(), "browser".to_owned()]);
        options.parallel_calls = maskwright::front::chat::ParallelCalls::Allowed;
        prompt.fill(&mut options);
        options.open_calls.push(OpenCall {
            id: Some("a".to_owned()),
            name: "functions.f".to_owned(),
        });
        let grammar = compile(&format, start, &options).unwrap();
        constraint(&engine(format.controls()), &grammar)
    };
    for left_out in &all[3..] {
        let turn = constraint_of(left_out, "assistant-turn");
        assert!(!seen(&turn).contains(*left_out), "{left_out} in a turn");
        let reply = constraint_of(left_out, "tool-reply");
        assert!(!seen(&reply).contains(*left_out), "{left_out} in a reply");
    }
    let whole = seen(&constraint_of("", "assistant-turn"));
    assert!(all.iter().all(|token| whole.contains(*token)), "{whole:?}");
}

/// The control tokens that are in the masks along many walks, which like control tokens.
fn seen(constraint: &Constraint) -> BTreeSet<String> {
    let vocabulary = constraint.vocabulary();
    let mut random = Random(0x2545_F491_4F6C_DD1D);
    let mut seen = BTreeSet::new();
    for _ in 0..60 {
        let mut session = constraint.session();
        for _ in 0..120 {
            let allowed = |id: &TokenId| session.allows(*id).unwrap();
            let controls: Vec<TokenId> = vocabulary.specials().map(|(_, id)| id).collect();
            let controls: Vec<TokenId> = controls.into_iter().filter(allowed).collect();
            let names = controls
                .iter()
                .filter_map(|id| vocabulary.special_name(*id));
            seen.extend(names.map(str::to_owned));
            let bytes: Vec<TokenId> = (0..256).map(TokenId::new).filter(allowed).collect();
            let likes = !controls.is_empty() && (bytes.is_empty() || random.below(3) == 0);
            let from = if likes { &controls } else { &bytes };
            if from.is_empty() || session.accept(from[random.below(from.len())]).is_err() {
                break;
            }
        }
    }
    seen
}

/// What a document header says of its profile is read in every spelling of YAML's booleans.
#[test]
fn booleans_are_read_in_all_spellings() {
    let format = format("openchatml-2.2");
    for (words, expected) in [
        ("true True TRUE yes Yes YES on On ON y Y", CallIds::Optional),
        (
            "false False FALSE no No NO off Off OFF n N maybe 1 ~",
            CallIds::Required,
        ),
    ] {
        for word in words.split(' ') {
            let text = format!(
                "version: 2.2\nprofiles: {{harmony: {{enabled: {word}}}}}\n<|start|>assistant"
            );
            let prompt = Prompt::of_text(&format, &text, &Limits::default()).unwrap();
            let mut options = ChatOptions::default();
            prompt.fill(&mut options);
            assert_eq!(options.profile.call_ids, expected, "{word}");
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
        assert!(
            session.allows(end).unwrap() && session.is_empty(),
            "round {round}"
        );
        for char in "Ein längerer Text, in dem vieles steht: < <| <|e <|end <|ret <|start|".bytes()
        {
            session.accept(byte(char)).unwrap();
        }
        assert!(!session.allows(byte(b'>')).unwrap());
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
