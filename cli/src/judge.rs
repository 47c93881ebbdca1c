//! The judge of what was generated, which shares no code with the engine.

use std::collections::BTreeSet;

use maskwright::base::{Limits, Part, TokenId};
use maskwright::front::chat::{
    self, BuiltIn, CallIds, Channel, ChatError, Constrain, Prompt, Version,
};
use maskwright::front::json_schema::SchemaConfig;
use maskwright::regular::Dialect;
use maskwright::vocab::Vocabulary;
use maskwright_transcript::{
    Analysis, ArgumentValidator, BodyDeadlines, CallLimit, ControlSet, ControlToken, Format,
    FunctionChannels, ParserConfig, Piece, Profile, ResponseValidator, StartPoint, Strictness,
    Terminator, Thought, ToolChoice, ToolSet, Transcript, TranscriptError, TypeRule, parse,
    parse_pieces,
};

use super::chat_text::ChatText;
use super::failure::Failure;
use super::formats::Formats;
use super::input::Named;
use super::output::warn;
use super::request::Request;
use super::source::{ASSISTANT_TURN, Language, Source};
use super::told::Told;
use super::validator::{OTHER_PATTERNS, SchemaJudge, ToolJudge};

/// The built-in tool that takes code.
const PYTHON: &str = "python";

/// The rule of whole conversations.
pub(crate) const TRANSCRIPT: &str = "transcript";

/// The rule of what fills in the middle of a text.
const FIM_MIDDLE: &str = "fim-middle";
/// The rules that the parser knows.
const STARTS: [&str; 3] = [ASSISTANT_TURN, TRANSCRIPT, FIM_MIDDLE];

/// Who judges.
pub(crate) enum Judge {
    /// The parser of chat formats, with `jsonschema` for JSON.
    Transcript(Box<TranscriptJudge>),
    /// `jsonschema`.
    Schema(SchemaJudge),
    /// Nobody: the language is the user's own, or a format without a specification.
    Nobody,
}

impl Judge {
    pub(crate) fn new(source: &Source) -> Result<Self, Failure> {
        match &source.language {
            Language::BuiltIn(format)
                if STARTS.contains(&source.start.as_str())
                    && Format::from_name(format.name()).is_some() =>
            {
                if source.spelling.config().regex != Dialect::Ecma && source.request.has_patterns()
                {
                    warn(format_args!("not judged: {OTHER_PATTERNS}"));
                    return Ok(Self::Nobody);
                }
                let judge = TranscriptJudge::new(format.name(), &source.start, &source.request)?;
                Ok(Self::Transcript(Box::new(
                    judge.after(source.prompt.as_ref()),
                )))
            }
            Language::BuiltIn(_) | Language::Own(..) | Language::Written(_) => Ok(Self::Nobody),
            Language::Schema(schema) => {
                let config = source.spelling.config();
                match SchemaJudge::new(schema, Formats::Assert, &config) {
                    Ok(judge) => Ok(Self::Schema(judge)),
                    Err(failure) => {
                        warn(format!("not judged: {}", failure.line()));
                        Ok(Self::Nobody)
                    }
                }
            }
        }
    }

