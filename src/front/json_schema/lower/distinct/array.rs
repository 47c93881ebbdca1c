//! Arrays that know their items: those of distinct items, and those that are such items themselves.

use std::sync::Arc;

use super::demand::Demand;
use super::readers::{Compound, Readers};
use super::value::{Sort, Value, next};
use crate::base::RuleId;
use crate::front::json_schema::lower::array::{ArrayBody, Stage};
use crate::front::json_schema::shape::ArrayProgress;
use crate::grammar::{Call, ImplicitBody, Node, ReturnTo, Words};

/// Which arrays are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Aim {
    /// No two items are equal.
    pub(crate) distinct: bool,
    /// What was read is the exit; if not, the exit is plain, and nothing is demanded.
    pub(crate) told: bool,
}

/// An array set whose items are remembered.
#[derive(Debug)]
pub(crate) struct ArrayReader {
    pub(crate) inner: ArrayBody,
    pub(crate) aim: Aim,
}

/// The body of an array set: an array that meets the demand given as arguments.
///
/// Positions are the number of words of a position of the other body, these words, the items, and
/// the demand as far as the items agree with it.
#[derive(Debug)]
pub(crate) struct ArrayMemory {
    pub(crate) reader: Arc<ArrayReader>,
    pub(crate) readers: Arc<Readers>,
}

/// What is remembered.
#[derive(Clone, Debug)]
struct Past {
    items: Vec<Value>,
    demand: Demand,
}

impl Past {
    fn with(&self, item: Value) -> Self {
        let mut items = self.items.clone();
        let demand = self.demand.after_item(items.len(), &item);
        items.push(item);
        Self { items, demand }
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
        let past = Past {
            items: Vec::new(),
            demand: demand.clone(),
        };
        self.leads_on(readers, &self.inner.nothing(), &past)
    }
}

impl ArrayReader {
    /// Whether an array can be completed that is `past` so far.
    ///
    /// Once it agrees with no value that is refused, it can: as many distinct items as are needed
    /// there always are, which is seen to when a schema is compiled.
    fn leads_on(&self, readers: &Readers, progress: &ArrayProgress, past: &Past) -> bool {
        past.demand.is_none()
            || self.may_end(progress, past)
            || self
                .next(readers, progress, past)
                .iter()
                .any(|next| !next.demands.is_empty())
    }

    fn may_end(&self, progress: &ArrayProgress, past: &Past) -> bool {
        self.inner.may_end(progress) && past.demand.may_end(past.items.len())
    }

    /// What the next item may be.
    fn next(&self, readers: &Readers, progress: &ArrayProgress, past: &Past) -> Vec<Next> {
        let used: &[Value] = if self.aim.distinct { &past.items } else { &[] };
        let agreeing = past.demand.items(past.items.len());
        let mut all = Vec::new();
        for (set, after) in self.inner.items(progress) {
            let set = self.inner.rule(set);
            let mut demands = Vec::new();
            if let Demand::Besides(_) = past.demand {
                let refused: Vec<Value> = [used, &agreeing].concat();
                if readers.has_besides(set, &refused) {
                    demands.push(Demand::Besides(refused));
                }
            }
            let fits = |value: &&Value| {
                !used.contains(value)
                    && readers.contains(set, value)
                    && self.leads_on(readers, &after, &past.with((*value).clone()))
            };
            let again: Vec<Value> = agreeing.iter().filter(fits).cloned().collect();
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
}

impl ArrayMemory {
    fn words(inner: &[u32], past: &Past) -> Words {
        let mut words = Words::from_slice(&[inner.len() as u32]);
        words.extend_from_slice(inner);
        words.push(past.items.len() as u32);
        past.items.iter().for_each(|item| item.write(&mut words));
        past.demand.write(&mut words);
        words
    }

    fn read(words: &[u32]) -> (&[u32], Past) {
        let (inner, mut rest) = words[1..].split_at(words[0] as usize);
        let count = next(&mut rest);
        let items = (0..count).map(|_| Value::read(&mut rest)).collect();
        let demand = Demand::read(&mut rest);
        (inner, Past { items, demand })
    }
}

impl ImplicitBody for ArrayMemory {
    fn start(&self, args: &[u32]) -> Words {
        let past = Past {
            items: Vec::new(),
            demand: Demand::read(&mut &*args),
        };
        Self::words(&self.reader.inner.start(&[]), &past)
    }

    fn expand(&self, words: &[u32], node: &mut Node<Words>) {
        let (inner, past) = Self::read(words);
        let (reader, readers) = (&self.reader, &self.readers);
        let mut plain = Node::default();
        reader.inner.expand(inner, &mut plain);
        if plain.exit.is_some() {
            node.exit = Some(match reader.aim.told {
                true => Value::Array(past.items).to_words(),
                false => Words::new(),
            });
            return;
        }
        let progress = reader.inner.progress(inner);
        let next = reader.next(readers, &progress, &past);
        let goes_on = next.iter().any(|next| !next.demands.is_empty());
        for edge in plain.edges {
            let possible = match reader.inner.stage(&edge.to) {
                Stage::End => past.demand.may_end(past.items.len()),
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

    fn on_return(&self, site: &[u32], _callee: RuleId, exit: &[u32]) -> Option<Words> {
        let (inner, past) = Self::read(site);
        Some(Self::words(inner, &past.with(Value::read(&mut &*exit))))
    }

    fn gist(&self, words: &[u32]) -> Option<Words> {
        let (inner, Past { demand, .. }) = Self::read(words);
        let items = Vec::new();
        Some(Self::words(inner, &Past { items, demand }))
    }

    fn callees(&self, visit: &mut dyn FnMut(RuleId)) {
        self.reader
            .inner
            .callees(&mut |set| visit(self.readers.set(set).rule));
    }
}
