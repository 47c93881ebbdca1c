"""What stands around a model that writes chat formats: reading, writing, converting, streaming, routing.

It shares no code with the engine that makes masks. Formats go by name: ``chatml``, ``openchatml-0.1``,
``internlm2``, ``openchatml-2.2``, ``harmony``. Places are bytes of the text's UTF-8.

>>> from maskwright import transcript
>>> turn = transcript.parse(
...     "<|channel|>final<|message|>Four.<|return|>", transcript.ParserConfig.assistant_turn("harmony")
... )
>>> turn.messages[0].channel, turn.messages[0].body
('final', 'Four.')
>>> chat = [transcript.Message("user", "Hi"), transcript.Message("assistant", "Hello.", channel="final")]
>>> transcript.render(transcript.convert(chat, "chatml").output, "chatml").text
'<|im_start|>user\\nHi<|im_end|>\\n<|im_start|>assistant\\nHello.<|im_end|>'
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from maskwright import _native
from maskwright._errors import Fault, MaskwrightError
from maskwright._native import DocumentHeader, EventStream, Parser, ToolRouter
from maskwright._types import Json

__all__ = [
    "Answer",
    "Call",
    "Control",
    "ConvertError",
    "Converted",
    "Dispatch",
    "DocumentHeader",
    "EventStream",
    "FilePart",
    "HiddenError",
    "InterchangeError",
    "Loss",
    "Message",
    "Note",
    "OpenMessage",
    "Parser",
    "ParserConfig",
    "Part",
    "RenderError",
    "Rendered",
    "ReplyEnvelope",
    "Shown",
    "StreamEvent",
    "ToolError",
    "ToolRouter",
    "Transcript",
    "TranscriptError",
    "convert",
    "from_interchange",
    "from_openai",
    "normalise_history",
    "parse",
    "parse_pieces",
    "read_reply",
    "render",
    "show",
    "to_interchange",
    "to_openai",
    "tool_message",
    "view",
]

Span = tuple[int, int]
T = TypeVar("T")


@dataclass(frozen=True)
class Control:
    """A control token, as a piece of an input or of what was rendered."""

    name: str
    """Its spelling, such as ``<|start|>``."""


Piece = str | bytes | Control
"""What one token stands for: text, or a control token."""


@dataclass(frozen=True)
class Part:
    """A part of a body whose format gives it structure."""

    kind: str
    """``text``, ``thought``, ``thought_flag``, ``function_list``, ``call`` or ``output``."""
    text: str
    """What it says, without marks and framing."""
    detail: str | None = None
    """The kind of a thought, or the full name of a tool."""
    span: Span = (0, 0)
    """Where that stands in the text."""


@dataclass(frozen=True)
class Call:
    """A tool call."""

    id: str | None
    """``call_id=``"""
    recipient: str
    """The full name of the tool."""
    arguments: str
    """The arguments, or the code."""
    content_type: str | None = None
    """The type of the arguments, as said."""
    span: Span = (0, 0)
    """Where the arguments stand in the text."""


@dataclass(frozen=True)
class Message:
    """One message. Made by hand, it has no place."""

    role: str
    """``system``, ``developer``, ``user``, ``assistant`` or ``tool``."""
    body: str
    """The body, escapes undone."""
    name: str | None = None
    """``name=``, or the tool's name that stood in place of a role."""
    recipient: str | None = None
    """``to=``"""
    channel: str | None = None
    """``analysis``, ``commentary`` or ``final``, as written."""
    intent: str | None = None
    """``preamble``, ``status`` or ``debug``."""
    content_type: str | None = None
    """The type of the body: a hint."""
    constrain: str | None = None
    """The type after ``<|constrain|>``."""
    call_id: str | None = None
    """``call_id=``"""
    parts: Sequence[Part] = ()
    """What the body is made of, where its format gives it structure."""
    terminator: str = "end"
    """What closed it: ``end``, ``call`` or ``return``."""
    span: Span = (0, 0)
    """The whole message in the text."""
    body_span: Span = (0, 0)
    """The body in the text, as written."""

    @property
    def effective_channel(self) -> str:
        """The channel; a message without one is read as final."""
        return self.channel or "final"

    @property
    def is_call(self) -> bool:
        """Whether this whole message is a tool call."""
        return self.role == "assistant" and self.recipient is not None and self.terminator == "call"

    def calls(self) -> Iterator[Call]:
        """The tool calls that the message is, or holds, in order."""
        if self.is_call and self.recipient is not None:
            kind = self.constrain or self.content_type
            yield Call(self.call_id, self.recipient, self.body, kind, self.body_span)
        for part in self.parts:
            if part.kind == "call":
                yield Call(None, part.detail or "", part.text, None, part.span)

    @property
    def said(self) -> str:
        """The body, or its parts that are text, without thoughts and calls."""
        if not self.parts:
            return self.body
        return "".join(part.text for part in self.parts if part.kind == "text")


