//! Hostile grammars, chat formats, tokenizers and turns.

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

fn format_with(rules: &str) -> String {
    format!("assistant-turn = {rules}\r\n")
}

/// Chat formats whose holes multiply.
pub(crate) fn formats(inputs: &mut Inputs) {
    inputs.class("chat formats");
    inputs.sizes("once", &[5, 10, 20, 30, 64], Content::Format, |n| {
        let marks: Vec<String> = (0..n)
            .map(|at| format!("<once m{at}> \"{}\"", at))
            .collect();
        format_with(&format!("*( {} ) \"end\"", marks.join(" / ")))
    });
    inputs.sizes("once-letters", &[16, 22, 26], Content::Format, |n| {
        let marks: Vec<String> = (0..n)
            .map(|at| format!("<once {0}> \"{0}\"", (b'a' + at as u8) as char))
            .collect();
        format_with(&format!("1*( {} )", marks.join(" / ")))
    });
    inputs.sizes("call-ids", &[2, 5, 20, 100], Content::Format, |n| {
        format_with(&"<call-id> \" \" ".repeat(n))
    });
    inputs.sizes("call-id-choices", &[5, 20, 100], Content::Format, |n| {
        let parts: Vec<String> = (0..n).map(|at| format!("\"{at}\" <call-id>")).collect();
        format_with(&format!("*( {} ) \".\"", parts.join(" / ")))
    });
    inputs.sizes("call-id-side", &[2, 20], Content::Format, |n| {
        format_with(&"<call-id>".repeat(n))
    });
    inputs.sizes("tools-side", &[2, 20, 200], Content::Format, |n| {
        format_with(&"\"{\" <function.name> <tool.arguments> \"}\"".repeat(n))
    });
    inputs.sizes("texts-side", &[2, 20, 1_000], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| format!("end{at} = \"<|e{at}|>\"\r\n"))
            .collect();
        let texts: String = (0..n)
            .map(|at| format!("<text-without end{at}> end{at} "))
            .collect();
        format!("{}{rules}", format_with(&texts))
    });
    inputs.sizes("ifs", &[10, 1_000, 100_000], Content::Format, |n| {
        format_with(&format!("{}\"x\"", "[ <if analysis> \"y\" ] ".repeat(n)))
    });
    inputs.sizes("controls", &[1_000, 100_000], Content::Format, |n| {
        let parts: Vec<String> = (0..n).map(|at| format!("\"<|c{at}|>\"")).collect();
        format_with(&parts.join(" / "))
    });
    inputs.sizes("starts", &[100, 10_000], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| format!("start{at} = \"x\" <once m{at}> assistant-turn\r\n"))
            .collect();
        let calls: Vec<String> = (0..n).map(|at| format!("start{at}")).collect();
        format!(
            "{}{rules}",
            format_with(&format!("\"y\" / {}", calls.join(" / ")))
        )
    });
}

fn tokenizer(decoder: &str) -> String {
    let vocab = list(256, |at| {
        format!(
            "\"{}\":{at}",
            if at == 0 {
                "x".into()
            } else {
                format!("x{at}")
            }
        )
    });
    format!(
        r#"{{"version":"1.0","added_tokens":[],"decoder":{decoder},"model":{{"type":"BPE","vocab":{{{vocab}}},"merges":[]}}}}"#
    )
}

/// Tokenizers whose decoders grow.
pub(crate) fn tokenizers(inputs: &mut Inputs) {
    inputs.class("tokenizers");
    inputs.sizes(
        "decoder-nested",
        &[100, 200, 100_000, 1_000_000],
        Content::Tokenizer,
        |n| {
            tokenizer(&format!(
                r#"{}{{"type":"ByteLevel"}}{}"#,
                r#"{"type":"Sequence","decoders":["#.repeat(n),
                "]}".repeat(n)
            ))
        },
    );
    inputs.sizes(
        "decoder-replace",
        &[5, 20, 60, 1_000],
        Content::Tokenizer,
        |n| {
            let step = r#"{"type":"Replace","pattern":{"String":"x"},"content":"xx"}"#;
            tokenizer(&format!(
                r#"{{"type":"Sequence","decoders":[{}]}}"#,
                list(n, |_| step.into())
            ))
        },
    );
    inputs.sizes("decoder-empty", &[20, 60], Content::Tokenizer, |n| {
        let step = r#"{"type":"Replace","pattern":{"String":""},"content":"xx"}"#;
        tokenizer(&format!(
            r#"{{"type":"Sequence","decoders":[{}]}}"#,
            list(n, |_| step.into())
        ))
    });
    inputs.sizes("decoder-long", &[100_000, 10_000_000], Content::Tokenizer, |n| {
        tokenizer(&format!(r#"{{"type":"Sequence","decoders":[{{"type":"Replace","pattern":{{"String":"x"}},"content":"{}"}}]}}"#, "y".repeat(n)))
    });
    inputs.sizes("decoder-steps", &[100_000], Content::Tokenizer, |n| {
        let step = r#"{"type":"Replace","pattern":{"String":"q"},"content":"z"}"#;
        tokenizer(&format!(
            r#"{{"type":"Sequence","decoders":[{}]}}"#,
            list(n, |_| step.into())
        ))
    });
    inputs.sizes("token-id", &[1_000_000, 4_294_967_295], Content::Tokenizer, |n| {
        format!(r#"{{"added_tokens":[],"decoder":{{"type":"ByteLevel"}},"model":{{"type":"BPE","vocab":{{"a":{n}}},"merges":[]}}}}"#)
    });
    inputs.sizes("token-long", &[1_000_000, 10_000_000], Content::Tokenizer, |n| {
        format!(r#"{{"added_tokens":[],"decoder":{{"type":"ByteLevel"}},"model":{{"type":"BPE","vocab":{{"{}":0}},"merges":[]}}}}"#, "a".repeat(n))
    });
    inputs.sizes("added", &[100_000], Content::Tokenizer, |n| {
        let added = list(n, |at| format!(r#"{{"id":{at},"content":"<|s{at}|>","special":true}}"#));
        format!(r#"{{"added_tokens":[{added}],"decoder":{{"type":"ByteLevel"}},"model":{{"type":"BPE","vocab":{{"a":{n}}},"merges":[]}}}}"#)
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
