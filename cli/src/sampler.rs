//! A seeded sampler that stands in for a model.
//!
//! It sees the mask, the vocabulary and what it chose before, never the grammar. Left to chance
//! alone it would wander for ever in free text and white space, so it has a length budget: once a
//! stretch of text or the whole turn has grown long, it leans towards tokens that end things.
//! The lean is only in the odds; which tokens are possible is the mask's alone to say.

mod classes;

use std::ops::RangeInclusive;

use maskwright::base::TokenId;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use classes::{CLASSES, Class, common, is_set, nth};

pub(crate) use classes::{Classes, Kind};

/// Whether there is budget left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mood {
    Free,
    Hurried(Place),
}

/// What of a word may help.
enum Due {
    Nothing,
    Word,
    /// A word less its first quote.
    Tail,
}

/// What the mask suggests is being written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// Free text: hardly a word is refused.
    Text,
    /// A header, JSON outside of strings, a text of few words.
    Structure,
}

/// What the texts are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// To meet as much of a language as can be.
    Wide,
    /// To be read: little white space, no odd characters, and turns that show what a format has.
    Plain,
}

impl Class {
    /// How readily the class is chosen, at temperature 1, where texts are to be read; none where that makes no difference.
    /// `headers` is how many control tokens the turn has, `lines` whether there may be line breaks.
    fn plain_weight(
        self,
        mood: Mood,
        place: Place,
        (headers, lines): (usize, bool),
    ) -> Option<f64> {
        match (self, mood, place) {
            // A turn that must call a tool ends with a recipient, which may stand where a control token may stand, too.
            (Self::Control, _, Place::Structure) if headers > MANY_HEADERS => Some(0.5),
            (_, Mood::Hurried(_), _) => None,
            // A recipient before the first control token would leave out what comes before a call.
            (Self::Control, _, Place::Structure) if headers == 0 => Some(900.0),
            (Self::Control, _, Place::Structure) => Some(150.0),
            // In a text without line breaks, as JSON's strings are, a quote comes to the end.
            (Self::Quote, _, Place::Text) if lines => Some(0.1),
            (Self::Close | Self::Open | Self::Digits | Self::Mixed, _, Place::Text) => Some(0.2),
            (Self::Separator, _, Place::Text) => Some(1.0),
            (Self::Space, ..) => Some(0.005),
            (Self::Foreign, ..) => Some(0.02),
            _ => None,
        }
    }

    /// How readily the class is chosen, at temperature 1.
    fn weight(self, mood: Mood) -> f64 {
        match (self, mood) {
            (Self::End, Mood::Free) => 8.0,
            (Self::Control, Mood::Free) => 4.0,
            (Self::Close, Mood::Free) => 10.0,
            (Self::Quote, Mood::Free) => 14.0,
            (Self::Word, Mood::Free) => 90.0,
            (Self::Digits, Mood::Free) => 8.0,
            (Self::Space, Mood::Free) => 0.5,
            (Self::Open, Mood::Free) => 2.0,
            (Self::Separator | Self::Mixed, Mood::Free) => 6.0,
            (Self::Foreign, Mood::Free) => 0.5,
            (Self::End, Mood::Hurried(_)) => 1e9,
            (Self::Control, Mood::Hurried(_)) => 1e7,
            // In text a bracket closes nothing, and the text may end with a quote.
            (Self::Close, Mood::Hurried(Place::Structure)) => 1e5,
            (Self::Quote, Mood::Hurried(_)) => 1e3,
            (Self::Separator, Mood::Hurried(Place::Structure)) => 1e2,
            (Self::Word, Mood::Hurried(_)) => 10.0,
            (Self::Close | Self::Separator, Mood::Hurried(Place::Text)) => 4.0,
            (Self::Mixed, Mood::Hurried(_)) => 4.0,
            (Self::Digits, Mood::Hurried(_)) => 2.0,
            (Self::Open, Mood::Hurried(_)) => 0.1,
            (Self::Space | Self::Foreign, Mood::Hurried(_)) => 0.01,
        }
    }
}

/// With more words allowed than this it is text: JSON's own words and their beginnings are fewer, the
/// letters of ASCII are more.
const FEW_WORDS: u32 = 40;

/// How a sampler chooses.
pub(crate) struct SamplerConfig {
    pub(crate) seed: u64,
    /// 0 takes the likeliest class of tokens each time; above 1 the difference between classes washes out.
    pub(crate) temperature: f64,
    /// How many tokens a turn may have.
    pub(crate) max_tokens: usize,
    /// How many it may have before it is hurried; drawn anew for each.
    pub(crate) budget: RangeInclusive<usize>,
    pub(crate) manner: Manner,
}

