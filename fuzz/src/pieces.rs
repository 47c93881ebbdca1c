//! A transcript as an input says it: how it is to be read, the text, and how that is cut.

use maskwright_transcript::{
    ControlSet, Format, ParserConfig, Piece, SpeltControls, StartPoint, Strictness,
};

/// A transcript and how it is read. Of the bytes in front of the text the first is the format, the second says the start
/// point, how strict the parser is and what control tokens are, and two more decide where the text is cut.
pub struct Input {
    pub config: ParserConfig<'static>,
    pub text: String,
    /// Whether the control tokens are tokens of the vocabulary.
    as_tokens: bool,
    seed: u32,
}

impl Input {
    /// `None` where there is no text.
    pub fn of(data: &[u8]) -> Option<Self> {
        let [format, flags, low, high, text @ ..] = data else {
            return None;
        };
        let format = Format::ALL[usize::from(*format) % Format::ALL.len()];
        let bit = |bit: u32| flags >> bit & 1 == 1;
        let config = ParserConfig {
            start: match flags & 3 {
                0 | 3 => StartPoint::Transcript,
                1 => StartPoint::AssistantHeader,
                _ => StartPoint::FimMiddle,
            },
            strictness: match bit(2) {
                true => Strictness::Generation,
                false => Strictness::History,
            },
            spelt: match bit(3) {
                true => SpeltControls::Text,
                false => SpeltControls::Refused,
            },
            ..ParserConfig::transcript(format)
        };
        Some(Self {
            config,
            text: String::from_utf8_lossy(text).into_owned(),
            as_tokens: bit(4),
            seed: u32::from(u16::from_le_bytes([*low, *high])),
        })
    }

    /// The control tokens that the vocabulary has.
    pub fn vocabulary(&self) -> ControlSet {
        match self.as_tokens {
            true => self.config.format.controls(),
            false => ControlSet::default(),
        }
    }

    /// The text as pieces: whole, or cut anywhere, also within characters.
    pub fn pieces(&self, cut: bool) -> Vec<Piece<'_>> {
        let mut pieces = Vec::new();
        let mut cuts = Cuts(self.seed | 1);
        let mut rest = self.text.as_str();
        loop {
            let control = self.next_control(rest);
            let end = control.map_or(rest.len(), |(start, _)| start);
            match cut {
                true => cuts.split(&rest.as_bytes()[..end], &mut pieces),
                false => pieces.push(Piece::Text(&rest.as_bytes()[..end])),
            }
            let Some((start, name)) = control else {
                return pieces;
            };
            pieces.push(Piece::special(name));
            rest = &rest[start + name.len()..];
        }
    }

    fn next_control<'t>(&self, text: &'t str) -> Option<(usize, &'t str)> {
        let names = self.vocabulary();
        let places = names.iter().filter_map(|token| {
            let at = text.find(token.spelling())?;
            Some((at, &text[at..at + token.spelling().len()]))
        });
        // Of two that begin in one place the longer is meant.
        places.min_by_key(|(at, name)| (*at, std::cmp::Reverse(name.len())))
    }
}

/// Where a text is cut: a linear congruential generator.
struct Cuts(u32);

impl Cuts {
    /// Adds a text in pieces of a few bytes.
    fn split<'t>(&mut self, mut text: &'t [u8], pieces: &mut Vec<Piece<'t>>) {
        while text.len() > 1 {
            let (piece, rest) = text.split_at(self.below(text.len().min(12)) + 1);
            pieces.push(Piece::Text(piece));
            text = rest;
        }
        pieces.push(Piece::Text(text));
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % bound
    }
}
