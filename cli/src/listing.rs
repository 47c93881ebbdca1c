//! `maskwright formats`: the chat formats that come along, and which of them a model writes.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use maskwright::base::Limits;
use maskwright::front::chat::{Choice, Format};

use super::failure::Failure;
use super::input::Named;
use super::output::{stdout, warn};
use super::verdict::Verdict;

/// List the chat formats that come along, or tell which of them a model writes
#[derive(Args)]
#[command(after_help = "Example:\n  maskwright formats --template chat_template.jinja")]
pub(crate) struct Options {
    /// The model's chat template, as Jinja text
    #[arg(long, value_name = "FILE|-")]
    template: Option<PathBuf>,
}

/// Lists the formats, or those that a template speaks of.
pub(crate) fn run(options: &Options) -> Result<Verdict, Failure> {
    let template = options.template.as_deref().map(Named::read).transpose()?;
    let template = template.as_ref().map(|template| &*template.text);
    let names = match template {
        None => Format::BUILT_IN.to_vec(),
        Some(template) => match Format::for_template(template) {
            Choice::One(name) => vec![name],
            Choice::Several(names) => {
                warn("nothing in the template tells for certain");
                names
            }
            Choice::None => {
                let hint =
                    "`maskwright formats` lists them; --grammar FILE.abnf takes one of your own";
                let failure = "the template is of none of the formats that come along";
                return Err(Failure::new(failure.to_owned()).hint(hint.to_owned()));
            }
        },
    };
    let mut out = stdout();
    for name in names {
        let format = Format::built_in(name, &Limits::default());
        let format = format.map_err(|error| Failure::new(error.to_string()))?;
        let format = format.expect("a format that is listed comes along");
        let flags = template.map(|template| format.flags_for_model(|_| false, Some(template)));
        let flags = flags.into_iter().flatten();
        let flags: String = flags.map(|flag| format!(" --flag {flag}")).collect();
        writeln!(out, "{:<16} {}", format!("{name}{flags}"), format.summary())?;
    }
    Ok(Verdict::Good)
}
