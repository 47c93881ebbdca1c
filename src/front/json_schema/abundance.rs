//! How many members sets of values have, at least: arrays of distinct items need enough of them.

use rustc_hash::FxHashMap;

use super::emptiness::array_has_member;
use super::grid::Grid;
use super::model::Model;
use super::number::{DOUBLE_DIGITS, Decimal};
use super::number_set::{NumberSet, Written};
use super::shape::{ArrayShape, Unique};
use super::values::{ArrayId, ArraySet, ObjectId, SetId, StringSet};
use crate::front::json_schema::config::PropertyOrder;

/// Of languages with more strings than this, no more are known of.
const MANY: usize = 1024;
/// Of members that are made of others deeper than this, one is counted.
const DEEPEST: usize = 64;

/// The arrays of distinct items, told apart by their values, of which it cannot be seen that there
/// are enough for as many items as they must have.
pub(super) fn scarce(model: &Model) -> Option<&ArraySet> {
    let reached = model.reached.iter();
    let alternatives = reached.filter_map(|&set| model.alternatives(set));
    let mut arrays = alternatives.flat_map(|all| all.arrays.iter().copied());
    let scarce = arrays.find(|&id| {
        let (set, shape) = (model.array(id), model.array_shape(id));
        matches!(shape.unique, Some(Unique::Values))
            && array_has_member(model, id, |set| model.inhabited(set))
            && !has_enough(model, set, shape)
    });
    scarce.map(|id| model.array(id))
}

/// Whether each item that must be there can be one that none before it is.
fn has_enough(model: &Model, set: &ArraySet, shape: &ArrayShape) -> bool {
    let least = set.least as usize;
    if least < 2 {
        return true;
    }
    let mut count = Counting {
        model,
        open: Vec::new(),
        known: FxHashMap::default(),
    };
    // Where items are counted, any of the choices may be needed for all items.
    let places: Vec<SetId> = match shape.choices.is_empty() {
        true => (0..least.min(set.prefix.len() + 1))
            .map(|place| set.item(place))
            .collect(),
        false => shape.sets().collect(),
    };
    let mut places = places.into_iter().filter(|&item| model.inhabited(item));
    places.all(|item| count.values(item, least) >= least)
}

/// Counts members, each set up to a number that is asked for.
struct Counting<'m> {
    model: &'m Model,
    /// The sets whose members are being counted: a set that a part of it has again is infinite.
    open: Vec<SetId>,
    /// The sets that were counted, up to the one number that is asked for.
    known: FxHashMap<SetId, usize>,
}

impl Counting<'_> {
    fn values(&mut self, set: SetId, wanted: usize) -> usize {
        let model = self.model;
        let set = model.sets.resolve(set);
        let Some(all) = model.alternatives(set).filter(|_| model.inhabited(set)) else {
            return 0;
        };
        if self.open.contains(&set) {
            return wanted;
        }
        if self.open.len() == DEEPEST {
            return wanted.min(1);
        }
        if let Some(&known) = self.known.get(&set) {
            return known;
        }
        self.open.push(set);
        // Alternatives of one type may overlap, types do not.
        let most = |counts: &mut dyn Iterator<Item = usize>| counts.max().unwrap_or(0);
        let words = [all.null, all.falsity, all.truth];
        let words = words.into_iter().filter(|&word| word).count();
        let strings = most(
            &mut all
                .strings
                .iter()
                .map(|&id| strings(model, model.string(id), wanted)),
        );
        let numbers = most(
            &mut all
                .numbers
                .iter()
                .map(|&id| numbers(model.number(id), wanted)),
        );
        let arrays = most(&mut all.arrays.iter().map(|&id| self.arrays(id, wanted)));
        let objects = most(&mut all.objects.iter().map(|&id| self.objects(id, wanted)));
        self.open.pop();
        let equality = model.sets.equality(&model.document);
        let literals = equality.distinct(&all.literals).len();
        let others = (strings + numbers + arrays + objects).max(literals);
        let count = (words + others).min(wanted);
        self.known.insert(set, count);
        count
    }

    fn arrays(&mut self, id: ArrayId, wanted: usize) -> usize {
        let (model, set) = (self.model, self.model.array(id));
        let known = |set| model.inhabited(set);
        if !array_has_member(model, id, known) {
            return 0;
        }
        let shape = model.array_shape(id);
        let live = shape.live(set, known);
        let mut first = shape.choices(set, &shape.start()).into_iter();
        let first = first.find(|&choice| {
            let after = shape.after(set, &shape.start(), choice);
            known(choice.set) && after.is_some_and(|after| shape.is_live(&live, &after))
        });
        let lengths = set.most == u32::MAX && shape.unique.is_none() && known(set.rest);
        match first {
            Some(_) if lengths => wanted,
            Some(choice) => self.values(choice.set, wanted).max(1),
            None => 1,
        }
    }

    fn objects(&mut self, id: ObjectId, wanted: usize) -> usize {
        let model = self.model;
        let shape = model.object_shape(id);
        let usable = shape.usable(PropertyOrder::Any, |set| model.inhabited(set));
        let start = shape.start(PropertyOrder::Any);
        if !shape.is_live(&usable, &start) {
            return 0;
        }
        let takes_other = |&class: &usize| {
            let mut choices = usable.others[class].iter();
            choices.any(|&choice| shape.after_other(&usable, &start, class, choice).is_some())
        };
        let classes = (0..shape.others.len()).filter(takes_other);
        let counts = classes.map(|class| shape.others[class].count as usize);
        let mut most = counts.map(|count| count.min(wanted)).max().unwrap_or(1);
        for slot in 0..shape.slots.len() {
            let Some(after) = shape.after_slot(&usable, &start, slot) else {
                continue;
            };
            for &choice in &usable.slots[slot] {
                if most < wanted && shape.after_value(&usable, &after, choice).is_some() {
                    most = most.max(self.values(choice.set, wanted));
                }
            }
        }
        most
    }
}

