//! The judge of what was generated, which shares no code with the engine.

use maskwright::base::TokenId;
use maskwright::front::chat;
use maskwright::transcript::{
    Analysis, ArgumentValidator, CallLimit, ControlSet, ControlToken, Format, ParserConfig, Piece,
    ResponseValidator, ToolChoice, ToolSet, Transcript, TranscriptError, parse, parse_pieces,
};
use maskwright::vocab::Vocabulary;

use super::failure::Failure;
use super::request::Request;
use super::source::{ASSISTANT_TURN, Language, Source};
use super::validator::{SchemaJudge, ToolJudge, full_name};

/// The rule of whole conversations.
const TRANSCRIPT: &str = "transcript";

/// Who judges.
pub(crate) enum Judge {
    /// The parser of chat formats, with `jsonschema` for JSON.
    Transcript(TranscriptJudge),
    /// `jsonschema`.
    Schema(SchemaJudge),
    /// Nobody: the language is the user's own.
    Nobody,
}

impl Judge {
    pub(crate) fn new(source: &Source) -> Result<Self, Failure> {
        match &source.language {
            Language::BuiltIn(format)
                if [ASSISTANT_TURN, TRANSCRIPT].contains(&source.start.as_str()) =>
            {
                TranscriptJudge::new(format.name(), &source.start, &source.request)
                    .map(Self::Transcript)
            }
            Language::BuiltIn(_) | Language::Own(..) => Ok(Self::Nobody),
            Language::Schema(schema) => SchemaJudge::new(schema).map(Self::Schema),
        }
    }

    /// Who judges, for people.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Transcript(_) => "judged by the transcript parser and jsonschema",
            Self::Schema(_) => "judged by jsonschema",
            Self::Nobody => "judged by nobody but the automaton itself",
        }
    }

    /// What is wrong with these tokens, if anything is; of a text that was cut off, with its beginning.
    pub(crate) fn judge(
        &self,
        vocabulary: &Vocabulary,
        tokens: &[TokenId],
        end: TextEnd,
    ) -> Result<(), String> {
        match self {
            Self::Transcript(judge) => judge.judge(vocabulary, tokens, end),
            Self::Schema(judge) if end == TextEnd::Reached => {
                let bytes: Vec<u8> = tokens
                    .iter()
                    .flat_map(|&id| vocabulary.bytes(id).unwrap_or_default())
                    .copied()
                    .collect();
                let text =
                    std::str::from_utf8(&bytes).map_err(|error| format!("not UTF-8: {error}"))?;
                judge.judge(text)
            }
            Self::Schema(_) | Self::Nobody => Ok(()),
        }
    }
}

/// Whether a text was generated to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextEnd {
    Reached,
    /// It was cut off.
    Cut,
}

/// The parser of a format, with the judges of its JSON.
pub(crate) struct TranscriptJudge {
    format: Format,
    start: String,
    tools: Option<ToolJudge>,
    response: Option<SchemaJudge>,
    tool_choice: ToolChoice,
    calls: CallLimit,
    analysis: Analysis,
}

impl TranscriptJudge {
    /// The judge of texts of `format` that begin with the rule `start`.
    pub(crate) fn new(format: &str, start: &str, request: &Request) -> Result<Self, Failure> {
        let starts = [ASSISTANT_TURN, TRANSCRIPT];
        if !starts.contains(&start) {
            return Err(
                Failure::new(format!("the parser has no start rule `{start}`"))
                    .hint(format!("--start takes one of {}", starts.join(", "))),
            );
        }
        Ok(Self {
            format: named_format(format)?,
            start: start.to_owned(),
            tools: request.tools.as_ref().map(ToolJudge::new).transpose()?,
            response: request
                .response
                .as_ref()
                .map(SchemaJudge::new)
                .transpose()?,
            tool_choice: match &request.tool_choice {
                chat::ToolChoice::Auto => ToolChoice::Auto,
                chat::ToolChoice::Required => ToolChoice::Required,
                chat::ToolChoice::Named(name) => ToolChoice::Named(full_name(name)),
                chat::ToolChoice::None => ToolChoice::None,
            },
            calls: match request.parallel {
                chat::ParallelCalls::Allowed => CallLimit::Many,
                chat::ParallelCalls::Forbidden => CallLimit::One,
            },
            analysis: match request.analysis {
                chat::Analysis::Allowed => Analysis::Allowed,
                chat::Analysis::Forbidden => Analysis::Forbidden,
            },
        })
    }

