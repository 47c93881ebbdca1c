//! What a caller says about a grammar's holes and its control tokens.

use crate::base::RuleId;
use crate::grammar::{GrammarBuilder, GrammarError, Nfa};

/// Fills the prose-vals of a grammar that name no rule, and says which spellings are control tokens.
///
/// ```
/// use maskwright::base::Limits;
/// use maskwright::front::abnf::{Abnf, Binding, Bindings, Filling};
/// use maskwright::grammar::GrammarBuilder;
///
/// struct Tools(Vec<String>);
///
/// impl Bindings for Tools {
///     fn controls(&self) -> Vec<String> {
///         vec!["<|call|>".to_owned()]
///     }
///     fn known(&self) -> Vec<String> {
///         vec!["tool.name".to_owned()]
///     }
///     fn bind(&mut self, prose: &str, _: &mut GrammarBuilder) -> Option<Binding> {
///         let names = self.0.iter().cloned().map(Filling::Text).collect();
///         (prose == "tool.name").then_some(Binding::Each(names))
///     }
/// }
///
/// let abnf = Abnf::parse("call = \"to=\" <tool.name> \"<|call|>\"", &Limits::default())?;
/// let mut tools = Tools(vec!["search".to_owned(), "open".to_owned()]);
/// let grammar = abnf.lower("call", &mut tools, &Limits::default())?;
/// assert_eq!(grammar.controls().count(), 1);
/// # Ok::<(), maskwright::front::abnf::AbnfErrors>(())
/// ```
pub trait Bindings {
    /// The spellings of the control tokens. A quoted string that is one, or holds some, names those
    /// tokens there and not their bytes; of several that begin at one place the longest counts.
    fn controls(&self) -> Vec<String>;

    /// The prose-vals that [`Bindings::bind`] knows, for messages.
    fn known(&self) -> Vec<String>;

    /// What `<prose>` stands for; `None` where it is not known. Asked once for each prose-val that
    /// the start rule leads to. Rules of its own may be added to `builder`.
    fn bind(&mut self, prose: &str, builder: &mut GrammarBuilder) -> Option<Binding>;

    /// Gives `rule`, made from the text, its automaton. Bindings that rewrite automata do so here.
    /// A rule that mentions a prose-val is always a rule of its own here, never put into another.
    ///
    /// # Errors
    /// Those of [`GrammarBuilder::define`].
    fn define(
        &mut self,
        rule: RuleId,
        nfa: &Nfa,
        builder: &mut GrammarBuilder,
    ) -> Result<(), GrammarError> {
        builder.define(rule, nfa)
    }
}

/// What a prose-val stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// The same wherever it stands.
    One(Filling),
    /// One of several. A rule that mentions such prose-vals is one alternative for each index, in
    /// which all of them are filled with what they have at that index. So all of one grammar have
    /// the same length; were they not, the shortest would count.
    Each(Vec<Filling>),
}

/// What is put in the place of a prose-val.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Filling {
    /// This text, in this case, none of it a control token.
    Text(String),
    /// This rule of the builder.
    Rule(RuleId),
}

/// Bindings for a grammar on its own: no prose-vals, no control tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unbound;

impl Bindings for Unbound {
    fn controls(&self) -> Vec<String> {
        Vec::new()
    }

    fn known(&self) -> Vec<String> {
        Vec::new()
    }

    fn bind(&mut self, _: &str, _: &mut GrammarBuilder) -> Option<Binding> {
        None
    }
}
