"""Whole turns of a chat format, as the structural tags that vLLM's API process hands to its engine.

vLLM describes tool calls by structural tags, which say less than a format does. Where the format has a grammar of
its own, the tag that our builder returns is an envelope: a triggered tag whose text is the request, to be compiled
with the grammar, and whose content is the tag that vLLM itself would have sent. vLLM may set ``stop_after_first`` on
it (no parallel calls) and may put it beside another in an ``or`` (tools and a response format); both are read here.
Where a turn cannot say what is asked for, or the vocabulary lacks the control tokens of gpt-oss or ChatML, the
content counts.
"""

from __future__ import annotations

import contextlib
import contextvars
import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from maskwright._families import FAMILIES

MARK = "maskwright:turn:"

PROMPT_TOKENS = 256
"""So many tokens of a prompt's end say what of the turn stands in it."""

FORMATS = {"hermes": "qwen3", "qwen_3": "qwen3", "qwen_3_coder": "qwen3-coder", "qwen_3_5": "qwen3-coder"}
"""The format of each of vLLM's models that ChatML frames."""

TAGS = {"qwen3": "qwen_3", "qwen3-coder": "qwen_3_coder"}
"""vLLM's name for the tags of a format that our own parsers read. Other formats have that of their parser."""


@dataclass(frozen=True)
class Reading:
    """How vLLM's API process reads the turn that it makes a tag for."""

    thoughts_apart: bool = False
    """Whether vLLM reads the thoughts by itself, so that the turn begins behind them."""
    flags: tuple[str, ...] | None = None
    """The flags of the format that our parser reads by; ``None`` where the parser is another."""


_reading: contextvars.ContextVar[Reading] = contextvars.ContextVar("reading", default=Reading())


@contextlib.contextmanager
def read_as(reading: Reading) -> Iterator[None]:
    """While vLLM makes a request's tag: how its turn is read."""
    token = _reading.set(reading)
    try:
        yield
    finally:
        _reading.reset(token)


_prompt: contextvars.ContextVar[Sequence[int] | None] = contextvars.ContextVar("prompt", default=None)


@contextlib.contextmanager
def begun_by(prompt: Sequence[int] | None) -> Iterator[None]:
    """While the engine compiles a request: the tokens of its prompt, which may have the beginning of the turn already."""
    token = _prompt.set(prompt)
    try:
        yield
    finally:
        _prompt.reset(token)


def prompt_tokens() -> Sequence[int] | None:
    """The prompt of the request that is being compiled, where it is known."""
    return _prompt.get()


@dataclass(frozen=True)
class Turn:
    """A turn of a chat format, and what the request asks of it."""

    format: str
    tools: tuple[dict[str, Any], ...] = ()
    tool_choice: str = "auto"
    parallel_calls: bool = True
    built_in_tools: tuple[str, ...] = ()
    response_schema: Any = None
    thoughts: bool = True
    """Whether the turn may begin with thoughts."""
    flags: tuple[str, ...] = ()
    """Which flags of the format hold."""

    def envelope(self, instead: dict[str, Any] | None = None) -> dict[str, Any]:
        """The structural tag that carries it, and the format that counts where the turn cannot be used."""
        request = {
            "format": self.format,
            "tools": list(self.tools),
            "tool_choice": self.tool_choice,
            "parallel_calls": self.parallel_calls,
            "built_in_tools": list(self.built_in_tools),
            "response_schema": self.response_schema,
            "thoughts": self.thoughts,
            "flags": list(self.flags),
        }
        tag = {
            "type": "tag",
            "begin": MARK + json.dumps(request),
            "content": instead or {"type": "any_text"},
            "end": "",
        }
        triggered = {"type": "triggered_tags", "triggers": [MARK], "tags": [tag]}
        return {"type": "structural_tag", "format": triggered}

    def begun(self, prompt: str) -> str:
        """What of the turn a prompt that ends so has already, thoughts that it opens above all. A turn without thoughts begins
        behind them, wherever that is: nothing."""
        if self.format == "harmony" or not self.thoughts:
            return ""
        _, opening, begun = prompt.rpartition(FAMILIES[self.format].prompt)
        return begun if opening else ""

    def options(self, begun: str = "") -> dict[str, Any]:
        """The keyword arguments of ``Grammar.from_format``, for a turn of which the prompt has ``begun``."""
        return {
            "tools": list(self.tools),
            "tool_choice": self.tool_choice,
            "parallel_calls": self.parallel_calls,
            "built_in_tools": list(self.built_in_tools),
            "response_schema": self.response_schema,
            "analysis": self.thoughts,
            "flags": list(self.flags),
            "prompt": None if self.format == "harmony" else FAMILIES[self.format].prompt + begun,
            # HIP-1 always says of an answer in JSON that it is one.
            "profile": "hip-1" if self.format == "harmony" and self.response_schema is not None else "default",
        }

    def fits(self, specials: Collection[str]) -> bool:
        """Whether a vocabulary with these special tokens can write it. Where vLLM has no tag of its own, any can: control
        tokens that it lacks are spelt."""
        if self.format == "harmony":
            return "<|channel|>" in specials
        return self.format not in FORMATS.values() or "<|im_end|>" in specials


