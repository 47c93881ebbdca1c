//! Where in the schema an object's properties stand.

use super::ObjectBody;
use super::position::Phase;
use crate::base::RuleId;
use crate::front::json_schema::lower::provenance;
use crate::grammar::{Provenance, Words};

impl Provenance for ObjectBody {
    fn own(&self) -> Vec<String> {
        let is_own = |all: &crate::front::json_schema::model::Alternatives| {
            all.objects.contains(&self.plan.object)
        };
        provenance::of_alternatives(&self.plan.lowered.model, is_own)
    }

    fn called(&self, state: &Words, callee: RuleId) -> Vec<String> {
        let at = self.read(state);
        let lowered = &self.plan.lowered;
        let which = at.which as usize;
        match at.phase {
            Phase::Value => {
                let slot = &self.shape().slots[which];
                let name = lowered.model.sets.name_text(slot.name);
                let sets = self.known().usable.slots[which].iter();
                provenance::of_call(lowered, sets.map(|choice| choice.set), callee, Some(name))
            }
            Phase::OtherValue => {
                let values = self.others[which].values.iter();
                let sets = values.map(|(_, choice)| choice.set);
                provenance::of_call(lowered, sets, callee, None)
            }
            _ => Vec::new(),
        }
    }
}
