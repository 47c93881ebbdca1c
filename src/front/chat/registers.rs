//! What a rule that remembers works with: the rules that prose-vals call, and the tool chosen.

use crate::base::RuleId;

/// The rules that prose-vals call.
#[derive(Debug)]
pub(super) struct Registers {
    /// `<tool.name>` and its kin, in ascending order: each ends with the tool's number.
    pub(super) tool_names: Box<[RuleId]>,
    /// `<tool.arguments>`, `<tool.arguments-string>` and each `<parameters RULE>`.
    pub(super) arguments: Box<[RuleId]>,
    /// The rules, in ascending order, that read call ids which must be remembered.
    pub(super) reads_ids: Box<[RuleId]>,
}

/// For each rule of arguments, the rules that it stands for, by tool.
pub(super) type ArgumentRules = Box<[Box<[RuleId]>]>;

impl Registers {
    pub(super) fn reads_ids(&self, rule: RuleId) -> bool {
        self.reads_ids.binary_search(&rule).is_ok()
    }

    pub(super) fn is_name(&self, rule: RuleId) -> bool {
        self.tool_names.binary_search(&rule).is_ok()
    }

    pub(super) fn is_arguments(&self, rule: RuleId) -> bool {
        self.arguments.contains(&rule)
    }

    /// By tool, what `rule` stands for, where it is one of arguments.
    pub(super) fn arguments_of<'a>(
        &self,
        rule: RuleId,
        rules: &'a ArgumentRules,
    ) -> Option<&'a [RuleId]> {
        let place = self.arguments.iter().position(|&known| known == rule)?;
        Some(&rules[place])
    }
}

/// The tool that a rule has chosen so far, as one word of its positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    Nothing,
    /// A name was read: arguments are this tool's.
    ByName(u32),
    /// Arguments were read first: the name is this tool's.
    ByArguments(u32),
}

impl Chosen {
    pub(super) fn word(self) -> u32 {
        match self {
            Self::Nothing => 0,
            Self::ByName(tool) => 2 * tool + 1,
            Self::ByArguments(tool) => 2 * tool + 2,
        }
    }

    pub(super) fn of(word: u32) -> Self {
        match word {
            0 => Self::Nothing,
            word if word % 2 == 1 => Self::ByName(word / 2),
            word => Self::ByArguments(word / 2 - 1),
        }
    }
}
