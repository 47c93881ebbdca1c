//! Tokens that end a rule, by what is left of them.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use super::places::{Over, Place, Places, Wanted};
use super::walk::{self, Below, Tour};
use crate::base::{ByteSet, LimitError, TokenId};
use crate::machine::StateId;
use crate::vocab::{NodeId, Trie, Vocabulary};

/// A token that ends a rule, and how many of its bytes do.
pub(super) type Ended = (TokenId, u32);

/// The tokens that end a rule in mid-token, or at their end.
#[derive(Debug)]
pub(super) struct Suffixes {
    /// Where in the vocabulary's trie the rule has ended, whatever follows: all tokens from there on.
    nodes: Box<[NodeId]>,
    /// How many tokens that are.
    at_nodes: usize,
    /// Those that end it elsewhere.
    others: SuffixTrie,
    /// How often they were walked.
    walks: AtomicU32,
    /// All of them, once it is worth it.
    ///
    /// PERF: the places lie far apart in a large table, so that a walk waits for memory at each.
    gathered: OnceLock<SuffixTrie>,
}

/// So often the places in the vocabulary's trie are walked before their tokens are gathered.
const WORTH_GATHERING: u32 = 2;

impl Suffixes {
    /// The tokens from `nodes` of the `trie` on, which lie apart, and `others`.
    pub(super) fn new(trie: &Trie, nodes: Vec<NodeId>, others: Vec<Suffix<'_>>) -> Self {
        let below = nodes.iter().map(|&node| trie.subtree_tokens(node).len());
        Self {
            at_nodes: below.sum(),
            nodes: nodes.into(),
            others: SuffixTrie::new(others),
            walks: AtomicU32::new(0),
            gathered: OnceLock::new(),
        }
    }

    /// One trie with all tokens, if there has to be more than one and they are walked again and again.
    fn gathered(&self, vocabulary: &Vocabulary) -> Option<&SuffixTrie> {
        if self.nodes.is_empty() {
            return Some(&self.others);
        }
        if self.walks.load(Ordering::Relaxed) < WORTH_GATHERING {
            self.walks.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        Some(self.gather(vocabulary))
    }

    /// One trie with all tokens.
    pub(super) fn gather(&self, vocabulary: &Vocabulary) -> &SuffixTrie {
        if self.nodes.is_empty() {
            return &self.others;
        }
        self.gathered.get_or_init(|| {
            let trie = vocabulary.trie();
            let at_nodes = self.nodes.iter().flat_map(|&node| {
                let tokens = trie.subtree_tokens(node).iter();
                tokens.map(move |&token| (token, depth(trie, node)))
            });
            let all = at_nodes.chain(self.others.ended());
            let suffix = |(token, taken): Ended| {
                let bytes = vocabulary.bytes(token).unwrap_or_default();
                (&bytes[taken as usize..], token, taken)
            };
            SuffixTrie::new(all.map(suffix).collect())
        })
    }

    /// Calls `allow` with every token whose suffix survives from `after`, which is where the rule's
    /// caller goes on.
    pub(super) fn walk(
        &self,
        over: Over<'_>,
        after: Place,
        mut allow: impl FnMut(Ended),
    ) -> Result<(), LimitError> {
        if after == Place::State(StateId::DEAD) {
            return Ok(());
        }
        let mut places = Places::new(over, after);
        if let Some(all) = self.gathered(over.vocabulary) {
            all.whole.iter().copied().for_each(&mut allow);
            return all.walk(&mut places, allow);
        }
        let trie = over.vocabulary.trie();
        let tour = Tour {
            vocabulary: over.vocabulary,
            wanted: Wanted::Survival,
        };
        self.whole(trie).for_each(&mut allow);
        for &node in &self.nodes {
            let taken = depth(trie, node);
            let mut alive = |_: &mut Places<'_>, node, _| {
                let tokens = trie.tokens(node).iter();
                tokens.for_each(|&token| allow((token, taken)));
                Ok(Below::Walk)
            };
            let from = (Places::START, node);
            walk::behind(&mut places, tour, from, &mut alive)?;
        }
        self.others.walk(&mut places, allow)
    }