impl SamplerConfig {
    /// Draws by weight, turns of at most `max_tokens` tokens, of which the last are hurried.
    pub(crate) fn new(seed: u64, max_tokens: usize) -> Self {
        let free = max_tokens / FREE_SHARE;
        Self {
            seed,
            temperature: 1.0,
            max_tokens,
            budget: free..=free,
            manner: Manner::Wide,
        }
    }
}

/// Sequences of tokens which no chance would spell.
#[derive(Default)]
pub(crate) struct Scripts {
    /// Control tokens that the vocabulary lacks.
    pub(crate) controls: Vec<Vec<TokenId>>,
    /// JSON's strings and literals that the language may ask for, those that help most to come to an end
    /// first.
    pub(crate) words: Vec<Vec<Vec<TokenId>>>,
    /// The strings among them without their first quotes, for a string that has begun.
    pub(crate) tails: Vec<Vec<TokenId>>,
}

/// The sampler. The same seed gives the same choices on every platform (at temperatures other than
/// 0 and 1, as far as its `powf` rounds alike).
pub(crate) struct Sampler<'v> {
    classes: &'v Classes,
    rng: ChaCha8Rng,
    config: SamplerConfig,
    /// Tokens after which this turn is hurried to its end.
    turn_budget: usize,
    taken: usize,
    /// How many of them were control tokens.
    headers: usize,
    /// Whether the last token may be a piece of a number or of a literal.
    within: bool,
    /// Tokens since the last one that ended something, and how many there may be.
    stretch: usize,
    stretch_budget: usize,
}

/// How many control tokens the first header of a turn has, at most.
const FIRST_HEADER: usize = 2;
/// With more control tokens than this a turn has had enough messages.
const MANY_HEADERS: usize = 8;
/// The share of a turn's tokens that it may spend freely, as a divisor.
const FREE_SHARE: usize = 3;
/// One in so many tokens begins a control token that is spelt out, where one may stand.
const CONTROL_ODDS: u32 = 32;
/// The same where there is need to end something, which single tokens may do as well.
const HURRIED_CONTROL_ODDS: u32 = 2;
/// One in so many tokens outside of text begins a known word, where one may stand.
const WORD_ODDS: u32 = 2;
/// So many words are asked for whether they fit, at most: a schema may have a hundred thousand.
const WORDS_ASKED: usize = 256;
/// A turn that is led goes up to so many tokens on a short way out at once.
const STRIDE: usize = 32;
/// It makes at least so many strides on a long one.
const STRIDES: usize = 8;
/// One in so many times it chooses for itself instead.
const STRAY_ODDS: u32 = 4;
/// How long a stretch of text may be before it is hurried.
const STRETCH: std::ops::Range<u32> = 4..40;

impl<'v> Sampler<'v> {
    /// A sampler, about to begin a turn.
    pub(crate) fn new(classes: &'v Classes, config: SamplerConfig) -> Self {
        let mut sampler = Self {
            classes,
            rng: ChaCha8Rng::seed_from_u64(config.seed),
            config,
            turn_budget: 0,
            taken: 0,
            headers: 0,
            within: false,
            stretch: 0,
            stretch_budget: 0,
        };
        sampler.begin_turn();
        sampler
    }

    /// Begins a new turn.
    pub(crate) fn begin_turn(&mut self) {
        (self.taken, self.headers, self.within) = (0, 0, false);
        self.turn_budget = self.rng.random_range(self.config.budget.clone());
        self.begin_stretch();
    }

    fn begin_stretch(&mut self) {
        self.stretch = 0;
        self.stretch_budget = self.rng.random_range(STRETCH) as usize;
    }

