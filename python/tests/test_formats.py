"""Chat formats: what is generated is judged by a parser that shares no code with the masks."""

from __future__ import annotations

import json
import pathlib

import jsonschema
import pytest
from conftest import ROOT
from walk import random_text

import maskwright
from maskwright import Constraint, Vocabulary, built_in_formats, flags_of, format_of, transcript
from maskwright.__main__ import main

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1, "maximum": 14}},
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    },
    {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "maxProperties": 0}}},
]
SCHEMAS = {f"functions.{tool['function']['name']}": tool["function"]["parameters"] for tool in TOOLS}  # type: ignore[index]


def judge(recipient: str, arguments: str) -> None:
    jsonschema.validate(json.loads(arguments), SCHEMAS[recipient])


@pytest.mark.parametrize("choice", ["auto", "required", "none", "get_weather"])
@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("format", ["harmony", "openchatml-2.2", "openchatml-0.1", "internlm2"])
def test_turns_are_judged_valid(tiny: Vocabulary, format: str, choice: str, parallel: bool) -> None:
    constraint = Constraint.from_format(
        tiny, format, tools=TOOLS, tool_choice=choice, parallel_calls=parallel
    )
    config = transcript.ParserConfig.assistant_turn(
        format,
        tools=list(SCHEMAS),
        tool_choice=choice if choice in ("auto", "required", "none") else f"functions.{choice}",
        calls="many" if parallel else "one",
        arguments=judge,
    )
    for seed in range(4):
        tokens = random_text(constraint, seed)
        transcript.parse(tiny.decode(tokens), config)


def test_chatml_has_no_calls(tiny: Vocabulary) -> None:
    assert set(built_in_formats()) >= {"chatml", "harmony"}
    constraint = Constraint.from_format(tiny, "chatml")
    text = tiny.decode(random_text(constraint, 1))
    transcript.parse(text, transcript.ParserConfig.assistant_turn("chatml"))


def test_a_turn_goes_on_where_the_prompt_ends(tiny: Vocabulary) -> None:
    prompt = "<|start|>user<|message|>Hi<|end|><|start|>assistant<|channel|>final<|message|>"
    session = Constraint.from_format(tiny, "harmony", prompt=prompt).session()
    start = tiny.specials["<|start|>"] if "<|start|>" in tiny.specials else None
    assert session.advance(tiny.longest_tokens("Hello")) == len(tiny.longest_tokens("Hello"))
    assert start is None or not session.allows(start)


def test_a_format_of_ones_own(tiny: Vocabulary) -> None:
    text = (ROOT / "grammars" / "hermes.abnf").read_text()
    constraint = Constraint.from_abnf(tiny, text, tools=TOOLS, tool_choice="required")
    written = tiny.decode(random_text(constraint, 3))
    assert "<tool_call>" in written and "</tool_call>" in written


QWEN = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"]
TEMPLATE = """{% for call in message.tool_calls %}<tool_call>
{"name": "{{ call.name }}", "arguments": {{ call.arguments }}}
</tool_call>{% endfor %}<|im_end|>{{ '<|im_start|>assistant\n<think>\n\n</think>' }}"""


def test_a_model_tells_its_format(tiny: Vocabulary) -> None:
    # Added tokens that are not special count, too: those of Qwen3, DeepSeek, GLM and others are not.
    qwen = Vocabulary.from_tokens([b"a", *QWEN[2:]], specials={QWEN[0]: 5, QWEN[1]: 6}, end_tokens=[6])
    with pytest.raises(maskwright.UnsupportedError, match="one of several formats: qwen3, qwen3-coder"):
        format_of(qwen)
    assert format_of(qwen, TEMPLATE) == format_of(template=TEMPLATE) == "qwen3"
    assert format_of(tiny) in built_in_formats()
    with pytest.raises(maskwright.UnsupportedError, match="none of the formats"):
        format_of(template="{{ messages }}")
    with pytest.raises(maskwright.InvalidArgumentError, match="a vocabulary, a template, or both"):
        format_of()


def test_a_model_tells_the_flags_of_its_format() -> None:
    nemo = Vocabulary.from_tokens([b"a"], specials={"[/INST]": 1, "[TOOL_CALLS]": 2, "</s>": 3}, end_tokens=[3])
    assert format_of(nemo) == "mistral" and flags_of("mistral", nemo) == {"v3"}
    assert flags_of("mistral", {"[TOOL_CALLS]": 5, "[ARGS]": 6, "[CALL_ID]": 7}) == {"v11"}
    assert flags_of("mistral", nemo, "[TOOL_CALLS]{{ call.name }}[ARGS]{{ call.arguments }}") == set()
    with pytest.raises(maskwright.InvalidArgumentError, match="no such format"):
        flags_of("mistrial", nemo)


def test_the_command_line_takes_the_format_of_the_model(
    tmp_path: pathlib.Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    bytes_ = {chr(byte) for byte in printable} | {chr(256 + place) for place in range(len(others))}
    added = [{"id": 256 + place, "content": name, "special": place < 2} for place, name in enumerate(QWEN)]
    tokenizer = {"model": {"vocab": {letter: place for place, letter in enumerate(sorted(bytes_))}}, "decoder": {"type": "ByteLevel"}, "added_tokens": added}
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer))
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": QWEN[1]}))
    (tmp_path / "turn").write_text("\n<think>\nHm.\n</think>\n\nYes.<|im_end|>")
    accept = ["accept", "--format", "auto", "--vocab", str(tmp_path), str(tmp_path / "turn")]
    assert main(accept) == 2 and "several formats" in capsys.readouterr().err
    (tmp_path / "chat_template.jinja").write_text(TEMPLATE)
    assert main(accept) == 0 and "accepted" in capsys.readouterr().out
