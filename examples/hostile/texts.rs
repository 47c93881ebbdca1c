//! Hostile grammars and turns.

use crate::inputs::{Content, Inputs};
use crate::schemas::list;

/// Grammars that are long, wide or explode.
pub(crate) fn grammars(inputs: &mut Inputs) {
    inputs.class("grammars");
    inputs.sizes("rules", &[1_000, 100_000, 1_000_000], Content::Abnf, |n| {
        let rules: String = (0..n).map(|at| format!("r{at}=r{}\r\n", at + 1)).collect();
        format!("a=r0\r\n{rules}r{n}=\"x\"\r\n")
    });
    inputs.sizes("rules-apart", &[1_000_000], Content::Abnf, |n| {
        let rules: String = (0..n).map(|at| format!("r{at}=\"x\"\r\n")).collect();
        format!("a=\"y\"\r\n{rules}")
    });
    inputs.sizes("rules-recursive", &[1_000, 100_000], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at}=\"(\" [r{at}] r{} \")\"\r\n", at + 1))
            .collect();
        format!("a=r0\r\n{rules}r{n}=\"x\"\r\n")
    });
    inputs.sizes(
        "literal",
        &[100_000, 1_000_000, 10_000_000, 16_000_000],
        Content::Abnf,
        |n| format!("a=\"{}\"\r\n", "x".repeat(n)),
    );
    inputs.sizes(
        "line",
        &[100_000, 1_000_000, 10_000_000],
        Content::Abnf,
        |n| format!("a={}\"x\"\r\n", "\"y\"/".repeat(n / 4)),
    );
    inputs.sizes("sequence", &[100_000, 10_000_000], Content::Abnf, |n| {
        format!("a={}\"x\"\r\n", "\"y\" ".repeat(n / 4))
    });
    inputs.sizes("malformed", &[100_000, 10_000_000], Content::Abnf, |n| {
        "= ".repeat(n / 2)
    });
    inputs.sizes(
        "malformed-lines",
        &[100_000, 1_000_000],
        Content::Abnf,
        |n| "=\r\n".repeat(n),
    );
    inputs.sizes("undefined", &[10_000, 1_000_000], Content::Abnf, |n| {
        format!(
            "a={}\"x\"\r\n",
            (0..n).map(|at| format!("u{at}/")).collect::<String>()
        )
    });
    inputs.sizes("groups", &[100, 256, 1_000_000], Content::Abnf, |n| {
        format!("a={}\"x\"{}\r\n", "(".repeat(n), ")".repeat(n))
    });
    inputs.sizes("counted-groups", &[10, 50, 200], Content::Abnf, |n| {
        format!("a={}\"x\"{}\r\n", "1*3(".repeat(n), ")".repeat(n))
    });
    inputs.sizes("optional-groups", &[10, 50, 200], Content::Abnf, |n| {
        format!("a={}\"x\"{}\r\n", "2*9[ \"y\" ".repeat(n), "]".repeat(n))
    });
    inputs.sizes("blow-up-abnf", &[8, 16, 24, 1_000], Content::Abnf, |n| {
        format!("a=*( \"a\" / \"b\" ) \"a\" {n}( \"a\" / \"b\" )\r\n")
    });
    inputs.sizes("repeats", &[10, 1_000, 100_000], Content::Abnf, |n| {
        format!("a=1*{n}( 1*{n}( 1*{n}\"x\" ) )\r\n")
    });
    inputs.sizes("doubling", &[10, 30, 1_000], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at}=r{0} r{0}\r\n", at + 1))
            .collect();
        format!("a=r0\r\n{rules}r{n}=\"x\"\r\n")
    });
    inputs.sizes("undefined-alike", &[1_000, 50_000], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| {
                format!("a-rule-of-some-length-{at:06}=\"x\" a-rule-of-same-length-{at:06}\r\n")
            })
            .collect();
        format!("a=\"x\"\r\n{rules}")
    });
    inputs.sizes("twice", &[1_000, 100_000], Content::Abnf, |n| {
        let rules: String = (0..n).map(|at| format!("r{}=\"x\"\r\n", at / 2)).collect();
        format!("a=\"x\"\r\n{rules}")
    });
    inputs.sizes("broken-extended", &[1_000, 100_000], Content::Abnf, |n| {
        (0..n)
            .map(|at| format!("r{at} x\r\nr{at}=/\"y\"\r\n"))
            .collect()
    });
    inputs.sizes("endless", &[1_000, 100_000], Content::Abnf, |n| {
        (0..n).map(|at| format!("r{at}=r{at} \"x\"\r\n")).collect()
    });
    inputs.sizes("ring", &[1_000, 100_000], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at}=[ r{} \"x\" ]\r\n", (at + 1) % n))
            .collect();
        format!("a=r0\r\n{rules}")
    });
    inputs.sizes("tails", &[1_000, 30_000], Content::Abnf, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at}=\"y\" r{0} / \"z\" r{0}\r\n", (at * 7 + 1) % n))
            .collect();
        let calls: Vec<String> = (0..n).map(|at| format!("r{at} \"{}\"", at % 9)).collect();
        format!("a={}\r\n{rules}r0=/\"x\"\r\n", calls.join(" / "))
    });
    inputs.sizes("optional", &[1_000, 20_000, 100_000], Content::Abnf, |n| {
        format!(
            "a={}\r\n",
            (0..n).map(|at| format!("[\"{at}\"] ")).collect::<String>()
        )
    });
    inputs.sizes("characters", &[100, 10_000], Content::Abnf, |n| {
        format!("a=*{n}%x80-10FFFF *{n}( %x100-2000 / %x3000-FFFD )\r\n")
    });
    inputs.sizes("ebnf-backwards", &[1_000, 60_000], Content::Ebnf, |n| {
        let rules: String = (1..=n)
            .map(|at| format!("r{at} ::= \"a\" r{}\n", at - 1))
            .collect();
        format!("root ::= r{n}\nr0 ::= \"x\"\n{rules}")
    });
    inputs.sizes("ebnf-undefined", &[1_000, 50_000], Content::Ebnf, |n| {
        let rules: String = (0..n)
            .map(|at| format!("rule{at:06} ::= rula{at:06}.x.y \"b\"\n"))
            .collect();
        format!("root ::= \"x\"\n{rules}")
    });
    inputs.sizes("ebnf-twice", &[100_000], Content::Ebnf, |n| {
        "root ::= \"x\"\n".repeat(n)
    });
    inputs.sizes("lark-undefined", &[1_000, 50_000], Content::Lark, |n| {
        let rules: String = (0..n)
            .map(|at| format!("rule{at:06}: rula{at:06} \"b\"\n"))
            .collect();
        format!("start: \"x\"\n{rules}")
    });
    inputs.sizes("lark-twice", &[100_000], Content::Lark, |n| {
        "start: \"x\"\n".repeat(n)
    });
    inputs.sizes(
        "ebnf-rules",
        &[1_000, 100_000, 1_000_000],
        Content::Ebnf,
        |n| {
            let rules: String = (0..n)
                .map(|at| format!("r{at} ::= r{} \"b\"\n", at + 1))
                .collect();
            format!("root ::= r0\n{rules}r{n} ::= \"x\"\n")
        },
    );
    inputs.sizes("ebnf-literal", &[100_000, 10_000_000], Content::Ebnf, |n| {
        format!("root ::= \"{}\"\n", "x".repeat(n))
    });
    inputs.sizes("ebnf-repeats", &[100, 100_000], Content::Ebnf, |n| {
        format!("root ::= (([a-z]{{1,{n}}} \"b\"){{1,{n}}}){{1,{n}}}\n")
    });
    inputs.sizes("ebnf-classes", &[1_000, 100_000], Content::Ebnf, |n| {
        format!("root ::= {}\n", "[^a-z] ".repeat(n))
    });
    inputs.sizes("lark-rules", &[1_000, 100_000], Content::Lark, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at}: r{} \"b\"\n", at + 1))
            .collect();
        format!("start: r0\n{rules}r{n}: \"x\"\n")
    });
    inputs.sizes("lark-terminals", &[100, 10_000], Content::Lark, |n| {
        let rules: String = (0..n)
            .map(|at| format!("T{at}: T{0} T{0}\n", at + 1))
            .collect();
        format!("start: T0\n{rules}T{n}: \"x\"\n")
    });
    inputs.sizes("lark-templates", &[10, 30], Content::Lark, |n| {
        let rules: String = (0..n)
            .map(|at| format!("t{at}{{x}}: t{0}{{x}} t{0}{{t{0}{{x}}}}\n", at + 1))
            .collect();
        format!("start: t0{{\"y\"}}\n{rules}t{n}{{x}}: x\n")
    });
}

