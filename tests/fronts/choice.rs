//! Choices: exactly the texts given, whatever is in them.

use maskwright::base::Limits;
use maskwright::check::{CheckConfig, drive};
use maskwright::front::choice::Choices;
use proptest::prelude::*;

use super::{accepts, constraint};

#[test]
fn what_is_no_list_of_texts_is_refused_in_its_place() {
    for (json, place, message) in [
        ("", "1:1", "EOF while parsing"),
        ("[]", "1:1", "at least one text"),
        ("{\"a\": 1}", "1:1", "invalid type: map"),
        ("[\"yes\",\n 1]", "2:2", "invalid type: integer `1`"),
        ("[\"yes\"", "1:6", "EOF while parsing"),
        ("[\"\\ud800\"]", "1:9", "unexpected end of hex escape"),
    ] {
        let error = Choices::parse(json, &Limits::default()).unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.contains(message) && shown.starts_with(&format!("{place}: ")),
            "{json}: {shown}"
        );
    }
    let mut limits = Limits::default();
    limits.source_bytes = 4;
    assert!(Choices::parse("[\"yes\"]", &limits).is_err());
    limits.automaton_states = 8;
    let many = Choices::new(vec!["0123456789".to_owned()]).unwrap();
    assert!(
        many.compile(&limits)
            .unwrap_err()
            .to_string()
            .contains("set of literals")
    );
}

proptest! {
    #[test]
    fn a_choice_is_exactly_its_texts(
        texts in prop::collection::vec("[ab\"é\n\\\\]{0,4}", 1..8),
        others in prop::collection::vec("[ab\"é\n\\\\]{0,4}", 8),
        choices in prop::collection::vec(any::<u32>(), 1..20),
    ) {
        let json = serde_json::to_string(&texts).unwrap();
        let read = Choices::parse(&json, &Limits::default()).unwrap();
        prop_assert_eq!(read.texts(), &texts[..]);
        let constraint = constraint(read.compile(&Limits::default()).unwrap());
        for text in texts.iter().chain(&others) {
            prop_assert_eq!(accepts(&constraint, text.as_bytes()), texts.contains(text), "{:?} in {}", text, json);
        }
        let mut choices = choices.iter().cycle();
        let mut choose = |below: u32| choices.next().unwrap() % below;
        let run = drive(&constraint, &CheckConfig::default().steps(20, 4), &mut choose, &mut |run| {
            let text = String::from_utf8(run.text.clone()).map_err(|error| error.to_string())?;
            texts.contains(&text).then_some(()).ok_or(text)
        });
        prop_assert!(run.is_ok(), "{}: {:?}", json, run);
    }
}
