//! What a request says beside its tools: profile, built-in tools, thoughts, and what the conversation
//! has said.

use std::collections::BTreeSet;

use clap::{Args, ValueEnum};
use maskwright::front::chat::{
    BuiltIn, BuiltIns, Channel, Channels, ChatOptions, Deadlines, Feature, Format, OpenCall,
    Profile, Prompt, SequenceTokens, Thought, Thoughts,
};

use super::failure::Failure;

/// The options of profiles, built-in tools and thoughts.
#[derive(Args)]
pub(crate) struct ToldOptions {
    /// A profile that narrows the format: hip-1 demands `<|constrain|>json` before all arguments
    #[arg(long, value_enum, value_name = "NAME")]
    profile: Option<ProfileName>,
    /// Let functions be called on analysis too
    #[arg(long)]
    functions_on_analysis: bool,
    /// Offer a tool that the format has built in; may be given twice
    #[arg(long, value_enum, value_name = "TOOL")]
    built_in: Vec<BuiltInName>,
    /// Demand a thought block (OpenChatML 0.1); may be given more than once
    #[arg(long, value_enum, value_name = "BLOCK")]
    thought: Vec<ThoughtName>,
    /// Let arguments say `deadline_ms` beside what their schema says
    #[arg(long)]
    deadlines: bool,
    /// How the base model spells the beginning of a sequence (OpenChatML 0.1) [default: <s>]
    #[arg(long, value_name = "TOKEN")]
    bos: Option<String>,
    /// How the base model spells the end of a sequence (OpenChatML 0.1) [default: </s>]
    #[arg(long, value_name = "TOKEN")]
    eos: Option<String>,
    /// Set a flag of the format, which its ABNF asks for by <if NAME>; may be given more than once
    #[arg(long, value_name = "NAME")]
    flag: Vec<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum ProfileName {
    #[value(name = "hip-1")]
    Hip1,
}

#[derive(Clone, Copy, ValueEnum)]
enum BuiltInName {
    Python,
    Browser,
}

#[derive(Clone, Copy, ValueEnum)]
enum ThoughtName {
    Reflect,
    Introspect,
    Reason,
}

/// What a request and its conversation say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told {
    pub(crate) profile: Profile,
    pub(crate) built_ins: BuiltIns,
    pub(crate) thoughts: Thoughts,
    pub(crate) used_call_ids: Vec<String>,
    pub(crate) open_calls: Vec<OpenCall>,
    pub(crate) deadlines: Deadlines,
    pub(crate) flags: BTreeSet<String>,
    pub(crate) sequence: SequenceTokens,
}

impl ToldOptions {
    /// The options given that say what a turn may and must do.
    pub(crate) fn of_turns(&self) -> impl Iterator<Item = &'static str> {
        let given = [
            ("--thought", !self.thought.is_empty()),
            ("--flag", !self.flag.is_empty()),
        ];
        let given = given.into_iter().filter(|(_, is_given)| *is_given);
        given.map(|(option, _)| option)
    }

    pub(crate) fn told(&self) -> Told {
        let mut told = Told {
            flags: self.flag.iter().cloned().collect(),
            ..Told::default()
        };
        if let Some(begin) = &self.bos {
            told.sequence.begin.clone_from(begin);
        }
        if let Some(end) = &self.eos {
            told.sequence.end.clone_from(end);
        }
        if self.deadlines {
            told.deadlines = Deadlines::Allowed;
        }
        if self.profile.is_some() {
            told.profile = Profile::hip_1();
        }
        if self.functions_on_analysis {
            told.profile.functions_on =
                Channels::from_iter([Channel::Analysis, Channel::Commentary]);
        }
        for name in &self.built_in {
            match name {
                BuiltInName::Python => told.built_ins.python = BuiltIn::Offered,
                BuiltInName::Browser => told.built_ins.browser = BuiltIn::Offered,
            }
        }
        for name in &self.thought {
            match name {
                ThoughtName::Reflect => told.thoughts.reflect = Thought::Demanded,
                ThoughtName::Introspect => told.thoughts.introspect = Thought::Demanded,
                ThoughtName::Reason => told.thoughts.reason = Thought::Demanded,
            }
        }
        told
    }
}

/// The option that asks for a feature of a format; none where only a prompt does.
pub(crate) fn option(feature: Feature) -> Option<&'static str> {
    Some(match feature {
        Feature::ResponseSchema => "--response-schema",
        Feature::Python => "--built-in python",
        Feature::Browser => "--built-in browser",
        Feature::Reflect => "--thought reflect",
        Feature::Introspect => "--thought introspect",
        Feature::Reason => "--thought reason",
        Feature::RequiredConstrain => "--profile hip-1",
        Feature::FunctionsOnAnalysis => "--functions-on-analysis",
        _ => return None,
    })
}

impl Told {
    /// Lets the prompt have its say.
    pub(crate) fn follow(&mut self, prompt: &Prompt) {
        let mut options = ChatOptions::default();
        self.fill(&mut options);
        prompt.fill(&mut options);
        *self = Self {
            profile: options.profile,
            built_ins: options.built_ins,
            thoughts: options.thoughts,
            used_call_ids: options.used_call_ids,
            open_calls: options.open_calls,
            deadlines: options.deadlines,
            flags: options.flags,
            sequence: options.sequence_tokens,
        };
    }

    /// Whether the format has a place for the tokens of the base model, where they are given.
    pub(crate) fn check_sequence(&self, format: &Format) -> Result<(), Failure> {
        let has = format.has(Feature::SequenceTokens);
        if has || self.sequence == SequenceTokens::default() {
            return Ok(());
        }
        let (options, name) = ("--bos, --eos", format.name());
        let feature = Feature::SequenceTokens;
        Err(Failure::new(format!(
            "{options}: format `{name}` does not have {feature}"
        )))
    }

    /// Says it to the engine.
    pub(crate) fn fill(&self, options: &mut ChatOptions) {
        options.profile = self.profile.clone();
        options.built_ins = self.built_ins;
        options.thoughts = self.thoughts;
        options.used_call_ids.clone_from(&self.used_call_ids);
        options.open_calls.clone_from(&self.open_calls);
        options.deadlines = self.deadlines;
        options.flags.clone_from(&self.flags);
        options.sequence_tokens.clone_from(&self.sequence);
    }
}
