//! Hostile chat formats.

use crate::inputs::{Content, Inputs};

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
    inputs.sizes("within-itself", &[1], Content::Format, |_| {
        format_with("\"x\" <text assistant-turn>")
    });
    inputs.sizes("within-chain", &[8, 1_000, 50_000], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at} = \"x\" [ <text r{}> ]\r\n", at + 1))
            .collect();
        format!("{}{rules}r{n} = \"y\"\r\n", format_with("r0"))
    });
    inputs.sizes("within-laughs", &[5, 12, 30], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| {
                format!(
                    "r{at} = \"x\" <text r{0}> <content r{0}> <reasoning r{0}>\r\n",
                    at + 1
                )
            })
            .collect();
        format!("{}{rules}r{n} = \"y\"\r\n", format_with("r0"))
    });
    inputs.sizes("within-side", &[100, 20_000], Content::Format, |n| {
        let rules: String = (0..n).map(|at| format!("r{at} = \"x{at}\"\r\n")).collect();
        let calls: Vec<String> = (0..n).map(|at| format!("<text r{at}>")).collect();
        format!("{}{rules}", format_with(&calls.join(" / ")))
    });
    inputs.sizes("text-but-side", &[100, 20_000], Content::Format, |n| {
        let rules: String = (0..n).map(|at| format!("r{at} = \"x{at}\"\r\n")).collect();
        let calls: Vec<String> = (0..n).map(|at| format!("<text-but r{at}> r{at}")).collect();
        format!("{}{rules}", format_with(&calls.join(" / ")))
    });
    inputs.sizes(
        "control-long",
        &[1_000, 20_000, 500_000],
        Content::Format,
        |n| format_with(&format!("<text> \"<|{}|>\"", "c".repeat(n))),
    );
    inputs.sizes(
        "controls-text",
        &[100, 2_000, 30_000],
        Content::Format,
        |n| {
            let parts: Vec<String> = (0..n).map(|at| format!("\"<|c{at}|>\"")).collect();
            format_with(&format!("<escaped-text> <text> ( {} )", parts.join(" / ")))
        },
    );
    inputs.sizes("call-id-chain", &[100, 30_000], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at} = \"x\" r{}\r\n", at + 1))
            .collect();
        format!("{}{rules}r{n} = <call-id>\r\n", format_with("r0 r0"))
    });
    inputs.sizes("call-id-ring", &[100, 10_000], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at} = <call-id> \" \" [ r{} ]\r\n", (at + 1) % n))
            .collect();
        format!("{}{rules}", format_with("r0"))
    });
    inputs.sizes("parameters", &[1, 300], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| {
                format!("p{at} = \"<{at}\" <parameter.name> \">\" <parameter.value> \"</p>\"\r\n")
            })
            .collect();
        let calls: Vec<String> = (0..n)
            .map(|at| format!("<tool.name> <parameters p{at}>"))
            .collect();
        format!("{}{rules}", format_with(&calls.join(" / ")))
    });
    inputs.sizes("parameters-long", &[1_000, 50_000], Content::Format, |n| {
        let long = "x".repeat(n);
        let rule = format!("p = \"<\" <parameter.name> \">\" <parameter.value> \"</{long}>\"\r\n");
        format!("{}{rule}", format_with("<tool.name> <parameters p>"))
    });
    inputs.sizes(
        "without-many",
        &[100, 5_000, 60_000],
        Content::Format,
        |n| {
            let words: Vec<String> = (0..n).map(|at| format!("\"<w{at}>\"")).collect();
            let text = format_with("<text-without words> \"<w0>\"");
            format!("{text}words = {}\r\n", words.join(" / "))
        },
    );
    inputs.sizes(
        "without-long",
        &[100, 10_000, 1_000_000],
        Content::Format,
        |n| {
            let text = format_with("<text-without word> word");
            format!("{text}word = \"{}\"\r\n", "xy".repeat(n / 2))
        },
    );
    inputs.sizes(
        "but-long",
        &[100, 10_000, 1_000_000],
        Content::Format,
        |n| {
            let text = format_with("<content-but word> word <reasoning> \"<|x|>\"");
            format!("{text}word = \"{}\"\r\n", "xy".repeat(n / 2))
        },
    );
    inputs.sizes("ids", &[1, 9, 200], Content::Format, |n| {
        format_with(&format!("*( <id [A-Za-z0-9]{{{n}}}> \" \" )"))
    });
    inputs.sizes("ids-pattern", &[4, 12, 30], Content::Format, |n| {
        format_with(&format!("*( <id (a|b)*a(a|b){{{n}}}> \" \" )"))
    });
    inputs.sizes("counters", &[1, 200], Content::Format, |n| {
        format_with(&format!("*( {} )", "<counter> \" \" ".repeat(n)))
    });
    inputs.sizes("name-but", &[100, 60_000], Content::Format, |n| {
        let words: Vec<String> = (0..n).map(|at| format!("\"w{at}\"")).collect();
        let text = format_with("<name-but words> \" \"");
        format!("{text}words = {}\r\n", words.join(" / "))
    });
    inputs.sizes("value-but", &[10, 1_000, 30_000], Content::Format, |n| {
        let words: Vec<String> = (0..n).map(|at| format!("\"<w{at}>\"")).collect();
        let rule = "p = \"<\" <parameter.name> \">\" <parameter.value-but words> \"<w0>\"\r\n";
        let text = format_with("<tool.name> <parameters p>");
        format!("{text}{rule}words = {}\r\n", words.join(" / "))
    });
    inputs.sizes("conditions", &[100, 30_000], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| {
                format!(
                    "r{at} = <if f{at}> \"x\" r{0} / <unless f{at}> \"y\" r{0}\r\n",
                    at + 1
                )
            })
            .collect();
        format!("{}{rules}r{n} = \"z\"\r\n", format_with("r0"))
    });
    inputs.sizes("marks-nested", &[5, 30, 64], Content::Format, |n| {
        let rules: String = (0..n)
            .map(|at| {
                format!(
                    "r{at} = *( <once m> \"a\" / <after m> \"b\" / <before m> \"c\" ) [ r{} ]\r\n",
                    at + 1
                )
            })
            .collect();
        format!("{}{rules}r{n} = \"z\"\r\n", format_with("r0"))
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
