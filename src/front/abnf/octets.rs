//! Grammars over octets that are read over characters: those that spell UTF-8, or 8-bit text, byte by byte.

use super::ast::{NodeKind, Origin, Rule, Unit};
use super::error::{AbnfWarningKind, Fault};
use crate::base::Span;

/// The bytes that continue a character in UTF-8.
const CONTINUATION: (u32, u32) = (0x80, 0xBF);
/// The bytes that begin one of several bytes.
const LEADING: (u32, u32) = (0xC2, 0xF4);
/// `obs-text` of RFC 9110, section 5.5: any octet that is not ASCII.
const HIGH: (u32, u32) = (0x80, 0xFF);

/// A warning where the ranges of a grammar look like bytes.
pub(super) fn warning(rules: &[Rule]) -> Option<Fault<AbnfWarningKind>> {
    let own = rules.iter().filter(|rule| rule.origin == Origin::File);
    let mut ranges: Vec<((u32, u32), Span)> = Vec::new();
    for rule in own {
        rule.body.visit(&mut |node| match node.kind {
            NodeKind::Range {
                first,
                last,
                unit: Unit::CodePoint,
            } => ranges.push(((first, last), node.span)),
            NodeKind::Values {
                ref values,
                unit: Unit::CodePoint,
            } if values.len() == 1 => ranges.push(((values[0], values[0]), node.span)),
            _ => {}
        });
    }
    let find = |wanted: &dyn Fn((u32, u32)) -> bool| {
        let mut found = ranges.iter().filter(|(range, _)| wanted(*range));
        found.next().map(|&(_, span)| span)
    };
    let within = |(first, last), (from, to)| from <= first && last <= to;
    let continues = find(&|range| range == CONTINUATION);
    let leads = find(&|range| within(range, LEADING));
    let high = find(&|range| range == HIGH);
    let span = continues.filter(|_| leads.is_some()).or(high)?;
    let fault = Fault::new(AbnfWarningKind::Octets, span);
    Some(fault.hint(
        "`; @bytes` above the first rule makes all numbers bytes, on a line of a rule those of this rule; so does the option for the whole file",
    ))
}
