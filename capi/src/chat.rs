//! What a host asks of a chat format: tools, profile, thoughts, and what the conversation has said.

use std::borrow::Cow;

use super::constraint_options::{MwConstraintOptions, Spelling, choice, unknown_value};
use super::failure::Failure;
use super::lead::Lead;
use super::pointer::slice;
use super::status::Status;
use super::text::MwText;
use super::vocabulary::MwVocabulary;
use maskwright::Diagnosis;
use maskwright::base::Limits;
use maskwright::front::chat::{
    self, Analysis, Arguments, BuiltIn, Channel, Channels, ChatOptions, Deadlines, Format,
    OpenCall, ParallelCalls, Profile, Thought, ToolChoice, ToolSet,
};
use maskwright::front::json_schema::{self, SchemaConfig};
use maskwright::grammar::Grammar;
use maskwright::reader::ReaderPlan;

/// A chat format and what is asked of it.
pub(super) struct Chat<'a> {
    format: Source<'a>,
    start: &'a str,
    options: ChatOptions,
    /// The conversation so far, which says where the turn begins.
    prompt: Option<Lead<'a>>,
}

/// Where a chat format comes from.
#[derive(Clone, Copy)]
pub(super) enum Source<'a> {
    BuiltIn(&'a str),
    Own(&'a str),
}

/// The rule that a turn of the model starts from.
const ASSISTANT_TURN: &str = "assistant-turn";

impl<'a> Chat<'a> {
    /// Reads the options.
    ///
    /// # Safety
    /// The host's: the options, and what they point to, can be read during `'a`.
    pub(super) unsafe fn read(
        given: &MwConstraintOptions,
        format: Source<'a>,
        spelling: Spelling,
    ) -> Result<Self, Failure> {
        let mut options = ChatOptions::default();
        spell(&mut options, spelling);
        options.parallel_calls = choice(given.parallel_calls, "parallel_calls", &PARALLEL)?;
        options.analysis = choice(given.analysis, "analysis", &ANALYSIS)?;
        options.deadlines = choice(given.deadlines, "deadlines", &DEADLINES)?;
        // SAFETY: as above.
        unsafe {
            if let Some(tools) = given.tools.read("options.tools")? {
                options.tools = ToolSet::parse(tools, &options.limits)?;
            }
            given.choose_tools(&mut options)?;
            let schema = given.response_schema.read("options.response_schema")?;
            options.response_schema = schema.map(str::to_owned);
            given.profile(&mut options)?;
            given.conversation(&mut options)?;
            let (tokens, count) = (given.prompt_tokens, given.prompt_token_count);
            Ok(Self {
                format,
                start: given.start.read("options.start")?.unwrap_or(ASSISTANT_TURN),
                options,
                prompt: Lead::read(given.prompt, (tokens, count), "prompt")?,
            })
        }
    }

    /// Compiles the turn; its control tokens are looked for in the vocabulary. Gives what of the turn the prompt
    /// has already, too.
    pub(super) fn compile(
        &self,
        over: Option<&MwVocabulary>,
    ) -> Result<(Grammar, Lead<'a>), Failure> {
        let (format, options, lead) = self.ready(over)?;
        Ok((chat::compile(&format, self.start, &options)?, lead))
    }

    /// What readers of the turn share, and what of it the prompt has already. With a vocabulary they read its tokens.
    pub(super) fn reader(
        &self,
        over: Option<&MwVocabulary>,
    ) -> Result<(ReaderPlan, Lead<'a>), Failure> {
        let (format, options, lead) = self.ready(over)?;
        let plan = ReaderPlan::new(&format, self.start, &options)?;
        let plan = match over {
            Some(over) => plan.with_vocabulary(over.0.shared_vocabulary()),
            None => plan,
        };
        Ok((plan, lead))
    }

    /// Shows that each turn of the format has one reading.
    pub(super) fn settle(&self) -> Result<(), Failure> {
        let (format, options, _) = self.ready(None)?;
        let settled = ReaderPlan::settle(&format, self.start, &options)?;
        settled.map_err(|unsettled| Failure::new(Status::Unsupported, unsettled))
    }

    /// The format, the request with what the prompt adds to it, and what of the turn the prompt has already.
    fn ready<'s>(
        &'s self,
        over: Option<&'s MwVocabulary>,
    ) -> Result<(Cow<'s, Format>, Cow<'s, ChatOptions>, Lead<'a>), Failure> {
        let format = self.format.read(over)?;
        let vocabulary = over.map(|over| over.0.vocabulary());
        let start = self.start;
        if !format.rules().any(|rule| rule.eq_ignore_ascii_case(start)) {
            let rules: Vec<_> = format.rules().collect();
            return Err(Failure::invalid(format!(
                "`options.start`: there is no rule `{start}`; there are {}",
                rules.join(", ")
            )));
        }
        let Some(prompt) = &self.prompt else {
            return Ok((format, Cow::Borrowed(&self.options), Lead::None));
        };
        let prompt = prompt.prompt((&format, start), vocabulary)?;
        let mut options = self.options.clone();
        prompt.fill(&mut options);
        // The conversation adds to what the host says.
        let given = &self.options;
        options
            .used_call_ids
            .extend_from_slice(&given.used_call_ids);
        options.open_calls.extend_from_slice(&given.open_calls);
        Ok((format, Cow::Owned(options), Lead::Prompt(prompt)))
    }

    /// All that is wrong with the schemas, as far as [`json_schema::faults`] finds it.
    pub(super) fn faults(&self) -> Vec<Failure> {
        let options = &self.options;
        let config = SchemaConfig {
            regex: options.regex,
            content: options.content,
            draft: options.draft,
            documents: options.documents.clone(),
            limits: options.limits.clone(),
            ..SchemaConfig::default()
        };
        let mut failures = Vec::new();
        for tool in options.tools.iter() {
            if let Arguments::Schema(text) = tool.arguments() {
                let of_tool = |e| Failure::from(Diagnosis::of_tool(e, tool.name(), tool.pointer()));
                failures.extend(json_schema::faults(text, &config).iter().map(of_tool));
            }
        }
        if let Some(text) = &options.response_schema {
            let of_response = |e| Failure::schema(e, "response_schema");
            failures.extend(json_schema::faults(text, &config).iter().map(of_response));
        }
        failures
    }
}

