//! A step on the terminal, in colour.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};

use super::schemas::Place;
use super::step::{Group, Step};
use crate::output::{Output, Shown};

/// How many bytes of the text are shown.
const TAIL: usize = 120;

const RULE: Style = AnsiColor::Green.on_default().bold();
const POINTER: Style = AnsiColor::Cyan.on_default();
const KEYWORD: Style = AnsiColor::Yellow.on_default();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Shows what may come next after the text `so_far`.
pub(super) fn show<W: Write>(out: &mut Output<W>, so_far: &str, step: &Step) -> io::Result<()> {
    let dim = out.style(Style::new().dimmed());
    writeln!(out, "{dim}text so far:{dim:#} {}", Shown(tail(so_far)))?;
    writeln!(
        out,
        "{dim}may come:{dim:#} {} of {} tokens{dim}; mask {:.1} µs, again {:.1} µs{dim:#}",
        step.allowed, step.all, step.first_us, step.again_us,
    )?;
    for group in &step.groups {
        writeln!(out)?;
        show_group(out, group)?;
    }
    if step.may_end {
        let rule = out.style(RULE);
        writeln!(out, "\n{rule}the end{rule:#}: the text may end here")?;
    }
    Ok(())
}

fn show_group<W: Write>(out: &mut Output<W>, group: &Group) -> io::Result<()> {
    let (rule, dim) = (out.style(RULE), out.style(Style::new().dimmed()));
    let reason = &group.reason;
    write!(out, "{rule}{}{rule:#}", Shown(&reason.rule))?;
    if let Some(subject) = &reason.subject {
        write!(out, " of {}", Shown(subject))?;
    }
    if !reason.within.is_empty() {
        write!(
            out,
            "{dim} in {}{dim:#}",
            Shown(&reason.within.join(" in "))
        )?;
    }
    writeln!(out)?;
    for place in &group.places {
        show_place(out, place)?;
    }
    let samples: Vec<String> = group.samples.iter().map(|text| quoted(text)).collect();
    let more = match reason.tokens.len() > samples.len() {
        true => " …",
        false => "",
    };
    let samples = samples.join(" ");
    let (count, mechanism) = (reason.tokens.len(), reason.mechanism);
    writeln!(
        out,
        "  {count} tokens {dim}by {mechanism}{dim:#}: {samples}{more}"
    )
}

fn show_place<W: Write>(out: &mut Output<W>, place: &Place) -> io::Result<()> {
    let (pointer, keyword) = (out.style(POINTER), out.style(KEYWORD));
    write!(out, "  {pointer}{}{pointer:#}", Shown(&place.pointer))?;
    for (name, value) in &place.keywords {
        write!(
            out,
            "  {keyword}{}{keyword:#}: {}",
            Shown(name),
            Shown(value)
        )?;
    }
    writeln!(out)
}

/// Says which token was refused behind the text that was read.
pub(super) fn refused<W: Write>(out: &mut Output<W>, token: &str) -> io::Result<()> {
    let bad = out.style(BAD);
    writeln!(
        out,
        "\n{bad}refused{bad:#}: {} may not come here",
        quoted(token)
    )
}

/// Says where the page is.
pub(super) fn written<W: Write>(out: &mut Output<W>, path: &str, steps: usize) -> io::Result<()> {
    writeln!(out, "\n{path}: {steps} steps, for a browser")
}

/// The token between quotes, with control characters, quotes and backslashes escaped.
fn quoted(text: &str) -> String {
    format!("{text:?}")
}

/// The last bytes of a long text.
fn tail(text: &str) -> &str {
    let mut from = text.len().saturating_sub(TAIL);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    &text[from..]
}
