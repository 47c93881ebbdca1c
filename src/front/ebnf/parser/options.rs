//! Options of rules, as XGrammar writes them: `name[lazy, capture="n"] ::= …`.

use super::{Parser, Read, RuleOptions};
use crate::base::Span;
use crate::front::ebnf::error::{EbnfErrorKind, EbnfWarningKind, Fault};
use crate::front::expression::{Irregular, RuleIndex, Rules};

impl Parser<'_> {
    /// Reads the options in brackets at `span`.
    pub(super) fn options(&mut self, span: Span) -> Read<RuleOptions> {
        let mut options = RuleOptions::default();
        let mut at = span.start + 1;
        for option in self.source[at..span.end - 1].split(',') {
            let indent = option.len() - option.trim_start().len();
            let place = Span::new(at + indent, at + indent + option.trim().len());
            at += option.len() + 1;
            let name = option.split('=').next().unwrap_or_default().trim();
            match name {
                "lazy" => options.lazy = Some(place),
                "capture" | "temperature" | "stop_capture" => {
                    let kind = EbnfWarningKind::IdleOption {
                        option: name.to_owned(),
                    };
                    self.warnings.push(Fault::new(kind, place));
                }
                "max_tokens" => {
                    let why = "a text does not say how many tokens spell it; bound the characters, as `.{0,512}`";
                    return Err(unsupported(name, why, place));
                }
                "excludes" => {
                    let why = "a structural tag's any_text has excluded texts";
                    return Err(unsupported(name, why, place));
                }
                "max_chars" => {
                    let why = "write the bound where it holds, as `.{0,512}`";
                    return Err(unsupported(name, why, place));
                }
                _ => {
                    let why =
                        "`lazy`, `capture` and `temperature` are the options that rules can have";
                    return Err(unsupported(name, why, place));
                }
            }
        }
        Ok(options)
    }

    /// Leaves a rule its shortest matches.
    pub(super) fn make_lazy(&self, rules: &mut Rules, rule: RuleIndex, span: Span) -> Read<()> {
        rules.make_lazy(rule, self.limits).map_err(|irregular| match irregular {
            Irregular::Limit(error) => Fault::new(error, span),
            Irregular::Recursion | Irregular::Token => {
                let why = "the shortest match is told of rules without recursion and without tokens only";
                unsupported("lazy", why, span)
            }
        })
    }
}

fn unsupported(option: &str, why: &'static str, place: Span) -> Fault {
    let what = format!("the option `{option}`");
    Fault::new(EbnfErrorKind::Unsupported { what, why }, place)
}
