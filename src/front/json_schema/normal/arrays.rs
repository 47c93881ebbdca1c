//! Arrays in normal form.

use super::Normaliser;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::{ArrayId, ArraySet, Count, Repeats, SetId};

impl Normaliser<'_> {
    /// The number of a set of arrays; `None` where it is seen to be empty.
    pub(super) fn add_array(&mut self, mut set: ArraySet) -> Option<ArrayId> {
        self.simplify_counts(&mut set)?;
        let never = |set: &SetId| *set == SetId::NEVER;
        let possible = set.prefix.iter().position(never);
        let possible = possible.or((set.rest == SetId::NEVER).then_some(set.prefix.len()));
        if let Some(possible) = possible {
            set.most = set.most.min(u32::try_from(possible).unwrap_or(u32::MAX));
        }
        if (set.most as usize) <= set.prefix.len() {
            set.prefix.truncate(set.most as usize);
            set.rest = SetId::NEVER;
        }
        while set.prefix.last() == Some(&set.rest) {
            set.prefix.pop();
        }
        match set.repeats {
            Repeats::Some => set.least = set.least.max(2),
            Repeats::None if set.most <= 1 => set.repeats = Repeats::Any,
            _ => {}
        }
        (set.least <= set.most).then(|| ArrayId::new(self.model.arrays.intern(set).0))
    }

    /// Merges counts, and says otherwise what can be said otherwise; `None` where they contradict.
    fn simplify_counts(&mut self, set: &mut ArraySet) -> Option<()> {
        let mut counts: Vec<Count> = Vec::new();
        for count in std::mem::take(&mut set.counts) {
            let same = |other: &&mut Count| (other.set, other.from) == (count.set, count.from);
            match counts.iter_mut().find(same) {
                None => counts.push(count),
                Some(other) => {
                    other.least = other.least.max(count.least);
                    other.most = other.most.min(count.most);
                }
            }
        }
        for count in counts {
            let Count {
                set: counted,
                from,
                least,
                most,
            } = count;
            if least > most || (counted == SetId::NEVER && least > 0) {
                return None;
            }
            if least == 0 && most == u32::MAX || counted == SetId::NEVER {
                continue;
            }
            if counted == SetId::ANY {
                if least > 0 {
                    set.least = set.least.max(from.saturating_add(least));
                }
                set.most = set.most.min(from.saturating_add(most));
            } else if most == 0 {
                let others = self.model.sets.not(counted);
                while set.prefix.len() < from as usize {
                    set.prefix.push(set.rest);
                }
                for item in &mut set.prefix[from as usize..] {
                    *item = self.model.sets.both(*item, others);
                }
                set.rest = self.model.sets.both(set.rest, others);
            } else {
                if least > 0 {
                    set.least = set.least.max(from.saturating_add(least));
                }
                set.counts.push(count);
            }
        }
        Some(())
    }

    /// The arrays of both sets.
    pub(super) fn both_arrays(
        &mut self,
        a: ArrayId,
        b: ArrayId,
        origin: ValueId,
    ) -> Result<Option<ArrayId>, SchemaError> {
        if a == b {
            return Ok(Some(a));
        }
        let (a, b) = (self.model.array(a).clone(), self.model.array(b).clone());
        let places = a.prefix.len().max(b.prefix.len());
        self.charge(1 + places + a.counts.len() * b.counts.len(), origin)?;
        let sets = &mut self.model.sets;
        let prefix = (0..places)
            .map(|i| sets.both(a.item(i), b.item(i)))
            .collect();
        let rest = sets.both(a.rest, b.rest);
        let Some(repeats) = a.repeats.both(b.repeats) else {
            return Ok(None);
        };
        Ok(self.add_array(ArraySet {
            prefix,
            rest,
            least: a.least.max(b.least),
            most: a.most.min(b.most),
            counts: [a.counts, b.counts].concat(),
            repeats,
        }))
    }

    /// The arrays that are not in `set`.
    pub(super) fn array_complement(&mut self, set: &ArraySet) -> Vec<ArrayId> {
        let mut parts = Vec::new();
        if let Some(below) = set.least.checked_sub(1) {
            parts.push(ArraySet {
                most: below,
                ..ArraySet::ANY
            });
        }
        if set.most < u32::MAX {
            parts.push(ArraySet {
                least: set.most + 1,
                ..ArraySet::ANY
            });
        }
        for (index, &item) in set.prefix.iter().enumerate() {
            let mut prefix = vec![SetId::ANY; index];
            prefix.push(self.model.sets.not(item));
            parts.push(ArraySet {
                prefix,
                least: index as u32 + 1,
                ..ArraySet::ANY
            });
        }
        let counted = |count| ArraySet {
            counts: vec![count],
            ..ArraySet::ANY
        };
        parts.push(counted(Count {
            set: self.model.sets.not(set.rest),
            from: set.prefix.len() as u32,
            least: 1,
            most: u32::MAX,
        }));
        for &count in &set.counts {
            if let Some(below) = count.least.checked_sub(1) {
                parts.push(counted(Count {
                    least: 0,
                    most: below,
                    ..count
                }));
            }
            if count.most < u32::MAX {
                parts.push(counted(Count {
                    least: count.most + 1,
                    most: u32::MAX,
                    ..count
                }));
            }
        }
        let repeats = match set.repeats {
            Repeats::Any => None,
            Repeats::None => Some(Repeats::Some),
            Repeats::Some => Some(Repeats::None),
        };
        parts.extend(repeats.map(|repeats| ArraySet {
            repeats,
            ..ArraySet::ANY
        }));
        parts
            .into_iter()
            .filter_map(|part| self.add_array(part))
            .collect()
    }
}
