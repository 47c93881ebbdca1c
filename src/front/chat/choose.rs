//! Which of the formats that come along a model writes, told by its control tokens or its chat template.

use std::collections::BTreeSet;

use super::strings::strings;
use super::{Feature, Format};
use crate::base::Limits;

/// Which formats a model may write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// This one.
    One(&'static str),
    /// Perhaps one of these, of which nothing tells which.
    Several(Vec<&'static str>),
    /// None of those that come along.
    None,
}

/// Shorter strings than this stand in any template.
const TELLING: usize = 3;

impl Format {
    /// The formats whose control tokens are all among `specials`, the special and added tokens of a vocabulary: those
    /// with most of them.
    ///
    /// ```
    /// use maskwright::front::chat::{Choice, Format};
    /// let tokens = ["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"];
    /// assert_eq!(Format::for_vocabulary(tokens), Choice::One("kimi-k3"));
    /// ```
    pub fn for_vocabulary<'a>(specials: impl IntoIterator<Item = &'a str>) -> Choice {
        let specials: BTreeSet<&str> = specials.into_iter().collect();
        best(Self::BUILT_IN.iter().filter_map(|&name| {
            let format = shipped(name)?;
            let controls = format.controls();
            let has_all = controls.iter().all(|control| specials.contains(&**control));
            (has_all && !controls.is_empty()).then_some((name, controls.len() as i64))
        }))
    }

    /// The formats that the Jinja text of a chat template speaks of: it opens a turn as they do, and has most of what
    /// they spell and least of what it lacks.
    ///
    /// ```
    /// use maskwright::front::chat::{Choice, Format};
    /// let template = "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n{\"name\": \"' }} … \"parameters\" … <|eot_id|> <|eom_id|> <|python_tag|>";
    /// assert_eq!(Format::for_template(template), Choice::One("llama3"));
    /// assert_eq!(Format::for_template("{{ messages }}"), Choice::None);
    /// ```
    pub fn for_template(template: &str) -> Choice {
        let mut certain = Vec::new();
        let chosen = best(Self::BUILT_IN.iter().filter_map(|&name| {
            let format = shipped(name)?;
            let (abnf, controls) = (&format.abnf, format.controls());
            let openings = strings(abnf, "opening", controls, &Limits::default());
            let opens = |opening: &String| {
                // What stands between control tokens may be a variable of the template.
                let own = controls
                    .iter()
                    .filter(|control| opening.contains(&***control));
                let own: Vec<_> = own.collect();
                match own.is_empty() {
                    true => template.contains(opening.trim()),
                    false => own.into_iter().all(|control| template.contains(&**control)),
                }
            };
            if !openings.iter().flatten().any(opens) {
                return None;
            }
            let spelt = format.abnf.literals();
            let spelt: BTreeSet<&str> = spelt.iter().map(|literal| literal.trim()).collect();
            let telling = spelt.into_iter().filter(|literal| literal.len() >= TELLING);
            let (found, missing): (Vec<_>, Vec<_>) =
                telling.partition(|literal| template.contains(literal));
            let score = 3 * found.len() as i64 - missing.len() as i64;
            // A template with tools is of a format that calls some, and what lacks much is not certain.
            let calls = format.has(Feature::Browser) || !template.contains("tools");
            if found.len() > missing.len() {
                certain.push(name);
            }
            (score > 0 && calls).then_some((name, score))
        }));
        match chosen {
            Choice::One(name) if !certain.contains(&name) => Choice::Several(vec![name]),
            chosen => chosen,
        }
    }

    /// What a format is, in one line: the first of its file.
    pub fn summary(&self) -> &str {
        let line = self.source.lines().next().unwrap_or_default();
        line.trim_start_matches(['%', ';', ' '])
    }
}

/// A format that comes along.
fn shipped(name: &str) -> Option<Format> {
    Format::built_in(name, &Limits::default()).ok().flatten()
}

/// The names with the highest score.
fn best(scored: impl Iterator<Item = (&'static str, i64)>) -> Choice {
    let scored: Vec<_> = scored.collect();
    let most = scored.iter().map(|&(_, score)| score).max();
    let best = scored.into_iter().filter(|&(_, score)| Some(score) == most);
    let best: Vec<&str> = best.map(|(name, _)| name).collect();
    match best.as_slice() {
        [] => Choice::None,
        &[one] => Choice::One(one),
        _ => Choice::Several(best),
    }
}
