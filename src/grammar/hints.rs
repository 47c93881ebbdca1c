//! What a body can tell besides what it is, so that masks and searches take less work.

use std::borrow::Cow;

use smallvec::SmallVec;

use super::words::Words;
use super::{Delimiters, KeyWriter, Provenance, Texts};
use crate::base::{ByteSet, RuleId};

/// What a body can tell of its positions besides what they offer.
///
/// CONTRACT: hints make something faster and change nothing else. Each method says what must hold for its answer;
/// masks are taken from these answers and not checked again, so an answer that breaks its contract makes wrong masks.
/// Each default says nothing, which is always right: a body without any hints has the same masks.
pub(crate) trait Hints {
    /// Writes a description that equals another body's description only if both behave alike,
    /// their callees included ([`KeyWriter::rule`] writes those); `false` where there is none.
    ///
    /// Rules with equal descriptions share their masks across grammars.
    fn describe(&self, key: &mut KeyWriter<'_>) -> bool {
        let _ = key;
        false
    }

    /// A position of a simpler rule that `state` is like, as [`Shadow`] says, if there is one.
    fn shadow(&self, state: &Words) -> Option<Shadow<'_>> {
        let _ = state;
        None
    }

    /// Which texts `state` refuses that its shadow takes, if that has [`Ends::Tried`] and there may be any.
    fn refusing(&self, state: &Words) -> Option<Box<dyn Refusing + '_>> {
        let _ = state;
        None
    }

    /// The length of `text` read from `state`, in whatever units bounds are given in, for positions that shadow this
    /// one: for strings, the code points begun. It is no more than the bytes of `text`.
    fn measure(&self, state: &[u32], text: &[u8]) -> u32 {
        let _ = (state, text);
        0
    }

    /// The least length, in the same units, of a text that ends the rule from `state`.
    fn rest(&self, state: &[u32]) -> u32 {
        let _ = state;
        0
    }

    /// At least the rest of every position.
    fn greatest_rest(&self) -> u32 {
        0
    }

    /// At most `most` of the texts of which one leads on from `state`, without calls or an end on the way, ascending, each with
    /// a number for [`Self::behind`]; none where that cannot be told. Walks make no positions within such texts, so the
    /// [`Self::rest`] of those is 0.
    fn texts(&self, state: &Words, most: usize) -> SmallVec<[(&[u8], u32); 2]> {
        let _ = (state, most);
        SmallVec::new()
    }

    /// The position behind the text with that `number` of those that lead on from `state`.
    fn behind(&self, state: &Words, number: u32) -> Option<Words> {
        let _ = (state, number);
        None
    }

    /// The search key of `state`: what of it decides how far the end of the rule is, without, above all, what was
    /// read before. The search for a shortest completion goes on from one position of each key first. Keys that are
    /// too coarse cost steps, or a completion that is not the shortest; they never cost an end.
    fn gist(&self, state: &Words) -> Option<Words> {
        let _ = state;
        None
    }

    /// The byte with which a shortest way from `state` to the end of the rule goes on, if the body can tell without a
    /// search; a search for a way out then looks at nothing else that `state` offers. It counts only where an edge of
    /// `state` reads it.
    fn onward(&self, state: &Words) -> Option<u8> {
        let _ = state;
        None
    }

    /// A byte of those `missing` that the body cannot do without, and for what: a text that it spells has the byte, or
    /// without it one could come to where nothing leads on. The others are left out of what it reads. White space and
    /// what else of ASCII is printed is not missing.
    fn needs(&self, missing: &ByteSet) -> Option<Needed> {
        let _ = missing;
        None
    }

    /// Of the bytes that vocabularies may lack those that the body reads, and maybe more: where it reads any text, all
    /// that occur in UTF-8 from DEL on.
    fn reads(&self) -> ByteSet {
        ByteSet::EMPTY
    }

    /// How many parts of the body are looked at where `state` is visited, at most: what a search for a way out is
    /// charged for it.
    fn weight(&self, state: &Words) -> usize {
        let _ = state;
        1
    }

    /// What the body remembers of what it has read, for one that does.
    fn remembering(&self) -> Option<&dyn Remembering> {
        None
    }

    /// Where the body comes from, for one that can tell.
    fn provenance(&self) -> Option<&dyn Provenance> {
        None
    }
}

/// What a body reads that reads any text, of the bytes that vocabularies may lack.
pub(crate) const ANY_TEXT: ByteSet = ByteSet::range(0x7F, 0xBF).union(&ByteSet::range(0xC2, 0xF4));

/// A byte, and what needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Needed {
    pub(crate) byte: u8,
    /// The text that has it; `None` where it is a pattern's.
    pub(crate) text: Option<Box<str>>,
}

impl Needed {
    /// The first of `texts` that has one of the `missing` bytes.
    pub(crate) fn by<'t>(
        missing: &ByteSet,
        texts: impl IntoIterator<Item = &'t [u8]>,
    ) -> Option<Self> {
        texts.into_iter().find_map(|text| {
            let byte = text.iter().copied().find(|&byte| missing.contains(byte))?;
            let text = String::from_utf8_lossy(text).into();
            let text = Some(text);
            Some(Self { byte, text })
        })
    }

    /// A pattern needs `byte`.
    pub(crate) fn by_pattern(byte: u8) -> Self {
        Self { byte, text: None }
    }
}

/// The hints of a body that gives none.
#[derive(Debug)]
pub(super) struct NoHints;