    /// All tokens.
    pub(super) fn all(&self, trie: &Trie) -> impl Iterator<Item = TokenId> {
        let below = self
            .nodes
            .iter()
            .flat_map(|&node| trie.subtree_tokens(node));
        below
            .copied()
            .chain(self.others.ended().map(|(token, _)| token))
    }

    /// The tokens of which nothing is left.
    pub(super) fn whole(&self, trie: &Trie) -> impl Iterator<Item = Ended> {
        let at = move |&node: &NodeId| {
            let tokens = trie.tokens(node).iter();
            tokens.map(move |&token| (token, depth(trie, node)))
        };
        let at_nodes = self.nodes.iter().flat_map(at);
        at_nodes.chain(self.others.whole.iter().copied())
    }

    pub(super) fn bytes(&self) -> usize {
        // Gathered, each of them has its token and one or two nodes.
        let gathered = self.at_nodes * (size_of::<Ended>() + 2 * size_of::<SuffixNode>());
        size_of_val(&*self.nodes) + self.others.bytes() + gathered
    }
}

/// How many bytes lead to a node.
fn depth(trie: &Trie, node: NodeId) -> u32 {
    trie.depth(node) as u32
}

/// One node of a [`SuffixTrie`], in pre-order.
#[derive(Clone, Copy, Debug)]
struct SuffixNode {
    byte: u8,
    depth: u32,
    /// The node after this one's subtree.
    end: u32,
    /// Where this node's tokens begin; the next node's begin where they end.
    tokens: u32,
}

/// A byte trie of suffixes, each with the tokens that have it left when the rule has ended.
#[derive(Clone, Debug, Default)]
pub(super) struct SuffixTrie {
    /// The tokens of which nothing is left.
    whole: Box<[Ended]>,
    nodes: Box<[SuffixNode]>,
    /// The nodes of one byte.
    ///
    /// PERF: most of them are met in vain, and lie far apart.
    firsts: Box<[(u8, u32)]>,
    /// Each token with the number of its bytes that ended the rule.
    tokens: Box<[Ended]>,
}

impl SuffixTrie {
    pub(super) fn new(mut suffixes: Vec<Suffix<'_>>) -> Self {
        if suffixes.is_empty() {
            return Self::default();
        }
        let whole = suffixes.extract_if(.., |(suffix, ..)| suffix.is_empty());
        let whole = whole.map(|(_, token, taken)| (token, taken)).collect();
        let mut nodes: Vec<SuffixNode> = Vec::new();
        let mut firsts = Vec::new();
        let mut open: Vec<usize> = Vec::new();
        let mut previous: &[u8] = &[];
        let mut tokens = Vec::with_capacity(suffixes.len());
        for (suffix, token, taken) in sorted(&suffixes) {
            let common = suffix
                .iter()
                .zip(previous)
                .take_while(|(a, b)| a == b)
                .count();
            close(&mut nodes, &mut open, common);
            if common == 0 {
                firsts.push((suffix[0], nodes.len() as u32));
            }
            for (depth, &byte) in suffix.iter().enumerate().skip(common) {
                open.push(nodes.len());
                let depth = depth as u32 + 1;
                nodes.push(SuffixNode {
                    byte,
                    depth,
                    end: 0,
                    tokens: tokens.len() as u32,
                });
            }
            tokens.push((token, taken));
            previous = suffix;
        }
        close(&mut nodes, &mut open, 0);
        Self {
            whole,
            nodes: nodes.into(),
            firsts: firsts.into(),
            tokens: tokens.into(),
        }
    }

    /// Calls `allow` with every token whose suffix, not empty, survives from where `places` begin.
    pub(super) fn walk(
        &self,
        places: &mut Places<'_>,
        mut allow: impl FnMut(Ended),
    ) -> Result<(), LimitError> {
        let live = places.live(Places::START);
        let step = |from, byte, wanted| {
            let to = places.read(from, byte, wanted)?;
            Ok((to != Places::DEAD).then_some(to))
        };
        self.visit((Places::START, live), step, |node, _| {
            let own = &self.tokens[self.at(node)];
            own.iter().for_each(|&ended| allow(ended));
        })
    }

