//! What tokens can see of an object whose slots come in their order.

use super::position::{At, Phase};
use super::{ObjectBody, OtherRules};
use crate::front::json_schema::shape::Progress;
use crate::grammar::{Horizon, KeyWriter, SEPARATOR, Sight, Viewpoint};

impl ObjectBody {
    /// Writes an outline of the position `at`; `None` where too much is in sight.
    pub(super) fn outline_at(
        &self,
        at: &At,
        (sight, key): (&dyn Sight, &mut KeyWriter<'_>),
    ) -> Option<Horizon> {
        let mut outline = Outline {
            body: self,
            sight,
            key,
        };
        let progress = &at.progress;
        match at.phase {
            Phase::Start => {
                outline.key.word(self.lead as u32);
                outline.end_or_keys(progress, Some(b'{'))
            }
            Phase::Open => outline.end_or_keys(progress, None),
            // What a key leads to is in sight, where it is, from behind another comma, too.
            Phase::Comma => match outline.keys(progress, None)? {
                Passed::No => Some(Horizon::Within),
                Passed::Yes => Some(outline.end(progress, Viewpoint::Any)),
            },
            Phase::After => outline.end_or_keys(progress, Some(SEPARATOR)),
            Phase::Key => outline.names_left(at),
            Phase::Colon => outline.values(progress, at.which, Viewpoint::Colon),
            Phase::Value => outline.values(progress, at.which, Viewpoint::Value),
            Phase::OtherColon => outline.other_values(progress, at.which, Viewpoint::Colon),
            Phase::OtherValue => outline.other_values(progress, at.which, Viewpoint::Value),
            Phase::End => Some(Horizon::Beyond(Viewpoint::Any)),
        }
    }
}

/// Whether what a key leads to is in sight.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Passed {
    No,
    Yes,
}

struct Outline<'o, 'k> {
    body: &'o ObjectBody,
    sight: &'o dyn Sight,
    key: &'o mut KeyWriter<'k>,
}

impl Outline<'_, '_> {
    fn flag(&mut self, flag: bool) -> bool {
        self.key.word(u32::from(flag));
        flag
    }

    /// Whether the object may end, as far as that is in sight.
    fn end(&mut self, progress: &Progress, from: Viewpoint) -> Horizon {
        let ends = self.sight.closes(from, b'}') && self.body.may_close(progress);
        match self.flag(ends) {
            true => Horizon::Closer(from, b'}'),
            false => Horizon::Within,
        }
    }

    /// What there is where the object may end or go on.
    fn end_or_keys(&mut self, progress: &Progress, before: Option<u8>) -> Option<Horizon> {
        let horizon = self.end(progress, Viewpoint::Any);
        self.keys(progress, before)?;
        Some(horizon)
    }

    /// What may follow a value, as far as it is in sight from before the value.
    fn after(&mut self, progress: &Progress, from: Viewpoint) -> Option<Horizon> {
        let horizon = self.end(progress, from);
        let is_seen = self.sight.separates(from) || horizon != Horizon::Within;
        if self.flag(is_seen) {
            self.keys(progress, Some(SEPARATOR))?;
        }
        Some(horizon)
    }

    /// The keys that may come next.
    fn keys(&mut self, progress: &Progress, before: Option<u8>) -> Option<Passed> {
        self.names(progress, before)?;
        let others = &self.body.others;
        self.key.word(others.len() as u32);
        let passes = !others.is_empty() && self.sight.passes_key(before);
        for other in others {
            if !self.flag(self.body.may_have_other(progress, other)) {
                continue;
            }
            self.key.rule(other.key);
            if passes {
                self.choices(progress, other)?;
            }
        }
        if !passes {
            return Some(Passed::No);
        }
        self.flag(self.body.may_close(progress));
        self.names(progress, Some(SEPARATOR))?;
        Some(Passed::Yes)
    }

    /// The names that may come next, as far as they are in sight and no other key does as well.
    fn names(&mut self, progress: &Progress, before: Option<u8>) -> Option<()> {
        let body = self.body;
        let any = body.may_have_any(progress);
        let mut last: &[u8] = &[];
        for (name, slot) in &body.known().keys {
            if !body.may_come(progress, *slot) {
                continue;
            }
            let seen = self.sight.seen(before, name)?;
            // There may be nothing of it to see but that it is there.
            let seen = &name[..seen.max(1)];
            let is_told = match any {
                true => is_any_key(seen),
                false => !last.is_empty() && last.starts_with(seen),
            };
            if !is_told {
                last = seen;
                self.key.bytes(last);
            }
        }
        self.key.word(u32::MAX);
        Some(())
    }

    /// What is left of the names that agree with the key under way, and what they lead to.
    fn names_left(&mut self, at: &At) -> Option<Horizon> {
        let body = self.body;
        let any = body.may_have_any(&at.progress);
        let mut horizon = Horizon::Within;
        for (_, name, slot) in body.agreeing(at) {
            let left = &name[at.depth as usize..];
            let is_passed = self.sight.spans(left);
            if is_passed || !any || !is_any_key(&name[..name.len() - 1]) {
                self.key.bytes(left);
            }
            if let Some(after) = body.after_slot(&at.progress, slot).filter(|_| is_passed) {
                let values = self.values(&after, slot, Viewpoint::Key)?;
                horizon = farther(horizon, values);
            }
        }
        Some(horizon)
    }

    /// The values that `slot` may have, and what may follow.
    fn values(&mut self, progress: &Progress, slot: u32, from: Viewpoint) -> Option<Horizon> {
        let values = self.body.values(progress, slot);
        self.key.word(values.len() as u32);
        let mut horizon = Horizon::Within;
        for (rule, after) in values {
            self.key.rule(rule);
            horizon = farther(horizon, self.after(&after, from)?);
        }
        Some(horizon)
    }

    /// The same of a key of this class.
    fn other_values(
        &mut self,
        progress: &Progress,
        class: u32,
        from: Viewpoint,
    ) -> Option<Horizon> {
        self.choices(progress, &self.body.others[class as usize])?;
        self.after(progress, from)
    }

    /// The values that a key of the class of `other` may have; `None` where anything else changes with them.
    fn choices(&mut self, progress: &Progress, other: &OtherRules) -> Option<()> {
        let values = self.body.after_other(progress, other);
        for (rule, after) in values {
            if after != *progress {
                return None;
            }
            self.flag(true);
            self.key.rule(rule);
        }
        self.flag(false);
        Some(())
    }
}

/// Whether any other key may begin like this: with less than a name, and no escape, which only some names may have.
fn is_any_key(beginning: &[u8]) -> bool {
    !beginning[1..].contains(&b'"') && !beginning.contains(&b'\\')
}

/// The farther of two horizons that are no farther than the object's end.
fn farther(one: Horizon, other: Horizon) -> Horizon {
    match one {
        Horizon::Within => other,
        _ => one,
    }
}
