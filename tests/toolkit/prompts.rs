//! Prompts of Harmony against the texts that the package `openai-harmony` 0.0.8 wrote.

use maskwright::base::Limits;
use maskwright::front::chat;
use maskwright_transcript::{
    Ending, Format, HarmonySystem, Message, RenderOptions, Role, ToolDefinitions, render,
    with_harmony_head, without_old_analysis,
};
use serde::Deserialize;

/// A tool, and the prompt with it as the package writes it; `harmony-judge/prompts.py` makes them.
#[derive(Deserialize)]
struct Row {
    tool: String,
    prompt: String,
}

#[test]
fn prompts_are_those_of_openai_harmony() {
    let rows: Vec<Row> =
        serde_json::from_str(include_str!("../data/harmony_prompts.json")).unwrap();
    assert!(rows.len() > 10);
    let mut system = HarmonySystem::default();
    system.date = Some("2025-06-28".to_owned());
    for row in rows {
        let file = format!("[{}]", row.tool);
        let request = chat::ToolSet::parse(&file, &Limits::default()).unwrap();
        let tools = ToolDefinitions::parse(&request.to_openai()).unwrap();
        let messages = [
            Message::new(Role::System, "Be brief."),
            Message::new(Role::User, "Hi"),
        ];
        let messages = with_harmony_head(&messages, &system, Some(&tools));
        let mut options = RenderOptions::new(Format::Harmony);
        options.ending = Ending::Prompt;
        let rendered = render(&messages, &options).unwrap();
        assert_eq!(rendered.text(), row.prompt, "{}", row.tool);
    }
}

#[test]
fn old_analysis_goes_as_the_package_lets_it() {
    let text = |wanted: &str| {
        let messages: Vec<Message> = wanted
            .split(' ')
            .map(|word| {
                let channel = match word {
                    "user" => None,
                    "thinks" => Some(maskwright_transcript::Channel::Analysis),
                    "says" => Some(maskwright_transcript::Channel::Commentary),
                    _ => Some(maskwright_transcript::Channel::Final),
                };
                let role = match word {
                    "user" => Role::User,
                    _ => Role::Assistant,
                };
                let mut message = Message::new(role, word);
                message.channel = channel;
                message
            })
            .collect();
        let kept = without_old_analysis(&messages);
        kept.iter()
            .map(|m| m.body.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    for (before, after) in [
        ("user thinks answers user", "user answers user"),
        // Until the last word is an answer, all of it counts.
        (
            "user thinks answers user thinks says",
            "user thinks answers user thinks says",
        ),
        // Only what came before the first answer is old.
        (
            "user thinks answers user thinks answers",
            "user answers user thinks answers",
        ),
        ("user thinks says", "user thinks says"),
    ] {
        assert_eq!(text(before), after);
    }
}
