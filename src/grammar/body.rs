//! What a rule consists of: positions, and what each of them offers.

use std::fmt;

use super::KeyWriter;
use super::packed::Words;
use super::Provenance;
use crate::base::{ControlId, RuleId};

/// Bytes `lo..=hi` lead to `to`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Edge<T> {
    /// The lowest byte.
    pub lo: u8,
    /// The highest byte.
    pub hi: u8,
    /// Where they lead.
    pub to: T,
}

/// Where a call continues when the called rule has ended.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ReturnTo<T> {
    /// At this position, whatever the exit was.
    Position(T),
    /// Where [`ImplicitBody::on_return`] says, asked with this site and the exit.
    Ask(T),
}

/// A call to another rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call<T> {
    /// The rule called.
    pub rule: RuleId,
    /// Its arguments, empty for a plain rule.
    pub args: Words,
    /// Where the caller goes on.
    pub to: ReturnTo<T>,
}

/// Says that a position behaves like a position of a simpler rule, cut by simple conditions, so
/// that the simpler one's mask can serve.
///
/// The contract, for the position `p` that has this shadow and the position `q` it names, and
/// with `measure` and `rest` being [`ImplicitBody::measure`] and [`ImplicitBody::rest`] of `q`'s
/// body:
///
/// - a text keeps `p`'s rule unfinished exactly when it leads from `q` to some `r` that is
///   unfinished, its measure and the rest of `r` come to at most `most`, and it does not begin with
///   one of `without`;
/// - a text ends `p`'s rule exactly when it ends `q`'s rule, its measure is at least `least` and at
///   most `most`, it does not begin with one of `without`, and it is none of `except`;
/// - where `q` loops on a class of characters, each of them measures one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shadow<'a> {
    /// The rule of `q`.
    pub rule: RuleId,
    /// The position `q` within that rule.
    pub state: Words,
    /// The least measure of a text that ends the rule.
    pub least: u32,
    /// The greatest measure of any text; `u32::MAX` for no bound.
    pub most: u32,
    /// No text begins with one of these.
    pub without: Tails<'a>,
    /// No text that ends the rule is one of these; sorted.
    pub except: Vec<Box<[u8]>>,
    /// What the position remembers, which may refuse texts besides, as [`Remembering`] says of bodies.
    pub memory: Option<Memory>,
    /// Whether what is said of texts that end the rule holds.
    pub ends: Ends,
}

impl Shadow<'_> {
    /// That of a position which is like the position `state` of `rule`, without a cut.
    pub(crate) fn of(rule: RuleId, state: Words) -> Self {
        Self {
            rule,
            state,
            least: 0,
            most: u32::MAX,
            without: Tails::default(),
            except: Vec::new(),
            memory: None,
            ends: Ends::Same,
        }
    }
}

/// What is left of some texts behind a beginning that they share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tails<'a> {
    texts: &'a [Box<[u8]>],
    from: usize,
}

impl<'a> Tails<'a> {
    /// What is left of `texts` behind their first `from` bytes: each has more.
    pub fn new(texts: &'a [Box<[u8]>], from: usize) -> Self {
        Self { texts, from }
    }

    /// Each of them.
    pub fn iter(self) -> impl Iterator<Item = &'a [u8]> {
        self.texts.iter().map(move |text| &text[self.from..])
    }
}

/// Which texts end a rule that has a [`Shadow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ends {
    /// Those that end the other rule, cut as the shadow says.
    #[default]
    Same,
    /// Some of those that end the other rule: each is to be tried. Nothing is cut then.
    Fewer,
}

/// What each remembered text begins and ends with.
pub const DELIMITER: u8 = b'"';
/// What no remembered text stands behind, be there white space in between: a value is not a key.
pub const NEVER_BEFORE: u8 = b':';

/// What a position remembers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// No text between delimiters goes on with one of these, the first delimiter included.
    pub texts: Vec<Box<[u8]>>,
    /// What has been read of the text under way, if any: its first delimiter and what follows.
    pub begun: Box<[u8]>,
    /// Which texts to come may be refused for what was read before.
    pub refusal: Refusal,
}

/// How far a text must have come to be refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// A text is only refused when it is repeated to its last delimiter.
    #[default]
    Whole,
    /// There may be so few texts that a beginning is refused, since all that it leads to were read.
    Beginning,
}

/// A body that remembers texts, so that none comes twice.
///
/// Masks are computed from what the body would be if it forgot: if every position were replaced by
/// what [`Self::forget`] makes of it, arguments by what [`Self::forget_args`] does, and what edges record
/// were forgotten at once. OBLIGATION: that body takes whatever this one takes; and if it takes a piece of text
/// from a position that has a [`Memory`] and this one does not, then a delimited text in that
/// piece, or the one under way, goes on with one of `texts`, or what is begun and the piece have
/// some delimited text twice (where [`Refusal::Beginning`] says so, one text and the delimiter of
/// another), the second time not behind [`NEVER_BEFORE`].
pub trait Remembering {
    /// The arguments, with nothing remembered.
    fn forget_args(&self, args: &[u32]) -> Words;

    /// The position, with nothing remembered. For one that has nothing to remember it is the
    /// position itself.
    fn forget(&self, state: &[u32]) -> Words;

    /// What is remembered at a position.
    fn memory(&self, state: &[u32]) -> Memory;
}

/// What one position offers: its edges, its calls, and whether the rule may end here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node<T> {
    /// Byte edges. They may overlap: the machine follows all that match.
    pub edges: Vec<Edge<T>>,
    /// Control tokens and where they lead.
    pub controls: Vec<(ControlId, T)>,
    /// Calls to other rules.
    pub calls: Vec<Call<T>>,
    /// `Some` where the rule may end here; the words are the exit, empty for a plain end.
    pub exit: Option<Words>,
    /// Whether positions remember the bytes that led to them.
    pub reading: Reading,
}

