//! Arrays that know their items: those of distinct items, or of equal ones, and those that are such items themselves.

use std::sync::Arc;

use super::demand::Demand;
use super::readers::{Compound, Readers};
use super::value::{Sort, Value, next, returned};
use crate::base::RuleId;
use crate::front::json_schema::lower::array::{ArrayBody, Stage};
use crate::front::json_schema::shape::ArrayProgress;
use crate::front::json_schema::values::Repeats;
use crate::grammar::{Call, Hints, ImplicitBody, Node, ReturnTo, Words};

/// Which arrays are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aim {
    pub(crate) repeats: Repeats,
    pub(crate) exit: Exit,
}

/// What the exit of an array says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Nothing; and nothing is demanded.
    Plain,
    /// What was read.
    Value,
}

/// An array set whose items are remembered.
#[derive(Debug)]
pub(crate) struct ArrayReader {
    pub(crate) inner: ArrayBody,
    pub(crate) aim: Aim,
}

/// The body of an array set: an array that meets the demand given as arguments.
///
/// Positions are the number of words of a position of the other body, these words, whether some item came
/// again that must, the items, and the demand as far as the items agree with it.
#[derive(Debug)]
pub(crate) struct ArrayMemory {
    pub(crate) reader: Arc<ArrayReader>,
    pub(crate) readers: Arc<Readers>,
}

/// What is remembered.
#[derive(Clone, Debug)]
struct Past {
    /// Whether two items are equal, where some must be.
    repeated: bool,
    /// The items; none where they are of no more use.
    items: Vec<Value>,
    demand: Demand,
}

impl Past {
    fn new(demand: Demand) -> Self {
        Self {
            repeated: false,
            items: Vec::new(),
            demand,
        }
    }

    fn with(&self, item: Value, aim: Aim) -> Self {
        let must_repeat = aim.repeats == Repeats::Some;
        let repeated = self.repeated || must_repeat && self.items.contains(&item);
        let mut items = self.items.clone();
        let demand = self.demand.after_item(items.len(), &item);
        items.push(item);
        if repeated && aim.exit == Exit::Plain {
            items.clear();
        }
        Self {
            repeated,
            items,
            demand,
        }
    }
}

/// What an item may be that leads to `after`.
struct Next {
    /// The rule that reads its set otherwise.
    set: RuleId,
    after: ArrayProgress,
    demands: Vec<Demand>,
}

impl Compound for ArrayReader {
    fn sort(&self) -> Sort {
        Sort::Array
    }

    fn has(&self, readers: &Readers, demand: &Demand) -> bool {
        let past = Past::new(demand.clone());
        self.leads_on(readers, &self.inner.nothing(), &past)
    }
}

impl ArrayReader {
    /// Whether an array can be completed that is `past` so far.
    ///
    /// Once it agrees with no value that is refused, it can: as many distinct items as are needed
    /// there always are, which is seen to when a schema is compiled; and where some must be equal, the last
    /// that there may be is one of those before.
    ///
    /// By hand, not by recursion: the values that it may agree with are as long as texts are.
    fn leads_on(&self, readers: &Readers, progress: &ArrayProgress, past: &Past) -> bool {
        let mut pending = vec![(progress.clone(), past.clone())];
        while let Some((progress, past)) = pending.pop() {
            if past.demand.is_none() || self.may_end(&progress, &past) {
                return true;
            }
            let agreeing = past.demand.items(past.items.len());
            for (set, after) in self.inner.items(&progress) {
                let choice = self.choice(&past, &agreeing, (self.inner.rule(set), &after));
                if choice.takes_any_besides(readers) {
                    return true;
                }
                let again = choice.again(readers).cloned();
                pending.extend(again.map(|item| (after.clone(), past.with(item, self.aim))));
            }
        }
        false
    }

    fn may_end(&self, progress: &ArrayProgress, past: &Past) -> bool {
        self.inner.may_end(progress) && self.agrees(past)
    }

    /// Whether the items may be all, as far as they are equal, and by the demand.
    fn agrees(&self, past: &Past) -> bool {
        let is_equal = self.aim.repeats != Repeats::Some || past.repeated;
        is_equal && past.demand.may_end(past.items.len())
    }

    /// What the next item may be.
    fn next(&self, readers: &Readers, progress: &ArrayProgress, past: &Past) -> Vec<Next> {
        let agreeing = past.demand.items(past.items.len());
        let mut all = Vec::new();
        for (set, after) in self.inner.items(progress) {
            let set = self.inner.rule(set);
            let choice = self.choice(past, &agreeing, (set, &after));
            let mut demands = Vec::new();
            if choice.takes_any_besides(readers) {
                demands.push(Demand::Besides(choice.refused.clone().unwrap_or_default()));
            }
            let leads_on = |value: &&Value| {
                self.leads_on(readers, &after, &past.with((*value).clone(), self.aim))
            };
            let again: Vec<Value> = choice.again(readers).filter(leads_on).cloned().collect();
            if !again.is_empty() {
                demands.push(Demand::Among(again));
            }
            all.push(Next {
                set,
                after,
                demands,
            });
        }
        all
    }

