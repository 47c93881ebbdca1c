//! What an object's members are like, as a key: equal keys, equal members.

use super::ObjectBody;
use crate::front::json_schema::shape::Hits;
use crate::grammar::KeyWriter;

impl ObjectBody {
    pub(super) fn describe_members(&self, key: &mut KeyWriter<'_>) {
        self.describe_slots(key);
        self.describe_bounds(key);
        self.describe_others(key);
    }

    fn describe_slots(&self, key: &mut KeyWriter<'_>) {
        let (known, slots) = (self.known(), &self.shape().slots);
        key.word(known.keys.len() as u32);
        for (spelt, slot) in &known.keys {
            key.bytes(spelt);
            key.word(*slot);
        }
        key.word(slots.len() as u32);
        for (slot, choices) in slots.iter().zip(&known.usable.slots) {
            key.word(u32::from(slot.required));
            key.word(choices.len() as u32);
            for choice in choices {
                key.rule(self.plan.lowered.rule(choice.set));
                describe_hits(choice.hits, key);
            }
        }
    }

    /// How many members there are, and which of them go together.
    fn describe_bounds(&self, key: &mut KeyWriter<'_>) {
        let shape = self.shape();
        key.word(shape.least);
        key.word(shape.most);
        key.word(shape.clauses.len() as u32);
        for lacks in &shape.clauses {
            key.word(lacks.len() as u32);
            lacks.iter().for_each(|&slot| key.word(slot));
        }
        key.word(shape.implications.len() as u32);
        for &(slot, needed) in &shape.implications {
            key.word(slot);
            key.word(needed);
        }
    }

    fn describe_others(&self, key: &mut KeyWriter<'_>) {
        key.word(self.others.len() as u32);
        for other in &self.others {
            key.word(self.shape().others[other.class].count);
            key.rule(other.key);
            key.word(other.values.len() as u32);
            for &(rule, choice) in &other.values {
                key.rule(rule);
                describe_hits(choice.hits, key);
            }
        }
    }
}

fn describe_hits(hits: Hits, key: &mut KeyWriter<'_>) {
    hits.words().into_iter().for_each(|word| key.word(word));
}
