//! Whether a format has what a request asks for.
//!
//! A format has what its ABNF file speaks of. What a request merely permits or forbids needs nothing
//! there: a format without thoughts obeys who forbids them.

use super::condition::Condition;
use super::feature::Feature;
use super::options::ChatOptions;
use super::profile::{BuiltIn, Channel, Constrain, Thought, Version};
use super::{ChatError, Format};

impl Feature {
    /// The prose-vals of which a format that has it has one.
    fn proses(self) -> &'static [&'static str] {
        match self {
            Self::ResponseSchema => &["response"],
            Self::Python => &["if python", "unless python"],
            Self::Browser => &["tool.name", "tool.short-name", "built-in.name"],
            Self::Reflect => &["if reflect", "unless reflect"],
            Self::Introspect => &["if introspect", "unless introspect"],
            Self::Reason => &["if reason", "unless reason"],
            Self::RequiredConstrain => &["if constrain-required", "unless constrain-required"],
            Self::FunctionsOnAnalysis => {
                &["if functions-on-analysis", "unless functions-on-analysis"]
            }
            Self::Version1 => &["if version-1", "unless version-1"],
            Self::SequenceTokens => &["bos", "eos"],
        }
    }

    /// Whether a request asks for it.
    fn is_asked(self, options: &ChatOptions) -> bool {
        let (thoughts, profile) = (&options.thoughts, &options.profile);
        match self {
            Self::ResponseSchema => options.response_schema.is_some(),
            Self::Python => options.built_ins.python == BuiltIn::Offered,
            Self::Browser => options.built_ins.browser == BuiltIn::Offered,
            Self::Reflect => thoughts.reflect != Thought::Forbidden,
            Self::Introspect => thoughts.introspect != Thought::Forbidden,
            Self::Reason => thoughts.reason != Thought::Forbidden,
            Self::RequiredConstrain => profile.constrain == Constrain::Required,
            Self::FunctionsOnAnalysis => profile.functions_on.contains(Channel::Analysis),
            Self::Version1 => profile.version == Version::V1,
            // They are the base model's: a request says them whatever the format.
            Self::SequenceTokens => false,
        }
    }
}

impl Format {
    /// Whether the format has `feature`.
    pub fn has(&self, feature: Feature) -> bool {
        let mut proses = feature.proses().iter();
        proses.any(|prose| self.has_prose(prose))
    }

    /// Whether the format has all that `options` ask for; [`compile`](super::compile) asks too.
    ///
    /// # Errors
    /// [`ChatError::Lacks`] for the first that it has not, [`ChatError::Flag`] for a flag that it does
    /// not ask for, [`ChatError::SaidFlag`] for one that other options say.
    pub fn check_options(&self, options: &ChatOptions) -> Result<(), ChatError> {
        let lacks = |feature: &Feature| feature.is_asked(options) && !self.has(*feature);
        if let Some(flag) = Condition::names().find(|&name| options.flags.contains(name)) {
            return Err(ChatError::SaidFlag {
                flag: flag.to_owned(),
            });
        }
        let mut flags = self.flags();
        flags.retain(|flag| Condition::names().all(|known| known != *flag));
        if let Some(flag) = options
            .flags
            .iter()
            .find(|flag| !flags.contains(&flag.as_str()))
        {
            return Err(ChatError::Flag {
                format: self.name().to_owned(),
                flag: flag.clone(),
                known: flags.into_iter().map(str::to_owned).collect(),
            });
        }
        match Feature::ALL.into_iter().find(lacks) {
            None => Ok(()),
            Some(feature) => Err(ChatError::Lacks {
                format: self.name().to_owned(),
                feature,
                has: Feature::ALL
                    .into_iter()
                    .filter(|&feature| self.has(feature))
                    .collect(),
            }),
        }
    }
}
