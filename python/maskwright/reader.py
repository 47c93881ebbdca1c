"""What a model wrote, taken apart by the file of its format: reasoning, text, calls and their arguments.

A reader takes a turn in pieces of any size, or token by token, and gives events as soon as they are certain. It never
guesses: what can still be read in two ways is held back until one is left. Arguments come as JSON, however the model
spells them. Where no tools are given, any name is one.

>>> import maskwright
>>> from maskwright.reader import Arguments, Call, Content
>>> reader = maskwright.Reader.from_format("qwen3-coder")
>>> for event in reader.feed("\\nLet me see.\\n\\n<tool_call>\\n<function=find>\\n<parameter=n>\\n12\\n</parameter>"):
...     print(event)
Content(text='Let me see.', span=(1, 12))
Call(index=0, name='find', id=None, span=(36, 40))
Arguments(index=0, text='{', span=(42, 42))
Arguments(index=0, text='"n": ', span=(56, 56))
Arguments(index=0, text='12', span=(56, 58))
>>> _ = reader.feed("\\n</function>\\n</tool_call>")
>>> _ = reader.finish()
>>> reader.message.calls[0].arguments
'{"n": 12}'

Make one reader a request, and of it one a turn by :meth:`Reader.again`, which takes next to no time:

>>> message = read(reader, "\\n<think>\\nHm.\\n</think>\\n\\nYes.<|im_end|>")
>>> message.reasoning, message.content
('Hm.\\n', 'Yes.')

A text that is no turn of the format is an error with its place, or, for a lenient reader, content from there on. Where one piece has
both, a strict reader gives the events that were certain before that place, and the next call raises the error:

>>> read(reader, "\\nWell.</tool_call>{")
Traceback (most recent call last):
    ...
maskwright.reader.ReadError: byte 17: no turn of this format goes on like this
>>> lenient = maskwright.Reader.from_format("qwen3-coder", lenient=True)
>>> read(lenient, "\\nWell.</tool_call>{").content
'Well.</tool_call>{'

Of a format of one's own, :meth:`Reader.unsettled` says why it cannot be shown that each of its turns has one reading, with the rules.

Places are bytes of the text's UTF-8, in which control tokens count as they are spelt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

from maskwright._errors import MaskwrightError
from maskwright._native import Reader

__all__ = [
    "Argument",
    "Arguments",
    "Broken",
    "Call",
    "CallEnd",
    "CallId",
    "Content",
    "End",
    "Event",
    "Message",
    "MessageCall",
    "ReadError",
    "Reader",
    "Reasoning",
    "Text",
    "read",
]

Span = tuple[int, int]


class ReadError(MaskwrightError, ValueError):
    """A text is no turn of the format: from the byte ``at``, or, where that is ``None``, since it has two meanings."""

    def __init__(self, message: str, at: int | None) -> None:
        super().__init__(message)
        self.at = at


@dataclass(frozen=True)
class Reasoning:
    """More of what the model thinks."""

    text: str
    span: Span


@dataclass(frozen=True)
class Content:
    """More of what the model says."""

    text: str
    span: Span


@dataclass(frozen=True)
class Call:
    """A call begins: its tool is known, and its id where the format has one before the arguments."""

    index: int
    name: str
    id: str | None
    span: Span


@dataclass(frozen=True)
class CallId:
    """The id of a call that was told of already."""

    index: int
    id: str
    span: Span


@dataclass(frozen=True)
class Arguments:
    """More of the arguments of a call, as JSON; the code, for a tool that takes text."""

    index: int
    text: str
    span: Span


@dataclass(frozen=True)
class Argument:
    """One argument is complete, while others may be missing. ``value`` is JSON, which ``Arguments`` told already."""

    index: int
    name: str
    value: str
    span: Span


@dataclass(frozen=True)
class CallEnd:
    """The arguments of a call are complete."""

    index: int
    span: Span


@dataclass(frozen=True)
class Broken:
    """A lenient reader does not understand what comes next: from here on all is content."""

    span: Span


@dataclass(frozen=True)
class End:
    """The turn has ended."""

    is_complete: bool
    span: Span


Event = Union[Reasoning, Content, Call, CallId, Arguments, Argument, CallEnd, Broken, End]


@dataclass(frozen=True)
class Text:
    """A passage of a message."""

    kind: Literal["reasoning", "content"]
    text: str


@dataclass(frozen=True)
class MessageCall:
    """A call: the arguments are JSON, or the code of a tool that takes text."""

    name: str
    id: str | None
    arguments: str
    is_complete: bool


@dataclass(frozen=True)
class Message:
    """What a turn says."""

    parts: tuple[Text | MessageCall, ...]
    is_complete: bool
    broken_at: int | None
    """Where a lenient reader stopped understanding."""

    @property
    def reasoning(self) -> str:
        """All that the model thinks; passages are joined by line breaks."""
        return self._said("reasoning")

    @property
    def content(self) -> str:
        """All that it says; passages are joined by line breaks."""
        return self._said("content")

    @property
    def calls(self) -> list[MessageCall]:
        return [part for part in self.parts if isinstance(part, MessageCall)]

    def _said(self, kind: str) -> str:
        return "\n".join(part.text for part in self.parts if isinstance(part, Text) and part.kind == kind)

    def to_openai(self) -> dict[str, Any]:
        """The message as OpenAI's chat interface has it. Calls without an id get ``call_0``, ``call_1`` and so on."""
        message: dict[str, Any] = {"role": "assistant", "content": self.content or None}
        if self.reasoning:
            message["reasoning_content"] = self.reasoning
        calls = [
            {
                "id": call.id or f"call_{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for index, call in enumerate(self.calls)
        ]
        if calls:
            message["tool_calls"] = calls
        return message


def read(reader: Reader, turn: str | bytes | Sequence[int]) -> Message:
    """What a whole turn says, as text or as tokens. The reader stays as it is, and may be used again."""
    own = reader.again()
    if isinstance(turn, (str, bytes)):
        own.feed(turn)
    else:
        own.feed_tokens(turn)
    own.finish()
    message: Message | None = own.message
    assert message is not None, "it is finished"
    return message
