//! Which bytes a language of texts cannot do without.

use rustc_hash::FxHashSet;

use super::dfa::StateId;
use super::nesting::Place;
use super::texts::Texts;
use crate::base::ByteSet;

/// Languages with more places between characters are not looked through: they need what is missing.
const MOST_PLACES: usize = 1 << 16;

/// A place, to be told apart.
type Known = (StateId, u32);

impl Texts {
    /// A byte of those `missing` that the language cannot do without: somewhere a character with it leads to where no
    /// character without does. If there is none, texts without these bytes can go on wherever all texts can, in characters of
    /// the same number.
    pub(crate) fn needs(&self, missing: &ByteSet) -> Option<u8> {
        let start = self.start();
        let mut known: FxHashSet<Known> = FxHashSet::default();
        known.insert((start.state, start.open));
        let mut pending = vec![start];
        while let Some(place) = pending.pop() {
            let mut next = Next::default();
            self.characters(place, missing, None, &mut next);
            let lost = next.lost.into_iter();
            for (byte, place) in lost {
                if !next.kept.contains(&place) {
                    return Some(byte);
                }
            }
            for place in next.kept {
                if known.insert((place.state, place.open)) {
                    pending.push(place);
                }
            }
            if known.len() > MOST_PLACES {
                return missing.iter().next();
            }
        }
        None
    }

    /// Where characters lead from `place`, of which a byte may have been `lost` already.
    fn characters(&self, place: Place, missing: &ByteSet, lost: Option<u8>, next: &mut Next) {
        self.visit(place, &mut |lo, hi, to| {
            if !self.is_live(to) {
                return;
            }
            let range = ByteSet::range(lo, hi);
            let gone = missing.intersect(&range).iter().next();
            let stays = !range.without(missing).is_empty();
            let ways = [stays.then_some(lost), gone.map(|byte| lost.or(Some(byte)))];
            for lost in ways.into_iter().flatten() {
                match (self.is_inside(to), lost) {
                    (true, _) => self.characters(to, missing, lost, next),
                    (false, None) => next.kept.push(to),
                    (false, Some(byte)) => next.lost.push((byte, to)),
                }
            }
        });
    }
}

/// Where the next character leads.
#[derive(Default)]
struct Next {
    kept: Vec<Place>,
    /// Those characters that have a byte which is missing.
    lost: Vec<(u8, Place)>,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::base::Limits;
    use crate::regular::Dfa;

    #[test]
    fn a_language_needs_what_nothing_else_does_as_well() {
        // Without the lead bytes of Latin and of emoji.
        let missing = ByteSet::from_iter([0xC3, 0xF0]);
        for (pattern, needed) in [
            ("^[a-z]+$", None),
            ("^.{3,5}$", None),
            ("^[^a]*b$", None),
            ("x", None),
            ("^[a\\u00e9]+$", None),
            ("^a\\u00e9?$", Some(0xC3)),
            ("^(ab|\\u00e9c)$", Some(0xC3)),
            ("^\\u{1F980}$", Some(0xF0)),
        ] {
            let pattern = pattern.replace("\\\\", "\\");
            let dfa = Dfa::pattern(&pattern, &Limits::default()).unwrap();
            let texts = Texts::Flat(Arc::new(dfa));
            assert_eq!(texts.needs(&missing), needed, "{pattern}");
        }
    }
}
