//! Which of the formats that come along a model writes, told by its vocabulary or its chat template.

use std::collections::BTreeSet;

use super::condition::IF_READING;
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
pub(super) const TELLING: usize = 3;
/// What a template has that writes the calls of a conversation.
const CALLS: &str = "tool_calls";
/// What a template has that is given tools.
const TOOLS: &str = "tools";

impl Format {
    /// The formats that a model with this vocabulary may write: those whose calls, or turns where the format has no calls, need no control
    /// token that is not there, and with most of those they can use. `has` says whether the vocabulary has a token that is spelt so, special or
    /// not: many vocabularies have control tokens that are flagged as text.
    ///
    /// Models that share a vocabulary may differ in format; [`for_template`](Self::for_template) tells these apart.
    ///
    /// ```
    /// use maskwright::front::chat::{Choice, Format};
    /// let tokens = ["<|open|>", "<|close|>", "<|sep|>", "<|end_of_msg|>"];
    /// assert_eq!(Format::for_vocabulary(|name| tokens.contains(&name)), Choice::One("kimi-k3"));
    /// ```
    pub fn for_vocabulary(has: impl Fn(&str) -> bool) -> Choice {
        let mut fitting: Vec<Fitting> = Self::BUILT_IN
            .iter()
            .filter_map(|name| Fitting::of(name, &has))
            .collect();
        let all = fitting.clone();
        fitting.retain(|one| {
            let more = |other: &Fitting| {
                one.present != other.present && one.present.is_subset(&other.present)
            };
            !all.iter().any(more)
        });
        if fitting.iter().any(|one| one.is_whole) {
            fitting.retain(|one| one.is_whole);
        }
        choice(fitting.iter().map(|one| one.name).collect())
    }

    /// The formats that the Jinja text of a chat template speaks of: it opens a turn as they do, writes calls with their
    /// control tokens, and has most of what they spell and least of what it lacks.
    ///
    /// ```
    /// use maskwright::front::chat::{Choice, Format};
    /// let template = "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n{\"name\": \"' }} … \"parameters\" … <|eot_id|> <|eom_id|> <|python_tag|>";
    /// assert_eq!(Format::for_template(template), Choice::One("llama3"));
    /// assert_eq!(Format::for_template("{{ messages }}"), Choice::None);
    /// ```
    pub fn for_template(template: &str) -> Choice {
        let scored = Self::BUILT_IN.iter().filter_map(|name| {
            let format = shipped(name)?;
            Some((*name, score(&format, template)?))
        });
        let scored: Vec<_> = scored.collect();
        let most = scored.iter().map(|(_, score)| score.points).max();
        let best = scored
            .iter()
            .filter(|(_, score)| Some(score.points) == most);
        match best.collect::<Vec<_>>().as_slice() {
            [(name, score)] if !score.is_certain || writes_others(name, template) => {
                Choice::Several(vec![*name])
            }
            best => choice(best.iter().map(|(name, _)| *name).collect()),
        }
    }

    /// The formats that a model with this vocabulary, and with this chat template if it has one, may write: what the
    /// template says for certain, or else what both may mean.
    ///
    /// ```
    /// use maskwright::front::chat::{Choice, Format};
    /// let tokens = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"];
    /// let has = |name: &str| tokens.contains(&name);
    /// assert_eq!(Format::for_model(has, None), Choice::Several(vec!["qwen3", "qwen3-coder"]));
    /// let template = "<|im_start|>assistant\n <think> </think> <tool_call> <function= <parameter= </parameter> </function> </tool_call> <|im_end|>";
    /// assert_eq!(Format::for_model(has, Some(template)), Choice::One("qwen3-coder"));
    /// ```
    pub fn for_model(has: impl Fn(&str) -> bool, template: Option<&str>) -> Choice {
        let Some(template) = template else {
            return Self::for_vocabulary(has);
        };
        let Choice::Several(names) = Self::for_template(template) else {
            return Self::for_template(template);
        };
        let by_tokens = match Self::for_vocabulary(has) {
            Choice::One(name) => vec![name],
            Choice::Several(names) => names,
            Choice::None => Vec::new(),
        };
        let both = names.iter().filter(|name| by_tokens.contains(name));
        match both.copied().collect::<Vec<_>>() {
            both if both.is_empty() => Choice::Several(names),
            both => choice(both),
        }
    }

    /// What a format is, in one line: the first of its file.
    pub fn summary(&self) -> &str {
        let line = self.source.lines().next().unwrap_or_default();
        line.trim_start_matches(['%', ';', ' '])
    }

    /// What each turn spells that has a call; of a format without calls, what each turn does.
    fn call_literals(&self) -> Vec<&str> {
        let calls = |prose: &str| prose.starts_with("tool.") && prose.contains("name");
        let says = |prose: &str| prose.starts_with("content") || prose == "response";
        let found = self.abnf.required(TURN, calls, IF_READING);
        match found.is_empty() {
            false => found,
            true => self.abnf.required(TURN, says, IF_READING),
        }
    }

