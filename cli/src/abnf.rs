//! `maskwright abnf`: checks a grammar.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use maskwright::base::Limits;
use maskwright::front::abnf::{Abnf, AbnfWarning, AbnfWarningKind};
use maskwright::front::chat::{ChatError, Format};

use super::failure::Failure;
use super::input::Named;
use super::language::{failures, warn_of};
use super::output::{stdout, warn};
use super::source::numbers;
use super::verdict::Verdict;

/// Check an ABNF file (RFC 5234, RFC 7405): show what is wrong with it and where, or what is in it.
#[derive(Args)]
#[command(after_help = "Example:\n  maskwright abnf grammars/harmony.abnf --start assistant-turn")]
pub(crate) struct Options {
    /// The grammar, or - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A start rule: rules to which none leads are warned of [default: the first rule]
    #[arg(long = "start", value_name = "RULE")]
    starts: Vec<String>,
    /// Numbers are bytes, as in grammars over octets
    #[arg(long)]
    bytes: bool,
}

/// Checks the file.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let grammar = Named::read(&options.file)?;
    let abnf = Abnf::parse_with(&grammar.text, numbers(options.bytes), &Limits::default())
        .map_err(|errors| failures(&errors, &grammar))?;
    let rules: Vec<_> = abnf.rule_names().collect();
    let starts = match options.starts.as_slice() {
        [] => rules.iter().take(1).copied().collect(),
        named => named
            .iter()
            .map(|start| start_rule(start, &rules, &grammar))
            .collect::<Result<Vec<_>, _>>()?,
    };
    let roots = roots(&abnf);
    // What means something by its name is used, and so is what it leads to.
    let special = rules.iter().filter(|rule| {
        let mut names = Format::SPECIAL_RULES.iter();
        let opens = rule.strip_suffix("-opening");
        names.any(|name| rule.eq_ignore_ascii_case(name))
            || opens.is_some_and(|of| rules.iter().any(|rule| rule.eq_ignore_ascii_case(of)))
    });
    let used: Vec<&str> = starts.iter().chain(special).copied().collect();
    for warning in abnf.warnings(&used) {
        // Without --start, what another unused rule leads to is that rule's concern.
        let by_another =
            options.starts.is_empty() && unused(&warning).is_some_and(|name| !roots.contains(name));
        if !by_another {
            warn_of(&warning, &grammar);
        }
    }
    if let Ok(format) = Format::parse(&grammar.name, &grammar.text, &[], &Limits::default()) {
        format
            .faults()
            .iter()
            .for_each(|fault| warn_of_prose(fault, &grammar));
    }
    let mut out = stdout();
    writeln!(out, "rules ({}): {}", rules.len(), rules.join(", "))?;
    writeln!(out, "start rules: {}", starts.join(", "))?;
    let mut prose: Vec<_> = abnf
        .prose_vals()
        .iter()
        .map(|prose| format!("<{}>", prose.name))
        .collect();
    prose.sort_unstable();
    prose.dedup();
    if !prose.is_empty() {
        writeln!(out, "prose-vals: {}", prose.join(", "))?;
    }
    Ok(Verdict::Good)
}

/// Says which prose-val no chat format can have.
fn warn_of_prose(fault: &ChatError, grammar: &Named) {
    if let ChatError::Prose {
        prose,
        place,
        reason,
        ..
    } = fault
    {
        let name = &grammar.name;
        warn(format_args!(
            "{name}:{place}: no chat format can have `<{prose}>`: {reason}"
        ));
    }
}

/// The rule that a start rule means.
fn start_rule<'r>(start: &str, rules: &[&'r str], grammar: &Named) -> Result<&'r str, Failure> {
    let mut named = rules.iter().filter(|rule| rule.eq_ignore_ascii_case(start));
    named.next().copied().ok_or_else(|| {
        Failure::new(format!("{}: no rule `{start}` to start from", grammar.name))
            .hint(format!("rules: {}", rules.join(", ")))
    })
}

/// Rules from which all others can be reached: the first, and each that those before do not lead to.
fn roots(abnf: &Abnf) -> Vec<String> {
    let mut roots: Vec<String> = abnf.rule_names().take(1).map(str::to_owned).collect();
    loop {
        let known: Vec<_> = roots.iter().map(String::as_str).collect();
        match abnf.warnings(&known).iter().find_map(unused) {
            Some(name) => roots.push(name.clone()),
            None => return roots,
        }
    }
}

/// The rule that the warning says is never used.
fn unused(warning: &AbnfWarning) -> Option<&String> {
    match warning.kind() {
        AbnfWarningKind::UnusedRule { name } => Some(name),
        _ => None,
    }
}