    /// Chooses one of the scripts that `fits` where `mask` holds: if there is need to end something, and
    /// now and then without need.
    pub(crate) fn recite<'s>(
        &mut self,
        mask: &[u32],
        scripts: &'s Scripts,
        fits: impl Fn(&[TokenId]) -> bool,
    ) -> Option<&'s [TokenId]> {
        let begins = |script: &[TokenId]| script.first().is_some_and(|&id| is_set(mask, id));
        let due = match self.recites_control(scripts) {
            true => std::slice::from_ref(&scripts.controls),
            false if scripts.words.is_empty() => &[],
            false => match self.due(mask) {
                Due::Nothing => &[][..],
                Due::Word => &scripts.words,
                Due::Tail => std::slice::from_ref(&scripts.tails),
            },
        };
        let script = due.iter().find_map(|scripts| {
            // From a random one on: asking whether a script fits may cost as much as its tokens.
            let (before, after) = scripts.split_at(self.rng.random_range(0..=scripts.len()));
            let mut begun = after.iter().chain(before).filter(|script| begins(script));
            begun.by_ref().take(WORDS_ASKED).find(|script| fits(script))
        })?;
        self.taken += script.len();
        self.within = true;
        self.begin_stretch();
        Some(script)
    }

    fn recites_control(&mut self, scripts: &Scripts) -> bool {
        let odds = match self.is_hurried() {
            true => HURRIED_CONTROL_ODDS,
            false => CONTROL_ODDS,
        };
        !scripts.controls.is_empty() && self.rng.random_ratio(1, odds)
    }

    /// What of a word is due: none in the midst of another, and in a hurry none where something can be
    /// closed.
    fn due(&mut self, mask: &[u32]) -> Due {
        let allows = |class| common(mask, self.classes.row(class)) > 0;
        match (self.is_hurried(), self.place(mask)) {
            (true, Place::Text) if !allows(Class::Quote) => Due::Tail,
            (_, Place::Text) => Due::Nothing,
            (_, Place::Structure) if self.within => Due::Nothing,
            (true, _) if allows(Class::End) || allows(Class::Close) => Due::Nothing,
            (true, _) => Due::Word,
            (false, _) if self.rng.random_ratio(1, WORD_ODDS) => Due::Word,
            (false, _) => Due::Nothing,
        }
    }

    fn place(&self, mask: &[u32]) -> Place {
        match common(mask, self.classes.row(Class::Word)) > FEW_WORDS {
            true => Place::Text,
            false => Place::Structure,
        }
    }

    /// Whether a turn that is led chooses for itself: while it may be free, and now and then, for the
    /// sake of variety.
    pub(crate) fn strays(&mut self) -> bool {
        self.taken < self.turn_budget || self.rng.random_ratio(1, STRAY_ODDS)
    }

    /// How far to follow a way out of `length` tokens. Further where it is long: each time that it is
    /// left, another is to be found.
    pub(crate) fn stride(&mut self, length: usize) -> usize {
        self.rng.random_range(1..STRIDE.max(length / STRIDES))
    }

    fn is_hurried(&self) -> bool {
        self.taken >= self.turn_budget || self.stretch >= self.stretch_budget
    }

    /// Chooses one of the tokens set in `mask`; none if none is.
    pub(crate) fn choose(&mut self, mask: &[u32]) -> Option<TokenId> {
        let mood = match self.is_hurried() {
            true => Mood::Hurried(self.place(mask)),
            false => Mood::Free,
        };
        let class = self.choose_class(mask, mood)?;
        let readable = self.readable(mask, class);
        let mask = readable.as_deref().unwrap_or(mask);
        let allowed = common(mask, self.classes.row(class));
        let spread: f64 = self.rng.random();
        // Low ids are the frequent tokens: the cube leans towards them.
        let lean = match self.draws_evenly(class, mask) {
            true => spread,
            false => spread * spread * spread,
        };
        let id = nth(
            mask,
            self.classes.row(class),
            (lean * f64::from(allowed)) as u32,
        )?;
        self.taken += 1;
        self.headers += usize::from(class == Class::Control);
        self.within = matches!(class, Class::Digits | Class::Word | Class::Mixed);
        match class {
            Class::End | Class::Control | Class::Close | Class::Quote => self.begin_stretch(),
            _ => self.stretch += 1,
        }
        Some(id)
    }

    /// The tokens of a mask that are readable, if texts are to be read and there are some in the class.
    fn readable(&self, mask: &[u32], class: Class) -> Option<Vec<u32>> {
        if self.config.manner == Manner::Wide {
            return None;
        }
        let readable = self.classes.readable(mask);
        (common(&readable, self.classes.row(class)) > 0).then_some(readable)
    }

    /// Whether all words are as good as each other: those of headers, so that later ones differ from the first, if texts
    /// are to be read.
    fn draws_evenly(&self, class: Class, mask: &[u32]) -> bool {
        let is_later = self.config.manner == Manner::Plain && self.headers > FIRST_HEADER;
        is_later && class == Class::Word && self.place(mask) == Place::Structure
    }

    fn weight(&self, class: Class, mask: &[u32], mood: Mood) -> f64 {
        let plain = match self.config.manner {
            Manner::Plain => {
                let lines = self.classes.allows_lines(mask);
                class.plain_weight(mood, self.place(mask), (self.headers, lines))
            }
            Manner::Wide => None,
        };
        plain.unwrap_or_else(|| class.weight(mood))
    }

    /// A class with tokens in the mask.
    fn choose_class(&mut self, mask: &[u32], mood: Mood) -> Option<Class> {
        let candidates = CLASSES.map(|class| match common(mask, self.classes.row(class)) {
            0 => (class, None),
            _ => (class, Some(self.tempered(self.weight(class, mask, mood)))),
        });
        let candidates = candidates
            .iter()
            .filter_map(|&(class, weight)| Some((class, weight?)));
        let likeliest = candidates.clone().map(|c| c.1).fold(0.0, f64::max);
        if likeliest == 0.0 {
            return None;
        }
        if self.config.temperature == 0.0 {
            let mut candidates = candidates;
            return candidates.find(|c| c.1 == likeliest).map(|c| c.0);
        }
        let total: f64 = candidates.clone().map(|c| c.1).sum();
        let mut left = self.rng.random::<f64>() * total;
        let mut chosen = None;
        for (class, weight) in candidates {
            chosen = Some(class);
            left -= weight;
            if left < 0.0 {
                break;
            }
        }
        chosen
    }

    fn tempered(&self, weight: f64) -> f64 {
        match self.config.temperature {
            0.0 | 1.0 => weight,
            temperature => weight.powf(1.0 / temperature),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORDS: [&str; 11] = [
        "the", " end", "7", " ", "{\"", "\"}", "\"", "é", "a.b", "\\n", ", ",
    ];
    /// `WORDS`, then a control token, then an end token.
    const LEN: usize = WORDS.len() + 2;
    const CONTROL: usize = WORDS.len();
    const END: usize = WORDS.len() + 1;

    fn classes() -> Classes {
        Classes::new(LEN, |id| match id.index() {
            CONTROL => Kind::Control,
            END => Kind::End,
            index => Kind::Text(WORDS[index].as_bytes()),
        })
    }

    fn mask(ids: &[usize]) -> Vec<u32> {
        vec![ids.iter().fold(0, |row, id| row | 1 << id)]
    }

    #[test]
    fn chooses_only_what_the_mask_allows() {
        let classes = classes();
        for temperature in [0.0, 0.5, 1.0, 100.0] {
            let config = SamplerConfig {
                temperature,
                ..SamplerConfig::new(1, 10)
            };
            let mut sampler = Sampler::new(&classes, config);
            for round in 0..1 << LEN {
                let ids: Vec<usize> = (0..LEN).filter(|id| round >> id & 1 == 1).collect();
                let chosen = sampler.choose(&mask(&ids));
                assert_eq!(chosen.is_none(), ids.is_empty());
                assert!(chosen.is_none_or(|id| ids.contains(&id.index())));
            }
        }
    }

    #[test]
    fn repeats_itself_with_the_same_seed() {
        let classes = classes();
        let all = mask(&(0..LEN).collect::<Vec<_>>());
        let run = |seed| {
            let mut sampler = Sampler::new(&classes, SamplerConfig::new(seed, 1000));
            (0..100)
                .map(|_| sampler.choose(&all).map(TokenId::get))
                .collect::<Vec<_>>()
        };
        assert_eq!(run(7), run(7));
        assert_ne!(run(7), run(8));
    }

    #[test]
    fn ends_text_when_the_budget_is_spent() {
        let classes = classes();
        let text_or_end = mask(&[0, 1, 2, 3, 7, 8, END]);
        for seed in 0..50 {
            let mut sampler = Sampler::new(&classes, SamplerConfig::new(seed, 200));
            sampler.begin_turn();
            let ended = (0..200).any(|_| {
                sampler
                    .choose(&text_or_end)
                    .is_some_and(|id| id.index() == END)
            });
            assert!(ended, "seed {seed}");
        }
    }

    #[test]
    fn is_led_when_the_budget_is_spent() {
        let classes = classes();
        let config = SamplerConfig {
            budget: 3..=3,
            ..SamplerConfig::new(1, 100)
        };
        let mut sampler = Sampler::new(&classes, config);
        for _ in 0..3 {
            assert!(sampler.strays());
            sampler.choose(&mask(&[0]));
        }
        let led = (0..800).filter(|_| !sampler.strays()).count();
        assert!((500..700).contains(&led), "{led}");
        let strides = [10, 8000].map(|length| (0..100).map(|_| sampler.stride(length)).max());
        assert!(
            strides[0] < Some(32) && strides[1] > Some(500),
            "{strides:?}"
        );
    }
}