/// What becomes of the bytes that are read over the edges of a position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Edges lead to positions.
    #[default]
    Passing,
    /// Edges lead to positions less their last words: the last `carried` words of this position, and
    /// then the byte.
    Recording {
        /// How many words of this position those that follow end with.
        carried: u32,
    },
}

impl<T> Default for Node<T> {
    fn default() -> Self {
        Self {
            edges: Vec::new(),
            controls: Vec::new(),
            calls: Vec::new(),
            exit: None,
            reading: Reading::Passing,
        }
    }
}

impl<T> Node<T> {
    /// Adds an edge for one byte.
    pub fn byte(&mut self, byte: u8, to: T) {
        self.range(byte, byte, to);
    }

    /// Adds an edge for the bytes `lo..=hi`.
    pub fn range(&mut self, lo: u8, hi: u8, to: T) {
        self.edges.push(Edge { lo, hi, to });
    }

    /// Adds a call without arguments that continues at `to`.
    pub fn call(&mut self, rule: RuleId, to: T) {
        self.calls.push(Call {
            rule,
            args: Words::new(),
            to: ReturnTo::Position(to),
        });
    }

    /// Lets the rule end here, plainly.
    pub fn end(&mut self) {
        self.exit = Some(Words::new());
    }
}

/// A rule body whose positions are made when they are first visited.
///
/// OBLIGATION (`live`): every position the body hands out can reach an end of the rule, by bytes
/// of its own and calls to rules that are not empty; transitions to others are left out. Nothing
/// downstream can repair a body that breaks this, so a schema for which it cannot be established
/// is refused when it is compiled.
pub trait ImplicitBody: fmt::Debug + Send + Sync {
    /// The position where the rule begins when called with `args`.
    fn start(&self, args: &[u32]) -> Words;

    /// Writes what `state` offers into `node`, which is empty.
    fn expand(&self, state: &[u32], node: &mut Node<Words>);

    /// Where `byte` leads from `state` over an edge of its own, the first of those that it matches.
    ///
    /// For bodies that follow it sooner than they write out what `state` offers.
    fn advance(&self, state: &[u32], byte: u8) -> Option<Words> {
        advance_by_edges(self, state, byte)
    }

    /// The position after a call made with [`ReturnTo::Ask`]`(site)` to `callee` that ended with
    /// `exit`; `None` where that exit is not accepted here.
    fn on_return(&self, site: &[u32], callee: RuleId, exit: &[u32]) -> Option<Words> {
        let _ = (callee, exit);
        Some(site.into())
    }

    /// Whether the rule may end, plainly, without any input. A rule that ends with an exit of its
    /// own must not be nullable.
    fn nullable(&self) -> bool {
        false
    }

    /// Reports every rule that the body may ever call.
    fn callees(&self, visit: &mut dyn FnMut(RuleId));

    /// Writes a description that equals another body's description only if both behave alike,
    /// their callees included ([`KeyWriter::rule`] writes those); `false` where there is none.
    ///
    /// Rules with equal descriptions share their masks across grammars.
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        let _ = key;
        false
    }

    /// Where only one text leads on from `state`, for a while, without calls or an end: that text and the
    /// position behind it. Masks need no positions in between, so their [`Self::rest`] is 0.
    fn literal(&self, state: &[u32]) -> Option<(&[u8], Words)> {
        let _ = state;
        None
    }

    /// What of `state` tells how far the end is, where other things, what was read before above all, hardly
    /// matter to that. Of positions that agree in it, a search for a way out goes on from the nearest
    /// first; that it can is seen to by the other obligations.
    fn gist(&self, state: &[u32]) -> Option<Words> {
        let _ = state;
        None
    }

    /// A simpler rule's position that `state` is like, if any.
    fn shadow(&self, state: &[u32]) -> Option<Shadow<'_>> {
        let _ = state;
        None
    }

    /// The measure of `text` read from `state`, for shadows: for strings, the code points begun. It is no more than the
    /// bytes of `text`.
    fn measure(&self, state: &[u32], text: &[u8]) -> u32 {
        let _ = (state, text);
        0
    }

    /// The least measure of a text that ends the rule from `state`.
    fn rest(&self, state: &[u32]) -> u32 {
        let _ = state;
        0
    }

    /// At least the rest of every position.
    fn greatest_rest(&self) -> u32 {
        0
    }

    /// What the body remembers, for one that does.
    fn remembering(&self) -> Option<&dyn Remembering> {
        None
    }

    /// Where the body comes from, for one that can tell.
    fn provenance(&self) -> Option<&dyn Provenance> {
        None
    }
}

/// What [`ImplicitBody::advance`] says, read off the edges of `state`.
pub(crate) fn advance_by_edges(
    body: &(impl ImplicitBody + ?Sized),
    state: &[u32],
    byte: u8,
) -> Option<Words> {
    let mut node = Node::default();
    body.expand(state, &mut node);
    let mut edges = node.edges.into_iter();
    let edge = edges.find(|edge| (edge.lo..=edge.hi).contains(&byte))?;
    Some(edge.to)
}

/// An explicit body: deterministic over bytes, with positions numbered from 0, the start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Automaton {
    pub(crate) nodes: Box<[Node<u32>]>,
}

/// A rule's body.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Spelt out.
    Automaton(Automaton),
    /// Made when visited.
    Implicit(std::sync::Arc<dyn ImplicitBody>),
}
