//! Chat formats: an ABNF file and the control tokens that it names.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::ChatError;
use super::kept::Kept;
use super::profile::SequenceTokens;
use super::prose::fault;
use super::strings::strings;
use crate::base::{LimitError, Limits, LineColumn, RuleId};
use crate::front::abnf::{Abnf, AbnfErrors, AbnfWarning, Bindings, Numbers, ProseVal};
use crate::grammar::{Grammar, GrammarBuilder, GrammarError, Nfa, control_name_at};

/// A format that comes with the crate: its name, and its text.
macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../grammars/", $name, ".abnf")))),*]
    };
}

/// The formats that come with the crate.
const BUILT_IN: [(&str, &str); 25] = shipped![
    "chatml",
    "command-r",
    "deepseek-r1",
    "deepseek-v3",
    "deepseek-v3.1",
    "deepseek-v3.2",
    "exaone",
    "functionary",
    "gemma-3",
    "gemma-4",
    "glm-4.5",
    "granite-3.3",
    "harmony",
    "internlm2",
    "kimi-k2",
    "kimi-k3",
    "llama3",
    "llama4",
    "minimax-m2",
    "mistral",
    "openchatml-0.1",
    "openchatml-2.2",
    "phi-4",
    "qwen3",
    "qwen3-coder",
];

/// How deep rules may mention each other by prose-vals such as `<text RULE>`.
const MOST_WITHIN: usize = 16;

/// The rule whose strings are control tokens too.
const CONTROL_TOKEN: &str = "control-token";

/// A chat format, read from an ABNF file.
///
/// Keep it, and compile all requests with it: what they have in common is made once, which is mostly all but their tools.
/// Clones share that.
///
/// ```
/// use maskwright::{base::Limits, front::chat::Format};
/// let source = r#"
///     assistant-turn = <text> ( "<|call|>" <tool.name> " " <tool.arguments> / "<|end|>" )
/// "#;
/// let format = Format::parse("mine", source, &[], &Limits::default())?;
/// assert_eq!(format.controls(), ["<|call|>", "<|end|>"]);
/// # Ok::<(), maskwright::front::chat::ChatError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Format {
    name: String,
    pub(super) source: String,
    pub(super) abnf: Abnf,
    pub(super) kept: Arc<Kept>,
    controls: Vec<String>,
    /// The names of the prose-vals.
    proses: BTreeSet<String>,
}

impl Format {
    /// The names of the formats that come with the crate.
    pub const BUILT_IN: [&'static str; BUILT_IN.len()] = {
        let mut names = [""; BUILT_IN.len()];
        let mut at = 0;
        while at < names.len() {
            names[at] = BUILT_IN[at].0;
            at += 1;
        }
        names
    };

    /// The format of this name that comes with the crate; `None` where there is none. `gpt-oss` is another name of
    /// `harmony`.
    ///
    /// # Errors
    /// A limit that is too small for it.
    pub fn built_in(name: &str, limits: &Limits) -> Result<Option<Self>, ChatError> {
        let found = Self::index(name).map(|index| BUILT_IN[index]);
        found
            .map(|(name, source)| Self::parse(name, source, &[], limits))
            .transpose()
    }

    /// Where the format of this name is among those that come with the crate.
    fn index(name: &str) -> Option<usize> {
        let name = match name {
            "gpt-oss" => "harmony",
            name => name,
        };
        BUILT_IN.iter().position(|(known, _)| *known == name)
    }

    /// The format called `name` that the ABNF text `source` describes.
    ///
    /// Its control tokens are what its quoted strings spell of the shape `<|name|>`, those of
    /// `specials`, the vocabulary's special tokens, that its quoted strings hold, and the strings of
    /// its rule `control-token`, if it has one.
    ///
    /// # Errors
    /// What [`Abnf::parse`] finds wrong with the text, and a rule `control-token` that is not one of
    /// a few quoted strings.
    pub fn parse(
        name: &str,
        source: &str,
        specials: &[&str],
        limits: &Limits,
    ) -> Result<Self, ChatError> {
        Self::parse_with(name, source, Numbers::CodePoints, specials, limits)
    }

