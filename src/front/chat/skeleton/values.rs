//! The rules of values: `values.abnf` or `outline.abnf`, with strings kept apart from control tokens.

use super::role::Detail;
use crate::base::{Limits, RuleId};
use crate::front::abnf::{Abnf, AbnfErrors, Binding, Bindings, Filling};
use crate::front::chat::text::Text;
use crate::grammar::{GrammarBuilder, GrammarError, Nfa};

const EXACT: &str = include_str!("values.abnf");
const OUTLINE: &str = include_str!("outline.abnf");

/// A kind of values, by its rule in the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    Json,
    Object,
    /// An object as it stands within a string, and white space there.
    SpeltObject,
    SpeltSpace,
    Python,
    Nested,
}

impl Values {
    fn rule_name(self) -> &'static str {
        match self {
            Self::Json => "value",
            Self::Object => "object",
            Self::SpeltObject => "spelt-object",
            Self::SpeltSpace => "spelt-ws",
            Self::Python => "python",
            Self::Nested => "nested",
        }
    }

    /// Adds the rule to `builder`; strings have none of `forbidden` in them in plain characters, and where they stand between
    /// marks, `mark` is the rule of one. Also gives the rule that stands for objects and arrays in an outline.
    pub(super) fn lower(
        self,
        (forbidden, mark): (&[String], Option<RuleId>),
        detail: Detail,
        limits: &Limits,
        builder: &mut GrammarBuilder,
    ) -> Result<(RuleId, Option<RuleId>), AbnfErrors> {
        let source = match detail {
            Detail::Exact => EXACT,
            Detail::Outline => OUTLINE,
        };
        let abnf = Abnf::parse(source, limits)?;
        let mut holes = Holes {
            abnf: &abnf,
            forbidden,
            mark,
            structure: None,
        };
        let rule = abnf.lower_into(builder, self.rule_name(), &mut holes)?;
        Ok((rule, holes.structure))
    }
}

/// Fills the holes of the files.
struct Holes<'a> {
    abnf: &'a Abnf,
    /// What no string has in it.
    forbidden: &'a [String],
    /// What strings stand between, where they stand between marks.
    mark: Option<RuleId>,
    structure: Option<RuleId>,
}

impl Holes<'_> {
    /// The characters of strings that are spelt plainly between two of `quote`.
    fn characters(
        &self,
        quote: &str,
        builder: &mut GrammarBuilder,
    ) -> Result<RuleId, GrammarError> {
        let controls = (0..0x20u8).map(|byte| char::from(byte).to_string());
        let special = controls.chain([quote.to_owned(), "\\".to_owned()]);
        let without: Vec<String> = self.forbidden.iter().cloned().chain(special).collect();
        text("characters of a string", &without, builder)
    }

    /// A name without marks, which is not empty.
    fn bare_name(&self, builder: &mut GrammarBuilder) -> Result<RuleId, GrammarError> {
        let controls = (0..0x20u8).map(|byte| char::from(byte).to_string());
        let special = "[]{},:".chars().map(String::from).chain(controls);
        let without: Vec<String> = self.forbidden.iter().cloned().chain(special).collect();
        text("a bare name", &without, builder)
    }

    fn structure(&mut self, rule: &str, builder: &mut GrammarBuilder) -> Option<RuleId> {
        let rule = self.abnf.lower_into(builder, rule, self).ok()?;
        self.structure = Some(rule);
        Some(rule)
    }
}

fn define(
    name: &'static str,
    nfa: &Nfa,
    builder: &mut GrammarBuilder,
) -> Result<RuleId, GrammarError> {
    let rule = builder.declare(name);
    builder.define(rule, nfa)?;
    Ok(rule)
}

/// Text that has none of these strings.
fn text(
    name: &'static str,
    without: &[String],
    builder: &mut GrammarBuilder,
) -> Result<RuleId, GrammarError> {
    let text = Text {
        without,
        doubled: &[],
        after: "",
    };
    let text = text.automaton(builder.limits());
    let text = text.map_err(|source| GrammarError::Limit {
        name: name.into(),
        source,
    })?;
    define(name, &text, builder)
}

impl Bindings for Holes<'_> {
    fn controls(&self) -> Vec<String> {
        Vec::new()
    }

    fn known(&self) -> Vec<String> {
        let known = [
            "characters",
            "single-characters",
            "structure",
            "python-structure",
            "marked-structure",
            "mark",
            "marked",
            "bare-name",
        ];
        known.map(str::to_owned).to_vec()
    }

    fn bind(&mut self, prose: &str, builder: &mut GrammarBuilder) -> Option<Binding> {
        let rule = match prose {
            "characters" => self.characters("\"", builder).ok()?,
            "single-characters" => self.characters("'", builder).ok()?,
            "python-structure" => self.structure("any-python-structure", builder)?,
            "structure" => self.structure("any-structure", builder)?,
            "marked-structure" => self.structure("any-marked-structure", builder)?,
            "mark" => self.mark?,
            "marked" => text("a marked string", self.forbidden, builder).ok()?,
            "bare-name" => self.bare_name(builder).ok()?,
            _ => return None,
        };
        Some(Binding::One(Filling::Rule(rule)))
    }
}
