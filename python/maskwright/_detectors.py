"""SGLang's detectors of function calls, over the readers of chat formats: ``--tool-call-parser maskwright_qwen3``.

What a detector says of a request, such as the structural tags of its calls, is SGLang's own for the family; only
the text is read by the format's file. SGLang takes the thoughts out before where it has ``--reasoning-parser``.
"""

from __future__ import annotations

from typing import Any

from sglang.srt.function_call.base_format_detector import BaseFormatDetector
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem
from sglang.srt.function_call.function_call_parser import FunctionCallParser

from maskwright import reader
from maskwright._families import FAMILIES, Family, TurnReader

OWN = {
    "deepseek-r1": "deepseekv3",
    "deepseek-v3": "deepseekv3",
    "deepseek-v3.1": "deepseekv31",
    "gemma-4": "gemma4",
    "glm-4.5": "glm45",
    "kimi-k2": "kimi_k2",
    "llama3": "llama3",
    "llama4": "pythonic",
    "minimax-m2": "minimax-m2",
    "mistral": "mistral",
    "qwen3": "qwen",
    "qwen3-coder": "qwen3_coder",
}
"""SGLang's detector of a family."""

LEFT_OUT = {"deepseek-v3.2", "kimi-k3"}
"""Families whose prompts SGLang writes by the name of its own detector."""


class _Reads:
    """The methods of a detector that read text."""

    family: Family
    _turn: TurnReader | None = None

    def has_tool_call(self, text: str) -> bool:
        """Whether the text has a call, of whatever tool."""
        turn = TurnReader(self.family, None)
        events = turn.feed(text) + turn.finish()
        return any(isinstance(event, reader.Call) for event in events)

    def detect_and_parse(self, text: str, tools: list[Any]) -> StreamingParseResult:
        """What a whole text says."""
        turn = TurnReader(self.family, _tools(tools))
        turn.feed(text)
        turn.finish()
        message = turn.message
        places = {tool.function.name: place for place, tool in enumerate(tools)}
        calls = [
            ToolCallItem(tool_index=places.get(call.name, -1), name=call.name, parameters=call.arguments)
            for call in message.calls
        ]
        return StreamingParseResult(normal_text=message.reasoning + message.content, calls=calls)

    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> StreamingParseResult:
        """What more is certain of a text that arrives."""
        if self._turn is None:
            self._turn = TurnReader(self.family, _tools(tools))
        return _result(self._turn.feed(new_text))

    def finish(self, tools: list[Any]) -> StreamingParseResult:
        """What the end of the text makes certain."""
        return StreamingParseResult() if self._turn is None else _result(self._turn.finish())


class _Alone(BaseFormatDetector):
    """A family that SGLang has no detector for: it constrains forced calls as plain JSON, and reads them itself."""

    def supports_structural_tag(self) -> bool:
        return False

    def structure_info(self) -> Any:
        raise NotImplementedError("SGLang has no structural tags for this family")


def _result(events: list[reader.Event]) -> StreamingParseResult:
    text = ""
    calls: list[ToolCallItem] = []
    for event in events:
        match event:
            case reader.Content() | reader.Reasoning():
                text += event.text
            case reader.Call():
                calls.append(ToolCallItem(tool_index=event.index, name=event.name, parameters=""))
            case reader.Arguments() if calls and calls[-1].tool_index == event.index:
                calls[-1].parameters += event.text
            case reader.Arguments():
                calls.append(ToolCallItem(tool_index=event.index, parameters=event.text))
    return StreamingParseResult(normal_text=text, calls=calls)


def _tools(tools: list[Any]) -> list[dict[str, Any]]:
    return [
        {"name": tool.function.name, "parameters": tool.function.parameters or {"type": "object"}}
        for tool in tools
        if tool.function.name
    ]


def register() -> None:
    """Makes the detectors known to SGLang, for ``--tool-call-parser``."""
    known = FunctionCallParser.ToolCallParserEnum
    for family in FAMILIES.values():
        if family.format not in LEFT_OUT:
            own = known[OWN[family.format]] if family.format in OWN else _Alone
            known[family.parser] = type(family.parser, (_Reads, own), {"family": family})