@dataclass(frozen=True)
class FilePart:
    """A file, or a part of a text with a gap, in OpenChatML 0.1."""

    kind: str
    """``file``, ``prefix``, ``middle`` or ``suffix``."""
    text: str
    """What it says."""
    span: Span = (0, 0)
    """Where it stands."""


@dataclass(frozen=True)
class Note:
    """Something worth a report that is no error."""

    text: str
    """What was noticed."""
    span: Span
    """Where."""


@dataclass(frozen=True)
class Transcript:
    """A complete transcript, or a complete turn."""

    text: str
    """The text that was parsed."""
    messages: list[Message]
    """The messages, in order."""
    files: list[FilePart] = field(default_factory=list)
    """The files and texts with a gap."""
    notes: list[Note] = field(default_factory=list)
    """What was noticed and is no error."""
    preface: Span | None = None
    """Where the document header stands."""
    document_header: DocumentHeader | None = None
    """What the document header says."""
    is_version_1: bool = False
    """Whether this is read as OpenChatML 1.x."""

    def written(self, message: Message) -> str:
        """A message as it was written."""
        start, end = message.span
        return self.text.encode()[start:end].decode()


@dataclass(frozen=True)
class OpenMessage:
    """A message whose body is still coming."""

    index: int
    """Which message of the transcript it will be, from 0."""
    role: str
    """Who speaks."""
    channel: str | None
    """The channel as written."""
    intent: str | None
    """``intent=``"""
    recipient: str | None
    """``to=``"""
    said: str
    """What is said so far."""


@dataclass(frozen=True)
class StreamEvent:
    """An event of a stream: ``response.delta``, ``response.delta.flush``, ``response.cancel``, ``tool.cancel``."""

    name: str
    """The name of the event."""
    message_id: str | None = None
    """The message."""
    text: str | None = None
    """What to add."""
    call_id: str | None = None
    """The call."""
    reason: str | None = None
    """Why something is cancelled."""

    def to_json(self) -> str:
        """The event as a JSON object: ``type``, then its members."""
        members = {
            "type": self.name,
            "message_id": self.message_id,
            "text": self.text,
            "call_id": self.call_id,
            "reason": self.reason,
        }
        return json.dumps({key: value for key, value in members.items() if value is not None})


@dataclass(frozen=True)
class Loss:
    """Something of a message that a new format has no place for."""

    index: int
    """Which message, from 0, of those on channels."""
    what: str
    """What is lost."""
    span: Span = (0, 0)
    """Where the message stands in its text."""


@dataclass(frozen=True)
class Converted(Generic[T]):
    """A conversation in its new form, and what of it has no place there."""

    output: T
    """The conversation."""
    losses: list[Loss]
    """What is left out."""


@dataclass(frozen=True)
class Rendered:
    """A rendered conversation."""

    text: str
    """The text, control tokens spelt out."""
    pieces: list[str | Control]
    """For a tokenizer, to encode text and control tokens apart."""
    token_list: str
    """ChatML's message list, as JSON."""


@dataclass(frozen=True)
class Shown:
    """Something that an audience may see."""

    role: str
    """Who speaks."""
    channel: str
    """The channel."""
    text: str
    """What is shown."""


@dataclass(frozen=True)
class Dispatch:
    """What a tool gets: the body addressed to it, and nothing of the conversation."""

    call_id: str
    """The id of the call; the router's own where the format has none."""
    tool: str
    """What the route was registered for."""
    recipient: str
    """The full name that was called."""
    body: str
    """The arguments, or the code."""
    deadline: int | None
    """When the answer is late."""


