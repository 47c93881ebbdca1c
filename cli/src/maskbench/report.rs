//! The benchmark's figures, for people and as JSON.

use std::fmt::Write;

use serde_json::{Map, Value, json};

use super::engine::Engine;
use super::measure::{Tally, Times, WrongKind};
use crate::statistics::{Histogram, Summary, peak_rss_mb};

const MICROS: f64 = 1e-3;
const NANOS: f64 = 1.0;

/// Wrong verdicts shown to people; JSON has them all.
const WRONG_SHOWN: usize = 20;

/// The timed figures: place in the JSON report, unit, and where they are kept.
const FIGURES: [(&[&str], f64, Get); 6] = [
    (&["compile_us"], MICROS, |t| &t.compile),
    (&["ttfm_us"], MICROS, |t| &t.first_mask),
    (&["cold", "mask_ns"], NANOS, |t| &t.cold.mask),
    (&["cold", "accept_ns"], NANOS, |t| &t.cold.accept),
    (&["warm", "mask_ns"], NANOS, |t| &t.warm.mask),
    (&["warm", "accept_ns"], NANOS, |t| &t.warm.accept),
];

/// One of the distributions.
type Get = fn(&Times) -> &Histogram;

/// The engines with what was found of each.
pub(crate) type Results = [(Box<dyn Engine>, Tally)];

/// One nested object: the first engine's report; a second engine's is `peer`, and `common` compares
/// the two over the schemas that both take.
pub(crate) fn json(results: &Results) -> Value {
    let mut object = Map::new();
    if let Some((engine, tally)) = results.first() {
        object = engine_json(engine.as_ref(), tally);
    }
    object.insert(
        "rss_mb".into(),
        json!(peak_rss_mb().map(|mb| rounded(mb, 1.0))),
    );
    if let [(first, ours), (second, theirs)] = results {
        object.insert("peer".into(), engine_json(second.as_ref(), theirs).into());
        let mut common = Map::new();
        common.insert("schemas".into(), ours.common_schemas.into());
        common.insert(first.name().into(), times_json(&ours.common).into());
        common.insert(second.name().into(), times_json(&theirs.common).into());
        common.insert(
            "ratio".into(),
            ratio_json(&ours.common, &theirs.common).into(),
        );
        object.insert("common".into(), common.into());
    }
    object.into()
}

fn engine_json(engine: &dyn Engine, tally: &Tally) -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("engine".into(), engine.name().into());
    object.insert("schemas".into(), tally.schemas.into());
    object.insert("compiled".into(), tally.compiled.into());
    object.insert("refused".into(), json!(tally.refused));
    object.insert("instances".into(), tally.instances.into());
    for kind in [WrongKind::ValidRejected, WrongKind::InvalidAccepted] {
        object.insert(kind.name().into(), tally.count(kind).into());
    }
    object.insert("tokens".into(), tally.tokens.into());
    object.insert("vocab_ms".into(), rounded(engine.vocab_ms(), 1.0).into());
    object.append(&mut times_json(&tally.times));
    let wrong = tally.wrong.iter().map(|wrong| {
        json!({
            "file": wrong.case,
            "test": wrong.instance,
            "kind": wrong.kind.name(),
            "detail": wrong.detail,
        })
    });
    object.insert("wrong".into(), wrong.collect());
    object
}

fn times_json(times: &Times) -> Map<String, Value> {
    nest(|get, unit| get(times).summary(unit))
}

fn ratio_json(ours: &Times, theirs: &Times) -> Map<String, Value> {
    nest(|get, unit| Some(get(ours).summary(unit)?.ratio(&get(theirs).summary(unit)?)))
}

/// An object with what `summary` gives for each of the figures.
fn nest(summary: impl Fn(Get, f64) -> Option<Summary>) -> Map<String, Value> {
    let mut object = Map::new();
    for (path, unit, get) in FIGURES {
        let figures = summary(get, unit).map(|summary| {
            let figure = |(name, value): (&str, f64)| (name.to_owned(), rounded(value, 1e3).into());
            Value::Object(summary.figures().into_iter().map(figure).collect())
        });
        let figures = figures.unwrap_or(Value::Null);
        match path {
            [group, name] => {
                object.entry(*group).or_insert_with(|| json!({}))[*name] = figures;
            }
            _ => {
                object.insert(path.concat(), figures);
            }
        }
    }
    object
}

/// `value` with as many decimals as `scale` has zeros.
fn rounded(value: f64, scale: f64) -> f64 {
    (value * scale).round() / scale
}

/// The report as a table.
pub(crate) fn text(results: &Results) -> String {
    let mut out = String::new();
    for (engine, tally) in results {
        engine_text(&mut out, engine.as_ref(), tally);
    }
    if let [(first, ours), (second, theirs)] = results {
        let schemas = ours.common_schemas;
        let title = format!(
            "{} / {}, over {schemas} schemas",
            first.name(),
            second.name()
        );
        table(&mut out, &title, |get, unit| {
            Some(
                get(&ours.common)
                    .summary(unit)?
                    .ratio(&get(&theirs.common).summary(unit)?),
            )
        });
    }
    if let Some(rss) = peak_rss_mb() {
        line(&mut out, format_args!("peak memory {rss:.0} MB"));
    }
    out
}

fn engine_text(out: &mut String, engine: &dyn Engine, tally: &Tally) {
    let refused: u64 = tally.refused.values().sum();
    line(
        out,
        format_args!(
            "{}: {} schemas, {} compiled, {refused} refused; {} instances, {} tokens; {} valid rejected, {} invalid accepted; vocabulary ready in {:.0} ms",
            engine.name(),
            tally.schemas,
            tally.compiled,
            tally.instances,
            tally.tokens,
            tally.count(WrongKind::ValidRejected),
            tally.count(WrongKind::InvalidAccepted),
            engine.vocab_ms(),
        ),
    );
    let mut reasons: Vec<_> = tally.refused.iter().collect();
    reasons.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
    for (reason, count) in reasons {
        line(out, format_args!("  refused {count:>5}  {reason}"));
    }
    for wrong in tally.wrong.iter().take(WRONG_SHOWN) {
        let kind = wrong.kind.name();
        line(
            out,
            format_args!(
                "  {kind} {} test {} {}",
                wrong.case, wrong.instance, wrong.detail
            ),
        );
    }
    if tally.wrong.len() > WRONG_SHOWN {
        line(
            out,
            format_args!("  and {} more", tally.wrong.len() - WRONG_SHOWN),
        );
    }
    table(out, "µs", |get, _| get(&tally.times).summary(MICROS));
}

/// A row for each of the figures.
fn table(out: &mut String, title: &str, summary: impl Fn(Get, f64) -> Option<Summary>) {
    line(
        out,
        format_args!(
            "{:<14} {:>10} {:>10} {:>10} {:>10} {:>10} {:>10}",
            "", "p50", "p90", "p99", "p99.9", "max", "mean"
        ),
    );
    for (path, unit, get) in FIGURES {
        let Some(summary) = summary(get, unit) else {
            continue;
        };
        let name = path.join(" ").replace("_us", "").replace("_ns", "");
        let _ = write!(out, "{name:<14}");
        for (_, value) in summary.figures() {
            let _ = write!(out, " {value:>10.2}");
        }
        line(out, format_args!(""));
    }
    line(out, format_args!("({title})\n"));
}

fn line(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(out, "{arguments}").expect("writing to a string cannot fail");
}
