//! Which ways are open to a state that remembers what was read: those that say nothing of it again.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::token_set::TokenSet;
use crate::base::{LimitError, TokenId};
use crate::grammar::{self, Delimiters, Progress, Refusal, Remembered, Texts};
use crate::machine::{Forgotten, Generation, Memories, StateId};
use crate::mask::Work;
use crate::vocab::{NodeId, Trie, Vocabulary, row};

/// What it costs to look what goes on behind a text that is remembered.
const STEPS_PER_NODE: usize = 16;

/// What a state remembers, as far as it decides which ways are open.
pub(super) struct Memory {
    delimiters: Box<[Delimiters]>,
    remembered: Memories,
    /// The texts under way; of one between others maybe nothing was read.
    begun: Vec<grammar::Memory>,
}

/// Which texts that may be remembered are under way where some tokens lead.
pub(super) struct UnderWay(Vec<(Delimiters, Progress)>);

impl UnderWay {
    pub(super) fn at(generation: &Generation, state: StateId) -> Self {
        Self(generation.texts_under_way(state).collect())
    }

    /// How far the one has come that has come farthest.
    fn progress(&self) -> Option<Progress> {
        let each = self.0.iter().map(|&(_, progress)| progress);
        each.reduce(|one, other| match one {
            Progress::Within => one,
            Progress::Beginning => other,
        })
    }

    /// Whether something of one was read that is delimited so.
    fn has_begun(&self, delimiters: &Delimiters) -> bool {
        self.0.contains(&(*delimiters, Progress::Within))
    }
}

impl Memory {
    /// What `state` remembers; `None` where nothing ever is.
    pub(super) fn of(generation: &Generation, state: StateId) -> Result<Option<Self>, LimitError> {
        let Some(Forgotten { memory, begun, .. }) = generation.forgotten(state)? else {
            return Ok(None);
        };
        let delimiters = generation.delimiters();
        let mut begun = begun.to_vec();
        let beginning = generation
            .texts_under_way(state)
            .filter(|(known, progress)| !known.are_own() && *progress == Progress::Beginning);
        for (delimiters, _) in beginning {
            let remembered = memory.iter().filter(|(known, _)| *known == delimiters);
            let unread = grammar::Memory {
                delimiters,
                remembered: remembered.map(|(_, part)| part.clone()).collect(),
                begun: Box::default(),
            };
            if !begun.contains(&unread) {
                begun.push(unread);
            }
        }
        Ok(Some(Self {
            delimiters: delimiters.into(),
            remembered: memory,
            begun,
        }))
    }

    /// The texts that are remembered and delimited so.
    fn texts(&self, delimiters: &Delimiters) -> impl Iterator<Item = &Texts> + Clone {
        let remembered = self.remembered.iter();
        let own = remembered.filter(move |(own, _)| own == delimiters);
        own.map(|(_, remembered)| &remembered.texts)
    }

    /// The texts under way that are delimited so.
    fn begun(&self, delimiters: &Delimiters) -> impl Iterator<Item = &grammar::Memory> {
        let begun = self.begun.iter();
        begun.filter(move |begun| begun.delimiters == *delimiters)
    }

