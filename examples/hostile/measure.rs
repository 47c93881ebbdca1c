//! All inputs, each in a process of its own, and the table of what they cost.

use std::fs;
use std::io::Read;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread::sleep;
use std::time::Duration;

use crate::inputs::{Input, all as inputs};

/// What an input may take of the processor, in seconds, and of memory beyond the vocabulary, in mebibytes.
const SECONDS: f64 = 1.0;
const MEBIBYTES: f64 = 256.0;
/// When an input is given up, in seconds of processor, so that the rest is measured still.
const PATIENCE: f64 = 30.0;
const ROOM_KIB: u64 = 4 << 20;

/// The costs of a class.
#[derive(Default)]
struct Class {
    name: &'static str,
    tried: usize,
    refused: usize,
    compile: f64,
    call: f64,
    memory: f64,
    over: usize,
}

/// Runs the inputs with `word` in their names. Gives failure where one is over the bounds.
pub(crate) fn all(word: &str, quiet: bool) -> ExitCode {
    let mut classes: Vec<Class> = Vec::new();
    let chosen = inputs()
        .into_iter()
        .filter(|input| input.name.contains(word));
    for input in chosen {
        let line = measured(&input);
        let (figures, outcome) = split(&line);
        let [compile, run, call, memory] = figures;
        let over = compile > SECONDS || call > SECONDS || memory > MEBIBYTES;
        if over || !quiet {
            let mark = if over { "OVER" } else { "    " };
            println!(
                "{mark} {:<28} {compile:7.3} s  run {run:7.3} s  call {call:7.4} s  {memory:7.1} MiB  {outcome}",
                input.name
            );
        }
        if classes.last().is_none_or(|class| class.name != input.class) {
            classes.push(Class {
                name: input.class,
                ..Class::default()
            });
        }
        if let Some(class) = classes.last_mut() {
            class.tried += 1;
            class.refused += usize::from(!outcome.starts_with("done"));
            class.compile = class.compile.max(compile);
            class.call = class.call.max(call);
            class.memory = class.memory.max(memory);
            class.over += usize::from(over);
        }
    }
    println!(
        "\n| class | inputs | refused | slowest, s | slowest call, ms | most memory, MiB | over |\n|---|---:|---:|---:|---:|---:|---:|"
    );
    for class in &classes {
        let Class {
            name,
            tried,
            refused,
            compile,
            call,
            memory,
            over,
        } = class;
        println!(
            "| {name} | {tried} | {refused} | {compile:.2} | {:.1} | {memory:.0} | {over} |",
            call * 1e3
        );
    }
    let tried: usize = classes.iter().map(|class| class.tried).sum();
    println!("\n{tried} inputs");
    if classes.iter().any(|class| class.over > 0) {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

/// The four figures and the outcome of a line of a trial.
fn split(line: &str) -> ([f64; 4], &str) {
    let mut parts = line.trim_end().splitn(5, ' ');
    let mut figures = [0.0; 4];
    for figure in &mut figures {
        *figure = parts
            .next()
            .and_then(|part| part.parse().ok())
            .unwrap_or_default();
    }
    (figures, parts.next().unwrap_or_default())
}

/// What a trial in a process of its own said, or how that ended.
fn measured(input: &Input) -> String {
    let program = std::env::current_exe().expect("a running program has a path");
    let mut command = Command::new(program);
    command
        .args(["--input", &input.name])
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let mut child = command.spawn().expect("the program that runs can be run");
    let mut most = 0;
    loop {
        most = most.max(resident(&child));
        let ended = child.try_wait().expect("a child can be waited for");
        let late = processor(&child) > PATIENCE;
        if let Some(status) = ended {
            let mut said = String::new();
            let read = child
                .stdout
                .take()
                .map(|mut out| out.read_to_string(&mut said));
            return match (status.success(), read) {
                (true, Some(Ok(_))) => said,
                _ => format!("99 0 0 {} {status}", most >> 10),
            };
        }
        if late || most > ROOM_KIB {
            let _ = child.kill();
            let _ = child.wait();
            let why = if late { "given up" } else { "too much memory" };
            return format!("99 0 0 {} {why}", most >> 10);
        }
        sleep(Duration::from_millis(5));
    }
}

/// What a child has of memory, in kibibytes.
fn resident(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok())
        .unwrap_or_default()
}

/// What a child has had of the processor, in seconds.
fn processor(child: &Child) -> f64 {
    let spent = fs::read_to_string(format!("/proc/{}/schedstat", child.id())).unwrap_or_default();
    let first = spent.split_whitespace().next();
    first
        .and_then(|nanoseconds| nanoseconds.parse::<f64>().ok())
        .map_or(0.0, |nanoseconds| nanoseconds / 1e9)
}