    /// Whether there is no judge.
    pub(crate) fn is_nobody(&self) -> bool {
        matches!(self, Self::Nobody)
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
    told: Told,
    /// What of the text the prompt has already.
    lead: Vec<OwnedPart>,
}

/// A part of a prompt.
enum OwnedPart {
    Text(Vec<u8>),
    Special(String),
}

impl TranscriptJudge {
    /// The judge of texts of `format` that begin with the rule `start`.
    pub(crate) fn new(format: &str, start: &str, request: &Request) -> Result<Self, Failure> {
        if !STARTS.contains(&start) {
            return Err(
                Failure::new(format!("the parser has no start rule `{start}`"))
                    .hint(format!("--start takes one of {}", STARTS.join(", "))),
            );
        }
        let tools = tool_judge(request)?;
        let schemas = SchemaConfig {
            regex: request.dialect,
            ..SchemaConfig::default()
        };
        Ok(Self {
            format: named_format(format)?,
            start: start.to_owned(),
            response: request
                .response
                .as_ref()
                .map(|schema| SchemaJudge::or_any(schema, Formats::Assert, &schemas))
                .transpose()?,
            tool_choice: match &request.tool_choice {
                chat::ToolChoice::Auto => ToolChoice::Auto,
                chat::ToolChoice::Required => ToolChoice::Required,
                chat::ToolChoice::Named(name) => {
                    ToolChoice::Named(chosen(name, &request.tool_set()?))
                }
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
            tools,
            told: request.told.clone(),
            lead: Vec::new(),
        })
    }

    /// Lets the texts begin with what the prompt has of them.
    fn after(mut self, prompt: Option<&Prompt>) -> Self {
        let lead = prompt.into_iter().flat_map(Prompt::lead);
        self.lead = lead
            .map(|part| match part {
                Part::Text(bytes) => OwnedPart::Text(bytes.to_vec()),
                Part::Special(name) => OwnedPart::Special(name.to_owned()),
            })
            .collect();
        self
    }

    /// The full names of the tools that were given.
    fn given(&self) -> Vec<&str> {
        let built_ins = &self.told.built_ins;
        let python = (built_ins.python == BuiltIn::Offered).then_some(PYTHON);
        let own = self.tools.iter().flat_map(|tools| tools.names());
        own.chain(python).collect()
    }

    /// Whether some tool can meet the tool choice, which is `asked` of the request.
    pub(crate) fn check_choice(&self, asked: &chat::ToolChoice) -> Result<(), Failure> {
        let given = self.given();
        let error = match (&self.tool_choice, asked) {
            (ToolChoice::Required, _) if given.is_empty() => ChatError::NoTools,
            (ToolChoice::Named(full), chat::ToolChoice::Named(name))
                if !given.contains(&full.as_str()) =>
            {
                ChatError::UnknownTool {
                    name: name.clone(),
                    known: given.into_iter().map(str::to_owned).collect(),
                }
            }
            _ => return Ok(()),
        };
        Err(Failure::new(error.to_string()))
    }

    /// The full names of the tools that may be called.
    fn tool_names(&self) -> Option<ToolSet> {
        let names = self.given();
        (self.tools.is_some() || !names.is_empty()).then(|| names.into_iter().collect())
    }

    fn config(&self) -> ParserConfig<'_> {
        let arguments = self
            .tools
            .as_ref()
            .map(|tools| tools as &dyn ArgumentValidator);
        let names = self.tool_names();
        if self.start == TRANSCRIPT {
            return ParserConfig {
                tools: names,
                arguments,
                profile: self.interop_profile(),
                function_channels: self.function_channels(),
                body_deadlines: self.body_deadlines(),
                sequence_start: self.told.sequence.begin.clone(),
                sequence_end: self.told.sequence.end.clone(),
                ..ParserConfig::transcript(self.format)
            };
        }
        let response = self.response.as_ref();
        let open_calls = self.told.open_calls.iter();
        ParserConfig {
            // A generated turn calls no tool that was not given.
            tools: Some(names.unwrap_or_default()),
            arguments,
            tool_choice: self.tool_choice.clone(),
            calls: self.calls,
            analysis: self.analysis,
            response: response.map(|response| response as &dyn ResponseValidator),
            start: match self.start.as_str() {
                FIM_MIDDLE => StartPoint::FimMiddle,
                _ => StartPoint::AssistantHeader,
            },
            open_call_ids: open_calls.filter_map(|call| call.id.clone()).collect(),
            closed_call_ids: self.told.used_call_ids.clone(),
            thoughts: self.thoughts(),
            ..self.profile()
        }
    }

    /// What the profile of the request asks of a turn.
    fn profile(&self) -> ParserConfig<'static> {
        let profile = &self.told.profile;
        ParserConfig {
            strictness: match profile.version {
                // Version 1 knows no channels: its turns are messages as any.
                Version::V1 => Strictness::History,
                Version::V2 => Strictness::Generation,
            },
            profile: self.interop_profile(),
            body_deadlines: self.body_deadlines(),
            types: match profile.constrain {
                Constrain::Required => TypeRule::Constrained,
                _ => TypeRule::AsDeployed,
            },
            function_channels: self.function_channels(),
            answer_end: match self.told.flags.contains("end-for-return") {
                true => Terminator::End,
                false => Terminator::Return,
            },
            sequence_start: self.told.sequence.begin.clone(),
            sequence_end: self.told.sequence.end.clone(),
            ..ParserConfig::assistant_turn(self.format)
        }
    }

    fn interop_profile(&self) -> Profile {
        match self.told.profile.call_ids {
            CallIds::Optional => Profile::Hip1,
            CallIds::Required => Profile::Plain,
        }
    }

