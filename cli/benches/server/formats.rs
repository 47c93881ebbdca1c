//! What a constraint costs for each chat format, by tools: once the format has been read.

use maskwright::base::Limits;
use maskwright::front::chat::{ChatOptions, Format, ToolSet};
use maskwright::{Constraint, Engine};
use serde_json::{Value, json};

use crate::clock::Times;
use crate::tools::tools;

const TOOLS: [usize; 3] = [1, 10, 128];
const TIMES: usize = 31;

/// Medians in microseconds by number of tools, with reading the tools' JSON; null where the format refuses tools or the
/// vocabulary lacks its tokens.
pub(crate) fn formats(engine: &Engine) -> Vec<(&'static str, Value)> {
    let of = |name: &'static str| {
        let format = Format::built_in(name, &Limits::default()).unwrap().unwrap();
        let mut row = json!({});
        for count in TOOLS {
            let text = tools(count);
            let make = || {
                let mut options = ChatOptions::default();
                options.tools = ToolSet::parse(&text, &Limits::default()).ok()?;
                Constraint::from_format(engine, &format, &options).ok()
            };
            let mut times = Times::default();
            let made = (0..TIMES).all(|_| times.take(make).is_some());
            row[count.to_string()] = match made {
                true => times.summary()["p50"].clone(),
                false => Value::Null,
            };
        }
        (name, row)
    };
    Format::BUILT_IN.into_iter().map(of).collect()
}
