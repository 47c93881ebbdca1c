"""The classes and functions of the native half. `Json` is JSON text, or what `json.dumps` writes."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, final

from maskwright._errors import Fault, Warning
from maskwright._types import Array, Json, Limits
from maskwright.reader import Event
from maskwright.reader import Message as ReadMessage
from maskwright.transcript import (
    Answer,
    Converted,
    Dispatch,
    Message,
    OpenMessage,
    ParserConfig,
    Piece,
    Rendered,
    ReplyEnvelope,
    Shown,
    StreamEvent,
    ToolError,
    Transcript,
)

@final
class Vocabulary:
    @staticmethod
    def from_hf(tokenizer: Any, *, end_tokens: Sequence[int] = ..., logits: int | None = None, cache_bytes: int | None = None, constraint_bytes: int | None = None) -> Vocabulary: ...
    @staticmethod
    def from_tokenizer_json(
        tokenizer: str, config: str | None = None, *, end_tokens: Sequence[int] = ..., logits: int | None = None, cache_bytes: int | None = None, constraint_bytes: int | None = None
    ) -> Vocabulary: ...
    @staticmethod
    def from_tiktoken(
        encoding: Any, *, end_tokens: Sequence[int] | None = None, logits: int | None = None, cache_bytes: int | None = None, constraint_bytes: int | None = None
    ) -> Vocabulary: ...
    @staticmethod
    def from_file(
        path: str | PathLike[str],
        *,
        specials: Sequence[tuple[str, int]] | None = None,
        end_tokens: Sequence[int] = ...,
        logits: int | None = None, cache_bytes: int | None = None, constraint_bytes: int | None = None,
    ) -> Vocabulary: ...
    @staticmethod
    def from_tokens(
        tokens: Iterable[bytes | str | None],
        *,
        specials: Mapping[str, int] | None = None,
        end_tokens: Sequence[int] = ...,
        logits: int | None = None, cache_bytes: int | None = None, constraint_bytes: int | None = None,
    ) -> Vocabulary: ...
    @staticmethod
    def o200k_harmony(path: str | PathLike[str] | None = None, *, logits: int | None = None, cache_bytes: int | None = None, constraint_bytes: int | None = None) -> Vocabulary: ...
    def with_logits(self, logits: int, *, cache_bytes: int | None = None, constraint_bytes: int | None = None) -> Vocabulary: ...
    def __len__(self) -> int: ...
    @property
    def constraint_bytes(self) -> int: ...
    @property
    def mask_words(self) -> int: ...
    @property
    def end_tokens(self) -> list[int]: ...
    @property
    def specials(self) -> dict[str, int]: ...
    def token_bytes(self, token: int) -> bytes | None: ...
    def decode(self, tokens: Sequence[int]) -> str: ...
    def longest_tokens(self, text: str | bytes) -> list[int]: ...

@final
class Bitmask:
    def __new__(cls, array: Array) -> Bitmask: ...
    @staticmethod
    def allocate(rows: int, vocabulary: Vocabulary) -> Bitmask: ...
    @staticmethod
    def from_pointer(address: int, rows: int, words: int, stride: int | None = None) -> Bitmask: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def allowed(self, row: int) -> list[int]: ...
    def apply(self, logits: Array, row: int = 0, logits_row: int = 0) -> None: ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

@final
class Grammar:
    @staticmethod
    def from_json_schema(
        schema: Json,
        *,
        whitespace: str = "json",
        escapes: str = "free",
        numbers: str = "any",
        order: str = "declared",
        outermost: str = "any",
        formats: str = "assert",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        forbidden: Sequence[str] = ...,
        limits: Limits | None = None,
    ) -> Grammar: ...
    @staticmethod
    def from_format(
        name: str,
        *,
        vocabulary: Vocabulary | None = None,
        prompt: str | Sequence[int] | None = None,
        start: str = "assistant-turn",
        tools: Json = None,
        tool_choice: str | Mapping[str, Any] = "auto",
        parallel_calls: bool = False,
        analysis: bool = True,
        response_schema: Json = None,
        built_in_tools: Sequence[str] = ...,
        functions_on_analysis: bool = False,
        profile: str = "default",
        thoughts: dict[str, str] | None = None,
        whitespace: str = "pretty",
        escapes: str = "free",
        numbers: str = "plain",
        order: str = "declared",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        deadline_ms: bool = False,
        flags: Sequence[str] = ...,
        used_call_ids: Sequence[str] = ...,
        open_calls: Sequence[tuple[str | None, str]] = ...,
        sequence_begin: str | None = None,
        sequence_end: str | None = None,
        limits: Limits | None = None,
    ) -> Grammar: ...
    @staticmethod
    def from_abnf(
        text: str,
        *,
        vocabulary: Vocabulary | None = None,
        prompt: str | Sequence[int] | None = None,
        start: str = "assistant-turn",
        tools: Json = None,
        tool_choice: str | Mapping[str, Any] = "auto",
        parallel_calls: bool = False,
        analysis: bool = True,
        response_schema: Json = None,
        built_in_tools: Sequence[str] = ...,
        functions_on_analysis: bool = False,
        profile: str = "default",
        thoughts: dict[str, str] | None = None,
        whitespace: str = "pretty",
        escapes: str = "free",
        numbers: str = "plain",
        order: str = "declared",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        deadline_ms: bool = False,
        flags: Sequence[str] = ...,
        used_call_ids: Sequence[str] = ...,
        open_calls: Sequence[tuple[str | None, str]] = ...,
        sequence_begin: str | None = None,
        sequence_end: str | None = None,
        limits: Limits | None = None,
    ) -> Grammar: ...
    @staticmethod
    def from_regex(pattern: str, *, dialect: str = "python", limits: Limits | None = None) -> Grammar: ...
    @staticmethod
    def from_choice(choices: Sequence[str] | str, *, limits: Limits | None = None) -> Grammar: ...
    @staticmethod
    def from_ebnf(text: str, *, start: str = "root", limits: Limits | None = None) -> Grammar: ...
    @staticmethod
    def from_structural_tag(
        tag: Json,
        *,
        vocabulary: Vocabulary | None = None,
        whitespace: str = "json",
        escapes: str = "free",
        numbers: str = "any",
        order: str = "declared",
        outermost: str = "any",
        formats: str = "assert",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        forbidden: Sequence[str] = ...,
        limits: Limits | None = None,
    ) -> Grammar: ...
    @staticmethod
    def from_lark(
        text: str,
        *,
        start: str = "start",
        whitespace: str = "json",
        escapes: str = "free",
        numbers: str = "any",
        order: str = "declared",
        outermost: str = "any",
        formats: str = "assert",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        forbidden: Sequence[str] = ...,
        limits: Limits | None = None,
    ) -> Grammar: ...

@final
class Constraint:
    def __new__(
        cls, vocabulary: Vocabulary, grammar: Grammar, *, stop_tokens: Sequence[int] | None = None
    ) -> Constraint: ...
    @staticmethod
    def from_json_schema(
        vocabulary: Vocabulary,
        schema: Json,
        *,
        stop_tokens: Sequence[int] | None = None,
        whitespace: str = "json",
        escapes: str = "free",
        numbers: str = "any",
        order: str = "declared",
        outermost: str = "any",
        formats: str = "assert",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        forbidden: Sequence[str] = ...,
        limits: Limits | None = None,
    ) -> Constraint: ...
    @staticmethod
    def from_pydantic(
        vocabulary: Vocabulary,
        model: type[Any],
        *,
        stop_tokens: Sequence[int] | None = None,
        whitespace: str = "json",
        escapes: str = "free",
        numbers: str = "any",
        order: str = "declared",
        outermost: str = "any",
        formats: str = "assert",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        forbidden: Sequence[str] = ...,
        limits: Limits | None = None,
    ) -> Constraint: ...
    @staticmethod
    def from_format(
        vocabulary: Vocabulary,
        name: str,
        *,
        stop_tokens: Sequence[int] | None = None,
        prompt: str | Sequence[int] | None = None,
        start: str = "assistant-turn",
        tools: Json = None,
        tool_choice: str | Mapping[str, Any] = "auto",
        parallel_calls: bool = False,
        analysis: bool = True,
        response_schema: Json = None,
        built_in_tools: Sequence[str] = ...,
        functions_on_analysis: bool = False,
        profile: str = "default",
        thoughts: dict[str, str] | None = None,
        whitespace: str = "pretty",
        escapes: str = "free",
        numbers: str = "plain",
        order: str = "declared",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        deadline_ms: bool = False,
        flags: Sequence[str] = ...,
        used_call_ids: Sequence[str] = ...,
        open_calls: Sequence[tuple[str | None, str]] = ...,
        sequence_begin: str | None = None,
        sequence_end: str | None = None,
        limits: Limits | None = None,
    ) -> Constraint: ...
    @staticmethod
    def from_abnf(
        vocabulary: Vocabulary,
        text: str,
        *,
        stop_tokens: Sequence[int] | None = None,
        prompt: str | Sequence[int] | None = None,
        start: str = "assistant-turn",
        tools: Json = None,
        tool_choice: str | Mapping[str, Any] = "auto",
        parallel_calls: bool = False,
        analysis: bool = True,
        response_schema: Json = None,
        built_in_tools: Sequence[str] = ...,
        functions_on_analysis: bool = False,
        profile: str = "default",
        thoughts: dict[str, str] | None = None,
        whitespace: str = "pretty",
        escapes: str = "free",
        numbers: str = "plain",
        order: str = "declared",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        deadline_ms: bool = False,
        flags: Sequence[str] = ...,
        used_call_ids: Sequence[str] = ...,
        open_calls: Sequence[tuple[str | None, str]] = ...,
        sequence_begin: str | None = None,
        sequence_end: str | None = None,
        limits: Limits | None = None,
    ) -> Constraint: ...
    @staticmethod
    def from_regex(
        vocabulary: Vocabulary,
        pattern: str,
        *,
        stop_tokens: Sequence[int] | None = None,
        dialect: str = "python",
        limits: Limits | None = None,
    ) -> Constraint: ...
    @staticmethod
    def from_choice(
        vocabulary: Vocabulary,
        choices: Sequence[str] | str,
        *,
        stop_tokens: Sequence[int] | None = None,
        limits: Limits | None = None,
    ) -> Constraint: ...
    @staticmethod
    def from_ebnf(
        vocabulary: Vocabulary,
        text: str,
        *,
        stop_tokens: Sequence[int] | None = None,
        start: str = "root",
        limits: Limits | None = None,
    ) -> Constraint: ...
    @staticmethod
    def from_structural_tag(
        vocabulary: Vocabulary,
        tag: Json,
        *,
        stop_tokens: Sequence[int] | None = None,
        whitespace: str = "json",
        escapes: str = "free",
        numbers: str = "any",
        order: str = "declared",
        outermost: str = "any",
        formats: str = "assert",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        forbidden: Sequence[str] = ...,
        limits: Limits | None = None,
    ) -> Constraint: ...
    @staticmethod
    def from_lark(
        vocabulary: Vocabulary,
        text: str,
        *,
        stop_tokens: Sequence[int] | None = None,
        start: str = "start",
        whitespace: str = "json",
        escapes: str = "free",
        numbers: str = "any",
        order: str = "declared",
        outermost: str = "any",
        formats: str = "assert",
        draft: str = "2020-12",
        content: str = "annotate",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        forbidden: Sequence[str] = ...,
        limits: Limits | None = None,
    ) -> Constraint: ...
    def session(self, lead: Sequence[int] | None = None) -> Session: ...
    def reader(self, *, lenient: bool = False, closed: bool = False) -> Reader: ...
    @property
    def stop_tokens(self) -> list[int]: ...
    @property
    def logits(self) -> int: ...
    @property
    def mask_words(self) -> int: ...
    @property
    def spelt_controls(self) -> list[str]: ...
    @property
    def unspelt_bytes(self) -> bytes: ...

@final
class Session:
    def fill(self, bitmask: Bitmask | Array, row: int = 0) -> None: ...
    def allowed_tokens(self) -> list[int]: ...
    def allows(self, token: int) -> bool: ...
    def accept(self, token: int) -> None: ...
    def advance(self, tokens: Sequence[int], *, after_end: str = "refuse") -> int: ...
    def validate(self, tokens: Sequence[int]) -> int: ...
    def rollback(self, count: int = 1) -> None: ...
    def reset(self) -> None: ...
    def copy(self) -> Session: ...
    def __copy__(self) -> Session: ...
    def __deepcopy__(self, memo: Any) -> Session: ...
    @property
    def may_end(self) -> bool: ...
    @property
    def is_finished(self) -> bool: ...
    @property
    def has_ended(self) -> bool: ...
    @property
    def tokens(self) -> list[int]: ...
    def __len__(self) -> int: ...
    def forced_bytes(self) -> bytes: ...
    def forced_tokens(self, tokenise: Callable[[str], Sequence[int]] | None = None) -> list[int]: ...
    def deadline(self, tokens: int | None) -> None: ...
    def tokens_needed(self) -> int: ...
    @property
    def tokens_left(self) -> int | None: ...
    def way_out(self) -> list[int]: ...

@final
class Reader:
    @staticmethod
    def from_format(
        name: str,
        *,
        vocabulary: Vocabulary | None = None,
        lenient: bool = False,
        closed: bool = False,
        prompt: str | Sequence[int] | None = None,
        start: str = "assistant-turn",
        tools: Json = None,
        tool_choice: str | Mapping[str, Any] = "auto",
        parallel_calls: bool = False,
        analysis: bool = True,
        response_schema: Json = None,
        built_in_tools: Sequence[str] = ...,
        functions_on_analysis: bool = False,
        profile: str = "default",
        thoughts: dict[str, str] | None = None,
        whitespace: str = "pretty",
        escapes: str = "free",
        numbers: str = "plain",
        order: str = "declared",
        draft: str = "2020-12",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        deadline_ms: bool = False,
        flags: Sequence[str] = ...,
        used_call_ids: Sequence[str] = ...,
        open_calls: Sequence[tuple[str | None, str]] = ...,
        sequence_begin: str | None = None,
        sequence_end: str | None = None,
        limits: Limits | None = None,
    ) -> Reader: ...
    @staticmethod
    def from_abnf(
        text: str,
        *,
        vocabulary: Vocabulary | None = None,
        lenient: bool = False,
        closed: bool = False,
        prompt: str | Sequence[int] | None = None,
        start: str = "assistant-turn",
        tools: Json = None,
        tool_choice: str | Mapping[str, Any] = "auto",
        parallel_calls: bool = False,
        analysis: bool = True,
        response_schema: Json = None,
        built_in_tools: Sequence[str] = ...,
        functions_on_analysis: bool = False,
        profile: str = "default",
        thoughts: dict[str, str] | None = None,
        whitespace: str = "pretty",
        escapes: str = "free",
        numbers: str = "plain",
        order: str = "declared",
        draft: str = "2020-12",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        deadline_ms: bool = False,
        flags: Sequence[str] = ...,
        used_call_ids: Sequence[str] = ...,
        open_calls: Sequence[tuple[str | None, str]] = ...,
        sequence_begin: str | None = None,
        sequence_end: str | None = None,
        limits: Limits | None = None,
    ) -> Reader: ...
    @staticmethod
    def unsettled(
        text: str,
        *,
        prompt: str | Sequence[int] | None = None,
        start: str = "assistant-turn",
        tools: Json = None,
        tool_choice: str | Mapping[str, Any] = "auto",
        parallel_calls: bool = False,
        analysis: bool = True,
        response_schema: Json = None,
        built_in_tools: Sequence[str] = ...,
        functions_on_analysis: bool = False,
        profile: str = "default",
        thoughts: dict[str, str] | None = None,
        whitespace: str = "pretty",
        escapes: str = "free",
        numbers: str = "plain",
        order: str = "declared",
        draft: str = "2020-12",
        patterns: str = "ecma",
        documents: dict[str, Json] | None = None,
        deadline_ms: bool = False,
        flags: Sequence[str] = ...,
        used_call_ids: Sequence[str] = ...,
        open_calls: Sequence[tuple[str | None, str]] = ...,
        sequence_begin: str | None = None,
        sequence_end: str | None = None,
        limits: Limits | None = None,
    ) -> str | None: ...
    def again(self) -> Reader: ...
    def feed(self, text: str | bytes) -> list[Event]: ...
    def feed_tokens(self, tokens: Sequence[int]) -> list[Event]: ...
    def finish(self) -> list[Event]: ...
    @property
    def message(self) -> ReadMessage | None: ...

def fill(
    sessions: Sequence[Session],
    bitmask: Bitmask | Array,
    *,
    drafts: Sequence[Sequence[int]] | None = None,
    rows: Sequence[int] | None = None,
    beyond: str = "zero",
) -> list[int]: ...
def built_in_formats() -> list[str]: ...
def chat_template_of_gguf(path: str | PathLike[str]) -> str | None: ...
def flags_of(format: str, tokens: Vocabulary | Container[str] | None = None, template: str | None = None) -> set[str]: ...
def format_of(vocabulary: Vocabulary | None = None, template: str | None = None) -> str: ...
def check_schema(
    schema: Json,
    *,
    formats: str = "assert",
    draft: str = "2020-12",
    content: str = "annotate",
    patterns: str = "ecma",
    documents: dict[str, Json] | None = None,
    limits: Limits | None = None,
) -> list[Fault]: ...
def lint_schema(
    schema: Json,
    *,
    formats: str = "assert",
    draft: str = "2020-12",
    content: str = "annotate",
    patterns: str = "ecma",
    documents: dict[str, Json] | None = None,
    limits: Limits | None = None,
) -> list[Warning]: ...
def schema_report(
    schema: Json,
    *,
    formats: str = "assert",
    draft: str = "2020-12",
    content: str = "annotate",
    patterns: str = "ecma",
    documents: dict[str, Json] | None = None,
    limits: Limits | None = None,
) -> tuple[int, list[str], list[str]]: ...

@final
class DocumentHeader:
    def __new__(cls, major: int, minor: int) -> DocumentHeader: ...
    @property
    def major(self) -> int: ...
    @property
    def minor(self) -> int: ...
    @property
    def model(self) -> str | None: ...
    @property
    def harmony(self) -> bool: ...

@final
class Parser:
    def __new__(cls, config: ParserConfig, controls: Sequence[str] = ...) -> Parser: ...
    def push(self, piece: Piece) -> None: ...
    def push_tokens(self, vocabulary: Vocabulary, tokens: Sequence[int]) -> None: ...
    def messages(self) -> list[Message]: ...
    def open(self) -> OpenMessage | None: ...
    def finish(self) -> Transcript: ...

@final
class EventStream:
    def __new__(cls, stream_id: str, config: ParserConfig, controls: Sequence[str] = ...) -> EventStream: ...
    def push(self, piece: Piece) -> list[StreamEvent]: ...
    def push_tokens(self, vocabulary: Vocabulary, tokens: Sequence[int]) -> list[StreamEvent]: ...
    def cancel(self, reason: str) -> StreamEvent | None: ...
    def finish(self) -> Transcript: ...

@final
class ToolRouter:
    def __new__(
        cls,
        *,
        deadline_ms: int | None = None,
        body_deadlines: bool = False,
        arguments: Callable[[str, str], None] | None = None,
    ) -> ToolRouter: ...
    def route(self, pattern: str, tool: str) -> None: ...
    def dispatch(self, message: Message, now: int) -> list[Dispatch]: ...
    def answer(self, reply: Message, now: int) -> Answer: ...
    def expire(self, now: int) -> list[ToolError]: ...
    def next_deadline(self) -> int | None: ...
    def cancel(self, call_id: str, reason: str) -> StreamEvent: ...
    def open_calls(self) -> list[str]: ...

def parse(text: str, config: ParserConfig) -> Transcript: ...
def parse_pieces(given: Iterable[Piece], controls: list[str], config: ParserConfig) -> Transcript: ...
def render(
    given: Iterable[Message],
    format: str,
    *,
    ending: str,
    spelt: str,
    header: DocumentHeader | None,
    sequence_start: str | None,
    sequence_end: str | None,
) -> Rendered: ...
def convert(given: Iterable[Message], to: str) -> Converted[list[Message]]: ...
def to_openai(given: Iterable[Message]) -> Converted[list[dict[str, Any]]]: ...
def from_openai(given: Json) -> list[Message]: ...
def to_interchange(given: Iterable[Message]) -> list[dict[str, Any]]: ...
def from_interchange(given: Json) -> list[Message]: ...
def normalise_history(given: Iterable[Message]) -> list[Message]: ...
def tool_message(tools: Json, format: str) -> Message | None: ...
def show(given: Message, to: str) -> Shown: ...
def view(given: Iterable[Message], to: str) -> list[Shown]: ...
def read_reply(body: str) -> ReplyEnvelope: ...