/// Says how JSON is to be spelt in a turn; what is not asked for stays as it is.
fn spell(options: &mut ChatOptions, spelling: Spelling) {
    if let Some(whitespace) = spelling.whitespace {
        options.whitespace = whitespace;
    }
    options.numbers = spelling.numbers.unwrap_or(options.numbers);
    options.regex = spelling.dialect.unwrap_or(options.regex);
    (options.escapes, options.order) = (spelling.escapes, spelling.order);
    (options.draft, options.documents) = (spelling.draft, spelling.documents);
    options.content = spelling.content;
    options.limits = spelling.limits;
}

impl MwConstraintOptions {
    /// Whether something is set that chat formats only have.
    pub(super) fn asks_for_chat(&self) -> bool {
        let texts = [
            self.tools,
            self.tool_name,
            self.tool_choice_text,
            self.response_schema,
            self.bos,
            self.eos,
            self.prompt,
        ];
        let numbers = [
            self.tool_choice,
            self.parallel_calls,
            self.analysis,
            self.profile,
            self.functions_on_analysis,
            self.deadlines,
            self.reflect,
            self.introspect,
            self.reason,
        ];
        let counts = [
            self.used_call_id_count,
            self.flag_count,
            self.open_call_count,
            self.prompt_token_count,
        ];
        texts.iter().any(|text| !text.is_absent())
            || numbers.iter().any(|&number| number != 0)
            || counts.iter().any(|&count| count != 0)
            || self.built_in_tools != 0
    }

    /// Which tools may be called, in either way of saying it.
    ///
    /// # Safety
    /// As [`Chat::read`].
    unsafe fn choose_tools(&self, options: &mut ChatOptions) -> Result<(), Failure> {
        // SAFETY: as above.
        let (told, text) = unsafe {
            let text = self.tool_choice_text.read("options.tool_choice_text")?;
            (self.tool_choice()?, text)
        };
        options.tool_choice = told;
        let Some(text) = text else { return Ok(()) };
        if options.tool_choice != ToolChoice::Auto {
            let both = "`options.tool_choice_text` stands in the place of `options.tool_choice`";
            return Err(Failure::invalid(both));
        }
        options.choose(text).map_err(|error| {
            let (pointer, expected) = (error.pointer, error.expected);
            Failure::invalid(format!(
                "`options.tool_choice_text`, {pointer}: expected {expected}"
            ))
        })
    }

    /// # Safety
    /// As [`Chat::read`].
    unsafe fn tool_choice(&self) -> Result<ToolChoice, Failure> {
        // SAFETY: as above.
        let name = unsafe { self.tool_name.read("options.tool_name")? };
        // `enum mw_tool_choice`.
        match (self.tool_choice, name) {
            (0, None) => Ok(ToolChoice::Auto),
            (1, None) => Ok(ToolChoice::Required),
            (2, Some(name)) => Ok(ToolChoice::Named(name.to_owned())),
            (3, None) => Ok(ToolChoice::None),
            (0..=3, _) => Err(Failure::invalid(
                "`options.tool_name` belongs to MW_TOOLS_NAMED, and to no other choice",
            )),
            (unknown, _) => Err(unknown_value("tool_choice", unknown)),
        }
    }