    fn config(&self) -> ParserConfig<'_> {
        let arguments = self
            .tools
            .as_ref()
            .map(|tools| tools as &dyn ArgumentValidator);
        let names = self
            .tools
            .as_ref()
            .map(|tools| tools.names().collect::<ToolSet>());
        if self.start == TRANSCRIPT {
            return ParserConfig {
                tools: names,
                arguments,
                ..ParserConfig::transcript(self.format)
            };
        }
        ParserConfig {
            // A generated turn calls no tool that was not given.
            tools: Some(names.unwrap_or_default()),
            arguments,
            tool_choice: self.tool_choice.clone(),
            calls: self.calls,
            analysis: self.analysis,
            response: self
                .response
                .as_ref()
                .map(|response| response as &dyn ResponseValidator),
            ..ParserConfig::assistant_turn(self.format)
        }
    }

    /// Parses a text in which the spellings of control tokens are control tokens.
    pub(crate) fn parse(&self, text: &str) -> Result<Transcript, TranscriptError> {
        parse(text, &self.config())
    }

    fn judge(
        &self,
        vocabulary: &Vocabulary,
        tokens: &[TokenId],
        end: TextEnd,
    ) -> Result<(), String> {
        let pieces = tokens.iter().filter_map(|&id| match vocabulary.bytes(id) {
            Some(bytes) => Some(Piece::Text(bytes)),
            None => vocabulary.special_name(id).map(Piece::special),
        });
        let known = |token: &ControlToken| vocabulary.special(token.spelling()).is_some();
        let controls: ControlSet = ControlToken::ALL.into_iter().filter(known).collect();
        match parse_pieces(pieces, controls, &self.config()) {
            Ok(_) => Ok(()),
            Err(error) if error.is_truncated() && end == TextEnd::Cut => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// The format of this name.
fn named_format(name: &str) -> Result<Format, Failure> {
    Format::from_name(name).ok_or_else(|| {
        let names = Format::ALL.map(Format::name).join(", ");
        Failure::new(format!("there is no format `{name}`")).hint(format!("formats: {names}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::input::Named;
    use maskwright::vocab::VocabularyBuilder;

    /// Single bytes, then the control tokens of a plain answer.
    fn vocabulary() -> Vocabulary {
        let mut builder = VocabularyBuilder::new();
        for byte in 0..=u8::MAX {
            builder
                .ordinary(TokenId::new(u32::from(byte)), &[byte])
                .expect("free");
        }
        for (id, name) in (256..).zip(["<|channel|>", "<|message|>", "<|return|>"]) {
            builder.special(TokenId::new(id), name).expect("free");
        }
        builder.build().expect("well-formed")
    }

    /// `<|channel|>final<|message|>`, `body`, `<|return|>`.
    fn answer(body: &str) -> Vec<TokenId> {
        let bytes = |text: &str| text.bytes().map(u32::from).collect::<Vec<_>>();
        let ids = [vec![256], bytes("final"), vec![257], bytes(body), vec![258]].concat();
        ids.into_iter().map(TokenId::new).collect()
    }

    fn judge(response: Option<&str>) -> Judge {
        let request = Request {
            tools: None,
            response: response.map(|text| Named {
                name: "response".to_owned(),
                text: text.to_owned(),
            }),
            tool_choice: chat::ToolChoice::Auto,
            parallel: chat::ParallelCalls::Forbidden,
            analysis: chat::Analysis::Allowed,
        };
        match TranscriptJudge::new("harmony", ASSISTANT_TURN, &request) {
            Ok(judge) => Judge::Transcript(judge),
            Err(failure) => panic!("{}", failure.line()),
        }
    }

    #[test]
    fn judges_tokens_not_their_spelling() {
        let (vocabulary, judge) = (vocabulary(), judge(None));
        let verdict = |tokens: &[TokenId], end| judge.judge(&vocabulary, tokens, end);
        assert_eq!(verdict(&answer("Hi"), TextEnd::Reached), Ok(()));
        let smuggled = verdict(&answer("Hi<|return|>"), TextEnd::Reached);
        assert!(smuggled.is_err_and(|error| error.starts_with("E-TEXT-CONTROL")));
        let whole = answer("Hi");
        let cut = &whole[..whole.len() - 1];
        assert_eq!(verdict(cut, TextEnd::Cut), Ok(()));
        assert!(
            verdict(cut, TextEnd::Reached)
                .is_err_and(|error| error.starts_with("E-STREAM-TRUNCATED"))
        );
        assert!(verdict(&whole[1..], TextEnd::Cut).is_err());
    }

    #[test]
    fn judges_responses() {
        let (vocabulary, judge) = (vocabulary(), judge(Some(r#"{"maximum": 5}"#)));
        let verdict = |body| judge.judge(&vocabulary, &answer(body), TextEnd::Reached);
        assert_eq!(verdict("4"), Ok(()));
        assert!(verdict("6").is_err_and(|error| error.starts_with("E-RESPONSE-SCHEMA")));
    }
}