    /// The texts for which one that is under way may be refused.
    fn refusing<'m>(&'m self, begun: &'m grammar::Memory) -> SmallVec<[&'m Texts; 1]> {
        match begun.delimiters.are_refused_alone() {
            true => begun.remembered.iter().map(|part| &part.texts).collect(),
            false => self.texts(&begun.delimiters).collect(),
        }
    }

    /// How many of the texts that are remembered go on from what is begun with `token`.
    pub(super) fn begun_with(&self, token: &[u8], work: &Work<'_>) -> Result<usize, LimitError> {
        let each = self.begun.iter().map(|begun| {
            let read = [&begun.begun, token].concat();
            let texts = self.refusing(begun).into_iter();
            texts
                .map(|texts| texts.beginning_with(&read).count())
                .sum::<usize>()
        });
        let count = each.sum();
        work.charge(count)?;
        Ok(count)
    }

    /// Whether what is remembered stands at this place of `text`.
    fn stands(&self, delimiters: &Delimiters, text: &[u8], at: usize) -> bool {
        let rest = &text[at..];
        self.texts(delimiters).any(|texts| match delimiters {
            Delimiters::Own { .. } => texts.has_beginning_of(rest),
            Delimiters::Between { .. } => {
                let mut ends = delimiters.ends(rest);
                !texts.is_empty() && ends.any(|end| texts.contains(&rest[..end]))
            }
        })
    }

    /// Whether a way mentions nothing that is remembered.
    pub(super) fn is_clean(&self, way: &[u8]) -> bool {
        let whole = |(_, part): &(_, Remembered)| part.refusal == Refusal::Whole;
        let says = |delimiters: &Delimiters| {
            let mut begins = delimiters.begins(way);
            begins.any(|at| self.stands(delimiters, way, at))
        };
        self.remembered.iter().all(whole) && !self.delimiters.iter().any(says)
    }

    /// Those of `tokens` that can matter to a way: a text begins or ends in them, or they go on as one of the way or one
    /// that is remembered does. They lead to where one has come so far in a text.
    pub(super) fn concerned(
        &self,
        vocabulary: &Vocabulary,
        (tokens, under_way): (&TokenSet, &UnderWay),
        way: &Mentioned,
        work: &Work<'_>,
    ) -> Result<BTreeSet<TokenId>, LimitError> {
        let (slices, trie) = (vocabulary.slices(), vocabulary.trie());
        let mut concerned: BTreeSet<TokenId> = BTreeSet::new();
        for byte in self.telling(under_way.progress()) {
            let telling = tokens.within(slices.row_containing(byte));
            concerned.extend(telling.iter());
        }
        if !self.begun.is_empty() {
            let mut rest = row::empty(vocabulary.len());
            tokens.insert_into(&mut rest);
            if !self.has_delimiters_within() {
                let nodes = self.going_on(trie, way, work)?.into_iter();
                let goes_on = nodes.flat_map(|node| trie.tokens(node)).copied();
                concerned.extend(goes_on.filter(|&token| row::contains(&rest, token)));
                // Behind a token that is no text the way itself goes on.
                rest.iter_mut()
                    .zip(slices.ordinary())
                    .for_each(|(word, text)| *word &= !text);
            }
            concerned.extend(row::tokens(&rest));
        }
        Ok(concerned)
    }

    /// The bytes of which a token has one in which a text ends, or begins that is under way behind it.
    fn telling(&self, progress: Option<Progress>) -> impl Iterator<Item = u8> {
        let each = self.delimiters.iter().map(move |delimiters| {
            let ending = delimiters.ending();
            match *delimiters {
                Delimiters::Between { before, .. } if progress == Some(Progress::Within) => {
                    ending.union(&before)
                }
                _ => ending,
            }
        });
        let all = each.reduce(|one, other| one.union(&other));
        all.unwrap_or_default().iter()
    }

    /// Whether something is begun that has a delimiter within, since it is escaped: what goes on with that is not looked for.
    fn has_delimiters_within(&self) -> bool {
        let mut begun = self.begun.iter();
        begun.any(|begun| {
            let known = begun.delimiters;
            known.are_own() && known.ends(&begun.begun).count() > 1
        })
    }

    /// The nodes whose text goes on from what is begun as something remembered does, or as a text of the way.
    ///
    /// PERF: the tokens that merely begin with the same byte would be half of a vocabulary where that is a space; with this, and what is
    /// begun told once for all items, the worst mask under a deadline within 40 open objects takes 0.8 s for 26 ms (benches/LOG.md).
    fn going_on(
        &self,
        trie: &Trie,
        way: &Mentioned,
        work: &Work<'_>,
    ) -> Result<Vec<NodeId>, LimitError> {
        let mut nodes = Vec::new();
        for memory in &self.begun {
            let (begun, said) = (&*memory.begun, way.texts(&memory.delimiters));
            for rest in said.filter_map(|text| text.strip_prefix(begun)) {
                let path = rest.iter().scan(NodeId::ROOT, |node, &byte| {
                    *node = trie.child(*node, byte)?;
                    Some(*node)
                });
                nodes.extend(path);
            }
            for texts in self.refusing(memory) {
                let mut pending = vec![(NodeId::ROOT, begun.to_vec())];
                while let Some((node, text)) = pending.pop() {
                    work.charge(STEPS_PER_NODE)?;
                    for byte in texts.next_bytes(&text, 0) {
                        if let Some(child) = trie.child(node, byte) {
                            nodes.push(child);
                            pending.push((child, [&text[..], &[byte]].concat()));
                        }
                    }
                }
            }
        }
        Ok(nodes)
    }

    /// What a way says.
    pub(super) fn mentioned(&self, way: &[u8]) -> Mentioned {
        let said = self.delimiters.iter().map(|delimiters| {
            let said = match delimiters {
                Delimiters::Own { .. } => Said::Delimited(self.delimited(delimiters, way)),
                Delimiters::Between { .. } => Said::Between {
                    begins: delimiters.begins(way).collect(),
                    ends: delimiters.ends(way).collect(),
                },
            };
            (*delimiters, said)
        });
        Mentioned {
            said: said.collect(),
            text: way.into(),
        }
    }

    fn delimited(&self, own: &Delimiters, way: &[u8]) -> Delimited {
        let longest = self.texts(own).map(Texts::longest).max();
        let until = own.ends(way).next().unwrap_or(way.len());
        let texts = own.begins(way).filter_map(|begin| {
            let end = own.ends(&way[begin..]).nth(1)?;
            Some(way[begin..begin + end].into())
        });
        Delimited {
            until: until.max(longest.unwrap_or(0)).min(way.len()),
            texts: texts.collect(),
        }
    }

    /// Whether a way that is open by itself, and clean, is open after `token`, behind which these texts are under way: no
    /// text that is begun, or begins in the token, was read before or comes again on the way.
    pub(super) fn allows(&self, token: &[u8], under_way: &UnderWay, way: &Mentioned) -> bool {
        way.said.iter().all(|(delimiters, said)| match said {
            Said::Delimited(delimited) => {
                let begins = beginning_in(token, delimiters, under_way);
                self.allows_delimited((token, begins), (delimiters, delimited), &way.text)
            }
            Said::Between { begins, ends } => {
                let read = [token, &way.text].concat();
                let behind = |at: &usize| token.len() + at;
                let begins = delimiters.begins(token).chain(begins.iter().map(behind));
                let ends = delimiters.ends(token).chain(ends.iter().map(behind));
                self.allows_between(token.len(), (delimiters, begins, ends), &read)
            }
        })
    }

    fn allows_delimited(
        &self,
        (token, begins): (&[u8], impl Iterator<Item = usize>),
        (own, delimited): (&Delimiters, &Delimited),
        way: &[u8],
    ) -> bool {
        let read = [token, &way[..delimited.until]].concat();
        let begin_here = begins.map(|at| (at, &[][..]));
        let begun = self.begun(own).map(|begun| (0, &*begun.begun));
        begun.chain(begin_here).all(|(at, begun)| {
            let text = [begun, &read[at..]].concat();
            let inside = begun.len().max(1);
            let Some(end) = own.ends(&text[inside..]).next() else {
                return !self.stands(own, &text, 0);
            };
            // Of what has delimiters within, since they are escaped, it is enough that the first part comes again.
            let part = &text[..own.ends(&text).nth(1).unwrap_or(1)];
            let behind = at + inside + end - begun.len();
            let rest = token.get(behind..).unwrap_or_default();
            let comes_again = |place| read[behind + place..].starts_with(part);
            let again = delimited.texts.contains(part) || own.begins(rest).any(comes_again);
            !self.stands(own, &text, 0) && !again
        })
    }

    /// The same for a token of so many bytes and what follows, with the places where texts may begin and end.
    fn allows_between(
        &self,
        token: usize,
        (delimiters, begins, ends): (
            &Delimiters,
            impl Iterator<Item = usize> + Clone,
            impl Iterator<Item = usize> + Clone,
        ),
        read: &[u8],
    ) -> bool {
        let begin_here = begins.clone().take_while(|&at| at <= token);
        let begun = self.begun(delimiters).map(|begun| (0, Some(begun)));
        let mut under_way = begun.chain(begin_here.map(|at| (at, None)));
        under_way.all(|(at, under_way)| {
            let begun = under_way.map_or(&[][..], |begun| &begun.begun);
            let refusing = match under_way {
                Some(begun) => self.refusing(begun),
                None => self.texts(delimiters).collect(),
            };
            let mut ends = ends.clone().filter(|&end| end >= at);
            ends.all(|end| {
                let text = [begun, &read[at..end]].concat();
                let mut later = begins.clone().filter(|&begin| begin > end);
                text.is_empty()
                    || !refusing.iter().any(|texts| texts.contains(&text))
                        && !later.any(|begin| delimiters.stands(&text, read, begin))
            })
        })
    }
}