    /// Takes a `step` for each byte from `start` on, where only so many bytes are live, and calls `arrive` with each node
    /// that is come to alive, and where that is.
    ///
    /// A step is told what must be known where it leads: survival, where it is the last of its way.
    pub(super) fn visit<T: Copy>(
        &self,
        (start, live): (T, ByteSet),
        mut step: impl FnMut(T, u8, Wanted) -> Result<Option<T>, LimitError>,
        mut arrive: impl FnMut(usize, T),
    ) -> Result<(), LimitError> {
        let mut path: SmallVec<[T; 32]> = SmallVec::new();
        for &(byte, first) in &self.firsts {
            if !live.contains(byte) {
                continue;
            }
            path.clear();
            path.push(start);
            let mut index = first as usize;
            let end = self.nodes[index].end as usize;
            while index < end {
                let node = self.nodes[index];
                path.truncate(node.depth as usize);
                let from = path[path.len() - 1];
                let wanted = match node.end as usize == index + 1 {
                    true => Wanted::Survival,
                    false => Wanted::Place,
                };
                let Some(to) = step(from, node.byte, wanted)? else {
                    index = node.end as usize;
                    continue;
                };
                arrive(index, to);
                index += 1;
                path.push(to);
            }
        }
        Ok(())
    }

    /// The tokens of which something is left at first.
    pub(super) fn tokens(&self) -> &[Ended] {
        &self.tokens
    }

    /// Which of them have nothing left at a node.
    pub(super) fn at(&self, node: usize) -> Range<usize> {
        self.tokens_before(node)..self.tokens_before(node + 1)
    }

    /// Which of them come by a node, or have nothing left there.
    pub(super) fn by(&self, node: usize) -> Range<usize> {
        self.tokens_before(node)..self.tokens_before(self.nodes[node].end as usize)
    }

    fn tokens_before(&self, node: usize) -> usize {
        let node = self.nodes.get(node);
        node.map_or(self.tokens.len(), |node| node.tokens as usize)
    }

    /// How many bytes of a suffix lead to a node.
    pub(super) fn depth(&self, node: usize) -> usize {
        self.nodes[node].depth as usize
    }

    /// The tokens of which nothing is left from the start.
    pub(super) fn whole(&self) -> &[Ended] {
        &self.whole
    }

    fn ended(&self) -> impl Iterator<Item = Ended> {
        self.whole.iter().chain(&self.tokens).copied()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of_val(&*self.nodes)
            + size_of_val(&*self.firsts)
            + (self.whole.len() + self.tokens.len()) * 8
    }
}

/// How many bytes of a suffix a key has.
const IN_KEY: usize = 7;

/// A suffix, a token that has it, and how many of its bytes came before.
pub(super) type Suffix<'a> = (&'a [u8], TokenId, u32);

/// The suffixes ascending.
///
/// PERF: sorted as numbers made of the first bytes; byte strings, which lie scattered, are compared only among
/// the few that begin alike.
fn sorted<'a>(suffixes: &[Suffix<'a>]) -> impl Iterator<Item = Suffix<'a>> {
    let keys = suffixes.iter().enumerate();
    let mut keys: Vec<(u64, u32)> = keys
        .map(|(index, (suffix, ..))| (sort_key(suffix), index as u32))
        .collect();
    keys.sort_unstable();
    let at = |index: u32| suffixes[index as usize];
    for alike in keys.chunk_by_mut(|one, other| one.0 == other.0) {
        if alike.len() > 1 && at(alike[0].1).0.len() > IN_KEY {
            alike.sort_unstable_by_key(|&(_, index)| at(index));
        }
    }
    keys.into_iter().map(move |(_, index)| at(index))
}

/// The first bytes, zeros for those that are missing, above how many there are, or that there are more.
fn sort_key(suffix: &[u8]) -> u64 {
    let mut key = [0; 8];
    let len = suffix.len().min(IN_KEY);
    key[..len].copy_from_slice(&suffix[..len]);
    key[IN_KEY] = suffix.len().min(IN_KEY + 1) as u8;
    u64::from_be_bytes(key)
}

/// Closes the open nodes deeper than `depth`.
fn close(nodes: &mut [SuffixNode], open: &mut Vec<usize>, depth: usize) {
    let end = nodes.len() as u32;
    for index in open.drain(depth..) {
        nodes[index].end = end;
    }
}