impl Hints for NoHints {}

/// Says that a position behaves like a position of a simpler rule, cut by simple conditions, so
/// that the simpler one's mask can serve.
///
/// CONTRACT, for the position `p` that has this shadow and the position `q` it names, and
/// with `measure` and `rest` being [`Hints::measure`] and [`Hints::rest`] of `q`'s
/// body:
///
/// - a text keeps `p`'s rule unfinished exactly when it leads from `q` to some `r` that is
///   unfinished, its measure and the rest of `r` come to at most `most`, and it does not begin with
///   one of `without`;
/// - a text ends `p`'s rule exactly when it ends `q`'s rule, its measure is at least `least` and at
///   most `most`, it does not begin with one of `without`, and it is none of `except`;
/// - where `q` loops on a class of characters, each of them measures one;
/// - where ends are [tried](Ends::Tried), what [`Hints::refusing`] refuses counts as one of `without`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shadow<'a> {
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

/// Which texts a position refuses that its [`Shadow`] takes: where there are too many to list, they are asked for.
pub(crate) trait Refusing {
    /// What may follow `text`, which leads on where this was asked for a part of it.
    fn ahead(&self, text: &[u8]) -> Ahead;

    /// How many parts of the body are looked at for that, at most, as [`Hints::weight`] counts them.
    fn weight(&self, text: &[u8]) -> usize;
}

/// What may follow a text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ahead {
    /// Nothing: no text begins so.
    Nothing,
    /// Whatever the shadow takes.
    Anything,
    /// Whatever the shadow takes of at most so many of the `free` bytes. What else begins with one of these or of those
    /// `asked` must be asked for.
    Some {
        free: ByteSet,
        most: u32,
        asked: ByteSet,
    },
}

/// What is left of some texts behind a beginning that they share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tails<'a> {
    texts: Cow<'a, [Box<[u8]>]>,
    from: usize,
}

impl<'a> Tails<'a> {
    /// What is left of `texts` behind their first `from` bytes: each has more.
    pub(crate) fn new(texts: &'a [Box<[u8]>], from: usize) -> Self {
        let texts = Cow::Borrowed(texts);
        Self { texts, from }
    }

    /// These texts, whole.
    pub(crate) fn owned(texts: Vec<Box<[u8]>>) -> Self {
        let texts = Cow::Owned(texts);
        Self { texts, from: 0 }
    }

    /// Each of them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(move |text| &text[self.from..])
    }
}

/// Which texts end a rule that has a [`Shadow`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ends {
    /// Those that end the other rule, cut as the shadow says.
    #[default]
    Same,
    /// The same, and a text that ends the rule may also stay within it: the rule may end in the middle of a token that leads too
    /// far within it. Its exit has no words.
    Open,
    /// The same, but for what follows them: a token in which more than the text stands is to be tried, since what is
    /// remembered of the text may refuse the rest.
    Tried,
    /// Some of those that end the other rule: each is to be tried. Nothing is cut then.
    Fewer,
}

/// What a position remembers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    /// How the texts are delimited.
    pub delimiters: Delimiters,
    /// What no text between delimiters goes on with.
    pub remembered: SmallVec<[Remembered; 1]>,
    /// What has been read of the text under way, if any, with a delimiter that is part of it.
    pub begun: Box<[u8]>,
}

/// Texts that are remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Remembered {
    /// No text where one may begin goes on with one of these and what must follow it.
    pub texts: Texts,
    /// Which texts to come may be refused for them.
    pub refusal: Refusal,
}

impl Remembered {
    /// Whether nothing is refused.
    pub(crate) fn is_nothing(&self) -> bool {
        self.texts.is_empty() && self.refusal == Refusal::Whole
    }
}

/// How far a text must have come to be refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Refusal {
    /// A text is only refused when it is repeated to its end.
    #[default]
    Whole,
    /// There may be so few texts that a beginning is refused, since all that it leads to were read.
    Beginning,
}

/// How far one is in a text that may be remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Nothing of it was read.
    Beginning,
    /// It is under way.
    Within,
}

/// A body that remembers texts, so that none comes twice.
///
/// Masks are computed from what the body would be if it forgot: if every position were replaced by
/// what [`Self::forget`] makes of it, arguments by what [`Self::forget_args`] does, and what edges record
/// were forgotten at once. CONTRACT: that body takes whatever this one takes; and if it takes a piece of text
/// from a position that has a [`Memory`] and this one does not, then a text in that piece where
/// [`Delimiters`] let one stand, or the one under way, goes on with one that is remembered, or what is begun and the piece
/// have some such text twice (where [`Refusal::Beginning`] says so, one text and the delimiter of another). Texts
/// without delimiters of their own are remembered with [`Refusal::Whole`] alone.
pub(crate) trait Remembering {
    /// How the texts are delimited.
    fn delimiters(&self) -> Delimiters;

    /// The arguments, with nothing remembered.
    fn forget_args(&self, args: &Words) -> Words;

    /// The position, with nothing remembered. For one that has nothing to remember it is the
    /// position itself.
    fn forget(&self, state: &Words) -> Words;

    /// What is remembered at a position.
    fn memory(&self, state: &Words) -> Memory;

    /// Where in a text that may be remembered a position is, be what was read of it forgotten or not; `None` where it is in
    /// none.
    fn progress(&self, state: &Words) -> Option<Progress> {
        let _ = state;
        None
    }
}