    /// What the file spells, but for what only readers take.
    fn written(&self) -> Vec<String> {
        let all = self.abnf.literals_without(TURN, &|_| false);
        let kept = self
            .abnf
            .literals_without(TURN, &|prose| prose == IF_READING);
        let is_written =
            |literal: &String| kept.contains(literal.as_str()) || !all.contains(literal.as_str());
        let mut found = self.abnf.literals();
        found.retain(is_written);
        found
    }

    /// The control tokens among those literals.
    pub(super) fn call_controls(&self) -> Vec<&str> {
        let mut found = self.call_literals();
        found.retain(|literal| self.controls().iter().any(|control| control == literal));
        found
    }

    /// What a turn may open with.
    fn openings(&self) -> Vec<String> {
        let openings = strings(&self.abnf, "opening", self.controls(), &Limits::default());
        openings.unwrap_or_default()
    }

    /// The control tokens in a text of the format.
    fn controls_in<'f>(&'f self, text: &str) -> impl Iterator<Item = &'f String> {
        let controls = self.controls().iter();
        controls.filter(move |control| text.contains(&***control))
    }
}

/// The rule of a turn.
pub(super) const TURN: &str = "assistant-turn";

/// A format that a vocabulary can write.
#[derive(Clone)]
struct Fitting {
    name: &'static str,
    /// The control tokens of the format that the vocabulary has.
    present: BTreeSet<String>,
    /// Whether these are all of them.
    is_whole: bool,
}

impl Fitting {
    fn of(name: &'static str, has: &impl Fn(&str) -> bool) -> Option<Self> {
        let format = shipped(name)?;
        let openings = format.openings();
        let opens = |opening: &String| format.controls_in(opening).all(|control| has(control));
        let needed = format.call_controls();
        let can_write = needed.iter().all(|control| has(control)) && openings.iter().any(opens);
        let controls = format.controls();
        let present = controls.iter().filter(|control| has(control)).cloned();
        let present: BTreeSet<_> = present.collect();
        (can_write && !present.is_empty()).then_some(Self {
            name,
            is_whole: present.len() == controls.len(),
            present,
        })
    }
}

/// How much a template has of a format.
struct Score {
    points: i64,
    is_certain: bool,
}

/// What a template says of a format; `None` where it is of another.
fn score(format: &Format, template: &str) -> Option<Score> {
    let openings = format.openings();
    if !openings
        .iter()
        .any(|opening| opens(format, opening, template))
    {
        return None;
    }
    let needed = format.call_controls();
    let can_call = needed.iter().all(|control| template.contains(control));
    if template.contains(CALLS) && !(can_call && names_all(format, template)) {
        return None;
    }
    if template.contains(TOOLS) && !format.has(Feature::Browser) {
        return None;
    }
    let spelt = format.written();
    let spelt: BTreeSet<&str> = spelt.iter().map(|literal| literal.trim()).collect();
    let telling = spelt.into_iter().filter(|literal| literal.len() >= TELLING);
    let (found, missing): (Vec<_>, Vec<_>) =
        telling.partition(|literal| template.contains(literal));
    let points = 3 * found.len() as i64 - missing.len() as i64;
    (points > 0).then_some(Score {
        points,
        is_certain: can_call && found.len() > missing.len(),
    })
}

/// Whether a template has the words that each call spells, such as the keys of its object.
fn names_all(format: &Format, template: &str) -> bool {
    let mut spelt = format.call_literals().into_iter();
    spelt.all(|literal| {
        let is_word = literal.bytes().all(|byte| byte.is_ascii_alphabetic());
        !is_word || literal.len() < TELLING || template.contains(literal)
    })
}

/// Whether a template may open a turn so. What stands between control tokens may be a variable of it; signs
/// behind the last one are none.
fn opens(format: &Format, opening: &str, template: &str) -> bool {
    let mut own = format.controls_in(opening).peekable();
    if own.peek().is_none() {
        return template.contains(opening.trim());
    }
    let ends = format.controls_in(opening);
    let ends = ends.filter_map(|control| Some(opening.rfind(&**control)? + control.len()));
    let rest = opening[ends.max().unwrap_or_default()..].trim();
    let is_variable = rest.contains(char::is_alphanumeric);
    own.all(|control| template.contains(&**control)) && (is_variable || template.contains(rest))
}

/// Whether a template has a tag of calls that another format writes, and `name` does not.
fn writes_others(name: &str, template: &str) -> bool {
    let Some(own) = shipped(name) else {
        return false;
    };
    let own = own.written();
    Format::BUILT_IN.iter().any(|other| {
        let other = shipped(other);
        let literals = other.iter().flat_map(Format::call_literals);
        let mut tags = literals.filter(|literal| {
            literal.len() >= TELLING
                && literal.starts_with(['<', '['])
                && template.contains(literal)
        });
        tags.any(|tag| {
            let is_own = |literal: &String| {
                literal.contains(tag) || literal.len() >= TELLING && tag.contains(&**literal)
            };
            !own.iter().any(is_own)
        })
    })
}

/// A format that comes along.
fn shipped(name: &str) -> Option<Format> {
    Format::built_in(name, &Limits::default()).ok().flatten()
}

fn choice(names: Vec<&'static str>) -> Choice {
    match names.as_slice() {
        [] => Choice::None,
        &[one] => Choice::One(one),
        _ => Choice::Several(names),
    }
}