    /// What the next item may be of the set that `set` reads otherwise, after which the progress is `after`;
    /// `agreeing` are what the values of the demand have there.
    fn choice<'p>(
        &self,
        past: &'p Past,
        agreeing: &'p [Value],
        (set, after): (RuleId, &ArrayProgress),
    ) -> Choice<'p> {
        let used: &[Value] = match self.aim.repeats {
            Repeats::None => &past.items,
            Repeats::Any | Repeats::Some => &[],
        };
        let is_open = self.aim.repeats == Repeats::Some && !past.repeated;
        let must_repeat = is_open && self.inner.items(after).next().is_none();
        let besides = matches!(past.demand, Demand::Besides(_));
        Choice {
            set,
            used,
            refused: (besides && !must_repeat).then(|| [used, agreeing].concat()),
            known: match besides && must_repeat {
                true => &past.items,
                false => agreeing,
            },
        }
    }
}

/// What an item of one set may be.
struct Choice<'p> {
    /// The rule that reads the set otherwise.
    set: RuleId,
    /// The items that must not come again.
    used: &'p [Value],
    /// What it must not be where it may be anything else; `None` where it may not.
    refused: Option<Vec<Value>>,
    /// The values that it may be one of.
    known: &'p [Value],
}

impl Choice<'_> {
    /// Whether it may be something that is not refused.
    fn takes_any_besides(&self, readers: &Readers) -> bool {
        let refused = self.refused.as_ref();
        refused.is_some_and(|refused| readers.has_besides(self.set, refused))
    }

    /// Which of the known values it may be.
    fn again<'c>(&'c self, readers: &'c Readers) -> impl Iterator<Item = &'c Value> {
        let fits = |value: &&Value| !self.used.contains(value) && readers.contains(self.set, value);
        self.known.iter().filter(fits)
    }
}

impl ArrayMemory {
    fn words(inner: &[u32], past: &Past) -> Words {
        let mut words = Words::from_slice(&[inner.len() as u32]);
        words.extend_from_slice(inner);
        words.extend([past.repeated.into(), past.items.len() as u32]);
        past.items.iter().for_each(|item| item.write(&mut words));
        past.demand.write(&mut words);
        words
    }

    fn read(words: &[u32]) -> (&[u32], Past) {
        let (inner, mut rest) = words[1..].split_at(words[0] as usize);
        let (repeated, count) = (next(&mut rest) != 0, next(&mut rest));
        let past = Past {
            repeated,
            items: (0..count).map(|_| Value::read(&mut rest)).collect(),
            demand: Demand::read(&mut rest),
        };
        (inner, past)
    }
}

impl ImplicitBody for ArrayMemory {
    fn start(&self, args: &Words) -> Words {
        let past = Past::new(Demand::read(&mut &**args));
        Self::words(&self.reader.inner.start(&Words::new()), &past)
    }

    fn expand(&self, words: &Words, node: &mut Node<Words>) {
        let (inner, past) = Self::read(words);
        let (reader, readers) = (&self.reader, &self.readers);
        let mut plain = Node::default();
        reader.inner.expand(&inner.into(), &mut plain);
        if plain.exit.is_some() {
            node.exit = Some(match reader.aim.exit {
                Exit::Value => Value::Array(past.items).to_words(),
                Exit::Plain => Words::new(),
            });
            return;
        }
        let progress = reader.inner.progress(inner);
        let next = reader.next(readers, &progress, &past);
        let goes_on = next.iter().any(|next| !next.demands.is_empty());
        for edge in plain.edges {
            let possible = match reader.inner.stage(&edge.to) {
                Stage::End => reader.agrees(&past),
                Stage::Empty => reader.may_end(&progress, &past),
                Stage::Item => goes_on,
                Stage::Between => true,
            };
            if possible {
                node.range(edge.lo, edge.hi, Self::words(&edge.to, &past));
            }
        }
        let Some(call) = plain.calls.first() else {
            return;
        };
        if let ReturnTo::Position(to) = &call.to
            && reader.inner.whitespace().calls(call.rule)
        {
            node.call(call.rule, Self::words(to, &past));
            return;
        }
        for Next {
            set,
            after,
            demands,
        } in next
        {
            let site = Self::words(&reader.inner.after(&after), &past);
            for demand in demands {
                node.calls.push(Call {
                    rule: readers.set(set).rule,
                    args: demand.to_words(),
                    to: ReturnTo::Ask(site.clone()),
                });
            }
        }
    }

    fn on_return(&self, site: &Words, _callee: RuleId, exit: &[u32]) -> Option<Words> {
        let (inner, past) = Self::read(site);
        let past = past.with(returned(exit)?, self.reader.aim);
        Some(Self::words(inner, &past))
    }

    fn hints(&self) -> &dyn Hints {
        self
    }
}

impl Hints for ArrayMemory {
    fn gist(&self, words: &Words) -> Option<Words> {
        let (inner, mut past) = Self::read(words);
        // One more short item, twice, may be nearer than one that came once more.
        let items = match self.reader.aim.repeats {
            Repeats::Some => past.items.len() as u32,
            Repeats::Any | Repeats::None => 0,
        };
        past.items.clear();
        let mut words = Self::words(inner, &past);
        words.push(items);
        Some(words)
    }
}
