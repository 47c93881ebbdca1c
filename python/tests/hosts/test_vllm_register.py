"""What the environment and the server's options say of vLLM's backends and of strict tools, each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

pytest.importorskip("vllm", reason="vLLM is not installed here")

SCRIPT = """
import json
from vllm.plugins import load_general_plugins

load_general_plugins()
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionToolsParam
from vllm.parser.parser_manager import ParserManager
from vllm.tool_parsers.structural_tag_registry import get_model_structural_tag
from vllm.tool_parsers.tool_strict_level import ToolStrictLevel
from vllm.v1 import structured_output

function = {"name": "f", "parameters": {"type": "object", "properties": {"x": {"const": 1}}, "required": ["x"]}}
tools = [ChatCompletionToolsParam.model_validate({"type": "function", "function": function})]
levels = {}
for level in ToolStrictLevel:
    tag = get_model_structural_tag("harmony", tools, "auto", reasoning=False, strict_level=level)
    text = None if tag is None else json.dumps(tag.model_dump())
    levels[level.name.lower()] = None if text is None else '\\\\"strict\\\\": true' in text
made = ParserManager.get_parser(tool_parser_name="hermes", enable_auto_tools=True, tool_strict_level="parameter")
print("RESULT", json.dumps({
    "backends": sorted({structured_output.GuidanceBackend.__module__, structured_output.XgrammarBackend.__module__}),
    "levels": levels,
    "default": made.tool_parser_cls.default_tool_strict_level is ToolStrictLevel.FUNCTION,
    "server": made.tool_strict_level.name.lower(),
}))
"""


def registered(**environment: str) -> Any:
    """What a process of vLLM has after its plug-ins have been loaded."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, env={**os.environ, **environment}, timeout=570
    )
    [line] = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")] or [done.stderr[-3000:]]
    return json.loads(line.removeprefix("RESULT "))


def test_tools_are_strict_where_they_or_the_server_say_so() -> None:
    made = registered()
    assert made["backends"] == ["maskwright.vllm._backend"]
    assert made["levels"] == {"auto": None, "function": False, "parameter": True}
    assert made["default"] and made["server"] == "parameter"


def test_all_tools_are_strict_where_the_environment_says_so() -> None:
    made = registered(MASKWRIGHT_STRICT="all")
    assert made["levels"] == {"auto": True, "function": True, "parameter": True}


def test_vllm_is_left_alone_where_the_environment_says_so() -> None:
    made = registered(MASKWRIGHT_VLLM="off", MASKWRIGHT_STRICT="all")
    assert all(name.startswith("vllm.") for name in made["backends"]) and not made["default"]
    # vLLM's own tags carry no turn of ours.
    assert not any(made["levels"].values())
