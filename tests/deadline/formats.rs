//! Turns of chat formats, judged by the transcript parser, which shares no code with the grammars.

use maskwright::base::Limits;
use maskwright::front::chat::{
    ChatError, ChatOptions, Format, ParallelCalls, ToolChoice, ToolSet, compile,
};
use maskwright::session::{ConstraintConfig, Session};
use maskwright_transcript::{
    ArgumentValidator, CallLimit, Format as ParserFormat, ParserConfig, Piece,
    ToolChoice as ParserChoice, parse_pieces,
};
use serde_json::{Value, json};

use super::turns::turn;
use super::{Random, engine};

const FORMATS: [&str; 5] = [
    "harmony",
    "openchatml-2.2",
    "chatml",
    "openchatml-0.1",
    "internlm2",
];

fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {"name": {"type": "string"}, "a": {"type": "array", "items": {"type": "integer"}, "minItems": 1}},
        "required": ["name", "a"],
    })
}

/// What the crate `jsonschema` says of arguments.
struct Judge;

impl ArgumentValidator for Judge {
    fn validate(&self, recipient: &str, arguments: &str) -> Result<(), String> {
        let schema = match recipient {
            "functions.ab" => json!({"type": "object"}),
            _ => parameters(),
        };
        let value = serde_json::from_str(arguments).map_err(|error| error.to_string())?;
        jsonschema::validate(&schema, &value).map_err(|error| error.to_string())
    }
}

/// Writes so many turns of each format over the bytes and `words`, with tools that may and that must be called.
pub(super) fn turns(words: &[&str], turns: u32, random: &mut Random) -> u32 {
    let limits = Limits::default();
    let tools = json!([{"name": "name", "parameters": parameters()}, {"name": "ab", "parameters": {"type": "object"}}]);
    let tools = ToolSet::parse(&tools.to_string(), &limits).unwrap();
    let mut count = 0;
    for name in FORMATS {
        let format = Format::built_in(name, &limits).unwrap().unwrap();
        let engine = engine(words, format.controls());
        for required in [false, true] {
            let mut options = ChatOptions::default();
            options.tools = tools.clone();
            options.parallel_calls = ParallelCalls::Allowed;
            if required {
                options.tool_choice = ToolChoice::Required;
            }
            let grammar = match compile(&format, "assistant-turn", &options) {
                Err(ChatError::NoCalls { .. }) if required => continue,
                Err(ChatError::NoCalls { .. }) => {
                    compile(&format, "assistant-turn", &ChatOptions::default()).unwrap()
                }
                compiled => compiled.unwrap(),
            };
            let config = ConstraintConfig::default();
            let start = engine.constraint(grammar, &config).unwrap().session();
            let least = start.tokens_needed().unwrap();
            for _ in 0..turns {
                let budget = least + random.below(51);
                let session = turn(&start, budget, random);
                let session =
                    session.unwrap_or_else(|error| panic!("{name}, {budget} tokens: {error}"));
                judge(name, required, &session);
                count += 1;
            }
        }
    }
    count
}

fn judge(name: &str, required: bool, session: &Session) {
    let format = ParserFormat::from_name(name).unwrap();
    let mut config = ParserConfig::assistant_turn(format);
    config.tools = Some(
        ["functions.name", "functions.ab"]
            .map(str::to_owned)
            .into_iter()
            .collect(),
    );
    config.calls = CallLimit::Many;
    if required {
        config.tool_choice = ParserChoice::Required;
    }
    config.arguments = Some(&Judge);
    let vocabulary = session.constraint().vocabulary();
    let mut tokens = session.tokens();
    tokens.retain(|&token| token != super::END);
    let pieces = tokens.iter().map(|&token| match vocabulary.bytes(token) {
        Some(bytes) => Piece::Text(bytes),
        None => Piece::special(vocabulary.special_name(token).unwrap()),
    });
    let parsed = parse_pieces(pieces, format.controls(), &config);
    parsed.unwrap_or_else(|error| panic!("{name}: {error}: {:?}", session.tokens()));
}

/// A control token that ends the turn is the last of the budget; behind it there is no mask, and a draft with it is whole.
#[cfg(feature = "batch")]
#[test]
fn a_draft_may_spend_the_last_token() {
    use maskwright::batch::{Job, fill_masks};
    use maskwright::session::SessionError;

    let format = Format::built_in("harmony", &Limits::default())
        .unwrap()
        .unwrap();
    let grammar = compile(&format, "assistant-turn", &ChatOptions::default()).unwrap();
    let config = ConstraintConfig::default();
    let constraint = engine(&[], format.controls())
        .constraint(grammar, &config)
        .unwrap();
    let mut session = constraint.session();
    let draft = session.way_out().unwrap();
    assert_eq!(
        session.tokens_needed().unwrap(),
        draft.len(),
        "no other end token"
    );
    session.deadline(draft.len()).unwrap();
    let words = constraint.vocabulary().mask_words();
    let mut rows = vec![0; words * (draft.len() + 1)];
    let job = Job {
        session: &session,
        draft: &draft,
        rows: &mut rows,
    };
    assert_eq!(fill_masks(&mut [job]), [Ok(draft.len())]);
    assert!(rows[words * draft.len()..].iter().all(|&word| word == 0));
    for token in draft {
        session.accept(token).unwrap();
    }
    assert!(session.is_finished() && session.tokens_left() == Some(0));
    assert_eq!(session.mask(&mut rows[..words]), Err(SessionError::Ended));
}
