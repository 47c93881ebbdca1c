//! Outlines of what a text has led to: equal outlines, equal masks.

use std::sync::{Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::content::Content;
use super::contents::Contents;
use super::context::Context;
use super::sight::{Closers, Eyes, narrowed};
use crate::base::RuleId;
use crate::grammar::{Body, Horizon, Outline, Viewpoint, position_outline, rule_outline};
use crate::machine::{Inst, Item, Origin, Pos};

/// What is known of one generation's outlines.
#[derive(Debug, Default)]
pub(super) struct Outlines(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// What rules do.
    rules: FxHashMap<RuleId, Content>,
    /// What tokens can see of them from their start; `None` while that is being found out.
    starts: FxHashMap<RuleId, Option<Content>>,
    /// What they can see of those who wait for a rule; `None` as before.
    origins: FxHashMap<(Origin, Inst, Way), Option<Content>>,
}

/// From where tokens see, and what they had to close on the way: none where they begin here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Way {
    from: Option<Viewpoint>,
    closed: Closers,
}

/// What the words begin with that get a number: no description of a rule does.
mod tag {
    pub(super) const RULE: u32 = u32::MAX;
    pub(super) const START: u32 = u32::MAX - 1;
    pub(super) const ORIGIN: u32 = u32::MAX - 2;
}

/// What the words of a position begin with.
mod kind {
    pub(super) const SEEN: u32 = 0;
    pub(super) const WHOLE: u32 = 1;
    pub(super) const UNIQUE: u32 = 2;
    /// There are several positions, or none.
    pub(super) const SEVERAL: u32 = 3;
}

/// How a position is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// By an outline of its own.
    Seen(Horizon),
    /// By what its rule does.
    Whole,
    /// Not at all.
    Unique,
}

impl Outlines {
    /// What tokens can see from `items`, which are all that a text has led to; `None` where that cannot be told.
    pub(super) fn of(
        &self,
        context: &Context<'_>,
        contents: &Contents,
        items: &[Item],
    ) -> Option<Box<[u32]>> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut outliner = Outliner {
            context,
            contents,
            known: &mut known,
            depth: 0,
        };
        outliner.items(items).map(Vec::into_boxed_slice)
    }
}

/// What is deeper than this is told by nothing: values nest as deep as a text goes, and stacks do not.
const DEEPEST: usize = 32;

struct Outliner<'o, 'c> {
    context: &'o Context<'c>,
    contents: &'o Contents,
    known: &'o mut Known,
    /// How many rules and those who wait for them are being told.
    depth: usize,
}

impl Outliner<'_, '_> {
    fn items(&mut self, items: &[Item]) -> Option<Vec<u32>> {
        if let [item] = *items {
            return self.item(item);
        }
        let all = items.iter().map(|&item| self.item(item));
        let mut all: Vec<Vec<u32>> = all.collect::<Option<_>>()?;
        all.sort_unstable();
        all.dedup();
        if all.len() == 1 {
            return all.pop();
        }
        let mut words = vec![kind::SEVERAL];
        write_all(all, &mut words);
        Some(words)
    }

    fn item(&mut self, item: Item) -> Option<Vec<u32>> {
        let mut words = Vec::with_capacity(48);
        let told = self.place((item.pos, item.origin), &Way::default(), &mut words);
        (told != Told::Unique).then_some(words)
    }

    /// Writes what can be seen of a position and beyond.
    fn place(&mut self, (pos, origin): (Pos, Origin), way: &Way, out: &mut Vec<u32>) -> Told {
        let told = self.position(pos, way, out);
        let horizon = match told {
            Told::Seen(horizon) => horizon,
            Told::Whole | Told::Unique => Horizon::Beyond(Viewpoint::Any),
        };
        let mut beyond = way.clone();
        match horizon {
            Horizon::Unknown | Horizon::Within => return told,
            Horizon::Beyond(from) => beyond.from = Some(narrowed(way.from, from)),
            Horizon::Closer(from, closer) => {
                beyond.from = Some(narrowed(way.from, from));
                beyond.closed.push(closer);
            }
        }
        let inst = self.context.generation.inst(pos);
        out.extend(self.origin((origin, inst, beyond)).words());
        told
    }

    fn position(&mut self, pos: Pos, way: &Way, out: &mut Vec<u32>) -> Told {
        let generation = self.context.generation;
        let inst = generation.inst(pos);
        match generation.words(pos) {
            Some(words) if generation.args(inst).is_empty() => {
                self.state(generation.rule(inst), words, (way, out))
            }
            _ => {
                out.push(kind::UNIQUE);
                out.extend(self.context.rules.unique().words());
                Told::Unique
            }
        }
    }

