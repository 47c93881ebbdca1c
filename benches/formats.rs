//! What compiling a chat format costs for a request of so many tools: figures, not samples
//! (`cargo bench --bench formats -- [FORMAT …]`).

// What a bench is for ends here: a failure is a panic.
#![allow(clippy::unwrap_used)]

#[path = "support/tools.rs"]
mod tools;

use std::time::{Duration, Instant};

use maskwright::base::Limits;
use maskwright::front::chat::{ChatOptions, Format, ToolSet, compile};
use tools::tools;

fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..31)
        .map(|_| {
            let begun = Instant::now();
            run();
            begun.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[15]
}

fn main() {
    println!(
        "{:16} {:>10} {:>10} {:>10} {:>10} {:>10}",
        "format", "parse", "0 tools", "1", "16", "128"
    );
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let asked: Vec<&str> = asked
        .iter()
        .map(String::as_str)
        .filter(|word| *word != "--bench")
        .collect();
    let is_asked = |name: &&str| asked.is_empty() || asked.contains(name);
    for name in Format::BUILT_IN.into_iter().filter(is_asked) {
        let read = || Format::built_in(name, &Limits::default()).unwrap().unwrap();
        let format = read();
        let mut row = vec![median(|| drop(read()))];
        for count in [0, 1, 16, 128] {
            let mut options = ChatOptions::default();
            options.tools = ToolSet::parse(&tools(count), &Limits::default()).unwrap();
            if compile(&format, "assistant-turn", &options).is_err() {
                continue;
            }
            row.push(median(|| {
                drop(compile(&format, "assistant-turn", &options).unwrap())
            }));
        }
        print!("{name:16}");
        row.iter()
            .for_each(|time| print!(" {:>10}", format!("{time:.1?}")));
        println!();
    }
}
