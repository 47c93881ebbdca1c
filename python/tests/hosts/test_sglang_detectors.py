"""The detectors `maskwright_…` in SGLang's parser of function calls, and SGLang's own beside them on random turns."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import Any

import jsonschema
import pytest
import turns

parsers = pytest.importorskip(
    "sglang.srt.function_call.function_call_parser", reason="SGLang's parsers of function calls cannot be loaded here"
)
COUNT = int(os.environ.get("MASKWRIGHT_TURNS", "12"))
SCHEMAS = {tool["function"]["name"]: tool["function"]["parameters"] for tool in turns.TOOLS}


@pytest.fixture(scope="module")
def tools() -> list[Any]:
    from sglang.srt.entrypoints.openai.protocol import Tool

    from maskwright import sglang

    sglang.register()
    return [Tool(**tool) for tool in turns.TOOLS]


def whole(tools: list[Any], name: str, text: str) -> tuple[str, list[tuple[str, Any]]]:
    content, calls = parsers.FunctionCallParser(tools, name).parse_non_stream(text)
    return content, [(call.name, json.loads(call.parameters)) for call in calls]


def streamed(tools: list[Any], name: str, pieces: list[str]) -> tuple[str, list[tuple[str, Any]]]:
    parser = parsers.FunctionCallParser(tools, name)
    content = ""
    calls: list[list[str]] = []
    for place in range(len(pieces) + 1):
        more, items = parser.parse_stream_chunk(pieces[place]) if place < len(pieces) else parser.parse_stream_end()
        content += more
        for item in items:
            if item.name:
                assert item.tool_index == len(calls)
                calls.append([item.name, ""])
            calls[item.tool_index][1] += item.parameters
    return content, [(name, json.loads(arguments)) for name, arguments in calls]


@pytest.mark.parametrize("family", turns.FAMILIES.values(), ids=lambda family: family.name)
def test_turns_are_read(tools: list[Any], family: Any) -> None:
    from maskwright import _detectors

    if family.format in _detectors.LEFT_OUT:
        assert family.parser not in parsers.FunctionCallParser.ToolCallParserEnum
        return
    found: Counter[str] = Counter()
    vocabulary = turns.tokens_of(family)
    for turn in turns.turns(vocabulary, family, COUNT):
        pieces = turns.without_end(turn)
        text = "".join(pieces)
        content, calls = whole(tools, family.parser, text)
        for name, arguments in calls:
            jsonschema.validate(arguments, SCHEMAS[name])
        assert streamed(tools, family.parser, pieces)[1] == calls, text
        found["read"] += 1
        found["calls"] += len(calls)
        if family.format in _detectors.OWN:
            try:
                theirs = whole(tools, _detectors.OWN[family.format], text)[1]
                found["alike" if theirs == calls else "other calls"] += 1
            except Exception as error:
                found[f"theirs fails: {type(error).__name__}"] += 1
    assert found["calls"] >= COUNT // 2
    print(family.name, vocabulary.name, dict(found))


def test_forced_calls_are_in_the_format_where_sglang_has_tags(tools: list[Any]) -> None:
    parser = parsers.FunctionCallParser(tools, "maskwright_qwen3")
    assert parser.owns_tool_format() and parser.get_structure_constraint("required") is not None
    assert not parsers.FunctionCallParser(tools, "maskwright_phi_4").owns_tool_format()
