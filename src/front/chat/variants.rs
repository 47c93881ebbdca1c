//! Which of its flags hold for a model, told by its vocabulary or its chat template: a file may have the formats of several models.

use std::collections::BTreeSet;

use super::Format;
use super::choose::{TELLING, TURN};
use super::condition::{Condition, IF_READING};

impl Format {
    /// The flags ([`ChatOptions::flags`](super::ChatOptions::flags)) that hold for a model with this vocabulary, and with this
    /// chat template if it has one: those by which the file spells what the model writes, and least else. The template tells it, or, where it
    /// writes no calls of this format, the vocabulary by its control tokens. What neither tells does not hold.
    ///
    /// ```
    /// use maskwright::{base::Limits, front::chat::Format};
    /// let format = Format::built_in("mistral", &Limits::default())?.expect("it comes along");
    /// let flags = |tokens: &[&str]| format.flags_for_model(|name| tokens.contains(&name), None);
    /// assert!(flags(&["[/INST]", "[TOOL_CALLS]"]).contains("v3"));
    /// assert!(flags(&["[/INST]", "[TOOL_CALLS]", "[ARGS]", "[THINK]", "[/THINK]"]).is_empty());
    /// # Ok::<(), maskwright::front::chat::ChatError>(())
    /// ```
    pub fn flags_for_model(
        &self,
        has: impl Fn(&str) -> bool,
        template: Option<&str>,
    ) -> BTreeSet<String> {
        let needed = self.call_controls();
        let tells = |text: &&str| needed.iter().all(|control| text.contains(control));
        match template.filter(tells) {
            Some(text) => self.flags_by(&|literal| {
                (literal.trim().len() >= TELLING).then(|| text.contains(literal.trim()))
            }),
            None => self.flags_by(&|literal| self.is_control(literal).then(|| has(literal))),
        }
    }

    /// The flags with the least misfit, found one after the other. `said` tells whether a literal is there, or nothing.
    fn flags_by(&self, said: &dyn Fn(&str) -> Option<bool>) -> BTreeSet<String> {
        let own = self.flags().into_iter();
        let own: Vec<_> = own
            .filter(|flag| Condition::names().all(|known| known != *flag))
            .collect();
        let mut best = BTreeSet::new();
        let mut least = self.misfit(&best, said);
        loop {
            let more = own.iter().map(|flag| {
                let mut flags = best.clone();
                if !flags.remove(*flag) {
                    flags.insert(*flag);
                }
                (self.misfit(&flags, said), flags)
            });
            match more.min() {
                Some((misfit, flags)) if misfit < least => (least, best) = (misfit, flags),
                _ => return best.into_iter().map(str::to_owned).collect(),
            }
        }
    }

    fn misfit(&self, flags: &BTreeSet<&str>, said: &dyn Fn(&str) -> Option<bool>) -> Misfit {
        let is_read = |prose: &str| prose == IF_READING;
        let is_shut = |prose: &str| match prose.split_once(' ') {
            Some(("if", flag)) => {
                !flags.contains(flag) && Condition::names().all(|known| known != flag)
            }
            Some(("unless", flag)) => flags.contains(flag),
            _ => false,
        };
        let spelt = self
            .abnf
            .literals_without(TURN, &|prose| is_read(prose) || is_shut(prose));
        let mut misfit = Misfit::default();
        let all = self.abnf.literals_without(TURN, &is_read);
        for literal in all {
            let (unexplained, missing) = match self.is_control(literal) {
                true => (
                    &mut misfit.controls_unexplained,
                    &mut misfit.controls_missing,
                ),
                false => (&mut misfit.words_unexplained, &mut misfit.words_missing),
            };
            match (said(literal), spelt.contains(literal)) {
                (Some(true), false) => *unexplained += 1,
                (Some(false), true) => *missing += 1,
                _ => {}
            }
        }
        misfit
    }

    fn is_control(&self, literal: &str) -> bool {
        self.controls().iter().any(|control| control == literal)
    }
}

/// What speaks against flags, the strongest first: what is there and they do not spell, and what they spell and is not there.
#[derive(Default, PartialEq, Eq, PartialOrd, Ord)]
struct Misfit {
    controls_unexplained: usize,
    controls_missing: usize,
    words_unexplained: usize,
    words_missing: usize,
}
