"""Chat formats: what is generated is judged by a parser that shares no code with the masks."""

from __future__ import annotations

import json

import jsonschema
import pytest
from conftest import ROOT
from walk import random_text

from maskwright import Constraint, Vocabulary, built_in_formats, transcript

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
