//! Texts that readers of models' turns may read again and again, and formats whose readings multiply.

use crate::inputs::{Content, Inputs};

/// A format that comes along, a beginning, and what is repeated behind it.
const REPEATED: &[(&str, &str, &str)] = &[
    ("qwen3", "", "<tool_call>"),
    ("qwen3", "", "<tool_call>\n{"),
    (
        "qwen3",
        "",
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {",
    ),
    (
        "qwen3",
        "",
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {}}\n</tool_call>\n",
    ),
    ("qwen3", "", "</tool_call>"),
    ("qwen3", "", "<think>"),
    ("qwen3", "", "<"),
    ("qwen3", "", "\n"),
    (
        "qwen3",
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": ",
        "[",
    ),
    (
        "qwen3",
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"",
        "\\\"",
    ),
    (
        "qwen3",
        "<tool_call>\n{\"name\": \"f\", \"arguments\": \"",
        "\\u0022",
    ),
    ("qwen3", "<tool_call>\n{\"name\": \"", "f"),
    ("qwen3-coder", "", "<function=f>\n"),
    (
        "qwen3-coder",
        "",
        "<tool_call>\n<function=f>\n<parameter=a>\n",
    ),
    (
        "qwen3-coder",
        "<tool_call>\n<function=f>\n",
        "<parameter=a>\n",
    ),
    (
        "qwen3-coder",
        "<tool_call>\n<function=f>\n",
        "<parameter=a>\n1\n</parameter>\n",
    ),
    (
        "qwen3-coder",
        "<tool_call>\n<function=f>\n<parameter=a>\n",
        "</paramete",
    ),
    (
        "qwen3-coder",
        "<tool_call>\n<function=f>\n<parameter=a>\n",
        "\n",
    ),
    (
        "qwen3-coder",
        "<tool_call>\n<function=f>\n<parameter=a>\n",
        "[",
    ),
    ("deepseek-r1", "", "<｜tool▁calls▁begin｜>"),
    (
        "deepseek-v3",
        "",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>",
    ),
    (
        "deepseek-v3.1",
        "",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{",
    ),
    ("deepseek-v3.1", "", "<｜tool"),
    (
        "deepseek-v3.2",
        "",
        "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"f\">\n",
    ),
    ("deepseek-v3.2", "", "<｜DSML｜"),
    ("glm-4.5", "", "<tool_call>f\n<arg_key>a</arg_key>\n"),
    (
        "glm-4.5",
        "<tool_call>f\n",
        "<arg_key>a</arg_key>\n<arg_value>1</arg_value>\n",
    ),
    ("glm-4.5", "", "<tool_call>f\n</tool_call>"),
    (
        "glm-4.5",
        "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>",
        "</arg_valu",
    ),
    (
        "kimi-k2",
        "",
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{",
    ),
    (
        "kimi-k2",
        "<|tool_calls_section_begin|>",
        "<|tool_call_begin|>functions.f:",
    ),
    ("kimi-k3", "", "<"),
    ("llama3", "", "{\"name\": \"f\", \"parameters\": {"),
    ("llama3", "", "{\"name\": \"f\", \"parameters\": {}}; "),
    ("llama3", "", "{"),
    ("llama3", "", "\n{"),
    ("llama4", "", "[f("),
    ("llama4", "[", "f(a=1), "),
    ("llama4", "[f(a=", "["),
    ("llama4", "[f(a='", "\\'"),
    ("gemma-3", "", "```tool_code\n"),
    ("gemma-3", "", "```tool_code\nf(a=1)\n```\n"),
    ("gemma-3", "", "`"),
    ("gemma-4", "", "<|tool_call>call:f{"),
    ("mistral", "", "[TOOL_CALLS]"),
    (
        "mistral",
        "[TOOL_CALLS][",
        "{\"name\": \"f\", \"arguments\": {}}, ",
    ),
    ("mistral", "", "[TOOL_CALLS]f[ARGS]{"),
    (
        "minimax-m2",
        "",
        "<minimax:tool_call>\n<invoke name=\"f\">\n",
    ),
    (
        "minimax-m2",
        "<minimax:tool_call>\n<invoke name=\"f\">\n",
        "<parameter name=\"a\">1</parameter>\n",
    ),
    ("command-r", "", "<|START_ACTION|>["),
    (
        "command-r",
        "<|START_ACTION|>[",
        "\n{\"tool_call_id\": \"0\", \"tool_name\": \"f\", \"parameters\": {}},",
    ),
    ("phi-4", "", "functools["),
    ("phi-4", "", "<|tool_call|>["),
    ("granite-3.3", "", "<|tool_call|>["),
    (
        "granite-3.3",
        "",
        "<tool_call>[{\"name\": \"f\", \"arguments\": {}}]",
    ),
    ("functionary", "", "<function=f>{"),
    ("functionary", "", "<function=f>{}</function>"),
    (
        "exaone",
        "",
        "<tool_call>{\"name\": \"f\", \"arguments\": {",
    ),
    ("harmony", "", "<|channel|>"),
    (
        "harmony",
        "",
        "<|channel|>analysis<|message|>x<|end|><|start|>assistant",
    ),
    (
        "harmony",
        "<|channel|>commentary to=functions.f<|message|>",
        "{\"a\":",
    ),
    ("openchatml-2.2", "", "<<|"),
    ("openchatml-0.1", "", "<|im_start|>assistant\n"),
    (
        "internlm2",
        "",
        "<|action_start|><|plugin|>\n{\"name\": \"f\", \"parameters\": {",
    ),
    ("chatml", "", "<|im_end|>"),
];

/// How many bytes are repeated to.
const BYTES: &[usize] = &[300_000, 2_000_000];

/// What models write, repeated.
pub(crate) fn readers(inputs: &mut Inputs) {
    inputs.class("what readers read");
    for (at, &(format, begin, unit)) in REPEATED.iter().enumerate() {
        inputs.sizes(
            &format!("read-{format}-{at}"),
            BYTES,
            move |text| Content::Reads(format, text),
            move |n| format!("{begin}{}", unit.repeat(n / unit.len())),
        );
    }
}

/// Formats whose readings multiply.
pub(crate) fn readings(inputs: &mut Inputs) {
    inputs.class("readings");
    let format = |rules: &str| format!("assistant-turn = {rules}\r\n");
    inputs.sizes("sides", &[2, 8, 40, 1_000], Content::Reading, move |n| {
        let rules: String = (0..n).map(|at| format!("e{at} = \"{at}\"\r\n")).collect();
        let sides: Vec<String> = (0..n)
            .map(|at| format!("( <content-but e{at}> \"{at}\" )"))
            .collect();
        format!("{}{rules}", format(&sides.join(" / ")))
    });
    inputs.sizes("longest", &[2, 8, 40, 1_000], Content::Reading, move |n| {
        let longest = "<longest blank> ".repeat(n);
        format!("{}blank = *SP\r\n", format(&format!("{longest} <content>")))
    });
    inputs.sizes(
        "longest-chain",
        &[2, 8, 40, 1_000],
        Content::Reading,
        move |n| {
            let rules: String = (0..n)
                .map(|at| format!("b{at} = *SP <longest b{}>\r\n", at + 1))
                .collect();
            format!("{}{rules}b{n} = *LF\r\n", format("<longest b0> <content>"))
        },
    );
    inputs.sizes("roles", &[2, 8, 40, 1_000], Content::Reading, move |n| {
        let texts = "<reasoning> \"<a>\" <content> \"<b>\" ".repeat(n);
        format(&format!("*( {texts} )"))
    });
    inputs.sizes("optional", &[2, 8, 40, 1_000], Content::Reading, move |n| {
        let texts = "[ \"<a>\" ] [ <content> \"<b>\" ] ".repeat(n);
        format(&format!("*( {texts} )"))
    });
    inputs.sizes("calls", &[2, 8, 40, 1_000], Content::Reading, move |n| {
        let rules: String = (0..n)
            .map(|at| {
                format!(
                    "c{at} = \"<{at}\" <tool.short-name> \">\" <tool.arguments> \"</{at}>\"\r\n"
                )
            })
            .collect();
        let calls: Vec<String> = (0..n).map(|at| format!("c{at}")).collect();
        format!("{}{rules}", format(&format!("1*( {} )", calls.join(" / "))))
    });
    inputs.sizes("same-calls", &[2, 8, 40], Content::Reading, move |n| {
        let rules: String = (0..n)
            .map(|at| {
                format!("c{at} = \"<\" <tool.short-name> \">\" <tool.arguments> \";\" \"{at}\"\r\n")
            })
            .collect();
        let calls: Vec<String> = (0..n).map(|at| format!("c{at}")).collect();
        format!("{}{rules}", format(&format!("1*( {} )", calls.join(" / "))))
    });
    inputs.sizes("within", &[2, 8, 16, 40], Content::Reading, move |n| {
        let rules: String = (0..n)
            .map(|at| format!("r{at} = \"<{at}>\" [ <content r{}> ]\r\n", at + 1))
            .collect();
        format!("{}{rules}r{n} = \"y\"\r\n", format("<reasoning r0>"))
    });
    inputs.sizes(
        "ending-but",
        &[10, 1_000, 60_000],
        Content::Reading,
        move |n| {
            let others: String = (0..n).map(|at| format!(" / \"<{at}>\"")).collect();
            format!(
                "{}ends = SP / LF\r\nothers = \"<x>\"{others}\r\n",
                format("<text-ending-but ends others> \"<x>\"")
            )
        },
    );
}