    /// As [`Format::parse`], where `numbers` says what numbers stand for.
    ///
    /// # Errors
    /// As [`Format::parse`].
    pub fn parse_with(
        name: &str,
        source: &str,
        numbers: Numbers,
        specials: &[&str],
        limits: &Limits,
    ) -> Result<Self, ChatError> {
        let abnf = Abnf::parse_with(source, numbers, limits).map_err(|errors| ChatError::Abnf {
            format: name.to_owned(),
            errors,
        })?;
        let mut controls = BTreeSet::new();
        let literals = abnf.literals();
        for literal in &literals {
            controls.extend(angled(literal).map(str::to_owned));
            let held = specials
                .iter()
                .filter(|special| !special.is_empty() && literal.contains(*special));
            controls.extend(held.map(|&special| special.to_owned()));
        }
        if abnf
            .rule_names()
            .any(|rule| rule.eq_ignore_ascii_case(CONTROL_TOKEN))
        {
            // What the file spells out is exact, as control tokens are.
            let own = strings(&abnf, CONTROL_TOKEN, &literals, limits).ok_or_else(|| {
                ChatError::ControlToken {
                    format: name.to_owned(),
                }
            })?;
            controls.extend(own);
        }
        let controls = controls.into_iter().collect();
        let proses = abnf.prose_vals().into_iter();
        let proses = proses.map(|val| val.name.to_owned()).collect();
        Ok(Self {
            name: name.to_owned(),
            source: source.to_owned(),
            proses,
            abnf,
            kept: Arc::default(),
            controls,
        })
    }

    /// What is odd in the text and can be used, rules that nothing uses apart.
    pub fn warnings(&self) -> Vec<AbnfWarning> {
        let rules: Vec<_> = self.rules().collect();
        self.abnf.warnings(&rules)
    }

    /// The format's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The spellings of the control tokens, in ascending order.
    pub fn controls(&self) -> &[String] {
        &self.controls
    }

    /// The same with the base model's tokens around a sequence, where the format asks for them.
    pub(super) fn controls_with(&self, sequence: &SequenceTokens) -> Vec<String> {
        let mut controls = self.controls.clone();
        for (prose, token) in [("bos", &sequence.begin), ("eos", &sequence.end)] {
            if self.has_prose(prose) && !controls.contains(token) {
                controls.push(token.clone());
            }
        }
        controls
    }

    /// An error about `<prose>`, at its first place.
    pub(super) fn refuse(&self, prose: &str, reason: String) -> ChatError {
        let mut found = self.abnf.prose_vals().into_iter();
        let at = found.find(|found| found.name == prose);
        let at = at.map_or(0, |found| found.span.start);
        ChatError::Prose {
            format: self.name.clone(),
            prose: prose.to_owned(),
            place: LineColumn::of(&self.source, at),
            reason,
        }
    }

    /// Whether so many rules may be lowered within each other, the innermost for `<prose>`.
    pub(super) fn check_depth(&self, prose: &str, depth: usize) -> Result<(), ChatError> {
        match depth > MOST_WITHIN {
            true => {
                let reason = format!("rules mention each other so more than {MOST_WITHIN} deep");
                Err(self.refuse(prose, reason))
            }
            false => Ok(()),
        }
    }

    /// The rule `name` of the file, lowered apart from the rule that mentions it by `<prose>`, as `bindings` fill it: so
    /// many rules are being lowered, each where the one before mentions it.
    pub(super) fn lower_within(
        &self,
        prose: &str,
        name: &str,
        depth: usize,
        builder: &mut GrammarBuilder,
        bindings: &mut dyn Bindings,
    ) -> Result<RuleId, ChatError> {
        self.check_depth(prose, depth)?;
        let lowered = self.abnf.lower_into(builder, name, bindings);
        lowered.map_err(|errors| ChatError::Abnf {
            format: self.name().to_owned(),
            errors,
        })
    }

