//! The outline of the requests of a shape: kept, or made of the format's file.

use std::sync::Arc;

use super::bind::{bind, reached};
use super::fill::Fill;
use super::options::OpenCall;
use super::outline::Outline;
use super::shape::Shape;
use super::{ChatError, Format};
use crate::base::RuleId;
use crate::grammar::{GrammarBuilder, GrammarError, Nfa};

/// The outline of the requests of a shape. The format keeps it for further ones, unless it says whose calls are answered.
/// What making it took counts as if it were made anew.
pub(super) fn outline(
    format: &Format,
    shape: &Shape,
    open_calls: &[OpenCall],
) -> Result<Arc<Outline>, ChatError> {
    if let Some(kept) = format.kept.outline(shape) {
        let charged = shape.limits.charge(kept.work);
        charged.map_err(|source| {
            let name = shape.start.clone();
            format.refused(GrammarError::Limit { name, source })
        })?;
        return Ok(kept);
    }
    let mut fill = Fill::new(format, shape, open_calls);
    let outline = Arc::new(make(format, shape, &mut fill)?);
    if !fill.answers_calls {
        format.kept.keep_outline(shape, &outline);
    }
    Ok(outline)
}

fn make(format: &Format, shape: &Shape, fill: &mut Fill<'_>) -> Result<Outline, ChatError> {
    let before = shape.limits.spent();
    let mut builder = GrammarBuilder::new(shape.limits.clone());
    let plain_id = plain_id(&mut builder).map_err(|source| format.refused(source))?;
    let root = format.abnf.lower_into(&mut builder, &shape.start, fill);
    if let Some(error) = fill.error.take() {
        return Err(error);
    }
    let grammar = format.finished(builder, root, &shape.start)?;
    let mut slots = std::mem::take(&mut fill.slots);
    // What stands behind conditions that do not hold is not filled.
    let reached = reached(&grammar);
    slots.retain(|slot| reached[slot.rule.index()]);
    let remembering = bind(&grammar, format, &slots)?;
    Ok(Outline {
        grammar,
        slots,
        remembering,
        plain_id,
        controls: format.controls_with(&shape.sequence),
        work: shape.limits.spent().saturating_sub(before),
    })
}

/// The rule of the bytes of ids; its body comes with the request.
fn plain_id(builder: &mut GrammarBuilder) -> Result<RuleId, GrammarError> {
    let rule = builder.declare("call id bytes");
    builder.define(rule, &Nfa::new())?;
    Ok(rule)
}