    /// The profile, built-in tools, thoughts, flags and the tokens around a sequence.
    ///
    /// # Safety
    /// As [`Chat::read`].
    unsafe fn profile(&self, options: &mut ChatOptions) -> Result<(), Failure> {
        // `enum mw_profile`.
        match self.profile {
            0 => {}
            1 => options.profile = Profile::hip_1(),
            unknown => return Err(unknown_value("profile", unknown)),
        }
        // `enum mw_functions_on_analysis`.
        match self.functions_on_analysis {
            0 => {}
            1 => {
                let channels = [Channel::Analysis, Channel::Commentary];
                options.profile.functions_on = Channels::from_iter(channels);
            }
            unknown => return Err(unknown_value("functions_on_analysis", unknown)),
        }
        // `enum mw_built_in_tools`.
        let offered = |bit| match self.built_in_tools & bit {
            0 => BuiltIn::Absent,
            _ => BuiltIn::Offered,
        };
        options.built_ins.python = offered(1);
        options.built_ins.browser = offered(2);
        if self.built_in_tools > 3 {
            let bits = self.built_in_tools;
            return Err(Failure::invalid(format!(
                "`options.built_in_tools`: {bits} has bits that are no tools"
            )));
        }
        options.thoughts.reflect = choice(self.reflect, "reflect", &THOUGHTS)?;
        options.thoughts.introspect = choice(self.introspect, "introspect", &THOUGHTS)?;
        options.thoughts.reason = choice(self.reason, "reason", &THOUGHTS)?;
        // SAFETY: as above.
        unsafe {
            for flag in slice(self.flags, self.flag_count, "options.flags")? {
                options.flags.insert(required(*flag, "options.flags")?);
            }
            if let Some(begin) = self.bos.read("options.bos")? {
                options.sequence_tokens.begin = begin.to_owned();
            }
            if let Some(end) = self.eos.read("options.eos")? {
                options.sequence_tokens.end = end.to_owned();
            }
        }
        Ok(())
    }

    /// What the host knows of the conversation.
    ///
    /// # Safety
    /// As [`Chat::read`].
    unsafe fn conversation(&self, options: &mut ChatOptions) -> Result<(), Failure> {
        // SAFETY: as above.
        unsafe {
            let (ids, count) = (self.used_call_ids, self.used_call_id_count);
            for id in slice(ids, count, "options.used_call_ids")? {
                let id = id.read("options.used_call_ids")?.unwrap_or_default();
                options.used_call_ids.push(id.to_owned());
            }
            let (calls, count) = (self.open_calls, self.open_call_count);
            for call in slice(calls, count, "options.open_calls")? {
                let id = call.id.read("options.open_calls.id")?;
                options.open_calls.push(OpenCall {
                    id: id.map(str::to_owned),
                    name: required(call.name, "options.open_calls.name")?,
                });
            }
        }
        Ok(())
    }
}

/// A text that must not be absent.
///
/// # Safety
/// As [`MwText::read`].
unsafe fn required(text: MwText, name: &str) -> Result<String, Failure> {
    // SAFETY: as above.
    let text = unsafe { text.read(name)? };
    text.map(str::to_owned).ok_or_else(|| Failure::null(name))
}

impl Source<'_> {
    fn read<'s>(self, over: Option<&'s MwVocabulary>) -> Result<Cow<'s, Format>, Failure> {
        let limits = Limits::default();
        match self {
            Self::BuiltIn(name) => {
                let format = match over {
                    Some(over) => over.1.get(name)?.map(Cow::Borrowed),
                    None => Format::built_in(name, &limits)?.map(Cow::Owned),
                };
                format.ok_or_else(|| {
                    Failure::invalid(format!(
                        "`options.format`: there is no format `{name}`; there are {}",
                        Format::BUILT_IN.join(", ")
                    ))
                })
            }
            Self::Own(text) => {
                let specials: Vec<_> = over
                    .map(|over| {
                        over.0
                            .vocabulary()
                            .specials()
                            .map(|(name, _)| name)
                            .collect()
                    })
                    .unwrap_or_default();
                let format = Format::parse("grammar", text, &specials, &limits)?;
                Ok(Cow::Owned(format))
            }
        }
    }
}

// By the numbers of the enums in the header.
const PARALLEL: [ParallelCalls; 2] = [ParallelCalls::Forbidden, ParallelCalls::Allowed];
const ANALYSIS: [Analysis; 2] = [Analysis::Allowed, Analysis::Forbidden];
const DEADLINES: [Deadlines; 2] = [Deadlines::Forbidden, Deadlines::Allowed];
const THOUGHTS: [Thought; 3] = [Thought::Forbidden, Thought::Offered, Thought::Demanded];