/// Turns that a reader may read again and again.
pub(crate) fn turns(inputs: &mut Inputs) {
    inputs.class("turns of ten megabytes");
    let harmony = |text| Content::Turn("harmony", text);
    let newest = |text| Content::Turn("openchatml-2.2", text);
    let oldest = |text| Content::Turn("chatml", text);
    const SIZES: &[usize] = &[1_000_000, 10_000_000];
    for (name, unit) in [
        ("angles", "<"),
        ("doubled", "<<|"),
        ("bars", "<|"),
        ("ends", "<<|end|>"),
        ("text", "text "),
    ] {
        let harmony_text: fn(usize) -> String = match unit {
            "<" => |n| harmony_turn("<", n),
            "<<|" => |n| harmony_turn("<<|", n),
            "<|" => |n| harmony_turn("<|", n),
            "<<|end|>" => |n| harmony_turn("<|x", n),
            _ => |n| harmony_turn("text ", n),
        };
        let newest_text: fn(usize) -> String = match unit {
            "<" => |n| newest_turn("<", n),
            "<<|" => |n| newest_turn("<<|", n),
            "<|" => |n| newest_turn("< |", n),
            "<<|end|>" => |n| newest_turn("<<|end|>", n),
            _ => |n| newest_turn("text ", n),
        };
        let oldest_text: fn(usize) -> String = match unit {
            "<" => |n| oldest_turn("<", n),
            "<<|" => |n| oldest_turn("<<|", n),
            "<|" => |n| oldest_turn("<|", n),
            "<<|end|>" => |n| oldest_turn("<|im_", n),
            _ => |n| oldest_turn("text ", n),
        };
        inputs.sizes(
            &format!("turn-harmony-{name}"),
            SIZES,
            harmony,
            harmony_text,
        );
        inputs.sizes(&format!("turn-2.2-{name}"), SIZES, newest, newest_text);
        inputs.sizes(&format!("turn-chatml-{name}"), SIZES, oldest, oldest_text);
    }
    inputs.sizes("turn-harmony-json", SIZES, harmony, |n| {
        let open = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\":[";
        format!("{open}{}1]}}<|call|>", "1,".repeat(n / 2))
    });
    inputs.sizes("turn-harmony-deep", SIZES, harmony, |n| {
        let open = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>{\"a\":";
        format!("{open}{}{}}}<|call|>", "[".repeat(n / 2), "]".repeat(n / 2))
    });
    inputs.sizes("turn-harmony-keys", &[10_000, 1_000_000], harmony, |n| {
        let open = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>";
        format!(
            "{open}{{{}}}<|call|>",
            list(n / 10, |at| format!("\"k{at}\":1"))
        )
    });
    inputs.sizes("turn-harmony-notes", SIZES, harmony, |n| {
        let note = "<|channel|>analysis<|message|>x<|end|><|start|>assistant";
        format!(
            "{}<|channel|>final<|message|>x<|return|>",
            note.repeat(n / note.len())
        )
    });
}

fn harmony_turn(unit: &str, bytes: usize) -> String {
    format!(
        "<|channel|>final<|message|>{}<|return|>",
        unit.repeat(bytes / unit.len())
    )
}

fn newest_turn(unit: &str, bytes: usize) -> String {
    format!(
        "<|channel|>final<|message|>{} <|return|>",
        unit.repeat(bytes / unit.len())
    )
}

fn oldest_turn(unit: &str, bytes: usize) -> String {
    format!("\n{}<|im_end|>", unit.repeat(bytes / unit.len()))
}
