//! Which tokens mention a text: those that a memory may refuse.
//!
//! PERF: without states that forget, cold masks take 2.1 times as long, p99 2.5 times (benches/LOG.md).

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::places::{Over, Place, Places};
use crate::base::{ByteSet, LimitError, TokenId};
use crate::grammar::{Delimiters, Memory, Refusal, Remembered, Texts};
use crate::machine::{Forgotten, Item, StateId};
use crate::vocab::{Vocabulary, row};

/// Tokens by a text, ascending.
type Listed = Box<[(Box<[u8]>, Vec<TokenId>)]>;

/// The tokens of a vocabulary in which a text ends that may be remembered.
#[derive(Debug)]
pub(super) struct Mentions {
    delimiters: Delimiters,
    /// From where a text begins, what follows in its token, ascending: the token and where.
    tails: Box<[(TokenId, u32)]>,
    /// By text, the tokens that have it whole, ascending.
    texts: Listed,
    /// By beginning up to where a text ends, the tokens that have it, ascending.
    heads: Listed,
    /// Tokens with a whole text.
    several: Box<[TokenId]>,
    /// Tokens that have some text twice.
    repeating: Box<[TokenId]>,
    /// Tokens that end a text of which nothing was read but a delimiter, and have it again.
    resuming: Box<[TokenId]>,
    /// The bytes with which texts begin, behind a delimiter, in tokens with several.
    ///
    /// PERF: few do, so that most texts are in none of these tokens, and need not be looked for.
    among_several: ByteSet,
}

impl Mentions {
    pub(super) fn new(vocabulary: &Vocabulary, delimiters: Delimiters) -> Self {
        let bytes = |token: TokenId| vocabulary.bytes(token).unwrap_or_default();
        let mut tails: Vec<(TokenId, u32)> = Vec::new();
        let mut several: Vec<TokenId> = Vec::new();
        let mut heads: BTreeMap<Box<[u8]>, Vec<TokenId>> = BTreeMap::new();
        for token in having(vocabulary, delimiters.ending()) {
            let begins = delimiters.begins(bytes(token));
            tails.extend(begins.map(|at| (token, at as u32)));
            for end in delimiters.ends(bytes(token)) {
                let having = heads.entry(bytes(token)[..end].into()).or_default();
                having.push(token);
            }
            if delimiters.whole(bytes(token)).next().is_some() {
                several.push(token);
            }
        }
        tails.sort_by(|&one, &other| tail(vocabulary, one).cmp(tail(vocabulary, other)));
        let mut texts: BTreeMap<Box<[u8]>, Vec<TokenId>> = BTreeMap::new();
        let mut among_several = ByteSet::EMPTY;
        for &token in &several {
            let bytes = bytes(token);
            for text in delimiters.whole(bytes) {
                texts.entry(bytes[text].into()).or_default().push(token);
            }
            for begin in delimiters.begins(bytes) {
                if let Some(&next) = bytes.get(begin + delimiters.opening().len()) {
                    among_several.insert(next);
                }
            }
        }
        let repeats = |token: &TokenId| {
            let bytes = bytes(*token);
            let mut texts = delimiters.whole(bytes);
            texts.any(|text| delimiters.comes_again(&bytes[text.clone()], bytes, text.end))
        };
        let resumes =
            |token: &TokenId| comes_again(delimiters, delimiters.opening(), bytes(*token));
        Self {
            repeating: several.iter().copied().filter(repeats).collect(),
            resuming: several.iter().copied().filter(resumes).collect(),
            several: several.into(),
            delimiters,
            tails: tails.into(),
            texts: texts.into_iter().collect(),
            heads: heads.into_iter().collect(),
            among_several,
        }
    }

