//! Hostile inputs, made by code: what each costs in a process of its own, in processor time and memory beyond the vocabulary.
//!
//! `cargo run --release --example hostile -- --all` runs all of them and prints the table of `SECURITY.md`; `--all WORD` runs
//! those with the word in their names, `--over` prints only inputs that are over the bounds. Without arguments: one input,
//! within this process. Linux only, since time and memory are read from `/proc`.

mod formats;
mod fronts;
mod inputs;
mod measure;
mod readers;
mod schemas;
mod strings;
mod texts;
mod tools;
mod trial;
mod vocabularies;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        [] => println!("{}", trial::run(&schemas::example())),
        ["--input", name] => match inputs::all().iter().find(|input| input.name == name) {
            Some(input) => println!("{}", trial::run(input)),
            None => return ExitCode::from(2),
        },
        ["--all"] => return measure::all("", false),
        ["--all", word] => return measure::all(word, false),
        ["--over"] => return measure::all("", true),
        ["--over", word] => return measure::all(word, true),
        _ => return ExitCode::from(2),
    }
    ExitCode::SUCCESS
}
