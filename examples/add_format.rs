//! A chat format of one's own, written in ABNF: text, then perhaps one call in a tag.
//!
//! `cargo run --example add_format`

use maskwright::VocabularyBuilder;
use maskwright::{ChatOptions, Constraint, Engine, Format, Limits, TokenId, ToolSet};

/// `grammars/README.md` describes what may stand in such a file.
const FORMAT: &str = r#"
assistant-turn = ( <unless call-required> <text> / <text> call ) "<|done|>"
call           = %s"<call>{" key-tool <tool.short-name> DQUOTE "," key-with <tool.arguments> %s"}</call>"
key-tool       = DQUOTE %s"tool" DQUOTE ":" DQUOTE
key-with       = DQUOTE %s"with" DQUOTE ":"
control-token  = %s"<call>" / %s"</call>"
opening        = "<|assistant|>"
"#;

const TOOLS: &str = r#"[{"name": "ring", "parameters": {
    "type": "object",
    "properties": {"times": {"type": "integer", "minimum": 1, "maximum": 3}},
    "required": ["times"],
    "additionalProperties": false
}}]"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let limits = Limits::default();
    let mut vocabulary = VocabularyBuilder::new();
    for byte in 0..=255u8 {
        vocabulary.ordinary(TokenId::new(byte.into()), &[byte])?;
    }
    let done = TokenId::new(256);
    vocabulary.special(done, "<|done|>")?.end_token(done);
    let engine = Engine::new(vocabulary.build()?);

    let format = Format::parse("mine", FORMAT, &[], &limits)?;
    let mut options = ChatOptions::default();
    options.tools = ToolSet::parse(TOOLS, &limits)?;
    let constraint = Constraint::from_format(&engine, &format, &options)?;

    for text in [
        r#"Listen. <call>{"tool":"ring","with":{"times": 2}}</call>"#,
        r#"<call>{"tool":"ring","with":{"times": 9}}</call>"#,
        r#"<call>{"tool":"shout","with":{}}</call>"#,
    ] {
        let mut session = constraint.session();
        let tokens = text.bytes().map(|byte| TokenId::new(byte.into()));
        let taken = tokens
            .take_while(|&token| session.accept(token).is_ok())
            .count();
        match text.get(taken..).filter(|rest| !rest.is_empty()) {
            None => println!("taken whole, may end: {}\n  {text}", session.may_end()),
            Some(rest) => println!("refused before {rest:?}\n  {text}"),
        }
    }
    Ok(())
}