/// Where texts with delimiters of their own may begin in `token`: each ends there, or is under way behind it.
///
/// PERF: else the delimiter with which a text ends would be taken for one with which another begins, that goes on to the
/// way's next and often comes again there, as `":0,"` does between keys: each token that ends a key would have a way of its
/// own. The worst mask under a deadline over twenty required objects takes 15 ms for 219, and the session 23 MiB for 725
/// (`hostile --all due-required`).
fn beginning_in<'t>(
    token: &'t [u8],
    own: &'t Delimiters,
    under_way: &UnderWay,
) -> impl Iterator<Item = usize> + 't {
    let goes_on = under_way.has_begun(own);
    let ends = move |begin: usize| own.ends(&token[begin + 1..]).next().is_some();
    own.begins(token)
        .filter(move |&begin| goes_on || ends(begin))
}

/// What a way says that may be remembered.
pub(super) struct Mentioned {
    text: Box<[u8]>,
    /// For each way to delimit texts.
    said: Vec<(Delimiters, Said)>,
}

enum Said {
    Delimited(Delimited),
    /// Where texts may begin and end.
    Between {
        begins: Box<[usize]>,
        ends: Box<[usize]>,
    },
}

struct Delimited {
    /// At least up to the first delimiter, and as far as what is remembered is long.
    until: usize,
    /// From each delimiter to the next.
    texts: FxHashSet<Box<[u8]>>,
}

impl Mentioned {
    /// The texts that it may say that are delimited so, and what follows where it is not known how long they are.
    fn texts(&self, delimiters: &Delimiters) -> impl Iterator<Item = &[u8]> {
        let own = self.said.iter().filter(move |(own, _)| own == delimiters);
        own.flat_map(|(_, said)| {
            let (texts, begins) = match said {
                Said::Delimited(delimited) => (Some(&delimited.texts), &[][..]),
                Said::Between { begins, .. } => (None, &**begins),
            };
            let texts = texts.into_iter().flatten().map(|text| &**text);
            texts.chain(begins.iter().map(|&at| &self.text[at..]))
        })
    }
}
