"""vLLM's parsers of thoughts and tool calls, over the readers of chat formats.

``--enable-auto-tool-choice --tool-call-parser maskwright_qwen3 --reasoning-parser maskwright_qwen3`` has a turn read
by the file of its format. One reader takes the turn whole, so both names are of one format; either may be left out.
Where a thought ends is what vLLM's engine asks of a reasoning parser, token by token: that answer is vLLM's own for
the family.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from vllm.entrypoints.generate.base.protocol import (
    DeltaFunctionCall,
    DeltaMessage,
    DeltaToolCall,
    ExtractedToolCallInformation,
    FunctionCall,
    ToolCall,
)
from vllm.parser.abstract_parser import DelegatingParser
from vllm.renderers.chat_utils import make_tool_call_id
from vllm.tool_parsers.abstract_tool_parser import ToolParser
from vllm.tool_parsers.tool_strict_level import ToolStrictLevel

from maskwright import reader
from maskwright._families import FAMILIES, PREFIX, Family, TurnReader
from maskwright.vllm._turns import PROMPT_TOKENS, TAGS


class TurnToolParser(ToolParser):
    """Reads the calls of a turn; subclasses name the family."""

    family: Family
    supports_required_and_named = False

    def __init__(self, tokenizer: Any, tools: Any = None) -> None:
        super().__init__(tokenizer, tools)
        self.family = self.family.of_model(tokenizer)
        self._stream: _Stream | None = None

    def adjust_request(self, request: Any) -> Any:
        """The text that is read has its control tokens."""
        request = super().adjust_request(request)
        request.skip_special_tokens = False
        return request

    def extract_tool_calls(self, model_output: str, request: Any) -> ExtractedToolCallInformation:
        """What a whole text says. There is no place for thoughts here but the content."""
        turn = TurnReader(self.family, _tools(request))
        turn.feed(model_output)
        turn.finish()
        message = turn.message
        calls = [ToolCall(id=call.id or make_tool_call_id(), function=call) for call in _calls(message)]
        content = message.reasoning + message.content
        return ExtractedToolCallInformation(
            tools_called=bool(calls), tool_calls=calls, content=content or None
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> DeltaMessage | None:
        """What more is certain of a text that arrives."""
        if self._stream is None:
            self._stream = _Stream(TurnReader(self.family, _tools(request)))
        return self._stream.feed(delta_text, finished=False)


class TurnParser(DelegatingParser):
    """Reads a turn whole; subclasses name the family and vLLM's two parsers."""

    family: Family

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.family = self.family.of_model(self.model_tokenizer)
        self._prompt: Sequence[int] | None = None
        self._stream: _Stream | None = None

    def adjust_request(self, request: Any) -> Any:
        """The text that is read has its control tokens, without tools too."""
        request = super().adjust_request(request)
        request.skip_special_tokens = False
        return request

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        """What of the turn the prompt has already is known by its end."""
        self._prompt = prompt_token_ids

    def parse(
        self,
        model_output: str,
        request: Any,
        enable_auto_tools: bool = False,
        model_output_token_ids: Sequence[int] = (),
    ) -> tuple[str | None, str | None, list[FunctionCall] | None]:
        """Thoughts, content and calls of a whole text."""
        turn = self._begin(request)
        turn.feed(model_output)
        turn.finish()
        message = turn.message
        calls = _calls(message)
        content = message.content if message.content.strip() or not calls else ""
        return message.reasoning or None, content or None, calls

    def parse_delta(
        self,
        delta_text: str,
        delta_token_ids: list[int],
        request: Any,
        prompt_token_ids: list[int] | None = None,
        *,
        finished: bool,
    ) -> DeltaMessage | None:
        """What more is certain of a text that arrives."""
        if self._stream is None:
            self._prompt = self._prompt if prompt_token_ids is None else prompt_token_ids
            self._stream = _Stream(self._begin(request))
        delta = self._stream.feed(delta_text, finished=finished)
        if delta is not None and not request.include_reasoning:
            delta.reasoning = None
            if not delta.content and not delta.tool_calls:
                return None
        return delta

    def _begin(self, request: Any) -> TurnReader:
        prompt = None
        if self._prompt is not None:
            prompt = self.model_tokenizer.decode(list(self._prompt[-PROMPT_TOKENS:]), skip_special_tokens=False)
        tools = _tools(request) if self.tool_parser_cls is not None else []
        return TurnReader(self.family, tools, prompt)


