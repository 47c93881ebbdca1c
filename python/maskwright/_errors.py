"""What can go wrong, as exceptions, and what is known of each fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong with what was given, and where."""

    message: str
    """What is wrong, in one sentence."""
    source: str | None = None
    """Which text it is in: ``schema``, ``tools``, ``response_schema``, ``grammar``, ``ebnf``, ``lark``, ``regex`` and so on."""
    line: int | None = None
    """The line in that text, from 1."""
    column: int | None = None
    """The column in that line, from 1."""
    pointer: str | None = None
    """The JSON pointer (RFC 6901) of the place, as a URI fragment: ``#/items/pattern``."""
    excerpt: str | None = None
    """Two lines for people: the line of the text, and carets below the place."""
    keyword: str | None = None
    """The keyword of JSON Schema at fault, or the construct of a regular expression: ``back-reference``."""
    reason: str | None = None
    """Why that is refused."""
    hint: str | None = None
    """What may help."""

    def __str__(self) -> str:
        place = f" (line {self.line}, column {self.column})" if self.line is not None else ""
        hint = f"; {self.hint}" if self.hint else ""
        return f"{self.message}{place}{hint}"


@dataclass(frozen=True)
class Warning:
    """Something in a schema that is well-formed and probably not meant."""

    lint: str
    """What it is about: lower case, with hyphens. The names do not change."""
    pointer: str
    """The JSON pointer of the place, as a URI fragment."""
    message: str
    """What is so."""
    hint: str
    """What to do about it."""

    def __str__(self) -> str:
        return f"{self.pointer}: {self.message}; {self.hint}"


class MaskwrightError(Exception):
    """The base of all errors of this package; its attributes are those of its first fault."""

    faults: tuple[Fault, ...]

    def __init__(self, faults: Sequence[Fault] | str) -> None:
        if isinstance(faults, str):
            faults = [Fault(faults)]
        self.faults = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))

    def __reduce__(self) -> tuple[type[MaskwrightError], tuple[tuple[Fault, ...]]]:
        return type(self), (self.faults,)

    @property
    def message(self) -> str:
        """What is wrong, in one sentence."""
        return self.faults[0].message

    @property
    def source(self) -> str | None:
        """Which text it is in."""
        return self.faults[0].source

    @property
    def line(self) -> int | None:
        """The line in that text, from 1."""
        return self.faults[0].line

    @property
    def column(self) -> int | None:
        """The column in that line, from 1."""
        return self.faults[0].column

    @property
    def pointer(self) -> str | None:
        """The JSON pointer of the place."""
        return self.faults[0].pointer

    @property
    def excerpt(self) -> str | None:
        """Two lines for people: the line of the text, and carets below the place."""
        return self.faults[0].excerpt

    @property
    def keyword(self) -> str | None:
        """The keyword of JSON Schema at fault, or the construct of a regular expression: ``back-reference``."""
        return self.faults[0].keyword

    @property
    def reason(self) -> str | None:
        """Why that is refused."""
        return self.faults[0].reason

    @property
    def hint(self) -> str | None:
        """What may help."""
        return self.faults[0].hint


class InvalidArgumentError(MaskwrightError, ValueError):
    """An argument that cannot be: an unknown name, a size that does not fit."""


class MalformedError(MaskwrightError, ValueError):
    """A grammar, schema, tools list or vocabulary that is not well-formed."""


class UnsupportedError(MaskwrightError, ValueError):
    """Something well-formed that cannot be compiled exactly."""


class UnsatisfiableError(MaskwrightError, ValueError):
    """A schema without values, or a request that leaves nothing to write."""


class LimitError(MaskwrightError):
    """More than compiling or running may cost."""


class NotAllowedError(MaskwrightError, ValueError):
    """A token that may not come next. The session is as it was."""


class EndedError(MaskwrightError):
    """The text has ended: nothing may follow."""


class FillError(MaskwrightError):
    """Some rows of a batch could not be filled and are zero; all others are filled."""

    failures: list[tuple[int, MaskwrightError]]
    """The index of each session that failed, and why."""
    accepted: list[int]
    """What the call would have returned, 0 where it failed."""

    def __init__(self, failures: list[tuple[int, MaskwrightError]], accepted: list[int]) -> None:
        self.failures = failures
        self.accepted = accepted
        super().__init__([fault for _, error in failures for fault in error.faults])