def read(tag: Any) -> Turn | None:
    """The turn that a structural tag carries; ``None`` for a tag that is one."""
    if not isinstance(tag, dict) or tag.get("type") != "structural_tag":
        return None
    return _read_format(tag.get("format"))


def without_turns(node: Any) -> Any:
    """The tag with what counts instead of turns in their place."""
    match node:
        case {"type": "triggered_tags", "triggers": [mark], "tags": [{"content": content}]} if mark == MARK:
            return without_turns(content)
        case dict():
            return {key: without_turns(value) for key, value in node.items()}
        case list():
            return [without_turns(value) for value in node]
    return node


def _read_format(node: Any) -> Turn | None:
    if not isinstance(node, dict):
        return None
    if node.get("type") == "or":
        elements = node.get("elements")
        return _either([_answer(element) for element in elements]) if isinstance(elements, list) else None
    if node.get("type") != "triggered_tags" or node.get("triggers") != [MARK]:
        return None
    # A client can write the mark as well, with anything behind it.
    match node.get("tags"):
        case [{"begin": str(begin)}] if begin.startswith(MARK):
            request = json.loads(begin[len(MARK) :])
        case _:
            raise ValueError(f"a tag with the trigger {MARK!r} carries one turn, and this one does not")
    match request:
        case {
            "format": str(name),
            "tools": list(tools),
            "tool_choice": str(choice),
            "parallel_calls": bool(parallel),
            "built_in_tools": list(built_in),
            "response_schema": schema,
            "thoughts": bool(thoughts),
            "flags": list(flags),
        }:
            pass
        case _:
            raise ValueError(f"what stands behind {MARK!r} is no request for a turn")
    return Turn(
        format=name,
        tools=tuple(tools),
        tool_choice=choice,
        parallel_calls=parallel and not node.get("stop_after_first", False),
        built_in_tools=tuple(built_in),
        response_schema=schema,
        thoughts=thoughts,
        flags=tuple(flags),
    )


def _answer(node: Any) -> Turn | None:
    """The turn of a format, or one of whichever format that answers with JSON."""
    match node:
        case {"type": "json_schema", "json_schema": schema, "style": "json"}:
            return Turn("", response_schema=schema)
    return _read_format(node)


def _either(turns: list[Turn | None]) -> Turn | None:
    """Tools or an answer of a schema: one turn that may do either."""
    match turns:
        case [Turn() as calls, Turn() as answer] if answer.format in ("", calls.format):
            if not (calls.tools or calls.built_in_tools):
                calls, answer = answer, calls
        case _:
            return None
    if answer.tools or answer.built_in_tools or answer.response_schema is None:
        return None
    return replace(calls, tool_choice="auto", response_schema=answer.response_schema)


def harmony(tools: list[Any], builtin_tools: list[Any], tool_choice: str) -> Turn | None:
    """The turn of gpt-oss for what vLLM's builders are given; ``None`` where a built-in tool has no place in it."""
    built_ins = set()
    for tool in builtin_tools:
        name = (tool.name or tool.type).partition(".")[0]
        known = {"python": "python", "code_interpreter": "python", "browser": "browser"}.get(name)
        known = known or ("browser" if name.startswith("web_search") else None)
        if known is None:
            return None
        built_ins.add(known)
    return replace(_calls("harmony", tools, tool_choice), built_in_tools=tuple(sorted(built_ins)))


def of_format(format: str, tools: list[Any], tool_choice: str, flags: tuple[str, ...] = ()) -> Turn:
    """The turn of a family for what vLLM's builders are given. It has the flags that our parser reads by, or else these."""
    reading = _reading.get()
    told = flags if reading.flags is None else reading.flags
    return replace(_calls(format, tools, tool_choice), thoughts=not reading.thoughts_apart, flags=told)


def _calls(format: str, tools: list[Any], tool_choice: str) -> Turn:
    return Turn(
        format,
        tools=tuple(_tool(tool.function) for tool in tools),
        tool_choice="required" if tool_choice in ("required", "forced") else "auto",
        parallel_calls=tool_choice != "forced",
    )


def _tool(function: Any) -> dict[str, Any]:
    """A tool as the engine reads it: without ``strict: true`` its arguments are any JSON object."""
    strict = getattr(function, "strict", None) is True
    parameters = {"type": "object"} if function.parameters is None else function.parameters
    return {"name": function.name, "strict": strict, "parameters": parameters}