class _Stream:
    """A turn that arrives, as vLLM's deltas."""

    def __init__(self, turn: TurnReader) -> None:
        self._turn = turn

    def feed(self, text: str, *, finished: bool) -> DeltaMessage | None:
        events = self._turn.feed(text)
        if finished:
            events += self._turn.finish()
        content = "".join(event.text for event in events if isinstance(event, reader.Content))
        reasoning = "".join(event.text for event in events if isinstance(event, reader.Reasoning))
        calls: list[DeltaToolCall] = []
        for event in events:
            match event:
                case reader.Call():
                    function = DeltaFunctionCall(name=event.name, arguments="")
                    id = event.id or make_tool_call_id()
                    calls.append(DeltaToolCall(index=event.index, id=id, type="function", function=function))
                case reader.Arguments() if calls and calls[-1].index == event.index:
                    last = calls[-1].function
                    assert last is not None, "each has one"
                    last.arguments = (last.arguments or "") + event.text
                case reader.Arguments():
                    function = DeltaFunctionCall(arguments=event.text)
                    calls.append(DeltaToolCall(index=event.index, function=function))
        if not (content or reasoning or calls):
            return None
        return DeltaMessage(content=content or None, reasoning=reasoning or None, tool_calls=calls)


def _calls(message: reader.Message) -> list[FunctionCall]:
    """The calls of a turn. One that breaks off is told as far as it goes, as it is where it is streamed."""
    return [FunctionCall(id=call.id, name=call.name, arguments=call.arguments) for call in message.calls]


def _tools(request: Any) -> list[dict[str, Any]]:
    """A request's tools, of either of OpenAI's interfaces, as readers take them; none where it wants no calls."""
    if request.tool_choice == "none":
        return []
    functions = [getattr(tool, "function", tool) for tool in request.tools or [] if tool.type == "function"]
    return [
        {"name": function.name, "parameters": function.parameters or {"type": "object"}} for function in functions
    ]


def compose(family: Family, names: dict[str, str | None], tool_strict_level: str) -> type[TurnParser]:
    """vLLM's parser of a server, for its two names."""
    from vllm.reasoning import ReasoningParserManager
    from vllm.tool_parsers import ToolParserManager

    tools, thoughts = names["tool"], names["reasoning"]
    members = {
        "family": family,
        "tool_parser_cls": ToolParserManager.get_tool_parser(tools) if tools else None,
        "reasoning_parser_cls": ReasoningParserManager.get_reasoning_parser(thoughts) if thoughts else None,
        "tool_strict_level": ToolStrictLevel.from_name(tool_strict_level),
    }
    return type("TurnParser", (TurnParser,), members)


def family_of(names: Sequence[str]) -> Family | None:
    """The family that a server's names of parsers are of; ``None`` where none is ours.

    Raises ``TypeError`` where they are of more than one.
    """
    ours = {family.parser: family for family in FAMILIES.values()}
    if not any(name.startswith(PREFIX) for name in names):
        return None
    families = {ours.get(name) for name in names}
    if len(families) != 1:
        raise TypeError(f"parsers of maskwright read a turn whole: both names are of one format, not {' and '.join(names)}")
    return families.pop()


def __getattr__(name: str) -> Any:
    """The class of a family's tool parser, which vLLM looks up by the name of the parser."""
    for family in FAMILIES.values():
        if family.parser == name:
            members = {"family": family, "structural_tag_model": TAGS.get(family.format, name)}
            return type(name, (TurnToolParser,), members)
    raise AttributeError(name)