    fn function_channels(&self) -> FunctionChannels {
        match self.told.profile.functions_on.contains(Channel::Analysis) {
            true => FunctionChannels::CommentaryOrAnalysis,
            false => FunctionChannels::Commentary,
        }
    }

    fn body_deadlines(&self) -> BodyDeadlines {
        match self.told.deadlines {
            chat::Deadlines::Allowed => BodyDeadlines::Read,
            chat::Deadlines::Forbidden => BodyDeadlines::Ignored,
        }
    }

    /// The thoughts that are demanded.
    fn thoughts(&self) -> BTreeSet<Thought> {
        let thoughts = &self.told.thoughts;
        [
            (Thought::Reflect, thoughts.reflect),
            (Thought::Introspect, thoughts.introspect),
            (Thought::Reason, thoughts.reason),
        ]
        .into_iter()
        .filter(|(_, demand)| *demand == chat::Thought::Demanded)
        .map(|(thought, _)| thought)
        .collect()
    }

    /// Whether answers are held against a response schema.
    pub(crate) fn judges_answers(&self) -> bool {
        self.response.is_some()
    }

    /// Parses a text in which the spellings of control tokens are control tokens.
    pub(crate) fn parse(&self, text: &str) -> Result<Transcript, TranscriptError> {
        parse(text, &self.config())
    }

    /// What a file has to be judged: a text in the middle of another may begin as a list does.
    pub(crate) fn chat_text<'f>(&self, file: &'f Named) -> Result<ChatText<'f>, Failure> {
        match self.start.as_str() {
            FIM_MIDDLE => Ok(ChatText::of_any(file)),
            _ => ChatText::of(file),
        }
    }

    /// Parses what a file has.
    pub(crate) fn parse_chat_text(
        &self,
        text: &ChatText<'_>,
    ) -> Result<Transcript, TranscriptError> {
        text.parse(&self.config())
    }

    fn judge(
        &self,
        vocabulary: &Vocabulary,
        tokens: &[TokenId],
        end: TextEnd,
    ) -> Result<(), String> {
        let parts = tokens.iter().filter_map(|&id| vocabulary.part(id));
        match self.parse_parts(vocabulary, parts) {
            Ok(_) => Ok(()),
            Err(error) if error.is_truncated() && end == TextEnd::Cut => Ok(()),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Parses a text as tokens of the vocabulary spell it, after what the prompt has of it.
    pub(crate) fn parse_parts<'p>(
        &'p self,
        vocabulary: &Vocabulary,
        parts: impl Iterator<Item = Part<'p>>,
    ) -> Result<Transcript, TranscriptError> {
        let lead = self.lead.iter().map(|part| match part {
            OwnedPart::Text(bytes) => Part::Text(bytes),
            OwnedPart::Special(name) => Part::Special(name),
        });
        let pieces = lead.chain(parts).map(|part| match part {
            Part::Text(bytes) => Piece::Text(bytes),
            Part::Special(name) => Piece::special(name),
        });
        let known = |token: &ControlToken| vocabulary.special(token.spelling()).is_some();
        let controls: ControlSet = ControlToken::ALL.into_iter().filter(known).collect();
        parse_pieces(pieces, controls, &self.config())
    }
}

/// The full name of the tool that is chosen: a function of the request comes before the built-in
/// tool of its name.
fn chosen(name: &str, tools: &chat::ToolSet) -> String {
    tools.named(name).map_or(name, chat::Tool::name).to_owned()
}

/// The judge of the tools of a request, and of the browser where that is offered.
fn tool_judge(request: &Request) -> Result<Option<ToolJudge>, Failure> {
    let judge = match request.tools {
        Some(_) => Some(ToolJudge::new(&request.tool_set()?, request.dialect)?),
        None => None,
    };
    if request.told.built_ins.browser == BuiltIn::Absent {
        return Ok(judge);
    }
    let mut judge = judge.unwrap_or_else(ToolJudge::of_none);
    let browser = chat::browser_tools(&Limits::default());
    let browser = browser.map_err(|error| Failure::new(error.to_string()))?;
    judge.add(&browser, Dialect::Ecma)?;
    Ok(Some(judge))
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
            allowed: None,
            parallel: chat::ParallelCalls::Forbidden,
            analysis: chat::Analysis::Allowed,
            told: Told::default(),
            dialect: Dialect::Ecma,
        };
        match TranscriptJudge::new("harmony", ASSISTANT_TURN, &request) {
            Ok(judge) => Judge::Transcript(Box::new(judge)),
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