    /// Of the tokens to `keep` those that mention what is remembered, or repeat what they mention; some of them twice.
    fn suspects<'m>(
        &self,
        vocabulary: &Vocabulary,
        remembered: impl Iterator<Item = &'m Remembered> + Clone,
        begun: impl Iterator<Item = &'m Memory> + Clone,
        keep: impl Fn(&TokenId) -> bool,
    ) -> Vec<TokenId> {
        let mut suspects: Vec<TokenId> = Vec::new();
        let mut add = |tokens: &mut dyn Iterator<Item = TokenId>| {
            suspects.extend(tokens.filter(&keep));
        };
        let refusals = remembered.clone().map(|remembered| remembered.refusal);
        add(&mut match refusals.max().unwrap_or_default() {
            Refusal::Whole => self.repeating.iter().copied(),
            Refusal::Beginning => self.several.iter().copied(),
        });
        let unread = (!self.delimiters.are_own()).then_some(&[][..]);
        let own = begun.clone().filter(|memory| !memory.begun.is_empty());
        let read = own.clone().map(|memory| &*memory.begun);
        let are_alone = self.delimiters.are_refused_alone();
        let others = read.clone().filter(|_| !are_alone).chain(unread);
        for Remembered { texts, refusal } in remembered {
            match refusal {
                Refusal::Whole => {
                    add(&mut self.having(&self.texts, texts, &[]));
                    let ended = others.clone();
                    ended.for_each(|begun| add(&mut self.having(&self.heads, texts, begun)));
                }
                Refusal::Beginning => {
                    self.begun_again(vocabulary, texts, others.clone(), &mut add);
                }
            }
        }
        for memory in own.filter(|_| are_alone) {
            for Remembered { texts, .. } in &memory.remembered {
                add(&mut self.having(&self.heads, texts, &memory.begun));
            }
        }
        for begun in read.chain(unread) {
            // What is begun ends within the token, and comes again.
            match begun.get(self.delimiters.opening().len()) {
                None => add(&mut self.resuming.iter().copied()),
                // It takes a text more to end what is begun.
                Some(&next) if !self.among_several.contains(next) => {}
                Some(_) => {
                    let tails = self.tails_with(vocabulary, begun).iter();
                    add(&mut tails.map(|&(token, _)| token).filter(|&token| {
                        comes_again(
                            self.delimiters,
                            begun,
                            vocabulary.bytes(token).unwrap_or_default(),
                        )
                    }));
                }
            }
        }
        suspects
    }

    /// The tokens of those listed by what goes on behind `begun` as one of `texts` does.
    fn having<'a>(
        &self,
        listed: &'a Listed,
        texts: &'a Texts,
        begun: &'a [u8],
    ) -> impl Iterator<Item = TokenId> + 'a {
        let known = both(listed, texts, begun);
        known.flat_map(|index| listed[index].1.iter().copied())
    }

    /// The tokens in which one of `texts` begins, or goes on where it is begun.
    fn begun_again<'b>(
        &self,
        vocabulary: &Vocabulary,
        texts: &Texts,
        begun: impl Iterator<Item = &'b [u8]>,
        add: &mut impl FnMut(&mut dyn Iterator<Item = TokenId>),
    ) {
        self.beginning(vocabulary, texts, add);
        let trie = vocabulary.trie();
        for begun in begun {
            let rests = texts.beginning_with(begun);
            let rests = rests.map(|text| &text[begun.len()..]);
            // What is begun is refused by others of the stack, not here.
            let nodes = rests.filter(|rest| !rest.is_empty());
            let nodes = nodes.filter_map(|rest| trie.find(rest));
            nodes.for_each(|node| add(&mut trie.subtree_tokens(node).iter().copied()));
        }
    }

    /// The tokens in which one of `texts` begins: both are looked through together, as far as they agree.
    fn beginning(
        &self,
        vocabulary: &Vocabulary,
        texts: &Texts,
        add: &mut impl FnMut(&mut dyn Iterator<Item = TokenId>),
    ) {
        let mut pending = vec![(Vec::new(), &self.tails[..])];
        while let Some((prefix, mut tails)) = pending.pop() {
            if texts.contains(&prefix) {
                add(&mut tails.iter().map(|&(token, _)| token));
                continue;
            }
            let next = |&at: &(TokenId, u32)| tail(vocabulary, at).get(prefix.len()).copied();
            for byte in texts.next_bytes(&prefix, 0) {
                tails = &tails[tails.partition_point(|at| next(at) < Some(byte))..];
                let alike = tails.partition_point(|at| next(at) == Some(byte));
                let (alike, others) = tails.split_at(alike);
                if !alike.is_empty() {
                    pending.push(([&*prefix, &[byte]].concat(), alike));
                }
                tails = others;
                if tails.is_empty() {
                    break;
                }
            }
        }
    }

    /// The tails that begin with `text`.
    fn tails_with(&self, vocabulary: &Vocabulary, text: &[u8]) -> &[(TokenId, u32)] {
        let side = |&at: &(TokenId, u32)| {
            let tail = tail(vocabulary, at);
            tail[..tail.len().min(text.len())].cmp(text)
        };
        let first = self.tails.partition_point(|at| side(at) == Ordering::Less);
        let rest = &self.tails[first..];
        &rest[..rest.partition_point(|at| side(at) == Ordering::Equal)]
    }
}