fn strings(model: &Model, set: &StringSet, wanted: usize) -> usize {
    if set.content.is_some() {
        return wanted.min(1);
    }
    let Some(language) = set.language.map(|id| model.language(id)) else {
        return if set.most == 0 { 1 } else { wanted };
    };
    if !language.is_flat() {
        return wanted;
    }
    match (&language.lengths, language.dfa.members(MANY)) {
        (_, Some(members)) => {
            let length = |text: &&Vec<u8>| {
                let chars = String::from_utf8_lossy(text).chars().count();
                chars >= set.least as usize && chars <= set.most as usize
            };
            members.iter().filter(length).count()
        }
        (Some(lengths), None) if set.is_bounded() => {
            // One for each length.
            let (mut count, mut least) = (0, u64::from(set.least));
            while count < wanted {
                match lengths.shortest(language.dfa.start(), least) {
                    Some(length) if length <= u64::from(set.most) => least = length + 1,
                    _ => break,
                }
                count += 1;
            }
            count
        }
        _ => wanted.min(MANY),
    }
}

/// How many numbers there are that doubles tell apart, at least, up to so many.
fn numbers(set: &NumberSet, wanted: usize) -> usize {
    match set.written() {
        Some(written) => of_written(&written, wanted),
        None => 0,
    }
}

/// How many numbers there are that doubles tell apart, `u32::MAX` where no array has as many; `None` where that is not known.
pub(super) fn count(set: &NumberSet) -> Option<u32> {
    let written = set.written()?;
    let least = of_written(&written, u32::MAX as usize) as u32;
    let are_told_apart = |grid: &Grid| {
        let (first, last) = bounds(&written, grid);
        grid.except.is_empty() && -TOLD_APART <= first && last <= TOLD_APART
    };
    let is_exact = || written.grid.as_ref().is_some_and(are_told_apart);
    (least == u32::MAX || is_exact()).then_some(least)
}

fn of_written(written: &Written, wanted: usize) -> usize {
    let is_endless = written.least.is_none() || written.most.is_none();
    let Some(grid) = &written.grid else {
        return match is_endless || written.least < written.most {
            true => wanted,
            false => wanted.min(1),
        };
    };
    if is_endless && (grid.is_integers() || !grid.except.is_empty()) {
        return wanted;
    }
    // Of what is next to another, some may be left out.
    if !grid.except.is_empty() {
        return wanted.min(1);
    }
    let (first, last) = bounds(written, grid);
    let count = |first: i128, last: i128, step: u128| {
        let steps = last.saturating_sub(first).unsigned_abs() / step;
        usize::try_from(steps)
            .unwrap_or(usize::MAX)
            .saturating_add(1)
    };
    // Doubles tell numbers apart that differ by more than a part in 2^52.
    let farthest = first.unsigned_abs().max(last.unsigned_abs());
    let far = count(first, last, grid.step.max(farthest >> 51));
    let near = |units: i128| units.clamp(-TOLD_APART, TOLD_APART);
    far.max(count(near(first), near(last), grid.step))
        .min(wanted)
}

/// Integers up to this are doubles, each another one, whatever power of ten is the unit.
const TOLD_APART: i128 = 10i128.pow(DOUBLE_DIGITS);

/// The first and the last member of a grid, in its units: the bounds, or what has as many digits as members may have.
fn bounds(written: &Written, grid: &Grid) -> (i128, i128) {
    let units = |bound: &Decimal| {
        let (units, _) = bound.units(grid.places);
        i128::try_from(units).unwrap_or(i128::MAX) * if bound.negative { -1 } else { 1 }
    };
    let step = i128::try_from(grid.step).unwrap_or(i128::MAX);
    let limit = (10i128.pow(grid.digits.min(37)) - 1) / step * step;
    let (least, most) = (written.least.as_ref(), written.most.as_ref());
    (least.map_or(-limit, units), most.map_or(limit, units))
}
