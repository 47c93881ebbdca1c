//! Exactly one of several sets: where two have members in common, those are left out.

use std::sync::Arc;

use super::Normaliser;
use crate::base::LimitError;
use crate::front::json_schema::SchemaError;
use crate::front::json_schema::model::Alternatives;
use crate::front::json_schema::reader::ValueId;
use crate::front::json_schema::values::ObjectId;
use crate::front::json_schema::values::SetId;

/// How many pairs of branches may have to be intersected.
const PAIRS: usize = 1 << 15;

impl Normaliser<'_> {
    pub(super) fn one(
        &mut self,
        members: &[SetId],
        origin: ValueId,
    ) -> Result<Alternatives, SchemaError> {
        let mut branches: Vec<Arc<Alternatives>> = Vec::with_capacity(members.len());
        for &member in members {
            branches.push(self.normalise(member)?);
        }
        let mut rivals: Vec<Vec<usize>> = vec![Vec::new(); branches.len()];
        let mut pairs = 0;
        for i in 0..branches.len() {
            for j in i + 1..branches.len() {
                if self.are_apart(&branches[i], &branches[j], 0)? {
                    continue;
                }
                pairs += 1;
                LimitError::check(
                    "pairs of branches of a oneOf that may overlap",
                    pairs,
                    PAIRS,
                )
                .map_err(|source| self.limit(origin, source))?;
                if !self
                    .intersect(&branches[i], &branches[j], origin)?
                    .is_void()
                {
                    rivals[i].push(j);
                    rivals[j].push(i);
                }
            }
        }
        let mut complements: Vec<Option<Alternatives>> = vec![None; branches.len()];
        let mut one = Alternatives::default();
        for (branch, rivals) in branches.iter().zip(&rivals) {
            let mut alone = (**branch).clone();
            for &rival in rivals {
                let complement = match complements[rival].take() {
                    Some(known) => known,
                    None => self.complement(&branches[rival], origin)?,
                };
                alone = self.intersect(&alone, &complement, origin)?;
                complements[rival] = Some(complement);
            }
            self.unite(&mut one, &alone);
            self.check_count(&one, origin)?;
        }
        Ok(one)
    }

    /// Whether two sets of alternatives are seen to have nothing in common, without making anything
    /// new; `false` says nothing.
    fn are_apart(
        &mut self,
        a: &Alternatives,
        b: &Alternatives,
        depth: u32,
    ) -> Result<bool, SchemaError> {
        /// Discriminators stand near the top.
        const DEPTH: u32 = 3;
        let has = |all: &Alternatives| {
            [
                all.null,
                all.falsity,
                all.truth,
                !all.numbers.is_empty(),
                !all.strings.is_empty(),
                !all.arrays.is_empty(),
                !all.objects.is_empty(),
            ]
        };
        let (of_a, of_b) = (has(a), has(b));
        let objects = of_a.len() - 1;
        if (0..objects).any(|kind| of_a[kind] && of_b[kind]) {
            return Ok(false);
        }
        if !a.literals.is_empty() || !b.literals.is_empty() {
            let compound = |all: [bool; 7]| all[3..].contains(&true);
            if compound(of_a) && !b.literals.is_empty() || compound(of_b) && !a.literals.is_empty()
            {
                return Ok(false);
            }
            let b = self.literals_of(&b.literals);
            if a.literals.iter().any(|&value| b.have(value)) {
                return Ok(false);
            }
        }
        for &x in &a.objects {
            for &y in &b.objects {
                if x == y || depth == DEPTH || !self.are_objects_apart(x, y, depth)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether a property that one of the sets demands has values in one of them only.
    fn are_objects_apart(
        &mut self,
        a: ObjectId,
        b: ObjectId,
        depth: u32,
    ) -> Result<bool, SchemaError> {
        let (of_a, of_b) = (self.model.object(a).clone(), self.model.object(b).clone());
        for &name in of_a.required.iter().chain(&of_b.required) {
            let [x, y] = [&of_a, &of_b].map(|set| self.value_in(set, name));
            if x == SetId::NEVER || y == SetId::NEVER {
                return Ok(true);
            }
            if !self.is_within_sight(x) || !self.is_within_sight(y) {
                continue;
            }
            let (x, y) = (self.normalise(x)?, self.normalise(y)?);
            if self.are_apart(&x, &y, depth + 1)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