    /// A rule of its own for `<prose>`.
    pub(super) fn rule(
        &self,
        prose: &str,
        nfa: &Nfa,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, ChatError> {
        let rule = builder.declare(format!("<{prose}>"));
        let defined = builder.define(rule, nfa);
        defined.map_err(|source| self.refused(source))?;
        Ok(rule)
    }

    /// The grammar from the rule `root` that the file was lowered to for the rule `start`.
    pub(super) fn finished(
        &self,
        builder: GrammarBuilder,
        root: Result<RuleId, AbnfErrors>,
        start: &str,
    ) -> Result<Grammar, ChatError> {
        let root = root.map_err(|errors| ChatError::Abnf {
            format: self.name().to_owned(),
            errors,
        })?;
        builder.finish(root).map_err(|source| match source {
            GrammarError::Unproductive { .. } => ChatError::Empty {
                format: self.name().to_owned(),
                start: start.to_owned(),
                source: Box::new(source),
            },
            source => self.refused(source),
        })
    }

    pub(super) fn refused(&self, source: GrammarError) -> ChatError {
        ChatError::Grammar {
            format: self.name().to_owned(),
            source: Box::new(source),
        }
    }

    /// A limit that was met where `<prose>` was filled.
    pub(super) fn over_limit(&self, prose: &str, source: LimitError) -> ChatError {
        self.refused(GrammarError::Limit {
            name: format!("<{prose}>"),
            source,
        })
    }

    /// Whether `<prose>` stands somewhere in the file, or `<prose-but RULE>`, which is some of the same.
    pub(super) fn has_prose(&self, prose: &str) -> bool {
        let is_part = |name: &str| {
            let but = name.strip_prefix(prose);
            but.is_some_and(|but| but.starts_with("-but "))
        };
        self.proses.contains(prose) || self.proses.iter().any(|name| is_part(name))
    }

    /// The flags that the file asks for by `<if NAME>` and `<unless NAME>`, in ascending order, those
    /// that other options of a request say among them.
    pub fn flags(&self) -> Vec<&str> {
        let proses = self.proses.iter();
        let flags: BTreeSet<&str> = proses
            .filter_map(|name| name.split_once(' '))
            .filter(|(word, _)| ["if", "unless"].contains(word))
            .map(|(_, flag)| flag)
            .collect();
        flags.into_iter().collect()
    }

    /// What is wrong with the prose-vals of the file: those that say nothing known, each with its place
    /// and what would be right. Compiling a rule that leads to one is refused.
    ///
    /// ```
    /// use maskwright::{base::Limits, front::chat::Format};
    /// let format = Format::parse("mine", "turn = <txt>", &[], &Limits::default())?;
    /// assert_eq!(format.faults().len(), 1);
    /// # Ok::<(), maskwright::front::chat::ChatError>(())
    /// ```
    pub fn faults(&self) -> Vec<ChatError> {
        let fault = |val: &ProseVal<'_>| {
            Some(ChatError::Prose {
                format: self.name.clone(),
                prose: val.name.to_owned(),
                place: LineColumn::of(&self.source, val.span.start),
                reason: fault(val.name)?,
            })
        };
        self.abnf.prose_vals().iter().filter_map(fault).collect()
    }

    /// The rules beside the start rules that mean something by their names: what stands before a turn,
    /// what of a turn a prompt may have, and further control tokens.
    pub const SPECIAL_RULES: [&'static str; 3] = ["opening", "lead", CONTROL_TOKEN];

    /// The rules that the file defines, in its order; each may be a start rule.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.abnf.rule_names()
    }
}

/// The formats that come with the crate, each read when it is first asked for and kept, with what its requests share.
/// A host that compiles by the names of formats has one.
#[derive(Debug, Default)]
pub struct Formats {
    read: [OnceLock<Format>; BUILT_IN.len()],
}

impl Formats {
    /// The format of this name, as [`Format::built_in`] has it within the default limits.
    ///
    /// # Errors
    /// As [`Format::built_in`].
    pub fn get(&self, name: &str) -> Result<Option<&Format>, ChatError> {
        let Some(index) = Format::index(name) else {
            return Ok(None);
        };
        let kept = &self.read[index];
        if let Some(format) = kept.get() {
            return Ok(Some(format));
        }
        let (name, source) = BUILT_IN[index];
        let format = Format::parse(name, source, &[], &Limits::default())?;
        Ok(Some(kept.get_or_init(|| format)))
    }
}

/// The parts of `text` of the shape `<|name|>`.
fn angled(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("<|")
        .filter_map(|(at, _)| control_name_at(&text[at..]))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn control_tokens_are_found_within_strings() {
        let found = |text| angled(text).collect::<Vec<_>>();
        assert_eq!(
            found("<|start|>assistant<|message|>"),
            ["<|start|>", "<|message|>"]
        );
        assert_eq!(found("<|a b|> <||> <|a <|b|>|>"), ["<|b|>"]);
    }

    #[test]
    fn special_tokens_of_other_shapes_are_known_by_the_vocabulary() {
        let source = r#"turn = "<tool_call>" <text> "</tool_call>" "<b>""#;
        let specials = ["<tool_call>", "</tool_call>", "<unused>"];
        let format = Format::parse("hermes", source, &specials, &Limits::default()).unwrap();
        assert_eq!(format.controls(), ["</tool_call>", "<tool_call>"]);
    }

    #[test]
    fn named_control_tokens_are_exact_and_of_any_characters() {
        let source =
            "turn = \"x\"\ncontrol-token = \"[INST]\" / \"<｜end▁of▁turn｜>\" / %x3C.7C.22.7C.3E";
        let format = Format::parse("own", source, &[], &Limits::default()).unwrap();
        assert_eq!(format.controls(), ["<|\"|>", "<｜end▁of▁turn｜>", "[INST]"]);
    }

    #[test]
    fn the_formats_that_come_along_have_their_control_tokens() {
        let count = |name| {
            Format::built_in(name, &Limits::default())
                .unwrap()
                .unwrap()
                .controls()
                .len()
        };
        assert_eq!(count("harmony"), 7);
        assert_eq!(count("openchatml-2.2"), 9);
        assert_eq!(count("chatml"), 2);
        assert_eq!(count("internlm2"), 6);
        assert_eq!(count("openchatml-0.1"), 20);
    }
}