@dataclass(frozen=True)
class ReplyEnvelope:
    """The body of a tool's reply."""

    ok: bool
    """Whether the tool did what it was asked for; a body that is no envelope is a result."""
    content: str | None
    """The result as JSON text, or the whole body if that is no envelope."""
    error: tuple[str, str] | None
    """A code and a message."""
    provenance: tuple[str | None, str | None, str | None] | None
    """Source, timestamp and checksum."""
    json: str
    """The envelope as JSON text."""


@dataclass(frozen=True)
class Answer:
    """An answered call."""

    call_id: str
    """The id of the call."""
    recipient: str
    """The full name that was called."""
    reply: ReplyEnvelope
    """What came back."""


@dataclass(frozen=True)
class ParserConfig:
    """What is asked of a text. The default is a Harmony transcript, read as history."""

    format: str = "harmony"
    """The format."""
    start: str = "transcript"
    """Where the text begins: ``transcript``, ``assistant_header`` or ``fim_middle``."""
    strictness: str = "history"
    """``history``: the liberties of input. ``generation``: one turn by the rules of the request."""
    spelt: str = "refused"
    """What text is that spells a control token: ``refused`` or ``text``."""
    profile: str = "plain"
    """``plain`` or ``hip-1``, in OpenChatML 2.2."""
    channels: str = "optional"
    """Whether history needs channels, in OpenChatML 2.2: ``optional`` or ``required``."""
    open_call_ids: Sequence[str] = ()
    """The ids of calls before this text that are not answered."""
    closed_call_ids: Sequence[str] = ()
    """The ids of calls before this text that are answered."""
    tools: Sequence[str] | None = None
    """The full names of the tools that may be called; ``None`` leaves recipients unjudged."""
    arguments: Callable[[str, str], None] | None = None
    """Called with a recipient and its arguments; raises where they do not suit."""
    thoughts: Sequence[str] = ()
    """Of OpenChatML 0.1: the thoughts that were asked for."""
    sequence_start: str = "<s>"
    """Of OpenChatML 0.1: how the base model spells the beginning of a sequence."""
    sequence_end: str = "</s>"
    """Of OpenChatML 0.1: how the base model spells its end."""
    tool_choice: str = "auto"
    """Of a generated turn: ``auto``, ``required``, ``none``, or a tool's full name."""
    calls: str = "one"
    """Of a generated turn: ``one`` call ends it, or ``many`` may come."""
    analysis: str = "allowed"
    """Of a generated turn: ``allowed`` or ``forbidden``."""
    types: str = "as_deployed"
    """Of a generated turn: ``as_deployed``, or ``constrained``."""
    function_channels: str = "commentary"
    """Of a generated turn: ``commentary``, or ``commentary_or_analysis``."""
    response: Callable[[str], None] | None = None
    """Called with the final message; raises where it does not suit."""

    @classmethod
    def transcript(cls, format: str, **options: Any) -> ParserConfig:
        """A whole transcript, read as history."""
        return replace(cls(format), **options)

    @classmethod
    def assistant_turn(cls, format: str, **options: Any) -> ParserConfig:
        """A generated turn, from right after the assistant's opening."""
        turn = cls(format, start="assistant_header", strictness="generation")
        return replace(turn, **options)


class TranscriptError(MaskwrightError, ValueError):
    """A text that is not a complete transcript of its format."""

    def __init__(self, code: str, message: str, hint: str | None, span: Span) -> None:
        super().__init__([Fault(message, hint=hint)])
        self.code = code
        """The code of OpenChatML 2.2 section 14, or of its own: ``E-PARSE-HEADER``."""
        self.span = span
        """Where, in bytes of the text."""

    def __str__(self) -> str:
        return f"{self.code} at byte {self.span[0]}: {super().__str__()}"

    @property
    def is_truncated(self) -> bool:
        """Whether the text only ends too early."""
        return self.code == "E-STREAM-TRUNCATED"


class RenderError(MaskwrightError, ValueError):
    """Messages that cannot be written in a format."""

    def __init__(self, code: str, message: str, index: int) -> None:
        super().__init__(f"message {index}: {message}")
        self.code = code
        self.index = index