/// The tokens that `state` refuses although `row`, the mask of the state that forgets, allows
/// them, ascending. There are as many `mentions` as ways to delimit texts.
///
/// Control tokens are not among them: what stands behind a text that has ended is in the kernel, and a text that may not
/// end here has nothing there.
pub(super) fn barred(
    mentions: &[Arc<Mentions>],
    over: Over<'_>,
    state: StateId,
    (forgotten, row): (&Forgotten, &[u32]),
) -> Result<Vec<TokenId>, LimitError> {
    let Forgotten { memory, begun, .. } = forgotten;
    let allowed = |&token: &TokenId| row::contains(row, token);
    let suspects = mentions.iter().flat_map(|mentions| {
        let is_own = |delimiters: &Delimiters| *delimiters == mentions.delimiters;
        let memory = memory.iter().filter(|(delimiters, _)| is_own(delimiters));
        let memory = memory.map(|(_, part)| part);
        let begun = begun.iter().filter(|memory| is_own(&memory.delimiters));
        mentions.suspects(over.vocabulary, memory, begun, allowed)
    });
    dead(over, Place::State(state), suspects.collect())
}

/// The tokens that mention what `item` remembers and are refused by it, ascending.
pub(super) fn refused(
    mentions: &[Arc<Mentions>],
    over: Over<'_>,
    item: Item,
    memory: &Memory,
) -> Result<Vec<TokenId>, LimitError> {
    let mut mentions = mentions.iter();
    let own = mentions.find(|mentions| mentions.delimiters == memory.delimiters);
    let suspects = own.into_iter().flat_map(|mentions| {
        let (remembered, begun) = (memory.remembered.iter(), std::iter::once(memory));
        mentions.suspects(over.vocabulary, remembered, begun, |_| true)
    });
    dead(over, Place::Item(item), suspects.collect())
}

/// Those of `tokens` that do not survive from `start`, ascending.
fn dead(
    over: Over<'_>,
    start: Place,
    mut tokens: Vec<TokenId>,
) -> Result<Vec<TokenId>, LimitError> {
    if tokens.is_empty() {
        return Ok(tokens);
    }
    tokens.sort_unstable();
    tokens.dedup();
    let mut places = Places::remembering(over, start);
    let mut dead = Vec::new();
    for token in tokens {
        let bytes = over.vocabulary.bytes(token).unwrap_or_default();
        if !places.survives(bytes)? {
            dead.push(token);
        }
    }
    Ok(dead)
}

/// Which of the texts of `listed` stand behind `begun` in one of `texts`. Each steps over what the other lacks, so it
/// takes no more steps than the smaller has texts there, and none is long.
fn both<'a>(listed: &'a Listed, texts: &'a Texts, begun: &'a [u8]) -> impl Iterator<Item = usize> {
    let mut at = 0;
    let mut text = begun.to_vec();
    std::iter::from_fn(move || {
        while let Some((wanted, _)) = listed.get(at) {
            text.truncate(begun.len());
            text.extend_from_slice(wanted);
            let next = texts.from(&text).next()?;
            if next == text {
                at += 1;
                return Some(at - 1);
            }
            let rest = next.strip_prefix(begun)?;
            at += listed[at..].partition_point(|(known, _)| **known < *rest);
        }
        None
    })
}

/// The tokens with one of `bytes`.
fn having(vocabulary: &Vocabulary, bytes: ByteSet) -> Vec<TokenId> {
    let tokens = bytes.iter();
    let tokens = tokens.flat_map(|byte| vocabulary.slices().containing(byte));
    let mut tokens: Vec<TokenId> = tokens.copied().collect();
    if bytes.len() > 1 {
        tokens.sort_unstable();
        tokens.dedup();
    }
    tokens
}

/// What follows in a token from a place on.
fn tail(vocabulary: &Vocabulary, (token, at): (TokenId, u32)) -> &[u8] {
    &vocabulary.bytes(token).unwrap_or_default()[at as usize..]
}

/// Whether the text that is `begun` ends in `bytes`, and comes again in it.
fn comes_again(delimiters: Delimiters, begun: &[u8], bytes: &[u8]) -> bool {
    delimiters.ends(bytes).any(|end| {
        let text = [begun, &bytes[..end]].concat();
        !text.is_empty() && delimiters.comes_again(&text, bytes, end)
    })
}