    fn state(&mut self, rule: RuleId, state: &[u32], (way, out): (&Way, &mut Vec<u32>)) -> Told {
        let Context {
            generation,
            vocabulary,
            rules,
            ..
        } = *self.context;
        let eyes = Eyes {
            vocabulary,
            views: rules.views(vocabulary),
            from: way.from,
            closed: &way.closed,
        };
        match position_outline(generation.grammar(), rule, state, &eyes) {
            Some((outline, horizon)) => {
                out.push(kind::SEEN);
                self.write(&outline, out);
                Told::Seen(horizon)
            }
            None => {
                out.push(kind::WHOLE);
                out.extend(self.rule(rule).words());
                out.push(state.len() as u32);
                out.extend_from_slice(state);
                Told::Whole
            }
        }
    }

    fn write(&mut self, outline: &Outline, out: &mut Vec<u32>) {
        out.push(outline.words.len() as u32);
        out.extend_from_slice(&outline.words);
        for &rule in &outline.rules {
            out.extend(self.start(rule).words());
        }
    }

    /// What `rule` does.
    fn rule(&mut self, rule: RuleId) -> Content {
        if let Some(&known) = self.known.rules.get(&rule) {
            return known;
        }
        let Context {
            generation, rules, ..
        } = *self.context;
        let whole = self.contents.get(self.context, generation.plain(rule));
        let content = whole.unwrap_or_else(|| match rule_outline(generation.grammar(), rule) {
            Some(outline) => {
                let mut words = vec![tag::RULE];
                self.write(&outline, &mut words);
                rules.content(words.into())
            }
            None => rules.unique(),
        });
        // Where it calls itself, it may be known by now.
        *self.known.rules.entry(rule).or_insert(content)
    }

    /// What tokens can see of `rule` from its start.
    fn start(&mut self, rule: RuleId) -> Content {
        let Context {
            generation, rules, ..
        } = *self.context;
        match self.known.starts.get(&rule) {
            Some(Some(known)) => return *known,
            None if self.depth < DEEPEST => self.known.starts.insert(rule, None),
            _ => return self.unique_start(rule),
        };
        self.depth += 1;
        let way = Way {
            from: Some(Viewpoint::Any),
            ..Way::default()
        };
        let mut words = vec![tag::START];
        match generation.grammar().rule(rule).body() {
            Body::Automaton(_) => self.state(rule, &[0], (&way, &mut words)),
            Body::Implicit(body) => self.state(rule, &body.start(&[]), (&way, &mut words)),
        };
        self.depth -= 1;
        let known = self.known.starts.entry(rule).or_default();
        *known.get_or_insert_with(|| rules.content(words.into()))
    }

    fn unique_start(&mut self, rule: RuleId) -> Content {
        let unique = self.context.rules.unique();
        self.known.starts.insert(rule, Some(unique));
        unique
    }

    /// What tokens can see of those who wait for a rule.
    fn origin(&mut self, key: (Origin, Inst, Way)) -> Content {
        match self.known.origins.get(&key) {
            Some(Some(known)) => return *known,
            None if self.depth < DEEPEST => self.known.origins.insert(key.clone(), None),
            _ => {
                let unique = self.context.rules.unique();
                self.known.origins.insert(key, Some(unique));
                return unique;
            }
        };
        self.depth += 1;
        let content = self.new_origin(&key);
        self.depth -= 1;
        let known = self.known.origins.entry(key).or_default();
        *known.get_or_insert(content)
    }

    fn new_origin(&mut self, (origin, inst, way): &(Origin, Inst, Way)) -> Content {
        let Context {
            generation, rules, ..
        } = *self.context;
        let waits = generation.waits(*origin);
        let mut all = Vec::with_capacity(waits.len());
        for wait in waits.iter().filter(|wait| wait.callee == *inst) {
            let beyond = match wait.origin {
                Origin::SELF => *origin,
                beyond => beyond,
            };
            let mut words = Vec::with_capacity(48);
            let told = self.place((wait.site, beyond), way, &mut words);
            if wait.ask {
                // Others may go on differently after rules that are alike.
                if !matches!(told, Told::Seen(_)) {
                    return rules.unique();
                }
                words.extend(self.start(generation.rule(wait.callee)).words());
            }
            all.push(words);
        }
        let mut words = vec![tag::ORIGIN, u32::from(*origin == Origin::BOTTOM)];
        words.push(way.from.map_or(u32::MAX, |from| from as u32));
        all.sort_unstable();
        all.dedup();
        write_all(all, &mut words);
        rules.content(words.into())
    }
}

/// Writes all of these, with their lengths.
fn write_all(all: Vec<Vec<u32>>, out: &mut Vec<u32>) {
    out.push(all.len() as u32);
    for one in all {
        out.push(one.len() as u32);
        out.extend(one);
    }
}