class ConvertError(MaskwrightError, ValueError):
    """A conversation that cannot do without what the new format has no place for."""

    def __init__(self, message: str, index: int, span: Span) -> None:
        super().__init__(f"message {index}: {message}")
        self.index = index
        self.span = span


class InterchangeError(MaskwrightError, ValueError):
    """JSON that is no conversation, or no list of tools."""

    def __init__(self, message: str, pointer: str) -> None:
        super().__init__([Fault(f"{pointer}: {message}", pointer=pointer)])


class HiddenError(MaskwrightError):
    """An attempt to show what is hidden."""

    def __init__(self, code: str, message: str, span: Span) -> None:
        super().__init__(message)
        self.code = code
        self.span = span


class ToolError(MaskwrightError):
    """What went wrong with a call. Its text is for logs, ``safe_text`` for users."""

    def __init__(
        self,
        code: str,
        message: str,
        call_id: str,
        recipient: str,
        safe_text: str,
        reply: str,
        span: Span,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.call_id = call_id
        self.recipient = recipient
        self.safe_text = safe_text
        """A sentence that quotes neither arguments nor what a tool said."""
        self.reply = reply
        """The reply that tells the model, as JSON."""
        self.span = span


def parse(text: str, config: ParserConfig) -> Transcript:
    """Reads a text in which the spellings of control tokens are control tokens.

    Raises ``TranscriptError``, whose ``is_truncated`` tells a text that only ends too early.
    """
    return _native.parse(text, config)


def parse_pieces(
    pieces: Iterable[Piece], config: ParserConfig, *, controls: Sequence[str] = ()
) -> Transcript:
    """Reads pieces of tokens. ``controls`` are the control tokens that the vocabulary has as tokens."""
    return _native.parse_pieces(pieces, list(controls), config)


def render(
    messages: Iterable[Message],
    format: str,
    *,
    ending: str = "conversation",
    spelt: str = "refused",
    header: DocumentHeader | None = None,
    sequence_start: str | None = None,
    sequence_end: str | None = None,
) -> Rendered:
    """Writes messages in a format; with ``ending="prompt"`` it ends where the assistant goes on."""
    return _native.render(
        messages,
        format,
        ending=ending,
        spelt=spelt,
        header=header,
        sequence_start=sequence_start,
        sequence_end=sequence_end,
    )


def convert(messages: Iterable[Message], to: str) -> Converted[list[Message]]:
    """Takes messages of any format to another, and says what has no place there."""
    return _native.convert(messages, to)


def to_openai(messages: Iterable[Message]) -> Converted[list[dict[str, Any]]]:
    """Writes messages as OpenAI's chat messages."""
    return _native.to_openai(messages)


def from_openai(messages: Json) -> list[Message]:
    """Reads OpenAI's chat messages, as JSON text or lists and dictionaries."""
    return _native.from_openai(messages)


def to_interchange(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Writes messages as the JSON of OpenChatML 2.2, section 10."""
    return _native.to_interchange(messages)


def from_interchange(messages: Json) -> list[Message]:
    """Reads the JSON of OpenChatML 2.2, section 10."""
    return _native.from_interchange(messages)


def normalise_history(messages: Iterable[Message]) -> list[Message]:
    """A conversation as it is stored for the next turn, without old reasoning."""
    return _native.normalise_history(messages)


def tool_message(tools: Json, format: str) -> Message | None:
    """The message that offers tools in a prompt; ``None`` in ChatML, which has no way to."""
    return _native.tool_message(tools, format)


def show(message: Message, audience: str = "user") -> Shown:
    """What an audience, ``user`` or ``debug``, sees of a message; raises ``HiddenError`` where it is hidden."""
    return _native.show(message, audience)


def view(messages: Iterable[Message], audience: str = "user") -> list[Shown]:
    """All that an audience sees of a conversation."""
    return _native.view(messages, audience)


def read_reply(body: str) -> ReplyEnvelope:
    """Reads the body of a tool's reply.

    >>> read_reply('{"ok": false, "error": {"code": "E-TOOL-TIMEOUT", "message": "slow"}}').error
    ('E-TOOL-TIMEOUT', 'slow')
    """
    return _native.read_reply(body)
